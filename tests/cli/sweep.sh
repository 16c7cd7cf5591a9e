#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sweeps: plans, equal content for any number of threads, parts and runners, resumption
# after kill -9, bad files. Number of kills: $SL_SWEEP_KILLS (default 4).
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"

cat >t.sweep <<'S'
[sweep]
topologies = 1x2x1
policies = ule; 4bsd; rr
runs = 4
until = 50ms
metrics = switches, real

[cells hogs]
workloads = hogs
n = 2..4

[cells hack]
workloads = hackbench
topologies = 1x2x1; flat:4
cpusets = all; 0
S
content() { "$SCHEDLAB" sweep status "$@" 2>/dev/null | sed -n 's/^# content //p'; }

expect 0 '' "$SCHEDLAB" sweep plan t.sweep
says '^# sweep t: 21 cells, 84 runs'
says '	hogs:n=3	4bsd$'
says '^# estimate: .* s of CPU time'

# One content for any -j, and for parts that are joined.
expect 0 '' "$SCHEDLAB" sweep run t.sweep -j1
says '^t.sqlite: 21 of 21 cells, 84 of 84 runs, 84 new'
expect 0 '' "$SCHEDLAB" sweep run t.sweep
says ' 0 new'
want=$(content t.sweep)
[ ${#want} = 32 ] && pass || fail "no content digest: $want"
expect 0 '' "$SCHEDLAB" sweep run t.sweep -j2 -o two.sqlite
[ "$(content two.sqlite)" = "$want" ] && pass || fail "-j2 differs from -j1"
for part in 1 2 3; do
	expect 0 '' "$SCHEDLAB" sweep run t.sweep --shard $part/4
done
expect 5 '2[0-9] runs are missing|1[0-9] runs are missing' \
	"$SCHEDLAB" sweep merge -o some.sqlite t.1-of-4.sqlite t.2-of-4.sqlite t.3-of-4.sqlite
expect 0 'part 4 of 4, by Slurm' env SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=4 \
	SLURM_ARRAY_TASK_COUNT=4 "$SCHEDLAB" sweep run t.sweep
expect 0 'by GNU parallel' env PARALLEL_SEQ=2 "$SCHEDLAB" sweep run t.sweep --shard auto/4 -o again.sqlite
expect 0 '' "$SCHEDLAB" sweep merge -o all.sqlite some.sqlite t.4-of-4.sqlite again.sqlite
says '^again.sqlite: 0 new runs, [0-9]+ already there and equal$'
[ "$(content all.sqlite)" = "$want" ] && pass || fail "four parts differ from the whole"
[ -z "$(ls | grep -e -wal -e -shm -e partial)" ] && pass || fail "left behind: $(ls)"

# Rows as SQL, in any order of making.
if has sqlite3; then
	for f in t two all; do
		sqlite3 $f.sqlite 'SELECT hash, workload, policy, run, r.seed, outcome, digest, sum,
			real, switches, latency_p99 FROM results r ORDER BY hash, run' >$f.rows
	done
	[ -s t.rows ] && cmp -s t.rows two.rows && cmp -s t.rows all.rows && pass ||
		fail "rows differ"
fi

# The same cells in another sweep are found; more runs are added to them.
sed -e 's/runs = 4/runs = 6/' -e 's/n = 2..4/n = 3,5/' t.sweep >other.sweep
cp t.sqlite shared.sqlite
expect 0 '' "$SCHEDLAB" sweep run other.sweep -o shared.sqlite
says '18 of 18 cells, 108 of 108 runs, 48 new'
# An edited input is another input.
cat >w.json <<'J'
{ "tasks": { "a": { "instance": 2, "loop": 10, "run0": 1000, "sleep0": 1000 } } }
J
printf '[cells w]\ntopologies = up\npolicies = rr\nworkloads = w.json\nruns = 3\n' >w.sweep
expect 0 '' "$SCHEDLAB" sweep run w.sweep
says ' 3 new'
sed -i.old 's/1000, "sleep0"/1100, "sleep0"/' w.json
expect 0 '' "$SCHEDLAB" sweep run w.sweep
says ' 3 new'

# Two runners share a file and double nothing.
"$SCHEDLAB" sweep run t.sweep -j1 -o pair.sqlite >one 2>&1 &
pid=$!
expect 0 '' "$SCHEDLAB" sweep run t.sweep -j1 -o pair.sqlite
wait $pid && pass || fail "first of two runners: $(cat one)"
sum=$(cat one stdout | sed -n 's/.* runs, \([0-9]*\) new.*/\1/p' | awk '{ n += $1 } END { print n }')
[ "$sum" = 84 ] && pass || fail "two runners did $sum runs, not 84"
[ "$(content pair.sqlite)" = "$want" ] && pass || fail "two runners give other content"

# kill -9 at any time; the same command goes on.
kills=${SL_SWEEP_KILLS:-4} n=0
while [ $n -lt "$kills" ]; do
	n=$((n + 1))
	rm -f killed.sqlite*
	tries=0
	while [ $tries -lt 3 ]; do
		tries=$((tries + 1))
		"$SCHEDLAB" sweep run t.sweep -j2 -o killed.sqlite >/dev/null 2>&1 &
		pid=$!
		sleep "0.$(awk -v s="$n$tries$$" 'BEGIN { srand(s); printf "%03d", rand() * 400 }')"
		kill -9 $pid 2>/dev/null || true
		wait $pid 2>/dev/null || true
	done
	expect 0 '' "$SCHEDLAB" sweep run t.sweep -j2 -o killed.sqlite
	[ "$(content killed.sqlite)" = "$want" ] && pass || fail "kill $n changed the content"
done

# Interrupted: 130, and what was done is kept.
sed 's/runs = 4/runs = 4000/' t.sweep >long.sweep
"$SCHEDLAB" sweep run long.sweep -o long.sqlite >out 2>err &
pid=$!
sleep 1
kill -INT $pid
got=0
wait $pid || got=$?
[ $got = 130 ] && pass || fail "interrupted sweep: exit code $got"
grep -q 'interrupted; start again' err && pass || fail "interrupted sweep says: $(cat err)"
expect 5 'runs are missing' "$SCHEDLAB" sweep status long.sqlite
expect 5 'runs are missing' "$SCHEDLAB" sweep run long.sweep --budget 500ms -o long.sqlite

# No room: told, nothing lost (a limit on the file's size stands for a full disk).
(
	trap '' XFSZ
	ulimit -f 400
	got=0
	"$SCHEDLAB" sweep run long.sweep -o full.sqlite >out 2>err || got=$?
	echo $got >code
)
[ "$(cat code)" = 5 ] && grep -q 'no room is left' err && pass || fail "no room: $(cat code err)"
expect 5 'runs are missing' "$SCHEDLAB" sweep status full.sqlite

# Damaged anywhere: told, and merging saves what is whole.
size=$(wc -c <t.sqlite)
for where in 20 40 60 80 95; do
	rm -f bad.sqlite* saved.sqlite
	cp t.sqlite bad.sqlite
	dd if=/dev/urandom of=bad.sqlite bs=1 seek=$((size * where / 100)) count=3000 conv=notrunc 2>/dev/null
	found=$(content bad.sqlite)
	if [ "$found" = "$want" ]; then # an index or unused room was hit
		pass
		continue
	fi
	expect 2 'damaged|wrong checksum' "$SCHEDLAB" sweep status bad.sqlite
	expect 2 'damaged|wrong checksum' "$SCHEDLAB" sweep run t.sweep -o bad.sqlite
	expect 5 'bad.sqlite: damaged' "$SCHEDLAB" sweep merge -o saved.sqlite bad.sqlite
	expect 0 '' "$SCHEDLAB" sweep run t.sweep -o saved.sqlite
	[ "$(content saved.sqlite)" = "$want" ] && pass || fail "repaired after damage at $where %: other content"
done
rm -f bad.sqlite*
head -c $((size / 2)) t.sqlite >bad.sqlite
expect 2 'damaged' "$SCHEDLAB" sweep status bad.sqlite
expect 5 'damaged' "$SCHEDLAB" sweep merge -o saved3.sqlite bad.sqlite
# One wrong number, in a file that SQLite finds sound.
if has sqlite3; then
	cp t.sqlite odd.sqlite
	sqlite3 odd.sqlite 'UPDATE run SET real = real + 1 WHERE cell = 3 AND run = 2'
	expect 2 '1 rows have a wrong checksum' "$SCHEDLAB" sweep status odd.sqlite
	expect 5 'damaged' "$SCHEDLAB" sweep merge -o saved2.sqlite odd.sqlite
	says '^odd.sqlite: 83 new runs'
fi
printf 'this is no database, though it is long enough to be one\n' >text.sqlite
expect 2 'no result file' "$SCHEDLAB" sweep run t.sweep -o text.sqlite
expect 2 'cannot be opened' "$SCHEDLAB" sweep status missing.sqlite
expect 2 'cannot be opened' "$SCHEDLAB" sweep run t.sweep -o no/such/folder.sqlite

# Bad sweep files: place, what was expected, the nearest name.
bad() {
	printf '%b' "$2" >bad.sweep
	expect 2 "$1" "$SCHEDLAB" sweep plan bad.sweep
}
good='topologies = up\npolicies = rr\nworkloads = hogs\n'
bad '^schedlab sweep plan: bad.sweep:1:1: .*expected \[sweep\] or \[cells NAME\] first' 'runs = 3\n'
bad 'bad.sweep:2:1: unknown key "polices" \(did you mean .policies.\?\)' '[sweep]\npolices = ule\n'
bad 'bad.sweep:1:1: group \[cell x\]; expected' '[cell x]\n'
bad 'bad.sweep:3:12: unknown policy "ul3" \(did you mean "ule"\?\)' \
	'[cells a]\ntopologies = up\npolicies = ul3\nworkloads = hogs\n'
bad 'bad.sweep:5:1: .*"m"' "[cells a]\n${good}m = 3\n"
bad 'bad.sweep:5:5: expected a range' "[cells a]\n${good}n = 2..x\n"
bad 'bad.sweep:5:8: runs is "0"' "[cells a]\n${good}runs = 0\n"
bad 'bad.sweep:1:1: \[cells a\]: 3 runs of which 3' "[cells a]\n${good}runs = 3\ndiscard = 3\n"
bad 'bad.sweep:5:11: unknown metric "reel" \(did you mean "real"\?\)' "[cells a]\n${good}metrics = reel\n"
bad 'bad.sweep:5:1: key "runs" again' "[cells a]\nruns = 5\ntopologies = up\nworkloads = hogs\nruns = 6\n"
bad 'bad.sweep:1:1: \[cells a\] has no policies' '[cells a]\ntopologies = up\nworkloads = hogs\n'
bad 'makes more than' "[cells a]\n${good}n = 1..4000\nseconds = 1..4000\n"
bad 'bad.sweep:5:11: cpuset' "[cells a]\n${good}cpusets = 7\n"
expect 2 'missing.sweep' "$SCHEDLAB" sweep plan missing.sweep
expect 3 'unknown action "rum" \(did you mean "run"\?\)' "$SCHEDLAB" sweep rum x
expect 3 'a file is missing' "$SCHEDLAB" sweep run
expect 2 'expected i/N' "$SCHEDLAB" sweep run t.sweep --shard 5/4
expect 2 'no launcher' "$SCHEDLAB" sweep run t.sweep --shard auto

# A fault is a result: told, not done again.
cat >dead.json <<'J'
{ "tasks": {
    "a": { "lock0": "m1", "run0": 1000, "lock1": "m2", "unlock1": "m2", "unlock0": "m1" },
    "b": { "lock0": "m2", "run0": 1000, "lock1": "m1", "unlock1": "m1", "unlock0": "m2" } } }
J
printf '[cells d]\ntopologies = 1x2x1\npolicies = rr\nworkloads = dead.json\nruns = 3\n' >dead.sweep
expect 4 'dead.json on 1x2x1 under rr, run [123] .*deadlock' "$SCHEDLAB" sweep run dead.sweep
says '3 FAILED'
expect 4 '' "$SCHEDLAB" sweep run dead.sweep
says ' 0 new'

# More runs where the interval is wide.
printf '[cells c]\ntopologies = 1x2x1\npolicies = ule; 4bsd\nworkloads = buildworld\nruns = 5\nuntil = 20s\nmetrics = switches\n' >ci.sweep
expect 0 '' "$SCHEDLAB" sweep run ci.sweep --until-ci 0.0001% --max-runs 9
says '2 of 2 cells, 18 of 18 runs'
expect 0 '' "$SCHEDLAB" sweep run ci.sweep --until-ci 0.0001% --max-runs 9
says ' 0 new'
finish
