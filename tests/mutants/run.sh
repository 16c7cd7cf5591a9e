#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Wrong on purpose: each patch here changes one line of a policy or of the engine. It is
# applied to a copy of the tree, what it touches is built, and some test has to fail.
#   run.sh            all patches
#   run.sh N M        part N of M: patches whose number modulo M is N modulo M
#   run.sh NAME...    these patches
# Environment: MUTANTS_DIR keeps the copy for the next call (default: a temporary folder).
# Prints one line per patch; exit 1 when one survives, 2 when one no longer applies.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${MUTANTS_DIR:-$(mktemp -d)}
[ -n "${MUTANTS_DIR:-}" ] || trap 'rm -rf "$work"' EXIT
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

select_patches() {
	case "${1:-}" in
	'')
		ls "$here"/*.patch
		;;
	[0-9]*)
		ls "$here"/*.patch | awk -v part="$1" -v of="$2" 'NR % of == part % of'
		;;
	*)
		for name in "$@"; do
			echo "$here/$name.patch"
		done
		;;
	esac
}

# A fresh copy; files that are the same keep their time, so that little is built again.
copy_tree() {
	mkdir -p "$work/tree" "$work/new"
	(cd "$root" && tar -cf - CMakeLists.txt sim/base sim/core policies topologies traces stats \
		tests/CMakeLists.txt tests/sl_test.h tests/core tests/policies tests/bad_policies \
		tests/property tests/scenarios tests/golden) | (cd "$work/new" && tar -xf -)
	(cd "$work/new" && find . -type f) | while read -r file; do
		cmp -s "$work/new/$file" "$work/tree/$file" && continue
		mkdir -p "$(dirname "$work/tree/$file")"
		cp "$work/new/$file" "$work/tree/$file"
	done
	rm -rf "$work/new"
}

# Quick ones first: most patches die early.
tests() {
	(cd "$work/build/tests" && ls policies_test_* core_test_* bad_policies_test_* |
		grep -v '\.cmake$')
	echo scenarios_test_fidelity
	echo scenarios_test_fidelity_work
	echo scenarios_test_conformance
}

# Name of the first test that fails; nothing when all pass.
first_red() {
	for test in $(tests); do
		if ! timeout 300 "$work/build/tests/$test" >"$work/log" 2>&1; then
			echo "$test"
			return
		fi
	done
}

build() {
	targets=$(cd "$work/build" && ninja -t targets all | sed -n \
		's/^tests\/\(\(policies\|core\|bad_policies\)_test_[a-z0-9_]*\): C_EXEC.*/\1/p')
	# shellcheck disable=SC2086
	ninja -C "$work/build" -j "$jobs" $targets scenarios_test_fidelity \
		scenarios_test_fidelity_work scenarios_test_conformance >"$work/log" 2>&1
}

copy_tree
cmake -G Ninja -S "$work/tree" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DSL_LTO=OFF >"$work/log" 2>&1 ||
	{ cat "$work/log" >&2; exit 1; }
build || { tail -n 30 "$work/log" >&2; exit 1; }
red=$(first_red)
if [ -n "$red" ]; then
	echo "$red fails without any mutant" >&2
	exit 1
fi
status=0
for patch in $(select_patches "$@"); do
	name=$(basename "$patch" .patch)
	if ! (cd "$work/tree" && patch -p1 -s -f --dry-run <"$patch" >/dev/null 2>&1); then
		echo "$name: ERROR: the patch no longer applies"
		status=2
		continue
	fi
	(cd "$work/tree" && patch -p1 -s -f <"$patch")
	if ! build; then
		echo "$name: ERROR: it does not build"
		status=2
	else
		red=$(first_red)
		if [ -n "$red" ]; then
			echo "$name: killed by $red"
		else
			echo "$name: SURVIVES ($(head -n 1 "$patch"))"
			[ "$status" = 2 ] || status=1
		fi
	fi
	(cd "$work/tree" && patch -p1 -s -f -R <"$patch")
done
find "$work/tree" \( -name '*.orig' -o -name '*.rej' \) -exec rm -f {} +
exit "$status"
