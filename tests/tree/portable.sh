#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Fails when a source needs more of the system than ISO C, POSIX and the libraries of
# docs/design.md: other headers, functions or feature macros of one system, its files.
# sim/cli/verb_record.c alone may know Linux, where perf is.
set -eu
cd "${SL_SOURCE_DIR:-.}"
headers='assert|errno|fcntl|float|inttypes|limits|locale|math|poll|signal|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings|sys/mman|sys/resource|sys/stat|sys/time|sys/types|sys/wait|termios|time|unistd'
libraries='glib|glib/gstdio|gio/gio|gmodule|json-glib/json-glib|zlib|lzma|zstd|sqlite3|hwloc|trace-cmd'
# Terminal width: every Unix has the ioctl, no standard.
exceptions='stats/ministat\.c:.*(sys/ioctl\.h|_DEFAULT_SOURCE)'
# Files of one system; calls and macros of Linux, glibc or GNU.
system='"/(proc|sys)/|\b(epoll_|prctl|sched_(set|get)affinity|sched_getcpu|get_nprocs|eventfd|timerfd_|signalfd|inotify_|memfd_create|malloc_(usable_size|trim)|mallinfo|program_invocation_|getopt_long|strchrnul|memrchr|mempcpy|secure_getenv|qsort_r|pipe2|accept4|dup3|sendfile|copy_file_range|splice|fallocate|syscall|gettid|getauxval|backtrace|asprintf|vasprintf|strverscmp|fopencookie|canonicalize_file_name|get_current_dir_name|euidaccess|basename|error_at_line|pthread_setname_np|posix_fadvise) *\(|\b(_GNU_SOURCE|RUSAGE_THREAD|CLOCK_BOOTTIME|CLOCK_MONOTONIC_RAW|MAP_POPULATE|O_TMPFILE|__linux__|__GLIBC__|_SC_PHYS_PAGES|_SC_AVPHYS_PAGES)\b|program_invocation_'
bad=0 files=0
complain() {
	if [ -s "$scratch" ]; then
		sed "s|^|$1: |" "$scratch" >&2
		bad=1
	fi
}
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
for f in $(git ls-files 'sim/*.[ch]' 'policies/*.[ch]' 'topologies/*.[ch]' 'traces/*.[ch]' 'stats/*.[ch]' \
	'docs/*.c'); do
	files=$((files + 1))
	[ "$f" = sim/cli/verb_record.c ] && continue
	grep -HnE '^[ 	]*#[ 	]*include[ 	]*<' "$f" | grep -Ev "<($headers|$libraries)\.h>" |
		grep -Ev "$exceptions" >"$scratch" || :
	complain "no header of ISO C, POSIX or a library"
	# Comments may name what kernels have.
	sed 's|^[ 	]*/*\*.*||; s|/\*.*\*/||' "$f" | grep -nE "$system" | sed "s|^|$f:|" |
		grep -Ev "$exceptions" >"$scratch" || :
	complain "not in every system"
done
[ $files -ge 100 ] || { echo "only $files files seen" >&2; bad=1; }
# Shell tests are for any sh: no bash, no options of GNU tools that BSDs lack.
for f in $(git ls-files 'tests/*.sh' 'tests/*.inc' 'docs/*.sh' .ci/run); do
	grep -HnE '^#!.*bash|\[\[ [^:]|^function [a-z_]+ *\{|readlink -f|grep -[a-zA-Z]*P |sed -i |(^|[^a-z])stat -c|date -d|echo -e |head -c -|cp -[a-z]*t |xargs -d' \
		"$f" | grep -v '^tests/tree/portable.sh:' >"$scratch" || :
	complain "not in every sh"
done
[ $bad = 0 ] && echo "1 passed, 0 failed"
exit $bad
