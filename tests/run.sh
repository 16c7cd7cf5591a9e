#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs what is missing, builds with warnings as errors, runs all tests.
# CI=true adds: a clang build, all tests under ASan and UBSan, equal digests from gcc -O0,
# gcc -O2 and clang, compare -j2 and sweeps under TSan, a short run of every fuzz target, and the
# format check. The last line is ctest's summary.
set -eu
cd "$(dirname "$0")/.."
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

step() {
	printf '== %s\n' "$*"
}

# configure DIR [cmake options...]
configure() {
	dir=$1
	shift
	cmake -G Ninja -S . -B "$dir" -DSL_WERROR=ON -DSL_TESTS=ON "$@" >"$dir.log" 2>&1 || {
		cat "$dir.log" >&2
		exit 1
	}
	rm -f "$dir.log"
}

build() {
	dir=$1
	shift
	cmake --build "$dir" -j "$jobs" "$@" >"$dir/build.log" 2>&1 || {
		cat "$dir/build.log" >&2
		exit 1
	}
}

# run_tests DIR [ctest options...]: output to the terminal, summary line to DIR/summary.
run_tests() {
	dir=$1
	shift
	status=0
	ctest --test-dir "$dir" --output-on-failure -j "$jobs" "$@" >"$dir/ctest.log" 2>&1 || status=$?
	cat "$dir/ctest.log"
	grep 'tests passed' "$dir/ctest.log" >"$dir/summary" || status=1
	[ "$status" = 0 ] || exit "$status"
}

check_format() {
	git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
}

fuzz_smoke() {
	for target in build-fuzz/tests/fuzz_*; do
		[ -x "$target" ] && [ -f "$target" ] || continue
		name=$(basename "$target")
		corpus=tests/fuzz/corpus/${name#fuzz_}
		scratch=$(mktemp -d)
		[ -d "$corpus" ] || corpus=
		"$target" -max_total_time=5 -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
			"$scratch" $corpus >"build-fuzz/$name.log" 2>&1 || {
			tail -n 40 "build-fuzz/$name.log" >&2
			rm -rf "$scratch"
			exit 1
		}
		rm -rf "$scratch"
		echo "$name: no crash"
	done
}

extra=test
[ "${CI:-}" = true ] && extra=ci
step "packages"
sh tests/packages.sh "$extra"
step "gcc build and tests"
configure build -DCMAKE_BUILD_TYPE=Release
build build
run_tests build

if [ "${CI:-}" = true ]; then
	step "format"
	check_format
	step "clang build"
	configure build-clang -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release
	build build-clang
	step "the same digests from gcc -O2, gcc -O0 and clang"
	configure build-O0 -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DSL_TESTS=OFF
	build build-O0
	sh tests/same_digests.sh build/schedlab build-O0/schedlab build-clang/schedlab
	step "ASan and UBSan: all tests"
	configure build-asan -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug \
		"-DCMAKE_C_FLAGS_DEBUG=-O1 -g" -DSL_SANITIZE=address,undefined
	build build-asan
	ASAN_OPTIONS=detect_leaks=1 SL_MINISTAT_CASES=200 SL_LONG=no run_tests build-asan
	ASAN_OPTIONS=detect_leaks=1 build-asan/tests/bench_noise 60 "$(date +%j)"
	step "TSan: compare and sweeps on two threads"
	configure build-tsan -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug \
		"-DCMAKE_C_FLAGS_DEBUG=-O1 -g" -DSL_SANITIZE=thread -DSL_TESTS=OFF
	build build-tsan
	TSAN_OPTIONS=halt_on_error=1 build-tsan/schedlab compare \
		-t 1x2x2 -w hogs -p ule -p 4bsd -n 5 -j 2 --until 5s >/dev/null
	scratch=$(mktemp -d)
	# Two runners of two threads each share one file.
	TSAN_OPTIONS=halt_on_error=1 build-tsan/schedlab sweep run tests/batch/tsan.sweep -j 2 \
		-o "$scratch/s.sqlite" &
	TSAN_OPTIONS=halt_on_error=1 build-tsan/schedlab sweep run tests/batch/tsan.sweep -j 2 \
		-o "$scratch/s.sqlite"
	wait $!
	TSAN_OPTIONS=halt_on_error=1 build-tsan/schedlab sweep status "$scratch/s.sqlite"
	rm -rf "$scratch"
	step "fuzz targets, 5 s each"
	configure build-fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug \
		"-DCMAKE_C_FLAGS_DEBUG=-O1 -g" -DSL_SANITIZE=address,undefined -DSL_FUZZ=ON
	build build-fuzz
	fuzz_smoke
	step "mutants: a part that changes from day to day"
	sh tests/mutants/run.sh "$(date +%j)" 18
	step "all of CI passed"
fi
cat build/summary
