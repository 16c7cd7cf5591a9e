/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE's decisions: the scenarios of ule.md 25.13, the shares of 21.2, the idle loop of
 * 19.1, and what the eras do differently in them. */
#include "tests/policies/test_ule_fake.h"

#define OWED (SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT)
#define AST  (SL_SW_INVOL | SL_SW_NEEDRESCHED)

static const struct sl_policy *const ops = &sl_policy_ule;

/* The hog H of 25.13: thread 0, batch at 187, 5 of 12 ticks used. */
static struct sl_thread *hog(struct fake *f, int32_t cpu)
{
	struct sl_thread *h = fake_thread(f, 0, cpu, 187);

	f->pol.ticks = 10000;
	f->ts[0] = (struct ule_thread){ .runtime = 3000000,
					.slptime = 1000000,
					.ticks = 5000 << 10,
					.ltick = 10000,
					.slice = 5,
					.rltick = 9000 };
	fake_run(f, h);
	return h;
}

static void wake(struct fake *f, struct sl_thread *td)
{
	f->cpu[f->self].intr_nesting = 1;
	ops->wakeup(&f->pol, td, SL_WPRIO_NONE, SL_SRQ_BORING);
	f->cpu[f->self].intr_nesting = 0;
}

static struct sl_thread *ast(struct fake *f, uint32_t cpu)
{
	struct sl_thread *td = f->cpu[cpu].cur;

	td->flags &= (uint16_t)~SL_TDF_NEEDRESCHED;
	f->self = cpu;
	ops->prio(&f->pol, td, td->user_pri);
	return fake_switch(f, cpu, AST);
}

/* 1: a local wake-up of a better batch thread. */
static void local_batch_wakeup(void **state)
{
	struct fake f;
	struct sl_thread *h, *t;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 1, 1);
	f.pol.ticks = 10000;
	h = hog(&f, 0);
	t = fake_thread(&f, 1, 0, 152);
	wake(&f, t);
	assert_int_equal(f.ts[1].queue, ULE_TIMESHARE);
	assert_int_equal(f.ts[1].index, 0);
	assert_int_equal(h->flags & (SL_TDF_NEEDRESCHED | SL_TDF_OWEPREEMPT), SL_TDF_NEEDRESCHED);
	assert_ptr_equal(ast(&f, 0), t);
	assert_int_equal(f.ts[0].index, 31);
	assert_int_equal(f.ts[0].slice, 5);
	assert_int_equal(f.q[0].lowpri, 152);
	ops->userret(&f.pol, t);
	assert_int_equal(t->pri, 172);
	assert_int_equal(f.q[0].lowpri, 172);
	fake_end(&f);
}

/* 2: the same from another CPU goes unnoticed. */
static void remote_batch_wakeup(void **state)
{
	struct fake f;
	struct sl_thread *h, *t;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	h = hog(&f, 1);
	t = fake_thread(&f, 1, 1, 152);
	f.mask[1][0] = 2;
	wake(&f, t);
	assert_int_equal(t->cpu, 1);
	assert_int_equal(h->flags, 0);
	assert_int_equal(f.ipi[1], 0);
	assert_int_equal(f.q[1].lowpri, 152);
	fake_end(&f);
}

/* 3 and 4: an interactive thread is told by IPI; the hog goes to the head of the removal
 * slot, or to the tail of its own when its slice has ended. */
static void remote_interactive_wakeup(const char *era, bool slice_end, bool head)
{
	struct fake f;
	struct sl_thread *h, *t, *other;

	fake_boot(&f, era, FAKE_FLAT, 1, 2, 1);
	h = hog(&f, 1);
	if (slice_end)
		h->flags |= SL_TDF_SLICEEND;
	other = fake_thread(&f, 2, 1, 152);
	f.mask[2][0] = 2;
	fake_queue(&f, other, 0);
	f.q[1].lowpri = 187;
	t = fake_thread(&f, 1, 1, 130);
	f.mask[1][0] = 2;
	wake(&f, t);
	assert_int_equal(f.ipi[1], SL_IPI_PREEMPT);
	assert_true(f.q[1].ipipending);
	f.self = 1;
	ops->preempt(&f.pol, 1);
	assert_true(h->flags & SL_TDF_OWEPREEMPT);
	assert_ptr_equal(fake_switch(&f, 1, OWED), t);
	assert_false(f.q[1].ipipending);
	assert_int_equal(h->flags, 0);
	assert_int_equal(f.ts[0].index, head ? 0 : 31);
	t->state = SL_TS_SLEEP;
	assert_ptr_equal(fake_switch(&f, 1, SL_SW_VOL | SL_SW_SLEEPQ), head ? h : other);
	fake_end(&f);
}

