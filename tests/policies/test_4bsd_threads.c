/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of a thread under 4BSD: ageing over seconds, sleep and wake-up, fork and
 * exit, classes, lending, binding and CPU sets, and the pass that sees them all. */
#include "tests/policies/4bsd_machine.h"
#include "tests/sl_test.h"

/* Ran, slept through k passes, woke: slp, usage and user priority at load 2. */
static void ordinary_sleeper(void **state)
{
	static const struct {
		uint32_t slp, usage;
		int upri; /* in 2005 .. 8.x; others by the same distance */
	} row[] = { { 0, 236, 209 }, { 1, 188, 203 }, { 2, 188, 203 }, { 3, 150, 198 },
		    { 4, 120, 195 }, { 5, 96, 192 },  { 6, 76, 189 },  { 7, 60, 187 } };

	(void)state;
	for (size_t k = 0; k < SL_ARRAY_LEN(row); k++)
		FOR_EACH_ERA(f, 0)
		{
			struct sl_thread *td = fake_running(f, 0, ts(f, 20));

			bsd_td(td)->group->usage = 295;
			fake_bsd(f)->ldavg[0] = 4096;
			fake_sleep(f, 0, SL_WPRIO_NONE);
			for (size_t pass = 0; pass <= k; pass++)
				fake_pass(f);
			assert_int_equal(bsd_td(td)->group->slp, row[k].slp);
			fake_wake(f, 0, td, true);
			assert_int_equal(bsd_td(td)->group->usage, row[k].usage);
			assert_int_equal(td->user_pri, ts(f, row[k].upri - 160));
		}
}

/* A hog alone on a UP machine at load 1 with 128 ticks a second. */
static void full_time_hog(void **state)
{
	static const struct {
		uint32_t peak4, after4, peak1, after1; /* 4 or 1 priorities per list */
	} row[] = { { 128, 85, 128, 85 },
		    { 213, 142, 213, 142 },
		    { 270, 180, 270, 180 },
		    { 295, 196, 308, 205 },
		    { 295, 196, 319, 212 } };

	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		bool one = fake_era(f)->ppq == 1;
		struct sl_thread *td = fake_running(f, 0, ts(f, 20));

		fake_bsd(f)->ldavg[0] = 2048;
		for (size_t s = 0; s < SL_ARRAY_LEN(row); s++) {
			for (int n = 0; n < 128; n++)
				fake_tick(f, 0);
			assert_int_equal(bsd_td(td)->group->usage,
					 one ? row[s].peak1 : row[s].peak4);
			fake_pass(f);
			assert_int_equal(bsd_td(td)->group->usage,
					 one ? row[s].after1 : row[s].after4);
		}
	}
}

/* Every 8th tick up to the ceiling, and never at the ceiling. */
static void ticks_that_recompute(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *td = fake_running(f, 0, ts(f, 20));
		uint32_t n = 0, last = 0;

		for (uint32_t tick = 1; tick <= 400; tick++) {
			uint8_t old = td->user_pri;

			fake_tick(f, 0);
			if (td->user_pri == old)
				continue;
			assert_int_equal(tick % 8, 0);
			assert_int_equal(td->pri, td->user_pri);
			n++;
			last = tick;
		}
		assert_int_equal(n, fake_era(f)->ppq == 1 ? 39 : 36);
		assert_int_equal(last, fake_era(f)->ppq == 1 ? 312 : 288);
	}
}

