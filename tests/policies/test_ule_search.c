/* SPDX-License-Identifier: BSD-2-Clause
 *
 * CPU search: ule.md 25.11 and the intervals of 25.10. */
#include "tests/policies/test_ule_fake.h"

/* The examples are given for a jitter of 0: compile the search with a generator that can
 * be silenced. */
#define QUIET UINT32_MAX
static uint32_t draw_or_zero(struct ule_cpu *q);
#define ule_random draw_or_zero
#include "policies/ule_search.c"
#undef ule_random

static uint32_t draw_or_zero(struct ule_cpu *q)
{
	return q->random == QUIET ? 0 : ule_random(q);
}

enum { E5_2420, Q6600, X7560, P4, SMT3, MACHINES };

static const struct {
	enum fake_shape shape;
	uint32_t packages, cores, threads;
} machines[] = {
	[E5_2420] = { FAKE_INTEL, 1, 6, 2 }, [Q6600] = { FAKE_Q6600, 1, 4, 1 },
	[X7560] = { FAKE_INTEL, 4, 8, 2 },   [P4] = { FAKE_P4, 2, 1, 2 },
	[SMT3] = { FAKE_INTEL, 2, 4, 3 },
};

static void boot(struct fake *f, const char *era, int machine)
{
	fake_boot(f, era, machines[machine].shape, machines[machine].packages,
		  machines[machine].cores, machines[machine].threads);
}

/* CPU c runs something at 180, with others queued: load in all. */
static void load_cpu(struct fake *f, uint32_t c, int32_t load, int32_t transferable)
{
	fake_load(f, c, load, transferable);
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

static struct ule_query query_of(const struct search_row *row)
{
	return (struct ule_query){
		.mask = &row->mask,
		.minpri = row->minpri_or_load,
		.load = row->highest ? row->minpri_or_load : INT32_MAX,
		.mintrans = 1,
		.prefer = row->prefer,
	};
}

static int32_t no_jitter(uint32_t state)
{
	(void)state;
	return 0;
}

static void check_row_11(const char *era, const struct search_row *row)
{
	struct ule_query query = query_of(row);
	const struct sl_cpu_group *top;
	struct search s;
	struct fake f;

	boot(&f, era, row->machine);
	prepare(&f, row->number);
	top = f.tree->top;
	s = begin_11(&f.pol, top, &query, no_jitter);
	if (row->highest)
		assert_int_equal(highest_in_11(&s, top).cpu, row->cpu);
	else
		assert_int_equal(lowest_in_11(&s, top).cpu, row->cpu);
	if (row->total != UNSET)
		assert_int_equal(total_11(&s, top), row->total);
	fake_end(&f);
}

static void check_row_13(const char *era, const struct search_row *row)
{
	struct ule_query query = query_of(row);
	struct fake f;
	int32_t total;

	if (row->cpu13 == -2)
		return;
	boot(&f, era, row->machine);
	prepare(&f, row->number);
	f.q[0].random = QUIET;
	if (row->highest) {
		assert_int_equal(highest_13(&f.pol, f.tree->top, &query, NULL), row->cpu13);
	} else {
		assert_int_equal(lowest_13(&f.pol, f.tree->top, &query, &total), row->cpu13);
		assert_int_equal(total, row->total13);
	}
	fake_end(&f);
}

static void examples_up_to_12(void **state)
{
	static const char *const eras[] = { "11.0", "2017", "2017-1ppq" };

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++)
		for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++)
			check_row_11(eras[e], &rows[i]);
}

static void examples_from_13_on(void **state)
{
	static const char *const eras[] = { "13", "14", "15" };

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++)
		for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++)
			check_row_13(eras[e], &rows[i]);
}

/* Example 3: as 2, with the generator at its seed; one draw per CPU. */
static void one_draw_per_visit(void **state)
{
	struct ule_query query = query_of(&rows[1]);
	struct fake f;
	uint32_t expect = 0;

	(void)state;
	for (int i = 0; i < 12; i++)
		expect = expect * 69069u + 5u;
	boot(&f, "2017", E5_2420);
	prepare(&f, 2);
	assert_int_equal(lowest_11(&f.pol, f.tree->top, &query, NULL), 8);
	assert_int_equal(f.q[0].random, expect);
	fake_end(&f);
}

/* Correction 2: only CPUs that may be the answer cost a draw. */
static void one_draw_per_eligible_cpu_from_13_on(void **state)
{
	const uint64_t mask = 0x21;
	struct ule_query query = query_of(&rows[0]);
	struct fake f;

	(void)state;
	query.mask = &mask;
	boot(&f, "13", E5_2420);
	assert_int_equal(lowest_13(&f.pol, f.tree->top, &query, NULL), 5);
	assert_int_equal(f.q[0].random, (5u * 69069u + 5u) * 69069u + 5u);
	fake_end(&f);
}

