/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What any faithful simulator of these schedulers shows, from kernel rules and published
 * constants: one test per behaviour, with its right value and tolerance. Numbers in names
 * are the rows of the table of expectations they come from. */
#include "policies/registry.h"
#include "policies/ule.h"
#include "sim/core/observe.h"
#include "sim/core/sim.h"

#include "tests/sl_test.h"

#include <glib.h>
#include <math.h>

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

static void lab_open(struct lab *l, const char *policy, const char *era, uint32_t ncpus)
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

static struct sl_task *lab_task(struct lab *l, uint32_t instances)
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
static struct sl_op *lab_op(struct lab *l, enum sl_op_kind kind, uint64_t value)
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

static void lab_hogs(struct lab *l, uint32_t n)
{
	lab_task(l, n);
	lab_op(l, SL_OP_RUN, 100000 * SEC);
}

/* Runs `run`, sleeps `sleep`, for ever. */
static void lab_cycle(struct lab *l, sl_time run, sl_time sleep)
{
	lab_task(l, 1);
	lab_op(l, SL_OP_LOOP, EVER);
	lab_op(l, SL_OP_RUN, run);
	lab_op(l, SL_OP_SLEEP, sleep)->wprio = SL_WPRIO_PWAIT;
	lab_op(l, SL_OP_ENDLOOP, 0);
}

static void keep(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	g_array_append_vals(ctx, rec, n);
}

static void lab_run(struct lab *l, sl_time until)
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

static void lab_close(struct lab *l)
{
	sl_sim_free(l->sim);
	g_array_free(l->rec, TRUE);
}

static const struct sl_rec *rec_at(const struct lab *l, guint i)
{
	return &g_array_index(l->rec, struct sl_rec, i);
}

/* State of static thread `id` as the policy sees it: the current thread of CPU 0, or found
 * through the list of processes. */
static const struct sl_thread *thread_of(const struct lab *l, uint32_t id)
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
static uint64_t ticks_at(sl_time t)
{
	return ((t + 1) * 127 - 1) / SEC;
}

/* Row 1. */

static bool stays_interactive(const char *era, uint32_t duty_permille)
{
	const sl_time period = 97 * MS; /* shares no factor with the tick */
	struct lab l;
	guint interactive = 0, batch = 0;

	lab_open(&l, "ule", era, 1);
	lab_cycle(&l, period * duty_permille / 1000, period - period * duty_permille / 1000);
	l.sample = true;
	lab_run(&l, 20 * SEC + MS);
	for (guint i = 0; i < l.rec->len; i++) {
		const struct sl_rec *r = rec_at(&l, i);

		if (r->kind != SL_REC_SAMPLE || r->at < 10 * SEC)
			continue;
		if (r->cpu < 152)
			interactive++;
		else
			batch++;
	}
	lab_close(&l);
	assert_true(interactive + batch >= 10);
	return interactive > batch;
}

static void row_1_limit_of_interactivity(void **state)
{
	static const char *const eras[] = { "10.4", "11.0", "2017", "2017-1ppq", "12" };

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++)
		for (uint32_t duty = 300; duty <= 450; duty += 5) {
			if (duty >= 370 && duty <= 380)
				continue; /* the tolerance */
			if (stays_interactive(eras[e], duty) != (duty < 375))
				fail_msg("ule@%s at a duty of %.1f %%", eras[e], duty / 10.0);
		}
}

/* Row 2. */

static int64_t score_of(sl_time run, sl_time sleep)
{
	struct lab l;
	int64_t score;

	lab_open(&l, "ule", "2017", 1);
	lab_cycle(&l, run, sleep);
	lab_run(&l, 30 * SEC);
	score = sl_policy_ule.metric(sl_sim_pol(l.sim), thread_of(&l, 0), SL_METRIC_SCORE);
	lab_close(&l);
	return score;
}