static void exit_charges_the_parent(void **state)
{
	static const struct {
		uint32_t ncpus, parent, child, want4, want1;
	} row[] = { { 0, 200, 150, 295, 319 },
		    { 8, 2000, 500, 2367, 2500 },
		    { 0, 20, 30, 50, 50 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		FOR_EACH_ERA(f, row[i].ncpus)
		{
			struct sl_thread *parent = fake_proc(f, 0, 0), *child = fake_proc(f, 0, 0);

			bsd_td(parent)->group->usage = row[i].parent;
			bsd_td(child)->group->usage = row[i].child;
			f->pol.ops->exit(&f->pol, parent, child);
			assert_int_equal(bsd_td(parent)->group->usage,
					 fake_era(f)->ppq == 1 ? row[i].want1 : row[i].want4);
			f->pol.ops->exit(&f->pol, NULL, child);
			assert_int_equal(bsd_td(child)->group->usage, row[i].child);
		}
}

/* "First" in the heir's process is the newest thread, from 14 on the oldest. */
static void exit_charges_the_first_listed_thread(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		struct sl_thread *old = fake_proc(f, 0, 0), *new = fake_thread(f, old);
		struct sl_thread *child = fake_proc(f, 0, 0);
		bool newest = fake_era(f)->newest_first;

		if (fake_era(f) == &bsd_era_2005)
			continue; /* the threads share one usage */
		bsd_td(child)->group->usage = 30;
		f->pol.ops->exit(&f->pol, old, child);
		assert_int_equal(bsd_td(newest ? new : old)->group->usage, 30);
		assert_int_equal(bsd_td(newest ? old : new)->group->usage, 0);
	}
}

static void fork_copies_the_past(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		struct sl_thread *parent = fake_running(f, 0, ts(f, 30)), *child;
		const struct bsd_era *era = fake_era(f);
		bool copies_pri =
			era == &bsd_era_2005 || era == &bsd_era_7_0 || era == &bsd_era_7_3;

		bsd_td(parent)->group->usage = 77;
		bsd_td(parent)->group->slp = 5;
		parent->pri = ts(f, 10); /* lent */
		child = fake_proc(f, 0, 1);
		f->pol.ops->fork(&f->pol, parent, child);
		assert_int_equal(bsd_td(child)->group->usage, 77);
		assert_int_equal(bsd_td(child)->group->slp, 0);
		assert_int_equal(child->user_pri, ts(f, 30));
		assert_int_equal(child->base_user_pri, ts(f, 30));
		assert_int_equal(child->base_pri, ts(f, 30));
		assert_int_equal(child->pri, copies_pri ? ts(f, 10) : ts(f, 30));
		assert_int_equal(bsd_td(child)->slice, era->new_slice);
		assert_true(bsd_td(child)->affinity);
	}
}

static void start_without_parent(void **state)
{
	static const struct {
		int8_t nice;
		int want;
	} row[] = { { 0, 20 }, { 5, 25 }, { -20, 0 }, { 20, 40 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		FOR_EACH_ERA(f, 2)
		{
			const struct sl_thread *td = fake_proc(f, row[i].nice, 0);

			assert_int_equal(td->pri, ts(f, row[i].want));
			assert_int_equal(td->base_pri, td->pri);
			assert_int_equal(td->user_pri, td->pri);
			assert_int_equal(td->base_user_pri, td->pri);
			assert_int_equal(td->lend_user_pri, 255);
			assert_false(bsd_td(td)->affinity);
		}
}

/* Up to 9.0 every thread takes the sleep's priority, later time-sharing ones only. */
static void sleep_priorities(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		const struct bsd_era *era = fake_era(f);
		struct sl_thread *td = fake_running(f, 0, ts(f, 20)), *rt;
		bool any = era == &bsd_era_2005 || era == &bsd_era_7_0 || era == &bsd_era_7_3 ||
			   era == &bsd_era_9_0;

		bsd_td(td)->group->slp = 3;
		fake_sleep(f, 0, SL_WPRIO_NONE);
		assert_int_equal(bsd_td(td)->group->slp, 0);
		assert_int_equal(td->pri, ts(f, 20));
		fake_wake(f, 0, td, true);
		fake_switch(f, 0, SL_SW_VOL | SL_SW_IDLE, NULL);
		fake_sleep(f, 0, SL_WPRIO_PRIBIO);
		assert_int_equal(td->pri, era->wprio[SL_WPRIO_PRIBIO]);
		assert_int_equal(td->base_pri, td->pri);
		assert_int_equal(td->user_pri, ts(f, 20));
		rt = fake_running(f, 0, era->rt_min);
		rt->pri_class = SL_CLASS_REALTIME;
		fake_sleep(f, 0, SL_WPRIO_PWAIT);
		assert_int_equal(rt->pri, any ? era->wprio[SL_WPRIO_PWAIT] : era->rt_min);
	}
}

/* A wake-up may lift the priority, never lower it. */
static void wake_up_raises(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		const struct bsd_era *era = fake_era(f);
		struct sl_thread *td = fake_running(f, 0, ts(f, 20));

		fake_sleep(f, 0, SL_WPRIO_NONE);
		td->state = SL_TS_CAN_RUN;
		f->pol.ops->wakeup(&f->pol, td, SL_WPRIO_PSOCK, SL_SRQ_BORING);
		assert_int_equal(td->pri, era->wprio[SL_WPRIO_PSOCK]);
		fake_switch(f, 0, SL_SW_VOL | SL_SW_IDLE, NULL);
		fake_sleep(f, 0, SL_WPRIO_PVM);
		td->state = SL_TS_CAN_RUN;
		f->pol.ops->wakeup(&f->pol, td, SL_WPRIO_PSOCK, SL_SRQ_BORING);
		assert_int_equal(td->pri, era->wprio[SL_WPRIO_PVM]);
	}
}

