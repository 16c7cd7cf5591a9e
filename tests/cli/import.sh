# SPDX-License-Identifier: BSD-2-Clause
# What is refused, with what to do about it.
. "$SL_SOURCE_DIR/tests/cli/common.inc"

printf 'PERFILE2\150\0\0\0' >perf.data
expect 2 'perf.data:1:1: this is perf.s own file; expected its text: perf script --ns -i perf.data' \
	"$SCHEDLAB" import perf.data
printf 'hello\n' >text
expect 2 'text:1:1: not a trace that is known here; expected perf script' "$SCHEDLAB" import text

# perf text says by events of their own what an interrupt woke: that is nobody's work.
printf '%s\n' \
	'   a     1 [000]     1.000000000: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120' \
	'   b     2 [000]     1.010000000: irq_vectors:local_timer_entry: vector=236' \
	'   b     2 [000]     1.010000000: sched:sched_waking: comm=a pid=1 prio=120 target_cpu=000' \
	'   b     2 [000]     1.010001000: irq_vectors:local_timer_exit: vector=236' \
	'   b     2 [000]     1.020000000: sched:sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120' \
	'   a     1 [000]     1.030000000: sched:sched_waking: comm=b pid=2 prio=120 target_cpu=000' \
	'   a     1 [000]     1.040000000: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=X ==> next_comm=b next_pid=2 next_prio=120' \
	'   b     2 [000]     1.050000000: sched:sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120' >irq.perf
expect 0 '' "$SCHEDLAB" show workload irq.perf:all=1
says '^s10000000p$'
if [ "$(grep -c '^w' stdout)" = 1 ]; then pass; else fail "$(cat stdout)"; fi

# Threads by the CPUs they ran on.
sed 's/\[000\]/[002]/' irq.perf | sed 's/=a /=c /g; s/pid=1 /pid=8 /g; s/^   a     1/   c     8/' |
	sed 's/=b /=d /g; s/pid=2 /pid=9 /g; s/^   b     2/   d     9/' | cat irq.perf - >two.perf
expect 0 '' "$SCHEDLAB" import --all two.perf
says 'threads: 4 of 4 replayed'
expect 0 '' "$SCHEDLAB" import --all --cpus 2 -o two.slr two.perf
expect 0 '' "$SCHEDLAB" show workload two.slr
if grep -q '^task c$' stdout && grep -q '^task d$' stdout && ! grep -q '^task [ab]$' stdout; then pass; else fail "--cpus: $(cat stdout)"; fi
expect 2 'cpuset:1:' "$SCHEDLAB" import --cpus 3-1 two.perf

# Scheduler events without a head (perf script -F), among others that have one or alone.
sed 's/^.*sched:/sched:/' irq.perf | grep sched_switch >bare.perf
expect 2 'bare.perf:1:1: a sched_switch without thread, CPU and time in front of it; expected' \
	"$SCHEDLAB" import bare.perf
cat irq.perf bare.perf >mixed.perf
expect 0 '' "$SCHEDLAB" import --all --force mixed.perf
says '^repair: 4 scheduler events not understood: skipped$'
says '^first event not understood: line 9, column 1, expected comm tid .cpu. seconds: in front of it$'
expect 2 'mixed.perf:9:1: scheduler event not understood; expected comm tid .cpu. seconds: in front of it' \
	"$SCHEDLAB" import --strict mixed.perf

# A line without an end, a number beyond any, time that runs backwards.
{ cat irq.perf; head -c 3000000 /dev/zero | tr '\0' x; echo; cat irq.perf; } >long.perf
expect 2 'long.perf:9:65537: scheduler event not understood; expected the end of the line by here' \
	"$SCHEDLAB" import --strict long.perf
expect 0 '' "$SCHEDLAB" import --all --force long.perf
says '^repair: 1 scheduler events not understood: skipped$'
says '^repair: [0-9]* (stamps that ran backwards on their CPU|events far out of time order: stamp)'
sed 's/pid=2 /pid=9223372036854775808 /' irq.perf >huge.perf
expect 2 'huge.perf:1:130: scheduler event not understood; expected a number' \
	"$SCHEDLAB" import --strict huge.perf

# Threads that wait by giving way again and again are warned of; preempted ones are not.
for step in 5 500; do
	awk -v step=$step 'BEGIN { for (i = 0; i < 200; i++) printf "a %d [000] 1.%09d: sched:sched_switch: prev_comm=a prev_pid=%d prev_prio=120 prev_state=R ==> next_comm=a next_pid=%d next_prio=120\n", 7 + i % 2, i * step * 1000, 7 + i % 2, 7 + (i + 1) % 2 }' >spin.$step
	expect 0 '' "$SCHEDLAB" import --all spin.$step
	grep -c '^warning: 194 turns were short, ended runnable and came in rows: threads that wait by sched_yield' stdout >said.$step || :
