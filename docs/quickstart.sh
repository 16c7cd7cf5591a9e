#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# From a fresh Debian 12 to the comparison of 2017: installs what is missing, builds, and
# compares ULE's 64 queues of 4 priorities (ule) with one priority per queue (ule-1ppq) in
# building the world, 31 runs each, the first discarded. Then it asks what three schedulers
# would have done with a recorded afternoon. May be run again: nothing is done twice.
set -eu
cd "$(dirname "$0")/.."
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
schedlab=build/schedlab

say() {
	printf '\n=== %s\n' "$*"
}

# run VERB...: shows the command, then runs it.
run() {
	printf '$ schedlab %s\n' "$*" >&2
	"$schedlab" "$@"
}

say "packages"
sh tests/packages.sh build
say "build"
[ -f build/build.ninja ] ||
	cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Release -DSL_TESTS=OFF >/dev/null
cmake --build build -j "$jobs" --target schedlab
"$schedlab" --version

say "buildworld -j8: 1 package, 6 cores, 12 CPUs"
run compare -t e5-2420 -w buildworld:jobs=8 -p ule -p ule-1ppq -n 31 --discard 1
say "buildworld -j16 on the same machine"
run compare -t e5-2420 -w buildworld:jobs=16 -p ule -p ule-1ppq -n 31 --discard 1
say "buildworld -j32: 4 packages, 32 cores, 64 CPUs"
run compare -t x7560 -w buildworld:jobs=32 -p ule -p ule-1ppq -n 31 --discard 1
say "buildworld -j40 on the last 32 CPUs of that machine"
run compare -t x7560 --cpuset 32-63 -w buildworld:jobs=40 -p ule -p ule-1ppq -n 31 --discard 1

for recorded in make-hello-j4 pbzip2-p4; do
	say "what three schedulers would have done with a recorded $recorded, on its 2 CPUs"
	run compare -t flat:2 -w traces/recorded/$recorded.slr -p 4bsd -p ule -p ule-1ppq -n 11 --discard 1
	run run -t flat:2 -w traces/recorded/$recorded.slr -p ule >build/$recorded.txt
	echo "(the report of one run under ule: build/$recorded.txt)"
done
say "done: see README.md and docs/tutorial.md for what to do next"
