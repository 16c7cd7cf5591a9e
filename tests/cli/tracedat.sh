# SPDX-License-Identifier: BSD-2-Clause
# trace-cmd's own file: written, read by trace-cmd, and read back where libtracecmd is built in.
. "$SL_SOURCE_DIR/tests/cli/common.inc"

r=$SL_SOURCE_DIR/traces/recorded
t=$SL_SOURCE_DIR/tests/traces
run="-t flat:2 -p rr -w $r/make-hello-j4.slr --costs none"

# What is exported is the same as in ftrace text, and trace-cmd prints all of it.
expect 0 '' "$SCHEDLAB" export trace.dat $run -o run.dat
expect 0 '' "$SCHEDLAB" run $run --trace also.dat
mv stdout as.run
if cmp -s run.dat also.dat; then pass; else fail "run --trace also.dat"; fi
expect 0 '' "$SCHEDLAB" export ftrace $run -o run.txt
# report's columns and ftrace's: CPU, time, event, payload.
columns() { sed -n 's/^.*\(\[[0-9]*\]\).* \([0-9]*\.[0-9]*: sched_[a-z_]*:\) */\1 \2 /p' "$1" | sort; }
if has trace-cmd; then
	expect 0 '' trace-cmd report -N -t -i run.dat
	columns stdout >reported
	columns run.txt >exported
	if [ "$(wc -l <exported)" -gt 1000 ] && cmp -s reported exported; then
		pass
	else
		fail "trace-cmd report prints other events: $(diff exported reported | head -n 4)"
	fi
fi

# A file that is none.
printf '\027\010\104tracing6\0\0\010' >bad.dat
expect 2 '^schedlab import: bad.dat:1:1: (libtracecmd cannot read this; expected a complete trace.dat|this is trace-cmd.s own file, which this build cannot read; expected its text)' \
	"$SCHEDLAB" import bad.dat
if grep -q 'which this build cannot read' stderr; then
	leave_out "built without libtracecmd"
	finish
fi

# The run comes back, digest and all.
expect 0 '' "$SCHEDLAB" run -t flat:2 -p rr -w run.dat:timeouts=1 --costs none
if [ -n "$(grep '^digest' stdout)" ] && [ "$(grep '^digest' stdout)" = "$(grep '^digest' as.run)" ]; then
	pass
else
	fail "digest of the run that came back: $(grep '^digest' stdout)"
fi

# Cut off, its beginning is kept and the loss is named; --strict fails. The buffers lie one CPU
# after the other, so a cut at the end takes nothing but events of the last.
size=$(wc -c <run.dat)
all=$("$SCHEDLAB" import --all run.dat | sed -n 's/^lines.*scheduler events: //p')
last=0
for at in $((size / 2)) $((size * 3 / 4)) $((size - 5000)); do
	head -c $at run.dat >cut.dat
	expect 0 'cut.dat: the trace is cut off; what was imported is its beginning only' \
		"$SCHEDLAB" import --all cut.dat
	says '^repair: 1 the file is cut off: its end is missing$'
	events=$(sed -n 's/^lines.*scheduler events: //p' stdout)
	if [ "$events" -gt "$last" ] && [ "$events" -lt "$all" ]; then pass; else fail "$events of $all events before $at"; fi
	last=$events
done
expect 2 'cut.dat:[1-9][0-9]*:1: .* s; expected a complete trace \(--strict\)' \
	"$SCHEDLAB" import --all --strict cut.dat
got=0
"$SCHEDLAB" import --all - <cut.dat >piped 2>stderr || got=$?
if [ $got = 0 ] && grep -q "scheduler events: $last\$" piped; then pass; else fail "cut, from a pipe"; fi

# A real file, recorded with Linux 6.18: from a file, compressed, from a pipe, and as the
# text that trace-cmd report -N -t -l made of it.
mkdir plain packed text
gzip -dc "$t/sort.dat.gz" >plain/sort
cp "$t/sort.dat.gz" packed/sort
gzip -dc "$t/sort.report.gz" >text/sort
for form in plain packed text; do
	expect 0 '' "$SCHEDLAB" import --all -o $form/slr $form/sort
done
if cmp -s plain/slr packed/slr && cmp -s plain/slr text/slr; then pass; else fail "three forms of one recording"; fi
expect 0 '' "$SCHEDLAB" import plain/sort
grep -v ^format stdout >from.file
says '^lines: [0-9]*, scheduler events: 14[0-9]$'
says '^cpu time by sched_stat_runtime'
got=0
"$SCHEDLAB" import - <plain/sort | grep -v ^format >from.pipe || got=$?
if [ $got = 0 ] && cmp -s from.file from.pipe; then pass; else fail "from a pipe"; fi

# Damaged: refused with the reason, or read as far as it goes; never a crash.
size=$(wc -c <plain/sort)
for at in 100 1000 5000 $((size - 5000)) $((size - 1)); do
	head -c $at plain/sort >cut.dat
	got=0
	"$SCHEDLAB" import cut.dat >stdout 2>stderr || got=$?
	if [ $got = 0 ] || { [ $got = 2 ] && grep -q 'cut.dat:' stderr; }; then pass; else fail "cut at $at: $got"; fi
	{ head -c $at plain/sort; printf '\377\377\377\377'; tail -c +$((at + 5)) plain/sort; } >hurt.dat
	got=0
	"$SCHEDLAB" import hurt.dat >stdout 2>stderr || got=$?
	if [ $got = 0 ] || { [ $got = 2 ] && grep -q 'hurt.dat:' stderr; }; then pass; else fail "hurt at $at: $got"; fi
done
finish
