#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every kind of bad input: exit code 2 (3 for usage), a message that names the place and
# what was expected, and no result file.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
run() { code=$1 pattern=$2; shift 2; expect "$code" "$pattern" "$SCHEDLAB" "$@"; }
ok="-t up -p ule -w hogs --until 1s"

# Usage.
run 3 'Usage: schedlab VERB'
run 3 'unknown verb "runn" \(did you mean "run"\?\)' runn
run 3 'unknown option "--verison" ?.*' --verison
run 3 'Unknown option --sed \(did you mean "--seed"\?\)' run --sed 1
run 3 'Missing argument for -t' run -t
run 3 '-t TOPO is missing' run -p ule -w hogs
run 3 '-p POLICY is missing' run -t up -w hogs
run 3 '-w WORKLOAD is missing' run -t up -p ule
run 3 'unexpected argument "more"' run $ok more
run 2 'one -p POLICY is expected' run $ok -p 4bsd
run 3 'at most 7 policies' compare $ok -p ule -p ule -p ule -p ule -p ule -p ule -p ule
run 3 'expected one of' list
run 3 '--why-waited THREAD@TIME is missing' explain $ok
run 3 'a workload to check is missing' lint
run 3 'one TRACE is expected' import

# Names.
run 2 'unknown policy "ulle" \(did you mean "ule"\?\)' run -t up -p ulle -w hogs
run 2 'no era "2018" \(did you mean "2017"\?\)' run -t up -p ule@2018 -w hogs
run 2 'no tunable "kern.sched.slise" \(did you mean "kern.sched.slice"\?\)' \
	run -t up -p ule:kern.sched.slise=3 -w hogs
run 2 'nothing is called "polices" \(did you mean "policies"\?\)' list polices
run 2 'nothing of kind "polcy" \(did you mean "policy"\?\)' show polcy ule
run 2 'unknown metric "rael" \(did you mean "real"\?\)' compare $ok --metric rael
run 2 'did you mean "switches"' run $ok --log swiches=log
run 2 'did you mean .e5-2420.' run -t e5-2421 -p ule -w hogs
run 2 'did you mean "hogs"' run -t up -p ule -w hogz
run 2 'did you mean' run -t up -p ule -w hogs:nn=3 --until 1s
run 2 'no thread "hogg" was seen' explain $ok --why-waited hogg@1ms

# Values.
run 2 '"60": no unit; expected a duration with a unit' run -t up -p ule -w hogs --until 60
run 2 '"1 s": unknown unit' run -t up -p ule -w hogs --until '1 s'
run 2 'expected more than 0' run -t up -p ule -w hogs --until 0s
run 2 'too long' run -t up -p ule -w hogs --until 99999999999999999999h
run 2 'kern.sched.slice=0: expected a whole number from 1 to [0-9]* stat ticks' \
	run -t up -p ule:kern.sched.slice=0 -w hogs
run 2 'kern.sched.slice=6x: expected' run -t up -p ule:kern.sched.slice=6x -w hogs
run 2 'kern.sched.quantum=1ns: expected' run -t up -p ule:kern.sched.quantum=1ns -w hogs
run 2 'expected tunable=value' run -t up -p ule:kern.sched.slice -w hogs
run 2 'read-only' run -t up -p ule:kern.sched.preemption=1 -w hogs
run 2 'kern.hz=0: expected a whole number from 10' run -t up -p ule:kern.hz=0 -w hogs
run 2 '--seed "-1": expected a whole number' run $ok --seed -1
run 2 '--seed "18446744073709551616"' run $ok --seed 18446744073709551616
run 2 'cpuset:1:1: no CPU 4' run $ok --cpuset 4
run 2 'cpuset:1:' run -t 1x4x1 -p ule -w hogs --cpuset 3-1
run 2 'leaves 2 runs' compare $ok -n 3
run 2 '-j "0"' compare $ok -j 0
run 2 '--threshold "x"' compare $ok --threshold x
run 2 'expected THREAD@TIME' explain $ok --why-waited hog
run 2 'no unit' explain $ok --why-waited hog@5
run 2 'thread=NAME or cpu=N' run $ok --explain hog
run 2 'thread=hogg: no such thread was seen' run $ok --explain thread=hogg
run 2 '--log switches: expected switches=FILE' run $ok --log switches

