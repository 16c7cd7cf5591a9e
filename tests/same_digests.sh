#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a set of simulations with each of the given builds and fails when a report or a
# switch log differs by a byte. Usage: tests/same_digests.sh PROGRAM PROGRAM...
set -eu
reference=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
n=0
one() {
	n=$((n + 1))
	"$reference" run "$@" --json --log switches="$scratch/log" >"$scratch/report"
	sum=$(cksum <"$scratch/log")
	for program in $others; do
		"$program" run "$@" --json --log switches="$scratch/log2" >"$scratch/report2"
		# The command line names the log file, which differs.
		sed '/"command"/d' "$scratch/report" >"$scratch/a"
		sed '/"command"/d' "$scratch/report2" >"$scratch/b"
		cmp "$scratch/a" "$scratch/b"
		[ "$sum" = "$(cksum <"$scratch/log2")" ] || {
			echo "$program: another switch log for: run $*" >&2
			exit 1
		}
	done
}
others=$*
for policy in $("$reference" list policies | sed 's/ .*//'); do
	one -t 1x2x2 -p "$policy" -w hogs --until 1s --costs none
	one -t 2x4x2 -p "$policy" -w hackbench --until 100ms
done
for policy in ule ule-1ppq ule@14 4bsd 4bsd@9.0; do
	one -t e5-2420 -p "$policy" -w late --until 2s
done
one -t 1x6x2 -p ule -w buildworld:jobs=8 --until 20s
one -t up -p 4bsd -w sleepers --until 10s
echo "$n runs, equal from all builds"
