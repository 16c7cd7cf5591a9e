/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What tells the eras of 4BSD apart, table by table: priority spaces, where a thread
 * goes in its list, quantum rules, preemption, tunables. */
#include "tests/policies/4bsd_machine.h"
#include "tests/sl_test.h"

enum {
	OWE = SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT,
	AST = SL_SW_INVOL | SL_SW_NEEDRESCHED,
	DIRECT = SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_PREEMPTED,
	YIELD = SL_SW_VOL | SL_SW_RELINQUISH,
	BIND = SL_SW_VOL | SL_SW_NONE,
	REMOTE = SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_REMOTEPREEMPT
};

static const struct bsd_era *era_of(const char *name)
{
	const struct sl_era *era = sl_policy_era(sl_policy_find("4bsd"), name);

	assert_non_null(era);
	return era->data;
}

static void priority_spaces(void **state)
{
	static const struct {
		const char *era;
		uint8_t ithd_max, rt_min, rt_max, ts_min, pswp, pvm, pribio, pzero, psock, pwait,
			plock, ppause, net, disk, soft, ppq;
	} row[] = {
		{ "2005", 63, 128, 159, 160, 64, 68, 76, 84, 88, 92, 100, 104, 16, 20, 36, 4 },
		{ "7.0", 63, 128, 159, 160, 64, 68, 76, 84, 88, 92, 100, 104, 16, 20, 36, 4 },
		{ "7.3", 63, 128, 159, 160, 64, 68, 76, 84, 88, 92, 100, 104, 16, 20, 36, 4 },
		{ "9.0", 47, 48, 79, 120, 80, 84, 92, 100, 104, 108, 112, 116, 8, 12, 24, 4 },
		{ "9", 47, 48, 79, 120, 80, 84, 92, 100, 104, 108, 112, 116, 8, 12, 24, 4 },
		{ "10.1", 47, 48, 79, 120, 80, 84, 92, 100, 104, 108, 112, 116, 8, 12, 24, 4 },
		{ "2017", 47, 48, 79, 120, 80, 84, 92, 100, 104, 108, 112, 116, 8, 12, 24, 4 },
		{ "14", 15, 16, 47, 88, 48, 52, 60, 68, 72, 76, 80, 84, 4, 4, 8, 4 },
		{ "15", 7, 8, 39, 56, 40, 41, 43, 45, 46, 47, 48, 49, 1, 1, 2, 1 },
	};

	(void)state;
	assert_int_equal(SL_ARRAY_LEN(row), sl_policy_find("4bsd")->n_eras);
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		const struct bsd_era *e = era_of(row[i].era);

		assert_int_equal(e->ithd_max, row[i].ithd_max);
		assert_int_equal(e->rt_min, row[i].rt_min);
		assert_int_equal(e->rt_max, row[i].rt_max);
		assert_int_equal(e->ts_min, row[i].ts_min);
		assert_int_equal(e->ts_max, 223);
		assert_int_equal(e->idle_min, 224);
		assert_int_equal(e->ppq, row[i].ppq);
		assert_int_equal(e->wprio[SL_WPRIO_PSWP], row[i].pswp);
		assert_int_equal(e->wprio[SL_WPRIO_PVM], row[i].pvm);
		assert_int_equal(e->wprio[SL_WPRIO_PRIBIO], row[i].pribio);
		assert_int_equal(e->wprio[SL_WPRIO_PZERO], row[i].pzero);
		assert_int_equal(e->wprio[SL_WPRIO_PSOCK], row[i].psock);
		assert_int_equal(e->wprio[SL_WPRIO_PWAIT], row[i].pwait);
		assert_int_equal(e->wprio[SL_WPRIO_PLOCK], row[i].plock);
		assert_int_equal(e->wprio[SL_WPRIO_PPAUSE], row[i].ppause);
		assert_int_equal(e->wprio[SL_WPRIO_PI_NET], row[i].net);
		assert_int_equal(e->wprio[SL_WPRIO_PI_DISK], row[i].disk);
		assert_int_equal(e->wprio[SL_WPRIO_PI_SOFT], row[i].soft);
	}
}

