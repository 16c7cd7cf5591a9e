/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What pictures of one run need: every latency from wake-up, or start, to run, and
 * who waited where.
 * A waiting thread counts on the CPU it was queued on last, by a wake-up, a start or a switch;
 * or where it ran last when the policy has one queue for all;
 * a steal shows when the thread runs, as a migration. */
#ifndef SL_PLOT_WATCH_H
#define SL_PLOT_WATCH_H

#include <glib.h>

#include "sim/core/record.h"
#include "stats/histogram.h"

#define SL_PLOT_BINS 128 /* of time; at least half of them are used */

struct sl_plot_watch {
	uint32_t ncpus;
	sl_time width;		     /* of a bin; doubled when the run is longer */
	struct sl_histogram latency; /* ns */
	GArray *thread;		     /* by tid */
	uint32_t *length;	     /* by CPU: threads that wait now */
	sl_time *since;		     /* by CPU: length is accounted up to here */
	/* By CPU and bin: thread-time waited, migrations to the CPU. */
	uint64_t *waited, *moved;
};

void sl_plot_watch_init(struct sl_plot_watch *w, uint32_t ncpus);
void sl_plot_watch_clear(struct sl_plot_watch *w);
struct sl_sink sl_plot_watch_sink(struct sl_plot_watch *w);
/* Accounts up to the end of the run. Call once. */
void sl_plot_watch_finish(struct sl_plot_watch *w, sl_time end);

#endif
