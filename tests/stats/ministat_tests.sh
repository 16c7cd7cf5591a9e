#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What `schedlab ministat` says beyond ministat(1), and that --compat knows nothing of it.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
ln -s "$SCHEDLAB" ministat
printf '10\n12\n14\n16\n' >a
printf '11\n13\n15\n18\n' >b
printf '1\n2\n3\n' >three
printf '5\n5\n5\n5\n' >flat
printf '0\n0\n0\n0\n' >zero
printf '1\ninf\n3\n' >inf
printf '1\nnan\n3\n' >nan

# Below the block; the block itself is the one without.
expect 0 '' ./ministat -A --tests a b flat
says '^b against a$'
says "^	Welch's t: 1.25 \(-3.6.* to 6.*\), p = 0.5., Hedges' g = 0.38"
says '^	p after Holm'
says '^	flat: all 4 values are equal$'
says '^	b: only 4 values; shape'
mv stdout with
expect 0 '' ./ministat -A a b flat
head -n "$(wc -l <stdout)" with | cmp -s - stdout && pass || fail "another block with --tests"
expect 0 '' ./ministat --tests a a
says '^	identical: a has the values of a$'
expect 0 '' ./ministat -A --tests flat zero
says '^	every run gave the same number, which is -5 \(-100%\) off; no test is made$'
expect 0 '' ./ministat -A --tests zero flat
says '^	every run gave the same number, which is 5 off; no test is made$'

# Pairs: differences 1 1 1 2.
expect 0 '' "$SCHEDLAB" ministat --paired a b
says '^	paired by line: 1.25 \+/- 0.795612 \(9.61538% \+/- 6.12009%\), p = 0.015$'
expect 0 '' ./ministat -c 99 -A --paired a b
says '^	paired by line: 1.25 \+/- 1.46023 '
expect 2 'ministat: --paired: a has 4 values, three has 3' ./ministat --paired a b three

# Values that are not finite: said, and no sign of a NaN that depends on the machine.
expect 0 '' ./ministat --tests inf nan a
says '^\[no plot, span is not finite\]$'
says '^	values that are not finite; no test is made$'
grep -q -e '-nan' stdout && fail "a NaN with a sign: $(cat stdout)" || pass
expect 0 '' ./ministat nan
says '^\[no plot, span is not finite\]$'

# Forms for programs: the same numbers.
expect 0 '' ./ministat --paired --json a b flat
says '"schema": "schedlab-ministat/1"'
says '^\{"name": "b", "n": 4, "min": 11, "max": 18, "median": 14, "mean": 14.25, "stddev": 2.98607881119481[0-9]*\}'
sed -n 's/.*"set": "b".*"paired_p": \([^,]*\),.*/\1/p' stdout >json
if has python3; then
	python3 -m json.tool stdout >/dev/null && pass || fail "not JSON: $(cat stdout)"
fi
expect 0 '' ./ministat --csv --paired a b flat
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "paired_p") at = i }
	NR == 2 { print $at } NR > 1 && $1 != "schedlab-comparison/1" { exit 1 }' stdout >csv &&
	[ "$(wc -l <stdout)" = 3 ] && pass || fail "CSV: $(cat stdout)"
cmp -s csv json && [ -s csv ] && pass || fail "paired_p: CSV $(cat csv), JSON $(cat json)"
expect 0 '' ./ministat --json inf
says '"max": null, "median": 3, "mean": null'

# What does not go together, and what the generations do not know.
expect 2 'choose one' ./ministat --json --csv a b
expect 2 'make no comparisons' ./ministat -n --tests a b
expect 2 'make no comparisons' ./ministat -P --json a b
expect 2 'need two files' ./ministat --csv a
expect 2 'need two files' ./ministat --paired a
for compat in 2015 2016 current; do
	expect 2 "^ministat: invalid option -- '-'" "$SCHEDLAB" ministat --compat=$compat --tests a
done
expect 1 'Cannot open --json' ./ministat -A -- --json
expect 0 '' ./ministat --help
says '--paired : '
finish
