/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE 7.0 to 8.0: the worked values and rules of ule-history.md 2 - 4 and of its
 * corrections (C1 .. C27), at hz 1000 and stathz 133. The eras of 2005 have their own
 * test. */
#include "policies/ule_7.h"
#include "tests/policies/test_ule_fake.h"

#define OWED (SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT)

static const char *const seven[] = { "7.0-sep", "7.0-beta1", "7.0-beta1-alt", "7.0-beta3", "7.3" };

/* As fake_boot(), with the stat clock of the time. */
static void boot(struct fake *f, const char *era, enum fake_shape shape, uint32_t packages,
		 uint32_t cores, uint32_t threads)
{
	fake_boot(f, era, shape, packages, cores, threads);
	memset(&f->ule, 0, sizeof(f->ule));
	f->pol.stathz = 133;
	sl_policy_ule.init(&f->pol);
	sl_policy_ule.setup(&f->pol);
}

/* --- Tunables (5, D2, D3, C7) --- */

static int64_t value_of(const struct fake *f, const char *era, const char *name)
{
	const struct sl_policy *ops = fake_era(era)->ops;

	for (uint32_t i = 0; i < ops->n_tunables; i++)
		if (strcmp(ops->tunables[i].name, name) == 0)
			return *(const int32_t *)(const void *)((const char *)&f->ule +
								ops->tunables[i].offset);
	fail_msg("era %s has no %s", era, name);
	return -1;
}

static void tunables_and_defaults(void **state)
{
	static const struct {
		const char *era, *name;
		int64_t value;
	} row[] = {
		{ "7.3", "kern.sched.slice", 13 },
		{ "7.3", "kern.sched.interact", 30 },
		{ "7.3", "kern.sched.preempt_thresh", 64 },
		{ "7.3", "kern.sched.pick_pri", 1 },
		{ "7.3", "kern.sched.affinity", 3 },
		{ "7.3", "kern.sched.tryself", 1 },
		{ "7.3", "kern.sched.balance", 1 },
		{ "7.3", "kern.sched.balance_interval", 133 },
		{ "7.3", "kern.sched.steal_htt", 1 },
		{ "7.3", "kern.sched.steal_idle", 1 },
		{ "7.3", "kern.sched.steal_thresh", 2 },
		{ "7.0-sep", "kern.sched.balance_secs", 1 },
		{ "7.0-sep", "kern.sched.steal_htt", 0 },
		{ "7.0-sep", "kern.sched.steal_thresh", 2 },
		{ "7.0-beta1", "kern.sched.steal_htt", 0 },
		{ "7.0-beta1-alt", "kern.sched.steal_htt", 0 },
		{ "7.0-beta3", "kern.sched.steal_htt", 1 },
		{ "8.0", "kern.sched.slice", 13 },
		{ "8.0", "kern.sched.preempt_thresh", 64 },
		{ "8.0", "kern.sched.static_boost", 160 },
		{ "8.0", "kern.sched.idlespins", 10000 },
		{ "8.0", "kern.sched.idlespinthresh", 4 },
		{ "8.0", "kern.sched.affinity", 1 },
		{ "8.0", "kern.sched.balance_interval", 133 },
		{ "8.0", "kern.sched.steal_htt", 1 },
		{ "8.0", "kern.sched.steal_thresh", 2 },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;

		boot(&f, row[i].era, FAKE_FLAT, 1, 4, 1);
		if (value_of(&f, row[i].era, row[i].name) != row[i].value)
			fail_msg("%s %s", row[i].era, row[i].name);
		fake_end(&f);
	}
}

