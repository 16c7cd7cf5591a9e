/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Thread groups of 2005: run slots, held back threads, shared usage, followers. */
#include "tests/policies/4bsd_machine.h"
#include "tests/sl_test.h"

enum { AST = SL_SW_INVOL | SL_SW_NEEDRESCHED };

/* A process of n threads whose first one runs; the others are not added yet. */
static struct fake *process(uint32_t ncpus, int64_t slots, int n, struct sl_thread **td)
{
	struct fake *f = fake_new("2005", ncpus);

	fake_set(f, "kern.threads.thr_concurrency", slots);
	td[0] = fake_running(f, 0, ts(f, 40));
	for (int i = 1; i < n; i++) {
		td[i] = fake_thread(f, td[0]);
		fake_set_pri(td[i], ts(f, 40));
	}
	return f;
}

static bool held_back(const struct sl_thread *td)
{
	return td->state == SL_TS_RUNQ && bsd_td(td)->queue == BSD_QUEUE_NONE;
}

static bool assigned(const struct sl_thread *td)
{
	return td->state == SL_TS_RUNQ && bsd_td(td)->queue == BSD_QUEUE_GLOBAL;
}

static void default_concurrency_is_two_per_cpu(void **state)
{
	struct sl_thread *td[2];
	struct fake *f = process(4, 0, 2, td);

	(void)state;
	assert_int_equal(bsd_td(td[0])->group->concurrency, 8);
	assert_int_equal(bsd_td(td[0])->group->slots, 7);
	assert_ptr_equal(bsd_td(td[1])->group, bsd_td(td[0])->group);
	fake_free(f);
}

/* Beyond the slots threads wait unseen by the queue and by the load. */
static void surplus_is_held_back(void **state)
{
	struct sl_thread *td[3];
	struct fake *f = process(0, 1, 3, td);

	(void)state;
	fake_add(f, 0, td[1], false);
	fake_add(f, 0, td[2], false);
	assert_true(held_back(td[1]) && held_back(td[2]));
	assert_int_equal(fake_bsd(f)->nrun, 1);
	assert_int_equal(fake_bsd(f)->n_queued, 2);
	assert_int_equal(f->pol.ops->metric(&f->pol, NULL, SL_METRIC_LOAD), 3);
	assert_ptr_equal(fake_sleep(f, 0, SL_WPRIO_NONE), td[1]);
	assert_int_equal(fake_bsd(f)->nrun, 1);
	assert_true(held_back(td[2]));
	/* The quantum ends: td[1] goes behind td[2], which gets the slot. */
	assert_ptr_equal(fake_switch(f, 0, AST, NULL), td[2]);
	assert_true(held_back(td[1]));
	fake_wake(f, 0, td[0], true);
	assert_true(held_back(td[0]));
	f->pol.ops->rem(&f->pol, td[1]);
	assert_int_equal(td[1]->state, SL_TS_CAN_RUN);
	assert_ptr_equal(fake_sleep(f, 0, SL_WPRIO_NONE), td[0]);
	assert_int_equal(bsd_td(td[0])->group->slots, 0);
	assert_ptr_equal(fake_sleep(f, 0, SL_WPRIO_NONE), &f->idle[0]);
	assert_int_equal(bsd_td(td[0])->group->slots, 1);
	assert_int_equal(fake_bsd(f)->nrun, 0);
	assert_int_equal(fake_bsd(f)->n_queued, 0);
	fake_free(f);
}

static void better_thread_takes_a_slot(void **state)
{
	struct sl_thread *td[3], *other;
	struct fake *f = process(0, 1, 3, td);

	(void)state;
	fake_sleep(f, 0, SL_WPRIO_NONE);
	fake_running(f, 0, ts(f, 10));
	fake_add(f, 0, td[1], true);
	assert_true(assigned(td[1]));
	fake_set_pri(td[2], ts(f, 30));
	fake_add(f, 0, td[2], true);
	assert_true(assigned(td[2]));
	assert_true(held_back(td[1]));
	assert_int_equal(fake_bsd(f)->nrun, 2);
	/* Equal is not better: the first come keeps it, and its place in the queue. */
	other = ready_thread(f, ts(f, 30), 0);
	fake_add(f, 0, other, true);
	fake_set_pri(td[0], ts(f, 30));
	fake_wake(f, 0, td[0], true);
	assert_int_equal(fake_position(&fake_bsd(f)->global, ts(f, 30) / 4u, td[2]), 0);
	assert_true(assigned(td[2]) && held_back(td[0]));
	/* A change within one list moves a thread of such a process, too. */
	f->pol.ops->prio(&f->pol, td[2], ts(f, 31));
	assert_true(assigned(td[0]) && held_back(td[2]));
	/* Its removal hands the slot on to the next in order. */
	f->pol.ops->rem(&f->pol, td[0]);
	assert_true(assigned(td[2]) && held_back(td[1]));
	fake_free(f);
}

