/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE's placement on cores of three threads, worked out by hand from ule.md 16, 17 and 22.2.
 *
 * The tree is root > L3 > one L2[SMT] leaf of three CPUs per core. The last core is visited first;
 * its CPUs ascend up to 12 and descend from 13 on. With the generator of CPU 0 at its seed the
 * draws are, in the order of the visits,
 *
 *	up to 12, one per CPU (seed 0, % 32):
 *		0 5 31 | 30 31 15 | 30 31 20 | 20 12 9
 *	from 13 on, one per eligible CPU (seed 5, % 128):
 *		5 63 62 | 95 47 126 | 95 52 52 | 76 41 23
 *
 * and a draw is taken off the load, 256 per thread: of equal groups the one whose best CPU drew
 * the most wins, the first visited when that is equal too. */
#include "tests/policies/test_ule_fake.h"

static const struct sl_policy *const ops = &sl_policy_ule;

/* CPU c runs something at 180, with others queued: load in all. */
static void load_cpus(struct fake *f, const char *loads)
{
	for (uint32_t c = 0; c < f->pol.ncpus; c++) {
		int32_t load = loads[c] - '0';

		if (load == 0)
			continue;
		fake_load(f, c, load, load - 1);
		f->q[c].lowpri = 180;
	}
}

/* The generator of CPU 0 after n draws. */
static uint32_t after(uint32_t seed, unsigned n)
{
	while (n-- > 0)
		seed = seed * 69069u + 5u;
	return seed;
}

static const struct smt3_row {
	uint32_t cores;
	const char *loads; /* a digit per CPU */
	int32_t minpri, prefer;
	uint64_t mask;
	bool running;		  /* from 13 on only */
	int32_t cpu_11, total_11; /* 11 to 12; one draw per CPU */
	int32_t cpu_13, total_13; /* 13 and later */
	unsigned draws_13;
} rows[] = {
	/* All idle: the preferred CPU is a quarter (half) of a thread lighter than its siblings and
	 * so is its core. */
	{ 2, "000000", 180, 1, 0x3f, false, 1, -64, 1, -128, 6 },
	/* Its core is busy: the other is empty, and the draws 0 5 31 (5 63 62) choose in it. */
	{ 2, "010000", 180, 1, 0x3f, false, 5, 192, 4, 128, 5 },
	/* A thread on each core, the preferred CPU busy: its bonus still makes its core the
	 * lighter one; siblings 1 and 2 drew 31 15 (for 2 and 1: 62 95). */
	{ 2, "100100", 180, 0, 0x3f, false, 1, 448, 1, 384, 4 },
	/* The same when the preferred CPU is forbidden: it counts all the same. */
	{ 2, "100100", 180, 0, 0x36, false, 1, 448, 1, 384, 4 },
	/* A thread on each core and no preferred CPU: equal cores. Up to 12 CPU 5 and CPU 1 both
	 * drew 31: the core visited first keeps it. From 13 on CPU 1's 95 beats CPU 4's 63. */
	{ 2, "100100", 180, -1, 0x3f, false, 5, 512, 1, 512, 4 },
	/* Every CPU busy with something worse: the preferred one, 4. */
	{ 2, "111111", 152, 4, 0x3f, false, 4, 1472, 4, 1408, 6 },
	/* The same without a preferred CPU: 5 and 1 drew 31, 5 is in the core visited first; from
	 * 13 on CPU 0 drew 126. */
	{ 2, "111111", 152, -1, 0x3f, false, 5, 1536, 0, 1536, 6 },
	/* Four cores with a thread each. The idle siblings 10 11 | 6 7 | 3 5 | 1 2 drew 5 31 | 30
	 * 31 | 30 20 | 12 9: 11 is before 7. From 13 on 11 10 | 7 6 | 5 3 | 2 1 drew 5 63 | 62 95 |
	 * 47 126 | 95 52. */
	{ 4, "100010001100", 180, -1, 0xfff, false, 11, 1024, 3, 1024, 8 },
	/* The preferred CPU 4 is busy, its core the lightest by its bonus: 3 and 5 are left. */
	{ 4, "100010001100", 180, 4, 0xfff, false, 3, 960, 3, 896, 8 },
	/* Two threads per core and one idle CPU each: 11 6 4 2 drew 31 30 31 9 (5 63 62 95). */
	{ 4, "110101011110", 180, -1, 0xfff, false, 11, 2048, 2, 2048, 4 },
	/* Two threads stacked on one CPU weigh as much as two on two: equal cores again. Idle are
	 * 10 | 6 8 | 5 | 1 2, which drew 5 | 30 15 | 20 | 12 9
	 * (10 | 8 6 | 5 | 2 1 drew 5 | 63 62 | 95 | 47 126). */
	{ 4, "200110020101", 180, -1, 0xfff, false, 6, 2048, 1, 2048, 6 },
	/* Three threads on each core, however spread: 11 | 7 | none | 1 2 drew 31 | 31 | | 12 9
	 * (5 | 63 | | 62 95). */
	{ 4, "300111201120", 180, -1, 0xfff, false, 11, 3072, 1, 3072, 4 },
	/* Every CPU of four cores busy with something worse: the preferred one. */
	{ 4, "111111111111", 152, 7, 0xfff, false, 7, 3008, 7, 2944, 12 },
	/* From 13 on a thread that runs on CPU 7 does not count there and keeps its bonus. */
	{ 4, "111111111111", 152, 7, 0xfff, true, -2, 0, 7, 2688, 12 },
	/* Alone on its core: 0 - 128 is no load, no other core is as light. */
	{ 4, "100110101011", 180, 0, 0xfff, true, -2, 0, 0, 1408, 6 },
	/* One sibling busy: 256 - 128 + 128 = 256, where the other cores have 512. */
	{ 4, "110110101011", 180, 0, 0xfff, true, -2, 0, 0, 1664, 5 },
	/* Two siblings busy: 512 - 128 + 128 = 512, equal to the other cores, and the tie is
	 * between draws alone, without the bonus: 95 of CPU 0 beats 5 63 62 of CPUs 9 7 5. */
	{ 4, "111110101011", 180, 0, 0xfff, true, -2, 0, 0, 1920, 4 },
	/* One more idle CPU ahead: 11 10 | 7 | 5 | 0 drew 5 63 | 62 | 95 | 47: it moves. */
	{ 4, "111110101200", 180, 0, 0xfff, true, -2, 0, 5, 1920, 5 },
};