done
if [ "$(cat said.5 said.500 | tr -d '\n')" = 10 ]; then pass; else fail "warning of spinning: $(cat said.5 said.500)"; fi
says '^wake-ups: 0, 0.0 % end a wait by somebody known, an interrupt or a timer$'

# A part of the trace that is none of it.
expect 2 'spin.5: the trace ends after 0.000995 s; expected an earlier start of the part to replay' \
	"$SCHEDLAB" import --all --from 2s spin.5
expect 2 'to 1ms is not behind --from; expected a later time' \
	"$SCHEDLAB" import --all --from 1ms --to 1ms spin.5

# Timed waits by duration, or by when they ended.
printf '%s\n' \
	'a 7 [000] 1.000000000: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120' \
	'swapper 0 [000] 1.030000000: sched:sched_waking: comm=a pid=7 prio=120 target_cpu=000' \
	'swapper 0 [000] 1.030000000: sched:sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120' \
	'a 7 [000] 1.040000000: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120' \
	'swapper 0 [000] 1.090000000: sched:sched_waking: comm=a pid=7 prio=120 target_cpu=000' \
	'swapper 0 [000] 1.090000000: sched:sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=7 next_prio=120' \
	'a 7 [000] 1.100000000: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=X ==> next_comm=swapper next_pid=0 next_prio=120' >timed.perf
expect 0 '' "$SCHEDLAB" show workload timed.perf:all=1
says '^s50000000p$'
expect 0 '' "$SCHEDLAB" show workload timed.perf:all=1,absolute=1
says '^u90000000p$'
if grep -q '^s[0-9]' stdout; then fail "a timed wait is left: $(cat stdout)"; else pass; fi
expect 0 '' "$SCHEDLAB" import --all --absolute timed.perf
says '^timed waits made absolute: 2$'

# KTR: a clock of one tick a second, as far as its statclock says, and stamps far apart.
for at in 1 2 3 900000000000000000; do
	echo "1 0 $at KTRGRAPH group:\"thread\", id:\"a tid 1\", point:\"statclock\", attributes: prio:1, stathz:1"
	echo "1 0 $at KTRGRAPH group:\"thread\", id:\"b tid 2\", state:\"running\", attributes: prio:1"
	echo "1 0 $at KTRGRAPH group:\"thread\", id:\"a tid 1\", state:\"running\", attributes: prio:1"
done >far.ktr
expect 0 '' "$SCHEDLAB" import --all far.ktr
says '^span: 9223372036.854776 s on 1 cpus$'
echo '1 0 5 KTRGRAPH group:"thread, id:' >>far.ktr
expect 2 'far.ktr:13:7: scheduler event not understood; expected KTRGRAPH group:' \
	"$SCHEDLAB" import --strict far.ktr

# Text as other systems' shells write it, nothing at all, and places that cannot be written.
printf 'hello\n' | iconv -t UTF-16 >wide
expect 2 'wide:1:1: this is text in UTF-16; expected it in UTF-8: iconv -f UTF-16 -t UTF-8 wide' \
	"$SCHEDLAB" import wide
: >empty
expect 2 'empty:1:1: this is an empty file; expected perf script or ftrace text' \
	"$SCHEDLAB" import empty
ninja=build.ninja_log
printf '# ninja log v5\n0\t100\t1\ta.o\t11\n' >$ninja
mkdir folder
expect 2 'schedlab import: none/x.slr: cannot be written: No such file' \
	"$SCHEDLAB" import $ninja -o none/x.slr
expect 2 'schedlab import: folder: Is a directory' "$SCHEDLAB" import $ninja -o folder
expect 2 'to=: not behind from=; expected a later time in "from=5s,to=1s"' \
	"$SCHEDLAB" run -t up -p rr -w $ninja:from=5s,to=1s

# A ninja log can be kept, and runs as it did.
expect 0 '' "$SCHEDLAB" import $ninja -o build.slr
expect 0 '' "$SCHEDLAB" run -t up -p rr -w $ninja --costs none
grep '^digest' stdout >from.log
expect 0 '' "$SCHEDLAB" run -t up -p rr -w build.slr --costs none
if [ -s from.log ] && grep '^digest' stdout | cmp -s - from.log; then pass; else fail "a ninja log kept"; fi
finish