static void held_back_thread_challenges_its_group(void **state)
{
	struct sl_thread *td[3];
	struct fake *f = process(2, 2, 3, td);

	(void)state;
	fake_add(f, 1, td[1], true);
	fake_switch(f, 1, SL_SW_VOL | SL_SW_IDLE, NULL);
	assert_ptr_equal(f->cpu[1].cur, td[1]);
	fake_set_pri(td[1], ts(f, 50));
	fake_set_pri(td[2], ts(f, 45));
	fake_quiet(f);
	fake_add(f, 0, td[2], false);
	assert_true(held_back(td[2]));
	assert_true(flagged(td[1]));
	assert_false(flagged(td[0]));
	assert_int_equal(f->ipi[1], 1);
	fake_free(f);
}

static void group_shares_usage_and_user_priority(void **state)
{
	struct sl_thread *td[3];
	struct fake *f = process(2, 0, 3, td);

	(void)state;
	fake_add(f, 1, td[1], true);
	fake_switch(f, 1, SL_SW_VOL | SL_SW_IDLE, NULL);
	for (int n = 0; n < 40; n++) {
		fake_tick(f, 0);
		fake_tick(f, 1);
	}
	assert_int_equal(bsd_td(td[2])->group->usage, 80);
	for (int i = 0; i < 3; i++)
		assert_int_equal(td[i]->user_pri, ts(f, 20 + 80 / 16));
	f->pol.ops->rtprio(&f->pol, td[0], SL_CLASS_REALTIME, 4);
	assert_int_equal(td[2]->pri_class, SL_CLASS_REALTIME);
	assert_int_equal(td[2]->user_pri, 132);
	fake_free(f);
}

/* The pass ages a group once, however many threads it has. */
static void pass_ages_a_group_once(void **state)
{
	struct sl_thread *td[3];
	struct fake *f = process(2, 0, 3, td);

	(void)state;
	bsd_td(td[0])->group->usage = 295;
	fake_bsd(f)->ldavg[0] = 2048;
	fake_pass(f);
	assert_int_equal(bsd_td(td[0])->group->usage, 196);
	assert_int_equal(bsd_td(td[0])->group->slp, 0); /* one of them runs */
	fake_free(f);
}

static void system_scope_has_own_groups(void **state)
{
	struct sl_thread *first, *second;
	struct fake *f = fake_new("2005", 2);

	(void)state;
	fake_set(f, "kern.threads.thr_scope", 2);
	first = fake_running(f, 0, ts(f, 40));
	bsd_td(first)->group->usage = 33;
	second = fake_thread(f, first);
	assert_ptr_not_equal(bsd_td(first)->group, bsd_td(second)->group);
	assert_int_equal(bsd_td(second)->group->usage, 33);
	assert_int_equal(bsd_td(second)->group->concurrency, 1);
	fake_add(f, 0, second, false);
	assert_true(assigned(second));
	fake_free(f);
}

static void thread_exits(struct fake *f, struct sl_thread *td, struct sl_thread *heir)
{
	SL_ASSERT(f->cpu[0].cur == td);
	f->self = 0;
	f->cpu[0].blocking = true;
	f->pol.ops->exit(&f->pol, heir, td);
	td->state = SL_TS_DEAD;
	fake_switch(f, 0, SL_SW_VOL | SL_SW_EXIT, NULL);
	sl_link_remove(&td->in_proc);
}

