/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ftrace text. */
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("# tracer: nop\n", data, size, false);
	return 0;
}
