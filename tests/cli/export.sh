# SPDX-License-Identifier: BSD-2-Clause
# Traces of a run: what reads them, the filters, and the way back.
. "$SL_SOURCE_DIR/tests/cli/common.inc"

r=$SL_SOURCE_DIR/traces/recorded
run="-t flat:2 -p 4bsd -w $r/pbzip2-p4.slr --costs none"

digest() { sed -n 's/^digest *//p' "$1"; }

# same A B: two files hold the same line `digest`.
same() {
	if [ -n "$(digest "$1")" ] && [ "$(digest "$1")" = "$(digest "$2")" ]; then
		pass
	else
		fail "digest of $1 and $2: '$(digest "$1")', '$(digest "$2")'"
	fi
}

# A run that was exported and imported is the same run, to the nanosecond, and its workload
# is the one that ran, but for what a recording says of itself. Under ule a wait that is over
# before it begins matters too.
program() { "$SCHEDLAB" show workload "$@" | grep -Ev '^(name|latency|recorded|end) '; }
program "$r/pbzip2-p4.slr" >program
for policy in 4bsd rr ule; do
	expect 0 '' "$SCHEDLAB" run -t flat:2 -p $policy -w "$r/pbzip2-p4.slr" --costs none
	mv stdout "as.$policy"
	for format in ftrace perf ktr; do
		expect 0 '' "$SCHEDLAB" export $format -t flat:2 -p $policy -w "$r/pbzip2-p4.slr" \
			--costs none -o back.$format
		expect 0 '' "$SCHEDLAB" run -t flat:2 -p $policy -w back.$format:timeouts=1 \
			--costs none
		mv stdout "as.$policy.$format"
		same "as.$policy" "as.$policy.$format"
		program back.$format:timeouts=1 >program.back
		if [ -s program ] && cmp -s program program.back; then pass; else fail "workload back from $format, $policy"; fi
	done
done
# Processes keep their numbers.
expect 0 '' "$SCHEDLAB" run -t flat:2 -p ule -w "$r/make-hello-j4.slr" --costs none
mv stdout as.make
for format in ftrace perf ktr; do
	expect 0 '' "$SCHEDLAB" export $format -t flat:2 -p ule -w "$r/make-hello-j4.slr" \
		--costs none -o back.make.$format
	expect 0 '' "$SCHEDLAB" run -t flat:2 -p ule -w back.make.$format:timeouts=1 --costs none
	mv stdout as.make.$format
	same as.make as.make.$format
done
expect 0 '' "$SCHEDLAB" export ktr $run -o back.ktr

# run --trace writes the same bytes; the ending tells the format.
expect 0 '' "$SCHEDLAB" export ftrace $run -o again.txt
expect 0 '' "$SCHEDLAB" run $run --trace run.txt
if cmp -s run.txt again.txt && head -n 1 run.txt | grep -q '^# tracer: nop$'; then pass; else fail "run --trace"; fi
expect 0 '' "$SCHEDLAB" export perf $run -o again.perf
expect 0 '' "$SCHEDLAB" run $run --trace run.perf
if cmp -s run.perf again.perf; then pass; else fail "run --trace run.perf"; fi
expect 0 '' "$SCHEDLAB" run $run --trace ktr=run.x
if cmp -s run.x back.ktr; then pass; else fail "run --trace ktr=run.x"; fi
for format in json pftrace dat systrace; do
	expect 0 '' "$SCHEDLAB" run $run --trace one.$format --trace perf=two.$format
	if [ -s one.$format ] && cmp -s two.$format again.perf; then pass; else fail "two traces: $format"; fi
done
expect 2 '^schedlab run: --trace run.svg: its ending stands for no format; expected FORMAT=FILE with one of the formats ftrace, perf, ktr, chrome, perfetto, trace.dat$' \
	"$SCHEDLAB" run $run --trace run.svg
expect 2 '^schedlab run: --trace perfeto=run.x: no such format; expected FORMAT=FILE .*perfetto' \
	"$SCHEDLAB" run $run --trace perfeto=run.x
expect 2 '^schedlab run: --trace perf=: no file; expected perf=FILE' "$SCHEDLAB" run $run --trace perf=
for second in '--trace a.perf' '--trace ftrace=./a.perf' '--log switches=a.perf'; do
	expect 2 'a.perf: named twice, by .*; expected a file of its own for each' \
		"$SCHEDLAB" run $run --trace a.perf $second
done
expect 2 'x.csv: named twice, by' "$SCHEDLAB" run $run --log switches=x.csv --log decisions=x.csv
if [ -e a.perf ] || [ -e x.csv ]; then fail "a refused run leaves a file"; else pass; fi
if [ -e run.x.partial ]; then fail "a partial file is left"; else pass; fi

# Filters.
expect 0 '' "$SCHEDLAB" export perf $run --from 100ms --to 200ms --cpus 1
if [ -s stdout ] && awk '{ t = $4 + 0 } $3 != "[001]" || t < 0.1 || t > 0.2 { exit 1 }' stdout; then
	pass
else
	fail "--from, --to, --cpus"
fi
expect 2 'no task "pbzip"' "$SCHEDLAB" export perf $run --thread pbzip
expect 2 "unknown export format 'svg'" "$SCHEDLAB" export svg $run
expect 2 'cannot be written' "$SCHEDLAB" export perf $run -o no/such/folder
expect 3 'expected FORMAT' "$SCHEDLAB" export $run

# A script such as people keep: on every CPU the thread that leaves is the one that came.
expect 0 '' "$SCHEDLAB" export perf $run
awk '/sched:sched_switch/ {
	match($0, /prev_pid=[0-9]+/); p = substr($0, RSTART + 9, RLENGTH - 9)
	match($0, /next_pid=[0-9]+/); q = substr($0, RSTART + 9, RLENGTH - 9)
	match($0, /\[[0-9]+\]/); c = substr($0, RSTART, RLENGTH)
	if (c in cur && cur[c] != p) exit 1
	cur[c] = q; switches++
} END { if (switches < 50) exit 1 }' stdout && pass || fail "the chain of switches is broken"

# Independent readers, where they are installed.
expect 0 '' "$SCHEDLAB" export perfetto $run -o run.pftrace
if has protoc; then
	# A field that is not in the messages would come out as a number.
	if protoc -I"$SL_SOURCE_DIR/tests/cli" --decode Trace perfetto.proto <run.pftrace >decoded &&
		grep -q 'next_comm: "pbzip2"' decoded && grep -q 'type: TYPE_COUNTER' decoded &&
		! grep -Eq '^ *[0-9]+[: ]' decoded; then
		pass
	else
		fail "protoc --decode"
	fi
	switches=$(grep -c 'sched_switch {' decoded) || :
	expect 0 '' "$SCHEDLAB" export ftrace $run
	if [ "$switches" = "$(grep -c 'sched_switch: ' stdout)" ]; then pass; else fail "$switches switches in Perfetto's form"; fi
fi
expect 0 '' "$SCHEDLAB" export chrome $run -o run.json
if has python3; then
	if python3 - run.json <<'PY'; then pass; else fail "Chrome JSON"; fi
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
ends = {}
for e in events:
    if e["ph"] != "X":
        continue
    track = e["pid"], e["tid"]
    assert e["dur"] > 0
    assert e["ts"] >= ends.get(track, 0) - 1e-6, e
    ends[track] = e["ts"] + e["dur"]
assert len(ends) > 4
PY
fi
finish