/* W7: when rtprio(2) changes the active priority at once. */
static void rtprio_rules(void **state)
{
	static const struct {
		const char *era;
		bool self, other_asleep_at_user_pri, other_asleep_in_kernel, back_to_normal;
	} row[] = {
		{ "2005", true, false, false, false }, { "7.3", true, false, false, false },
		{ "9.0", true, false, false, false },  { "9", true, true, true, true },
		{ "10.1", true, true, true, true },    { "2017", true, true, true, true },
		{ "14", true, true, true, true },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake *f = fake_new(row[i].era, 0);
		const struct bsd_era *era = fake_era(f);
		struct sl_thread *self, *td[3];

		for (int n = 0; n < 3; n++) {
			td[n] = fake_running(f, 0, ts(f, 20));
			fake_sleep(f, 0, n == 1 ? SL_WPRIO_PWAIT : SL_WPRIO_NONE);
		}
		self = fake_running(f, 0, ts(f, 20));
		f->pol.ops->rtprio(&f->pol, self, SL_CLASS_REALTIME, 5);
		assert_int_equal(self->user_pri, era->rt_min + 5);
		assert_int_equal(self->pri == self->user_pri, row[i].self);
		f->pol.ops->rtprio(&f->pol, td[0], SL_CLASS_IDLE, 3);
		assert_int_equal(td[0]->user_pri, 227);
		assert_int_equal(td[0]->pri == td[0]->user_pri, row[i].other_asleep_at_user_pri);
		f->pol.ops->rtprio(&f->pol, td[1], SL_CLASS_REALTIME, 0);
		assert_int_equal(td[1]->user_pri, era->rt_min);
		assert_int_equal(td[1]->pri == td[1]->user_pri, row[i].other_asleep_in_kernel);
		fake_set_pri(td[2], era->rt_min);
		td[2]->pri_class = SL_CLASS_REALTIME;
		f->pol.ops->rtprio(&f->pol, td[2], SL_CLASS_TIMESHARE, 0);
		assert_int_equal(td[2]->user_pri, era->ts_min);
		assert_int_equal(td[2]->pri == td[2]->user_pri, row[i].back_to_normal);
		fake_free(f);
	}
}

/* In 9.x a sleeper in the kernel that goes to the idle class keeps its priority. */
static void rtprio_of_a_kernel_sleeper_to_idle(void **state)
{
	static const struct {
		const char *era;
		bool applies;
	} row[] = { { "9", false }, { "10.1", false }, { "2017", true }, { "15", true } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake *f = fake_new(row[i].era, 0);
		struct sl_thread *td = fake_running(f, 0, ts(f, 20));

		fake_sleep(f, 0, SL_WPRIO_PWAIT);
		fake_running(f, 0, ts(f, 20));
		f->pol.ops->rtprio(&f->pol, td, SL_CLASS_IDLE, 0);
		assert_int_equal(td->user_pri, 224);
		assert_int_equal(td->pri == 224, row[i].applies);
		fake_free(f);
	}
}