static void preempted_hog_is_next_in_line(void **state)
{
	(void)state;
	remote_interactive_wakeup("2017", false, true);
	remote_interactive_wakeup("10.4", false, true);
	remote_interactive_wakeup("12", false, true);
	remote_interactive_wakeup("2017", true, false);
	/* 11.0 takes real preemptions for something else. */
	remote_interactive_wakeup("11.0", false, false);
}

/* 5: within one list a better thread cannot preempt; with a list per priority it does. */
static void real_time_neighbours(void **state)
{
	static const struct {
		const char *era;
		bool preempts;
	} row[] = { { "2017", false }, { "2017-1ppq", true }, { "12", false }, { "15", true } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;
		struct sl_thread *worse, *better;
		uint8_t first;

		fake_boot(&f, row[i].era, FAKE_FLAT, 1, 1, 1);
		first = f.ule.era->layout->rt_first;
		worse = fake_thread(&f, 0, 0, (uint8_t)(first + 3));
		better = fake_thread(&f, 1, 0, first);
		worse->pri_class = better->pri_class = SL_CLASS_REALTIME;
		fake_run(&f, worse);
		wake(&f, better);
		assert_true(worse->flags & SL_TDF_OWEPREEMPT);
		assert_ptr_equal(fake_switch(&f, 0, OWED), row[i].preempts ? better : worse);
		fake_end(&f);
	}
}

/* 7: a child is placed on the idle CPU, which is told. */
static void fork_goes_to_the_idle_cpu(void **state)
{
	struct fake f;
	struct sl_thread *h, *child;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	f.pol.ticks = 10000;
	h = hog(&f, 0);
	h->pri = 100;
	h->base_pri = 187;
	child = fake_thread(&f, 1, 0, 0);
	ops->fork(&f.pol, h, child);
	assert_int_equal(child->pri, 187);
	assert_int_equal(child->user_pri, 187);
	/* 4,000,000 is seven times the cap of 512,000. */
	assert_int_equal(f.ts[1].runtime, 3000000 / 7);
	assert_int_equal(f.ts[1].slptime, 1000000 / 7);
	assert_int_equal(f.ts[0].runtime, 3000000 + 8062);
	ops->add(&f.pol, child, SL_SRQ_BORING);
	assert_int_equal(child->cpu, 1);
	assert_int_equal(f.ipi[1], SL_IPI_PREEMPT);
	fake_end(&f);
}

/* 8: with batch threads everywhere the waker's own CPU is taken for a better thread. */
static void waker_takes_it_itself(void **state)
{
	struct fake f;
	struct sl_thread *w, *t;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 4, 1);
	w = fake_thread(&f, 0, 0, 125);
	fake_run(&f, w);
	for (uint32_t i = 1; i < 4; i++)
		fake_run(&f, fake_thread(&f, i, (int32_t)i, 180));
	t = fake_thread(&f, 4, 1, 122);
	ops->wakeup(&f.pol, t, SL_WPRIO_NONE, SL_SRQ_BORING);
	assert_int_equal(t->cpu, 0);
	assert_true(w->flags & SL_TDF_NEEDRESCHED);
	assert_false(w->flags & SL_TDF_OWEPREEMPT);
	fake_end(&f);
}

