/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab sweep plan: the cells, and what they may cost.
 * Invariant: nothing is written; the estimate comes from runs that are timed and thrown
 * away, within ESTIMATE_US. */
#define _POSIX_C_SOURCE 200809L

#include "sim/cli/verb_sweep.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/batch/pool.h"

#define SAMPLES	    16
#define ESTIMATE_US (10 * G_TIME_SPAN_SECOND)

struct listing {
	const struct sl_sweep_plan *plan;
	struct sl_sweep_inputs *in;
	uint32_t place;
	/* The estimate. */
	uint32_t groups; /* of the block being counted */
	GArray *sample;	 /* of struct sample */
	int64_t until;
	_Atomic bool stop;
};

/* One cell's first run, timed. */
struct sample {
	struct sl_sweep_task task;
	char *text[SL_INPUT_KINDS];
	char *cpuset, *until;
	uint32_t block;
	bool done;
	int64_t us; /* of a run that was cut off, so far; 0: not begun */
};

static bool print_cell(const struct sl_sweep_cell *cell, void *ctx)
{
	struct listing *l = ctx;

	printf("%s\t%u\t%s\t%s\t%s\t%s\t%s\n",
	       &g_array_index(l->plan->hash, char, l->place *(SL_DIGEST_CHARS + 1)),
	       cell->block->runs, cell->axis[SL_AXIS_TOPOLOGY], cell->axis[SL_AXIS_COSTS],
	       cell->axis[SL_AXIS_CPUSET], cell->axis[SL_AXIS_WORKLOAD],
	       cell->axis[SL_AXIS_POLICY]);
	l->place++;
	return true;
}

static void add_sample(struct listing *l, const struct sl_sweep_cell *cell)
{
	static const enum sl_axis axis[SL_INPUT_KINDS] = {
		[SL_INPUT_TOPOLOGY] = SL_AXIS_TOPOLOGY,
		[SL_INPUT_COSTS] = SL_AXIS_COSTS,
		[SL_INPUT_POLICY] = SL_AXIS_POLICY,
		[SL_INPUT_WORKLOAD] = SL_AXIS_WORKLOAD,
	};
	struct sample s = { .block = cell->block_index };

	for (int i = 0; i < SL_INPUT_KINDS; i++)
		s.text[i] = g_strdup(cell->axis[axis[i]]);
	s.cpuset = g_strdup(cell->axis[SL_AXIS_CPUSET]);
	s.until = g_strdup(cell->block->until ? cell->block->until : "");
	s.task.seed = cell->block->seed;
	g_array_append_val(l->sample, s);
}

/* The first policy of a few groups, spread over each block. */
static bool pick_sample(const struct sl_sweep_cell *cell, void *ctx)
{
	struct listing *l = ctx;
	const struct sl_sweep *sweep = l->plan->sweep;
	uint32_t each = MAX(SAMPLES / sweep->block->len, 1), of_block = 0;
	uint32_t stride = MAX(l->plan->work->len / (each * sweep->block->len), 1);

	for (guint i = 0; i < l->sample->len; i++)
		of_block += g_array_index(l->sample, struct sample, i).block == cell->block_index;
	if (cell->axis[SL_AXIS_POLICY] == cell->block->axis[SL_AXIS_POLICY].item->pdata[0] &&
	    of_block < each && (of_block == 0 || cell->group % stride == 0))
		add_sample(l, cell);
	return l->sample->len < SAMPLES * sweep->block->len;
}

/* Digests as they are now: a sample is not compared with a stored plan. */
static bool fill_digests(struct listing *l, struct sample *s, struct sl_sweep_work **work)
{
	const struct sl_sweep_topo *t =
		sl_sweep_inputs_topo(l->in, s->text[SL_INPUT_TOPOLOGY], NULL);
	const struct sl_sweep_costs *c = NULL;
	const struct sl_sweep_policy *p =
		t ? sl_sweep_inputs_policy(l->in, s->text[SL_INPUT_POLICY], NULL) : NULL;

	*work = p ? sl_sweep_inputs_work(l->in, s->text[SL_INPUT_WORKLOAD], t->topo->ncpus, NULL)
		  : NULL;
	if (*work)
		c = sl_sweep_inputs_costs(l->in, s->text[SL_INPUT_COSTS], t->topo, &(*work)->work,
					  NULL);
	if (!c)
		return false;
	s->task.digest[SL_INPUT_TOPOLOGY] = t->digest;
	s->task.digest[SL_INPUT_COSTS] = c->digest;
	s->task.digest[SL_INPUT_POLICY] = p->digest;
	s->task.digest[SL_INPUT_WORKLOAD] = (*work)->digest;
	for (int i = 0; i < SL_INPUT_KINDS; i++)
		s->task.spec[i] = s->text[i];
	s->task.cpuset = s->cpuset;
	s->task.until = s->until;
	return true;
}

/* CPU time of this thread in us: what others do on the machine does not count. */
static int64_t cpu_us(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
		return g_get_monotonic_time();
	return (int64_t)now.tv_sec * G_TIME_SPAN_SECOND + now.tv_nsec / 1000;
}