static void presets(void **state)
{
	static const struct {
		const char *era;
		uint32_t stathz;
		bool slices, tests_first;
		int lastcpu;
		bool newest_first;
	} row[] = {
		{ "2005", 133, false, true, 0, true },	{ "7.0", 133, false, true, 0, true },
		{ "7.3", 133, false, true, 0, true },	{ "9.0", 127, false, true, 0, true },
		{ "9", 127, true, true, 0, true },	{ "10.1", 127, true, true, 0, true },
		{ "2017", 127, true, false, -1, true }, { "14", 127, true, false, -1, false },
		{ "15", 127, true, false, -1, false },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		const struct sl_era *era = sl_policy_era(sl_policy_find("4bsd"), row[i].era);
		const struct bsd_era *e = era->data;

		assert_int_equal(era->machine->stathz, row[i].stathz);
		assert_int_equal(era->machine->hz, 1000);
		assert_true(era->machine->user_semaphores);
		assert_int_equal(e->new_slice, row[i].slices);
		assert_int_equal(e->new_lastcpu, row[i].lastcpu);
		assert_int_equal(e->newest_first, row[i].newest_first);
		assert_int_equal(e->enqueue == bsd_enqueue_tests_first, row[i].tests_first);
	}
}

/* 'h' head, 't' tail; second letter: with the slice used up. */
static void place_in_the_list(void **state)
{
	static const unsigned sw[] = { DIRECT, OWE, AST, YIELD, BIND, REMOTE };
	static const struct {
		const char *era, *fresh, *used_up;
	} row[] = {
		{ "2005", "htttth", "htttth" },
		{ "7.0", "hhttth", "hhttth" },
		{ "7.3", "hhttth", "hhttth" },
		{ "9.0", "hhttth", "hhttth" },
		{ "9", "hhhhhh", "tttttt" },
		{ "10.1",
		  "httth"
		  "t",
		  "tttttt" },
		{ "2017", "hhttth", "tttttt" },
		{ "14", "hhttth", "tttttt" },
		{ "15", "hhttth", "tttttt" },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		for (size_t k = 0; k < SL_ARRAY_LEN(sw); k++) {
			const struct bsd_era *e = era_of(row[i].era);

			assert_int_equal(e->requeue_head(sw[k], 0), row[i].fresh[k] == 'h');
			assert_int_equal(e->requeue_head(sw[k], SL_TDF_SLICEEND),
					 row[i].used_up[k] == 'h');
		}
}

/* The same through whole switches, and that the switch clears the requests. */
static void switch_puts_the_thread_where_the_rule_says(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		const struct bsd_era *era = fake_era(f);
		struct sl_thread *a = fake_running(f, 0, ts(f, 40));
		struct sl_thread *b = ready_thread(f, ts(f, 40), 0);

		fake_add(f, 0, b, false);
		a->flags |= SL_TDF_NEEDRESCHED | SL_TDF_OWEPREEMPT;
		assert_ptr_equal(fake_switch(f, 0, OWE, NULL), era->requeue_head(OWE, 0) ? a : b);
		assert_false(flagged(a) || owes(a));
		assert_int_equal(bsd_td(a)->lastcpu, 0);
		assert_int_equal(fake_bsd(f)->nrun, 2);
	}
}

/* D11: sched_yield() among two equals. */
static void yield_among_equals(void **state)
{
	static const struct {
		const char *era;
		bool peer;
	} row[] = { { "2005", true }, { "7.0", true }, { "7.3", true },
		    { "9.0", true },  { "9", false },  { "10.1", true },
		    { "2017", true }, { "14", true },  { "15", true } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake *f = fake_new(row[i].era, 0);
		struct sl_thread *a = fake_running(f, 0, ts(f, 40));
		struct sl_thread *b = ready_thread(f, ts(f, 40), 0);
		bool at_once;

		fake_add(f, 0, b, false);
		at_once = f->pol.ops->relinquish(&f->pol, a);
		assert_int_equal(at_once, strcmp(row[i].era, "2005") != 0);
		assert_int_equal(flagged(a), !at_once);
		assert_ptr_equal(fake_switch(f, 0, at_once ? YIELD : AST, NULL),
				 row[i].peer ? b : a);
		fake_free(f);
	}
}

