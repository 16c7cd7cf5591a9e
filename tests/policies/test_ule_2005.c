/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE of 2005: the worked values and rules of ule-history.md 1 and of its corrections
 * (C1, C5, C14 - C17), at hz 1000 and stathz 133. */
#include "policies/ule_2005.h"
#include "tests/policies/test_ule_fake.h"

/* The fake machine with this design's state. */
struct machine {
	struct fake f;
	struct u05 u;
	struct u05_cpu q[FAKE_CPUS];
	struct u05_thread ts[FAKE_THREADS], idle_ts[FAKE_CPUS];
};

static const struct sl_policy *const ops = &ule_2005_ops;

static void boot(struct machine *m, const char *era, enum fake_shape shape, uint32_t packages,
		 uint32_t cores, uint32_t threads)
{
	fake_boot(&m->f, "7.3", shape, packages, cores, threads);
	memset(&m->u, 0, sizeof(m->u));
	memset(m->q, 0, sizeof(m->q));
	m->f.pol.stathz = 133;
	m->f.pol.era = fake_era(era)->data;
	m->f.pol.ops = ops;
	m->f.pol.priv = &m->u;
	for (uint32_t c = 0; c < m->f.pol.ncpus; c++) {
		m->f.cpu[c].priv = &m->q[c];
		m->f.idle[c].priv = &m->idle_ts[c];
	}
	ops->init(&m->f.pol);
}

static struct sl_thread *thread(struct machine *m, uint32_t i, int32_t cpu, uint8_t pri)
{
	struct sl_thread *td = fake_thread(&m->f, i, cpu, pri);

	m->ts[i] = (struct u05_thread){ .slice = 10 };
	td->priv = &m->ts[i];
	return td;
}

/* Batch or interactive, by history. */
static struct sl_thread *hog(struct machine *m, uint32_t i, int32_t cpu, uint8_t pri)
{
	struct sl_thread *td = thread(m, i, cpu, pri);

	m->ts[i].runtime = 1000;
	return td;
}

static void run(struct machine *m, struct sl_thread *td)
{
	td->state = SL_TS_RUNNING;
	td->oncpu = td->cpu;
	m->f.cpu[td->cpu].cur = td;
	u05_load_add(&m->f.pol, td);
	(void)u05_unmark_idle(&m->f.pol, (uint32_t)td->cpu);
}

/* td becomes runnable in an interrupt on `cpu`. */
static void add_on(struct machine *m, struct sl_thread *td, uint32_t cpu)
{
	m->f.self = cpu;
	m->f.cpu[cpu].critnest = 1;
	ops->add(&m->f.pol, td, SL_SRQ_BORING);
	m->f.cpu[cpu].critnest = 0;
}

static struct sl_thread *switch_on(struct machine *m, uint32_t cpu, unsigned sw)
{
	struct sl_thread *out = m->f.cpu[cpu].cur, *in;

	m->f.self = cpu;
	in = ops->sswitch(&m->f.pol, cpu, out, sw, NULL);
	if (in != out)
		out->oncpu = -1;
	in->state = SL_TS_RUNNING;
	in->oncpu = (int32_t)cpu;
	m->f.cpu[cpu].cur = in;
	return in;
}

/* --- Numbers --- */

static void clocks_and_slices(void **state)
{
	struct machine m;

	(void)state;
	boot(&m, "2005", FAKE_FLAT, 1, 1, 1);
	assert_int_equal(m.u.tickincr, 7 << 10);
	assert_int_equal(m.u.slice_min, 10);
	assert_int_equal(m.u.slice_max, 142);
	fake_end(&m.f);
	boot(&m, "2005b", FAKE_FLAT, 1, 1, 1);
	assert_int_equal(m.u.tickincr, 7699);
	assert_int_equal(m.u.slice_min, 1);
	assert_int_equal(m.u.slice_max, 19);
	fake_end(&m.f);
	assert_int_equal(ops->n_tunables, 2);
	assert_string_equal(ops->tunables[0].name, "kern.sched.slice_min");
	assert_string_equal(ops->tunables[1].name, "kern.sched.slice_max");
}

