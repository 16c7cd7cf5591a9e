/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs n independent pieces of work on a few threads. A piece knows its index and
 * writes its result under it, so the outcome does not depend on who ran what when. */
#ifndef SL_POOL_H
#define SL_POOL_H

#include <glib.h>

#include "sim/base/base.h"

struct sl_pool_work {
	/* Does piece `index`; called from several threads at once. */
	void (*one)(void *ctx, uint32_t index);
	/* Called in the caller's thread when pieces are done and about every second;
	 * NULL: nobody watches. */
	void (*progress)(void *ctx, uint32_t done, uint32_t total);
	void *ctx;
	const _Atomic bool *stop; /* NULL, or: true = start no further piece */
};

/* Does pieces first .. first+n-1 on `jobs` threads (0: one per CPU of this machine) and
 * returns when all are done, how many were. Pieces not started because of `stop` are not
 * counted. Errors: threads that cannot be made; then nothing has run and 0 is returned. */
uint32_t sl_pool_run(const struct sl_pool_work *work, uint32_t first, uint32_t n, uint32_t jobs,
		     GError **error);

#endif