static void steal_threshold_follows_the_cpus(void **state)
{
	static const struct {
		uint32_t cpus;
		int32_t thresh;
	} row[] = { { 2, 1 }, { 3, 1 }, { 4, 2 }, { 7, 2 }, { 8, 3 }, { 9, 3 }, { 64, 3 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;

		boot(&f, "7.3", FAKE_FLAT, 1, row[i].cpus, 1);
		assert_int_equal(f.ule.steal_thresh, row[i].thresh);
		fake_end(&f);
		boot(&f, "8.0", FAKE_FLAT, 1, row[i].cpus, 1);
		assert_int_equal(f.ule.steal_thresh, row[i].thresh);
		fake_end(&f);
		boot(&f, "7.0-sep", FAKE_FLAT, 1, row[i].cpus, 1);
		assert_int_equal(f.ule.steal_thresh, 2);
		fake_end(&f);
	}
}

/* The table of 3.3. */
static void profiles_of_the_betas(void **state)
{
	static const struct {
		const char *era;
		const struct ule_search *victim;     /* D1 */
		const struct ule_balancer *balancer; /* D5, D6 */
		const struct ule_place *place;	     /* D7 */
		bool yield_drops;		     /* D9 */
		bool nice;			     /* D11 */
	} row[] = {
		{ "7.0-sep", &ule_search_70, &ule_balancer_70, &ule_place_70, true, false },
		{ "7.0-beta1", &ule_search_71, &ule_balancer_71, &ule_place_70, true, false },
		{ "7.0-beta1-alt", &ule_search_70, &ule_balancer_71, &ule_place_70, true, false },
		{ "7.0-beta3", &ule_search_71, &ule_balancer_71, &ule_place_73, false, false },
		{ "7.3", &ule_search_71, &ule_balancer_71, &ule_place_73, false, true },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		const struct ule_era *era = fake_era(row[i].era)->data;

		assert_ptr_equal(era->search, row[i].victim);
		assert_ptr_equal(era->balancer, row[i].balancer);
		assert_ptr_equal(era->place, row[i].place);
		assert_int_equal(era->yield_drops, row[i].yield_drops);
		assert_int_equal(!era->formula->score_without_nice, row[i].nice);
	}
}

/* --- Priorities (2, C5, C18) --- */

static void new_threads_start_as_batch(void **state)
{
	static const int8_t nice[] = { -20, 0, 5, 19 };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(nice); i++) {
		struct fake f;
		struct sl_thread *td;

		boot(&f, "7.3", FAKE_FLAT, 1, 1, 1);
		td = fake_thread(&f, 0, 0, 0);
		f.proc[0].nice = nice[i];
		sl_policy_ule.fork(&f.pol, NULL, td);
		/* Nice -20 makes a score of 30 of 50: still not below the threshold. */
		assert_int_equal(td->pri, 180 + nice[i]);
		/* One stat tick of the slice is left. */
		assert_int_equal(f.ule.slice_for[1] - f.ts[0].slice, 1);
		fake_end(&f);
	}
}

static void interactive_priorities(void **state)
{
	struct fake f;
	struct sl_thread *td;

	(void)state;
	boot(&f, "7.3", FAKE_FLAT, 1, 1, 1);
	td = fake_thread(&f, 0, 0, 0);
	f.ts[0] = (struct ule_thread){ .runtime = 580000, .slptime = 1000000 };
	ule_priority(&f.pol, td);
	assert_int_equal(td->user_pri, 128 + 29);
	f.ts[0] = (struct ule_thread){ .runtime = 1, .slptime = 5120000 };
	ule_priority(&f.pol, td);
	assert_int_equal(td->user_pri, 128);
	/* 10 and nice 19. */
	f.ts[0] = (struct ule_thread){ .runtime = 1000000, .slptime = 5000000 };
	f.proc[0].nice = 19;
	ule_priority(&f.pol, td);
	assert_int_equal(td->user_pri, 157);
	fake_end(&f);
	/* Before 2009 nice has no say in it (D11). */
	boot(&f, "7.0-sep", FAKE_FLAT, 1, 1, 1);
	td = fake_thread(&f, 0, 0, 0);
	f.proc[0].nice = 19;
	f.ts[0] = (struct ule_thread){ .runtime = 1000000, .slptime = 4000000 };
	ule_priority(&f.pol, td);
	assert_int_equal(td->user_pri, 128 + 12);
	fake_end(&f);
}

static uint8_t batch_pri(struct fake *f, int32_t ticks, int32_t window)
{
	f->ts[0] = (struct ule_thread){ .runtime = 1, .ticks = ticks << 10, .ltick = window };
	ule_priority(&f->pol, &f->td[0]);
	return f->td[0].user_pri;
}

static void hogs_settle_at_202(void **state)
{
	struct fake f;

	(void)state;
	boot(&f, "7.3", FAKE_FLAT, 1, 1, 1);
	(void)fake_thread(&f, 0, 0, 0);
	assert_int_equal(batch_pri(&f, 10000, 10000), 202);
	assert_int_equal(batch_pri(&f, 11000, 11000), 202);
	/* Windows that 23 divides. */
	assert_int_equal(batch_pri(&f, 10005, 10005), 203);
	assert_int_equal(batch_pri(&f, 5000, 10000), 191);
	/* Young: the window counts as a second. */
	assert_int_equal(batch_pri(&f, 0, 0), 180);
	assert_int_equal(batch_pri(&f, 500, 500), 191);
	assert_int_equal(batch_pri(&f, 1000, 1000), 202);
	f.proc[0].nice = 20;
	assert_int_equal(batch_pri(&f, 10005, 10005), 223);
	fake_end(&f);
}

