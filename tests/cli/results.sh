#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What run, compare and explain print, and how interruptions and faults end.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"

# Two hogs on one ideal CPU share it, and time is conserved.
expect 0 '' "$SCHEDLAB" run -t up -p 4bsd -w hogs:n=2 --until 10s --costs none --log switches=sw.csv
says '^real +10\.000000 s$'
says '^user +10\.000000 s$'
says '^tunables in force$'
says '^digest +[0-9a-f]{16}$'
says '^command +schedlab run -t up'
[ "$(head -n 1 sw.csv)" = t_ns,cpu,prev,next,next_pri ] && pass || fail "header of the switch log"
sed -n 2p sw.csv | grep -q '^0,0,idle,hog-0,' && pass || fail "first switch: $(sed -n 2p sw.csv)"
awk -F, 'NR > 2 && $3 != last { bad = 1 } { last = $4 } END { exit bad }' sw.csv && pass ||
	fail "the switch log is not a chain"

expect 0 '' "$SCHEDLAB" run -t up -p 4bsd -w hogs:n=2 --until 3s --log samples=s.csv
[ "$(head -n 1 s.csv)" = t_s,ldavg0,nrun,thread,estcpu,user_pri,pri,slptime ] && pass ||
	fail "header of the samples"
[ "$(sed 1d s.csv | cut -d, -f1,4 | tr '\n' ' ')" = "1,hog-0 1,hog-1 2,hog-0 2,hog-1 " ] && pass ||
	fail "samples: $(cat s.csv)"

# The same figures as JSON.
expect 0 '' "$SCHEDLAB" run -t up -p 4bsd -w hogs:n=2 --until 10s --costs none --json
says '"schema" : "schedlab-run/1"'
says '"partial" : false'
says '"user" : 10\.0'

# A log to stdout, joined options, options in any order. The report makes way.
for out in - /dev/stdout; do
	expect 0 '^digest +[0-9a-f]{16}' "$SCHEDLAB" run -wlate -pule -t1x2x1 --until 100ms \
		--log switches=$out
	says '^t_ns,cpu,prev,next,next_pri$'
	grep -Evq '^([0-9]+,[0-9]+,[^,]+,[^,]+,[0-9]+|t_ns.*)$' stdout &&
		fail "more than a log on stdout" || pass
	for other in --json --explain '--log samples=-' '--trace ftrace=-' '--log samples=/dev/stdout'; do
		expect 2 'standard output: named twice, by .* and by .*; expected a file of its own' \
			"$SCHEDLAB" run -w late -p ule -t up --until 100ms --log switches=$out $other
	done
done
expect 2 'standard output: named twice, by --json and by --explain' \
	"$SCHEDLAB" run -w late -p ule -t up --until 100ms --json --explain
expect 0 '' "$SCHEDLAB" run -w late -p ule -t up --until 100ms --json --log switches=/dev/null \
	--log samples=/dev/null
# One file by two names; the report that is redirected there is a second writer as well.
mkdir place && ln -s place road
expect 2 'road/a: named twice, by --log switches=place/a and by --log samples=road/a; expected' \
	"$SCHEDLAB" run -w late -p ule -t up --until 100ms --log switches=place/a --log samples=road/a
[ ! -e place/a ] && pass || fail "a refused log was written"
# A link stays a link, and its file is written.
: >place/real; ln -s place/real link
expect 0 '' "$SCHEDLAB" run -w late -p ule -t up --until 100ms --log switches=link
[ -h link ] && grep -q '^t_ns' place/real && pass || fail "a log through a link"
expect 0 '' "$SCHEDLAB" run -w late -p ule -t up --until 200ms --trace ftrace=link
[ -h link ] && ! grep -q '^t_ns' place/real && pass || fail "a trace through a link"
: >both
code=0
"$SCHEDLAB" run -w late -p ule -t up --until 100ms --json --log switches=both >both 2>stderr || code=$?
[ $code = 2 ] && grep -q 'named twice' stderr && pass || fail "a log in the redirected report: $code"

# Explain.
expect 0 '' "$SCHEDLAB" run -t up -p ule -w hogs:n=2 --until 200ms --explain thread=hog-1 --to 50ms
says 'hog-1: starts'
says 'priority'
expect 0 '' "$SCHEDLAB" explain -t up -p 4bsd -w hogs:n=2 --until 2s --costs none \
	--why-waited hog-1@3ms
