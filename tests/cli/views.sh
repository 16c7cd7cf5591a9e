#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# timehist, latency and map: their layouts, and that their figures agree with run's.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
common="-t up -p 4bsd -w hogs:n=2 --until 3s --costs none"

expect 0 '' "$SCHEDLAB" timehist $common
says '^ +time +cpu +task name +wait time +sch delay +run time$'
says '^ +0\.[0-9]{6} \[0000\]  hog-0\[0\] +0\.000 +0\.000 +[0-9]+\.[0-9]{3}$'
turns=$(grep -c ' \[0000\] ' stdout)
expect 0 '' "$SCHEDLAB" timehist $common --from 1s --to 2s
[ "$(grep -c ' \[0000\] ' stdout)" -lt "$turns" ] && pass || fail "--from and --to change nothing"
grep ' \[0000\] ' stdout | awk '$1 < 1 || $1 > 2 { bad = 1 } END { exit bad }' && pass ||
	fail "a line outside --from and --to"

# All time is somebody's: 3 s between the two.
expect 0 '' "$SCHEDLAB" timehist $common --summary
says '^ +comm  parent   sched-in     run-time    min-run     avg-run     max-run  stddev  migrations$'
says '^ +hog-0\[0\] +-1 +[0-9]+ '
awk '$1 ~ /^hog-/ { sum += $4 } END { exit !(sum > 2999.99 && sum < 3000.01) }' stdout && pass ||
	fail "run times do not add up: $(cat stdout)"

expect 0 '' "$SCHEDLAB" latency $common
says '^  hog:\(2\) +\| +3000\.000 ms \|'
expect 0 '' "$SCHEDLAB" latency $common --from 1s --to 2s
says '^  hog:\(2\) +\| +1000\.000 ms \|'
says 'avg: +[0-9.]+ ms \| max: +[0-9.]+ ms \| max start: +[0-9.]+ s \| max end: +[0-9.]+ s$'

expect 0 '' "$SCHEDLAB" map -t 1x2x1 -p ule -w hogs:n=3 --until 1s
says '^\*A0  \.   0\.000000 secs A0 => hog-0:0$'
says '^ A0 \*B0  '
"$SCHEDLAB" run -t 1x2x1 -p ule -w hogs:n=3 --until 1s --log switches=sw >/dev/null
[ "$(wc -l <stdout)" -eq "$(($(wc -l <sw) - 1))" ] && pass || fail "map and the switch log disagree"

expect 2 'one -p POLICY is expected' "$SCHEDLAB" map $common -p ule
expect 3 'Unknown option --summary' "$SCHEDLAB" map $common --summary
expect 2 'no unit' "$SCHEDLAB" map $common --from 3

# A stretch that holds nothing of the run is refused, not shown as nothing.
for verb in timehist latency map 'export ftrace'; do
	expect 2 'from 5s: expected a time up to --to 1s' "$SCHEDLAB" $verb $common --from 5s --to 1s
	expect 2 'from 10s: the run ended at 3000.000000 ms; expected a time up to that' \
		"$SCHEDLAB" $verb $common --from 10s
done
expect 0 '' "$SCHEDLAB" export ftrace $common --to 0s
[ "$(grep -c sched_ stdout)" -lt 10 ] && pass || fail "--to 0s exports all"
finish