static void nice_applies_at_once(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *hog = fake_running(f, 0, ts(f, 20)), *other, *asleep;

		asleep = hog;
		fake_sleep(f, 0, SL_WPRIO_PSOCK);
		hog = fake_running(f, 0, ts(f, 20));
		other = fake_proc(f, 0, 0);
		fake_add(f, 0, other, true);
		fake_quiet(f);
		other->proc->nice = -10;
		f->pol.ops->nice(&f->pol, other->proc, 0);
		assert_int_equal(other->pri, ts(f, 10));
		assert_int_equal(bsd_td(other)->rqidx, ts(f, 10) / fake_era(f)->ppq);
		assert_true(flagged(hog)); /* by the re-queue */
		asleep->proc->nice = 20;
		f->pol.ops->nice(&f->pol, asleep->proc, 0);
		assert_int_equal(asleep->user_pri, ts(f, 40));
		assert_int_equal(asleep->pri, fake_era(f)->wprio[SL_WPRIO_PSOCK]);
	}
}

/* T15: the test looks at the old priority; here the change itself would flag nobody. */
static void resched_test_sees_the_old_priority(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *asleep = fake_running(f, 0, ts(f, 10)), *hog;

		fake_sleep(f, 0, SL_WPRIO_NONE);
		hog = fake_running(f, 0, ts(f, 20));
		asleep->proc->nice = 20;
		f->pol.ops->nice(&f->pol, asleep->proc, 0);
		assert_int_equal(asleep->pri, ts(f, 40));
		assert_true(flagged(hog));
	}
}

/* A thread blocked on a lock for one pass, then handed the lock: slp is 1 when the next
 * pass finds it awake, and nothing is caught up. */
static void lock_wait_over_one_pass(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *td = fake_running(f, 0, ts(f, 30));

		fake_bsd(f)->ldavg[0] = 2048;
		td->state = SL_TS_BLOCKED;
		fake_switch(f, 0, SL_SW_VOL | SL_SW_TURNSTILE, NULL);
		fake_running(f, 0, ts(f, 0));
		fake_pass(f); /* it did run since the last one */
		bsd_td(td)->group->usage = 100;
		fake_pass(f);
		assert_int_equal(bsd_td(td)->group->slp, 1);
		assert_int_equal(bsd_td(td)->group->usage, 66);
		td->state = SL_TS_CAN_RUN;
		fake_add(f, 0, td, false);
		assert_int_equal(bsd_td(td)->group->slp, 1);
		fake_pass(f);
		assert_int_equal(bsd_td(td)->group->slp, 0);
		assert_int_equal(bsd_td(td)->group->usage, 44);
	}
}

static void kernel_lending(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *td = fake_running(f, 0, ts(f, 40));
		const struct sl_policy *ops = f->pol.ops;
		uint8_t lent = fake_era(f)->wprio[SL_WPRIO_PVM];

		ops->lend_prio(&f->pol, td, lent);
		assert_int_equal(td->pri, lent);
		assert_int_equal(td->base_pri, ts(f, 40));
		ops->prio(&f->pol, td, ts(f, 50)); /* never undercuts a loan */
		assert_int_equal(td->pri, lent);
		assert_int_equal(td->base_pri, ts(f, 50));
		td->user_pri = ts(f, 44);
		ops->unlend_prio(&f->pol, td, ts(f, 30)); /* another waiter still lends */
		assert_int_equal(td->pri, ts(f, 30));
		assert_true(td->flags & SL_TDF_BORROWING);
		ops->unlend_prio(&f->pol, td, ts(f, 44)); /* no better than its own */
		assert_false(td->flags & SL_TDF_BORROWING);
		ops->lend_prio(&f->pol, td, lent);
		ops->unlend_prio(&f->pol, td, 255);
		assert_int_equal(td->pri, ts(f, 44));
		assert_false(td->flags & SL_TDF_BORROWING);
	}
}

