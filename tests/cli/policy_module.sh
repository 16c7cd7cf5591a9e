#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The policy template builds against an installed tree and runs under the checker; a
# module with another ABI, and one that is none, are refused.
. "${SL_SOURCE_DIR:?}/tests/cli/common.inc"
cmake --install "${SL_BINARY_DIR:?}" --prefix "$scratch/installed" >/dev/null
pc=$(dirname "$(find installed -name schedlab-policy.pc)")
export PKG_CONFIG_PATH="$scratch/$pc"
cp -r installed/share/doc/*/policy-template mypol
make -s -C mypol CFLAGS='-O2 -Werror' && pass || fail "the template does not build"
# The same from a build folder with nothing installed, and what is said without either.
for make in make bmake; do
	command -v $make >/dev/null || continue
	rm -rf fresh
	cp -r "$SL_SOURCE_DIR/docs/policy-template" fresh
	(unset PKG_CONFIG_PATH && $make -C fresh SCHEDLAB="$SL_BINARY_DIR") >said 2>&1 &&
		pass || { fail "$make from the build folder" && cat said; }
	for module in mypol fullpol; do
		expect 0 '' "$SCHEDLAB" run -t 1x2x1 -p fresh/$module.so -w hogs --until 1s --check
	done
	$make -C fresh clean >/dev/null
	(PKG_CONFIG_PATH=nowhere $make -C fresh SCHEDLAB=nowhere) >said 2>&1 && fail "$make without headers" ||
		{ grep -q 'not found: install schedlab, set .*folder: make SCHEDLAB=../build' said && pass ||
			fail "$make without headers says: $(cat said)"; }
done

expect 0 '' "$SCHEDLAB" run -t 1x2x1 -p mypol/mypol.so -w hogs:n=3 --until 2s --check
says '^policy +mypol$'
says 'kern.sched.slice=10'
expect 0 '' "$SCHEDLAB" run -t 1x2x1 -p mypol/mypol.so:kern.sched.slice=2 -w late --until 1s --check
says 'kern.sched.slice=2'
expect 0 '' "$SCHEDLAB" compare -t 1x2x1 -p ule -p mypol/mypol.so -w hackbench -n 4 --until 100ms
says '^\+ mypol/mypol.so$'
expect 0 '' env SCHEDLAB_POLICY_PATH="nowhere:$scratch/mypol" "$SCHEDLAB" run -t up -p mypol -w hogs \
	--until 1s
expect 2 'no tunable "kern.sched.slise" \(did you mean "kern.sched.slice"' \
	"$SCHEDLAB" run -t up -p mypol/mypol.so:kern.sched.slise=3 -w hogs

expect 0 '' "$SCHEDLAB" run -t 1x2x2 -p mypol/fullpol.so -w hogs:n=5 --until 2s --check
says '^policy +fullpol$'

# Not every shared object is a policy of this program.
build() { make -s -C mypol other.so CFLAGS='-O2 -w'; }
sed 's/\.abi = SL_POLICY_ABI/.abi = SL_POLICY_ABI + 1/' mypol/fullpol.c >mypol/other.c
build
expect 2 'other.so: refused: it was built for version 2 of the policy ABI .*, but this program has version 1; build' \
	"$SCHEDLAB" run -t up -p mypol/other.so -w hogs --until 1s
sed 's/^\t\.init = init,//' mypol/fullpol.c >mypol/other.c
build
expect 2 'other.so: refused: .*init' "$SCHEDLAB" run -t up -p mypol/other.so -w hogs --until 1s
echo 'int nothing;' >mypol/other.c
build
expect 2 'refused: it does not export sl_policy_module' \
	"$SCHEDLAB" run -t up -p mypol/other.so -w hogs --until 1s

# What is no shared object, or only the beginning of one, does not reach the dynamic loader.
module() { pattern=$1 path=$2; shift 2; expect 2 "$path: $pattern" "$SCHEDLAB" run -t up -p "$path" -w hogs; }
odd='not a loadable module: it is'
echo text >text.so
module "$odd no ELF file; expected a shared object" ./text.so
module 'no such policy module: No such file or directory' ./nosuch.so
: >empty.so
module 'not a loadable module: the file is empty' ./empty.so
mkdir folder.so
module "$odd a folder; expected a shared object" ./folder.so
mkfifo pipe.so
module "$odd a pipe" ./pipe.so
module "$odd a device" /dev/null
ln -s nowhere dangling.so
module 'no such policy module' ./dangling.so
ln -s loop.so loop.so
module 'no such policy module' ./loop.so
cc -c -o object.so mypol/fullpol.c $(pkg-config --cflags schedlab-policy)
module "$odd an ELF file of type 1; expected 3, a shared object" ./object.so
# Bytes 4 and 5 are the word size and the byte order.
patch() { cp mypol/fullpol.so "$1" && printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }
patch class.so 4 '\003'
module "$odd an ELF file of class 3; expected" ./class.so
patch order.so 5 '\003'
module "$odd an ELF file of byte order 3; expected" ./order.so
patch machine.so 18 '\377\377'
module 'not a loadable module: ' ./machine.so
size=$(wc -c <mypol/fullpol.so)
for left in 4 15 16 63 64 100 512 1000 4000 4096 4097 8191 8192 12288 12300 $((size - 4096)) \
	$((size - 64)) $((size - 1)); do
	[ $left -lt "$size" ] || continue
	head -c $left mypol/fullpol.so >cut.so
	if [ $left -lt 16 ]; then
		module "$odd no ELF file" ./cut.so
	else
		module "not a loadable module: it was cut off or damaged: it has $left bytes, but its" ./cut.so
	fi
done
# Without its table of sections, as sstrip(1) leaves it, a module is whole: only headers count.
if [ "$(od -An -tx1 -j4 -N1 mypol/fullpol.so)" = ' 02' ]; then
	patch sections.so 40 '\0\0\0\0\0\0\0\0'
	expect 0 '' "$SCHEDLAB" run -t up -p ./sections.so -w hogs --until 1ms
	patch far.so 32 '\377\377\377\377\377\377\377\377'
	module 'not a loadable module: it was cut off or damaged' ./far.so
fi
cp mypol/fullpol.so unreadable.so
chmod 0 unreadable.so
[ -r unreadable.so ] || module 'not a loadable module: .*' ./unreadable.so
finish
