# SPDX-License-Identifier: BSD-2-Clause
# A recording brings its own costs, and says so; another overlay may be asked for.
. "$SL_SOURCE_DIR/tests/cli/common.inc"
r=$SL_SOURCE_DIR/traces/recorded

expect 0 '' "$SCHEDLAB" run -t flat:2 -p rr -w "$r/make-hello-j4.slr"
says '^costs +recorded: idle exit [1-9][0-9]* ns$'
with=$(sed -n 's/^real *\([0-9.]*\) s/\1/p' stdout)
expect 0 '' "$SCHEDLAB" run -t flat:2 -p rr -w "$r/make-hello-j4.slr" --costs none
says '^costs +none$'
says '^recorded +1\.[0-9]+ s \(replayed [+-][0-9.]+ %\)$'
without=$(sed -n 's/^real *\([0-9.]*\) s/\1/p' stdout)
if [ "$with" != "$without" ]; then pass; else fail "the recorded latency changes nothing"; fi
expect 0 '' "$SCHEDLAB" run -t 1x2x1 -p rr -w hogs --until 1s
if grep -q '^costs *recorded' stdout; then fail "a workload of the library has no recorded costs"; else pass; fi
expect 0 '' "$SCHEDLAB" run -t flat:2 -p rr -w "$r/pbzip2-p4.slr" --json
says '"recorded_ns" *: *98893'
# A recording is shown as it stands in its file.
if command -v zcat >/dev/null 2>&1; then
	expect 0 '' "$SCHEDLAB" show workload "$r/pbzip2-p4.slr"
	if zcat "$r/pbzip2-p4.slr" | cmp -s - stdout; then pass; else fail "show workload"; fi
fi
finish