static void user_lending(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *td = fake_running(f, 0, ts(f, 40));
		const struct sl_policy *ops = f->pol.ops;
		const struct bsd_era *era = fake_era(f);
		bool at_once = era->lend_upri == bsd_lend_upri_min;

		ops->lend_user_prio(&f->pol, td, ts(f, 10));
		assert_int_equal(td->user_pri, ts(f, 10));
		assert_int_equal(td->base_user_pri, ts(f, 40));
		assert_int_equal(td->pri, at_once ? ts(f, 10) : ts(f, 40));
		ops->user_prio(&f->pol, td, ts(f, 50));
		assert_int_equal(td->base_user_pri, ts(f, 50));
		assert_int_equal(td->user_pri, era == &bsd_era_2005 ? ts(f, 50) : ts(f, 10));
		ops->user_prio(&f->pol, td, ts(f, 5));
		assert_int_equal(td->user_pri, ts(f, 5));
		ops->user_prio(&f->pol, td, ts(f, 50));
		ops->lend_user_prio(&f->pol, td, 255);
		assert_int_equal(td->user_pri, ts(f, 50));
		assert_int_equal(flagged(td), at_once);
	}
}

static void binding(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		struct sl_thread *td = fake_running(f, 0, ts(f, 20));

		fake_running(f, 1, ts(f, 30));
		f->self = 0;
		assert_false(f->pol.ops->bind(&f->pol, td, 0));
		assert_true(f->pol.ops->bind(&f->pol, td, 1));
		fake_switch(f, 0, SL_SW_VOL | SL_SW_NONE, NULL);
		assert_int_equal(bsd_td(td)->queue, 1);
		assert_true(flagged(f->cpu[1].cur));
		assert_int_equal(f->ipi[1], 1);
		assert_ptr_equal(fake_switch(f, 1, SL_SW_INVOL | SL_SW_NEEDRESCHED, NULL), td);
		f->pol.ops->unbind(&f->pol, td);
		f->pol.ops->relinquish(&f->pol, td);
		fake_quiet(f);
		assert_ptr_equal(fake_switch(f, 1, SL_SW_INVOL | SL_SW_NEEDRESCHED, NULL), td);
		assert_int_equal(f->ipi[0], 1); /* back in the machine's queue: idle CPU told */
	}
}

/* T13: the interrupt goes to the first forbidden CPU, not to the one that runs td. */
static void mask_change(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 4)
	{
		struct sl_thread *run[4], *queued;

		for (uint32_t cpu = 0; cpu < 4; cpu++)
			run[cpu] = fake_running(f, cpu, ts(f, 20));
		*(uint64_t *)(uintptr_t)run[3]->mask = 1u << 0 | 1u << 2;
		f->self = 0;
		f->pol.ops->affinity(&f->pol, run[3]);
		assert_true(flagged(run[3]));
		assert_int_equal(f->ipi[1], 1);
		assert_int_equal(fake_ipis(f), 1);
		fake_quiet(f);
		*(uint64_t *)(uintptr_t)run[0]->mask = 1u << 2;
		f->pol.ops->affinity(&f->pol, run[0]); /* the caller itself: no interrupt */
		assert_true(flagged(run[0]));
		assert_int_equal(fake_ipis(f), 0);
		queued = ready_thread(f, ts(f, 30), 0);
		fake_add(f, 0, queued, false);
		assert_int_equal(bsd_td(queued)->queue, BSD_QUEUE_GLOBAL);
		*(uint64_t *)(uintptr_t)queued->mask = 1u << 1;
		f->pol.ops->affinity(&f->pol, queued);
		assert_int_equal(bsd_td(queued)->queue, 1);
		*(uint64_t *)(uintptr_t)queued->mask = 1u << 1 | 1u << 2;
		f->pol.ops->affinity(&f->pol, queued); /* an allowed queue: stays */
		assert_int_equal(bsd_td(queued)->queue, 1);
		*(uint64_t *)(uintptr_t)queued->mask = f->full;
		f->pol.ops->affinity(&f->pol, queued);
		assert_int_equal(bsd_td(queued)->queue, 1);
		assert_false(bsd_td(queued)->affinity);
		assert_int_equal(bsd_cpu(&f->pol, 1)->plen, 1);
	}
}

