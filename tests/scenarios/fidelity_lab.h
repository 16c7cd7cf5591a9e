/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A scenario written in C: machine, programs and costs in one struct, run with the checker and
 * kept with all its records. For the tests of fidelity. */
#ifndef SL_TEST_FIDELITY_LAB_H
#define SL_TEST_FIDELITY_LAB_H

#include "policies/registry.h"
#include "sim/core/observe.h"
#include "sim/core/sim.h"

#include "tests/sl_test.h"

#include <glib.h>

#define MS   SL_NS_PER_MS
#define US   SL_NS_PER_US
#define SEC  SL_NS_PER_S
#define EVER UINT64_MAX

enum { MAX_OPS = 64, MAX_TASKS = 16 };

/* A scenario under construction, and what came of it. */
struct lab {
	const char *policy, *era;
	struct sl_topo_cpu cpu[64];
	struct sl_topo topo;
	struct sl_op op[MAX_OPS];
	struct sl_task task[MAX_TASKS];
	struct sl_workload w;
	struct sl_channel_spec channel[2];
	struct sl_costs costs;
	const struct sl_era *own_era;
	const uint64_t *masks;
	uint64_t seed;
	bool explain, sample, check;
	/* Results. */
	struct sl_sim *sim;
	GArray *rec;
	struct sl_totals total;
	struct sl_observed seen;
};

static inline void lab_open(struct lab *l, const char *policy, const char *era, uint32_t ncpus)
{
	memset(l, 0, sizeof *l);
	l->policy = policy;
	l->era = era;
	l->seed = 1;
	l->check = true;
	for (uint32_t c = 0; c < ncpus; c++)
		l->cpu[c] = (struct sl_topo_cpu){ .core = (uint16_t)c,
						  .l1 = (uint16_t)c,
						  .l2 = (uint16_t)c,
						  .speed_permille = 1000 };
	l->topo = (struct sl_topo){ .name = "lab", .ncpus = ncpus, .cpu = l->cpu };
	l->topo.uniprocessor = ncpus == 1;
	l->w = (struct sl_workload){ .name = "lab", .op = l->op, .task = l->task };
}

static inline struct sl_task *lab_task(struct lab *l, uint32_t instances)
{
	struct sl_task *t = &l->task[l->w.n_tasks++];

	assert_true(l->w.n_tasks <= MAX_TASKS);
	*t = (struct sl_task){ .name = "t",
			       .instances = instances,
			       .first_op = l->w.n_ops,
			       .mask = SL_NONE,
			       .proc_group = SL_NONE,
			       .bind_cpu = -1 };
	return t;
}

/* Adds an operation to the last task. Loops do not nest. */
static inline struct sl_op *lab_op(struct lab *l, enum sl_op_kind kind, uint64_t value)
{
	struct sl_task *t = &l->task[l->w.n_tasks - 1];
	struct sl_op *op = &l->op[l->w.n_ops++];

	assert_true(l->w.n_ops <= MAX_OPS);
	*op = (struct sl_op){ .kind = (uint8_t)kind, .target = SL_NONE, .dist.value = value };
	if (kind == SL_OP_ENDLOOP)
		for (op->target = t->n_ops; l->op[t->first_op + op->target].kind != SL_OP_LOOP;)
			op->target--;
	t->n_ops++;
	return op;
}

static inline void lab_hogs(struct lab *l, uint32_t n)
{
	lab_task(l, n);
	lab_op(l, SL_OP_RUN, 100000 * SEC);
}

/* Runs `run`, sleeps `sleep`, for ever. */
static inline void lab_cycle(struct lab *l, sl_time run, sl_time sleep)
{
	lab_task(l, 1);
	lab_op(l, SL_OP_LOOP, EVER);
	lab_op(l, SL_OP_RUN, run);
	lab_op(l, SL_OP_SLEEP, sleep)->wprio = SL_WPRIO_PWAIT;
	lab_op(l, SL_OP_ENDLOOP, 0);
}

static inline void keep(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	g_array_append_vals(ctx, rec, n);
}

static inline void lab_run(struct lab *l, sl_time until)
{
	const struct sl_policy *policy = sl_policy_find(l->policy);
	const struct sl_era *era = l->own_era;
	struct sl_observe_opts watch = { .topo = &l->topo, .workload = &l->w, .from = until / 4 };
	struct sl_observer *o;
	struct sl_sink sinks[2];
	struct sl_sim_args args;
	char err[256];
	enum sl_end end;

	assert_non_null(policy);
	if (!era && policy->n_eras)
		era = sl_policy_era(policy, l->era);
	assert_true(era || !l->era);
	l->w.channel = l->channel;
	l->w.mask = l->masks;
	l->w.mask_words = 1;
	l->rec = g_array_new(FALSE, FALSE, sizeof(struct sl_rec));
	o = sl_observer_new(&watch);
	sinks[0] = (struct sl_sink){ keep, l->rec };
	sinks[1] = sl_observer_sink(o);
	args = (struct sl_sim_args){ .topo = &l->topo,
				     .policy = policy,
				     .era = era,
				     .workload = &l->w,
				     .costs = &l->costs,
				     .seed = l->seed,
				     .until = until,
				     .check = l->check,
				     .explain = l->explain,
				     .sample = l->sample,
				     .sinks = sinks,
				     .n_sinks = 2 };
	l->sim = sl_sim_new(&args, err, sizeof err);
	if (!l->sim)
		fail_msg("%s", err);
	end = sl_sim_run(l->sim);
	if (end != SL_END_UNTIL && end != SL_END_DONE)
		fail_msg("%s@%s: %s", l->policy, l->era ? l->era : "", sl_sim_fault(l->sim));
	sl_sim_totals(l->sim, &l->total);
	l->seen = *sl_observer_finish(o, l->total.end_ns);
	sl_observer_free(o);
}

static inline void lab_close(struct lab *l)
{
	sl_sim_free(l->sim);
	g_array_free(l->rec, TRUE);
}

static inline const struct sl_rec *rec_at(const struct lab *l, guint i)
{
	return &g_array_index(l->rec, struct sl_rec, i);
}

/* State of static thread `id` as the policy sees it: the current thread of CPU 0, or found
 * through the list of processes. */
static inline const struct sl_thread *thread_of(const struct lab *l, uint32_t id)
{
	const struct sl_pol *p = sl_sim_pol(l->sim);

	for (struct sl_link *a = p->allproc->next; a != p->allproc; a = a->next) {
		const struct sl_proc *proc = SL_OF(a, struct sl_proc, all);

		for (struct sl_link *t = proc->threads.next; t != &proc->threads; t = t->next)
			if (SL_OF(t, struct sl_thread, in_proc)->id == id)
				return SL_OF(t, struct sl_thread, in_proc);
	}
	fail_msg("no thread %u", id);
	return NULL;
}

/* Stat ticks of 1/127 s that are due at t. */
static inline uint64_t ticks_at(sl_time t)
{
	return ((t + 1) * 127 - 1) / SEC;
}

static inline void near(double got, double least, double most)
{
	if (got < least || got > most)
		fail_msg("%g is not in %g .. %g", got, least, most);
}

#endif