/* The group outlives the thread it was born with; only its last thread charges anyone. */
static void group_moves_when_its_first_thread_ends(void **state)
{
	struct sl_thread *td[4], *parent;
	struct fake *f = process(0, 1, 4, td);

	(void)state;
	parent = fake_proc(f, 0, 0);
	bsd_td(td[0])->group->usage = 50;
	for (int i = 1; i < 4; i++)
		fake_add(f, 0, td[i], false);
	thread_exits(f, td[0], td[1]);
	assert_ptr_equal(f->cpu[0].cur, td[1]);
	assert_ptr_not_equal(bsd_td(td[1])->group, &bsd_td(td[0])->own);
	assert_ptr_equal(bsd_td(td[1])->group, bsd_td(td[3])->group);
	assert_int_equal(bsd_td(td[1])->group->usage, 50);
	assert_int_equal(bsd_td(td[1])->group->members, 3);
	assert_true(held_back(td[2]) && held_back(td[3]));
	thread_exits(f, td[1], td[2]);
	thread_exits(f, td[2], td[3]);
	assert_int_equal(bsd_td(parent)->group->usage, 0);
	assert_ptr_equal(f->cpu[0].cur, td[3]);
	thread_exits(f, td[3], parent);
	assert_int_equal(bsd_td(parent)->group->usage, 50);
	assert_int_equal(fake_bsd(f)->nrun, 0);
	fake_free(f);
}

/* followon: a mate comes next although somebody better is queued. */
static void followers(void **state)
{
	static const struct {
		bool on;
		unsigned sw;
		bool follows;
	} row[] = { { false, SL_SW_VOL | SL_SW_SLEEPQ, false },
		    { true, SL_SW_VOL | SL_SW_SLEEPQ, true },
		    { true, AST, false } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct sl_thread *td[2], *better;
		struct fake *f = process(0, 0, 2, td);

		fake_set(f, "kern.sched.followon", row[i].on);
		fake_add(f, 0, td[1], false);
		better = ready_thread(f, ts(f, 20), 0);
		fake_add(f, 0, better, false);
		if (row[i].sw & SL_SW_VOL)
			td[0]->state = SL_TS_SLEEP;
		assert_ptr_equal(fake_switch(f, 0, row[i].sw, NULL),
				 row[i].follows ? td[1] : better);
		assert_int_equal(fake_get(f, "kern.sched.kgfollowons"), row[i].follows);
		assert_int_equal(fake_bsd(f)->nrun, row[i].sw & SL_SW_VOL ? 2 : 3);
		assert_int_equal(fake_bsd(f)->n_queued, row[i].sw & SL_SW_VOL ? 1 : 2);
		fake_free(f);
	}
}

static void follower_of_another_group(void **state)
{
	struct fake *f = fake_new("2005", 0);
	struct sl_thread *first, *second, *better;

	(void)state;
	fake_set(f, "kern.sched.followon", 1);
	fake_set(f, "kern.threads.thr_scope", 2);
	first = fake_running(f, 0, ts(f, 40));
	second = fake_thread(f, first);
	fake_set_pri(second, ts(f, 40));
	fake_add(f, 0, second, false);
	better = ready_thread(f, ts(f, 20), 0);
	fake_add(f, 0, better, false);
	assert_ptr_equal(fake_sleep(f, 0, SL_WPRIO_NONE), second);
	assert_int_equal(fake_get(f, "kern.sched.pfollowons"), 1);
	assert_int_equal(fake_get(f, "kern.sched.kgfollowons"), 0);
	fake_free(f);
}

/* A process that becomes multi-threaded while its thread waits in a queue. */
static void queued_thread_keeps_its_slot(void **state)
{
	struct fake *f = fake_new("2005", 0);
	struct sl_thread *first, *second;

	(void)state;
	fake_set(f, "kern.threads.thr_concurrency", 1);
	fake_running(f, 0, ts(f, 10));
	first = ready_thread(f, ts(f, 40), 0);
	fake_add(f, 0, first, false);
	second = fake_thread(f, first);
	fake_set_pri(second, ts(f, 40));
	fake_add(f, 0, second, false);
	assert_true(assigned(first) && held_back(second));
	assert_ptr_equal(fake_sleep(f, 0, SL_WPRIO_NONE), first);
	assert_ptr_equal(fake_sleep(f, 0, SL_WPRIO_NONE), second);
	fake_free(f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_concurrency_is_two_per_cpu),
		cmocka_unit_test(surplus_is_held_back),
		cmocka_unit_test(better_thread_takes_a_slot),
		cmocka_unit_test(held_back_thread_challenges_its_group),
		cmocka_unit_test(group_shares_usage_and_user_priority),
		cmocka_unit_test(pass_ages_a_group_once),
		cmocka_unit_test(system_scope_has_own_groups),
		cmocka_unit_test(group_moves_when_its_first_thread_ends),
		cmocka_unit_test(followers),
		cmocka_unit_test(follower_of_another_group),
		cmocka_unit_test(queued_thread_keeps_its_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
