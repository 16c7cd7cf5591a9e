/* SPDX-License-Identifier: BSD-2-Clause
 *
 * perf script text. */
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("# ========\n", data, size, false);
	return 0;
}
