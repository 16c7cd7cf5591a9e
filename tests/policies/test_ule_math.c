/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE's arithmetic: ule.md 1.2, 25.1 - 25.4, 25.6 - 25.10, 25.12, with the eras it
 * names. */
#include "tests/policies/test_ule_fake.h"

static const char *const trunc_eras[] = { "10.4", "11.0", "2017", "2017-1ppq", "12", "13" };
static const char *const all_eras[] = {
	"10.4", "11.0", "2017", "2017-1ppq", "12", "13", "14", "15"
};

static void boot(struct fake *f, const char *era)
{
	fake_boot(f, era, FAKE_FLAT, 1, 1, 1);
}

static void scores(void **state)
{
	static const struct {
		uint32_t run, slp;
		int32_t at30, at60;
	} row[] = {
		{ 0, 0, 50, 0 },	   { 0, 1024, 0, 0 },
		{ 8062, 1024000, 0, 0 },   { 1000000, 4000000, 12, 12 },
		{ 80620, 307200, 13, 13 }, { 580000, 1000000, 29, 29 },
		{ 98, 99, 98, 98 },	   { 2560000, 2560000, 50, 50 },
		{ 5120000, 1, 50, 100 },   { 1, 5120000, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		assert_int_equal(ule_score(row[i].run, row[i].slp, 30), row[i].at30);
		assert_int_equal(ule_score(row[i].run, row[i].slp, 60), row[i].at60);
	}
}

static void history_caps(void **state)
{
	static const uint32_t row[][4] = {
		{ 2000000, 3119999, 2000000, 3119999 }, { 2000000, 3120000, 1600000, 2496000 },
		{ 2000003, 3120004, 1600000, 2496000 }, { 3000000, 3144000, 2400000, 2515200 },
		{ 3000000, 3144001, 1500000, 1572000 }, { 5120000, 5120000, 2560000, 2560000 },
		{ 5120000, 5120001, 1, 5120000 },	{ 10240001, 0, 5120000, 1 },
	};
	struct fake f;

	(void)state;
	boot(&f, "2017");
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct ule_thread ts = { .runtime = row[i][0], .slptime = row[i][1] };

		ule_cap_history(&f.ule, &ts);
		assert_int_equal(ts.runtime, row[i][2]);
		assert_int_equal(ts.slptime, row[i][3]);
	}
	fake_end(&f);
}

static void fork_scale_down(void **state)
{
	static const uint32_t row[][4] = {
		{ 100000, 412000, 100000, 412000 }, { 500000, 523999, 500000, 523999 },
		{ 500000, 524000, 250000, 262000 }, { 1000000, 4000000, 111111, 444444 },
		{ 1, 5120000, 0, 512000 },
	};
	struct fake f;

	(void)state;
	boot(&f, "2017");
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct ule_thread ts = { .runtime = row[i][0], .slptime = row[i][1] };

		ule_fork_history(&f.ule, &ts);
		assert_int_equal(ts.runtime, row[i][2]);
		assert_int_equal(ts.slptime, row[i][3]);
	}
	fake_end(&f);
}

/* Histories that give the score a row of 25.4 asks for. */
static struct ule_thread with_score(int32_t score)
{
	switch (score) {
	case 0:
		return (struct ule_thread){ .runtime = 0, .slptime = 1024 };
	case 50:
		return (struct ule_thread){ .runtime = 3000000, .slptime = 1000000 };
	default:
		/* run / (slp / 50) with slp 5,000,000 */
		return (struct ule_thread){ .runtime = (uint32_t)score * 100000,
					    .slptime = 5000000 };
	}
}

struct formula_row {
	int32_t score, nice, ticks, ltick;
	uint8_t a, c13, c14, d;
};