/* --- Window of CPU use (C19, D14) --- */

static void window_rules(void **state)
{
	struct fake f;
	const struct ule_pct *pct = &ule_pct_73;
	struct ule_thread ts = { .ticks = 500 << 10, .ltick = 500 };

	(void)state;
	boot(&f, "7.3", FAKE_FLAT, 1, 1, 1);
	/* Younger than 100 ms: left alone. */
	pct->update(&f.ule, &ts, 599, false);
	assert_int_equal(ts.ticks, 500 << 10);
	/* Stretched to ten seconds. */
	pct->update(&f.ule, &ts, 1000, false);
	assert_int_equal(ts.ticks, (500 << 10) / 1000 * 10000);
	assert_int_equal(ts.ltick, 1000);
	assert_int_equal(ts.ftick, -9000);
	/* Nothing of ten seconds ago counts. */
	pct->update(&f.ule, &ts, 11000, false);
	assert_int_equal(ts.ticks, 0);
	/* More than eleven seconds. */
	ts = (struct ule_thread){ .ticks = 11000 << 10, .ltick = 11000 };
	pct->hard(&f.ule, &ts, 11001);
	assert_int_equal(ts.ftick, 1001);
	assert_int_equal(ts.ticks, (11001 << 10) / 11001 * 10000);
	fake_end(&f);
}

static void hard_ticks_counted(void **state)
{
	struct ule u = { .hz = 1000, .targ = 10000, .tmax = 11000 };
	struct ule_thread sep = { 0 }, r73 = { 0 }, r80 = { 0 };

	(void)state;
	/* Twice within a tick, on two CPUs. */
	ule_pct_70.hard(&u, &sep, 5);
	ule_pct_70.hard(&u, &sep, 5);
	assert_int_equal(sep.ticks, 2 << 10);
	ule_pct_73.hard(&u, &r73, 5);
	ule_pct_73.hard(&u, &r73, 5);
	assert_int_equal(r73.ticks, 1 << 10);
	/* Chosen in this tick: not counted in it. */
	ule_pct_8.chosen(&u, &r80, 5);
	ule_pct_8.hard(&u, &r80, 5);
	assert_int_equal(r80.ticks, 0);
	ule_pct_8.hard(&u, &r80, 6);
	assert_int_equal(r80.ticks, 1 << 10);
}

/* --- Slices (2, C21) --- */

static void slices_are_constant(void **state)
{
	static const char *const eras[] = { "7.0-sep", "7.3", "8.0" };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(eras); i++) {
		struct fake f;

		boot(&f, eras[i], FAKE_FLAT, 1, 1, 1);
		assert_int_equal(f.ule.tickincr, 7699);
		for (int load = 0; load < ULE_SLICES; load++)
			assert_int_equal(f.ule.slice_for[load], 13);
		fake_end(&f);
	}
}

/* Ticks until a reschedule is asked for, from `used` on. */
static int32_t ticks_to_expiry(struct fake *f, struct sl_thread *td)
{
	int32_t n = 0;

	td->flags = 0;
	while (!(td->flags & SL_TDF_NEEDRESCHED) && n < 100) {
		sl_policy_ule.clock(&f->pol, 0, td, 1);
		n++;
	}
	return n;
}

static void slices_are_renewed_when_queued(void **state)
{
	struct fake f;
	struct sl_thread *td;

	(void)state;
	boot(&f, "7.3", FAKE_FLAT, 1, 1, 1);
	td = fake_thread(&f, 0, 0, 180);
	fake_run(&f, td);
	assert_int_equal(ticks_to_expiry(&f, td), 13);
	/* The request is served late: it overruns, and then every tick asks again. */
	assert_int_equal(ticks_to_expiry(&f, td), 1);
	(void)fake_switch(&f, 0, OWED);
	assert_int_equal(ticks_to_expiry(&f, td), 1);
	/* Used up exactly when queued. */
	f.ts[0].slice = 13;
	(void)fake_switch(&f, 0, OWED);
	assert_int_equal(ticks_to_expiry(&f, td), 13);
	fake_end(&f);

	boot(&f, "8.0", FAKE_FLAT, 1, 1, 1);
	td = fake_thread(&f, 0, 0, 180);
	fake_run(&f, td);
	assert_int_equal(ticks_to_expiry(&f, td), 13);
	assert_int_equal(ticks_to_expiry(&f, td), 13);
	fake_end(&f);
}

