/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What --check adds to the report: what the observer found. A finding is no fault: some
 * policies leave CPUs idle by design; check_fatal.c makes one of it when asked. */
#include "sim/cli/report.h"

#include <stdio.h>

#include "sim/cli/check_fatal.h"

static void print_gap(const struct sl_report *r, const struct sl_gap *gap)
{
	char name[256], event[320];

	printf("  %.6f to %.6f s: %s waits beside idle CPU %u", (double)gap->opened / 1e9,
	       (double)gap->closed / 1e9, sl_sim_thread_name(r->sim, gap->tid, name, sizeof(name)),
	       gap->idle_cpu);
	printf("; begins: %s", sl_gap_event_text(r->sim, gap->opening, gap->opening_tid, gap, event,
						 sizeof(event)));
	printf("; ends: %s\n", sl_gap_event_text(r->sim, gap->closing, gap->closing_tid, gap, event,
						 sizeof(event)));
}

static void print_gaps(const struct sl_report *r)
{
	const struct sl_observed *o = r->observed;

	printf("\nwork conservation\n");
	printf("  %" G_GUINT64_FORMAT " waits beside an idle CPU, %" G_GUINT64_FORMAT
	       " longer than %.3f ms; %.6f s of threads, %.6f s of CPUs\n",
	       (guint64)o->gaps, (guint64)o->long_gaps, (double)o->grace / 1e6,
	       (double)o->gap_sum / 1e9, (double)o->wasted / 1e9);
	for (uint32_t b = 0; b < SL_OBSERVE_BUCKETS; b++)
		if (o->gap_length[b] > 0)
			printf("  %12.3f us or more %12" G_GUINT64_FORMAT "\n",
			       (double)((guint64)1 << b) / 1e3, (guint64)o->gap_length[b]);
	for (uint32_t i = 0; i < o->n_worst; i++)
		print_gap(r, &o->worst[i]);
}

void sl_report_check_text(const struct sl_report *r)
{
	const struct sl_observed *o = r->observed;
	const struct sl_hogs *h = &o->hogs;

	print_gaps(r);
	if (o->has_hogs)
		printf("\nequal hogs: %u of task %s over %.3f s\n"
		       "  on a CPU %5.1f .. %5.1f .. %5.1f %%\n"
		       "  waiting  %5.1f .. %5.1f .. %5.1f %%\n",
		       h->n, r->setup->work.workload->task[h->task].name, (double)h->window / 1e9,
		       h->run_min / 10.0, h->run_mean / 10.0, h->run_max / 10.0, h->wait_min / 10.0,
		       h->wait_mean / 10.0, h->wait_max / 10.0);
	printf("\nmigrations\n  %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
	       " off an idle CPU, %" G_GUINT64_FORMAT " back again within %.3f ms\n",
	       (guint64)o->migrations, (guint64)o->home_idle, (guint64)o->back_again,
	       (double)o->grace / 1e6);
	if (o->left_out > 0)
		printf("  %u of %u threads are not judged: bound, pinned, or given other masks\n",
		       o->left_out, o->left_out + o->judged);
	if (o->no_memory)
		printf("  INCOMPLETE: memory was short\n");
}
