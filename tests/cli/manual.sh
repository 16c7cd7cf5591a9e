#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A verb's --help, its manual page and the bash completion name the same options, and the pages
# are clean for mandoc(1) and groff(1) where these are installed.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
docs=$SL_SOURCE_DIR/docs

# The options of --help on stdin, one a line; those that ministat prints, too.
of_help() {
	sed -n 's/^ *\(-[A-Za-z]\), \(--[a-z-]*\).*/\1 \2/p; s/^ *\(--[a-z-]*\)[= ].*/\1/p
		s/^ *\(--[a-z-]*\)$/\1/p; s/^	\(-[A-Za-z]\) : .*/\1/p; s/^	\(--[a-z]*\) : .*/\1/p
		s/^	\(--[a-z]*\), \(--[a-z]*\) : .*/\1 \2/p; s/.*\[\(-c\) confidence\].*/\1/p' |
		tr ' ' '\n' | sort -u
}
# The options of a page's items.
of_page() {
	sed -n 's/^\.It \(Fl .*\)/\1/p' "$1" | tr ',' '\n' |
		sed -n 's/^ *Fl \\*\(-*[A-Za-z][A-Za-z-]*\).*/-\1/p' | sort -u
}
# What the completion offers after the words given, when the last is "-".
of_completion() {
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _schedlab "$1"
		printf "%s\n" "${COMPREPLY[@]}"' "$docs/schedlab.bash-completion" "$@" | grep '^-' | sort -u
}
same() {
	diff "$1" "$2" >difference && pass || { fail "$3" && cat difference >&2; }
}

"$SCHEDLAB" --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p' >verbs
"$SCHEDLAB" sweep --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p' >actions
while read -r verb; do
	if [ "$verb" = sweep ]; then
		while read -r action; do
			"$SCHEDLAB" sweep "$action" --help
		done <actions | of_help | grep -Ev '^(-h|--help)$' >helped
	elif [ "$verb" = ministat ]; then
		"$SCHEDLAB" ministat --help | of_help >helped
	else
		"$SCHEDLAB" "$verb" --help | of_help >helped
	fi
	of_page "$docs/schedlab-$verb.1" >paged
	[ -s helped ] && same helped paged "$verb: --help (<) and the page's items (>) differ"
	command -v bash >/dev/null || continue
	if [ "$verb" = sweep ]; then
		while read -r action; do
			"$SCHEDLAB" sweep "$action" --help | of_help >helped
			of_completion "$SCHEDLAB" sweep "$action" - >completed
			same helped completed "sweep $action: --help (<) and completion (>) differ"
		done <actions
	elif [ "$verb" != ministat ]; then
		of_completion "$SCHEDLAB" "$verb" - >completed
		same helped completed "$verb: --help (<) and completion (>) differ"
	fi
done <verbs

# Names complete from what the program lists.
if command -v bash >/dev/null; then
	offers() {
		wanted=$1
		shift
		bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _schedlab "$1"
			printf "%s\n" "${COMPREPLY[@]}"' "$docs/schedlab.bash-completion" "$SCHEDLAB" "$@" |
			grep -Fqx -e "$wanted" && pass || fail "no completion \"$wanted\" of: $*"
	}
	offers compare com
	offers sweep sw
	offers report sweep re
	offers e5-2420 run -t e5
	offers ule@7.3 run -p ule@
	offers buildworld run -w bu
	offers latency-p99 compare --metric lat
	offers nehalem-ex run --costs ne
	offers policies list pol
	offers switches= run --log sw
fi

has mandoc && mandoc=yes || mandoc=
has groff && groff=yes || groff=
for page in "$docs"/*.[1-9]; do
	name=$(basename "$page")
	if [ -n "$mandoc" ]; then
		mandoc -Tlint -W warning "$page" >lint 2>&1 || :
		[ ! -s lint ] && pass || { fail "$name for mandoc" && cat lint >&2; }
	fi
	if [ -n "$groff" ]; then
		groff -mdoc -ww -z -Tutf8 "$page" >lint 2>&1 || :
		[ ! -s lint ] && pass || { fail "$name for groff" && cat lint >&2; }
	fi
done
finish