static void row_2_scores_of_known_mixes(void **state)
{
	(void)state;
	assert_in_range(score_of(100 * US, 100 * MS), 0, 1);	  /* vi */
	assert_in_range(score_of(8 * MS, 92 * MS), 4 - 1, 4 + 1); /* mozilla */
	assert_in_range(score_of(25 * MS, 75 * MS), 16 - 1, 16 + 1);
	assert_in_range(score_of(30 * MS, 70 * MS), 21 - 1, 21 + 1);
	assert_in_range(score_of(40 * MS, 50 * MS), 40 - 1, 40 + 1);
	assert_int_equal(score_of(60 * MS, 40 * MS), 50);
}

/* Row 3: CPU time of a forked hog when it turns batch. */
static double hog_turns_batch_after(sl_time parent_run, sl_time parent_sleep)
{
	struct lab l;
	sl_time ran = 0, since = 0;
	bool on = false, turned = false;

	lab_open(&l, "ule", "2017", 2);
	l.explain = true;
	lab_task(&l, 1)->delay = 10 * MS;
	lab_op(&l, SL_OP_LOOP, 25); /* less than the history holds */
	if (parent_run)
		lab_op(&l, SL_OP_RUN, parent_run);
	lab_op(&l, SL_OP_SLEEP, parent_sleep)->wprio = SL_WPRIO_PWAIT;
	lab_op(&l, SL_OP_ENDLOOP, 0);
	lab_op(&l, SL_OP_FORK, 1)->target = 1;
	lab_op(&l, SL_OP_WAIT_CHILD, 0);
	lab_task(&l, 0);
	lab_op(&l, SL_OP_RUN, 5 * SEC);
	lab_run(&l, 12 * SEC);
	for (guint i = 0; i < l.rec->len && !turned; i++) {
		const struct sl_rec *r = rec_at(&l, i);

		if (r->kind == SL_REC_SWITCH && r->b == 1) {
			on = true;
			since = r->at;
		} else if (r->kind == SL_REC_SWITCH && r->a == 1) {
			on = false;
			ran += r->at - since;
		} else if (r->kind == SL_REC_WHY && r->pri == SL_WHY_BATCH && r->a == 1) {
			turned = true;
			ran += on ? r->at - since : 0;
		}
	}
	lab_close(&l);
	assert_true(turned);
	return (double)ran / 1e9;
}

static void near(double got, double least, double most)
{
	if (got < least || got > most)
		fail_msg("%g is not in %g .. %g", got, least, most);
}

static void row_3_a_forked_hog_turns_batch(void **state)
{
	const double tick = 1.0 / 127;

	(void)state;
	near(hog_turns_batch_after(0, 100 * MS), 0.29 - 2 * tick, 0.31 + 2 * tick);
	near(hog_turns_batch_after(2 * MS, 98 * MS), 0.29 - 2 * tick, 0.31 + 2 * tick);
	near(hog_turns_batch_after(10 * MS, 90 * MS), 0.22 - 2 * tick, 0.22 + 2 * tick);
}

/* Row 4. */

static uint32_t hog_history(uint32_t ticks)
{
	struct lab l;
	uint32_t sum;

	lab_open(&l, "ule", "2017", 1);
	lab_hogs(&l, 1);
	lab_run(&l, (sl_time)ticks * SEC / 127 + 1);
	sum = ule_thread_of(thread_of(&l, 0))->runtime + ule_thread_of(thread_of(&l, 0))->slptime;
	lab_close(&l);
	return sum;
}

static void row_4_history_is_cut(void **state)
{
	/* A tick adds (1000 << 10) / 127 = 8062; the cap is (5 * 1000) << 10 = 5120000. */
	(void)state;
	assert_int_equal(hog_history(635), 635 * 8062);
	assert_int_equal(hog_history(636), 636 * 8062 / 5 * 4);
	assert_int_equal(hog_history(637), 636 * 8062 / 5 * 4 + 8062);
}

