#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: ministat_differential.sh [cases [seed]]
# By default 2000 cases, or as many as SL_MINISTAT_CASES says.
# Runs `schedlab ministat --compat=2015` beside Debian's ministat (20150715) on random inputs
# and a list of odd ones; standard output, standard error and exit status must be the same.
# Where the original dies of a signal there is nothing to equal: then ours must not die.
set -u
cases=${1:-${SL_MINISTAT_CASES:-2000}}
seed=${2:-1}
original=/usr/bin/ministat
here=$(cd "$(dirname "$0")" && pwd)
schedlab=${SCHEDLAB:?the schedlab program}
case $schedlab in /*) ;; *) schedlab=$PWD/$schedlab ;; esac

if [ ! -x "$original" ]; then
	echo "skipped: $original is not installed (apt-get install ministat)"
	echo "0 passed, $([ "${CI:-}" = true ] && echo 1 || echo 0) failed"
	[ "${CI:-}" = true ] && exit 1
	exit 77
fi

dir=$(mktemp -d) || exit 1
trap 'chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
mkdir "$dir/ours" "$dir/theirs" "$dir/data" "$dir/data/directory"
ln -s "$schedlab" "$dir/ours/ministat"
ln -s "$original" "$dir/theirs/ministat"
cd "$dir/data" || exit 1
: >empty
printf '1\n2\n3\n' >locked
chmod 000 locked
ln -s nowhere dangling
ln -s loop loop
chmod 755 "$dir"
nobody=
if [ "$(id -u)" = 0 ]; then
	nobody="setpriv --reuid=65534 --clear-groups"
	$nobody "$dir/ours/ministat" --help >/dev/null 2>&1 || nobody=
fi
unset POSIXLY_CORRECT COLUMNS

# Both programs take the same list of jobs, at the same time, in folders that are alike. A job is a
# line of shell words; "tty COLUMNS WIDTH WORDS" runs on a terminal, "nobody WORDS" without root's
# rights. What job N prints goes to the end of out.WHO and err.WHO, each followed by a line that says
# N, the exit status and the words.

# run_words WHO WORDS [PREFIX]: sets $code. Ours is called by turns through the link and as a verb.
run_words()
{
	compat= program=ministat
	if [ "$1" = ours ]; then
		compat=--compat=2015
		[ $((number % 2)) -eq 0 ] || program='"$schedlab" ministat'
	fi
	( PATH=$dir/$1:$PATH; eval "${3:-} $program $compat $2" >>"../out.$1" 2>>"../err.$1"
	) 2>/dev/null </dev/null
	code=$?
}

# run_tty WHO COLUMNS WIDTH WORDS: standard output and error are one terminal.
run_tty()
{
	compat=
	[ "$1" = ours ] && compat=--compat=2015
	echo "stty cols $3 rows 24; export COLUMNS='${2#=}'
		PATH=$dir/$1:\$PATH; ministat $compat $4" >"../tty.$1"
	script -qec "sh ../tty.$1" /dev/null </dev/null >>"../out.$1" 2>&1
	code=$?
}

# run_list WHO: all jobs of ../list, one after the other.
run_list()
{
	number=0
	while IFS= read -r words; do
		number=$((number + 1))
		case $words in
		"tty "*) set -f; set -- "$1" $words; set +f; run_tty "$1" "$3" "$4" "$5 $6" ;;
		"nobody "*) run_words "$1" "${words#nobody }" "$nobody" ;;
		*) run_words "$1" "$words" ;;
		esac
		printf '\n== %d %d %s\n' $number $code "$words" >>"../err.$1"
		printf '\n== %d %d %s\n' $number $code "$words" >>"../out.$1"
	done <../list
}

awk -v cases="$cases" -v seed="$seed" -v dir="$dir/data" -f "$here/ministat_cases.awk" >../list ||
	exit 1

# Odd bytes, each after four good lines; with the column given, too.
long=$(awk 'BEGIN { for (i = 0; i < 8180; i++) printf "0" }')
odd=0
while IFS= read -r bytes; do
	odd=$((odd + 1))
	printf '1 2\n2 3\n3 4\n4 5\n%b' "$bytes" >odd.$odd
	printf '%s\n' "odd.$odd" "-C 2 -A odd.$odd" "-d , -A odd.$odd" "-d ' ,' -C 2 odd.$odd" >>../list
done <<-EOF
	5\0000\n6\n
	\0000\n
	5 \v\0000junk\n
	5 6 \0000 7\n
	5\0377\n
	\0240\n
	#\0000 5\n
	5 6\r\n\r\n7 8\r
	5, 6,7\n
	,5,6\n
	 ,5\n
	  \f5 7\n
	${long}123456789\n
	${long}12345678901\n
	${long}123456789012\n
	5 ${long}12345678901234567890\n
	# ${long}12345678901234567890\n
	${long}${long}\n
	${long}1234567890 1\nx\n
	5 6\n\n\n\nx x\n
EOF

# Arguments and files that need no data of their own.
printf '1\n2\n3\n4\n' >four
printf '3\n4\n5\n6.5\n' >five
printf '1\n2\n' >two
cat >>../list <<-'EOF'
	-A four five two
	-A two missing
	-A missing two
	-A four '' five
	four five four five four five four five missing
	- - <four
	four - <five
	- four - <five
	-A /dev/stdin <four
	empty
	directory
	<directory
	locked
	nobody locked
	nobody -A four locked
	dangling
	loop
	four/x
	-A -- -A
	-A -- four -n
	four -A five -n
	-n -s -A -c 80 -w 10 four five
	-nc80 four five
	-nw10 four five
	-Ac 80 four five
	--help
	--version
	-w 10 -w 20 four
	-c 33 -w x four
	-w x -c 33 four
	<&-
	four >/dev/full
	-n four -C
EOF

# On a terminal: its width, and COLUMNS before it.
if command -v script >/dev/null 2>&1 && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	for columns in '' 50 abc 0 2 5x 120; do
		for width in 2 4 5 20 80 100 200; do
			echo "tty =$columns $width four five" >>../list
		done
	done
fi

run_list theirs &
run_list ours
wait

# The parts of two logs between their marks. Where the original ended by a signal, ours may not.
for log in out err; do
	awk -v log_name=$log 'function part(file,    text, line, more) {
		text = ""
		while ((more = (getline line < file)) > 0 && line !~ /^== [0-9]+ [0-9]+ /)
			text = text line "\n"
		mark = more > 0 ? line : ""
		return text
	}
	BEGIN {
		for (;;) {
			theirs = part("../" log_name ".theirs"); their_mark = mark
			ours = part("../" log_name ".ours"); our_mark = mark
			if (their_mark == "" || our_mark == "")
				break
			split(their_mark, t, " ")
			split(our_mark, o, " ")
			if (t[3] > 128 && o[3] <= 128)
				died++
			else if (their_mark == our_mark && theirs == ours)
				passed++
			else {
				failed++
				printf "FAILED: %s of ministat %s\noriginal:\n%sschedlab, exit %s:\n%s\n",
				       log_name, their_mark, theirs, o[3], ours
			}
		}
		printf "%d %d %d\n", passed, failed + (their_mark != our_mark), died > ("../" log_name ".sum")
	}'
done
jobs=$(wc -l <../list)
set -- $(cat ../out.sum) $(cat ../err.sum)
failed=$(($2 + $5 + ($1 + $2 + $3 != jobs)))
echo "$3 inputs kill the original and not ours"
echo "$1 passed, $failed failed"
[ "$failed" -eq 0 ]
