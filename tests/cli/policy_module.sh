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
expect 2 'other.so: refused: .*ABI' "$SCHEDLAB" run -t up -p mypol/other.so -w hogs --until 1s
sed 's/^\t\.init = init,//' mypol/fullpol.c >mypol/other.c
build
expect 2 'other.so: refused: .*init' "$SCHEDLAB" run -t up -p mypol/other.so -w hogs --until 1s
echo 'int nothing;' >mypol/other.c
build
expect 2 'refused: it does not export sl_policy_module' \
	"$SCHEDLAB" run -t up -p mypol/other.so -w hogs --until 1s
echo text >text.so
expect 2 'text.so: not a loadable module' "$SCHEDLAB" run -t up -p ./text.so -w hogs
expect 2 'nosuch.so: no such policy module' "$SCHEDLAB" run -t up -p ./nosuch.so -w hogs
finish