/* Stat ticks of each of two hogs in 100 s after 30 s (21.2). */
static void share_of_two_hogs(const char *era, int8_t nice, int32_t want_a, int32_t want_b)
{
	struct fake f;
	int32_t got[2] = { 0, 0 };

	fake_boot(&f, era, FAKE_FLAT, 1, 1, 1);
	for (uint32_t i = 0; i < 2; i++) {
		struct sl_thread *td = fake_thread(&f, i, 0, 0);

		if (i == 1)
			f.proc[i].nice = nice;
		ule_priority(&f.pol, td);
		td->pri = td->base_pri = td->user_pri;
		fake_queue(&f, td, 0);
	}
	(void)fake_switch(&f, 0, SL_SW_VOL);
	for (int32_t k = 1; k <= 130 * 127; k++) {
		struct sl_thread *td = f.cpu[0].cur;

		f.pol.ticks = (int32_t)((int64_t)k * 1000 / 127);
		if (k > 30 * 127)
			got[td->id]++;
		ops->clock(&f.pol, 0, td, 1);
		if (td->flags & SL_TDF_NEEDRESCHED) {
			td = ast(&f, 0);
			ops->userret(&f.pol, td);
		}
	}
	assert_int_equal(got[0], want_a);
	assert_int_equal(got[1], want_b);
	fake_end(&f);
}

static void shares(void **state)
{
	(void)state;
	share_of_two_hogs("2017", 0, 6348, 6352);
	share_of_two_hogs("2017-1ppq", 0, 6348, 6352);
	share_of_two_hogs("15", 0, 6352, 6348);
	share_of_two_hogs("2017", 20, 7642, 5058);
	share_of_two_hogs("2017-1ppq", 20, 9088, 3612);
	share_of_two_hogs("15", 20, 6726, 5974);
}

/* One more pass of CPU 1's idle loop; did it try to steal? (An attempt draws.) */
static bool tried(struct fake *f, enum sl_idle_act want)
{
	uint32_t before = f->q[1].random;

	f->self = 1;
	assert_int_equal(ops->idle(&f->pol, 1), want);
	return f->q[1].random != before;
}

static void half_a_second(struct fake *f)
{
	for (int i = 0; i < 63; i++)
		ops->clock(&f->pol, 1, &f->idle[1], 1);
}

/* Attempts of an undisturbed idle CPU, with correction 5. */
static void rare_steal_attempts(void **state)
{
	static const bool from_boot[] = { true, false, true, false, true };
	static const bool after_a_switch[] = { true, true, false, true, false, true };
	struct fake f;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	for (size_t i = 0; i < SL_ARRAY_LEN(from_boot); i++) {
		assert_int_equal(tried(&f, SL_IDLE_HALT), from_boot[i]);
		half_a_second(&f);
	}
	fake_end(&f);
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	f.q[1].switchcnt = 1;
	for (size_t i = 0; i < SL_ARRAY_LEN(after_a_switch); i++) {
		assert_int_equal(tried(&f, SL_IDLE_HALT), after_a_switch[i]);
		half_a_second(&f);
	}
	fake_end(&f);
}

static void busy_halt_from_forty_switches(void **state)
{
	struct fake f;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	f.q[1].switchcnt = 20;
	f.q[1].oldswitchcnt = 19;
	assert_true(tried(&f, SL_IDLE_HALT));
	/* A wake-up without a tick is no reason to try, but counts as a switch. */
	assert_false(tried(&f, SL_IDLE_HALT_BUSY));
	assert_int_equal(f.q[1].switchcnt, 21);
	fake_end(&f);
}

/* 6: an idle CPU takes the second hog of another one, at its next attempt. */
static void idle_cpu_steals(void **state)
{
	struct fake f;
	struct sl_thread *t;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	(void)hog(&f, 0);
	t = fake_thread(&f, 1, 0, 187);
	fake_queue(&f, t, 0);
	assert_true(tried(&f, SL_IDLE_SWITCH));
	assert_int_equal(t->cpu, 1);
	assert_int_equal(f.q[0].load, 1);
	assert_ptr_equal(fake_switch(&f, 1, SL_SW_VOL | SL_SW_IDLE), t);
	assert_int_equal(ops->metric(&f.pol, NULL, SL_METRIC_STEALS), 1);
	fake_end(&f);
}

