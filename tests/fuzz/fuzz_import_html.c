/* SPDX-License-Identifier: BSD-2-Clause
 *
 * systrace HTML. */
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("<html>\nvar linuxPerfData = \"\\\n", data, size, false);
	return 0;
}
