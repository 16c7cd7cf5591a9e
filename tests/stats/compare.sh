#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What compare says beyond ministat's block: pairs, added runs, CSV and JSON.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
work='-t 1x4x1 -w pbzip2:scale=0.001'

# run CODE PATTERN ARGUMENTS...
run() {
	code=$1 pattern=$2
	shift 2
	expect "$code" "$pattern" "$SCHEDLAB" compare $work "$@"
}

# By default one line for each policy but the first; the block before it is ministat's.
run 0 '' -p 4bsd -p ule -p 4bsd -n 12 --raw raw
says '^# ule against 4bsd: paired by seed [-0-9.e]* \+/- [0-9.e-]* \(.*\), p = .*; unpaired, the same '
says '^# 4bsd against 4bsd: identical$'
paste raw/1-4bsd.txt raw/2-ule.txt | grep -v '#' | awk '{ d = $2 - $1; s += d; q += d * d; n++ }
	END { m = s / n; h = 2.22814 * sqrt((q - n * m * m) / (n - 1) / n); printf "%.4g %.4g", m, h }' >wanted
sed -n 's/^# ule .* by seed \([^ ]*\) +.- \([^ ]*\) .*/\1 \2/p' stdout |
	awk '{ printf "%.4g %.4g", $1, $2 }' >got
cmp -s wanted got && pass || fail "paired interval $(cat got), not $(cat wanted)"

# --tests instead.
run 0 '' -p 4bsd -p ule -n 12 --tests
says 'paired by seed'
says 'unpaired runs needed for the same interval'
grep -q '^# ule against' stdout && fail "a line that --tests has already" || pass
run 0 '' -p 4bsd -p ule -n 5 --tests
says '4bsd: only 4 values; shape, outliers and modes cannot be judged'
# Equal numbers throughout are not a proof with p = 0.
expect 0 '' "$SCHEDLAB" compare -t up -p 4bsd -p 4bsd:kern.sched.quantum=20ms -w hogs:n=2 -n 12 \
	--until 1s --costs none --metric switches
says ' 0$'
says '^# .* every run gave the same number, which is .* off; no test is made$'

# Runs are added until the interval is narrow enough, and that interval is printed.
run 0 '' -p 4bsd -p ule -n 12 --until-ci 1% --max-runs 2000
says '^# --until-ci 1%: a pilot of 11 runs asked for [0-9]*; the interval is '
says '^# ule against 4bsd: .* (not )?proven at 95%, by a pilot of 11 runs \(Stein.s rule\)'
half=$(sed -n 's/^# ule against.*% +.- \([0-9.]*\)%).*/\1/p' stdout)
awk "BEGIN { exit !($half > 0 && $half < 1.05) }" && pass || fail "half width $half"
run 0 '--max-runs 14 is reached before the aim, at \+/- ' -p 4bsd -p ule -n 12 --until-ci 0.001% \
	--max-runs 14
says '14 runs, first 1 discarded'
says 'a pilot of 11 runs asked for more than 13; '
run 0 '' -p ule -n 6 --until-ci 5
says '^# mean of ule: [0-9.]* \+/- [0-9.e-]* at 95% '
run 0 '' -p 4bsd -p ule -n 12 --power 90% --effect 2% --max-runs 2000
says '^# --power 90% for a difference of 2%: a pilot of 11 runs asked for '
says '^# unpaired, that power takes [0-9]* runs of each policy$'

# Several differences hold all at once.
run 0 '' -p 4bsd -p ule -p ule@7.3 -n 12 --until-ci 3% --max-runs 2000
[ "$(grep -c 'by a pilot of 11 runs (Stein.s rule), for all 2 differences at once' stdout)" = 2 ] && pass ||
	fail "a family of two: $(grep '^#' stdout)"
run 0 '' -p 4bsd -p ule -p ule@7.3 -n 12 --until-ci 3% --max-runs 2000 --json
says '"until": {"pilot": 11, "reached": true, "family": 2, "half_widths": \[[0-9.e-]*, [0-9.e-]*\]'