static const struct formula_row formula_rows[] = {
	{ 50, 0, 10000, 10000, 203, 203, 203, 198 }, { 50, 0, 5000, 10000, 187, 187, 179, 169 },
	{ 50, 0, 500, 500, 187, 187, 179, 198 },     { 50, 20, 10000, 10000, 223, 223, 223, 223 },
	{ 50, -20, 0, 0, 152, 152, 136, 115 },	     { 50, 19, 0, 0, 191, 191, 175, 163 },
	{ 50, 0, 312, 10000, 172, 172, 157, 142 },   { 50, 0, 313, 10000, 173, 173, 157, 142 },
	{ 29, 0, 0, 0, 149, 150, 134, 113 },	     { 12, 0, 0, 0, 132, 132, 107, 79 },
	{ 12, 17, 0, 0, 149, 150, 134, 113 },	     { 12, 18, 0, 0, 190, 190, 174, 162 },
	{ 12, -20, 0, 0, 120, 120, 88, 56 },	     { 7, 0, 0, 0, 127, 127, 99, 69 },
	{ 14, 0, 0, 0, 134, 134, 110, 83 },	     { 21, 0, 0, 0, 141, 142, 121, 97 },
	{ 28, 0, 0, 0, 148, 149, 132, 111 },
};

static uint8_t formula(struct fake *f, const struct formula_row *row)
{
	struct sl_thread *td = fake_thread(f, 0, 0, 200);

	f->ts[0] = with_score(row->score);
	f->ts[0].ticks = row->ticks << 10;
	f->ts[0].ltick = row->ltick;
	f->proc[0].nice = (int8_t)row->nice;
	ule_priority(&f->pol, td);
	assert_int_equal(td->user_pri, td->base_user_pri);
	assert_int_equal(td->pri, 200);
	return td->user_pri;
}

static void priority_formula(void **state)
{
	struct fake f;

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(all_eras); e++) {
		const char *era = all_eras[e];

		boot(&f, era);
		for (size_t i = 0; i < SL_ARRAY_LEN(formula_rows); i++) {
			const struct formula_row *row = &formula_rows[i];
			uint8_t want = row->a;

			if (strcmp(era, "13") == 0)
				want = row->c13;
			else if (strcmp(era, "14") == 0)
				want = row->c14;
			else if (strcmp(era, "15") == 0)
				want = row->d;
			assert_int_equal(formula(&f, row), want);
		}
		fake_end(&f);
	}
}

static void nice_offsets_of_15(void **state)
{
	static const int32_t row[][2] = { { -20, 0 }, { -10, 12 }, { -1, 23 }, { 0, 25 }, { 1, 26 },
					  { 5, 31 },  { 10, 37 },  { 19, 48 }, { 20, 50 } };
	struct fake f;

	(void)state;
	boot(&f, "15");
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		/* Score 50 stays batch at any nice. */
		struct formula_row r = { .score = 50, .nice = row[i][0] };

		assert_int_equal(formula(&f, &r), 115 + row[i][1]);
	}
	fake_end(&f);
}

/* With a lent priority the formula moves the base only, unless it is better still. */
static void formula_respects_a_lent_priority(void **state)
{
	struct fake f;
	struct sl_thread *td;

	(void)state;
	boot(&f, "2017");
	td = fake_thread(&f, 0, 0, 172);
	ule_lend_user_prio(&f.pol, td, 60);
	assert_int_equal(td->user_pri, 60);
	assert_int_equal(td->pri, 60);
	ule_priority(&f.pol, td);
	assert_int_equal(td->base_user_pri, 172);
	assert_int_equal(td->user_pri, 60);
	ule_lend_user_prio(&f.pol, td, 255);
	assert_int_equal(td->user_pri, 172);
	assert_int_equal(td->pri, 60);
	assert_true(td->flags & SL_TDF_NEEDRESCHED);
	fake_end(&f);
}

struct window_row {
	int32_t ticks, ftick, ltick, now;
	bool running;
	int32_t ticks2, ftick2, ltick2;
};

