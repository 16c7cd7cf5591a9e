/* SPDX-License-Identifier: BSD-2-Clause
 *
 * CPU search: ule.md 25.11 and the intervals of 25.10. */
#include "tests/policies/test_ule_fake.h"

/* The examples are given for a jitter of 0, which no state of the generator yields
 * twice: compile the search with one that can be silenced. */
#define QUIET UINT32_MAX
static uint32_t draw_or_zero(struct ule_cpu *q);
#define ule_random draw_or_zero
#include "policies/ule_search.c"
#undef ule_random

static uint32_t draw_or_zero(struct ule_cpu *q)
{
	return q->random == QUIET ? 0 : ule_random(q);
}

enum { E5_2420, Q6600, X7560, P4 };

static const struct {
	enum fake_shape shape;
	uint32_t packages, cores, threads;
} machines[] = {
	[E5_2420] = { FAKE_INTEL, 1, 6, 2 },
	[Q6600] = { FAKE_Q6600, 1, 4, 1 },
	[X7560] = { FAKE_INTEL, 4, 8, 2 },
	[P4] = { FAKE_P4, 2, 1, 2 },
};

static void boot(struct fake *f, const char *era, int machine)
{
	fake_boot(f, era, machines[machine].shape, machines[machine].packages,
		  machines[machine].cores, machines[machine].threads);
}

/* CPU c runs something at 180, with others queued: load in all. */
static void load_cpu(struct fake *f, uint32_t c, int32_t load, int32_t transferable)
{
	f->q[c].load = f->q[c].sysload = load;
	f->q[c].transferable = transferable;
	f->q[c].lowpri = 180;
}

struct search_row {
	int number; /* of 25.11 */
	int machine;
	bool highest;
	int32_t minpri_or_load; /* lowest: minpri; highest: minload */
	int32_t prefer;
	uint64_t mask;
	int32_t total, cpu;	/* 11 and 2017 */
	int32_t total13, cpu13; /* 13 and later; -2: not given */
};

#define ALL   ~(uint64_t)0
#define UNSET INT32_MIN

static const struct search_row rows[] = {
	{ 1, E5_2420, false, 180, 5, ALL, -64, 5, -128, 5 },
	{ 2, E5_2420, false, 180, 4, ALL, 192, 10, 128, 11 },
	{ 4, E5_2420, false, 180, 4, ALL, 1472, 5, UNSET, -2 },
	{ 5, E5_2420, false, 152, 7, ALL, 3264, 10, UNSET, -2 },
	{ 6, E5_2420, false, 200, 7, ALL, UNSET, -1, UNSET, -2 },
	{ 7, E5_2420, true, 2, -1, ALL & ~(uint64_t)1, 3328, 7, UNSET, -2 },
	{ 8, Q6600, true, 2, -1, 0xd, UNSET, 3, UNSET, 3 },
	{ 9, Q6600, false, 150, 3, ALL, 1728, 1, UNSET, -2 },
	{ 10, X7560, false, 180, 3, ALL, 4032, 62, 3968, 63 },
	{ 11, P4, false, 180, 0, ALL, 192, 2, UNSET, -2 },
};

static void prepare(struct fake *f, int number)
{
	static const int32_t q6600[4][2] = { { 3, 2 }, { 0, 0 }, { 2, 1 }, { 2, 1 } };

	for (uint32_t c = 0; c < f->pol.ncpus; c++) {
		bool busy = (number == 2 && c == 4) || (number == 4 && c % 2 == 0) ||
			    (number >= 5 && number <= 7) || (number == 10 && c < 16) ||
			    (number == 11 && c == 0);

		if (number >= 5 && number <= 7 && c == 7)
			load_cpu(f, c, 2, 1);
		else if (busy)
			load_cpu(f, c, 1, 0);
		if ((number == 8 || number == 9) && q6600[c][0] > 0)
			load_cpu(f, c, q6600[c][0], q6600[c][1]);
	}
}

static int32_t search(struct fake *f, const struct search_row *row, int32_t *total)
{
	struct ule_query query = {
		.mask = &row->mask,
		.minpri = row->minpri_or_load,
		.load = row->highest ? row->minpri_or_load : INT32_MAX,
		.mintrans = 1,
		.prefer = row->prefer,
	};
	const struct ule_search *by = f->ule.era->search;

	if (row->highest)
		return by->highest(&f->pol, f->tree->top, &query, total);
	return by->lowest(&f->pol, f->tree->top, &query, total);
}