/* W1, 9.2: an interrupt thread is owed the CPU; up to 10.1 the victim is also flagged,
 * except in 2005, where the switch is as direct as can be. */
static void interrupt_thread_is_owed_the_cpu(void **state)
{
	static const struct {
		const char *era;
		bool flagged;
	} row[] = { { "2005", false }, { "7.0", true }, { "7.3", true },
		    { "9.0", true },   { "9", true },	{ "10.1", true },
		    { "2017", false }, { "14", false }, { "15", false } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake *f = fake_new(row[i].era, 2);
		struct sl_thread *irq = fake_ithread(f, SL_WPRIO_PI_NET);
		struct sl_thread *hog = fake_running(f, 0, ts(f, 40));

		fake_wake(f, 0, irq, true);
		assert_int_equal(irq->state, SL_TS_RUNQ);
		assert_true(owes(hog));
		assert_int_equal(flagged(hog), row[i].flagged);
		assert_int_equal(fake_ipis(f), 0); /* never handed to the idle CPU 1 */
		assert_ptr_equal(fake_switch(f, 0, OWE, NULL), irq);
		assert_int_equal(fake_bsd(f)->nrun, 2);
		assert_int_equal(fake_bsd(f)->n_queued, 1);
		fake_free(f);
	}
}

/* 2005: the victim of the direct switch goes to the head, and its request goes over to
 * the preemptor. */
static void direct_preemption_of_2005(void **state)
{
	struct fake *f = fake_new("2005", 0);
	struct sl_thread *irq = fake_ithread(f, SL_WPRIO_PI_NET);
	struct sl_thread *hog = fake_running(f, 0, ts(f, 40)),
			 *peer = ready_thread(f, ts(f, 40), 0);

	(void)state;
	fake_add(f, 0, peer, false);
	hog->flags |= SL_TDF_NEEDRESCHED;
	fake_wake(f, 0, irq, true);
	assert_ptr_equal(fake_switch(f, 0, OWE, NULL), irq);
	assert_true(flagged(irq));
	assert_false(flagged(hog));
	assert_int_equal(fake_position(&fake_bsd(f)->global, hog->pri / 4u, hog), 0);
	fake_free(f);
}

/* In thread context outside critical sections the switch is immediate up to 10.1, and
 * the preemptor is never queued; later it is owed. Anything preempts the idle class. */
static void preemption_in_thread_context(void **state)
{
	static const struct {
		const char *era;
		bool at_once, hands_over;
	} row[] = { { "2005", true, true },   { "7.0", true, true },  { "7.3", true, true },
		    { "9.0", true, true },    { "9", true, false },   { "10.1", true, false },
		    { "2017", false, false }, { "14", false, false }, { "15", false, false } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake *f = fake_new(row[i].era, 0);
		struct sl_thread *low = fake_running(f, 0, 230);
		struct sl_thread *td = ready_thread(f, ts(f, 40), 0);

		low->flags |= SL_TDF_NEEDRESCHED;
		fake_add(f, 0, td, false);
		assert_ptr_equal(f->cpu[0].cur, row[i].at_once ? td : low);
		assert_int_equal(owes(low), !row[i].at_once);
		assert_int_equal(flagged(td), row[i].hands_over);
		assert_int_equal(fake_bsd(f)->nrun, 2);
		assert_int_equal(fake_bsd(f)->n_queued, 1);
		fake_free(f);
	}
}