static void cpu_window(void **state)
{
	static const struct window_row row[] = {
		{ 0, 0, 0, 8, true, 8192, 0, 8 },
		{ 10240000, 0, 10000, 10008, true, 10248192, 0, 10008 },
		{ 11255808, 0, 10992, 11000, true, 10240000, 1000, 11000 },
		{ 5120000, 0, 10500, 11000, false, 4626500, 1000, 11000 },
		{ 5120000, 0, 10500, 11000, true, 5138500, 1000, 11000 },
		{ 5120000, 0, 10000, 19999, false, 512, 9999, 19999 },
		{ 5120000, 0, 10000, 20000, false, 0, 10000, 20000 },
		{ 5120000, 0, 10000, 20000, true, 10240000, 10000, 20000 },
		{ 3072, 1000, 11500, 12000, false, 0, 2000, 12000 },
	};
	struct fake f;

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(all_eras); e++) {
		boot(&f, all_eras[e]);
		for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
			struct ule_thread ts = { .ticks = row[i].ticks,
						 .ftick = row[i].ftick,
						 .ltick = row[i].ltick };

			f.ule.era->pct->update(&f.ule, &ts, row[i].now, row[i].running);
			assert_int_equal(ts.ticks, row[i].ticks2);
			assert_int_equal(ts.ftick, row[i].ftick2);
			assert_int_equal(ts.ltick, row[i].ltick2);
		}
		fake_end(&f);
	}
}

static void hog_asleep_gets_better(void **state)
{
	static const int32_t row[][2] = { { 500, 202 },	 { 1000, 200 }, { 2000, 197 },
					  { 5000, 187 }, { 9000, 175 }, { 9999, 172 },
					  { 20000, 172 } };
	struct fake f;

	(void)state;
	boot(&f, "2017");
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct sl_thread *td = fake_thread(&f, 0, 0, 203);

		f.ts[0] = with_score(50);
		f.ts[0].ticks = 10000 << 10;
		f.ts[0].ltick = 10000;
		f.ule.era->pct->update(&f.ule, &f.ts[0], 10000 + row[i][0], false);
		ule_priority(&f.pol, td);
		assert_int_equal(td->user_pri, row[i][1]);
	}
	fake_end(&f);
}

static int32_t tick_ms(int32_t k)
{
	return k * 1000 / 127;
}

static void fresh_hog_climbs(void **state)
{
	static const int32_t row[][2] = { { 1, 172 },	{ 4, 172 },   { 5, 173 },   { 9, 174 },
					  { 13, 175 },	{ 118, 201 }, { 121, 201 }, { 122, 202 },
					  { 125, 202 }, { 126, 203 } };
	struct fake f;
	struct sl_thread *td;
	size_t next = 0;

	(void)state;
	boot(&f, "2017");
	td = fake_thread(&f, 0, 0, 172);
	fake_run(&f, td);
	for (int32_t k = 1; k <= 126; k++) {
		f.pol.ticks = tick_ms(k);
		ule_clock(&f.pol, 0, td, 1);
		if (row[next][0] == k)
			assert_int_equal(td->user_pri, row[next++][1]);
	}
	assert_int_equal(next, SL_ARRAY_LEN(row));
	fake_end(&f);
}

/* Stat ticks until the score reaches the threshold. */
static int32_t ticks_to_batch(struct fake *f, uint32_t run, uint32_t slp)
{
	struct sl_thread *td = fake_thread(f, 0, 0, 130);
	int32_t n = 0;

	f->ts[0].runtime = run;
	f->ts[0].slptime = slp;
	f->q[0].load = f->q[0].sysload = 1;
	while (ule_score(f->ts[0].runtime, f->ts[0].slptime, 30) < 30) {
		f->pol.ticks = tick_ms(++n);
		ule_clock(&f->pol, 0, td, 1);
	}
	return n;
}

static void interactive_to_batch(void **state)
{
	struct fake f;

	(void)state;
	boot(&f, "2017");
	assert_int_equal(ticks_to_batch(&f, 1, 5120000), 267);
	assert_int_equal(f.ts[0].runtime, 1575248);
	assert_int_equal(f.ts[0].slptime, 2621440);
	assert_int_equal(ticks_to_batch(&f, 0, 512000), 39);
	assert_int_equal(ticks_to_batch(&f, 111111, 444444), 20);
	assert_int_equal(ticks_to_batch(&f, 8062, 101376), 7);
	assert_int_equal(ule_score(f.ts[0].runtime, f.ts[0].slptime, 30), 31);
	fake_end(&f);
}