static void row_4_history_is_capped_at_fork(void **state)
{
	struct lab l;
	const struct ule_thread *ts;

	(void)state;
	lab_open(&l, "ule", "2017", 1);
	lab_task(&l, 1)->delay = 10 * MS; /* a sleep from tick 0 would not count */
	lab_op(&l, SL_OP_SLEEP, 3 * SEC)->wprio = SL_WPRIO_PWAIT;
	lab_op(&l, SL_OP_FORK, 1)->target = 1;
	lab_op(&l, SL_OP_WAIT_CHILD, 0);
	lab_task(&l, 0);
	lab_op(&l, SL_OP_RUN, 5 * SEC);
	/* 3000 ticks of sleep are 3072000; 3072000 / 512000 = 6 divides them. */
	lab_run(&l, 3 * SEC + 11 * MS);
	ts = ule_thread_of(thread_of(&l, 1));
	assert_int_equal(ts->slptime, 512000);
	assert_int_equal(ts->runtime, 0);
	lab_close(&l);
}

/* Row 5: every turn after the first seconds lasts its slice, exactly. */
static void row_5_slices(void **state)
{
	static const uint32_t slice[] = { 12, 12, 6, 4, 3, 2, 2, 2 }; /* by threads on the CPU */

	(void)state;
	for (uint32_t n = 2; n <= 8; n++) {
		struct lab l;
		sl_time last = 0;
		guint turns = 0;

		lab_open(&l, "ule", "2017", 1);
		lab_hogs(&l, n);
		lab_run(&l, 30 * SEC);
		for (guint i = 0; i < l.rec->len; i++) {
			const struct sl_rec *r = rec_at(&l, i);

			if (r->kind != SL_REC_SWITCH)
				continue;
			if (last > 10 * SEC) {
				assert_int_equal(ticks_at(r->at) - ticks_at(last), slice[n - 1]);
				turns++;
			}
			last = r->at;
		}
		assert_true(turns > 100);
		lab_close(&l);
	}
}

/* Row 8: where insertion stands after k ticks, one priority per queue (15). */
static uint8_t heads_after(uint32_t ticks)
{
	struct lab l;
	uint8_t idx;

	lab_open(&l, "ule", "15", 1);
	lab_hogs(&l, 1);
	lab_run(&l, (sl_time)ticks * SEC / 127 + 1);
	idx = ule_cpu_of(sl_sim_pol(l.sim), 0)->idx;
	lab_close(&l);
	return idx;
}

static void row_8_queue_heads(void **state)
{
	static const uint8_t step[] = { 2, 2, 2, 1 };
	uint32_t at;

	(void)state;
	/* A hog alone leaves its queue empty, so removal catches up at each tick. */
	at = heads_after(1);
	for (uint32_t k = 2; k <= 70; k++) {
		at = (at + step[(k - 1) % 4]) % 109;
		assert_int_equal(heads_after(k), at);
	}
	assert_int_equal((heads_after(5) + 109 - heads_after(1)) % 109, 7);
	/* 64 ticks are 112 steps: once round, and 3 further. 62 to 63 ticks make the lap. */
	assert_int_equal((heads_after(1 + 64) + 109 - heads_after(1)) % 109, 112 % 109);
	assert_int_equal(sl_policy_era(&sl_policy_ule, "15")->data == &ule_era_15, 1);
	assert_int_equal(ule_era_15.ppq, 1);
}

/* Row 10. In 7.0 the beat rotates the threads of all CPUs but the one that keeps time, so one
 * CPU alone sees no round robin; that era is left out. */
