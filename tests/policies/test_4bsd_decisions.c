/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Single decisions of 4BSD, for every era: who is told about a woken thread, who is
 * preempted, which list and which end, who is chosen. Priorities are given relative
 * to the bottom of the era's time-share range, ts(n) = ts_min + n. */
#include "tests/policies/4bsd_machine.h"
#include "tests/sl_test.h"

/* D4: nobody is flagged while an interrupt thread wakes a sleeper; when it blocks, the
 * sleeper's kernel priority wins over the hog at the head of its list. */
static void interrupt_thread_wakes_a_socket_sleeper(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *irq = fake_ithread(f, SL_WPRIO_PI_NET), *x, *hog;
		const struct bsd_era *era = fake_era(f);

		x = fake_running(f, 0, ts(f, 0));
		fake_sleep(f, 0, SL_WPRIO_PSOCK);
		assert_int_equal(x->pri, era->wprio[SL_WPRIO_PSOCK]);
		hog = fake_running(f, 0, ts(f, 40));
		fake_wake(f, 0, irq, true);
		assert_true(owes(hog));
		assert_ptr_equal(
			fake_switch(f, 0, SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT, NULL),
			irq);
		fake_wake(f, 0, x, false);
		assert_false(flagged(irq) || owes(irq) || flagged(hog));
		assert_int_equal(bsd_td(x)->rqidx, era->wprio[SL_WPRIO_PSOCK] / era->ppq);
		assert_int_equal(fake_position(&fake_bsd(f)->global, ts(f, 40) / era->ppq, hog), 0);
		irq->state = SL_TS_IWAIT;
		assert_ptr_equal(fake_switch(f, 0, SL_SW_VOL | SL_SW_IWAIT, NULL), x);
	}
}

/* D5 */
static void idle_cpu_is_signalled_instead_of_preempting(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 4)
	{
		struct sl_thread *y;

		/* In 2005 CPU 0 leaves the idle mask by its idle loop's own switch only. */
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			if (cpu != 2)
				fake_running(f, cpu, ts(f, 40));
		y = ready_thread(f, ts(f, 30), 0);
		fake_add(f, 0, y, false);
		assert_int_equal(f->ipi[2], 1);
		assert_int_equal(fake_ipis(f), 1);
		assert_false(flagged(f->cpu[0].cur) || owes(f->cpu[0].cur));
		assert_ptr_equal(fake_switch(f, 2, SL_SW_VOL | SL_SW_IDLE, NULL), y);
		assert_int_equal(fake_get(f, "kern.sched.ipiwakeup.requested"), 1);
		assert_int_equal(fake_get(f, "kern.sched.ipiwakeup.delivered"), 1);
	}
}

/* D6, D7: nobody is idle: only this CPU's thread is looked at. */
static void busy_machine_flags_the_waking_cpu_only(void **state)
{
	static const struct {
		int local;
		bool flag;
	} row[] = { { 40, true }, { 25, false }, { 30, false } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		FOR_EACH_ERA(f, 4)
		{
			struct sl_thread *y;

			fake_running(f, 0, ts(f, row[i].local));
			fake_running(f, 1, ts(f, 40));
			fake_running(f, 2, ts(f, 40));
			fake_running(f, 3, ts(f, 60));
			y = ready_thread(f, ts(f, 30), 0);
			fake_add(f, 0, y, false);
			assert_int_equal(fake_ipis(f), 0);
			assert_int_equal(flagged(f->cpu[0].cur), row[i].flag);
			assert_false(flagged(f->cpu[1].cur) || flagged(f->cpu[3].cur));
			assert_int_equal(bsd_td(y)->queue, BSD_QUEUE_GLOBAL);
		}
}

/* D8: exact priorities of the two heads; the machine's queue wins ties. */
static void own_queue_wins_only_when_strictly_better(void **state)
{
	static const struct {
		int global, own;
		bool takes_own;
	} row[] = { { 20, 20, false }, { 20, 19, true }, { 23, 22, true }, { 22, 23, false } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		FOR_EACH_ERA(f, 2)
		{
			struct sl_thread *g, *own, *got;

			fake_running(f, 0, ts(f, 0));
			fake_running(f, 1, ts(f, 0));
			g = ready_thread(f, ts(f, row[i].global), 0);
			own = ready_thread(f, ts(f, row[i].own), 1);
			fake_add(f, 0, g, false);
			fake_add(f, 0, own, false);
			assert_int_equal(bsd_td(own)->queue, 0);
			got = fake_sleep(f, 0, SL_WPRIO_NONE);
			assert_ptr_equal(got, row[i].takes_own ? own : g);
		}
}

/* D9: four priorities share a list, in order of arrival; with one per list the better
 * one is first. */
static void mixed_list_is_fifo(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *a, *b;

		fake_running(f, 0, ts(f, 0));
		a = ready_thread(f, ts(f, 23), 0);
		b = ready_thread(f, ts(f, 20), 0);
		fake_add(f, 0, a, false);
		fake_add(f, 0, b, false);
		assert_ptr_equal(fake_sleep(f, 0, SL_WPRIO_NONE), fake_era(f)->ppq == 1 ? b : a);
	}
}

/* D10: a change within the list leaves a thread where it stands; into another list it
 * goes to the tail. */
static void priority_change_moves_between_lists_only(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		const struct bsd_era *era = fake_era(f);
		struct sl_runq *rq = &fake_bsd(f)->global;
		struct sl_thread *a, *b, *c, *d;
		bool one = era->ppq == 1;

		fake_running(f, 0, ts(f, 0));
		a = ready_thread(f, ts(f, 21), 0);
		b = ready_thread(f, ts(f, 23), 0);
		c = ready_thread(f, ts(f, 24), 0);
		d = ready_thread(f, ts(f, 24), 0);
		fake_add(f, 0, a, false);
		fake_add(f, 0, b, false);
		fake_add(f, 0, c, false);
		fake_add(f, 0, d, false);
		f->pol.ops->prio(&f->pol, a, ts(f, 23));
		assert_int_equal(fake_position(rq, ts(f, 23) / era->ppq, a), one ? 1 : 0);
		f->pol.ops->prio(&f->pol, a, ts(f, 24));
		assert_int_equal(fake_position(rq, ts(f, 24) / era->ppq, a), 2);
		assert_int_equal(fake_bsd(f)->nrun, 5);
	}
}