static void first_ticks_of_an_interactive_thread(void **state)
{
	static const uint32_t run[] = { 6448, 14510, 22572 };
	struct fake f;
	struct sl_thread *td;

	(void)state;
	boot(&f, "2017");
	td = fake_thread(&f, 0, 0, 130);
	f.ts[0].runtime = 1;
	f.ts[0].slptime = 5120000;
	for (size_t i = 0; i < SL_ARRAY_LEN(run); i++) {
		ule_clock(&f.pol, 0, td, 1);
		assert_int_equal(f.ts[0].runtime, run[i]);
		assert_int_equal(f.ts[0].slptime, 4096000);
	}
	fake_end(&f);
}

static void one_long_sleep(void **state)
{
	static const struct {
		uint32_t run, slp;
		int32_t ms;
		uint32_t run2, slp2;
		int32_t score;
	} row[] = {
		{ 5120000, 1, 1, 4096000, 820, 50 }, { 5120000, 1, 4000, 2560000, 2048000, 50 },
		{ 5120000, 1, 5000, 1, 5120000, 0 }, { 4096000, 0, 6000, 2048000, 3072000, 33 },
		{ 4096000, 0, 7000, 1, 5120000, 0 },
	};
	struct fake f;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct sl_thread *td;

		boot(&f, "2017");
		td = fake_thread(&f, 0, 0, 203);
		f.ts[0].runtime = row[i].run;
		f.ts[0].slptime = row[i].slp;
		f.pol.ticks = 100;
		ule_sleep(&f.pol, td, SL_WPRIO_NONE);
		assert_int_equal(td->pri, 152);
		f.pol.ticks = 100 + row[i].ms;
		ule_wakeup(&f.pol, td, SL_WPRIO_NONE, SL_SRQ_BORING);
		assert_int_equal(f.ts[0].runtime, row[i].run2);
		assert_int_equal(f.ts[0].slptime, row[i].slp2);
		assert_int_equal(ule_score(row[i].run2, row[i].slp2, 30), row[i].score);
		fake_end(&f);
	}
}

/* A sleep that begins at tick 0, or ends in the tick it began in, earns nothing. */
static void sleeps_without_credit(void **state)
{
	static const int32_t row[][2] = { { 0, 50 }, { 70, 70 } };
	struct fake f;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct sl_thread *td;

		boot(&f, "2017");
		td = fake_thread(&f, 0, 0, 172);
		f.ts[0].slice = 7;
		f.pol.ticks = row[i][0];
		ule_sleep(&f.pol, td, SL_WPRIO_NONE);
		f.pol.ticks = row[i][1];
		ule_wakeup(&f.pol, td, SL_WPRIO_NONE, SL_SRQ_BORING);
		assert_int_equal(f.ts[0].slptime, 0);
		assert_int_equal(f.ts[0].slice, 0);
		fake_end(&f);
	}
}

static void slices(void **state)
{
	static const int32_t at12[] = { 12, 12, 6, 4, 3, 2, 2, 2 };
	static const int32_t at13[] = { 13, 13, 6, 4, 3, 2, 2, 2 };
	struct fake f;

	(void)state;
	boot(&f, "2017");
	for (int32_t n = 1; n <= 8; n++) {
		f.q[0].sysload = n;
		assert_int_equal(ule_slice_of(&f.ule, &f.q[0]), at12[n - 1]);
	}
	f.pol.stathz = 133;
	ule_default_tunables(&f.pol);
	for (int32_t n = 1; n <= 8; n++) {
		f.q[0].sysload = n;
		assert_int_equal(ule_slice_of(&f.ule, &f.q[0]), at13[n - 1]);
	}
	fake_end(&f);
}

static void a_new_thread_has_two_ticks(void **state)
{
	static const int32_t row[][2] = { { 1, 10 }, { 3, 4 } };
	struct fake f;

	(void)state;
	boot(&f, "2017");
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct sl_thread *parent = fake_thread(&f, 0, 0, 172);
		struct sl_thread *child = fake_thread(&f, 1, 0, 172);

		f.q[0].sysload = row[i][0];
		ule_fork(&f.pol, parent, child);
		assert_int_equal(f.ts[1].slice, row[i][1]);
	}
	fake_end(&f);
}

