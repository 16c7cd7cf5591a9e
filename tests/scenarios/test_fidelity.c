/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What any faithful simulator of these schedulers shows, from kernel rules and published
 * constants: one test per behaviour, with its right value and tolerance. Numbers in names
 * are the rows of the table of expectations they come from. Here the rules of the policies;
 * test_fidelity_work.c has what follows for the work of whole machines. */
#include "tests/scenarios/fidelity_lab.h"

#include "policies/ule.h"

#include <math.h>

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
		cmocka_unit_test(preempted_batch_threads_go_on_in_2005),
	};

	return cmocka_run_group_tests_name("fidelity", tests, NULL, NULL);
}
