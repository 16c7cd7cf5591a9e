#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run --check reports what a policy does badly by design; --check-fatal makes faults of it.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"

cat >two-and-two.json <<'EOF'
{ "tasks": {
	"long-a": { "loop": 1, "run": 300000 }, "short-a": { "loop": 1, "run": 20000 },
	"long-b": { "loop": 1, "run": 300000 }, "short-b": { "loop": 1, "run": 20000 } } }
EOF
run() { "$SCHEDLAB" run -t flat:2 -w two-and-two.json --costs none "$@"; }

# ule@2017's balancer is dead. Without stealing, too, nothing brings a thread to a CPU that
# has run dry: no fault as such, one when asked, with both events of the longest wait.
dead=ule@2017:kern.sched.steal_idle=0
expect 0 '' run -p $dead --check
says '^work conservation$'
says '^  [0-9]+ waits beside an idle CPU, [1-9][0-9]* longer than 10\.000 ms'
says '; begins: it is put back for long-[ab]-[0-9]; ends: it gets CPU [01]$'
expect 4 'ule@2017 breaks rule "conservation" [0-9]+ times by more than 10\.000 ms; the longest: long-[ab]-[0-9] waits beside idle CPU [01] from 0\.[0-9]+ s, when it is put back for long-[ab]-[0-9], to 0\.[0-9]+ s, when it gets CPU [01]$' \
	run -p $dead --check-fatal conservation
says '^digest' # the report is whole
says 'longer than 10\.000 ms'
expect 0 '' run -p $dead --check-fatal conservation=400ms
says 'longer than 400\.000 ms'
expect 0 '' run -p ule@2017 --check-fatal conservation

# As JSON.
expect 4 'breaks rule "conservation"' run -p $dead --check-fatal conservation --json
says '"grace_ns" : 10000000'
says '"opening" : "it is put back for long-'
says '"closing" : "it gets CPU '

# Three hogs on two CPUs: nobody moves, so one has a CPU of its own.
hogs() { "$SCHEDLAB" run -t flat:2 -p ule -w hogs:n=3 --until 5s --costs none "$@"; }
expect 0 '' hogs --check
expect 4 'breaks rule "hogs": 3 equal threads of task hog got (49|50)\.[0-9] to 100\.0 % of a CPU over 5\.000 s; 10\.0 points apart are allowed$' \
	hogs --check-fatal conservation,hogs
expect 0 '' hogs --check-fatal hogs=60%
expect 4 '"hogs".*0\.0 points' hogs --check-fatal hogs=0

# The one queue of rr sends sleepers anywhere, and back.
moves() { "$SCHEDLAB" run -t 1x2x1 -p rr -w sleepers --until 2s --costs none "$@"; }
expect 0 '' moves --check
expect 4 'breaks rule "migrations": of [0-9]+, [0-9]+ left an idle CPU and [0-9]+ went back at once; 0 such' \
	moves --check-fatal migrations
expect 0 '' moves --check-fatal migrations=1000000
got=0
moves --check-fatal all >/dev/null 2>said || got=$?
[ $got = 4 ] && grep -q '"migrations"' said && pass || fail "all: $got, $(cat said)"

# What is no rule, and no limit.
for bad in x conservations '' conservation, all=1 conservation=5 conservation=0s hogs=101% hogs=nan \
	migrations=-1 migrations=1.5; do
	expect 2 "^schedlab run: --check-fatal $bad: .*expected" run -p ule --check-fatal "$bad"
done
expect 2 'did you mean "conservation"' run -p ule --check-fatal conservatoin
finish
