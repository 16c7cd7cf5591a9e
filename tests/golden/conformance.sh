#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The logs that `run --log` writes equal those of the real kernels to the last byte: the
# eras of 2017, through the command line. (tests/scenarios has all eras, without it.)
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
golden=$SL_SOURCE_DIR/tests/golden/conformance
tab=$(printf '\t')

sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum <"$1" | sed 's/ .*//'
	else
		sha256 -q <"$1"
	fi
}

grep -E "^(ule@2017|ule@2017-1ppq|4bsd@2017)$tab" "$golden/index.tsv" >rows
[ "$(wc -l <rows)" -ge 30 ] || fail "only $(wc -l <rows) rows"
while IFS=$tab read -r policy scenario topology seconds lines switches samples; do
	"$SCHEDLAB" run -p "$policy" -w "$golden/$scenario.json" -t "$topology" --costs none \
		--until "${seconds}s" --log switches=sw --log samples=sa >report 2>notes </dev/null ||
		fail "$policy $scenario: $(cat notes)"
	[ "$(sum sw)" = "$switches" ] && pass || fail "$policy $scenario: another switch log"
	[ "$(wc -l <sw)" -eq "$lines" ] && pass || fail "$policy $scenario: $(wc -l <sw) lines"
	[ "$samples" = - ] || { [ "$(sum sa)" = "$samples" ] && pass ||
		fail "$policy $scenario: other samples"; }
done <rows
finish
