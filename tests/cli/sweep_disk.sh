#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sweeps where files may not be read or written, and where the disk is full: told in words, and
# nothing that was committed is lost. Root may read and write anything, so what root would test is
# done as the user 65534.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"

chmod 755 "$scratch"
cat >a.sweep <<'S'
[cells h]
topologies = up
policies = rr; ule
workloads = hogs
n = 1..3
until = 100ms
runs = 3
S
sed 's/runs = 3/runs = 3000/; s/100ms/10ms/' a.sweep >long.sweep
content() { "$SCHEDLAB" sweep status "$@" 2>/dev/null | sed -n 's/^# content //p'; }
expect 0 '' "$SCHEDLAB" sweep run a.sweep -o whole.sqlite
want=$(content whole.sqlite)
[ ${#want} = 32 ] && pass || fail "no content: $want"

as=
if [ "$(id -u)" = 0 ]; then
	as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	$as "$SCHEDLAB" --version >/dev/null 2>&1 || {
		as=none
		leave_out "there is no setpriv, or the user 65534 may not run $SCHEDLAB"
	}
fi
if [ "$as" != none ]; then
	mkdir ro
	for name in own part secret; do cp whole.sqlite ro/$name.sqlite; done
	printf 'x' >ro/report.html
	chmod 666 ro/part.sqlite
	chmod 444 ro/own.sqlite ro/report.html
	chmod 000 ro/secret.sqlite
	chmod 555 ro
	cksum ro/part.sqlite ro/own.sqlite ro/report.html >before
	# user CODE PATTERN ARGUMENTS...: expect, by somebody whom permissions bind.
	user() {
		code=$1 pattern=$2
		shift 2
		# shellcheck disable=SC2086
		expect "$code" "$pattern" $as "$SCHEDLAB" sweep "$@"
	}
	# Reading needs no permission to write.
	user 0 '' status ro/own.sqlite
	says "^# content $want\$"
	user 0 '' report ro/own.sqlite --csv
	user 0 '' status ro/part.sqlite
	may_not='the file or its folder may not be written$'
	denied='the file cannot be opened: Permission denied$'
	user 2 "^schedlab sweep run: ro/own.sqlite: $may_not" run a.sweep -o ro/own.sqlite
	user 2 "^schedlab sweep run: ro/part.sqlite: $may_not" run a.sweep -o ro/part.sqlite
	user 2 "^schedlab sweep run: ro/new.sqlite: $denied" run a.sweep -o ro/new.sqlite
	user 2 "ro/secret.sqlite: $denied" run a.sweep -o ro/secret.sqlite
	user 2 "ro/secret.sqlite: $denied" status ro/secret.sqlite
	user 2 "ro/m.sqlite.*: $denied" merge -o ro/m.sqlite ro/own.sqlite
	user 2 "ro/own.sqlite.*: $denied" merge -o ro/own.sqlite ro/part.sqlite
	user 2 'ro/report.html: cannot be written: Permission denied$' \
		report ro/own.sqlite --html ro/report.html
	user 2 'ro/plots: cannot make this folder: Permission denied$' \
		report ro/own.sqlite --plots ro/plots
	chmod 755 ro
	cksum ro/part.sqlite ro/own.sqlite ro/report.html | cmp -s - before && pass ||
		fail "changed: $(ls -l ro)"
	[ "$(ls ro | tr '\n' ' ')" = 'own.sqlite part.sqlite report.html secret.sqlite ' ] && pass ||
		fail "left behind: $(ls ro)"
fi

# Output that cannot be written.
if [ -w /dev/full ]; then
	for command in 'report whole.sqlite --csv' 'report whole.sqlite --json' \
		'report whole.sqlite --runs' 'status whole.sqlite'; do
		expect 2 'standard output: .*No space left' sh -c \
			"\"$SCHEDLAB\" sweep $command >/dev/full"
	done
	expect 2 '/dev/full: cannot be written: No space left' \
		"$SCHEDLAB" sweep report whole.sqlite --html /dev/full
fi

# A full disk. What the runner says it has done is in the file.
mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=260k none disk 2>/dev/null; then
	trap 'cd / && umount "$scratch/disk"; rm -rf "$scratch"' EXIT
	expect 5 'a.sqlite: no room is left; all runs committed so far are safe' \
		"$SCHEDLAB" sweep run long.sweep -j2 -o disk/a.sqlite
	told=$(sed -n 's/.* cells, \([0-9]*\) of 18000 runs, \([0-9]*\) new.*/\1 \2/p' stdout)
	expect 5 'runs are missing' "$SCHEDLAB" sweep status disk/a.sqlite
	kept=$(awk '$1 == "all" { print $5, $5 }' stdout)
	[ -n "$kept" ] && [ "$told" = "$kept" ] && pass || fail "told $told, in the file $kept"
	expect 5 'b.sqlite.* no room is left' "$SCHEDLAB" sweep merge -o disk/b.sqlite whole.sqlite
	[ -z "$(ls disk | grep '^b')" ] && pass || fail "left behind: $(ls disk)"
	expect 2 'p.html: cannot be written: No space left' \
		"$SCHEDLAB" sweep report whole.sqlite --html disk/p.html
	mount -o remount,size=64m disk
	expect 0 '' "$SCHEDLAB" sweep run long.sweep -j2 -o disk/a.sqlite
	says '6 of 6 cells, 18000 of 18000 runs'
	expect 0 '' "$SCHEDLAB" sweep run long.sweep -j2 -o undisturbed.sqlite
	[ "$(content disk/a.sqlite)" = "$(content undisturbed.sqlite)" ] && pass ||
		fail "a full disk changed the content"
else
	leave_out "a small disk of one's own needs root and tmpfs"
fi
finish