static void row_10_round_robin_of_4bsd(void **state)
{
	static const uint32_t hogs[] = { 2, 5 };

	(void)state;
	for (uint32_t e = 0; e < sl_policy_4bsd.n_eras; e++)
		for (size_t k = 0; k < SL_ARRAY_LEN(hogs); k++) {
			struct lab l;
			sl_time first = 0, last = 0;
			guint turns = 0;

			if (strcmp(sl_policy_4bsd.eras[e].name, "7.0") == 0)
				continue;

			lab_open(&l, "4bsd", sl_policy_4bsd.eras[e].name, 1);
			lab_hogs(&l, hogs[k]);
			lab_run(&l, 60 * SEC);
			for (guint i = 0; i < l.rec->len; i++) {
				const struct sl_rec *r = rec_at(&l, i);

				if (r->kind != SL_REC_SWITCH || r->at < 20 * SEC)
					continue;
				turns++;
				first = first ? first : r->at;
				last = r->at;
			}
			assert_true(turns > 2);
			near((double)(last - first) / 1e9 / (turns - 1), 0.1 - 1.0 / 127,
			     0.1 + 1.0 / 127);
			lab_close(&l);
		}
}

/* Row 11: usage of one burst, each second, beside a load of 1. */
static void decays(const char *era)
{
	static const double published[] = { 0.66, 0.44, 0.30, 0.20, 0.13 };
	struct lab l;
	double exact = 1, peak = 0;
	guint n = 0;

	lab_open(&l, "4bsd", era, 2);
	lab_hogs(&l, 1);
	lab_task(&l, 1)->delay = 400 * SEC + 20 * MS; /* the load average has become 1 */
	lab_op(&l, SL_OP_RUN, 950 * MS);
	lab_op(&l, SL_OP_LOOP, EVER); /* keeps from sleeping a whole second */
	lab_op(&l, SL_OP_SLEEP, 250 * MS)->wprio = SL_WPRIO_PWAIT;
	lab_op(&l, SL_OP_RUN, 10 * US);
	lab_op(&l, SL_OP_ENDLOOP, 0);
	l.sample = true;
	lab_run(&l, 407 * SEC);
	for (guint i = 0; i < l.rec->len && n < 5; i++) {
		const struct sl_rec *r = rec_at(&l, i);
		double load;

		if (r->kind != SL_REC_SAMPLE || r->a != 1 || r->at <= 400 * SEC)
			continue;
		load = (double)(r->aux >> 32) / 2048;
		exact *= 2 * load / (2 * load + 1);
		/* Usage after the first decay tells what it was before. */
		if (n == 0)
			peak = r->b / exact;
		/* The kernel's integers lose up to one tick of usage at each decay. */
		near(r->b / peak, exact - 0.01 - n / peak, exact + 0.01);
		near(exact, published[n] - 0.02, published[n] + 0.02);
		n++;
	}
	assert_int_equal(n, 5);
	/* 0.95 s at the era's stat clock. */
	near(peak, 0.95 * sl_sim_pol(l.sim)->stathz * 0.97,
	     0.95 * sl_sim_pol(l.sim)->stathz * 1.03);
	lab_close(&l);
}

static void row_11_decay_of_usage(void **state)
{
	(void)state;
	for (uint32_t e = 0; e < sl_policy_4bsd.n_eras; e++)
		if (strcmp(sl_policy_4bsd.eras[e].name, "2005") != 0)
			decays(sl_policy_4bsd.eras[e].name);
}

/* Row 22: the era with a balancer that writes down when it runs. */
static GArray *passes;

static void note_pass(struct sl_pol *p)
{
	uint64_t tick = ticks_at(p->now);

	assert_int_equal(sl_pol_self(p), 0);
	g_array_append_val(passes, tick);
}

static void balances(const char *era)
{
	const struct sl_era *base = sl_policy_era(&sl_policy_ule, era);
	struct ule_era data = *(const struct ule_era *)base->data;
	struct ule_balancer balancer = *data.balancer;
	struct sl_era own = *base;
	unsigned count[190] = { 0 };
	double worst = 0, below = 0, n;
	struct lab l;

	balancer.pass = note_pass;
	data.balancer = &balancer;
	own.data = &data;
	passes = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	lab_open(&l, "ule", era, 2);
	l.own_era = &own;
	lab_task(&l, 1)->bind_cpu = 0;
	lab_op(&l, SL_OP_RUN, 100000 * SEC);
	lab_run(&l, 1100 * SEC);
	assert_true(passes->len > 1001);
	for (guint i = 1; i <= 1000; i++) {
		uint64_t period =
			g_array_index(passes, uint64_t, i) - g_array_index(passes, uint64_t, i - 1);

		assert_in_range(period, 63, 189);
		count[period]++;
	}
	n = 1000;
	for (uint32_t k = 63; k <= 189; k++) {
		double uniform = (k - 62) / 127.0;

		below += count[k];
		worst = fmax(worst, fabs(below / n - uniform));
	}
	near(worst * sqrt(n), 0, 1.628); /* Kolmogorov-Smirnov, p > 0.01 */
	lab_close(&l);
	g_array_free(passes, TRUE);
}