/* From 12 on the CPU looks around inside the switch in which its last thread sleeps. */
static void steal_before_idling(void **state)
{
	static const struct {
		const char *era;
		bool takes;
	} row[] = { { "10.4", false }, { "2017", false }, { "12", true },
		    { "13", true },    { "14", true },	  { "15", true } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;
		struct sl_thread *sleeper, *t;

		fake_boot(&f, row[i].era, FAKE_FLAT, 1, 2, 1);
		(void)hog(&f, 0);
		t = fake_thread(&f, 1, 0, 187);
		fake_queue(&f, t, 0);
		sleeper = fake_thread(&f, 2, 1, 150);
		fake_run(&f, sleeper);
		sleeper->state = SL_TS_SLEEP;
		assert_ptr_equal(fake_switch(&f, 1, SL_SW_VOL | SL_SW_SLEEPQ),
				 row[i].takes ? t : &f.idle[1]);
		fake_end(&f);
	}
}

/* 14 is silent when something as good was already waiting there. */
static void notification_compares_with_lowpri(void **state)
{
	static const struct {
		const char *era;
		unsigned ipi;
	} row[] = { { "13", SL_IPI_PREEMPT }, { "14", 0 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;
		struct sl_thread *t;

		fake_boot(&f, row[i].era, FAKE_FLAT, 1, 2, 1);
		(void)hog(&f, 1);
		t = fake_thread(&f, 1, 1, 125);
		fake_queue(&f, t, 0);
		t = fake_thread(&f, 2, 1, 125);
		f.mask[2][0] = 2;
		wake(&f, t);
		assert_int_equal(f.ipi[1], row[i].ipi);
		fake_end(&f);
	}
}

/* From 13 on the mark stays until a switch; before, until the handler. */
static void ipi_pending(void **state)
{
	static const struct {
		const char *era;
		bool pending;
	} row[] = { { "12", false }, { "13", true } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;

		fake_boot(&f, row[i].era, FAKE_FLAT, 1, 2, 1);
		(void)hog(&f, 1);
		f.q[1].ipipending = true;
		f.q[1].lowpri = 130;
		ops->preempt(&f.pol, 1);
		assert_int_equal(f.q[1].ipipending, row[i].pending);
		(void)fake_switch(&f, 1, OWED);
		assert_false(f.q[1].ipipending);
		/* Nothing better any more: no switch is owed. */
		f.q[1].ipipending = true;
		ops->preempt(&f.pol, 1);
		assert_false(f.q[1].ipipending);
		assert_false(f.cpu[1].cur->flags & SL_TDF_OWEPREEMPT);
		fake_end(&f);
	}
}

static void balance_now(struct fake *f)
{
	f->ule.balance_ticks = 1;
	f->self = 0;
	ops->clock(&f->pol, 0, f->cpu[0].cur, 1);
}

/* Three hogs on CPU 0, one on CPU 1. */
static void balancer_moves_one(void **state)
{
	static const char *const eras[] = { "10.4", "12", "13", "14", "15" };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(eras); i++) {
		struct fake f;

		fake_boot(&f, eras[i], FAKE_FLAT, 1, 2, 1);
		(void)hog(&f, 0);
		for (uint32_t t = 1; t < 3; t++)
			fake_queue(&f, fake_thread(&f, t, 0, 187), 0);
		fake_run(&f, fake_thread(&f, 3, 1, 187));
		balance_now(&f);
		assert_int_equal(f.q[0].load, 2);
		assert_int_equal(f.q[1].load, 2);
		/* 10.4 sends its IPI whatever the priorities. */
		assert_int_equal(f.ipi[1], i == 0 ? SL_IPI_PREEMPT : 0);
		assert_int_equal(ops->metric(&f.pol, NULL, SL_METRIC_BALANCED), 1);
		fake_end(&f);
	}
}

/* Dead in 2017, unless the tunable revives it. */
static void balancer_of_2017(void **state)
{
	struct fake f;
	struct sl_thread *h;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	h = hog(&f, 0);
	for (uint32_t t = 1; t < 3; t++)
		fake_queue(&f, fake_thread(&f, t, 0, 187), 0);
	fake_run(&f, fake_thread(&f, 3, 1, 187));
	for (int k = 0; k < 1000; k++)
		ops->clock(&f.pol, 0, h, 1);
	assert_int_equal(f.q[0].load, 3);
	f.ule.balance_alive = 1;
	ops->setup(&f.pol);
	for (int k = 0; k < 190; k++)
		ops->clock(&f.pol, 0, h, 1);
	assert_int_equal(f.q[0].load, 2);
	fake_end(&f);
}

