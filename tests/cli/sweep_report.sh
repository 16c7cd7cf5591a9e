#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is made from a sweep's results: tables, plots, pages, scripts for other machines; and
# every option of every action stands in the manual.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"

cat >c.sweep <<'S'
[sweep]
topologies = 1x2x1
policies = ule; 4bsd; ule:kern.sched.slice=12
runs = 6
metrics = switches, latency-p99
[cells build & more]
workloads = buildworld
scale = 0.01
jobs = 2,4
[cells hogs]
workloads = hogs
n = 3
until = 2s
metrics = switches
S
expect 0 '' "$SCHEDLAB" sweep run c.sweep
expect 0 '' "$SCHEDLAB" sweep report c.sweep
says '^build & more: switches, smaller is better; first 1 run of each left out$'
says '^cell +ule +4bsd +ule:kern.sched.slice=12$'
says 'jobs=4 on 1x2x1 +[0-9.]+ \(s [0-9.]+\) +[0-9.]+ \(s [0-9.]+\) -[0-9.]+% \[-[0-9.]+, -[0-9.]+\] better +.* identical$'
says '^build & more: latency-p99 in us'
geomean=$(awk '/^build & more: switches/ { on = 1 } on && /^geometric mean/ { print $6; exit }' stdout)
[ "$(grep -c '^geometric mean of ratios' stdout)" = 2 ] && pass || fail "a geometric mean of one cell"
grep -q 'hogs: latency' stdout && fail "a metric that its group does not list" || pass
expect 0 '' "$SCHEDLAB" sweep report c.sqlite --markdown --metric real
says '^\| cell \| ule \| 4bsd \| ule:kern.sched.slice=12 \|$'
says '^### hogs: real in s'

# The same figures in every form; --runs recomputes the mean.
expect 0 '' "$SCHEDLAB" sweep report c.sweep --csv --metric switches
[ "$(cut -d, -f1 stdout | sort -u | tr '\n' ' ')" = 'schedlab-sweep-report/1 schema ' ] && pass ||
	fail "schema: $(head -n 2 stdout)"
awk -F, '{ m = /build & more/ ? $(NF - 9) : 0 } /,ule,/ { ref = m } /,4bsd,/ && m { r += log(m / ref); n++ }
	END { printf "%.5g\n", exp(r / n) }' stdout >wanted
