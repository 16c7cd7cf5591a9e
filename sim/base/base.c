/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: sl_panic() is the only way the engine stops the process. */
#include "sim/base/base.h"

#include <stdio.h>
#include <stdlib.h>

void sl_panic(const char *what, const char *file, int line)
{
	fprintf(stderr, "schedlab: internal error: %s:%d: %s\n", file, line, what);
	abort();
}