static void real_time_slices(void **state)
{
	static const struct {
		const char *era;
		int32_t ticks;
	} row[] = { { "7.0-sep", 100 }, { "7.3", 13 }, { "8.0", 13 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;
		struct sl_thread *td;

		boot(&f, row[i].era, FAKE_FLAT, 1, 1, 1);
		td = fake_thread(&f, 0, 0, 130);
		td->pri_class = SL_CLASS_REALTIME;
		fake_run(&f, td);
		assert_int_equal(ticks_to_expiry(&f, td), row[i].ticks);
		td->pri_class = SL_CLASS_FIFO;
		assert_int_equal(ticks_to_expiry(&f, td), 100);
		fake_end(&f);
	}
}

/* --- Sleep (C1) --- */

static void sleepers_priorities(void **state)
{
	static const struct {
		const char *era;
		enum sl_wprio arg;
		uint8_t pri, then;
	} row[] = {
		{ "7.3", SL_WPRIO_PWAIT, 200, 92 },	{ "7.3", SL_WPRIO_PSOCK, 200, 88 },
		{ "7.3", SL_WPRIO_PRIBIO, 130, 76 },	{ "7.3", SL_WPRIO_NONE, 200, 200 },
		{ "7.0-sep", SL_WPRIO_PWAIT, 200, 92 }, { "8.0", SL_WPRIO_PWAIT, 200, 160 },
		{ "8.0", SL_WPRIO_NONE, 200, 160 },	{ "8.0", SL_WPRIO_NONE, 140, 140 },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;
		struct sl_thread *td;

		boot(&f, row[i].era, FAKE_FLAT, 1, 1, 1);
		td = fake_thread(&f, 0, 0, row[i].pri);
		fake_run(&f, td);
		sl_policy_ule.sleep(&f.pol, td, row[i].arg);
		assert_int_equal(td->pri, row[i].then);
		fake_end(&f);
	}
}

static void yields(void **state)
{
	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(seven); i++) {
		const struct ule_era *era = fake_era(seven[i])->data;
		struct fake f;
		struct sl_thread *td;

		boot(&f, seven[i], FAKE_FLAT, 1, 1, 1);
		td = fake_thread(&f, 0, 0, 190);
		fake_run(&f, td);
		assert_true(sl_policy_ule.relinquish(&f.pol, td));
		assert_int_equal(td->pri, era->yield_drops ? 223 : 190);
		fake_end(&f);
	}
}

/* --- Telling others (2, C13) --- */

static unsigned ipi_for(const char *era, uint8_t running, uint8_t pri)
{
	struct fake f;
	unsigned sent;

	boot(&f, era, FAKE_FLAT, 1, 2, 1);
	fake_run(&f, fake_thread(&f, 0, 1, running));
	f.q[1].cpu_idle = true;
	f.ule.era->notify->tell(&f.pol, 1, fake_thread(&f, 1, 1, pri), 255);
	sent = f.ipi[1];
	fake_end(&f);
	return sent;
}

static void preemption_boundaries(void **state)
{
	static const struct {
		uint8_t running, pri;
		bool r73, r80;
	} row[] = {
		{ 190, 191, false, false }, /* worse */
		{ 190, 189, false, false }, /* batch does not preempt batch */
		{ 60, 60, true, false },    /* equal goes on in 7.x */
		{ 225, 200, true, true },   { 224, 200, false, true }, { 225, 225, true, false },
		{ 160, 158, true, true },   { 160, 159, false, true }, { 159, 130, false, false },
		{ 100, 64, true, true },    { 100, 65, false, false },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		if ((ipi_for("7.3", row[i].running, row[i].pri) != 0) != row[i].r73 ||
		    (ipi_for("8.0", row[i].running, row[i].pri) != 0) != row[i].r80)
			fail_msg("running %u, new %u", row[i].running, row[i].pri);
	}
}

/* 7.x switches without a look; 8.0 looks first. */
static void the_preempt_ipi(void **state)
{
	struct fake f;
	struct sl_thread *td;

	(void)state;
	boot(&f, "7.3", FAKE_FLAT, 1, 2, 1);
	td = fake_thread(&f, 0, 1, 190);
	fake_run(&f, td);
	sl_policy_ule.preempt(&f.pol, 1);
	assert_true(td->flags & SL_TDF_OWEPREEMPT);
	assert_ptr_equal(fake_switch(&f, 1, OWED), td);
	fake_end(&f);
	boot(&f, "8.0", FAKE_FLAT, 1, 2, 1);
	td = fake_thread(&f, 0, 1, 190);
	fake_run(&f, td);
	sl_policy_ule.preempt(&f.pol, 1);
	assert_false(td->flags & SL_TDF_OWEPREEMPT);
	f.q[1].lowpri = 150;
	sl_policy_ule.preempt(&f.pol, 1);
	assert_true(td->flags & SL_TDF_OWEPREEMPT);
	fake_end(&f);
}

