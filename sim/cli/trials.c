/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a row is written by the one piece of work that owns its index, and read
 * only after the pool has returned. */
#define _POSIX_C_SOURCE 200809L

#include "sim/cli/trials.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/batch/pool.h"

void sl_trials_init(struct sl_trials *t, const struct sl_cli *cli, const struct sl_setup *setup,
		    const _Atomic bool *stop)
{
	*t = (struct sl_trials){
		.cli = cli,
		.setup = setup,
		.policies = setup->policies->len,
		.row = g_array_new(FALSE, TRUE, sizeof(struct sl_trial)),
		.stop = stop,
		.said_at = g_get_monotonic_time(),
	};
}

void sl_trials_clear(struct sl_trials *t)
{
	for (guint i = 0; i < t->row->len; i++) {
		g_free(g_array_index(t->row, struct sl_trial, i).latencies);
		g_free(g_array_index(t->row, struct sl_trial, i).fault);
	}
	g_array_unref(t->row);
}

const struct sl_trial *sl_trials_at(const struct sl_trials *t, uint32_t policy, uint32_t run)
{
	return &g_array_index(t->row, struct sl_trial, run * t->policies + policy);
}

static struct sl_latencies *copy_latencies(const struct sl_totals *totals)
{
	uint32_t first = 0, end = SL_LATENCY_BUCKETS;
	struct sl_latencies *l;

	while (first < end && totals->latency[first] == 0)
		first++;
	while (end > first && totals->latency[end - 1] == 0)
		end--;
	l = g_malloc(sizeof(*l) + (end - first) * sizeof(l->count[0]));
	l->first = first;
	l->n = end - first;
	l->max = totals->latency_max;
	memcpy(l->count, totals->latency + first, l->n * sizeof(l->count[0]));
	return l;
}

static void run_one(void *ctx, uint32_t index)
{
	struct sl_trials *t = ctx;
	struct sl_trial *row = &g_array_index(t->row, struct sl_trial, index);
	uint32_t run = index / t->policies;
	struct sl_sim_args args;
	struct sl_totals totals;
	struct sl_sim *sim;
	char why[512];

	sl_setup_args(t->setup, index % t->policies, &args);
	args.seed += run;
	args.cold_cache |= run == 0;
	args.stop = t->stop;
	sim = sl_sim_new(&args, why, sizeof(why));
	if (!sim) {
		row->end = t->stop && *t->stop ? SL_END_STOPPED : SL_END_NOMEM;
		row->fault = row->end == SL_END_NOMEM ? g_strdup(why) : NULL;
		return;
	}
	row->end = sl_sim_run(sim);
	row->done = row->end == SL_END_DONE || row->end == SL_END_UNTIL;
	if (sl_end_exit(row->end) == SL_EXIT_FAULT || *sl_sim_fault(sim))
		row->fault = g_strdup(sl_sim_fault(sim));
	sl_sim_totals(sim, &totals);
	for (int i = 0; i < SL_METRIC_DEFS; i++)
		row->value[i] = sl_metric_defs[i].value(&totals);
	row->digest = totals.digest;
	if (t->keep_latencies)
		row->latencies = copy_latencies(&totals);
	sl_sim_free(sim);
}

/* A moving line on a terminal, else a line per 10 s. */
static void show_progress(void *ctx, uint32_t done, uint32_t total)
{
	struct sl_trials *t = ctx;
	int64_t now = g_get_monotonic_time();
	bool terminal = isatty(STDERR_FILENO);
	char more[80] = "";

	if (now - t->said_at < (terminal ? G_TIME_SPAN_SECOND / 5 : 10 * G_TIME_SPAN_SECOND) &&
	    !(terminal && done == total))
		return;
	t->said_at = now;
	if (t->note)
		t->note(t->note_ctx, t->before + done / t->policies, more, sizeof(more));
	if (terminal)
		fprintf(stderr, "\r%u of %u runs%s\033[K%s", done, total, more,
			done == total ? "\r\033[K" : "");
	else
		fprintf(stderr, "%u of %u runs%s\n", done, total, more);
}

bool sl_trials_add(struct sl_trials *t, uint32_t runs, uint32_t jobs, GError **error)
{
	const struct sl_pool_work work = {
		.one = run_one,
		.progress = show_progress,
		.ctx = t,
		.stop = t->stop,
	};
	uint32_t first = t->runs * t->policies;
	GError *why = NULL;

	t->before = t->runs;
	t->runs += runs;
	g_array_set_size(t->row, t->runs * t->policies);
	sl_pool_run(&work, first, runs * t->policies, jobs, &why);
	if (!why)
		return true;
	g_propagate_error(error, why);
	return false;
}

uint32_t sl_trials_whole(const struct sl_trials *t)
{
	uint32_t rows = 0;

	while (rows < t->row->len && g_array_index(t->row, struct sl_trial, rows).done)
		rows++;
	return rows / t->policies;
}

double *sl_trials_values(const struct sl_trials *t, uint32_t policy, int metric, uint32_t discard,
			 size_t *n)
{
	const uint32_t whole = sl_trials_whole(t);
	double *v = g_new(double, whole + 1);

	*n = 0;
	for (uint32_t run = discard; run < whole; run++)
		v[(*n)++] = sl_trials_at(t, policy, run)->value[metric];
	return v;
}