/* A running thread whose CPU became forbidden leaves at its next switch. */
static void forbidden_thread_moves(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		struct sl_thread *td = fake_running(f, 0, ts(f, 20));

		*(uint64_t *)(uintptr_t)td->mask = 1u << 1;
		f->pol.ops->affinity(&f->pol, td);
		assert_ptr_equal(fake_switch(f, 0, SL_SW_INVOL | SL_SW_NEEDRESCHED, NULL),
				 &f->idle[0]);
		assert_int_equal(bsd_td(td)->queue, 1);
		assert_int_equal(f->ipi[1], 1);
	}
}

/* W2: re-queues of the pass from a per-CPU queue ask for a CPU anew and flag what runs
 * there, because it may not have been aged yet; on the pass's own CPU nobody is. */
static void pass_flags_other_cpus(void **state)
{
	static const struct {
		uint32_t cpu;
		bool flag;
	} row[] = { { 1, true }, { 0, false } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		FOR_EACH_ERA(f, 2)
		{
			uint32_t cpu = row[i].cpu;
			struct sl_thread *running, *queued;

			fake_running(f, 1 - cpu, ts(f, 30));
			running = fake_running(f, cpu, ts(f, 30));
			queued = fake_proc(f, 0, (uint64_t)1 << cpu); /* newest: aged first */
			fake_set_pri(queued, ts(f, 30));
			fake_add(f, cpu, queued, true);
			bsd_td(running)->group->usage = bsd_td(queued)->group->usage = 160;
			fake_quiet(f);
			fake_bsd(f)->ldavg[0] = 1024; /* halves usage */
			fake_pass(f);
			assert_int_equal(queued->pri, ts(f, 25));
			assert_int_equal(bsd_td(queued)->queue, (int)cpu);
			assert_int_equal(flagged(running), row[i].flag);
			assert_int_equal(fake_ipis(f), row[i].flag);
		}
}

/* Zero load wipes usage; a long sleeper is left alone; the virtual thread of the pass is
 * nobody's current thread afterwards. */
static void pass_ages_everybody(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *asleep = fake_running(f, 0, ts(f, 30)), *hog;

		fake_sleep(f, 0, SL_WPRIO_NONE);
		hog = fake_running(f, 0, ts(f, 30));
		bsd_td(hog)->group->usage = bsd_td(asleep)->group->usage = 80;
		bsd_td(asleep)->group->slp = 1;
		bsd_td(asleep)->didrun = false;
		fake_pass(f);
		assert_int_equal(bsd_td(hog)->group->usage, 0);
		assert_int_equal(hog->pri, ts(f, 20));
		assert_int_equal(bsd_td(asleep)->group->usage, 80);
		assert_int_equal(bsd_td(asleep)->group->slp, 2);
		assert_int_equal(asleep->pri, ts(f, 30));
		assert_ptr_equal(bsd_cur(&f->pol), hog);
		assert_int_equal(f->timer[BSD_TIMER_PASS], SL_NS_PER_S);
	}
}