/* The kernel's walk as ule.md 16 states it: every CPU, a draw at each. */
static struct best plain_walk(struct fake *f, const struct sl_cpu_group *g,
			      const struct ule_query *query, bool highest,
			      int32_t (*draw)(uint32_t state), int32_t *total)
{
	struct best best = nothing;

	*total = 0;
	for (uint32_t i = g->nchildren; i-- > 0;) {
		int32_t sum;
		struct best b = plain_walk(f, &g->child[i], query, highest, draw, &sum);
		bool better = highest ? sum > best.load || (sum == best.load && b.tie > best.tie)
				      : sum < best.load || (sum == best.load && b.tie < best.tie);

		*total += sum;
		if (b.cpu >= 0 && (best.cpu < 0 || better))
			best = (struct best){ b.cpu, sum, b.tie };
	}
	for (uint32_t c = g->first; c <= g->last && g->nchildren == 0; c++) {
		const struct ule_cpu *q = &f->q[c];
		int32_t load = q->load * 256, tie;
		bool may = sl_bit_test(query->mask, c), better;

		(void)ule_random(&f->q[f->self]);
		if (!highest && (int32_t)c == query->prefer)
			load -= 64;
		*total += load;
		tie = load - draw(f->q[f->self].random);
		if (highest)
			may = may && q->load >= query->load && q->transferable > 0;
		else
			may = may && q->load <= query->load && q->lowpri > query->minpri;
		better = highest ? load > best.load || (load == best.load && tie > best.tie)
				 : load < best.load || (load == best.load && tie < best.tie);
		if (may && (best.cpu < 0 || better))
			best = (struct best){ (int32_t)c, load, tie };
	}
	return best;
}

static void scramble(struct fake *f, uint64_t n, struct ule_query *query, uint64_t *mask)
{
	uint64_t bits = sl_rng_draw(7, SL_RNG_POLICY, n, 1000);
	uint32_t busy = (uint32_t)(bits % 5);

	for (uint32_t c = 0; c < f->pol.ncpus; c++) {
		uint64_t r = sl_rng_draw(7, SL_RNG_POLICY, n, c);
		int32_t load = r % 4 < busy ? (int32_t)(r >> 8 & 3) : 0;

		fake_load(f, c, load, load > 1 ? (int32_t)(r >> 16 & 7) % load : 0);
		f->q[c].lowpri = load == 0 ? 255 : (uint8_t)(120 + (r >> 20 & 127));
	}
	memset(f->ule.worst, UINT8_MAX, sizeof(f->ule.worst));
	*mask = bits >> 40 & 1 ? ~(uint64_t)0 : sl_rng_draw(7, SL_RNG_POLICY, n, 1001);
	*query = (struct ule_query){
		.mask = mask,
		.minpri = bits >> 32 & 1 ? 223 : (int32_t)(bits >> 24 & 255) - 1,
		.load = bits >> 33 & 1 ? INT32_MAX : (int32_t)(bits >> 34 & 3),
		.prefer = (int32_t)((bits >> 16 & 255) % f->pol.ncpus),
	};
	f->self = (uint32_t)(bits >> 48) % f->pol.ncpus;
	f->q[f->self].random = (uint32_t)(bits >> 8);
}

static void check_against_plain_walk(struct fake *f, bool ten, bool highest,
				     const struct ule_query *query)
{
	const struct ule_search *by = ten ? &ule_search_10 : &ule_search_11;
	const struct sl_cpu_group *g = f->tree->leaf[f->self];
	uint32_t before = f->q[f->self].random, after;
	int32_t total, given, want;

	/* From the leaf to the root: a search may start anywhere. */
	for (; g != NULL; g = g->parent) {
		f->q[f->self].random = before;
		want = plain_walk(f, g, query, highest, ten ? jitter_10 : jitter_11, &total).cpu;
		after = f->q[f->self].random;
		f->q[f->self].random = before;
		assert_int_equal((highest ? by->highest : by->lowest)(&f->pol, g, query, &given),
				 want);
		assert_int_equal(f->q[f->self].random, after);
		assert_int_equal(given, total);
	}
}

static void shortcuts_change_nothing(void **state)
{
	struct fake f;

	(void)state;
	for (int machine = E5_2420; machine < MACHINES; machine++) {
		boot(&f, "2017", machine);
		for (uint64_t n = 0; n < 2000; n++) {
			struct ule_query query;
			uint64_t mask;

			scramble(&f, n, &query, &mask);
			check_against_plain_walk(&f, n % 2, false, &query);
			query.load = (int32_t)(n % 3);
			check_against_plain_walk(&f, n % 2, true, &query);
		}
		fake_end(&f);
	}
}

