#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the tables of single runs in docs/validation.md: one line a run of each policy, seed 1.
#
# usage: cases.sh [SECTION ...]     SECTION: one of the functions below (default: all)
# $SCHEDLAB is the program.
#
# A line has, for each policy, "real user sys" or the rate, and what it is against the first one.
set -eu
schedlab=${SCHEDLAB:-build/schedlab}

# row LABEL METRIC "POLICY ..." ARGS...: METRIC is real, times (real, user and sys) or rate.
row() {
	label=$1 metric=$2 policies=$3
	shift 3
	printf '| %s |' "$label"
	for policy in $policies; do
		"$schedlab" run "$@" -p "$policy" | LC_ALL=C awk -v metric="$metric" \
			-v first="${first:-}" '
			$1 == "real" { real = $2 }
			$1 == "user" && $3 == "s" { user = $2 }
			$1 == "sys" && $3 == "s" { sys = $2 }
			$1 == "wasted" { wasted = $2 }
			{ for (i = 1; i < NF; i++) if ($i == "marks") marks = $(i + 1) }
			END {
				value = metric == "rate" ? marks / real : real
				if (metric == "rate")
					printf " %.1f", value
				else if (metric == "times")
					printf " %.2f %.2f %.2f", real, user, sys
				else
					printf " %.2f", value
				if (first != "")
					printf " (%+.1f %%)", (value / first - 1) * 100
				printf ", wasted %.2f |%s%.6f\n", wasted / real, "\t", value
			}' >"$out"
		cut -f1 "$out" | tr -d '\n'
		[ -n "${first:-}" ] || first=$(cut -f2 "$out")
	done
	first=
	echo
}

core="4bsd@7.0 ule@7.0-beta1 ule@7.0-beta3 ule@7.0-sep"
few="4bsd@7.0 ule@7.0-beta1 ule@7.0-sep"
old="4bsd@2005 ule@2005 ule@2005b"

ffmpeg() {
	row "ffmpeg, 4 threads" real "$few" -t q6600 -w ffmpeg
	row "- 2 threads, \`work=178.6s\`" real "$few" -t q6600 -w ffmpeg:threads=2,work=178.6s
	row "- 3 threads, \`work=260s\`" real "$few" -t q6600 -w ffmpeg:threads=3,work=260s
	row "- 8 threads, \`work=348s\`" real "$few" -t q6600 -w ffmpeg:threads=8,work=348s
	for set in spawn=0 bframes=1 vary=0 frame=12ms main=0.05 lag=6 footprint=1 \
		footprint=1024; do
		row "- \`$set\`" real "$few" -t q6600 -w ffmpeg:$set
	done
	for costs in none nehalem-ex; do
		row "- \`--costs $costs\`" real "$few" -t q6600 --costs $costs -w ffmpeg
	done
}

buildworld() {
	for jobs in 4 5 6 8; do
		row "buildworld -j$jobs" real "$few" -t q6600 \
			-w buildworld:jobs=$jobs,user=2350s,serial=0.0337
	done
	for costs in none nehalem-ex; do
		row "- -j4, \`--costs $costs\`" real "$few" -t q6600 --costs $costs \
			-w buildworld:jobs=4,user=2350s,serial=0.0337
	done
}

sysbench() {
	row "sysbench, 8 clients" rate "$few" -t q6600 -w sysbench-oltp:duration=4s
	for set in client_kib=1,server_kib=1 client_kib=32,server_kib=64 \
		client_kib=64,server_kib=128 held=2us threads=4 threads=16; do
		row "- \`$set\`" rate "$few" -t q6600 -w sysbench-oltp:duration=4s,$set
	done
	for costs in none nehalem-ex; do
		row "- \`--costs $costs\`" rate "$few" -t q6600 --costs $costs \
			-w sysbench-oltp:duration=4s
	done
}

mencoder() {
	for n in 2 3 4 5 6 7 8; do
		row "$n" times "$core" -t q6600 -w mencoder:threads=$n
	done
	for set in spawn=0 bframes=1 vary=0 frame=12ms main=0.05 main=0.18; do
		row "- 4 threads, \`$set\`" real "$few" -t q6600 -w mencoder:threads=4,$set
	done
	row "- 4 threads, \`--costs none\`" real "$few" -t q6600 --costs none -w mencoder:threads=4
}

pbzip2() {
	for n in 4 5 6 7 8; do
		row "$n" times "$core" -t q6600 -w pbzip2:threads=$n
	done
	for set in sigma=0.4 block=80ms; do
		row "- -p8, \`$set\`" real "$few" -t q6600 -w pbzip2:threads=8,$set
	done
	row "- -p8, \`--costs none\`" real "$few" -t q6600 --costs none -w pbzip2:threads=8
}

supersmack() {
	row "SMP" rate "$old" -t p4-xeon-htt -w supersmack:duration=4s
	for set in smp=1 client_kib=1,server_kib=1 client_kib=32,server_kib=64 clients=4 \
		clients=22 held=3us; do
		row "- \`$set\`" rate "$old" -t p4-xeon-htt -w supersmack:duration=4s,$set
	done
	row "- \`--costs none\`" rate "$old" -t p4-xeon-htt --costs none -w supersmack:duration=4s
	row "- \`-t p4-xeon\`: no hyper-threads" rate "4bsd@2005 ule@2005" -t p4-xeon \
		-w supersmack:duration=4s
	row "UP" rate "$old" -t up --costs netburst -w supersmack:duration=4s
	for set in client_kib=1,server_kib=1 client_kib=32,server_kib=64 clients=4; do
		row "- \`$set\`" rate "$old" -t up --costs netburst -w supersmack:duration=4s,$set
	done
}

out=$(mktemp)
trap 'rm -f "$out"' EXIT
for section in ${*:-ffmpeg buildworld sysbench mencoder pbzip2 supersmack}; do
	"$section"
done