static void derived_constants(void **state)
{
	static const int32_t row[][10] = {
		/* hz, stathz: slice, min, tickincr, interval, affinity, spin, quantum */
		{ 1000, 127, 12, 2, 8062, 127, 1, 157, 94488 },
		{ 1000, 128, 12, 2, 8000, 128, 1, 156, 93744 },
		{ 1000, 133, 13, 2, 7699, 133, 1, 150, 97734 },
		{ 100, 127, 12, 2, 806, 127, 1, 157, 94488 },
		{ 250, 127, 12, 2, 2015, 127, 1, 157, 94488 },
		{ 100, 0, 10, 1, 1024, 100, 1, 200, 100000 },
	};
	struct fake f;

	(void)state;
	boot(&f, "2017");
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		f.pol.hz = (uint32_t)row[i][0];
		f.pol.stathz = (uint32_t)row[i][1];
		sl_policy_ule.init(&f.pol);
		assert_int_equal(f.ule.slice, row[i][2]);
		assert_int_equal(f.ule.slice_min, row[i][3]);
		assert_int_equal(f.ule.tickincr, row[i][4]);
		assert_int_equal(f.ule.balance_interval, row[i][5]);
		assert_int_equal(f.ule.affinity, row[i][6]);
		assert_int_equal(f.ule.idlespinthresh, row[i][7]);
		for (uint32_t t = 0; t < sl_policy_ule.n_tunables; t++)
			if (strcmp(ule_tunables[t].name, "kern.sched.quantum") == 0)
				assert_int_equal(ule_tunables[t].get(&f.pol), row[i][8]);
	}
	fake_end(&f);
}

static const struct sl_tunable *tunable(const char *name)
{
	for (uint32_t t = 0; t < sl_policy_ule.n_tunables; t++)
		if (strcmp(ule_tunables[t].name, name) == 0)
			return &ule_tunables[t];
	fail_msg("no tunable %s", name);
	return NULL;
}

static void slice_and_quantum_have_different_side_effects(void **state)
{
	struct fake f;

	(void)state;
	boot(&f, "2017");
	tunable("kern.sched.slice")->set(&f.pol, 6);
	assert_int_equal(f.ule.slice, 6);
	assert_int_equal(f.ule.slice_min, 2);
	tunable("kern.sched.quantum")->set(&f.pol, 4 * 7874 + 3936);
	assert_int_equal(f.ule.slice, 4);
	assert_int_equal(f.ule.slice_min, 0);
	f.q[0].sysload = 7;
	assert_int_equal(ule_slice_of(&f.ule, &f.q[0]), 0);
	f.q[0].sysload = 4;
	assert_int_equal(ule_slice_of(&f.ule, &f.q[0]), 1);
	tunable("kern.sched.quantum")->set(&f.pol, 1);
	assert_int_equal(f.ule.slice, 1);
	fake_end(&f);
}

static void era_defaults(void **state)
{
	static const struct {
		const char *era;
		int32_t thresh, boost, alive;
	} row[] = {
		{ "10.4", 80, 152, 1 },	     { "11.0", 80, 152, 0 }, { "2017", 80, 152, 0 },
		{ "2017-1ppq", 80, 152, 0 }, { "12", 80, 152, 1 },   { "13", 80, 152, 1 },
		{ "14", 48, 136, 1 },	     { "15", 40, 115, 1 },
	};
	struct fake f;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		const struct ule_layout *l;

		boot(&f, row[i].era);
		l = f.ule.era->layout;
		assert_int_equal(f.ule.preempt_thresh, row[i].thresh);
		assert_int_equal(f.ule.static_boost, row[i].boost);
		assert_int_equal(f.ule.balance_alive, row[i].alive);
		assert_int_equal(f.ule.preempt_thresh, l->kern_first);
		assert_int_equal(f.ule.static_boost, l->batch_first);
		assert_int_equal(l->interact_first + l->interact_len, l->batch_first);
		assert_int_equal(l->wprio[SL_WPRIO_PSWP], l->kern_first);
		fake_end(&f);
	}
	for (size_t i = 0; i < SL_ARRAY_LEN(trunc_eras); i++) {
		boot(&f, trunc_eras[i]);
		assert_int_equal(f.ule.era->layout->wprio[SL_WPRIO_PSOCK], 104);
		fake_end(&f);
	}
}