says '^hog-1 was runnable and waited from 0\.000000 ms'
says 'CPU 0 +hog-0'
says '^The wait ended on CPU 0, which ran hog-0 until then\.$'

# A thread that sleeps is told of with what it waits for, and who holds it.
cat >held.json <<'EOF'
{ "tasks": { "holder": { "loop": 1, "lock": "m", "run": 300000, "unlock": "m" },
	"wanter": { "loop": 1, "run": 1000, "lock": "m", "run1": 20000, "unlock": "m" } } }
EOF
held() { "$SCHEDLAB" explain -t flat:2 -p ule -w held.json --costs none "$@"; }
expect 0 '' held --why-waited wanter@100ms
says '^wanter-1 did not wait at 100\.000000 ms: it slept since 1\.000000 ms$'
says '^It waits for mutex "m" held by holder-0\.$'
expect 0 '' held --why-waited wanter@310ms
says '^wanter-1 did not wait at 310\.000000 ms: it ran on CPU 1 since'
expect 0 '' held --why-waited wanter@1h
says 'it had exited at 320\.000000 ms$'
# Questions without an answer.
expect 2 'no thread "nobody" was seen' held --why-waited nobody@1ms
hogs() { "$SCHEDLAB" explain -t up -p 4bsd -w hogs:n=2 --until 2s "$@"; }
expect 2 'the run ended at 2000\.000000 ms' hogs --why-waited hog-1@3s
expect 0 '' hogs --why-waited hog-1@2s
narrate() { "$SCHEDLAB" run -t flat:4 -p 4bsd -w hogs:n=2 --until 1s "$@"; }
expect 2 'cpu=7: expected one of the machine.s CPUs, 0 to 3' narrate --explain cpu=7
expect 2 'from 5ms: expected a time up to --to 2ms' narrate --explain --from 5ms --to 2ms
expect 3 'from and --to narrow --explain or --trace' narrate --from 5ms
# Interrupted.
"$SCHEDLAB" explain -t 4x8x2 -p ule -w hogs:n=300 --until 100000s --why-waited hog-1@90000s \
	>/dev/null 2>stderr &
sleep 1
kill -TERM $!
got=0
wait $! || got=$?
[ $got = 130 ] && grep -q 'interrupted before' stderr && pass ||
	fail "explain when interrupted: $got, $(cat stderr)"
expect 0 '' "$SCHEDLAB" explain -t up -p 4bsd -w hogs:n=2 --until 2s --costs none \
	--why-waited hog-0@3ms
says '^hog-0 did not wait at 3\.000000 ms: it ran on CPU 0'

# A workload longer than rt-app reads from the standard input (4096 bytes), and a program fault.
printf '{ /* %6000s */ "tasks": { "a": { "loop": 1, "run": 7000 } } }' ' ' >long.json
"$SCHEDLAB" run -t up -p 4bsd -w - --costs none <long.json >stdout
says '^user +0\.007000 s'
cat >fault.json <<'E'
{ "tasks": { "w": { "loop": 2, "run": 10, "unlock": "m" } } }
E
expect 4 'program fault at [0-9]+ ns: w-0 unlocks, without holding it, mutex "m" .*task w' \
	"$SCHEDLAB" run -t up -p 4bsd -w fault.json
says '^end +program fault'
expect 2 '' "$SCHEDLAB" lint fault.json
says '^fault\.json:1:43: warning: unlock "m": unlocked, but the task does not hold it'

# Times of each run, as time(1) prints them; the first run is discarded.
expect 0 '' "$SCHEDLAB" compare -t 1x2x1 -p ule -p 4bsd -w hogs:n=2 --costs none -n 4 --until 1s --times
says '^ +1\.00 real +2\.00 user +0\.00 sys$'
[ "$(grep -c ' real .* user .* sys$' stdout)" = 6 ] && pass || fail "--times prints $(cat stdout)"
says '^# times of 4bsd$'
expect 2 '--times prints a text' "$SCHEDLAB" compare -t 1x2x1 -p ule -w hogs --times --json

