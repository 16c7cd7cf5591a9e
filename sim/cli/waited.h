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

/* The sink, and the flag it sets when the answer is known or *interrupted is set (for
 * sl_sim_args.stop). */
struct sl_sink sl_waited_sink(struct sl_waited *w);
void sl_waited_interrupt(struct sl_waited *w, const _Atomic bool *interrupted);
const _Atomic bool *sl_waited_done(const struct sl_waited *w);
/* The simulation whose records come. */
void sl_waited_bind(struct sl_waited *w, struct sl_sim *sim);

/* Does the answer need what the thread slept on at the instant? Its id, or SL_REC_IDLE. */
uint32_t sl_waited_sleeper(const struct sl_waited *w);
/* Prints the answer; false with an error when no such thread was seen or the run ended before the
 * instant. Call after the run, before the simulation is freed. `slept_on` says what the thread
 * waited for when it slept; NULL: nothing that could be named. */
bool sl_waited_tell(struct sl_waited *w, const char *slept_on, GError **error);

#endif