/* lowpri of 7.x only improves until the next switch; a first run does not set it (C23). */
static void lowpri_of_7(void **state)
{
	struct fake f;
	struct sl_thread *a, *b;

	(void)state;
	boot(&f, "7.3", FAKE_FLAT, 1, 1, 1);
	a = fake_thread(&f, 0, 0, 150);
	fake_run(&f, a);
	ule_prio(&f.pol, a, 190);
	assert_int_equal(f.q[0].lowpri, 150);
	b = fake_thread(&f, 1, 0, 185);
	fake_queue(&f, b, 0);
	a->state = SL_TS_SLEEP;
	assert_ptr_equal(fake_switch(&f, 0, SL_SW_VOL | SL_SW_SLEEPQ), b);
	assert_int_equal(f.q[0].lowpri, 150);
	(void)fake_switch(&f, 0, OWED);
	assert_int_equal(f.q[0].lowpri, 185);
	fake_end(&f);
}

/* --- Placement (2, C11, C12) --- */

static void placement_of_7(void **state)
{
	struct fake f;
	struct sl_thread *td, *waker;

	(void)state;
	boot(&f, "7.3", FAKE_P4, 2, 1, 2);
	f.pol.ticks = 1000;
	/* Half of each core works: no group is fully idle. */
	waker = fake_thread(&f, 0, 0, 170);
	fake_queue(&f, waker, 0);
	(void)fake_switch(&f, 0, SL_SW_VOL | SL_SW_IDLE);
	f.q[0].lowpri = 170;
	td = fake_thread(&f, 1, 2, 190);
	fake_queue(&f, td, 0);
	(void)fake_switch(&f, 2, SL_SW_VOL | SL_SW_IDLE);
	f.q[2].lowpri = 190;
	f.self = 0;
	td = fake_thread(&f, 2, 2, 180);
	/* Warm, and better than what runs there: 2 ticks, not 3. */
	f.ts[2].rltick = 998;
	assert_int_equal(f.ule.era->place->pick(&f.pol, td, 0), 2);
	f.ts[2].rltick = 997;
	/* Cold: the worst work of all, and of equals the last: CPU 3 idles. */
	assert_int_equal(f.ule.era->place->pick(&f.pol, td, 0), 3);
	f.mask[2][0] = 5;
	assert_int_equal(f.ule.era->place->pick(&f.pol, td, 0), 2);
	/* Better than the waker: the waker's CPU comes before that. */
	td->pri = 165;
	assert_int_equal(f.ule.era->place->pick(&f.pol, td, 0), 0);
	/* The last CPU idles: there, however cold. */
	f.mask[2][0] = 15;
	td->cpu = 1;
	assert_int_equal(f.ule.era->place->pick(&f.pol, td, 0), 1);
	td->pinned = 1;
	td->cpu = 2;
	assert_int_equal(f.ule.era->place->pick(&f.pol, td, 0), 2);
	fake_end(&f);
}

/* Only the lowest CPU of a fully idle group is looked at. */
static void idle_groups_by_their_first_cpu(void **state)
{
	struct fake f;
	struct sl_thread *busy, *td;

	(void)state;
	boot(&f, "7.3", FAKE_P4, 2, 1, 2);
	f.pol.ticks = 1000;
	busy = fake_thread(&f, 0, 0, 130);
	fake_queue(&f, busy, 0);
	(void)fake_switch(&f, 0, SL_SW_VOL | SL_SW_IDLE);
	f.self = 0;
	td = fake_thread(&f, 1, 0, 180);
	assert_int_equal(f.ule.era->place->pick(&f.pol, td, 0), 2);
	f.mask[1][0] = 0xb;
	assert_int_equal(f.ule.era->place->pick(&f.pol, td, 0), 3);
	/* Idle-class threads do not clear the mark. */
	busy = fake_thread(&f, 2, 2, 240);
	busy->pri_class = SL_CLASS_IDLE;
	fake_queue(&f, busy, 0);
	assert_true(sl_bit_test(f.ule.idle_groups, 2));
	busy->pri_class = SL_CLASS_TIMESHARE;
	ule_rem(&f.pol, busy);
	busy->state = SL_TS_CAN_RUN;
	fake_queue(&f, busy, 0);
	assert_false(sl_bit_test(f.ule.idle_groups, 2));
	fake_end(&f);
}