[ "$geomean" = "$(cat wanted)" ] && pass || fail "geometric mean $geomean, not $(cat wanted)"
grep 'jobs=2.*,4bsd,' stdout >line
mean=$(awk -F, '{ printf "%.10g", $(NF - 9) }' line)
expect 0 '' "$SCHEDLAB" sweep report c.sweep --runs
says '^hash,topology,costs,cpuset,workload,policy,outcome,run,seed,digest,real,'
[ "$(wc -l <stdout)" = 55 ] && pass || fail "--runs: $(wc -l <stdout) lines"
again=$(grep 'jobs=2".*4bsd,done,[1-5],' stdout | sed 's/"[^"]*"/w/' | awk -F, '
	NR == FNR && /never/ { next } { n++; sum += $19 } END { printf "%.10g", sum / n }')
[ "$mean" = "$again" ] && pass || fail "mean of switches $mean, from the rows $again"
expect 0 '' "$SCHEDLAB" sweep report c.sweep --json
says '"schema": "schedlab-sweep-report/1"'
if has python3; then
	python3 - <<'P' && pass || fail "JSON of a report"
import json
doc = json.load(open("stdout"))
cells = [c for c in doc["cells"] if c["policy"] == "4bsd" and c["metric"] == "switches"]
assert len(cells) == 3 and all(len(c["values"]) == 5 for c in cells)
for c in cells:
    assert abs(sum(c["values"]) / 5 - c["mean"]) < 1e-9 * c["mean"]
    assert c["p_holm"] is None or c["p_holm"] >= c["p"]
# The one block of several cells, two policies against the first, two metrics.
means = doc["geometric_means"]
assert len(means) == 4 and all(m["block"] == "build & more" and m["reference"] == "ule" for m in means)
import math
for m in means:
    v = {(c["policy"], c["param"]): c["mean"] for c in doc["cells"]
         if c["block"] == m["block"] and c["metric"] == m["metric"]}
    ratios = [x / v["ule", param] for (policy, param), x in v.items() if policy == m["policy"]]
    want = math.exp(sum(map(math.log, ratios)) / len(ratios))
    assert abs(m["ratio"] - want) < 1e-12 and m["used"] == 2 and m["left_out"] == 0, (m, want)
P
fi

# A pair, the other way round; ministat's block equals that of compare.
expect 0 '' "$SCHEDLAB" sweep report c.sweep --ministat --only jobs=4 --metric switches -p 4bsd -p ule
says '^# buildworld:scale=0.01,jobs=4 on 1x2x1, switches$'
sed -n '/^x 4bsd/,/pooled/p' stdout >ours
expect 0 '' "$SCHEDLAB" compare -t 1x2x1 -w buildworld:scale=0.01,jobs=4 -p 4bsd -p ule -n 6 \
	--metric switches
sed -n '/^x 4bsd/,/pooled/p' stdout >theirs
[ -s ours ] && cmp -s ours theirs && pass || fail "sweep and compare differ: $(diff ours theirs)"
expect 2 'no cell of sweep c was chosen' "$SCHEDLAB" sweep report c.sweep --only nothing
expect 2 'unknown metric "swiches" \(did you mean "switches"\?\)' \
	"$SCHEDLAB" sweep report c.sweep --metric swiches
expect 3 'one of --csv' "$SCHEDLAB" sweep report c.sweep --csv --json
expect 3 'instead of --csv' "$SCHEDLAB" sweep report c.sweep --html page.html --json

# Missing runs are said to be missing.
sed 's/runs = 6/runs = 9/' c.sweep >more.sweep
cp c.sqlite more.sqlite
expect 5 'missing' "$SCHEDLAB" sweep run more.sweep --budget 1ns
expect 5 'samples are not whole' "$SCHEDLAB" sweep report more.sqlite --sweep more
expect 5 'samples are not whole' "$SCHEDLAB" sweep report more.sqlite --sweep more --json
says '"policy": "4bsd", "ratio": null, "used": 0, "left_out": 2}'
expect 2 'holds 2 sweeps: c, more' "$SCHEDLAB" sweep report more.sqlite

# A folder that nobody may write to is still readable (root may write anywhere).
mkdir ro && cp c.sqlite ro/ && chmod 555 ro && chmod 444 ro/c.sqlite
expect 0 '' "$SCHEDLAB" sweep report ro/c.sqlite --csv
if [ "$(id -u)" != 0 ]; then
	expect 2 'may not be written|cannot be opened' "$SCHEDLAB" sweep run c.sweep -o ro/c.sqlite
	expect 2 'cannot be opened' "$SCHEDLAB" sweep run c.sweep -o ro/new.sqlite
fi
chmod 755 ro

# Plots run by themselves.
expect 0 '' "$SCHEDLAB" sweep report c.sweep --plots plots
if has gnuplot; then
	[ -s plots/1-build___more-switches-box.svg ] && pass || fail "no picture: $(ls plots)"
fi
expect 0 'gnuplot is not installed' env PATH=/nowhere "$SCHEDLAB" sweep report c.sweep --plots bare
[ -s bare/1-build___more-switches-box.gp ] && pass || fail "no script: $(ls bare)"
for file in curve.gp curve.dat speedup.gp box.gp ecdf.gp values.dat; do
	[ -s "plots/1-build___more-switches-$file" ] && pass || fail "no $file: $(ls plots)"
done
[ "$(grep -c . plots/1-build___more-switches-curve.dat)" = 9 ] && pass ||
	fail "curve data: $(cat plots/1-build___more-switches-curve.dat)"
if has gnuplot; then
	for script in plots/*.gp; do
		(cd plots && gnuplot "$(basename "$script")") 2>err && [ ! -s err ] && pass ||
			fail "gnuplot $script: $(cat err)"
	done
	[ -s plots/1-build___more-switches-curve.svg ] && pass || fail "no SVG: $(ls plots)"
	for format in png pdf dumb sixel; do
		(cd plots && gnuplot -e "format='$format'" 1-build___more-switches-ecdf.gp) 2>err
		[ ! -s err ] && [ -s "plots/1-build___more-switches-ecdf.$(echo $format | sed s/dumb/txt/)" ] &&
			pass || fail "gnuplot, $format: $(cat err; ls plots)"
	done
	# What all cells share stands in the title, what sets a cell apart above its panel.
	grep -q '>buildworld, scale=0.01 on 1x2x1: runs<' plots/1-build___more-switches-box.svg &&
		grep -q '>jobs=4<' plots/1-build___more-switches-box.svg && pass || fail "titles of panels"
fi

# Tails and maps are of the run whose row is in the file: its p99 lies on the tail.
for file in tail.gp tail.dat map.gp map.dat; do
	[ -s "plots/1-build___more-$file" ] && pass || fail "no $file: $(ls plots)"
done
"$SCHEDLAB" sweep report c.sweep --runs --only build | sed 's/"[^"]*"/w/' | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "latency-p99") p99 = i; if ($i == "run") run = i } }
	NR > 1 && $run == 1 { print $p99 }' >p99
awk 'NR == FNR { p99[n++] = $1; next }
	/^#/ { if (cells && !seen) bad = 1; cell = cells++; last = 2; at = -1; seen = 0; next }
	NF == 2 {
		if ($2 >= last || $1 < at || (last == 2 && $2 != 1)) bad = 1
		if (last >= 0.01 && $2 < 0.01) {
			checked++
			if (p99[cell] < 0.98 * at - 0.01 || p99[cell] > 1.02 * $1 + 0.01) bad = 1
		}
		last = $2; at = $1; seen = 1
	}
	END { exit !(cells == 6 && n == 6 && checked >= 4 && !bad) }' p99 plots/1-build___more-tail.dat && pass ||
	fail "tails: $(cat p99 plots/1-build___more-tail.dat)"
awk '/^#/ { map = /threads that wait/; blocks++; next }
	NF { lines++; if ($1 < 0 || ($2 != 0 && $2 != 1)) bad = 1 }
	NF && map { maps++; if (NF != 3 || $3 < 0 || $3 > 40) bad = 1; wait += $3 }
	NF && !map && (NF != 4 || $3 < 1 || $4 <= 0 || $4 > 1) { bad = 1 }
	END { exit !(blocks == 12 && maps >= 6 * 2 * 64 && lines > maps && wait > 0 && !bad) }' \
	plots/1-build___more-map.dat && pass || fail "maps: $(head -n 20 plots/1-build___more-map.dat)"

# More cells than one picture holds, more policies than colours, fewer values than policies, runs
# that are missing: gnuplot has nothing to say.
cat >many.sweep <<'S'
[sweep]
topologies = up
policies = ule:kern.sched.slice={1,2,3,4,5,6,7,8,9,10}
runs = 3
metrics = switches
[cells many]
workloads = hogs
until = 50ms
n = 1..14
S
expect 0 '' "$SCHEDLAB" sweep run many.sweep
sed -e 's/= 3/= 5/' -e 's/1..14/1..15/' many.sweep >holes.sweep
cp many.sqlite holes.sqlite
expect 5 'missing' "$SCHEDLAB" sweep run holes.sweep --budget 1ns
for sweep in many holes; do
	code=0 said='many: latency tails and maps of the first 10 of 140 cells'
	[ $sweep = many ] || { code=5 said='samples are not whole'; }
	expect $code "$said" "$SCHEDLAB" sweep report $sweep.sqlite --sweep $sweep --plots $sweep
	for script in switches-curve switches-speedup switches-box switches-box-2 switches-ecdf \
		switches-ecdf-2 tail map; do
		[ -s $sweep/1-many-$script.gp ] && pass || fail "no $script.gp: $(ls $sweep)"
		has gnuplot || continue
		(cd $sweep && gnuplot 1-many-$script.gp) 2>err && [ ! -s err ] && pass ||
			fail "$sweep, $script: $(cat err)"
	done
done

expect 5 'many: cells without latency tail and map: 10; the first is hogs:n=15 on up .*: its run 1 is missing' \
	"$SCHEDLAB" sweep report holes.sqlite --sweep holes --only n=15 --plots none

# The page: whole, escaped, and nothing from outside.
expect 0 '' "$SCHEDLAB" sweep report c.sweep --html page.html
grep -q '<h2>build &amp; more: switches</h2>' page.html && pass || fail "heading of the page"
grep -q '</svg>' page.html && grep -q '</html>' page.html && pass || fail "the page is not whole"
grep -q "^<tr><th>geometric mean of ratios</th><td>1</td><td>$geomean</td><td>1</td></tr>" page.html &&
	[ "$(grep -c '<th>geometric mean' page.html)" = 2 ] && pass || fail "geometric means of the page"
grep -Eq '(src|href)=|@import|url\(' page.html && fail "the page refers to something" || pass
command=$(sed -n 's/^schedlab \(compare .*jobs=2 -p 4bsd .*\)$/\1/p' page.html | head -n 1)
expect 0 '' sh -c "\"$SCHEDLAB\" $command --metric switches"
if has python3; then
	python3 - <<'P' && pass || fail "tags of the page do not pair"
from html.parser import HTMLParser
class Check(HTMLParser):
    stack = []
    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br", "wbr"): self.stack.append(tag)
    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, tag
    def handle_startendtag(self, tag, attrs): pass
c = Check(); c.feed(open("page.html").read()); assert not c.stack
P
fi

# Scripts.
expect 0 '' "$SCHEDLAB" sweep submit c.sweep --slurm --dry-run --tasks 4 --cpus 2
says '^#SBATCH --array=1-4$'
says '^#SBATCH --requeue$'
says "sweep run 'c.sweep' --shard \"\\\$SLURM_ARRAY_TASK_ID/4\" -j 2"
sh -n stdout && pass || fail "the script for Slurm does not parse"
expect 0 '' "$SCHEDLAB" sweep submit c.sweep --parallel --dry-run --tasks 3
says '^seq 3 \| parallel'
expect 3 'one of --parallel and --slurm' "$SCHEDLAB" sweep submit c.sweep
# Another program of that name is no GNU parallel.
if has parallel && ! parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
	leave_out "parallel is not that of GNU"
elif has parallel; then
	cp c.sqlite whole.sqlite
	rm c.sqlite
	got=0
	"$SCHEDLAB" sweep submit c.sweep --parallel --tasks 3 --program "$SCHEDLAB" >out 2>err || got=$?
	[ $got = 0 ] && pass || fail "submit --parallel: exit code $got, $(cat err)"
	[ "$("$SCHEDLAB" sweep status c.sqlite | tail -n 1)" = \
		"$("$SCHEDLAB" sweep status whole.sqlite | tail -n 1)" ] && pass ||
		fail "content by GNU parallel differs"
fi

# The manual.
for action in plan run status merge report submit; do
	expect 0 '' "$SCHEDLAB" sweep $action --help
	for option in $(grep -oE '^ +(-[A-Za-z], )?--[a-z][-a-z]*' stdout | grep -oE -e '--[a-z][-a-z]*'); do
		grep -q "Fl .*${option#-}" "$SL_SOURCE_DIR/docs/schedlab-sweep.1" && pass ||
			fail "schedlab-sweep.1 does not explain $option of $action"
	done
done
for file in "$SL_SOURCE_DIR"/docs/sweeps/*.sweep; do
	expect 0 '' "$SCHEDLAB" sweep plan --no-estimate "$file"
done
finish
