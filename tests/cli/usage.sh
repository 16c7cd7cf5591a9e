#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --help and --version work; every verb and every option of --help stands in its page.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
docs=$SL_SOURCE_DIR/docs
expect 0 '' "$SCHEDLAB" --version
says '^schedlab [0-9]+\.[0-9]+\.[0-9]+$'
expect 0 '' "$SCHEDLAB" --help
verbs=$(sed -n 's/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p' stdout)
[ "$(echo "$verbs" | wc -l)" -ge 8 ] && pass || fail "verbs in --help: $verbs"
for verb in $verbs; do
	page=$docs/schedlab-$verb.1
	grep -Eq "Cm $verb\$" "$docs/schedlab.1" && pass || fail "schedlab.1 does not name $verb"
	[ -f "$page" ] && pass || { fail "no manual page for $verb"; continue; }
	expect 0 '' "$SCHEDLAB" "$verb" --help
	# Options as --help lists them, each at the start of a line.
	for option in $(grep -oE '^ +(-[A-Za-z?], )?--[a-z][-a-z]*|^ +-[A-Za-z]\b' stdout | tr -d ' ' |
		tr ',' '\n'); do
		name=$(echo "$option" | sed 's/^-//')
		pattern=$(printf '%s' "$name" | sed 's/-/\\\\*-/g')
		[ "$option" = '-?' ] && continue
		grep -Eq "(Fl .*|-)$pattern([^a-z]|\$)" "$page" && pass ||
			fail "schedlab-$verb.1 does not explain $option"
	done
done
finish