# Machines.
run 2 '^schedlab run: .*1:4: ' run -t 1x2 -p ule -w hogs
run 2 'nosuch' run $ok --costs nosuch
run 2 ':1:' run -t 0x1x1 -p ule -w hogs
run 2 ':1:' run -t 9999x9999x2 -p ule -w hogs
printf '<groups>\n <group level="1" cache-level="x">\n</groups>\n' >bad.xml
run 2 'bad\.xml:[0-9]+:[0-9]+: ' run -t bad.xml -p ule -w hogs
printf '[topology]\nname=x\ncoers=4\n' >bad.topo
run 2 'bad\.topo:[0-9]+:[0-9]+: ' run -t bad.topo -p ule -w hogs
# Hostile ones: always a place and at once, whatever the size.
for spec in 0x1x1 1x0x1 1x1x0 8193x1x1 65536x65536x65536 99999999999999999999x1x1 flat:0 flat:8193 \
	'core:2 pkg:2' 'pu:0' 1x1x1x1; do
	run 2 '^schedlab run: topology:1:[0-9]+: .*expected' run -t "$spec" -p ule -w hogs
done
root='<group level="1" cache-level="0"><cpu count="2" mask="3">0, 1</cpu>'
leaf() { echo "<group level=\"$1\" cache-level=\"2\"><cpu>$2</cpu></group>"; }
echo "<groups>$root<children>$(leaf 2 0)$(leaf 2 '0, 1')</children></group></groups>" >overlap.xml
echo "<groups>$root<children>$(leaf 2 2)</children></group></groups>" >outside.xml
echo "<groups>$root<children>$(leaf 3 0)</children></group></groups>" >nesting.xml
echo "<groups>$root</group>$root</group></groups>" >roots.xml
printf '<groups>%s\377</group></groups>\n' "$root" >latin.xml
{
	printf '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">\n'
	printf '<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<topology>&b;</topology>\n'
} >bomb.xml
awk 'BEGIN { printf "<groups>"
	for (i = 1; i <= 200000; i++)
		printf "<group level=\"%d\" cache-level=\"0\"><cpu>0</cpu><children>\n", i }' >deep.xml
awk 'BEGIN { printf "<groups>\n<group level=\"1\" cache-level=\"0\"><cpu count=\"1000000\">0"
	for (i = 1; i < 1000000; i++) printf ", %d", i
	print "</cpu></group></groups>" }' >million.xml
for file in overlap outside nesting roots latin bomb deep million; do
	run 2 "^schedlab run: $file.xml:[0-9]+:[0-9]+: .*" run -t $file.xml -p ule -w hogs
done

# Workloads.
run 2 'nosuch.json' run -t up -p ule -w nosuch.json
printf '{\n  "tasks": { "a": { "run": } }\n}\n' >bad.json
run 2 'bad\.json:2:[0-9]+: ' run -t up -p ule -w bad.json
run 2 'bad\.json:2:[0-9]+: ' lint bad.json
printf '{ "tasks": { "a": { "run": "5 parsecs" } } }\n' >odd.json
run 2 'odd\.json:1:[0-9]+: ' run -t up -p ule -w odd.json
printf '\000\001\002' >binary.json
run 2 'binary\.json' run -t up -p ule -w binary.json
: >empty.json
run 2 'empty\.json' run -t up -p ule -w empty.json
printf '{ "tasks": { "a": { "loop": -1, "run": 1000, "sleep": 1000 } } }\n' >endless.json
run 4 'nothing bounds this run' run -t up -p ule -w endless.json
run 0 '' run -t up -p ule -w endless.json --until 10ms
mkdir folder
run 2 'folder' run -t up -p ule -w folder
run 2 'folder' run -t folder -p ule -w hogs
run 2 'nosuch.perf' import nosuch.perf
head -c 20000 /dev/zero >zeros
run 2 'zeros' import zeros

# Results that cannot be written.
run 2 'nowhere/log: cannot be written' run $ok --log switches=nowhere/log
run 2 '/dev/full: cannot be written' run $ok --log switches=/dev/full
expect 2 'standard output: ' sh -c '"$0" list policies >/dev/full' "$SCHEDLAB"
[ ! -e log ] && pass || fail "a log exists although its run failed"
for left in *.partial*; do
	[ ! -e "$left" ] || fail "left behind: $left"
done
finish