/* The walk of 13 and later as ule.md 22.2 states it: a draw at each eligible CPU. */
static int32_t plain_low_13(struct fake *f, const struct sl_cpu_group *g,
			    const struct ule_query *query, struct best *best)
{
	int32_t total = 0;

	*best = (struct best){ -1, INT32_MAX, INT32_MAX };
	for (uint32_t i = g->nchildren; i-- > 0;) {
		struct best b;
		int32_t t = plain_low_13(f, &g->child[i], query, &b);

		total += t;
		if (query->running && (g->child[i].flags & SL_CG_THREAD) && t >= 128 && (t & 128))
			t += 128;
		if (b.cpu >= 0 && (t < best->load || (t == best->load && b.tie < best->tie)))
			*best = (struct best){ b.cpu, t, b.tie };
	}
	for (uint32_t c = g->last + 1; c-- > g->first && g->nchildren == 0;) {
		const struct ule_cpu *q = &f->q[c];
		bool home = (int32_t)c == query->prefer;
		int32_t l = q->load - (home && query->running), p = home ? 128 : 0, t = l * 256;

		total += t - p;
		if (l > query->load || !sl_bit_test(query->mask, c) ||
		    !(q->lowpri > query->minpri || (query->running && home)))
			continue;
		if (query->running && l > 0)
			p = 0;
		t -= (int32_t)(ule_random(&f->q[f->self]) % 128);
		if (best->load > t - p)
			*best = (struct best){ (int32_t)c, t - p, t };
	}
	return total;
}

static int32_t plain_high_13(struct fake *f, const struct sl_cpu_group *g,
			     const struct ule_query *query, struct best *best)
{
	int32_t total = 0;

	*best = (struct best){ -1, INT32_MIN, INT32_MIN };
	for (uint32_t i = g->nchildren; i-- > 0;) {
		struct best b;
		int32_t t = plain_high_13(f, &g->child[i], query, &b);

		total += t;
		if (b.cpu >= 0 && (t > best->load || (t == best->load && b.tie > best->tie)))
			*best = (struct best){ b.cpu, t, b.tie };
	}
	for (uint32_t c = g->last + 1; c-- > g->first && g->nchildren == 0;) {
		const struct ule_cpu *q = &f->q[c];
		int32_t t = q->load * 256;

		total += t;
		if (q->load < query->load || q->transferable < query->mintrans ||
		    !sl_bit_test(query->mask, c))
			continue;
		t -= (int32_t)(ule_random(&f->q[f->self]) % 256);
		if (t > best->load)
			*best = (struct best){ (int32_t)c, t, t };
	}
	return total;
}

static void check_against_plain_walk_13(struct fake *f, bool highest, const struct ule_query *query)
{
	const struct sl_cpu_group *g = f->tree->leaf[f->self];
	uint32_t before = f->q[f->self].random, after;
	int32_t total, given, got;
	struct best want;

	for (; g != NULL; g = g->parent) {
		f->q[f->self].random = before;
		total = (highest ? plain_high_13 : plain_low_13)(f, g, query, &want);
		after = f->q[f->self].random;
		f->q[f->self].random = before;
		got = (highest ? highest_13 : lowest_13)(&f->pol, g, query, &given);
		assert_int_equal(got, want.cpu);
		assert_int_equal(given, total);
		assert_int_equal(f->q[f->self].random, after);
	}
}

static void shortcuts_change_nothing_from_13_on(void **state)
{
	struct fake f;

	(void)state;
	for (int machine = E5_2420; machine < MACHINES; machine++) {
		boot(&f, "13", machine);
		for (uint64_t n = 0; n < 2000; n++) {
			struct ule_query query;
			uint64_t mask;

			scramble(&f, n, &query, &mask);
			/* Only the CPU a thread runs on is its preferred one, and it is busy. */
			query.running = n % 2 && f.q[query.prefer].load > 0;
			check_against_plain_walk_13(&f, false, &query);
			query.load = (int32_t)(n % 3);
			query.mintrans = (int32_t)(n / 3 % 2);
			check_against_plain_walk_13(&f, true, &query);
		}
		fake_end(&f);
	}
}

/* The jitter of 10.x is the state's top six bits as a signed number. */
static void signed_jitter(void **state)
{
	static const int32_t want[] = { 0, 0, -29, -12, -7, -32, 28, -5, 24, 26 };
	struct ule_cpu q = { .random = 0 };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(want); i++) {
		(void)ule_random(&q);
		assert_int_equal(jitter_10(q.random), want[i]);
	}
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
	assert_int_equal(lowest_13(&f.pol, f.tree->top, &query, NULL), 0);
	/* Its sibling is busy too: half a thread more than an idle core. */
	load_cpu(&f, 1, 1, 0);
	assert_int_equal(lowest_13(&f.pol, f.tree->top, &query, NULL), 11);
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
		cmocka_unit_test(shortcuts_change_nothing),
		cmocka_unit_test(shortcuts_change_nothing_from_13_on),
		cmocka_unit_test(signed_jitter),
		cmocka_unit_test(a_running_thread_weighs_its_own_cpu),
		cmocka_unit_test(balancer_intervals),
		cmocka_unit_test(balancer_at_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