static void row_22_balancer_period(void **state)
{
	(void)state;
	balances("10.4");
	balances("12");
	balances("13");
	balances("14");
	balances("15");
}

/* Rows 36 and 37: n + 1 hogs on n CPUs. */
static void n_plus_one(struct lab *l, const char *policy, const char *era, sl_time until)
{
	lab_open(l, policy, era, 4);
	lab_hogs(l, 5);
	lab_run(l, until);
}

static void row_36_work_conservation(void **state)
{
	static const char *const conserving[] = { "4bsd", "fifo", "lottery", "mlfq", "rr" };
	struct lab l;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(conserving); i++) {
		lab_open(&l, conserving[i], NULL, 4);
		lab_hogs(&l, 2);
		for (uint32_t k = 0; k < 6; k++)
			lab_cycle(&l, (7 + k) * MS, (11 + 3 * k) * MS);
		lab_run(&l, 30 * SEC);
		assert_int_equal(l.seen.gaps, 0);
		assert_int_equal(l.seen.wasted, 0);
		lab_close(&l);
	}
}

/* All CPUs but one are kept busy until their hogs end; what then waits beside the freed
 * CPUs waits at most for the balancer's longest period. */
static void row_36_delay_of_ule(void **state)
{
	static const char *const alive[] = { "12", "13", "14", "15" };
	struct lab l;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(alive); i++) {
		lab_open(&l, "ule", alive[i], 4);
		lab_hogs(&l, 3);
		for (uint32_t k = 0; k < 8; k++)
			lab_cycle(&l, (7 + k) * MS, (11 + 3 * k) * MS);
		lab_run(&l, 60 * SEC);
		for (uint32_t g = 0; g < l.seen.n_worst; g++)
			assert_true(l.seen.worst[g].closed - l.seen.worst[g].opened <
				    1500 * MS + 10 * MS);
		lab_close(&l);
	}
}

/* 2017's balancer is dead: two hogs that shared CPU 0 by their masks and are then set free
 * stay there until the idle CPU happens to look: not at once, but within about a second. */
static void row_36_no_promise_in_2017(void **state)
{
	static const uint64_t masks[] = { 1, 3 };
	struct lab l;
	sl_time moved = 0, freed = 0;

	(void)state;
	lab_open(&l, "ule", "2017", 2);
	l.masks = masks;
	l.w.n_masks = 2;
	for (uint32_t k = 0; k < 2; k++) {
		lab_task(&l, 1)->mask = 0;
		lab_op(&l, SL_OP_RUN, 100 * SEC);
	}
	lab_task(&l, 1)->bind_cpu = 0;
	lab_op(&l, SL_OP_RUN, 2 * SEC);
	for (uint32_t k = 0; k < 2; k++) {
		lab_op(&l, SL_OP_SETMASK, 0)->target = k;
		l.op[l.w.n_ops - 1].obj = 1;
	}
	lab_op(&l, SL_OP_RUN, 2 * MS);
	lab_run(&l, 20 * SEC);
	for (guint i = 0; i < l.rec->len && moved == 0; i++)
		if (rec_at(&l, i)->kind == SL_REC_EXIT)
			freed = rec_at(&l, i)->at;
		else if (rec_at(&l, i)->kind == SL_REC_SWITCH && rec_at(&l, i)->cpu == 1 &&
			 rec_at(&l, i)->b != SL_REC_IDLE)
			moved = rec_at(&l, i)->at;
	assert_true(moved > freed + 10 * MS && moved < freed + 1100 * MS);
	lab_close(&l);
}