static void scores(void **state)
{
	static const struct {
		uint32_t run, slp;
		int32_t score;
	} row[] = { { 0, 0, 0 },
		    { 2560000, 2560000, 0 },
		    { 0, 1024, 0 },
		    { 1000000, 4000000, 12 },
		    { 580000, 1000000, 29 },
		    { 4000000, 1000000, 88 },
		    { 5120000, 1, 100 },
		    { 1, 5120000, 0 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		assert_int_equal(u05_score(row[i].run, row[i].slp), row[i].score);
}

/* Score and nice alone order threads: 64 priorities, 16 lists. */
static void priorities(void **state)
{
	static const struct {
		uint32_t run, slp;
		int8_t nice;
		uint8_t pri;
	} row[] = { { 0, 0, 0, 160 },
		    { 0, 0, 5, 165 },
		    { 0, 0, -20, 160 },
		    { 1000000, 4000000, 0, 167 },
		    { 4000000, 1000000, 0, 216 },
		    { 5120000, 0, 0, 223 },
		    { 4000000, 1000000, 19, 223 },
		    { 4000000, 1000000, -20, 196 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct machine m;
		struct sl_thread *td;

		boot(&m, "2005", FAKE_FLAT, 1, 1, 1);
		td = thread(&m, 0, 0, 100);
		m.f.proc[0].nice = row[i].nice;
		m.ts[0].runtime = row[i].run;
		m.ts[0].slptime = row[i].slp;
		u05_priority(td);
		assert_int_equal(td->user_pri, row[i].pri);
		assert_int_equal(td->pri, 100);
		fake_end(&m.f);
	}
}

static void history(void **state)
{
	struct machine m;
	struct u05_thread ts = { .runtime = 2000000, .slptime = 3119999 };

	(void)state;
	boot(&m, "2005", FAKE_FLAT, 1, 1, 1);
	u05_cap_history(&m.u, &ts);
	assert_int_equal(ts.runtime, 2000000);
	ts.slptime++;
	u05_cap_history(&m.u, &ts);
	assert_int_equal(ts.runtime, 1600000);
	assert_int_equal(ts.slptime, 2496000);
	ts = (struct u05_thread){ .runtime = 3000000, .slptime = 3144001 };
	u05_cap_history(&m.u, &ts);
	assert_int_equal(ts.runtime, 1500000);
	/* One sleep of five seconds makes anybody interactive. */
	ts = (struct u05_thread){ .runtime = 5120000 };
	u05_credit_sleep(&m.u, &ts, 4999);
	assert_true(ts.runtime > 1);
	ts = (struct u05_thread){ .runtime = 5120000 };
	u05_credit_sleep(&m.u, &ts, 5000);
	assert_int_equal(ts.runtime, 1);
	assert_int_equal(ts.slptime, 5120000);
	/* At most about half a second is inherited. */
	ts = (struct u05_thread){ .runtime = 1000000, .slptime = 4000000 };
	u05_fork_history(&m.u, &ts);
	assert_int_equal(ts.runtime, 111111);
	assert_int_equal(ts.slptime, 444444);
	fake_end(&m.f);
}

/* Slice of a batch thread with nice `own` beside a counted one with nice `other`. */
static int32_t slice_beside(const char *era, int8_t own, int8_t other)
{
	struct machine m;
	struct sl_thread *td;

	boot(&m, era, FAKE_FLAT, 1, 1, 1);
	m.f.proc[1].nice = other;
	run(&m, hog(&m, 1, 0, 200));
	m.f.proc[0].nice = own;
	td = hog(&m, 0, 0, 200);
	u05_new_slice(&m.u, &m.q[0], td);
	fake_end(&m.f);
	return m.ts[0].slice;
}

static void slices_by_nice(void **state)
{
	static const struct {
		int8_t own, other;
		int32_t slice, slice_b;
	} row[] = { { 0, 0, 142, 19 }, { 0, 5, 142, 19 },  { 5, 0, 107, 14 },  { 19, 0, 9, 0 },
		    { 0, -20, 10, 1 }, { 19, -20, 10, 1 }, { -20, 0, 142, 19 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		assert_int_equal(slice_beside("2005", row[i].own, row[i].other), row[i].slice);
		assert_int_equal(slice_beside("2005b", row[i].own, row[i].other), row[i].slice_b);
	}
}

static void other_slices(void **state)
{
	struct machine m;
	struct sl_thread *td;

	(void)state;
	boot(&m, "2005", FAKE_FLAT, 1, 1, 1);
	run(&m, hog(&m, 1, 0, 200));
	m.f.proc[0].nice = 19;
	/* Interactive: the longest, whatever its nice value. */
	td = thread(&m, 0, 0, 160);
	m.ts[0].slptime = 1000;
	u05_new_slice(&m.u, &m.q[0], td);
	assert_int_equal(m.ts[0].slice, 142);
	td->flags |= SL_TDF_BORROWING;
	u05_new_slice(&m.u, &m.q[0], td);
	assert_int_equal(m.ts[0].slice, 10);
	/* New ones have one tick. */
	td = thread(&m, 2, 0, 0);
	ops->fork(&m.f.pol, NULL, td);
	assert_int_equal(m.ts[2].slice, 1);
	assert_int_equal(td->pri, 160);
	fake_end(&m.f);
}

/* A slice of 0 acts as one of 1. */
static void end_of_a_slice(void **state)
{
	struct machine m;
	struct sl_thread *td;

	(void)state;
	boot(&m, "2005b", FAKE_FLAT, 1, 1, 1);
	td = hog(&m, 0, 0, 200);
	run(&m, td);
	m.ts[0].slice = 2;
	ops->clock(&m.f.pol, 0, td, 1);
	assert_int_equal(td->flags, 0);
	ops->clock(&m.f.pol, 0, td, 1);
	assert_int_equal(td->flags, SL_TDF_NEEDRESCHED);
	assert_int_equal(m.ts[0].slice, 19);
	td->flags = 0;
	m.ts[0].slice = 0;
	ops->clock(&m.f.pol, 0, td, 1);
	assert_int_equal(td->flags, SL_TDF_NEEDRESCHED);
	fake_end(&m.f);
}

/* --- Queues (1.2, C14) --- */

static void current_and_next(void **state)
{
	struct machine m;
	struct sl_thread *a, *b, *c;

	(void)state;
	boot(&m, "2005", FAKE_FLAT, 1, 1, 1);
	a = hog(&m, 0, 0, 200);
	b = hog(&m, 1, 0, 180);
	c = thread(&m, 2, 0, 210);
	m.ts[2].slptime = 1000;
	add_on(&m, a, 0);
	add_on(&m, b, 0);
	add_on(&m, c, 0);
	/* Interactive by its history, so it waits in the current queue whatever its pri. */
	assert_int_equal(m.ts[2].queue, m.q[0].curr);
	assert_int_not_equal(m.ts[0].queue, m.q[0].curr);
	assert_ptr_equal(switch_on(&m, 0, SL_SW_VOL | SL_SW_IDLE), c);
	/* It may come back for ever. */
	assert_ptr_equal(switch_on(&m, 0, SL_SW_INVOL | SL_SW_NEEDRESCHED), c);
	/* Once it has become a hog it waits for the swap like the others. */
	m.ts[2].runtime = 100000;
	assert_ptr_equal(switch_on(&m, 0, SL_SW_INVOL | SL_SW_NEEDRESCHED), b);
	assert_ptr_equal(switch_on(&m, 0, SL_SW_INVOL | SL_SW_NEEDRESCHED), a);
	assert_ptr_equal(switch_on(&m, 0, SL_SW_INVOL | SL_SW_NEEDRESCHED), c);
	fake_end(&m.f);
}

/* A hog preempted directly is next in the current queue; one to whom it was owed is not. */
static void preempted_hogs(void **state)
{
	static const struct {
		unsigned sw;
		bool current;
	} row[] = { { SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_PREEMPTED, true },
		    { SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT, false } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct machine m;
		struct sl_thread *h, *other;

		boot(&m, "2005", FAKE_FLAT, 1, 1, 1);
		h = hog(&m, 0, 0, 200);
		run(&m, h);
		other = hog(&m, 1, 0, 200);
		add_on(&m, other, 0);
		assert_ptr_equal(switch_on(&m, 0, row[i].sw), row[i].current ? h : other);
		fake_end(&m.f);
	}
}

/* --- Placement (1.6, 1.9, C17) --- */

static void threads_stay_where_they_wake(void **state)
{
	struct machine m;
	struct sl_thread *td;

	(void)state;
	boot(&m, "2005", FAKE_FLAT, 1, 4, 1);
	/* An idle CPU keeps it, though it last ran elsewhere. */
	td = hog(&m, 0, 3, 200);
	add_on(&m, td, 0);
	assert_int_equal(td->cpu, 0);
	assert_true(m.f.idle[0].flags & SL_TDF_OWEPREEMPT);
	assert_ptr_equal(switch_on(&m, 0, SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT), td);
	/* So does one with one thread, though others idle. */
	td = hog(&m, 1, 3, 210);
	add_on(&m, td, 0);
	assert_int_equal(td->cpu, 0);
	/* With two it is handed over: to its old CPU if that idles, ... */
	td = hog(&m, 2, 3, 210);
	add_on(&m, td, 0);
	assert_int_equal(td->cpu, 3);
	assert_true(m.ts[2].assigned);
	assert_int_equal(m.f.ipi[3], SL_IPI_AST);
	assert_int_equal(m.q[3].load, 1);
	assert_int_equal(m.q[3].transferable, 0);
	/* ... which then does not count as idle any more, else to the first idle one. */
	td = hog(&m, 3, 3, 210);
	add_on(&m, td, 0);
	assert_int_equal(td->cpu, 1);
	td = hog(&m, 4, 0, 210);
	td->pinned = 1;
	add_on(&m, td, 0);
	assert_int_equal(td->cpu, 0);
	fake_end(&m.f);
}

/* A hyper-thread beside the waker is used when no core is idle, as often as it is asked. */
static void idle_sibling_of_the_waker(void **state)
{
	struct machine m;
	struct sl_thread *td[4];

	(void)state;
	boot(&m, "2005", FAKE_P4, 2, 1, 2);
	run(&m, hog(&m, 0, 0, 200));
	add_on(&m, hog(&m, 1, 0, 200), 0);
	for (uint32_t i = 0; i < 4; i++) {
		td[i] = hog(&m, 2 + i, 0, (uint8_t)(200 + i));
		add_on(&m, td[i], 0);
		assert_int_equal(td[i]->cpu, i == 0 ? 2 : 1);
	}
	/* Taken in last first: the last one is at the head of their list. */
	assert_int_equal(m.q[1].load, 3);
	m.f.self = 1;
	td[1]->pri = td[2]->pri = td[3]->pri = 200;
	assert_int_equal(ops->idle(&m.f.pol, 1), SL_IDLE_SWITCH);
	assert_int_equal(m.q[1].transferable, 3);
	assert_ptr_equal(switch_on(&m, 1, SL_SW_VOL | SL_SW_IDLE), td[3]);
	fake_end(&m.f);
}

static void hand_over_tells_only_worse(void **state)
{
	static const struct {
		uint8_t running, pri;
		bool told;
	} row[] = { { 200, 199, true }, { 200, 200, false }, { 200, 201, false } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct machine m;
		struct sl_thread *h;

		boot(&m, "2005", FAKE_FLAT, 1, 2, 1);
		h = hog(&m, 0, 1, row[i].running);
		run(&m, h);
		u05_hand_over(&m.f.pol, hog(&m, 1, 0, row[i].pri), 1);
		assert_int_equal(m.f.ipi[1], row[i].told ? SL_IPI_AST : 0);
		assert_int_equal(h->flags, row[i].told ? SL_TDF_NEEDRESCHED : 0);
		fake_end(&m.f);
	}
}

static void local_preemption(void **state)
{
	static const struct {
		uint8_t running, pri;
		bool interactive, owed, asked;
	} row[] = {
		{ 200, 199, false, false, false }, /* better, but waits in next */
		{ 200, 199, true, false, true },   { 200, 200, true, false, false },
		{ 200, 63, true, true, true },	   { 200, 64, true, false, true },
		{ 224, 200, false, true, false },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct machine m;
		struct sl_thread *h, *td;

		boot(&m, "2005", FAKE_FLAT, 1, 1, 1);
		h = hog(&m, 0, 0, row[i].running);
		run(&m, h);
		td = row[i].interactive ? thread(&m, 1, 0, row[i].pri) : hog(&m, 1, 0, row[i].pri);
		add_on(&m, td, 0);
		assert_int_equal(!!(h->flags & SL_TDF_OWEPREEMPT), row[i].owed);
		assert_int_equal(!!(h->flags & SL_TDF_NEEDRESCHED), row[i].asked);
		fake_end(&m.f);
	}
}

/* --- Stealing and balancing (1.7, 1.8, C16) --- */

static void steals_stay_in_the_core(void **state)
{
	struct machine m;
	struct sl_thread *next, *curr;

	(void)state;
	boot(&m, "2005", FAKE_P4, 2, 1, 2);
	next = hog(&m, 0, 1, 200);
	curr = thread(&m, 1, 1, 160);
	next->pinned = curr->pinned = 0;
	run(&m, hog(&m, 2, 1, 200));
	m.f.self = 1;
	u05_queue_here(&m.f.pol, curr, 0);
	u05_queue_here(&m.f.pol, next, 0);
	next->state = curr->state = SL_TS_RUNQ;
	assert_ptr_equal(switch_on(&m, 2, SL_SW_VOL | SL_SW_IDLE), &m.f.idle[2]);
	/* What waits for the swap goes first, so the victim loses least. */
	assert_ptr_equal(switch_on(&m, 0, SL_SW_VOL | SL_SW_IDLE), next);
	assert_int_equal(m.u.steals, 1);
	fake_end(&m.f);
}

static void balancer_times(void **state)
{
	struct machine m;
	int32_t draw = 16807 % 2000;

	(void)state;
	boot(&m, "2005", FAKE_FLAT, 1, 2, 1);
	assert_int_equal(m.u.balance_at, 1000);
	m.f.pol.ticks = 999;
	u05_balance(&m.f.pol);
	assert_int_equal(m.u.balance_at, 1000);
	m.f.pol.ticks = 1008;
	u05_balance(&m.f.pol);
	assert_int_equal(m.u.balance_at, 1008 + draw);
	fake_end(&m.f);
	/* Inside cores from half a second on. */
	boot(&m, "2005", FAKE_P4, 2, 1, 2);
	m.f.pol.ticks = 503;
	u05_balance(&m.f.pol);
	assert_int_equal(m.u.members_at, 503 + draw);
	assert_int_equal(m.u.balance_at, 1000);
	fake_end(&m.f);
}

static void balancer_moves_half(void **state)
{
	struct machine m;

	(void)state;
	boot(&m, "2005", FAKE_P4, 2, 1, 2);
	m.f.self = 0;
	for (uint32_t i = 0; i < 5; i++) {
		struct sl_thread *td = hog(&m, i, 0, 200);

		u05_queue_here(&m.f.pol, td, 0);
		td->state = SL_TS_RUNQ;
	}
	m.f.pol.ticks = 1000;
	m.u.members_at = 5000;
	u05_balance(&m.f.pol);
	/* To the highest CPU of the other core, in its hands only. */
	assert_int_equal(m.q[0].load, 2);
	assert_int_equal(m.q[3].load, 3);
	assert_int_equal(m.q[3].transferable, 0);
	assert_int_equal(m.u.balanced, 3);
	fake_end(&m.f);
}

/* --- Sleep (C1, C15) --- */

static void sleep_and_wakeup(void **state)
{
	struct machine m;
	struct sl_thread *td;

	(void)state;
	boot(&m, "2005", FAKE_FLAT, 1, 1, 1);
	td = hog(&m, 0, 0, 200);
	run(&m, td);
	m.f.pol.ticks = 100;
	ops->sleep(&m.f.pol, td, SL_WPRIO_NONE);
	assert_int_equal(td->pri, 200);
	ops->sleep(&m.f.pol, td, SL_WPRIO_PWAIT);
	assert_int_equal(td->pri, 92);
	td->state = SL_TS_SLEEP;
	assert_ptr_equal(switch_on(&m, 0, SL_SW_VOL | SL_SW_SLEEPQ), &m.f.idle[0]);
	/* Less than a tick: earns nothing, but the slice is new. */
	td->state = SL_TS_CAN_RUN;
	m.ts[0].slice = 3;
	m.f.cpu[0].critnest = 1;
	ops->wakeup(&m.f.pol, td, SL_WPRIO_NONE, SL_SRQ_BORING);
	assert_int_equal(m.ts[0].slptime, 0);
	assert_int_equal(m.ts[0].slice, 142);
	fake_end(&m.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_and_slices),
		cmocka_unit_test(scores),
		cmocka_unit_test(priorities),
		cmocka_unit_test(history),
		cmocka_unit_test(slices_by_nice),
		cmocka_unit_test(other_slices),
		cmocka_unit_test(end_of_a_slice),
		cmocka_unit_test(current_and_next),
		cmocka_unit_test(preempted_hogs),
		cmocka_unit_test(threads_stay_where_they_wake),
		cmocka_unit_test(idle_sibling_of_the_waker),
		cmocka_unit_test(hand_over_tells_only_worse),
		cmocka_unit_test(local_preemption),
		cmocka_unit_test(steals_stay_in_the_core),
		cmocka_unit_test(balancer_times),
		cmocka_unit_test(balancer_moves_half),
		cmocka_unit_test(sleep_and_wakeup),
	};

	return cmocka_run_group_tests_name("ule of 2005", tests, NULL, NULL);
}
