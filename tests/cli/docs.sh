#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the documents show is so: every command in a block of README.md and docs/*.md and in an example
# of a manual page works, and a block that shows a command with its output shows this output.
# SL_LONG=no leaves out what takes more than some seconds.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
mkdir bin
ln -s "$SCHEDLAB" bin/schedlab
printf '#!/bin/sh\nexec cat\n' >bin/less
chmod +x bin/less
PATH=$scratch/bin:$PATH
export PATH

# What readers are told to have: a build folder, the sources, a recorded trace, columns of numbers.
ln -s "$SL_BINARY_DIR" build
for folder in docs tests traces; do
	ln -s "$SL_SOURCE_DIR/$folder" $folder
done
schedlab export perf -t 1x4x1 -p ule -w hackbench:groups=1,loops=2 -o make.txt
schedlab import make.txt -o build.slr >/dev/null
cp make.txt afternoon.perf
printf '50\n200\n150\n400\n750\n400\n150\n' >iguana
printf '150\n400\n720\n500\n930\n' >chameleon
long='buildworld(:jobs|[^:]*$)'

# Blocks "$ command", then its output: one file each, the command in its first line.
awk '/^```/ { inside = !inside; name = ""; next }
	inside && sub(/^\$ /, "") { name = "block-" ++n }
	name { print > name }' "$SL_SOURCE_DIR"/README.md "$SL_SOURCE_DIR"/docs/*.md
blocks=0
: >shown
for block in block-*; do
	command=$(head -n 1 $block)
	case $command in schedlab\ *) ;; *) continue ;; esac
	blocks=$((blocks + 1))
	echo "$command" >>shown
	[ "${SL_LONG:-yes}" = no ] && echo "$command" | grep -Eq "$long" && continue
	sed 1d $block >wanted
	sh -c "$command" >got 2>/dev/null </dev/null || fail "exit code $? of a command with output: $command"
	# Nothing else may be shortened or left out: README's numbers are the program's.
	diff wanted got >difference && pass || { fail "another output: $command" && head -n 20 difference >&2; }
done
[ $blocks -ge 2 ] && pass || fail "only $blocks blocks with output"

# All other commands of the program. Left out: what records this machine or reads what only
# another system writes, and the sweeps, which tests/cli/sweep*.sh run.
{
	for page in README.md docs/tutorial.md docs/model.md docs/policies.md docs/workloads.md \
		docs/statistics.md docs/recording.md; do
		awk '/^```/ { inside = !inside; next } inside' "$SL_SOURCE_DIR/$page"
	done
	sed -n 's/^\.Dl //p' "$SL_SOURCE_DIR"/docs/*.1
} | grep -E '^(schedlab|cp -r|make -C) ' | grep -Ev 'schedlab (record|sweep)|trace\.dat|import --all|-t host' |
	grep -Fvx -f shown | sort -u >commands
# README changes into the template's folder, whose build folder is then the one above.
sed -i.bak 's/^cp -r docs.policy-template mypol$/rm -rf mypol; &/; s|-p mypol/mypol.so|-p ./mypol/mypol.so|' commands
n=0
run_command() {
	n=$((n + 1))
	[ "${SL_LONG:-yes}" = no ] && echo "$1" | grep -Eq "$long" && return
	code=0
	sh -c "$1" >stdout 2>said </dev/null || code=$?
	case $code,$1 in
	0,* | 1,*--threshold* | 4,*--check-fatal*) pass ;;
	*) fail "exit code $code: $1" && head -n 5 said >&2 ;;
	esac
}
grep -E '^(rm|cp)' commands >first || :
grep -E '^make' commands >>first || :
while read -r command; do
	run_command "$command"
done <first
while read -r command; do
	case $command in
	*' ./mypol.so '*) run_command "cd mypol && $command" ;;
	schedlab*) run_command "$command" ;;
	esac
done <commands
[ $n -ge 25 ] && pass || fail "only $n commands in the documents"
finish