static void row_37_deficit(void **state)
{
	static const char *const fair[] = { "4bsd", "rr", "mlfq" };
	struct lab l;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(fair); i++) {
		n_plus_one(&l, fair[i], NULL, 60 * SEC);
		assert_true(l.seen.has_hogs);
		assert_int_equal(l.seen.hogs.n, 5);
		assert_in_range(l.seen.hogs.wait_mean, 199, 201);
		assert_true(l.seen.hogs.wait_min >= 180 && l.seen.hogs.wait_max <= 220);
		lab_close(&l);
	}
}

/* The balancer moves one thread about once a second, at drawn times: equality comes
 * slowly, so an hour is looked at. */
static void row_37_deficit_of_ule(void **state)
{
	static const char *const alive[] = { "12", "13", "14", "15" };
	struct lab l;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(alive); i++) {
		n_plus_one(&l, "ule", alive[i], 3600 * SEC);
		assert_int_equal(l.seen.hogs.n, 5);
		assert_true(l.seen.hogs.wait_min >= 180 && l.seen.hogs.wait_max <= 220);
		lab_close(&l);
	}
}

static void row_37_ule_2017_stays_unequal(void **state)
{
	struct lab l;

	(void)state;
	n_plus_one(&l, "ule", "2017", 60 * SEC);
	assert_int_equal(l.seen.migrations, 0);
	assert_int_equal(l.seen.hogs.wait_min, 0);
	assert_in_range(l.seen.hogs.wait_max, 495, 505);
	lab_close(&l);
}

/* Row 38. */
static void row_38_a_phase_boundary_is_no_event(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < sl_policy_count(); i++) {
		const char *name = sl_policy_at(i)->name;
		struct lab one, two;

		lab_open(&one, name, NULL, 2);
		lab_open(&two, name, NULL, 2);
		for (uint32_t k = 0; k < 5; k++) {
			lab_task(&one, 1);
			lab_op(&one, SL_OP_RUN, (20 + k) * MS);
			lab_op(&one, SL_OP_SLEEP, 5 * MS);
			lab_op(&one, SL_OP_RUN, 500 * MS);
			lab_task(&two, 1);
			lab_op(&two, SL_OP_RUN, 10 * MS);
			lab_op(&two, SL_OP_RUN, (10 + k) * MS);
			lab_op(&two, SL_OP_SLEEP, 5 * MS);
			lab_op(&two, SL_OP_RUN, 499 * MS);
			lab_op(&two, SL_OP_RUN, MS);
		}
		lab_run(&one, 5 * SEC);
		lab_run(&two, 5 * SEC);
		assert_int_equal(one.rec->len, two.rec->len);
		assert_memory_equal(one.rec->data, two.rec->data,
				    one.rec->len * sizeof(struct sl_rec));
		assert_int_equal(one.total.digest, two.total.digest);
		assert_true(one.total.real_ns < 5 * SEC);
		lab_close(&one);
		lab_close(&two);
	}
}

/* Row 39. */
static void row_39_tick_counts(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < sl_policy_count(); i++) {
		const struct sl_policy *policy = sl_policy_at(i);

		for (uint32_t e = 0; e < policy->n_eras || e == 0; e++) {
			struct lab l;

			lab_open(&l, policy->name, policy->n_eras ? policy->eras[e].name : NULL, 4);
			lab_hogs(&l, 4);
			lab_run(&l, 60 * SEC);
			for (uint32_t c = 0; c < 4; c++) {
				struct sl_cpu_result r;
				uint64_t due;

				/* A hog may start on a CPU that has one and be stolen later. */
				sl_sim_cpu(l.sim, c, &r);
				assert_int_equal(r.busy_ns + r.idle_ns, 60 * SEC);
				assert_true(r.busy_ns > 57 * SEC);
				due = r.busy_ns * sl_sim_pol(l.sim)->stathz / SEC;
				assert_in_range(r.ticks, due - 1, due + 1);
			}
			lab_close(&l);
		}
	}
}