# What does not go together is said.
run 2 'needs --effect' -p ule -p 4bsd --power 90
run 2 'needs --power' -p ule -p 4bsd --effect 1
run 2 'from 50 to below 100' -p ule -p 4bsd --effect 1 --power 100
run 2 '--max-runs needs' -p ule -p 4bsd --max-runs 100
run 2 '--max-runs 3 with --discard 1 leaves 2 runs' -p ule -p 4bsd -n 5 --until-ci 1 --max-runs 3
run 2 '-n 3 with --discard 1 leaves 2 runs' -p ule -p 4bsd -n 3
run 2 'choose one' -p ule -p 4bsd --json --csv
run 3 'needs two policies' -p ule --csv

# On a terminal one line shows the interval as it shrinks.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	echo "\"$SCHEDLAB\" compare $work -j 1 -p 4bsd -p ule -n 6 --until-ci 0.001 --max-runs 20000 >/dev/null" >tty.sh
	script -qec "sh tty.sh" /dev/null </dev/null 2>&1 | tr '\r' '\n' |
		sed -n 's/^[0-9]* of [0-9]* runs, interval +.- \([0-9.e+]*\)%, to be .*/\1/p' >widths
	sort -gr widths | cmp -s - widths && [ "$(sort -u widths | wc -l)" -ge 2 ] && pass ||
		fail "widths shown: $(tr '\n' ' ' <widths)"
fi

# Odd samples are warned of, with and without the tests.
run 0 '' -p 4bsd -p ule -n 5
says '^# 4bsd: only 4 values; shape, outliers and modes cannot be judged$'
says '^# ule: only 4 values'
run 0 '' -p ule -n 5 --tests
says '^	ule: only 4 values'

# Latencies: the wake-ups of all runs in one histogram, as many in every form.
expect 0 '' "$SCHEDLAB" compare -t 1x2x1 -w hackbench -p ule -p 4bsd --until 20ms -n 5 \
	--metric latency-p99
says '^# 4bsd, all runs together: p50 = .* us \(.*\), p99 = .* us \(.* to .*\), max = .* wake-ups, a percentile is'
sed -n 's/^# ule, all runs together.* max = \([0-9.e+]*\) us; \([0-9]*\) wake-ups.*/\1 \2/p' stdout >text
expect 0 '' "$SCHEDLAB" compare -t 1x2x1 -w hackbench -p ule -p 4bsd --until 20ms -n 5 \
	--metric latency-max --json
says '"p99_ns": \[[0-9]+, [0-9]+, [0-9]+\], "histogram_ns": \{"schema": "schedlab-histogram/1", "bits": 4,'
sed -n 's/.*"policy": "ule".*"count": \([0-9]*\), "min": [0-9]*, "max": \([0-9]*\),.*/\2 \1/p' stdout |
	awk '{ printf "%g %d\n", $1 / 1000, $2 }' >json
cmp -s text json && [ -s text ] && pass || fail "wake-ups: text $(cat text), JSON $(cat json)"
# The largest of all runs is the largest of the runs' largest.
expect 0 '' "$SCHEDLAB" compare -t 1x2x1 -w hackbench -p ule -p 4bsd --until 20ms -n 5 \
	--metric latency-max
awk 'NR == FNR { max = $1; next } /^x +[0-9]/ { exit !($4 / max > 0.99999 && $4 / max < 1.00001) }' json stdout &&
	pass || fail "max $(cat json)"
run 0 '' -p 4bsd -p ule -n 5 --metric real
grep -q 'all runs together' stdout && fail "latencies of another metric" || pass

# What cannot be written is said before the runs, not after them.
run 2 '--raw no/folder: cannot make this folder: ' -p 4bsd -p ule -n 1000000 --raw no/folder
[ ! -e no ] && pass || fail "a parent of --raw was made"
echo keep >file
run 2 '--raw file: cannot make this folder: ' -p 4bsd -p ule -n 1000000 --raw file
run 2 'no/plot.gp: cannot be written' -p 4bsd -p ule -n 1000000 --plot no/plot.gp
run 0 '' -p 4bsd -p ule -n 5 --raw again
run 0 '' -p 4bsd -p ule -n 5 --raw again

