#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An option with a value that is given twice is refused by name, in every spelling, unless its
# page says that it may be repeated.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
run() { code=$1 pattern=$2; shift 2; expect "$code" "$pattern" "$SCHEDLAB" "$@"; }

run 2 '-t, --topology is given twice; expected one TOPO' run -t up -t up -p ule -w hogs
run 2 '-t, --topology is given twice' run -tup -p ule --topology=1x2x1 -w hogs
run 2 '-t, --topology is given twice' run --topology up --topology up
run 2 '--seed is given twice; expected one N' compare --seed=1 --seed 2
run 2 '-j, --jobs is given twice' compare -j2 -j 2
run 2 '-o, --output is given twice' import -o a -o b trace
run 2 '-o, --output is given twice' sweep run -o a -oa x.sweep
run 2 'one -p POLICY is expected' run -t up -p ule -p 4bsd -w hogs
run 2 'one -p POLICY is expected' latency -t up -p ule -p 4bsd -w hogs
# A value that looks like an option is a value; after -- nothing is an option.
run 2 'unknown metric "--metric"' compare -t up -p ule -w hogs --metric --metric
run 2 '^schedlab record: ' record -o a -- nosuchprogram -o b -o c
# Flags say nothing new the second time.
run 0 '' run -t up -p ule -w hogs --until 1ms --json --json --check --check

# Inside of a value.
ok="run -t up -w hogs --until 1ms"
run 2 'kern.sched.slice is given twice' $ok -p ule:kern.sched.slice=3,kern.sched.slice=4
run 2 'kern.hz is given twice' $ok -p ule:kern.hz=100,kern.sched.slice=4,kern.hz=100
run 2 'hogs: parameter "n" is given twice' run -t up -p ule -w hogs:n=2,chunk=1ms,n=4 --until 1s
run 2 '--check-fatal hogs=5,hogs=50: hogs is given twice' $ok -p ule --check-fatal hogs=5,hogs=50
run 2 '--explain thread= is given twice' $ok -p ule --explain thread=hog-0 thread=hog-1
run 2 '--explain cpu= is given twice' $ok -p ule --explain cpu=0 cpu=0
run 0 '' $ok -p ule --explain cpu=0 thread=hog-0
"$SCHEDLAB" export ftrace -t up -p ule -w hackbench:loops=1 --until 10ms >t.trace
run 2 'from is given twice' run -t up -p ule -w t.trace:from=1ms,from=2ms
run 2 'all is given twice' run -t up -p ule -w t.trace:all=1,all=0

# The verbs of schedlab.1 and of sweep; options as "  -x, --name=VALUE".
"$SCHEDLAB" --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p' | grep -Ev '^(sweep|ministat)$' >verbs
"$SCHEDLAB" sweep --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/sweep \1/p' >>verbs
seen=0
while read -r verb; do
	page=$SL_SOURCE_DIR/docs/schedlab-${verb%% *}.1
	"$SCHEDLAB" $verb --help >help
	for option in $(sed -n 's/^  *\(-., \)*\(--[a-z-]*\)=.*/\2/p' help); do
		seen=$((seen + 1))
		case $verb,$option in
		compare,--policy | sweep*) ;;
		*,--policy) continue ;; # "one -p POLICY is expected", above
		esac
		# From the option's item to the next one.
		name=$(printf '%s' "${option#--}" | sed 's/-/\\\\*-/g')
		if sed -n "/^\.It Fl.*-$name\b/,/^\.It/p" "$page" | grep -q 'several times'; then
			"$SCHEDLAB" $verb $option x $option x >stdout 2>stderr </dev/null || :
			grep -q 'given twice' stderr && fail "$verb $option is refused twice" || pass
		else
			run 2 "$option is given twice; expected one" $verb $option x $option x
		fi
	done
done <verbs
[ $seen -ge 60 ] && pass || fail "only $seen options with values in --help"
finish