/* 13: a thread alone on its CPU is asked to choose again, and moves off a busy core. */
static void lone_thread_chooses_again(void **state)
{
	struct fake f;
	struct sl_thread *a, *b;

	(void)state;
	fake_boot(&f, "13", FAKE_INTEL, 1, 2, 2);
	f.pol.ticks = 500;
	a = fake_thread(&f, 0, 2, 187);
	b = fake_thread(&f, 1, 3, 187);
	fake_run(&f, a);
	fake_run(&f, b);
	balance_now(&f);
	/* One of the two; the pass ends with it. */
	assert_int_equal(f.ipi[2] | f.ipi[3], SL_IPI_AST);
	assert_true(f.ipi[2] == 0 || f.ipi[3] == 0);
	if (f.ipi[2] == 0)
		a = b;
	assert_true(a->flags & SL_TDF_PICKCPU);
	assert_true(a->flags & SL_TDF_NEEDRESCHED);
	(void)ast(&f, (uint32_t)a->cpu);
	assert_in_range(a->cpu, 0, 1);
	assert_false(a->flags & SL_TDF_PICKCPU);
	fake_end(&f);
}

/* An interrupt thread takes the CPU of the interrupt: if better (to 12), if idle (13). */
static void interrupt_thread_placement(void **state)
{
	static const struct {
		const char *era;
		bool idle;
		int32_t cpu;
	} row[] = {
		{ "2017", false, 0 }, { "2017", true, 0 }, { "13", true, 0 }, { "13", false, 3 }
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;
		struct sl_thread *t;

		fake_boot(&f, row[i].era, FAKE_INTEL, 1, 4, 1);
		if (!row[i].idle)
			(void)hog(&f, 0);
		fake_run(&f, fake_thread(&f, 2, 1, 187));
		fake_run(&f, fake_thread(&f, 3, 2, 187));
		t = fake_thread(&f, 1, 1, 0);
		ops->ithread(&f.pol, t, SL_WPRIO_PI_NET);
		assert_int_equal(t->pri, 8);
		t->cpu = 1;
		wake(&f, t);
		assert_int_equal(t->cpu, row[i].cpu);
		fake_end(&f);
	}
}

/* 14 and 15: at the end of its slice an interrupt thread steps down; a wake-up restores
 * its priority. */
static void interrupt_thread_demotion(void **state)
{
	static const struct {
		const char *era;
		uint8_t pri[4];
	} row[] = { { "14", { 4, 8, 8, 8 } }, { "15", { 1, 2, 3, 4 } } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;
		struct sl_thread *t;
		int steps = strcmp(row[i].era, "14") == 0 ? 1 : 3;

		fake_boot(&f, row[i].era, FAKE_FLAT, 1, 1, 1);
		t = fake_thread(&f, 0, 0, 0);
		ops->ithread(&f.pol, t, SL_WPRIO_PI_NET);
		f.ts[0].slice = 0;
		fake_run(&f, t);
		for (int step = 0; step <= steps; step++) {
			assert_int_equal(t->pri, row[i].pri[step]);
			for (int k = 0; k < 12; k++) {
				assert_false(t->flags & SL_TDF_OWEPREEMPT);
				ops->clock(&f.pol, 0, t, 1);
			}
			assert_true(t->flags & SL_TDF_OWEPREEMPT);
			assert_false(t->flags & SL_TDF_SLICEEND);
			assert_ptr_equal(fake_switch(&f, 0, OWED), t);
		}
		t->state = SL_TS_IWAIT;
		(void)fake_switch(&f, 0, SL_SW_VOL | SL_SW_IWAIT);
		t->state = SL_TS_CAN_RUN;
		f.ts[0].slice = 9;
		ops->wakeup(&f.pol, t, SL_WPRIO_NONE, SL_SRQ_INTR);
		assert_int_equal(t->pri, row[i].pri[0]);
		assert_int_equal(f.ts[0].slice, 0);
		fake_end(&f);
	}
}