/* D1: a slice is 12 own stat ticks; a newcomer's is one. */
static void slices(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		struct sl_thread *td;
		int n = 0;

		if (fake_era(f)->new_slice == 0)
			continue;
		td = fake_running(f, 0, ts(f, 40));
		fake_tick(f, 0);
		assert_true(flagged(td) && (td->flags & SL_TDF_SLICEEND));
		fake_quiet(f);
		while (!flagged(td)) {
			fake_tick(f, 0);
			n++;
		}
		assert_int_equal(n, 12);
		assert_true(td->flags & SL_TDF_SLICEEND);
		fake_tick(f, 0);
		assert_int_equal(f->pol.ops->metric(&f->pol, td, SL_METRIC_SLICE), 11);
		fake_sleep(f, 0, SL_WPRIO_NONE);
		fake_wake(f, 0, td, true);
		assert_int_equal(f->pol.ops->metric(&f->pol, td, SL_METRIC_SLICE), 12);
	}
}

/* 7.3, 9.0: 100 ms since the last call of the switch routine. */
static void quantum_since_the_last_switch(void **state)
{
	static const char *const eras[] = { "7.3", "9.0" };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(eras); i++) {
		struct fake *f = fake_new(eras[i], 0);
		struct sl_thread *td = fake_running(f, 0, ts(f, 40));

		f->pol.ticks = 99;
		fake_tick(f, 0);
		assert_false(flagged(td));
		f->pol.ticks = 100;
		fake_tick(f, 0);
		assert_true(flagged(td));
		assert_false(td->flags & SL_TDF_SLICEEND);
		assert_ptr_equal(fake_switch(f, 0, AST, NULL), td); /* restarts it all the same */
		f->pol.ticks = 199;
		fake_tick(f, 0);
		assert_false(flagged(td));
		assert_int_equal(f->pol.ops->metric(&f->pol, td, SL_METRIC_SLICE), 99);
		fake_set(f, "kern.sched.quantum", 50000);
		fake_tick(f, 0);
		assert_true(flagged(td));
		fake_free(f);
	}
}

/* A5 and the demotion of late 14. */
static void interrupt_thread_uses_up_slices(void **state)
{
	static const struct {
		const char *era;
		int pri_after[6]; /* after each used up slice */
		bool refilled;
	} row[] = {
		{ "9", { 8, 8, 8, 8, 8, 8 }, false },
		{ "2017", { 8, 8, 8, 8, 8, 8 }, false },
		{ "14", { 8, 12, 12, 12, 12, 12 }, true },
		{ "15", { 2, 3, 4, 5, 6, 6 }, true },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake *f = fake_new(row[i].era, 0);
		struct sl_thread *irq = fake_ithread(f, SL_WPRIO_PI_NET);
		bool demotes = strcmp(row[i].era, "14") == 0 || strcmp(row[i].era, "15") == 0;

		fake_wake(f, 0, irq, true);
		fake_switch(f, 0, OWE, NULL);
		assert_int_equal(bsd_td(irq)->slice, row[i].refilled ? 12 : 1);
		for (int n = 0; n < 6; n++) {
			fake_quiet(f);
			while (!owes(irq) && !flagged(irq))
				fake_tick(f, 0);
			assert_int_equal(owes(irq), demotes);
			assert_int_equal(flagged(irq), !demotes);
			assert_int_equal(irq->pri, row[i].pri_after[n]);
		}
		fake_tick(f, 0);
		irq->state = SL_TS_IWAIT;
		fake_switch(f, 0, SL_SW_VOL | SL_SW_IWAIT, NULL);
		fake_wake(f, 0, irq, true);
		assert_int_equal(irq->pri, fake_era(f)->wprio[SL_WPRIO_PI_NET]);
		assert_int_equal(bsd_td(irq)->slice, row[i].refilled ? 12 : 11);
		fake_free(f);
	}
}

