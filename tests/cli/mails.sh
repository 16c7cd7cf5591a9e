#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The baselines of the published comparisons that the library's workloads were fitted to
# (docs/validation.md): real time or rate within 3 %, user + sys within 5 % and the standard
# deviation within a factor of 2 where they are given.
# Only the baseline policy runs here; what the others do is a prediction and not tested.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"

# near NAME METRIC WANTED CPU ARGS...: METRIC is real or rate; CPU is user + sys, 0 when unknown.
near() {
	name=$1 metric=$2 wanted=$3 cpu=$4
	shift 4
	line=$("$SCHEDLAB" run "$@" | LC_ALL=C awk -v metric="$metric" -v wanted="$wanted" \
		-v cpu="$cpu" '
		$1 == "real" { real = $2 }
		$1 == "user" { user = $2 }
		$1 == "sys" && $3 == "s" { sys = $2 }
		{ for (i = 1; i < NF; i++) if ($i == "marks") marks = $(i + 1) }
		END {
			got = metric == "rate" ? (real ? marks / real : 0) : real
			bad = got < wanted * 0.97 || got > wanted * 1.03
			if (cpu > 0)
				bad += user + sys < cpu * 0.95 || user + sys > cpu * 1.05
			printf "%s %s %.2f, baseline %.2f", bad ? "not ok" : "ok", metric, got, wanted
			if (cpu > 0)
				printf "; CPU %.2f s, baseline %.2f s", user + sys, cpu
		}')
	case $line in
	ok*) pass ;;
	*) fail "$name: $line" ;;
	esac
}

# spread NAME WANTED ARGS...: the standard deviation of as many runs as the mail made.
spread() {
	name=$1 wanted=$2
	shift 2
	line=$("$SCHEDLAB" compare "$@" | LC_ALL=C awk -v wanted="$wanted" '
		$1 == "x" && NF == 7 { got = $7 }
		END {
			bad = got < wanted / 2 || got > wanted * 2
			printf "%s standard deviation %.3f, baseline %.3f",
				bad ? "not ok" : "ok", got, wanted
		}')
	case $line in
	ok*) pass ;;
	*) fail "$name: $line" ;;
	esac
}

core="-t q6600 -p 4bsd@7.0"
near ffmpeg real 93.746 0 $core -w ffmpeg
near sysbench-oltp rate 2163.14 0 $core -w sysbench-oltp:duration=3s
near buildworld real 808.976 0 $core -w buildworld:jobs=4,user=2350s,serial=0.0337
while read -r n real user sys; do
	near "mencoder $n" real "$real" "$(echo "$user $sys" | awk '{print $1 + $2}')" \
		$core -w mencoder:threads="$n"
done <<END
2 93.82 182.82 0.30
3 64.79 184.27 0.41
4 51.36 185.76 0.31
5 49.88 186.11 0.24
6 49.53 186.28 0.32
7 49.45 186.32 0.33
8 49.36 186.39 0.34
END
while read -r n real user sys; do
	near "pbzip2 $n" real "$real" "$(echo "$user $sys" | awk '{print $1 + $2}')" \
		$core -w pbzip2:threads="$n"
done <<END
4 30.91 117.32 4.67
5 31.45 119.49 5.02
6 31.85 120.42 5.49
7 31.55 119.16 5.59
8 31.92 120.29 5.81
END
near "supersmack SMP" rate 6873.42 0 -t p4-xeon-htt -p 4bsd@2005 -w supersmack:duration=3s
near "supersmack UP" rate 4255.0375 0 -t up --costs netburst -p 4bsd@2005 \
	-w supersmack:duration=3s
spread ffmpeg 0.29686697 $core -w ffmpeg -n 6
spread sysbench-oltp 8.1262968 $core -w sysbench-oltp:duration=3s --metric rate -n 6
spread buildworld 3.9655807 $core -w buildworld:jobs=4,user=2350s,serial=0.0337 -n 6
spread "supersmack SMP" 80.551236 -t p4-xeon-htt -p 4bsd@2005 -w supersmack:duration=5s \
	--metric rate -n 13
spread "supersmack UP" 25.105077 -t up --costs netburst -p 4bsd@2005 \
	-w supersmack:duration=5s --metric rate -n 13
for case in "8 27.752705" "16 29.205259"; do
	spread "buildworld -j ${case% *}" "${case#* }" -t e5-2420 -p ule \
		-w buildworld:jobs="${case% *}" -n 5
done
finish