/* D12: two wake-ups before the only idle CPU reacts are both handed on. */
static void second_hand_off_is_lost(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 4)
	{
		struct sl_thread *y, *z;

		for (uint32_t cpu = 0; cpu < 4; cpu++)
			if (cpu != 2)
				fake_running(f, cpu, ts(f, 40));
		y = ready_thread(f, ts(f, 30), 0);
		z = ready_thread(f, ts(f, 20), 0);
		fake_add(f, 0, y, false);
		fake_add(f, 0, z, false);
		assert_int_equal(f->ipi[2], 2);
		assert_ptr_equal(fake_switch(f, 2, SL_SW_VOL | SL_SW_IDLE, NULL), z);
		assert_int_equal(bsd_td(y)->queue, BSD_QUEUE_GLOBAL);
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			assert_false(flagged(f->cpu[cpu].cur) || owes(f->cpu[cpu].cur));
	}
}

/* D13: a pinned thread goes to its CPU, which is told if that helps. */
static void pinned_thread_kicks_its_cpu(void **state)
{
	static const struct {
		int runs; /* on CPU 1; -1: idle */
		bool flag, ipi;
	} row[] = {
		{ 40, true, true }, { -1, false, true }, { 25, false, false }, { 30, false, false }
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		FOR_EACH_ERA(f, 4)
		{
			struct sl_thread *td;

			for (uint32_t cpu = 0; cpu < 4; cpu++)
				if (cpu != 1)
					fake_running(f, cpu, ts(f, 60));
			td = fake_running(f, 1, ts(f, 30));
			td->pinned = 1;
			fake_sleep(f, 1, SL_WPRIO_NONE);
			if (row[i].runs >= 0)
				fake_running(f, 1, ts(f, row[i].runs));
			fake_wake(f, 0, td, false);
			assert_int_equal(bsd_td(td)->queue, 1);
			assert_int_equal(flagged(f->cpu[1].cur), row[i].flag);
			assert_int_equal(f->ipi[1], row[i].ipi);
			assert_int_equal(fake_ipis(f), row[i].ipi);
			assert_false(flagged(f->cpu[0].cur));
		}
}

/* D14: of the allowed CPUs the one with the shorter own queue; where it was wins ties. */
static void cpuset_thread_picks_the_shorter_queue(void **state)
{
	static const struct {
		uint32_t plen1, plen3;
		int32_t last, want;
	} row[] = { { 1, 1, 3, 3 }, { 0, 1, 3, 1 }, { 1, 2, 3, 1 },
		    { 0, 0, 3, 3 }, { 1, 1, 1, 1 }, { 1, 1, 0, 1 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		FOR_EACH_ERA(f, 4)
		{
			struct sl_thread *td = ready_thread(f, ts(f, 30), 1u << 1 | 1u << 3);

			for (uint32_t cpu = 0; cpu < 4; cpu++)
				fake_running(f, cpu, ts(f, 0));
			for (uint32_t n = 0; n < row[i].plen1; n++)
				fake_add(f, 0, ready_thread(f, ts(f, 30), 1u << 1), false);
			for (uint32_t n = 0; n < row[i].plen3; n++)
				fake_add(f, 0, ready_thread(f, ts(f, 30), 1u << 3), false);
			bsd_td(td)->lastcpu = row[i].last;
			fake_add(f, 0, td, false);
			assert_int_equal(bsd_td(td)->queue, row[i].want);
		}
}

/* A1: a thread that never ran starts its search at CPU 0, or anywhere. */
static void first_cpu_of_a_new_thread(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		const struct bsd_era *era = fake_era(f);
		struct sl_thread *td = ready_thread(f, ts(f, 30), 3);

		assert_int_equal(bsd_td(td)->lastcpu,
				 era->enqueue == bsd_enqueue_queue_first ? BSD_CPU_NONE : 0);
	}
}

/* D15: a wake-up refreshes the user priority, but queues at the old active one. */
static void stale_priority_after_a_long_sleep(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *td, *other;

		fake_running(f, 0, ts(f, 0));
		td = f->cpu[0].cur;
		other = fake_proc(f, 0, 0);
		fake_set_pri(other, ts(f, 0));
		fake_add(f, 0, other, false);
		fake_sleep(f, 0, SL_WPRIO_NONE);
		fake_set_pri(td, ts(f, 50));
		fake_bsd(f)->ldavg[0] = 8192;
		bsd_td(td)->group->usage = 110;
		bsd_td(td)->group->slp = 10;
		fake_wake(f, 0, td, false);
		assert_int_equal(bsd_td(td)->group->usage, 40); /* 8 decays */
		assert_int_equal(td->user_pri, ts(f, 25));
		assert_int_equal(td->pri, ts(f, 50));
		assert_int_equal(bsd_td(td)->rqidx, ts(f, 50) / fake_era(f)->ppq);
		assert_int_equal(bsd_td(td)->group->slp, 0);
		fake_sleep(f, 0, SL_WPRIO_NONE);
		assert_ptr_equal(f->cpu[0].cur, td);
		f->pol.ops->userret(&f->pol, td);
		assert_int_equal(td->pri, ts(f, 25));
		assert_int_equal(td->base_pri, ts(f, 25));
	}
}

/* D16: the beat of 2005 and 7.0. */
static void beat_rotates_all_cpus(void **state)
{
	static const struct {
		const char *era;
		int position; /* of CPU 0's thread among two others in its list */
	} row[] = { { "2005", 2 }, { "7.0", 0 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake *f = fake_new(row[i].era, 4);
		struct sl_thread *run[4], *wait[2];
		const struct sl_runq *rq = &fake_bsd(f)->global;

		for (uint32_t cpu = 0; cpu < 4; cpu++)
			run[cpu] = fake_running(f, cpu, ts(f, 40));
		for (int n = 0; n < 2; n++) {
			wait[n] = ready_thread(f, ts(f, 40), 0);
			fake_add(f, 0, wait[n], false);
		}
		fake_quiet(f);
		assert_int_equal(f->timer[BSD_TIMER_BEAT], 100 * SL_NS_PER_MS);
		f->self = 0;
		f->pol.ops->timer(&f->pol, BSD_TIMER_BEAT);
		for (uint32_t cpu = 1; cpu < 4; cpu++) {
			assert_true(flagged(run[cpu]));
			assert_int_equal(f->ipi[cpu], 1);
		}
		assert_false(flagged(run[0]));
		assert_true(owes(run[0]));
		fake_switch(f, 0, SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT, NULL);
		if (row[i].position == 0) {
			assert_ptr_equal(f->cpu[0].cur, run[0]);
		} else {
			assert_ptr_equal(f->cpu[0].cur, wait[0]);
			assert_int_equal(fake_position(rq, ts(f, 40) / 4, run[0]), 1);
		}
		assert_ptr_not_equal(fake_switch(f, 1, SL_SW_INVOL | SL_SW_NEEDRESCHED, NULL),
				     run[1]);
		fake_free(f);
	}
}

static void beat_can_spare_other_cpus(void **state)
{
	struct fake *f = fake_new("2005", 2);

	(void)state;
	fake_set(f, "kern.smp.forward_roundrobin_enabled", 0);
	fake_running(f, 0, ts(f, 40));
	fake_running(f, 1, ts(f, 40));
	f->self = 0;
	f->pol.ops->timer(&f->pol, BSD_TIMER_BEAT);
	assert_false(flagged(f->cpu[1].cur));
	assert_int_equal(fake_ipis(f), 0);
	assert_true(owes(f->cpu[0].cur));
	fake_free(f);
}

/* D17 */
static void realtime_does_not_preempt(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *rt, *hog = fake_running(f, 0, ts(f, 40));

		rt = ready_thread(f, (uint8_t)(fake_era(f)->rt_min + 2), 0);
		fake_add(f, 0, rt, true);
		assert_true(flagged(hog));
		assert_false(owes(hog));
		f->pol.ops->ast(&f->pol, hog);
		assert_ptr_equal(fake_switch(f, 0, SL_SW_INVOL | SL_SW_NEEDRESCHED, NULL), rt);
	}
}

/* The limit of preemption: the interrupt range, and anything against the idle class;
 * nothing while the running thread is on its way out. */
static void limits_of_preemption(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		const struct bsd_era *era = fake_era(f);
		const struct {
			int pri, runs;
			bool blocking, owed;
		} row[] = {
			{ era->ithd_max, ts(f, 40), false, true },
			{ era->ithd_max + 1, ts(f, 40), false, false },
			{ ts(f, 0), 224, false, true },
			{ ts(f, 0), 223, false, false },
			{ 230, 230, false, false },
			{ era->ithd_max, ts(f, 40), true, false },
		};

		for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
			struct sl_thread *td = ready_thread(f, (uint8_t)row[i].pri, 0);

			fake_running(f, 0, (uint8_t)row[i].runs);
			f->cpu[0].blocking = row[i].blocking;
			fake_add(f, 0, td, true);
			assert_int_equal(owes(f->cpu[0].cur), row[i].owed);
			f->cpu[0].blocking = false;
			f->pol.ops->rem(&f->pol, td);
			fake_quiet(f);
			fake_sleep(f, 0, SL_WPRIO_NONE);
		}
	}
}

