#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs the Debian packages that are missing, when it may (root, or sudo without a
# password). Usage: tests/packages.sh build|test|ci
set -eu
build="gcc libc6-dev cmake ninja-build pkg-config libglib2.0-dev libjson-glib-dev zlib1g-dev
	liblzma-dev libzstd-dev libhwloc-dev libsqlite3-dev libtracecmd-dev libtraceevent-dev"
test="$build libcmocka-dev ministat git sqlite3"
# rt-app's package has 25 workload files that tests read; without it they are skipped, so it is
# wished for in a test and must be there in CI.
wish="rt-app"
ci="$test $wish clang clang-format patch protobuf-compiler python3 trace-cmd gnuplot-nox parallel
	mandoc groff-base munge slurm-client slurmctld slurmd"

want_too=
case ${1:-build} in
build) want=$build ;;
test)
	want=$test
	[ -f /usr/share/doc/rt-app/taskset.json ] || want_too=$wish
	;;
ci) want=$ci ;;
*) echo "usage: $0 build|test|ci" >&2; exit 3 ;;
esac
if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "not a Debian system: the packages wanted are" $want >&2
	exit 0
fi
missing=
for package in $want; do
	status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) || status=
	[ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing$want_too" ] || exit 0
if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	as_root="sudo -n"
elif [ -z "$missing" ]; then
	exit 0
else
	echo "missing packages:$missing" >&2
	echo "install them: sudo apt-get install$missing" >&2
	exit 1
fi
echo "installing:$missing $want_too"
export DEBIAN_FRONTEND=noninteractive
if [ -n "$want_too" ]; then
	$as_root apt-get install -y --no-install-recommends $want_too >/dev/null 2>&1 ||
		echo "without $want_too: its tests will be skipped" >&2
	[ -n "$missing" ] || exit 0
fi
$as_root apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 || {
	$as_root apt-get update -q >/dev/null
	$as_root apt-get install -y --no-install-recommends $missing >/dev/null
}
