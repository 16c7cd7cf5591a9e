/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Content hashes of a run's inputs. Two inputs have one hash when the engine cannot tell
 * them apart: spelling, comments and defaults written out do not count, and what a file
 * includes does. SHA-256, cut to 128 bits and written as 32 hexadecimal digits. */
#ifndef SL_BATCH_DIGEST_H
#define SL_BATCH_DIGEST_H

#include <glib.h>

#include "sim/core/sim.h"

#define SL_DIGEST_CHARS 32

/* Collects values, independent of the machine's byte order. */
struct sl_hasher {
	GChecksum *sum;
	uint32_t used;
	guchar buffer[4096];
};

void sl_hasher_init(struct sl_hasher *h, const char *what);
void sl_hasher_u64(struct sl_hasher *h, uint64_t value);
void sl_hasher_text(struct sl_hasher *h, const char *text); /* NULL is not "" */
void sl_hasher_bytes(struct sl_hasher *h, const void *bytes, size_t n);
/* The hash, freed by the caller; h is cleared. */
char *sl_hasher_end(struct sl_hasher *h);

/* Of frozen inputs; freed by the caller. O(size). */
char *sl_digest_topo(const struct sl_topo *t);
char *sl_digest_costs(const struct sl_costs *c);
char *sl_digest_workload(const struct sl_workload *w);

#endif