static void time_sample(void *ctx, uint32_t index)
{
	struct listing *l = ctx;
	struct sample *s = &g_array_index(l->sample, struct sample, index);
	struct sl_sweep_result result;
	struct sl_sweep_work *work;
	int64_t began;

	if (!fill_digests(l, s, &work))
		return;
	began = cpu_us();
	s->done = sl_sweep_do(l->in, &s->task, 1, false, &l->stop, &result, NULL);
	if (s->done || l->stop)
		s->us = MAX(cpu_us() - began, 1);
	g_free(result.fault);
	sl_sweep_inputs_release(l->in, work);
}

static void watch(void *ctx, uint32_t done, uint32_t total)
{
	struct listing *l = ctx;

	(void)done;
	(void)total;
	if (g_get_monotonic_time() > l->until)
		l->stop = true;
}

/* Seconds of CPU for the whole sweep; 0 when no sample was done in time. */
static double estimate(struct listing *l, uint32_t *timed)
{
	const struct sl_sweep *sweep = l->plan->sweep;
	uint32_t n = l->sample->len;
	double all = 0, sum = 0, begun = 0;

	*timed = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct sample *s = &g_array_index(l->sample, struct sample, i);

		sum += (double)s->us;
		begun += s->us > 0;
		*timed += s->done;
	}
	for (guint b = 0; b < sweep->block->len && *timed; b++) {
		const struct sl_sweep_block *block = sweep->block->pdata[b];
		const struct sl_sweep one = { .path = sweep->path, .block = g_ptr_array_new() };
		double of_block = 0, k = 0;

		g_ptr_array_add(one.block, (gpointer)block);
		for (uint32_t i = 0; i < n; i++) {
			const struct sample *s = &g_array_index(l->sample, struct sample, i);

			of_block += s->block == b ? (double)s->us : 0;
			k += s->block == b && s->us > 0;
		}
		all += (k > 0 ? of_block / k : sum / begun) * block->runs *
		       (double)sl_sweep_count(&one, NULL);
		g_ptr_array_unref(one.block);
	}
	return all / 1e6;
}

static void free_samples(GArray *sample)
{
	for (guint i = 0; i < sample->len; i++) {
		struct sample *s = &g_array_index(sample, struct sample, i);

		for (int k = 0; k < SL_INPUT_KINDS; k++)
			g_free(s->text[k]);
		g_free(s->cpuset);
		g_free(s->until);
	}
	g_array_unref(sample);
}

double sl_sweep_estimate(const struct sl_sweep_plan *plan, struct sl_sweep_inputs *in,
			 uint32_t *timed)
{
	struct listing l = { .plan = plan, .in = in };
	const struct sl_pool_work work = {
		.one = time_sample, .progress = watch, .ctx = &l, .stop = &l.stop
	};
	double seconds;

	l.sample = g_array_new(FALSE, TRUE, sizeof(struct sample));
	l.until = g_get_monotonic_time() + ESTIMATE_US;
	sl_sweep_each(plan->sweep, pick_sample, &l);
	sl_pool_run(&work, 0, l.sample->len, g_get_num_processors(), NULL);
	seconds = estimate(&l, timed);
	free_samples(l.sample);
	return seconds;
}

static void print_estimate(const struct sl_sweep_plan *plan, struct sl_sweep_inputs *in)
{
	uint32_t jobs = g_get_num_processors(), timed;
	double seconds = sl_sweep_estimate(plan, in, &timed);

	if (timed)
		printf("# estimate: %.3g s of CPU time, %.3g s with -j%u (from %u timed runs)\n",
		       seconds, seconds / jobs, jobs, timed);
	else
		printf("# estimate: none, a run takes more than %d s\n",
		       (int)(ESTIMATE_US / G_TIME_SPAN_SECOND));
}

static int list(const struct sl_cli *cli, const char *path, bool quiet, bool timing)
{
	struct sl_sweep_plan plan = { 0 };
	struct listing l = { .plan = &plan };
	GError *error = NULL;
	struct sl_sweep *sweep = sl_sweep_load(path, &error);
	int code = SL_EXIT_OK;

	if (!sweep)
		return sl_sweep_fail_with(cli, error);
	l.in = sl_sweep_inputs_new(cli, true);
	if (!sl_sweep_plan_make(&plan, sweep, l.in, &error)) {
		code = sl_sweep_fail_with(cli, error);
	} else {
		printf("# sweep %s: %u cells, %" G_GUINT64_FORMAT " runs, plan %s\n", sweep->name,
		       plan.hash->len, (guint64)plan.runs, plan.digest);
		if (!quiet) {
			printf("# cell\truns\ttopology\tcosts\tcpuset\tworkload\tpolicy\n");
			sl_sweep_each(sweep, print_cell, &l);
		}
		if (timing)
			print_estimate(&plan, l.in);
	}
	sl_sweep_plan_clear(&plan);
	sl_sweep_inputs_free(l.in);
	sl_sweep_free(sweep);
	return code;
}

int sl_sweep_verb_plan(const struct sl_cli *cli, int argc, char **argv)
{
	gboolean quiet = FALSE, no_estimate = FALSE;
	const GOptionEntry own[] = {
		{ "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Do not list the cells", NULL },
		{ "no-estimate", 0, 0, G_OPTION_ARG_NONE, &no_estimate,
		  "Do not time a few runs to estimate the whole", NULL },
		{ 0 },
	};
	const char *path;

	path = sl_sweep_file_argument(cli, argc, argv, own);
	return path ? list(cli, path, quiet, !no_estimate) : SL_EXIT_USAGE;
}