/* Earlier, it keeps priority and used slice. */
static void interrupt_thread_of_2017(void **state)
{
	struct fake f;
	struct sl_thread *t;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 1, 1);
	t = fake_thread(&f, 0, 0, 0);
	ops->ithread(&f.pol, t, SL_WPRIO_PI_SOFT);
	assert_int_equal(t->pri, 24);
	f.ts[0].slice = 9;
	ops->wakeup(&f.pol, t, SL_WPRIO_NONE, SL_SRQ_INTR);
	assert_int_equal(f.ts[0].slice, 9);
	fake_end(&f);
}

/* Correction 6: priority 255 never takes effect. */
static void class_changes(void **state)
{
	struct fake f;
	struct sl_thread *t;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 1, 1);
	t = fake_thread(&f, 0, 0, 172);
	fake_run(&f, t);
	ops->rtprio(&f.pol, t, SL_CLASS_REALTIME, 5);
	assert_int_equal(t->pri, 53);
	assert_int_equal(f.q[0].lowpri, 53);
	ops->rtprio(&f.pol, t, SL_CLASS_IDLE, 3);
	assert_int_equal(t->pri, 227);
	assert_int_equal(f.q[0].lowpri, 227);
	ops->rtprio(&f.pol, t, SL_CLASS_IDLE, 31);
	assert_int_equal(t->pri_class, SL_CLASS_IDLE);
	assert_int_equal(t->base_user_pri, 255);
	assert_int_equal(t->user_pri, 227);
	assert_int_equal(t->pri, 227);
	ops->clock(&f.pol, 0, t, 1);
	assert_int_equal(t->user_pri, 227);
	fake_end(&f);
}

static void nice_acts_at_once(void **state)
{
	struct fake f;
	struct sl_thread *a, *b;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 1, 1);
	a = fake_thread(&f, 0, 0, 172);
	b = fake_thread(&f, 1, 0, 172);
	fake_queue(&f, a, 0);
	fake_queue(&f, b, 0);
	f.cpu[0].cur = &f.idle[0];
	/* Worse: keeps its place. Better: next in line. */
	ops->nice(&f.pol, &f.proc[0], 10);
	assert_int_equal(a->pri, 182);
	assert_int_equal(f.ts[0].index, 17);
	ops->nice(&f.pol, &f.proc[1], -20);
	assert_int_equal(b->pri, 152);
	assert_int_equal(f.ts[1].index, 0);
	assert_int_equal(f.q[0].load, 2);
	fake_end(&f);
}

static void lending(void **state)
{
	struct fake f;
	struct sl_thread *t;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 1, 1);
	t = fake_thread(&f, 0, 0, 187);
	fake_queue(&f, t, 0);
	ops->lend_prio(&f.pol, t, 60);
	assert_int_equal(t->pri, 60);
	assert_int_equal(t->base_pri, 187);
	assert_int_equal(f.ts[0].queue, ULE_REALTIME);
	/* While it borrows, its own priority changes unseen. */
	ops->prio(&f.pol, t, 180);
	assert_int_equal(t->pri, 60);
	ops->unlend_prio(&f.pol, t, 100);
	assert_int_equal(t->pri, 100);
	assert_true(t->flags & SL_TDF_BORROWING);
	ops->unlend_prio(&f.pol, t, 255);
	assert_false(t->flags & SL_TDF_BORROWING);
	assert_int_equal(t->pri, t->user_pri);
	fake_end(&f);
}

static void binding(void **state)
{
	struct fake f;
	struct sl_thread *h;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	h = hog(&f, 0);
	assert_false(ops->bind(&f.pol, h, 0));
	assert_int_equal(h->pinned, 1);
	assert_true(ops->bind(&f.pol, h, 1));
	assert_int_equal(h->pinned, 1);
	assert_ptr_equal(fake_switch(&f, 0, SL_SW_VOL | SL_SW_NONE), &f.idle[0]);
	assert_int_equal(h->cpu, 1);
	assert_int_equal(f.q[0].load, 0);
	assert_int_equal(f.q[1].load, 1);
	assert_int_equal(f.q[1].transferable, 0);
	assert_int_equal(f.ipi[1], SL_IPI_PREEMPT);
	ops->unbind(&f.pol, h);
	assert_int_equal(h->pinned, 0);
	fake_end(&f);
}

