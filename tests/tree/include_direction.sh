#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fails when a source includes a folder that docs/design.md does not let it see.
set -eu
cd "${SL_SOURCE_DIR:-.}"
allowed() {
	case $1 in
	sim/base) echo "sim/base" ;;
	sim/core) echo "sim/base sim/core" ;;
	policies) echo "sim/base policies policies/eras" ;;
	policies/eras) echo "sim/base policies policies/eras" ;;
	topologies) echo "sim/base sim/core topologies" ;;
	traces) echo "sim/base sim/core traces" ;;
	stats) echo "sim/base stats" ;;
	sim/batch) echo "sim/base sim/core sim/batch policies stats topologies traces" ;;
	*) echo "*" ;;
	esac
}
bad=0
for f in $(git ls-files 'sim/*.[ch]' 'policies/*.[ch]' 'topologies/*.[ch]' 'traces/*.[ch]' 'stats/*.[ch]'); do
	from=$(dirname "$f")
	ok=$(allowed "$from")
	[ "$ok" = "*" ] && continue
	for inc in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$f"); do
		to=$(dirname "$inc")
		case " $ok " in
		*" $to "*) ;;
		*)
			case "$from:$inc" in
			policies*:sim/core/policy.h | policies*:sim/core/topo.h) ;;
			stats:sim/core/record.h) ;;
			*) echo "$f: may not include \"$inc\""; bad=1 ;;
			esac
			;;
		esac
	done
	case $from in
	sim/base | sim/core | policies | policies/eras)
		if grep -nE '#[ \t]*include[ \t]*<(glib|gio|json-glib|time|sys/|unistd)' "$f"; then
			echo "$f: hot code sees libc only"; bad=1
		fi ;;
	esac
done
[ "$bad" = 0 ] && echo "1 passed, 0 failed"
exit $bad
