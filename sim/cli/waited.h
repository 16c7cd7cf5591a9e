/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Why a thread waited: follows one thread through a run and keeps what happened during
 * the wait that covers a given instant. */
#ifndef SL_WAITED_H
#define SL_WAITED_H

#include "sim/cli/names.h"

struct sl_waited;

/* `thread` is "<task>-<id>", or a task's name for its first thread. */
struct sl_waited *sl_waited_new(const char *thread, sl_time at, const struct sl_topo *topo);
void sl_waited_free(struct sl_waited *w);

/* The sink, and the flag it sets when the answer is known (for sl_sim_args.stop). */
struct sl_sink sl_waited_sink(struct sl_waited *w);
const _Atomic bool *sl_waited_done(const struct sl_waited *w);
/* The simulation whose records come. */
void sl_waited_bind(struct sl_waited *w, struct sl_sim *sim);

/* Prints the answer; false with an error when no such thread was seen. Call after the
 * run, before the simulation is freed. */
bool sl_waited_tell(struct sl_waited *w, GError **error);

#endif