static void mask_changes(void **state)
{
	struct fake f;
	struct sl_thread *h, *t;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	h = hog(&f, 1);
	t = fake_thread(&f, 1, 1, 172);
	fake_queue(&f, t, 0);
	ops->affinity(&f.pol, h);
	assert_int_equal(h->flags, 0);
	f.mask[1][0] = 1;
	ops->affinity(&f.pol, t);
	assert_int_equal(t->cpu, 0);
	f.mask[0][0] = 1;
	ops->affinity(&f.pol, h);
	assert_true(h->flags & SL_TDF_NEEDRESCHED);
	assert_int_equal(f.ipi[1], SL_IPI_PREEMPT);
	assert_ptr_equal(ast(&f, 1), &f.idle[1]);
	assert_int_equal(h->cpu, 0);
	fake_end(&f);
}

static void sleep_priorities(void **state)
{
	struct fake f;
	struct sl_thread *t;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 1, 1);
	t = fake_thread(&f, 0, 0, 140);
	ops->sleep(&f.pol, t, SL_WPRIO_PSOCK);
	assert_int_equal(t->pri, 140);
	f.ule.static_boost = 1;
	ops->sleep(&f.pol, t, SL_WPRIO_PSOCK);
	assert_int_equal(t->pri, 104);
	f.ule.static_boost = 0;
	t = fake_thread(&f, 0, 0, 187);
	ops->sleep(&f.pol, t, SL_WPRIO_PRIBIO);
	assert_int_equal(t->pri, 187);
	/* The waker's priority counts in any case. */
	ops->wakeup(&f.pol, t, SL_WPRIO_PSOCK, SL_SRQ_BORING);
	assert_int_equal(t->pri, 104);
	fake_end(&f);
}

static void exit_charges_the_heir(void **state)
{
	struct fake f;
	struct sl_thread *h, *parent;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 1, 1);
	h = hog(&f, 0);
	parent = fake_thread(&f, 1, 0, 120);
	f.ts[1].runtime = 1000;
	f.ts[1].slptime = 500000;
	ops->exit(&f.pol, parent, h);
	assert_int_equal(f.ts[1].runtime, 3001000);
	assert_int_equal(parent->user_pri, 172);
	assert_int_equal(parent->pri, 120);
	h->state = SL_TS_DEAD;
	assert_ptr_equal(fake_switch(&f, 0, SL_SW_VOL | SL_SW_EXIT), &f.idle[0]);
	assert_int_equal(f.q[0].load, 0);
	fake_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_batch_wakeup),
		cmocka_unit_test(remote_batch_wakeup),
		cmocka_unit_test(preempted_hog_is_next_in_line),
		cmocka_unit_test(real_time_neighbours),
		cmocka_unit_test(fork_goes_to_the_idle_cpu),
		cmocka_unit_test(waker_takes_it_itself),
		cmocka_unit_test(shares),
		cmocka_unit_test(rare_steal_attempts),
		cmocka_unit_test(busy_halt_from_forty_switches),
		cmocka_unit_test(idle_cpu_steals),
		cmocka_unit_test(steal_before_idling),
		cmocka_unit_test(notification_compares_with_lowpri),
		cmocka_unit_test(ipi_pending),
		cmocka_unit_test(balancer_moves_one),
		cmocka_unit_test(balancer_of_2017),
		cmocka_unit_test(lone_thread_chooses_again),
		cmocka_unit_test(interrupt_thread_placement),
		cmocka_unit_test(interrupt_thread_demotion),
		cmocka_unit_test(interrupt_thread_of_2017),
		cmocka_unit_test(class_changes),
		cmocka_unit_test(nice_acts_at_once),
		cmocka_unit_test(lending),
		cmocka_unit_test(binding),
		cmocka_unit_test(mask_changes),
		cmocka_unit_test(sleep_priorities),
		cmocka_unit_test(exit_charges_the_heir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
