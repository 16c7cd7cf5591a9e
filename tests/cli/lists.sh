#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Everything that is listed can be shown and used.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
each() { "$SCHEDLAB" list "$1" | sed -n 's/^\([^ ][^ ]*\)  *.*/\1/p'; }

for policy in $(each policies); do
	expect 0 '' "$SCHEDLAB" show policy "$policy"
	says '^  kern\.hz '
	expect 0 '' "$SCHEDLAB" run -t 1x2x2 -p "$policy" -w hogs --until 500ms --check
done
for topology in $(each topologies); do
	expect 0 '' "$SCHEDLAB" show topology "$topology"
	expect 0 '' "$SCHEDLAB" run -t "$topology" -p ule -w hogs --until 100ms --check
done
for workload in $(each workloads); do
	expect 0 '' "$SCHEDLAB" show workload "$workload"
	expect 0 '' "$SCHEDLAB" run -t 1x4x1 -p ule -w "$workload" --until 1s --check
done
expect 0 "" "$SCHEDLAB" lint hogs
for metric in $(each metrics); do
	expect 0 '' "$SCHEDLAB" compare -t up -p ule -w hogs -n 4 --until 100ms --metric "$metric"
done
for tunable in kern.sched.slice kern.sched.interact kern.sched.preempt_thresh kern.sched.steal_idle; do
	"$SCHEDLAB" list tunables >tunables
	grep -q "^ule  *$tunable " tunables && pass || fail "no $tunable in list tunables"
done
expect 0 '' "$SCHEDLAB" list costs
says '^ *none'
expect 0 '' "$SCHEDLAB" show policy ule@12
says '^  steal  .* keeps the last seen$'
says '^  balancer .*alive, .*\(2017: never armed'
expect 0 '' "$SCHEDLAB" show policy 4bsd@7.3
says '^  quantum .*last switch    \(2017: a slice per thread\)$'
expect 0 '' "$SCHEDLAB" show policy ule@12
says '^era 12: '
says '^tunables that differ from @2017$'
expect 0 '' "$SCHEDLAB" show topology 1x2x2 --xml
says '<groups>'
finish
