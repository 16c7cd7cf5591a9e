#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same command gives the same bytes: twice, with -j1 and -j2; another seed does not.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
same() { cmp -s "$1" "$2" && pass || fail "$3"; }

for policy in ule 4bsd; do
	"$SCHEDLAB" run -t 1x2x2 -p $policy -w hackbench --until 300ms --json --log switches=a.csv \
		--log decisions=a.why >a
	"$SCHEDLAB" run -t 1x2x2 -p $policy -w hackbench --until 300ms --json --log switches=b.csv \
		--log decisions=b.why >b
	same a.csv b.csv "$policy: switch logs of two runs differ"
	same a.why b.why "$policy: decisions of two runs differ"
	sed /command/d a >a1
	sed /command/d b >b1
	same a1 b1 "$policy: reports of two runs differ"
done
for jobs in 1 2 3; do
	"$SCHEDLAB" compare -t 1x2x2 -w hackbench -p ule -p 4bsd -n 7 -j $jobs --until 200ms \
		--metric switches --raw raw$jobs | sed 1d >compare$jobs
done
same compare1 compare2 "compare: -j1 and -j2 differ"
same compare1 compare3 "compare: -j1 and -j3 differ"
for file in raw1/*; do
	grep -v '^#' "$file" >x
	grep -v '^#' "raw2/${file#raw1/}" >y
	same x y "compare --raw: -j1 and -j2 differ"
	[ "$(wc -l <x)" = 6 ] && pass || fail "$file does not hold 6 values"
done
# The raw files are what the block was made of.
"$SCHEDLAB" ministat -A raw1/1-ule.txt raw1/2-4bsd.txt | sed -n '/^    N/,$p' >z
sed -n '/^    N/,$p' compare1 | grep -v '^#' >t
same z t "ministat of the raw files differs from the block"
# A digest says what happened, not who looked.
for policy in 4bsd ule; do
	"$SCHEDLAB" run -t flat:2 -p $policy -w late:hog=3 --until 2s | grep '^digest' >plain
	for look in --check --explain '--log decisions=/dev/null' '--log samples=/dev/null'; do
		# Options of several words.
		# shellcheck disable=SC2086
		"$SCHEDLAB" run -t flat:2 -p $policy -w late:hog=3 --until 2s $look |
			grep '^digest' >looked
		cmp -s plain looked && pass || fail "$policy $look changes the digest"
	done
done

"$SCHEDLAB" run -t 1x2x2 -p ule -w hackbench --until 300ms --seed 2 | sed -n 's/^digest *//p' >c
[ "$(cat c)" != "$(sed -n 's/^ *"digest" : "\(.*\)".*/\1/p' a)" ] && pass ||
	fail "another seed, the same digest"
finish