static void check(const char *era, const struct smt3_row *row, bool from_13)
{
	const uint64_t mask = row->mask;
	struct ule_query query = { .mask = &mask,
				   .minpri = row->minpri,
				   .load = INT32_MAX,
				   .prefer = row->prefer,
				   .running = row->running };
	uint32_t cpus = 3 * row->cores, draws = from_13 ? row->draws_13 : cpus;
	struct fake f;
	int32_t total;

	if (!from_13 && row->running)
		return;
	fake_boot(&f, era, FAKE_INTEL, 1, row->cores, 3);
	assert_int_equal(f.tree->leaf[4]->count, 3);
	load_cpus(&f, row->loads);
	assert_int_equal(f.ule.era->search->lowest(&f.pol, f.tree->top, &query, &total),
			 from_13 ? row->cpu_13 : row->cpu_11);
	assert_int_equal(total, from_13 ? row->total_13 : row->total_11);
	assert_int_equal(f.q[0].random, after(from_13 ? 5 : 0, draws));
	fake_end(&f);
}

static void ties_up_to_12(void **state)
{
	static const char *const eras[] = { "11.0", "2017", "2017-1ppq", "12" };

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++)
		for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++)
			check(eras[e], &rows[i], false);
}

static void ties_from_13_on(void **state)
{
	static const char *const eras[] = { "13", "14", "15" };

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++)
		for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++)
			check(eras[e], &rows[i], true);
}

/* Where a batch thread of priority 152 is queued that an interrupt on idle CPU 0 wakes. */
static const struct wake_row {
	const char *loads;
	int32_t home;
	bool warm;
	int32_t cpu_2017, cpu_13;
	unsigned draws_2017, draws_13;
} wakes[] = {
	/* Rule 3: home is idle and warm, and so are both siblings. */
	{ "000000", 2, true, 2, 2, 0, 0 },
	/* The far sibling at work is enough to break it: rule 6 finds the empty core. */
	{ "001000", 0, true, 5, 4, 6, 6 },
	{ "100000", 2, true, 5, 4, 6, 6 },
	/* A thread on each core: home's bonus decides between the cores, then in the leaf. */
	{ "001100", 0, false, 0, 0, 6, 6 },
	/* Home is the busy CPU: its core is still the lighter one, siblings 0 and 1 drew 30 31
	 * (126 47). */
	{ "001100", 2, false, 1, 0, 6, 6 },
};

static void check_wake(const char *era, const struct wake_row *row, bool from_13)
{
	struct sl_thread *td;
	struct fake f;

	fake_boot(&f, era, FAKE_INTEL, 1, 2, 3);
	f.pol.ticks = 10000;
	load_cpus(&f, row->loads);
	td = fake_thread(&f, 0, row->home, 152);
	if (row->warm)
		f.ts[0].rltick = 10000;
	f.self = 0;
	f.cpu[0].intr_nesting = 1;
	ops->wakeup(&f.pol, td, SL_WPRIO_NONE, SL_SRQ_BORING);
	assert_int_equal(td->cpu, from_13 ? row->cpu_13 : row->cpu_2017);
	assert_int_equal(f.q[0].random,
			 from_13 ? after(5, row->draws_13) : after(0, row->draws_2017));
	fake_end(&f);
}

static void wake_ups(void **state)
{
	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(wakes); i++) {
		check_wake("2017", &wakes[i], false);
		check_wake("12", &wakes[i], false);
		check_wake("13", &wakes[i], true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ties_up_to_12),
		cmocka_unit_test(ties_from_13_on),
		cmocka_unit_test(wake_ups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
