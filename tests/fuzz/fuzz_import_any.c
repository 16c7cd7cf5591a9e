/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Anything, compressed or not: the choice of the reader and the decompressors. */
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("", data, size, true);
	return 0;
}