# Comparisons: equal policies never differ; thresholds decide on the exit code.
expect 0 '' "$SCHEDLAB" compare -t up -p ule -p ule -w hogs:n=2 -n 5 --until 1s --threshold 1
says '^x ule$'
says '^\+ ule$'
says 'No difference proven'
expect 1 '' "$SCHEDLAB" compare -t up -p 4bsd -p 4bsd:kern.sched.quantum=20ms -w hogs:n=2 -n 5 \
	--until 2s --metric switches --threshold 50%
says 'Difference at 95.0% confidence'
expect 0 '' "$SCHEDLAB" compare -t up -p 4bsd -p 4bsd:kern.sched.quantum=20ms -w hogs:n=2 -n 5 \
	--until 2s --metric switches --threshold 100000

expect 0 '' "$SCHEDLAB" compare -t 1x2x1 -p ule -p 4bsd -w hackbench -n 6 --until 100ms \
	--metric switches --tests --plot plot.gp
says '^4bsd against ule$'
# 2 policies: values, latencies, waiting threads over time, migrations.
[ "$(grep -c '^# .*: ' plot.dat)" = 8 ] && pass || fail "plot: $(grep '^#' plot.dat)"
expect 2 'expected a name that ends with .svg' "$SCHEDLAB" compare -t up -p ule -w hogs -n 4 --plot x.jpg
expect 0 'gnuplot is not installed' env PATH=/nowhere "$SCHEDLAB" compare -t 1x2x1 -p ule -p 4bsd \
	-w hackbench -n 4 --until 100ms --metric switches --plot without.svg
[ -s without.gp ] && [ -s without.dat ] && [ ! -e without.svg ] && pass || fail "without gnuplot: $(ls)"
if has gnuplot; then
	for format in svg png txt; do
		expect 0 '' "$SCHEDLAB" compare -t 1x2x1 -p ule -p 4bsd -w hackbench -n 4 \
			--until 100ms --metric switches --plot pic.$format
		[ -s pic.$format ] && pass || fail "no pic.$format: $(ls)"
	done
	# One CPU, equal values, and a run as short as one bin: still a picture, and no word from gnuplot.
	for until in 1s 1us; do
		expect 0 '' "$SCHEDLAB" compare -t up -p ule -p 4bsd -w hogs:n=2 -n 4 --until $until \
			--metric switches --plot still.svg
		: >err
		[ -s still.svg ] && gnuplot still.gp 2>err && [ ! -s err ] && pass ||
			fail "a picture of $until: $(cat err)"
	done
fi
expect 0 '' "$SCHEDLAB" compare -t 1x2x1 -p ule -p 4bsd -w hackbench -n 6 --until 100ms \
	--metric switches --json
says '"schema": "schedlab-compare/1"'
expect 0 'max-runs 8 is reached' "$SCHEDLAB" compare -t 1x2x1 -p ule -w sleepers -n 4 --until 1s \
	--metric switches --until-ci 0.0001% --max-runs 8
says '8 runs, first 1 discarded'

# A deadlock: who waits for what, exit code 4, in a comparison too.
cat >dead.json <<'J'
{ "tasks": {
    "a": { "lock0": "m1", "run0": 1000, "lock1": "m2", "unlock1": "m2", "unlock0": "m1" },
    "b": { "lock0": "m2", "run0": 1000, "lock1": "m1", "unlock1": "m1", "unlock0": "m2" } } }
J
expect 4 'deadlock.*(m1|m2)' "$SCHEDLAB" run -t 1x2x1 -p ule -w dead.json
expect 4 'run 1 \(seed 1\): deadlock' "$SCHEDLAB" compare -t 1x2x1 -p ule -p 4bsd -w dead.json -n 4

# Interrupted: 130, marked, the log under another name.
"$SCHEDLAB" run -t 4x8x2 -p ule -w hogs:n=100 --until 10000h --log switches=big.csv >out 2>err &
pid=$!
sleep 1
kill -INT $pid
got=0
wait $pid || got=$?
[ $got = 130 ] && pass || fail "interrupted run: exit code $got"
grep -q PARTIAL out && pass || fail "an interrupted report is not marked"
[ ! -e big.csv ] && [ -s big.csv.partial ] && pass || fail "log of an interrupted run: $(ls)"

# Called ministat, it is ministat.
ln -s "$SCHEDLAB" ministat
printf '1\n2\n3\n4\n' >numbers
expect 0 '' ./ministat numbers
says '^x   4             1             4           2.5           2.5     1.2909944$'
finish