static void check_row(const char *era, const struct search_row *row, int32_t total, int32_t cpu)
{
	struct fake f;
	int32_t sum;

	boot(&f, era, row->machine);
	prepare(&f, row->number);
	f.q[0].random = QUIET;
	assert_int_equal(search(&f, row, &sum), cpu);
	if (total != UNSET)
		assert_int_equal(sum, total);
	fake_end(&f);
}

static void examples_up_to_12(void **state)
{
	static const char *const eras[] = { "11.0", "2017", "2017-1ppq" };

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++)
		for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++)
			check_row(eras[e], &rows[i], rows[i].total, rows[i].cpu);
}

static void examples_from_13_on(void **state)
{
	static const char *const eras[] = { "13", "14", "15" };

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++)
		for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++)
			if (rows[i].cpu13 != -2)
				check_row(eras[e], &rows[i], rows[i].total13, rows[i].cpu13);
}

/* Example 3: as 2, with the generator at its seed; one draw per CPU. */
static void one_draw_per_visit(void **state)
{
	struct fake f;
	uint32_t expect = 0;
	int32_t total;

	(void)state;
	for (int i = 0; i < 12; i++)
		expect = expect * 69069u + 5u;
	boot(&f, "2017", E5_2420);
	prepare(&f, 2);
	assert_int_equal(search(&f, &rows[1], &total), 8);
	assert_int_equal(total, 192);
	assert_int_equal(f.q[0].random, expect);
	fake_end(&f);
}

/* Correction 2: only CPUs that may be the answer cost a draw. */
static void one_draw_per_eligible_cpu_from_13_on(void **state)
{
	struct search_row row = rows[0];
	struct fake f;

	(void)state;
	row.mask = 0x21;
	boot(&f, "13", E5_2420);
	assert_int_equal(search(&f, &row, NULL), 5);
	assert_int_equal(f.q[0].random, (5u * 69069u + 5u) * 69069u + 5u);
	fake_end(&f);
}

/* The jitter of 10.x is the state's top six bits as a signed number. */
static void signed_jitter(void **state)
{
	static const int32_t want[] = { 0, 0, -29, -12, -7, -32, 28, -5, 24, 26 };
	struct ule_cpu q = { .random = 0 };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(want); i++)
		assert_int_equal(jitter_10(&q), want[i]);
}

/* A thread that runs does not count itself, and stays where it is better off. */
static void a_running_thread_weighs_its_own_cpu(void **state)
{
	const uint64_t all = ALL;
	struct ule_query query = {
		.mask = &all, .minpri = 180, .load = INT32_MAX, .prefer = 0, .running = true
	};
	struct fake f;

	(void)state;
	boot(&f, "13", E5_2420);
	load_cpu(&f, 0, 1, 0);
	f.q[0].random = QUIET;
	assert_int_equal(f.ule.era->search->lowest(&f.pol, f.tree->top, &query, NULL), 0);
	/* Its sibling is busy too: half a thread more than an idle core. */
	load_cpu(&f, 1, 1, 0);
	assert_int_equal(f.ule.era->search->lowest(&f.pol, f.tree->top, &query, NULL), 11);
	fake_end(&f);
}

static void balancer_intervals(void **state)
{
	static const int32_t want[] = { 63, 68, 155, 161, 110, 119 };
	struct fake f;

	(void)state;
	fake_boot(&f, "12", FAKE_FLAT, 1, 1, 1);
	for (size_t i = 0; i < SL_ARRAY_LEN(want); i++) {
		uint32_t before = f.q[0].random;

		f.ule.balance_ticks = 1;
		f.ule.era->balancer->tick(&f.pol, 1);
		assert_int_equal(f.ule.balance_ticks, want[i]);
		/* Undo the draws of the search, keep the one of the interval. */
		f.q[0].random = before * 69069u + 5u;
	}
	fake_end(&f);
}

static void balancer_at_boot(void **state)
{
	static const struct {
		const char *era;
		int32_t ticks;
	} row[] = { { "10.4", 103 }, { "11.0", 0 }, { "2017", 0 }, { "2017-1ppq", 0 },
		    { "12", 127 },   { "13", 127 }, { "14", 127 }, { "15", 127 } };
	struct fake f;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		fake_boot(&f, row[i].era, FAKE_FLAT, 1, 2, 1);
		assert_int_equal(f.ule.balance_ticks, row[i].ticks);
		fake_end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_up_to_12),
		cmocka_unit_test(examples_from_13_on),
		cmocka_unit_test(one_draw_per_visit),
		cmocka_unit_test(one_draw_per_eligible_cpu_from_13_on),
		cmocka_unit_test(signed_jitter),
		cmocka_unit_test(a_running_thread_weighs_its_own_cpu),
		cmocka_unit_test(balancer_intervals),
		cmocka_unit_test(balancer_at_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
