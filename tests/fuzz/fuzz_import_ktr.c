/* SPDX-License-Identifier: BSD-2-Clause
 *
 * KTR text, both grammars. */
#include "tests/fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("  0   0   1 KTRGRAPH group:\"thread\", id:\"a tid 1\", state:\"running\", "
		    "attributes: none\n",
		    data, size, false);
	return 0;
}
