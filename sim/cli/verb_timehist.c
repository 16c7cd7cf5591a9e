/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab timehist: a line for each turn on a CPU, in perf sched timehist's layout. As
 * there, wait time is from leaving a CPU to the next turn, sch delay from the wake-up to
 * it, and the line is printed when the turn ends. */
#include "sim/cli/verbs.h"

#include <math.h>

#include "sim/cli/view.h"

struct timehist {
	struct sl_view_threads threads;
};

static void begin(struct sl_view *view)
{
	struct timehist *h = view->state;

	sl_view_threads_init(&h->threads);
	if (view->summary)
		return;
	sl_out_text(view->out,
		    "           time    cpu  task name                       wait time  sch delay"
		    "   run time\n"
		    "                        [tid]                              (msec)     (msec)"
		    "     (msec)\n"
		    "--------------- ------  ------------------------------  ---------  ---------"
		    "  ---------\n");
}

static void record(struct sl_view *view, const struct sl_rec *rec)
{
	struct timehist *h = view->state;
	sl_time run;
	const struct sl_view_thread *t = sl_view_follow(&h->threads, rec, &run);
	char name[300];

	if (!t || view->summary || rec->at < view->from || rec->at > view->to)
		return;
	g_snprintf(name, sizeof(name), "%s[%u]", sl_names_get(&view->names, rec->a), rec->a);
	sl_out_printf(view->out, "%8" G_GUINT64_FORMAT ".%06u [%04u]  %-30s  %9.3f  %9.3f  %9.3f\n",
		      (guint64)(rec->at / SL_NS_PER_S),
		      (unsigned)(rec->at % SL_NS_PER_S / SL_NS_PER_US), rec->cpu, name,
		      (double)t->wait / 1e6, (double)t->delay / 1e6, (double)run / 1e6);
}

/* Standard deviation of the mean, in % of it, as perf prints it. */
static double spread(const struct sl_view_thread *t)
{
	double n = (double)t->turns, mean = (double)t->run_sum / n;
	double var = n > 1 ? (t->run_square - n * mean * mean) / (n - 1) : 0;

	return mean > 0 && var > 0 ? sqrt(var / n) / mean * 100 : 0;
}

static void end(struct sl_view *view)
{
	struct timehist *h = view->state;
	char name[300];

	sl_view_finish(&h->threads, view->now);
	if (view->summary)
		sl_out_text(
			view->out,
			"Runtime summary\n"
			"                          comm  parent   sched-in     run-time    min-run "
			" "
			"   avg-run     max-run  stddev  migrations\n"
			"                                          (count)       (msec)     (msec) "
			" "
			"    (msec)      (msec)       %\n"
			"-----------------------------------------------------------------------"
			"----------------------------------------------\n");
	for (guint tid = 0; view->summary && tid < h->threads.of->len; tid++) {
		const struct sl_view_thread *t = sl_view_thread_at(&h->threads, tid);

		if (t->turns == 0)
			continue;
		g_snprintf(name, sizeof(name), "%s[%u]", sl_names_get(&view->names, tid), tid);
		sl_out_printf(view->out,
			      "%30s  %6" G_GINT64_FORMAT "  %9" G_GUINT64_FORMAT
			      "    %9.3f  %9.3f   %9.3f   %9.3f  %6.2f  %6" G_GUINT64_FORMAT "\n",
			      name, t->parent, (guint64)t->turns, (double)t->run_sum / 1e6,
			      (double)t->run_least / 1e6,
			      (double)t->run_sum / (double)t->turns / 1e6,
			      (double)t->run_most / 1e6, spread(t), (guint64)t->migrations);
	}
	g_array_unref(h->threads.of);
}

int sl_verb_timehist(const struct sl_cli *cli, int argc, char **argv)
{
	static const struct sl_view_kind kind = {
		.state_size = sizeof(struct timehist),
		.has_summary = true,
		.begin = begin,
		.record = record,
		.end = end,
	};

	return sl_view_run(cli, argc, argv, &kind);
}
