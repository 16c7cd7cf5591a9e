#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs recorded on 1 CPU predict their time on 2 CPUs, and the reverse.
# Usage: predict.sh SAMPLES [POLICY]
# SAMPLES has a folder for each program, NAME, with NAME.nTHREADS.CPUScpu.ftrace.gz and,
# if measured, times.tsv (columns name threads cpus rep wall_s user_s sys_s server_user_s
# server_sys_s). Prints a table as Markdown; errors are predicted / true - 1 in percent,
# raw, and scaled by the CPU time of the true run over that of the replayed one.
set -eu
samples=${1:?usage: predict.sh SAMPLES [POLICY]} policy=${2:-4bsd}
: "${SCHEDLAB:=schedlab}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

seconds() { sed -n "s/^$1 *\([0-9.]*\) s.*/\1/p" "$2"; }

for file in "$samples"/*/*.n*.*cpu.ftrace.gz; do
	base=$(basename "$file" .ftrace.gz)
	name=${base%%.n*}
	threads=${base#"$name".n}
	cpus=${threads#*.}
	cpus=${cpus%cpu}
	threads=${threads%%.*}
	"$SCHEDLAB" import --report -o "$scratch/$base.slr" "$file" >"$scratch/report" 2>/dev/null || continue
	cpu=$(seconds 'cpu time:' "$scratch/report")
	recorded=$(seconds 'recorded time:' "$scratch/report")
	for n in 1 2; do
		"$SCHEDLAB" run -t flat:$n -p "$policy" -w "$scratch/$base.slr" >"$scratch/run" 2>/dev/null || :
		eval "on$n=\$(seconds real \"\$scratch/run\")"
	done
	echo "$name $threads $cpus $cpu $recorded ${on1:-0} ${on2:-0}"
done >"$scratch/replays"
for file in "$samples"/*/times.tsv; do
	[ -f "$file" ] && tail -n +2 "$file" | awk '{ print $1, $2, $3, $5, $6 + $7 + $8 + $9 }'
done | sort -k1,1 -k2,2n -k3,3n -k4,4n >"$scratch/times"

awk -v policy="$policy" '
function pct(x) { return sprintf("%+.1f", 100 * x) }
function abs(x) { return x < 0 ? -x : x }
function note(kind, x) { seen[kind, count[kind]++] = abs(x) }
function quantile(kind, q,   n, i, k, t, v) {
	n = count[kind]
	for (i = 0; i < n; i++) v[i] = seen[kind, i]
	for (i = 1; i < n; i++)
		for (k = i; k > 0 && v[k - 1] > v[k]; k--) { t = v[k]; v[k] = v[k - 1]; v[k - 1] = t }
	return sprintf("%.1f", 100 * v[int(q * (n - 1) + 0.5)])
}
FILENAME ~ /times$/ {
	key = $1 " " $2 " " $3
	wall[key, n[key]] = $4; work[key, n[key]++] = $5
	next
}
{
	key = $1 " " $2 " " $3
	order[rows++] = key
	cpu[key] = $4; recorded[key] = $5; on[key, 1] = $6; on[key, 2] = $7
}
END {
	print "| program, threads | replayed | on | recorded s | predicted s | raw % | scaled % | measured s | scaled % |"
	print "|---|---|---|---|---|---|---|---|---|"
	for (i = 0; i < rows; i++) {
		split(order[i], p, " ")
		c = p[3]; o = 3 - c
		there = p[1] " " p[2] " " o
		self = on[order[i], c] / recorded[order[i]] - 1
		note("self" c, self)
		selves = selves sprintf("| %s %s | %d CPU | %.3f | %.3f | %s |\n", p[1], p[2], c, recorded[order[i]], on[order[i], c], pct(self))
		if (!(there in recorded)) continue
		guess = on[order[i], o]
		raw = guess / recorded[there] - 1
		scaled = guess * cpu[there] / cpu[order[i]] / recorded[there] - 1
		note("raw" c, raw); note("scaled" c, scaled)
		row = sprintf("| %s %s | %d CPU | %d CPU | %.3f | %.3f | %s | %s |", p[1], p[2], c, o, recorded[there], guess, pct(raw), pct(scaled))
		if (n[there]) {
			m = int(n[there] / 2)
			truth = guess * work[there, m] / cpu[order[i]] / wall[there, m] - 1
			note("times" c, truth)
			row = row sprintf(" %.3f | %s |", wall[there, m], pct(truth))
		} else
			row = row " | |"
		print row
	}
	print ""
	print "| replayed under " policy ", \\|error\\| % | pairs | median | 90th percentile |"
	print "|---|---|---|---|"
	split("scaled2 scaled1 raw2 raw1 times2 times1 self1 self2", kind, " ")
	title["scaled2"] = "2 CPUs on 1, scaled"; title["scaled1"] = "1 CPU on 2, scaled"
	title["raw2"] = "2 CPUs on 1, raw"; title["raw1"] = "1 CPU on 2, raw"
	title["times2"] = "2 CPUs on 1, against unrecorded runs, scaled"
	title["times1"] = "1 CPU on 2, against unrecorded runs, scaled"
	title["self1"] = "1 CPU on 1"; title["self2"] = "2 CPUs on 2"
	for (k = 1; k <= 8; k++)
		if (count[kind[k]])
			printf "| %s | %d | %s | %s |\n", title[kind[k]], count[kind[k]], quantile(kind[k], 0.5), quantile(kind[k], 0.9)
	print ""
	print "| program, threads | on as many CPUs as recorded | recorded s | replayed s | error % |"
	print "|---|---|---|---|---|"
	printf "%s", selves
}' "$scratch/times" "$scratch/replays"
