/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Our own recordings, uncompressed. */
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("schedlab recording 2\nname x\nlatency 0\nrecorded 5\n", data, size, true);
	return 0;
}
