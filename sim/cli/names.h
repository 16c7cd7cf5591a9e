/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Thread names of one simulation, asked for once each. */
#ifndef SL_NAMES_H
#define SL_NAMES_H

#include <glib.h>

#include "sim/core/sim.h"

struct sl_names {
	const struct sl_sim *sim; /* set by the owner once it exists */
	GPtrArray *by_tid;	  /* NULL where not yet asked */
};

void sl_names_init(struct sl_names *names);
void sl_names_clear(struct sl_names *names);
/* "<task>-<id>", "idle" for SL_REC_IDLE; valid as long as `names`. */
const char *sl_names_get(struct sl_names *names, uint32_t tid);

/* Whether `wanted` is the thread's name, or its task's. */
bool sl_names_match(const char *wanted, const char *name);

/* " (did you mean ...?)" with the nearest name among the threads asked for so far, or "". Freed by
 * the caller. */
char *sl_names_hint(const struct sl_names *names, const char *wanted);

#endif