/* D18: putting the last thread back signals idle CPUs, but this CPU chooses first. */
static void lone_thread_stays(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		struct sl_thread *td = fake_running(f, 0, ts(f, 40));

		assert_ptr_equal(fake_switch(f, 0, SL_SW_INVOL | SL_SW_NEEDRESCHED, NULL), td);
		assert_int_equal(f->ipi[1], 1);
		assert_ptr_equal(fake_switch(f, 1, SL_SW_VOL | SL_SW_IDLE, NULL), &f->idle[1]);
	}
}

/* A3: a CPU that is in the idle mask itself hands nothing on. */
static void idle_waker_keeps_the_thread(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 4)
	{
		struct sl_thread *y = ready_thread(f, ts(f, 30), 0);

		fake_add(f, 0, y, true);
		assert_int_equal(fake_ipis(f), 0);
		assert_true(owes(&f->idle[0]));
	}
}

/* 9.7: in 2005 an idle thread that was preempted leaves its CPU in the mask. */
static void idle_bit_while_an_interrupt_has_the_cpu(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		struct sl_thread *y = ready_thread(f, ts(f, 30), 0);

		fake_add(f, 0, y, true);
		fake_switch(f, 0, SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT, NULL);
		assert_ptr_equal(f->cpu[0].cur, y);
		assert_int_equal(bsd_is_idle_cpu(fake_bsd(f), 0), fake_era(f) == &bsd_era_2005);
		fake_sleep(f, 0, SL_WPRIO_NONE);
		assert_true(bsd_is_idle_cpu(fake_bsd(f), 0));
		assert_int_equal(fake_bsd(f)->n_idle, 2);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupt_thread_wakes_a_socket_sleeper),
		cmocka_unit_test(idle_cpu_is_signalled_instead_of_preempting),
		cmocka_unit_test(busy_machine_flags_the_waking_cpu_only),
		cmocka_unit_test(own_queue_wins_only_when_strictly_better),
		cmocka_unit_test(mixed_list_is_fifo),
		cmocka_unit_test(priority_change_moves_between_lists_only),
		cmocka_unit_test(second_hand_off_is_lost),
		cmocka_unit_test(pinned_thread_kicks_its_cpu),
		cmocka_unit_test(cpuset_thread_picks_the_shorter_queue),
		cmocka_unit_test(first_cpu_of_a_new_thread),
		cmocka_unit_test(stale_priority_after_a_long_sleep),
		cmocka_unit_test(beat_rotates_all_cpus),
		cmocka_unit_test(beat_can_spare_other_cpus),
		cmocka_unit_test(realtime_does_not_preempt),
		cmocka_unit_test(limits_of_preemption),
		cmocka_unit_test(lone_thread_stays),
		cmocka_unit_test(idle_waker_keeps_the_thread),
		cmocka_unit_test(idle_bit_while_an_interrupt_has_the_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