static void affinity_of_8(void **state)
{
	struct ule u = { .affinity = 1 };
	const struct ule_affine *warm = ((const struct ule_era *)fake_era("8.0")->data)->affine;
	struct ule_thread ts = { .rltick = 1000 };

	(void)state;
	assert_true(warm->warm(&u, &ts, 1000, SL_CG_L1));
	assert_false(warm->warm(&u, &ts, 1001, SL_CG_L1));
	assert_true(warm->warm(&u, &ts, 1001, SL_CG_L2));
	assert_false(warm->warm(&u, &ts, 1002, SL_CG_L2));
	assert_false(warm->warm(&u, &ts, 1000, SL_CG_NONE));
}

/* Least loaded CPU of the least loaded group; first of equals. */
static void search_of_8(void **state)
{
	struct fake f;
	struct ule_query query = { .minpri = 180, .mask = NULL };
	uint64_t mask[SL_BITS_WORDS(FAKE_CPUS)] = { 0xff };

	(void)state;
	boot(&f, "8.0", FAKE_INTEL, 2, 4, 1);
	query.mask = mask;
	assert_int_equal(f.ule.era->search->lowest(&f.pol, f.tree->top, &query, NULL), 0);
	fake_load(&f, 0, 1, 0);
	assert_int_equal(f.ule.era->search->lowest(&f.pol, f.tree->top, &query, NULL), 4);
	fake_load(&f, 4, 2, 1);
	assert_int_equal(f.ule.era->search->lowest(&f.pol, f.tree->top, &query, NULL), 1);
	/* A group without an eligible CPU still sets the load to beat. */
	mask[0] = 0xf0;
	assert_int_equal(f.ule.era->search->lowest(&f.pol, f.tree->top, &query, NULL), 5);
	fake_load(&f, 0, 0, 0);
	mask[0] = 0x0f;
	assert_int_equal(f.ule.era->search->lowest(&f.pol, f.tree->top, &query, NULL), 0);
	query = (struct ule_query){ .mask = mask, .load = 2, .mintrans = 1 };
	assert_int_equal(f.ule.era->search->highest(&f.pol, f.tree->top, &query, NULL), -1);
	mask[0] = 0xff;
	assert_int_equal(f.ule.era->search->highest(&f.pol, f.tree->top, &query, NULL), 4);
	fake_end(&f);
}

/* --- Stealing (2, C3, C7) --- */

/* Queues batch thread i at a priority that is its slot. */
static void queue_at(struct fake *f, uint32_t i, uint32_t cpu, uint8_t slot)
{
	fake_queue(f, fake_thread(f, i, (int32_t)cpu, (uint8_t)(160 + slot)), 0);
}

static struct sl_thread *stolen(struct fake *f)
{
	return f->ule.steal.pick(&f->ule, &f->q[1], 0);
}

static void what_can_be_stolen(void **state)
{
	struct fake f;

	(void)state;
	boot(&f, "7.3", FAKE_FLAT, 1, 2, 1);
	/* Alone in slot order from 0: never. */
	queue_at(&f, 0, 1, 4);
	assert_null(stolen(&f));
	/* A second one in another slot is never looked at, in the same slot it goes. */
	queue_at(&f, 1, 1, 5);
	assert_null(stolen(&f));
	queue_at(&f, 2, 1, 4);
	assert_ptr_equal(stolen(&f), &f.td[2]);
	/* With the removal index elsewhere the first pass finds slot 4, the second takes it. */
	f.q[1].idx = f.q[1].ridx = 3;
	assert_ptr_equal(stolen(&f), &f.td[2]);
	f.mask[2][0] = 2;
	assert_ptr_equal(stolen(&f), &f.td[0]);
	f.mask[0][0] = 2;
	assert_null(stolen(&f));
	/* Real-time and interactive threads go first, without a skip. */
	fake_queue(&f, fake_thread(&f, 3, 1, 140), 0);
	assert_ptr_equal(stolen(&f), &f.td[3]);
	fake_end(&f);
}

static void victims(void **state)
{
	static const struct {
		const char *era;
		bool steals;
	} row[] = { { "7.0-sep", false },  { "7.0-beta1", true }, { "7.0-beta1-alt", false },
		    { "7.0-beta3", true }, { "7.3", true },	  { "8.0", true } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;

		/* One runs and one waits on CPU 1 of four (D1). */
		boot(&f, row[i].era, FAKE_FLAT, 1, 4, 1);
		fake_run(&f, fake_thread(&f, 0, 1, 190));
		f.q[1].idx = f.q[1].ridx = 1;
		queue_at(&f, 1, 1, 20);
		f.self = 0;
		assert_int_equal(sl_policy_ule.idle(&f.pol, 0),
				 row[i].steals ? SL_IDLE_SWITCH : SL_IDLE_HALT);
		assert_int_equal(f.td[1].cpu, row[i].steals ? 0 : 1);
		fake_end(&f);
		/* On eight CPUs not even 7.3 takes it, but a hyper-thread does. */
		boot(&f, row[i].era, FAKE_P4, 1, 4, 2);
		fake_run(&f, fake_thread(&f, 0, 1, 190));
		f.q[1].idx = f.q[1].ridx = 1;
		queue_at(&f, 1, 1, 20);
		f.self = 2;
		assert_int_equal(sl_policy_ule.idle(&f.pol, 2), SL_IDLE_HALT);
		f.self = 0;
		assert_int_equal(sl_policy_ule.idle(&f.pol, 0),
				 f.ule.steal_htt ? SL_IDLE_SWITCH : SL_IDLE_HALT);
		fake_end(&f);
	}
}