/* Row 40: equal seeds, equal bytes; and idle CPUs' ticks may be skipped and made up for:
 * what happens on CPU 0 is the same beside a CPU that takes every tick. (Not from 13 on: there
 * the balancer nudges a lone thread of the most loaded CPU, which is seen on CPU 0.) */
static void row_40_equal_seeds(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < sl_policy_count(); i++) {
		struct lab a, b;
		struct lab *both[] = { &a, &b };

		for (int k = 0; k < 2; k++) {
			lab_open(both[k], sl_policy_at(i)->name, NULL, 3);
			lab_hogs(both[k], 2);
			lab_cycle(both[k], 3 * MS, 8 * MS);
			lab_cycle(both[k], 5 * MS, 7 * MS);
			lab_cycle(both[k], 5 * MS, 9 * MS);
			lab_run(both[k], 20 * SEC);
		}
		assert_int_equal(a.rec->len, b.rec->len);
		assert_memory_equal(a.rec->data, b.rec->data, a.rec->len * sizeof(struct sl_rec));
		lab_close(&a);
		lab_close(&b);
	}
}

static GArray *switches_of_cpu_0(const struct lab *l)
{
	GArray *out = g_array_new(FALSE, FALSE, sizeof(struct sl_rec));

	for (guint i = 0; i < l->rec->len; i++)
		if (rec_at(l, i)->kind == SL_REC_SWITCH && rec_at(l, i)->cpu == 0)
			g_array_append_val(out, *rec_at(l, i));
	return out;
}

static void row_40_lazy_ticks(void **state)
{
	static const uint64_t masks[] = { 1, 2 };
	static const char *const eras[] = { "10.4", "11.0", "2017", "12" };

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++) {
		struct lab l[2];
		GArray *s[2];

		for (int k = 0; k < 2; k++) {
			lab_open(&l[k], "ule", eras[e], 2);
			l[k].masks = masks;
			l[k].w.n_masks = 2;
			lab_cycle(&l[k], 3 * MS, 80 * MS);
			lab_cycle(&l[k], 25 * MS, 70 * MS);
			l[k].task[0].mask = l[k].task[1].mask = 0;
			/* Beside it: a CPU that idles, or one that takes every tick. */
			lab_task(&l[k], 1)->mask = 1;
			lab_op(&l[k], SL_OP_RUN, k ? 100000 * SEC : MS);
			lab_run(&l[k], 20 * SEC);
			s[k] = switches_of_cpu_0(&l[k]);
		}
		assert_true(s[0]->len > 400);
		assert_int_equal(s[0]->len, s[1]->len);
		assert_memory_equal(s[0]->data, s[1]->data, s[0]->len * sizeof(struct sl_rec));
		for (int k = 0; k < 2; k++) {
			g_array_free(s[k], TRUE);
			lab_close(&l[k]);
		}
	}
}

/* Row 41: two threads hand a byte to and fro; switch and wake-up cost 2.9 us in all. */
static void row_41_cost_of_a_switch_pair(void **state)
{
	const uint64_t rounds = 1000;

	(void)state;
	for (uint32_t i = 0; i < sl_policy_count(); i++) {
		struct lab l;
		double set;

		lab_open(&l, sl_policy_at(i)->name, NULL, 1);
		l.costs.switch_ns = 2000;
		l.costs.wake_ns = 900;
		l.channel[0] = l.channel[1] = (struct sl_channel_spec){ "pipe", 1 };
		l.w.n_channels = 2;
		for (uint32_t k = 0; k < 2; k++) {
			lab_task(&l, 1);
			lab_op(&l, SL_OP_LOOP, rounds);
			lab_op(&l, k ? SL_OP_RECV : SL_OP_SEND, 1)->obj = 0;
			lab_op(&l, k ? SL_OP_SEND : SL_OP_RECV, 1)->obj = 1;
			lab_op(&l, SL_OP_ENDLOOP, 0);
		}
		lab_run(&l, 10 * SEC);
		set = l.total.switches * 2000.0 + l.total.wakeups * 900.0;
		near((double)l.total.real_ns, set * 0.99, set * 1.01);
		/* ULE's receiver finds its answer waiting: one wake-up a round. */
		if (l.total.wakeups > 1900)
			near((double)l.total.real_ns / (double)rounds, 5800 * 0.99, 5800 * 1.01);
		assert_true(l.total.wakeups > 1900 || strncmp(l.policy, "ule", 3) == 0);
		lab_close(&l);
	}
}