# Interrupted: the runs that every policy has done, in every form, by two signals at once as
# timeout(1) sends them. Runs come to an end in any order; no gap is in the sample.
for form in --tests --json --csv ''; do
	"$SCHEDLAB" compare -t 1x4x1 -w pbzip2:scale=0.002 -p 4bsd -p ule -n 300000 $form \
		--raw cut -j 2 >stdout 2>stderr &
	pid=$!
	sleep 2
	kill -INT $pid
	kill -INT $pid 2>/dev/null || :
	got=0
	wait $pid || got=$?
	[ $got = 130 ] && pass || fail "interrupted compare $form: exit code $got"
	case $form in
	--json)
		says '"partial": true'
		says '"paired": true'
		tail -n 1 stdout | grep -qx '}' && pass || fail "JSON is cut off"
		;;
	--csv) says '^schedlab-comparison/1,"4bsd","ule",' ;;
	*)
		says '^# PARTIAL: interrupted; the first [0-9]* runs, which every policy has done'
		says 'paired by seed'
		;;
	esac
	[ "$(wc -l <cut/1-4bsd.txt.partial)" = "$(wc -l <cut/2-ule.txt.partial)" ] && pass ||
		fail "values: $(wc -l cut/*)"
done
timeout --preserve-status -s INT 0.5 "$SCHEDLAB" compare -t 1x4x1 -w hogs:n=8 -p 4bsd -p ule \
	-n 4 --until 100000h --json -j 2 >stdout 2>stderr && fail "not interrupted" || pass
grep -q 'interrupted after 0 runs, too few for a comparison' stderr && pass || fail "$(cat stderr)"
says '"comparisons": \[\]'
timeout --preserve-status -s INT 2 "$SCHEDLAB" compare $work -p 4bsd -p ule -n 6 \
	--until-ci 1e-9 --max-runs 1000000 >stdout 2>stderr && fail "not interrupted" || pass
grep -q 'interrupted after [0-9]* of 1000000 runs, before the aim, at +/- ' stderr && pass ||
	fail "$(cat stderr)"
says 'a pilot of 5 runs asked for more than 999999, not all were done; the interval is '

# Both forms are whole and agree.
run 0 '' -p 4bsd -p ule -p 4bsd -n 6 --csv
awk -F, 'NR == 1 { n = NF; if ($1 != "schema") exit 1 }
	NF != n || (NR > 1 && $1 != "schedlab-comparison/1") { exit 1 }
	END { if (NR != 3) exit 1 }' stdout && pass || fail "CSV: $(cat stdout)"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "paired_diff") at = i } NR == 2 { print $at }' \
	stdout >csv
run 0 'max-runs 6' -p 4bsd -p ule -n 6 --until-ci 1 --max-runs 6 --json
says '"until": \{"pilot": 5, "reached": '
run 0 '' -p 4bsd -p ule -n 6 --json
sed -n 's/.*"paired_diff": \([^,]*\),.*/\1/p' stdout >json
cmp -s csv json && pass || fail "paired_diff: CSV $(cat csv), JSON $(cat json)"
if has python3; then
	python3 -m json.tool stdout >/dev/null && pass || fail "not JSON"
fi

# The installed link.
if [ -f "${SL_BINARY_DIR:-}/cmake_install.cmake" ]; then
	DESTDIR=$PWD/root cmake --install "$SL_BINARY_DIR" --prefix /usr >/dev/null 2>&1 || true
	[ "$(readlink root/usr/bin/ministat)" = schedlab ] && pass || fail "no link ministat installed"
	printf '1\n2\n3\n' >three
	expect 2 '^root/usr/bin/ministat: invalid option -- .Z.$' root/usr/bin/ministat -Z three
	expect 0 '' root/usr/bin/ministat three
	says '^x   3 '
fi
finish
