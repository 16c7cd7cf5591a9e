/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Relations between runs of random cases: what must not matter does not.
 *   A CPU that no mask allows changes nothing on the others (4BSD without thread groups).
 *   Observing, explaining and sampling change no switch.
 *   A later start of everything moves the whole run, where the policy has no clock of its
 *   own (fifo; whole seconds, because ticks are counted from 0). */
#include "policies/registry.h"
#include "sim/core/observe.h"
#include "tests/property/random_case.h"

#include "tests/sl_test.h"

#include <stdlib.h>

enum { SEEDS = 40 };

/* The switches of a run, without those of CPUs from `ncpus` on. */
struct trace {
	struct sl_rec *rec;
	uint32_t n, cap, ncpus;
	sl_time shift;
};

static void keep_switches(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct trace *t = ctx;

	for (uint32_t i = 0; i < n; i++) {
		if (rec[i].kind != SL_REC_SWITCH || rec[i].cpu >= t->ncpus)
			continue;
		if (t->n == t->cap) {
			t->cap = t->cap ? 2 * t->cap : 4096;
			t->rec = realloc(t->rec, t->cap * sizeof *t->rec);
			assert_non_null(t->rec);
		}
		t->rec[t->n] = rec[i];
		t->rec[t->n++].at -= t->shift;
	}
}

static struct sl_sim_args args_of(const struct random_case *c, const struct sl_policy *policy,
				  const struct sl_era *era)
{
	return (struct sl_sim_args){ .topo = &c->topo,
				     .policy = policy,
				     .era = era,
				     .workload = &c->w,
				     .seed = c->seed,
				     .until = c->until,
				     .check = true };
}

static void run(struct sl_sim_args *args, struct trace *t, const struct sl_sink *other)
{
	struct sl_sink sinks[2] = { { keep_switches, t } };
	char err[256];
	struct sl_sim *s;

	args->sinks = sinks;
	args->n_sinks = 1;
	if (other)
		sinks[args->n_sinks++] = *other;
	s = sl_sim_new(args, err, sizeof err);
	if (!s)
		fail_msg("%s", err);
	sl_sim_run(s);
	if (sl_sim_fault(s)[0])
		fail_msg("seed %llu: %s", (unsigned long long)args->seed, sl_sim_fault(s));
	sl_sim_free(s);
}

static void same_switches(const struct trace *a, const struct trace *b, uint64_t seed,
			  const char *policy)
{
	uint32_t i = 0;

	while (i < a->n && i < b->n && memcmp(&a->rec[i], &b->rec[i], sizeof a->rec[i]) == 0)
		i++;
	if (i < a->n || i < b->n)
		fail_msg("seed %llu, %s: switch %u of %u and %u differs at %llu",
			 (unsigned long long)seed, policy, i, a->n, b->n,
			 (unsigned long long)(i < a->n ? a->rec[i].at : 0));
	free(a->rec);
	free(b->rec);
}

/* Gives every thread a mask of the CPUs there are now. */
static void spell_masks_out(struct random_case *c)
{
	uint32_t full = RC_MASKS - 1;

	c->mask[full] = 0;
	sl_bits_fill(&c->mask[full], 0, c->topo.ncpus);
	for (uint32_t i = 0; i < c->w.n_tasks; i++)
		if (c->task[i].mask == SL_NONE)
			c->task[i].mask = full;
	for (uint32_t i = 0; i < c->w.n_ops; i++)
		if (c->op[i].kind == SL_OP_SETMASK && c->op[i].obj == SL_NONE)
			c->op[i].obj = full;
}

static void add_a_cpu(struct random_case *c)
{
	uint32_t n = c->topo.ncpus++;

	c->cpu[n] = c->cpu[0];
	c->cpu[n].core = c->cpu[n].l1 = c->cpu[n].l2 = c->cpu[n].l3 = c->cpu[n].package = 60;
}

/* The weight of usage depends on the number of CPUs; real-time priorities do without. */
static void realtime_only(struct random_case *c)
{
	for (uint32_t i = 0; i < c->w.n_tasks; i++)
		if (c->task[i].instances > 0 && !c->task[i].ithread) {
			c->task[i].pri_class = SL_CLASS_REALTIME;
			c->task[i].level = (uint8_t)(i % 32);
		}
	for (uint32_t i = 0; i < c->w.n_ops; i++)
		if (c->op[i].kind == SL_OP_SETCLASS)
			c->op[i].value = SL_CLASS_REALTIME;
}

static void a_cpu_outside_all_masks_changes_nothing(void **state)
{
	static struct random_case c;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		for (uint32_t e = 1; e < sl_policy_4bsd.n_eras; e++) {
			struct trace t[2] = { { 0 }, { 0 } };
			struct sl_sim_args args;

			rc_make(&c, seed);
			if (c.topo.uniprocessor || c.topo.ncpus > RC_CPUS - 2)
				continue;
			t[0].ncpus = t[1].ncpus = c.topo.ncpus;
			spell_masks_out(&c);
			realtime_only(&c);
			/* One more against two more: with none more, a full mask is no mask. */
			for (int k = 0; k < 2; k++) {
				add_a_cpu(&c);
				args = args_of(&c, &sl_policy_4bsd, &sl_policy_4bsd.eras[e]);
				run(&args, &t[k], NULL);
			}
			same_switches(&t[0], &t[1], seed, sl_policy_4bsd.eras[e].name);
		}
}

static void watching_changes_nothing(void **state)
{
	static struct random_case c;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS / 4; seed++)
		for (uint32_t i = 0; i < sl_policy_count(); i++) {
			const struct sl_policy *p = sl_policy_at(i);
			struct trace t[2] = { { 0 }, { 0 } };
			struct sl_observe_opts opts = { .topo = &c.topo, .workload = &c.w };
			struct sl_observer *o;
			struct sl_sink sink;
			struct sl_sim_args args;

			rc_make(&c, seed);
			t[0].ncpus = t[1].ncpus = c.topo.ncpus;
			args = args_of(&c, p, p->n_eras ? sl_policy_era(p, NULL) : NULL);
			run(&args, &t[0], NULL);
			o = sl_observer_new(&opts);
			assert_non_null(o);
			sink = sl_observer_sink(o);
			args.explain = args.sample = true;
			args.check = false;
			run(&args, &t[1], &sink);
			sl_observer_free(o);
			same_switches(&t[0], &t[1], seed, p->name);
		}
}

static void a_later_start_moves_the_run(void **state)
{
	static struct random_case c;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct trace t[2] = { { 0 }, { 0 } };
		struct sl_sim_args args;

		rc_make(&c, seed);
		for (uint32_t i = 0; i < c.w.n_tasks; i++)
			c.task[i].ithread = 0; /* these wait from 0 on, whatever their delay */
		t[0].ncpus = t[1].ncpus = c.topo.ncpus;
		t[1].shift = 3 * SL_NS_PER_S;
		for (int k = 0; k < 2; k++) {
			args = args_of(&c, &sl_policy_fifo, NULL);
			run(&args, &t[k], NULL);
			for (uint32_t i = 0; i < c.w.n_tasks; i++)
				c.task[i].delay += t[1].shift;
			c.until += t[1].shift;
		}
		same_switches(&t[0], &t[1], seed, "fifo");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_outside_all_masks_changes_nothing),
		cmocka_unit_test(watching_changes_nothing),
		cmocka_unit_test(a_later_start_moves_the_run),
	};

	return cmocka_run_group_tests_name("invariants", tests, NULL, NULL);
}
