#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: ministat_differential.sh [cases [seed]]
# Runs `schedlab ministat --compat=2015` beside Debian's ministat (20150715) on random inputs
# and a list of odd ones; standard output, standard error and exit status must be the same.
# Where the original dies of a signal there is nothing to equal: then ours must not die.
set -u
cases=${1:-200}
seed=${2:-1}
original=/usr/bin/ministat
here=$(cd "$(dirname "$0")" && pwd)
schedlab=${SCHEDLAB:?the schedlab program}
case $schedlab in /*) ;; *) schedlab=$PWD/$schedlab ;; esac
passed=0 failed=0 died=0

if [ ! -x "$original" ]; then
	echo "skipped: $original is not installed (apt-get install ministat)"
	echo "0 passed, $([ "${CI:-}" = true ] && echo 1 || echo 0) failed"
	[ "${CI:-}" != true ]
	exit
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
unset POSIXLY_CORRECT COLUMNS

# same_errors: what both wrote on standard error; mostly nothing.
same_errors()
{
	if [ -s ../err.theirs ] || [ -s ../err.ours ]; then
		cmp -s ../err.theirs ../err.ours
	fi
}

# verdict NAME: compares what the two runs left, their status in $theirs and $ours.
verdict()
{
	if [ "$theirs" -gt 128 ]; then
		died=$((died + 1))
		if [ "$ours" -le 128 ]; then
			return
		fi
	elif [ "$theirs" = "$ours" ] && same_errors && cmp -s ../out.theirs ../out.ours; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAILED: ministat $1"
	diff ../out.theirs ../out.ours | head -n 6
	diff ../err.theirs ../err.ours | head -n 6
	echo "exit: $theirs and $ours"
}

# both WORDS: one string of shell words; by turns through the link and the verb.
both()
{
	( PATH=$dir/theirs:$PATH; eval "ministat $1" >../out.theirs 2>../err.theirs
	) 2>/dev/null </dev/null
	theirs=$?
	if [ $(((passed + failed + died) % 2)) -eq 0 ]; then
		( PATH=$dir/ours:$PATH; eval "ministat --compat=2015 $1" >../out.ours 2>../err.ours
		) </dev/null
	else
		( eval "\"\$schedlab\" ministat --compat=2015 $1" >../out.ours 2>../err.ours ) </dev/null
	fi
	ours=$?
	verdict "$1"
}

awk -v cases="$cases" -v seed="$seed" -v dir="$dir/data" -f "$here/ministat_cases.awk" >../list ||
	exit 1
while IFS= read -r words; do
	both "$words"
done <../list

# Odd bytes, each after four good lines; with the column given, too.
long=$(awk 'BEGIN { for (i = 0; i < 8180; i++) printf "0" }')
while IFS= read -r bytes; do
	printf '1 2\n2 3\n3 4\n4 5\n%b' "$bytes" >odd
	both odd
	both "-C 2 -A odd"
	both "-d , -A odd"
	both "-d ' ,' -C 2 odd"
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
while IFS= read -r words; do
	both "$words"
done <<-'EOF'
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
			for who in theirs ours; do
				compat=
				[ $who = ours ] && compat=--compat=2015
				echo "stty cols $width rows 24; export COLUMNS='$columns'
					PATH=$dir/$who:\$PATH; ministat $compat four five" >../tty.sh
				script -qec "sh ../tty.sh" /dev/null </dev/null >../out.$who 2>&1
				echo "$?" >>../out.$who
			done
			theirs=0 ours=0
			: >../err.theirs
			: >../err.ours
			verdict "on a terminal of $width columns, COLUMNS='$columns'"
		done
	done
fi

echo "$died inputs kill the original and not ours"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
