#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What it costs that eras are tables and that decisions can be explained, in instructions
# (counted by valgrind, so the figures repeat exactly):
#   tables   the sources as they are
#   fixed    the parts of ule and what is copied of its era taken from one const table, so that
#            the compiler calls the parts directly and inlines them
#   mute     as tables, sl_why() compiled out
# All three are built alike, with link-time optimisation across all files, and must give
# the same digest. Prints instructions per event and the differences, then the least CPU
# time of several turns each, taken in turn: most of the extra instructions are well
# predicted, so time says less than they do.
#   era_dispatch.sh [ERA [SECONDS [TURNS]]]     default 2017 2 9
set -eu
era=${1:-2017}
seconds=${2:-2}
turns=${3:-9}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
parts="layout|pct|formula|slices|lowpri|boost|queue|steal|search|affine|place|notify|ipi|requeue|balancer|idle|ithread"
table=ule_era_$(echo "$era" | tr '.-' '__')

variant() {
	mkdir -p "$work/$1/tests/bench"
	cp -R "$root/sim" "$root/policies" "$work/$1/"
	cp "$root/tests/bench/bench_era.c" "$work/$1/tests/bench/"
}

# Shortest run of each build, 20 times as long as the counted one.
race() {
	turn=0
	while [ "$turn" -lt "$turns" ]; do
		for name in tables fixed mute; do
			"$work/$name/bench" ule "$era" $((20 * seconds)) 2>&1 >/dev/null |
				awk '{ print $1 }' >>"$work/$name.us"
		done
		turn=$((turn + 1))
	done
	for name in tables fixed mute; do
		sort -n "$work/$name.us" | head -n 1 >"$work/$name.best"
	done
}

compile() {
	(cd "$work/$1" && ${CC:-gcc} -std=c17 -O3 -flto=auto -I. tests/bench/bench_era.c sim/base/*.c \
		sim/core/*.c policies/*.c policies/eras/*.c -o bench)
}

# Instructions of a whole run into $work/NAME.count, what it prints into $work/NAME.out.
count() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/$1/bench" ule "$era" \
		"$seconds" >"$work/$1.out" 2>"$work/$1.err"
	awk '/Collected/ { print $NF }' "$work/$1.err" >"$work/$1.count"
	cmp -s "$work/$1.out" "$work/tables.out" || {
		echo "$1 does not do what tables does" >&2
		exit 1
	}
}

for name in tables fixed mute; do
	variant "$name"
done
for file in "$work"/fixed/policies/ule.c "$work"/fixed/policies/ule_*.c; do
	case $file in
	*/ule_7*.c | */ule_8.c | */ule_2005*.c) continue ;;
	esac
	sed -E -e "/= era;/!s/(ule_of\(p\)|s->u|s\.u|u)->era\b/(\&$table)/g" \
		-e "s/(ule_of\(p\)|s->u|s\.u|u)->($parts)\./$table.\2->/g" \
		-e "s/&(ule_of\(p\)|s->u|s\.u|u)->($parts)\b/$table.\2/g" \
		-e "/= era->/!s/(ule_of\(p\)|s->u|s\.u|u)->(nqs|ppq|pct_on_reselect)\b/$table.\2/g" \
		"$file" >"$work/edited"
	mv "$work/edited" "$file"
done
sed -e 's/__builtin_expect(p->explain, 0)/false/' "$root/sim/core/policy.h" \
	>"$work/mute/sim/core/policy.h"
for name in tables fixed mute; do
	compile "$name"
	count "$name"
done
awk -v era="$era" -v tables="$(cat "$work/tables.count")" -v fixed="$(cat "$work/fixed.count")" \
	-v mute="$(cat "$work/mute.count")" -v events="$(cut -d' ' -f1 "$work/tables.out")" 'BEGIN {
	printf "ule@%s: %d events, %.1f instructions each\n", era, events, tables / events
	printf "era hard-wired   %.1f each: tables cost %.2f %%\n", fixed / events,
		100 * (tables - fixed) / fixed
	printf "no sl_why()      %.1f each: explaining costs %.2f %% when nobody listens\n",
		mute / events, 100 * (tables - mute) / mute
}'
[ "$turns" -gt 0 ] || exit 0
race
awk -v tables="$(cat "$work/tables.best")" -v fixed="$(cat "$work/fixed.best")" \
	-v mute="$(cat "$work/mute.best")" 'BEGIN {
	printf "time, best turn  %d us; hard-wired %d us (%+.2f %%); no sl_why() %d us (%+.2f %%)\n",
		tables, fixed, 100 * (tables - fixed) / fixed, mute, 100 * (tables - mute) / mute
}'
