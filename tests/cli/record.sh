# SPDX-License-Identifier: BSD-2-Clause
# record: what it refuses, and, where perf may trace, a recording that replays.
. "$SL_SOURCE_DIR/tests/cli/common.inc"

expect 3 'expected -- COMMAND' "$SCHEDLAB" record
expect 3 'Unknown option|unknown option' "$SCHEDLAB" record --no-such -- true
if [ "$(uname -s)" != Linux ]; then
	expect 2 'docs/recording.md' "$SCHEDLAB" record -- true
	finish
	exit
fi
mkdir empty
expect 2 'perf is not installed; expected the package' env PATH="$scratch/empty" "$SCHEDLAB" \
	record -- /bin/true
printf '#!/bin/sh\nexit 1\n' >empty/perf
chmod +x empty/perf
expect 2 'perf recorded nothing; expected' env PATH="$scratch/empty:$PATH" "$SCHEDLAB" \
	record -- true
if [ -e true.slr ]; then fail "a recording of nothing"; else pass; fi

if ! command -v perf >/dev/null 2>&1 || ! perf sched record -q -o probe -- true >/dev/null 2>&1; then
	leave_out "perf is not installed or may not trace all CPUs here"
	finish
fi
expect 2 'not found; expected a program' "$SCHEDLAB" record -- no-such-program
expect 0 'recorded in out.slr' "$SCHEDLAB" record -o out.slr --keep out.data -- \
	sh -c 'sleep 0.1; echo hello; sleep 0.1'
says '^hello$'
if [ -s out.data ]; then pass; else fail "--keep"; fi
expect 0 '' "$SCHEDLAB" run -t flat:2 -p 4bsd -w out.slr --costs none
if awk '/^real/ { exit !($2 > 0.2 && $2 < 5) }' stdout; then pass; else fail "$(grep ^real stdout)"; fi
expect 0 'false ended with exit code 1' "$SCHEDLAB" record -o out.slr -- false
finish
