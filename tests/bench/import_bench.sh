#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How fast perf text is imported: megabytes a second of CPU time, beside wc -l on the same
# file and, where perf may record, beside perf script printing such text.
# Usage: import_bench.sh [MEGABYTES]
set -eu
megabytes=${1:-200}
: "${SCHEDLAB:=schedlab}"
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The shipped recording, again and again, each time later.
gzip -dc "$root/traces/recorded/make-hello-j4.perf.gz" >"$scratch/once"
copies=$((megabytes * 1000000 / $(wc -c <"$scratch/once") + 1))
awk -v copies="$copies" '
{ line[NR] = $0 }
END {
	for (k = 0; k < copies; k++)
		for (i = 1; i <= NR; i++)
			if (match(line[i], /[0-9]+\.[0-9]+: /))
				printf "%s%.9f: %s\n", substr(line[i], 1, RSTART - 1), substr(line[i], RSTART, RLENGTH - 2) + 100 * k, substr(line[i], RSTART + RLENGTH)
			else
				print line[i]
}' "$scratch/once" >"$scratch/perf.txt"
size=$(wc -c <"$scratch/perf.txt")

# cpu COMMAND...: user and system seconds it took, the least of three.
cpu() {
	for try in 1 2 3; do
		{ LC_ALL=C bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1' - "$@"; } 2>&1
	done | awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { print least }'
}
rate() { awk -v what="$1" -v bytes="$2" -v s="$3" 'BEGIN { printf "%-24s %8.1f MB %8.3f s %8.0f MB/s\n", what, bytes / 1e6, s, (s > 0 ? bytes / 1e6 / s : 0) }'; }

rate 'wc -l' "$size" "$(cpu wc -l "$scratch/perf.txt")"
rate 'schedlab import --all' "$size" "$(cpu "$SCHEDLAB" import --all --force "$scratch/perf.txt")"
if command -v perf >/dev/null 2>&1 &&
	perf sched record -q -o "$scratch/perf.data" -- sh -c 'i=0; while [ $i -lt 500 ]; do /bin/true; i=$((i + 1)); done' >/dev/null 2>&1 &&
	perf script --ns -i "$scratch/perf.data" >"$scratch/script" 2>/dev/null; then
	rate 'perf script' "$(wc -c <"$scratch/script")" "$(cpu perf script --ns -i "$scratch/perf.data")"
else
	echo "perf script: not measured, perf cannot record here"
fi
