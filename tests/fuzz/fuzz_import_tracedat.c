/* SPDX-License-Identifier: BSD-2-Clause
 *
 * trace-cmd's file. libtracecmd works in a child, so what is tried here is that no fault of
 * the child reaches us. */
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("", data, size, false);
	return 0;
}
