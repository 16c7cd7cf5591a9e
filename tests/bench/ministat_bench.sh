#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# usage: ministat_bench.sh [lines [runs]]
# `schedlab ministat --compat=2015` against Debian's ministat on files of many lines: user and
# system time, the ratio of the best of each, and our memory beside 8 bytes per value.
# Fails when outputs differ, the ratio is below 8 or memory is above 1.5 times the values.
set -eu
lines=${1:-10000000}
runs=${2:-3}
original=/usr/bin/ministat
schedlab=${SCHEDLAB:?the schedlab program}
case $schedlab in /*) ;; *) schedlab=$PWD/$schedlab ;; esac
for tool in "$original" /usr/bin/time; do
	[ -x "$tool" ] || { echo "skipped: $tool is not installed"; exit 0; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Bell-shaped values with six decimals, and small whole numbers.
awk -v n="$lines" -v seconds="$dir/seconds" -v counts="$dir/counts" 'BEGIN {
	state = 1
	for (i = 0; i < n; i++) {
		sum = 0
		for (k = 0; k < 4; k++) {
			state = (state * 16807) % 2147483647
			sum += state / 2147483647
		}
		printf "%.6f\n", 96 + 2 * sum > seconds
		print state % 100 > counts
	}
}'

# best_of NAME OUT COMMAND...: prints the least CPU seconds and the memory in KiB.
best_of()
{
	out=$1
	shift
	for run in $(seq "$runs"); do
		/usr/bin/time -o "$dir/time" -f '%U %S %M' "$@" >"$out"
		awk '{ print $1 + $2, $3 }' "$dir/time"
	done | sort -n | head -n 1
}

status=0
for file in seconds counts; do
	theirs=$(best_of "$dir/theirs" "$original" "$dir/$file")
	ours=$(best_of "$dir/ours" "$schedlab" ministat --compat=2015 "$dir/$file")
	same=differs
	cmp -s "$dir/theirs" "$dir/ours" && same=same
	echo "$file $lines $theirs $ours $same" | awk '{
		ratio = $3 / $5
		memory = $6 * 1024 / ($2 * 8)
		printf "%s, %d lines: original %.2f s, schedlab %.2f s, %.1f times as fast; " \
		       "memory %.2f times the values (original %.2f); output: %s\n",
		       $1, $2, $3, $5, ratio, memory, $4 * 1024 / ($2 * 8), $7
		exit !(ratio >= 8 && memory <= 1.5 && $7 == "same")
	}' || status=1
done
exit $status
