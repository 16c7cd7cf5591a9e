#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Whatever is printed, a full device or a closed standard output is an error that is told.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
[ -c /dev/full ] && full=yes || full=no

# lost CODE ARGUMENT...: exits with CODE when its output is lost, after saying why.
lost() {
	wanted=$1
	shift
	for how in full closed; do
		code=0
		if [ $how = closed ]; then
			"$SCHEDLAB" "$@" >&- 2>stderr </dev/null || code=$?
		elif [ $full = yes ]; then
			"$SCHEDLAB" "$@" >/dev/full 2>stderr </dev/null || code=$?
		else
			continue
		fi
		[ $code = "$wanted" ] && grep -Eq 'standard output|Cannot write|export' stderr && pass ||
			fail "exit code $code for a lost output ($how): $* ($(head -n 1 stderr))"
	done
}
sim="-t up -p ule -w hogs --until 10ms"
"$SCHEDLAB" --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p' | grep -v ministat >verbs
"$SCHEDLAB" sweep --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/sweep \1/p' >>verbs
lost 2 --help
lost 2 --version
while read -r verb; do
	lost 2 $verb --help
done <verbs
seq 9 >column
lost 1 ministat --help
lost 1 ministat column
lost 1 ministat --json column
for what in policies topologies workloads tunables metrics costs; do
	lost 2 list $what
done
lost 2 show policy ule
lost 2 show topology e5-2420
lost 2 show workload hogs
for form in '' --json '--log switches=-' '--trace ftrace=-' --explain; do
	lost 2 run $sim $form
done
for form in '' --json '--csv -p 4bsd' --tests; do
	lost 2 compare $sim -n 4 $form
done
lost 2 timehist $sim
lost 2 latency $sim
lost 2 map $sim
lost 2 explain $sim --why-waited hog-1@5ms
for format in ftrace perf ktr chrome perfetto; do
	lost 2 export $format $sim
done
"$SCHEDLAB" export ftrace -t up -p ule -w hackbench --until 10ms >trace
lost 2 import trace
lost 2 import trace -o -

# Without standard output no file that is opened may become it.
code=0
"$SCHEDLAB" run $sim --log switches=log >&- 2>stderr || code=$?
[ $code = 2 ] && ! grep -q digest log && [ "$(head -c 4 log)" = t_ns ] && pass ||
	fail "a log that became standard output"
# Without standard error nothing else goes there either.
code=0
"$SCHEDLAB" run $sim --log switches=log2 >stdout 2>&- || code=$?
[ $code = 0 ] && cmp log log2 && grep -q digest stdout && pass || fail "without standard error: $code"

# What messages quote is shortened and printable: a number, a name, an option, a verb, a file.
long=$(printf '%01000d' 0 | tr 0 7)
printf '{ "tasks": { "a": { "run": %s } } }' "$long$long$long" >number.json
printf '{ "tasks": { "a": { "run": 5, "policy": "SCHED_%s" } } }' "$long" >name.json
printf '{ "tasks": { "a": { "run": 10, "\033[2J%s": "x" } } }' "$long" >escape.json
printf '[topology]\nname=x\n%s=4\ncores=%s\n' "$long" "$long" >long.topo
check() {
	code=0
	"$SCHEDLAB" "$@" >stdout 2>stderr </dev/null || code=$?
	cat stdout >>stderr
	[ $code -ge 2 ] && [ $code -le 4 ] && [ "$(wc -c <stderr)" -gt 30 ] &&
		[ "$(wc -c <stderr)" -lt 1500 ] && ! grep -q "$(printf '\033')" stderr &&
		pass || fail "message of $(wc -c <stderr) bytes, code $code: $(head -c 300 stderr)"
}
for file in number name; do
	check run -t up -p ule -w $file.json
	check lint $file.json
done
check lint escape.json
check run -t long.topo -p ule -w hogs
check run -t "1x${long}x1" -p ule -w hogs
check run -t up -p "$long" -w hogs
check run -t up -p "ule@$long" -w hogs
check run -t up -p "ule:$long=1" -w hogs
check run -t up -p "ule:kern.sched.slice=$long" -w hogs
check run -t up -p ule -w "$long"
check run -t up -p ule -w "hogs:n=$long"
check run -t up -p ule -w "hogs:$long=1"
check run $sim --seed "$long"
check run $sim --cpuset "$long"
check run $sim --costs "$long"
check run $sim --log "$long=x"
check run $sim --trace "$long=x"
check run $sim --check-fatal "$long"
check run $sim "$long"
check run "--$long"
check "$long"
check list "$long"
check show "$long" x
check show policy "$long"
check import "$long"
check compare $sim --metric "$long"
check compare $sim -n "$long"
check explain $sim --why-waited "$long@1ms"
finish