static void tunables_of_each_era(void **state)
{
	static const struct {
		const char *name;
		const char *has; /* one letter per era in order of fake_eras */
	} row[] = {
		{ "kern.sched.quantum", "yyyyyyyyy" },
		{ "kern.sched.slice", "nnnnyyyyy" },
		{ "kern.sched.preemption", "yyyyyyyyy" },
		{ "kern.sched.runq_fuzz", "yyyyyyyyy" },
		{ "kern.sched.ipiwakeup.enabled", "yyyyyyyyy" },
		{ "kern.sched.ipiwakeup.onecpu", "yyynnnnnn" },
		{ "kern.sched.ipiwakeup.htt2", "yyynnnnnn" },
		{ "kern.smp.forward_roundrobin_enabled", "yyynnnnnn" },
		{ "kern.sched.followon", "ynnnnnnnn" },
		{ "kern.threads.thr_scope", "ynnnnnnnn" },
		{ "schedlab.apic_stathz", "nyynnnnnn" },
		{ "kern.ccpu", "yyyyyyyyy" },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		for (size_t e = 0; e < SL_ARRAY_LEN(fake_eras); e++) {
			struct fake *f = fake_new(fake_eras[e], 2);

			assert_int_equal(fake_tunable(f, row[i].name) != NULL,
					 row[i].has[e] == 'y');
			fake_free(f);
		}
}

static void tunables_read_and_write(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 4)
	{
		bool slices = fake_era(f)->new_slice != 0;

		assert_int_equal(fake_get(f, "kern.sched.quantum"), slices ? 94488 : 100000);
		assert_int_equal(fake_get(f, "schedlab.rr_interval"), slices ? 94 : 100);
		assert_int_equal(fake_get(f, "schedlab.hogticks"), slices ? 189 : 200);
		assert_int_equal(fake_get(f, "kern.ccpu"), 1948);
		assert_int_equal(fake_get(f, "kern.fscale"), 2048);
		assert_int_equal(fake_get(f, "kern.smp.cpus"), 4);
		assert_int_equal(fake_get(f, "kern.sched.preemption"), 1);
		assert_int_equal(fake_get(f, "kern.sched.runq_fuzz"), 1);
		assert_int_equal(fake_get(f, "kern.sched.ipiwakeup.usemask"), 1);
		assert_int_equal(fake_get(f, "kern.sched.ipiwakeup.useloop"), 0);
		fake_set(f, "kern.sched.quantum", 50000);
		assert_int_equal(fake_get(f, "kern.sched.quantum"), slices ? 7874 * 6 : 50000);
		if (slices) {
			assert_int_equal(fake_get(f, "kern.sched.slice"), 6);
			fake_set(f, "kern.sched.quantum", 200000);
			assert_int_equal(fake_get(f, "kern.sched.slice"), 25);
			fake_set(f, "kern.sched.quantum", 1);
			assert_int_equal(fake_get(f, "kern.sched.slice"), 1);
		} else {
			/* Less than a tick is refused. */
			assert_int_equal(fake_tunable(f, "kern.sched.quantum")->least, 1000);
			fake_set(f, "kern.sched.quantum", 1999);
			assert_int_equal(fake_get(f, "kern.sched.quantum"), 1000);
		}
	}
}

static void every_tunable_is_described(void **state)
{
	(void)state;
	FOR_EACH_ERA(f, 0)
	{
		for (uint32_t i = 0; i < f->pol.ops->n_tunables; i++) {
			const struct sl_tunable *t = &f->pol.ops->tunables[i];
			int64_t now = fake_get(f, t->name);

			assert_non_null(t->unit);
			assert_non_null(t->help);
			assert_true(now >= t->least && now <= t->most);
			assert_ptr_equal(fake_tunable(f, t->name), t); /* no name twice */
		}
	}
}