/* 2005: a batch thread that is preempted in the kernel goes to the current queue and on with
 * its turn, even when a better batch thread waits for the queues to change places. */
static void preempted_batch_threads_go_on_in_2005(void **state)
{
	static const struct sl_sem_spec sem = { "irq", 0 };
	struct lab l;
	guint after = 0;

	(void)state;
	lab_open(&l, "ule", "2005b", 1);
	l.w.sem = &sem;
	l.w.n_sems = 1;
	lab_task(&l, 1);
	lab_op(&l, SL_OP_LOOP, EVER);
	lab_op(&l, SL_OP_RUN, 3 * MS);
	lab_op(&l, SL_OP_SEM_POST, 0)->obj = 0;
	lab_op(&l, SL_OP_ENDLOOP, 0);
	lab_task(&l, 1)->nice = -5;
	lab_op(&l, SL_OP_RUN, 100 * SEC);
	lab_task(&l, 1)->ithread = SL_WPRIO_PI_SOFT;
	lab_op(&l, SL_OP_LOOP, EVER);
	lab_op(&l, SL_OP_SEM_WAIT, 0)->obj = 0;
	lab_op(&l, SL_OP_KRUN, 100 * US);
	lab_op(&l, SL_OP_ENDLOOP, 0);
	lab_run(&l, 20 * SEC);
	for (guint i = 0, before = 9; i < l.rec->len; i++) {
		const struct sl_rec *r = rec_at(&l, i);

		if (r->kind != SL_REC_SWITCH || r->at < 5 * SEC)
			continue;
		if (r->b == 2) {
			before = r->a;
		} else if (r->a == 2 && before == 0) {
			assert_int_equal(r->b, 0);
			after++;
		}
	}
	assert_true(after > 1000);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(row_1_limit_of_interactivity),
		cmocka_unit_test(row_2_scores_of_known_mixes),
		cmocka_unit_test(row_3_a_forked_hog_turns_batch),
		cmocka_unit_test(row_4_history_is_cut),
		cmocka_unit_test(row_4_history_is_capped_at_fork),
		cmocka_unit_test(row_5_slices),
		cmocka_unit_test(row_8_queue_heads),
		cmocka_unit_test(row_10_round_robin_of_4bsd),
		cmocka_unit_test(row_11_decay_of_usage),
		cmocka_unit_test(row_22_balancer_period),
		cmocka_unit_test(row_36_work_conservation),
		cmocka_unit_test(row_36_delay_of_ule),
		cmocka_unit_test(row_36_no_promise_in_2017),
		cmocka_unit_test(row_37_deficit),
		cmocka_unit_test(row_37_deficit_of_ule),
		cmocka_unit_test(row_37_ule_2017_stays_unequal),
		cmocka_unit_test(row_38_a_phase_boundary_is_no_event),
		cmocka_unit_test(row_39_tick_counts),
		cmocka_unit_test(row_40_equal_seeds),
		cmocka_unit_test(row_40_lazy_ticks),
		cmocka_unit_test(row_41_cost_of_a_switch_pair),
		cmocka_unit_test(preempted_batch_threads_go_on_in_2005),
	};

	return cmocka_run_group_tests_name("fidelity", tests, NULL, NULL);
}