/* 7.x sees no second victim, 8.0 goes on to it; 7.3 asks the victim's siblings. */
static void fruitless_victims(void **state)
{
	static const struct {
		const char *era;
		int32_t from_other, from_sibling;
	} row[] = { { "7.0-sep", 3, 3 }, { "7.3", 3, 0 }, { "8.0", 0, 0 } };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct fake f;

		/* CPU 3 is the better victim, but its threads may not leave. */
		boot(&f, row[i].era, FAKE_FLAT, 1, 4, 1);
		for (uint32_t t = 0; t < 3; t++) {
			queue_at(&f, t, 3, 20);
			f.mask[t][0] = 8;
		}
		queue_at(&f, 3, 2, 20);
		queue_at(&f, 4, 2, 20);
		f.self = 0;
		(void)sl_policy_ule.idle(&f.pol, 0);
		assert_int_equal(f.td[4].cpu, row[i].from_other == 3 ? 2 : 0);
		fake_end(&f);
		/* The same on the hyper-threads of one core. */
		boot(&f, row[i].era, FAKE_P4, 2, 1, 2);
		for (uint32_t t = 0; t < 3; t++) {
			queue_at(&f, t, 3, 20);
			f.mask[t][0] = 8;
		}
		queue_at(&f, 3, 2, 20);
		queue_at(&f, 4, 2, 20);
		f.self = 0;
		(void)sl_policy_ule.idle(&f.pol, 0);
		assert_int_equal(f.td[4].cpu, row[i].from_sibling == 3 ? 2 : 0);
		fake_end(&f);
	}
}

/* --- Balancers (2, C8, C9, C25) --- */

