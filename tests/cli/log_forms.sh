#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --log in its two forms: what CSV says, JSON lines say, for every policy and era. And the
# questions to --explain that have no answer.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"

# Names that both forms must quote.
cat >names.json <<'EOF'
{ "tasks": {
	"a,\"b\"": { "loop": 300, "instance": 2, "run": 700, "sleep": 300 },
	"back\\slash": { "loop": 40, "run": 9000, "yield": true, "sleep": 1000 },
	"größe": { "loop": 100, "fork": "small", "run": 2000, "sleep1": 100 },
	"small": { "loop": 1, "instance": 0, "run": 300 } } }
EOF
cat >same.py <<'EOF'
import csv, json, sys
def same(text, jsonl):
    with open(text, encoding='utf-8', newline='') as f:
        rows = list(csv.reader(f))
    with open(jsonl, encoding='utf-8') as f:
        lines = [json.loads(line) for line in f]
    assert len(lines) == len(rows) - 1, (text, len(lines), len(rows))
    for row, line in zip(rows[1:], lines):
        assert list(line) == rows[0], (text, line)
        for name, field in zip(rows[0], row):
            value = line[name]
            words = name in ('thread', 'why', 'prev', 'next')
            assert isinstance(value, str if words else int) and str(value) == field, (row, line)
    return len(lines)
for kind in sys.argv[1:]:
    print(kind, same(kind + '.csv', kind + '.jsonl'))
EOF
if has python3; then
	"$SCHEDLAB" list policies | awk '{ print $1 }' >policies
	while read -r policy; do
		for input in '1x2x2 names.json 1200ms' 'flat:3 hackbench 4ms'; do
			# shellcheck disable=SC2086
			set -- $input
			expect 0 '' "$SCHEDLAB" run -t "$1" -w "$2" -p "$policy" --until "$3" \
				--log decisions=decisions.csv --log decisions=decisions.jsonl \
				--log switches=switches.csv --log switches=switches.jsonl \
				--log samples=samples.csv --log samples=samples.jsonl
			if python3 same.py decisions switches samples >counts 2>stderr; then
				pass
			else
				fail "$policy, $input: $(tail -n 1 stderr)"
			fi
			# A log with nothing in it would compare equal as well.
			grep -q 'switches 0' counts && fail "$policy, $input: no switches" || pass
			case $policy in
			4bsd* | ule*) grep -q 'decisions 0' counts &&
				fail "$policy, $input: no decisions" || pass ;;
			esac
		done
	done <policies
	[ "$(wc -l <policies)" -ge 30 ] && pass || fail "policies: $(cat policies)"
fi
for end in json ndjson; do
	"$SCHEDLAB" run -t up -w hogs:n=2 -p ule --until 1s --log switches=x.$end >/dev/null
	head -n 1 x.$end | grep -q '^{"t_ns":0,"cpu":0,"prev":"idle","next":"hog-0","next_pri":[0-9]*}$' &&
		pass || fail "x.$end: $(head -n 1 x.$end)"
done

# A stretch beyond the end, by --until or by the end of the work; for traces too.
run() { "$SCHEDLAB" run -t 1x2x1 -p ule --costs none "$@"; }
hogs='-w hogs:n=2 --until 20ms'
for look in --explain '--trace ftrace=t.txt'; do
	# shellcheck disable=SC2086
	expect 2 'from 1s: expected a time up to --until 20ms$' run $hogs $look --from 1s
	# shellcheck disable=SC2086
	expect 2 'from 10s: the run ended at [0-9.]* ms; expected a time up to that$' \
		run -w names.json $look --from 10s
done
# shellcheck disable=SC2086
{
	expect 2 'from 5ms: expected a time up to --to 2ms' run $hogs --trace ftrace=t.txt --from 5ms --to 2ms
	# Nothing to tell is said, and is no error.
	expect 0 'explain: nothing happened there and then' run $hogs --explain thread=hog-0 cpu=1
	expect 0 'explain: nothing happened there and then' run $hogs --explain --from 20ms
	expect 0 '' run $hogs --explain --to 0ms
	says '^ +0\.000000 ms  CPU   0  hog-0: starts'
	# The nearest name.
	expect 2 'thread=hogg-1: no such thread .*did you mean "hog-1"' run $hogs --explain thread=hogg-1
	expect 2 'no thread "hog-9" was seen; .*did you mean "hog-[01]"' \
		"$SCHEDLAB" explain -t up -p ule $hogs --why-waited hog-9@1ms
}
# What ends a run early is told first.
cat >stuck.json <<'EOF'
{ "tasks": { "a": { "loop": 1, "lock": "m", "run": 1000, "lock1": "n", "unlock": "n" },
	"b": { "loop": 1, "lock": "n", "run": 1000, "lock1": "m", "unlock": "m" } } }
EOF
expect 4 'no thread can run|deadlock' run -w stuck.json --explain --from 10s
finish