static void affinity_windows(void **state)
{
	/* Age in ticks: warm in L1, L2, L3. */
	static const bool row[][3] = { { true, true, true },
				       { false, true, true },
				       { false, false, true },
				       { false, false, false } };
	struct fake f;

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(all_eras); e++) {
		boot(&f, all_eras[e]);
		for (int32_t d = 0; d < 4; d++) {
			struct ule_thread ts = { .rltick = 1000 - d };

			assert_false(f.ule.era->affine->warm(&f.ule, &ts, 1000, SL_CG_NONE));
			for (int32_t level = SL_CG_L1; level <= SL_CG_L3; level++)
				assert_int_equal(f.ule.era->affine->warm(&f.ule, &ts, 1000, level),
						 row[d][level - 1]);
		}
		fake_end(&f);
	}
}

static void jitter(void **state)
{
	static const uint32_t zero[] = { 0,	5,     36287, 53438, 58975,
					 33711, 29438, 61279, 24884, 26932 };
	static const uint32_t one[] = { 7261, 13503, 15223, 40815, 32856 };
	struct fake f;

	(void)state;
	fake_boot(&f, "2017", FAKE_FLAT, 1, 2, 1);
	for (size_t i = 0; i < SL_ARRAY_LEN(zero); i++)
		assert_int_equal(ule_random(&f.q[1]), zero[i]);
	fake_end(&f);
	fake_boot(&f, "13", FAKE_FLAT, 1, 2, 1);
	for (size_t i = 1; i < SL_ARRAY_LEN(zero); i++)
		assert_int_equal(ule_random(&f.q[0]), zero[i]);
	for (size_t i = 0; i < SL_ARRAY_LEN(one); i++)
		assert_int_equal(ule_random(&f.q[1]), one[i]);
	fake_end(&f);
}

static void preemption_table(void **state)
{
	static const struct {
		int32_t new_pri, cur_pri;
		bool remote, want;
	} row[] = {
		{ 130, 180, false, false }, { 130, 180, true, true },  { 152, 180, true, false },
		{ 80, 180, false, true },   { 81, 120, false, false }, { 81, 152, true, true },
		{ 150, 152, true, true },   { 223, 224, false, true }, { 120, 120, true, false },
		{ 152, 255, false, true },
	};
	struct fake f;

	(void)state;
	boot(&f, "2017");
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++)
		assert_int_equal(
			ule_should_preempt(&f.ule, row[i].new_pri, row[i].cur_pri, row[i].remote),
			row[i].want);
	f.ule.preempt_thresh = 0;
	assert_false(ule_should_preempt(&f.ule, 48, 180, true));
	assert_true(ule_should_preempt(&f.ule, 48, 224, true));
	fake_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scores),
		cmocka_unit_test(history_caps),
		cmocka_unit_test(fork_scale_down),
		cmocka_unit_test(priority_formula),
		cmocka_unit_test(nice_offsets_of_15),
		cmocka_unit_test(formula_respects_a_lent_priority),
		cmocka_unit_test(cpu_window),
		cmocka_unit_test(hog_asleep_gets_better),
		cmocka_unit_test(fresh_hog_climbs),
		cmocka_unit_test(interactive_to_batch),
		cmocka_unit_test(first_ticks_of_an_interactive_thread),
		cmocka_unit_test(one_long_sleep),
		cmocka_unit_test(sleeps_without_credit),
		cmocka_unit_test(slices),
		cmocka_unit_test(a_new_thread_has_two_ticks),
		cmocka_unit_test(derived_constants),
		cmocka_unit_test(slice_and_quantum_have_different_side_effects),
		cmocka_unit_test(era_defaults),
		cmocka_unit_test(affinity_windows),
		cmocka_unit_test(jitter),
		cmocka_unit_test(preemption_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
