#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs the Debian packages that are missing, when it may (root, or sudo without a
# password). Usage: tests/packages.sh build|test|ci
set -eu
build="gcc libc6-dev cmake ninja-build pkg-config libglib2.0-dev libjson-glib-dev zlib1g-dev
	liblzma-dev libzstd-dev libhwloc-dev libsqlite3-dev libtracecmd-dev libtraceevent-dev"
test="$build libcmocka-dev ministat git sqlite3"
ci="$test clang clang-format patch protobuf-compiler python3 trace-cmd"

case ${1:-build} in
build) want=$build ;;
test) want=$test ;;
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
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	as_root="sudo -n"
else
	echo "missing packages:$missing" >&2
	echo "install them: sudo apt-get install$missing" >&2
	exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 || {
	$as_root apt-get update -q >/dev/null
	$as_root apt-get install -y --no-install-recommends $missing >/dev/null
}