static void periods(void **state)
{
	struct fake f;
	int32_t least = INT32_MAX, most = 0, sum = 0;

	(void)state;
	boot(&f, "7.3", FAKE_FLAT, 1, 2, 1);
	/* At boot from a nominal 128: 64 + 16807 % 128. */
	assert_int_equal(f.ule.balance_ticks, 64 + 16807 % 128);
	assert_int_equal(f.ule.group_ticks, 0);
	for (int i = 0; i < 2000; i++) {
		int32_t n = ule_draw_countdown(&f.pol, f.ule.balance_interval);

		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	assert_int_equal(least, 66);
	assert_int_equal(most, 198);
	fake_end(&f);

	boot(&f, "7.3", FAKE_P4, 2, 1, 2);
	assert_int_equal(f.ule.group_ticks, 64 + 16807 % 128);
	assert_int_equal(f.ule.balance_ticks, 64 + 282475249 % 128);
	fake_end(&f);

	boot(&f, "7.0-sep", FAKE_FLAT, 1, 2, 1);
	assert_int_equal(f.ule.balance_ticks, 807);
	for (int i = 0; i < 2000; i++) {
		f.ule.balance_ticks = 1;
		f.ule.era->balancer->hard(&f.pol);
		assert_in_range(f.ule.balance_ticks, 500, 999);
		sum += f.ule.balance_ticks;
	}
	assert_in_range(sum / 2000, 615, 635);
	fake_end(&f);
}

/* Runs the balancer of CPU 0 once. */
static void balance(struct fake *f)
{
	f->self = 0;
	f->ule.balance_ticks = 1;
	f->ule.era->balancer->tick(&f->pol, 1);
}

/* Five hogs on four CPUs: the donor is the first with two, the receiver the first with
 * one, so only CPUs 0 and 1 take part; two hogs are left alone. */
static void balancer_of_8(void **state)
{
	struct fake f;

	(void)state;
	boot(&f, "8.0", FAKE_Q6600, 1, 4, 1);
	for (uint32_t c = 0; c < 4; c++)
		fake_run(&f, fake_thread(&f, c, (int32_t)c, 202));
	f.q[1].idx = f.q[1].ridx = 1;
	f.q[0].idx = f.q[0].ridx = 1;
	queue_at(&f, 4, 1, 42);
	balance(&f);
	assert_int_equal(f.td[4].cpu, 0);
	assert_int_equal(f.ipi[0], SL_IPI_PREEMPT);
	balance(&f);
	assert_int_equal(f.td[4].cpu, 1);
	assert_int_equal(f.ule.balanced, 2);
	fake_end(&f);

	boot(&f, "8.0", FAKE_FLAT, 1, 4, 1);
	fake_run(&f, fake_thread(&f, 0, 0, 202));
	fake_run(&f, fake_thread(&f, 1, 1, 202));
	balance(&f);
	assert_int_equal(f.ule.balanced, 0);
	assert_int_equal(f.ipi[2], 0);
	fake_end(&f);
}

/* Leaf groups only: between packages nothing moves. */
static void balancer_of_8_stays_in_leaves(void **state)
{
	struct fake f;

	(void)state;
	boot(&f, "8.0", FAKE_INTEL, 2, 2, 1);
	for (uint32_t t = 0; t < 4; t++)
		queue_at(&f, t, t / 2, 20);
	balance(&f);
	assert_int_equal(f.q[0].load + f.q[1].load, 4);
	fake_end(&f);
}

/* Half the difference, rounded up, moves to the highest CPU of the other group. */
static void balancer_of_7(void **state)
{
	struct fake f;

	(void)state;
	boot(&f, "7.3", FAKE_P4, 2, 1, 2);
	for (uint32_t t = 0; t < 5; t++)
		queue_at(&f, t, 1, 20);
	balance(&f);
	assert_int_equal(f.q[1].load, 2);
	assert_int_equal(f.q[3].load, 3);
	assert_int_equal(f.ipi[3], SL_IPI_PREEMPT);
	fake_end(&f);
}

/* The receiver is made to switch even when the loads are equal. */
static void balancer_of_7_always_sends(void **state)
{
	struct fake f;

	(void)state;
	boot(&f, "7.3", FAKE_FLAT, 1, 2, 1);
	queue_at(&f, 0, 0, 20);
	queue_at(&f, 1, 1, 20);
	balance(&f);
	assert_int_equal(f.ule.balanced, 0);
	/* The first met is both unless another is strictly more or less loaded. */
	assert_int_equal(f.ipi[0] | f.ipi[1], 0);
	fake_load(&f, 0, 2, 0);
	balance(&f);
	assert_int_equal(f.ule.balanced, 0);
	fake_end(&f);

	boot(&f, "7.3", FAKE_FLAT, 1, 3, 1);
	fake_load(&f, 0, 1, 0);
	queue_at(&f, 0, 1, 20);
	fake_load(&f, 2, 1, 0);
	for (int i = 0; i < 16 && (f.ipi[0] | f.ipi[2]) == 0; i++)
		balance(&f);
	assert_int_equal(f.ule.balanced, 0);
	assert_int_not_equal(f.ipi[0] | f.ipi[2], 0);
	fake_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tunables_and_defaults),
		cmocka_unit_test(steal_threshold_follows_the_cpus),
		cmocka_unit_test(profiles_of_the_betas),
		cmocka_unit_test(new_threads_start_as_batch),
		cmocka_unit_test(interactive_priorities),
		cmocka_unit_test(hogs_settle_at_202),
		cmocka_unit_test(window_rules),
		cmocka_unit_test(hard_ticks_counted),
		cmocka_unit_test(slices_are_constant),
		cmocka_unit_test(slices_are_renewed_when_queued),
		cmocka_unit_test(real_time_slices),
		cmocka_unit_test(sleepers_priorities),
		cmocka_unit_test(yields),
		cmocka_unit_test(preemption_boundaries),
		cmocka_unit_test(the_preempt_ipi),
		cmocka_unit_test(lowpri_of_7),
		cmocka_unit_test(placement_of_7),
		cmocka_unit_test(idle_groups_by_their_first_cpu),
		cmocka_unit_test(affinity_of_8),
		cmocka_unit_test(search_of_8),
		cmocka_unit_test(what_can_be_stolen),
		cmocka_unit_test(victims),
		cmocka_unit_test(fruitless_victims),
		cmocka_unit_test(periods),
		cmocka_unit_test(balancer_of_8),
		cmocka_unit_test(balancer_of_8_stays_in_leaves),
		cmocka_unit_test(balancer_of_7),
		cmocka_unit_test(balancer_of_7_always_sends),
	};

	return cmocka_run_group_tests_name("ule 7.0 to 8.0", tests, NULL, NULL);
}
