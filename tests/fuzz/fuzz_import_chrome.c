/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chrome JSON. */
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("{\"systemTraceEvents\":\"", data, size, false);
	return 0;
}
