/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Ninja logs. */
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("# ninja log v5\n", data, size, true);
	return 0;
}