/* A10, off by default: the wake-up of the pass's own thread. */
static void pass_thread_may_wake(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		struct sl_thread *hog = fake_running(f, 0, ts(f, 20));

		fake_pass(f);
		assert_false(flagged(hog));
		assert_int_equal(fake_ipis(f), 0);
		fake_set(f, "schedlab.schedcpu_wakes", 1);
		fake_pass(f); /* CPU 1 is idle */
		assert_false(flagged(hog));
		assert_int_equal(f->ipi[1], 1);
		fake_running(f, 1, ts(f, 20));
		fake_pass(f);
		assert_true(flagged(hog));
		assert_false(flagged(f->cpu[1].cur));
		fake_quiet(f);
		fake_sleep(f, 0, SL_WPRIO_NONE);
		fake_sleep(f, 1, SL_WPRIO_NONE);
		fake_pass(f); /* CPU 0, itself idle, hands nothing on */
		assert_int_equal(fake_ipis(f), 0);
	}
}

static void load_sample_timer(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		fake_running(f, 0, ts(f, 20));
		assert_int_equal(f->timer[BSD_TIMER_LOAD], 5 * SL_NS_PER_S);
		f->pol.now = 5 * SL_NS_PER_S;
		f->pol.ops->timer(&f->pol, BSD_TIMER_LOAD);
		assert_int_equal(f->pol.ops->metric(&f->pol, NULL, SL_METRIC_LDAVG0), 164);
		assert_int_equal(f->pol.ops->metric(&f->pol, NULL, SL_METRIC_NRUN), 1);
		assert_int_equal(f->timer[BSD_TIMER_LOAD], 10 * SL_NS_PER_S);
		fake_set(f, "schedlab.random_load_period", 1);
		f->pol.ops->timer(&f->pol, BSD_TIMER_LOAD);
		assert_in_range(f->timer[BSD_TIMER_LOAD], 9 * SL_NS_PER_S, 11 * SL_NS_PER_S);
		assert_int_not_equal(f->timer[BSD_TIMER_LOAD], 10 * SL_NS_PER_S);
	}
}

/* Interrupt threads count as load while runnable; idle threads never do. */
static void who_is_load(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 2)
	{
		struct sl_thread *irq = fake_ithread(f, SL_WPRIO_PI_NET);

		assert_int_equal(fake_bsd(f)->nrun, 0);
		fake_wake(f, 0, irq, true);
		assert_int_equal(fake_bsd(f)->nrun, 1);
		fake_switch(f, 0, SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT, NULL);
		assert_ptr_equal(f->cpu[0].cur, irq);
		assert_int_equal(fake_bsd(f)->nrun, 1);
		irq->state = SL_TS_IWAIT;
		assert_ptr_equal(fake_switch(f, 0, SL_SW_VOL | SL_SW_IWAIT, NULL), &f->idle[0]);
		assert_int_equal(fake_bsd(f)->nrun, 0);
		assert_int_equal(f->pol.ops->metric(&f->pol, NULL, SL_METRIC_LOAD), 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_sleeper),
		cmocka_unit_test(full_time_hog),
		cmocka_unit_test(ticks_that_recompute),
		cmocka_unit_test(exit_charges_the_parent),
		cmocka_unit_test(exit_charges_the_first_listed_thread),
		cmocka_unit_test(fork_copies_the_past),
		cmocka_unit_test(start_without_parent),
		cmocka_unit_test(sleep_priorities),
		cmocka_unit_test(wake_up_raises),
		cmocka_unit_test(rtprio_rules),
		cmocka_unit_test(rtprio_of_a_kernel_sleeper_to_idle),
		cmocka_unit_test(nice_applies_at_once),
		cmocka_unit_test(resched_test_sees_the_old_priority),
		cmocka_unit_test(lock_wait_over_one_pass),
		cmocka_unit_test(kernel_lending),
		cmocka_unit_test(user_lending),
		cmocka_unit_test(binding),
		cmocka_unit_test(mask_change),
		cmocka_unit_test(forbidden_thread_moves),
		cmocka_unit_test(pass_flags_other_cpus),
		cmocka_unit_test(pass_ages_everybody),
		cmocka_unit_test(pass_thread_may_wake),
		cmocka_unit_test(load_sample_timer),
		cmocka_unit_test(who_is_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