/* runq_fuzz: which queues it covers, and that the search of 2005 never finds anything. */
static void fuzz_prefers_the_last_cpu(void **state)
{
	static const struct {
		const char *era;
		bool global, own;
	} row[] = { { "2005", false, false }, { "7.0", true, true }, { "7.3", true, true },
		    { "9.0", true, false },   { "9", true, false },  { "10.1", true, false },
		    { "2017", true, false },  { "14", true, false }, { "15", true, false } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		for (int own = 0; own < 2; own++) {
			struct fake *f = fake_new(row[i].era, 2);
			struct sl_thread *td[3];
			bool near = own ? row[i].own : row[i].global;

			fake_running(f, 0, ts(f, 0));
			fake_running(f, 1, ts(f, 0));
			for (int n = 0; n < 3; n++) {
				td[n] = ready_thread(f, ts(f, 40), own ? 1 : 0);
				fake_add(f, 0, td[n], false);
				bsd_td(td[n])->lastcpu = n == 1 ? 0 : 1;
			}
			fake_set(f, "kern.sched.runq_fuzz", 2);
			assert_ptr_equal(fake_sleep(f, 0, SL_WPRIO_NONE), near ? td[1] : td[0]);
			fake_free(f);
		}
}

static void forwarding_switches(void **state)
{
	struct fake *f = fake_new("7.3", 8);

	(void)state;
	fake_running(f, 0, ts(f, 40));
	fake_running(f, 2, ts(f, 40));
	/* Idle: 1, 3 .. 7. */
	fake_add(f, 0, ready_thread(f, ts(f, 30), 0), false);
	assert_int_equal(fake_ipis(f), 6);
	fake_quiet(f);
	fake_set(f, "kern.sched.ipiwakeup.htt2", 1);
	fake_add(f, 0, ready_thread(f, ts(f, 30), 0), false);
	assert_int_equal(fake_ipis(f), 2); /* whole pairs 4-5 and 6-7 */
	assert_int_equal(f->ipi[4] + f->ipi[6], 2);
	fake_quiet(f);
	fake_set(f, "kern.sched.ipiwakeup.onecpu", 1);
	fake_add(f, 0, ready_thread(f, ts(f, 30), 0), false);
	assert_int_equal(fake_ipis(f), 1);
	assert_int_equal(f->ipi[4], 1);
	fake_quiet(f);
	fake_set(f, "kern.sched.ipiwakeup.usemask", 0);
	fake_add(f, 0, ready_thread(f, ts(f, 30), 0), false);
	assert_int_equal(fake_ipis(f), 0);
	assert_true(flagged(f->cpu[0].cur));
	fake_quiet(f);
	fake_set(f, "kern.sched.ipiwakeup.useloop", 1);
	fake_set(f, "kern.sched.ipiwakeup.htt2", 0);
	fake_add(f, 0, ready_thread(f, ts(f, 30), 0), false);
	assert_int_equal(f->ipi[1], 1);
	assert_int_equal(fake_ipis(f), 1);
	assert_int_equal(fake_get(f, "kern.sched.ipiwakeup.delivered"), 4);
	fake_quiet(f);
	fake_set(f, "kern.sched.ipiwakeup.enabled", 0);
	fake_add(f, 0, ready_thread(f, ts(f, 30), 0), false);
	assert_int_equal(fake_ipis(f), 0);
	assert_int_equal(fake_get(f, "kern.sched.ipiwakeup.requested"), 4);
	fake_free(f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(priority_spaces),
		cmocka_unit_test(presets),
		cmocka_unit_test(place_in_the_list),
		cmocka_unit_test(switch_puts_the_thread_where_the_rule_says),
		cmocka_unit_test(yield_among_equals),
		cmocka_unit_test(interrupt_thread_is_owed_the_cpu),
		cmocka_unit_test(direct_preemption_of_2005),
		cmocka_unit_test(preemption_in_thread_context),
		cmocka_unit_test(slices),
		cmocka_unit_test(quantum_since_the_last_switch),
		cmocka_unit_test(interrupt_thread_uses_up_slices),
		cmocka_unit_test(tunables_of_each_era),
		cmocka_unit_test(tunables_read_and_write),
		cmocka_unit_test(every_tunable_is_described),
		cmocka_unit_test(fuzz_prefers_the_last_cpu),
		cmocka_unit_test(forwarding_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
