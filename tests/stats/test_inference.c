/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests and intervals where no table is needed: edges, counting by hand, and rates small
 * enough to measure here (bench_statistics measures the rest). */
#include "tests/sl_test.h"

#include <math.h>

#include <glib.h>

#include "sim/base/rng.h"
#include "stats/bootstrap.h"
#include "stats/diagnose.h"
#include "stats/family.h"
#include "stats/rank.h"
#include "stats/sequential.h"
#include "stats/ttest.h"

static double draw(uint64_t entity, uint64_t n)
{
	double sum = -6.0;

	for (uint64_t i = 0; i < 12; i++)
		sum += (double)(sl_rng_draw(11, SL_RNG_BOOT, entity, n * 12 + i) >> 11) * 0x1p-53;
	return sum;
}

static void test_t_edges(void **state)
{
	static const double x[] = { 1, 2, 3 }, same[] = { 2, 2, 2 };
	struct sl_t_test t = sl_welch_t(x, 1, x, 3, 0.95);

	(void)state;
	assert_true(isnan(t.p) && isnan(t.low));
	assert_true(isnan(sl_pooled_t(x, 3, x, 1, 0.95).p));
	assert_true(isnan(sl_paired_t(x, x, 1, 0.95).p));
	t = sl_paired_t(x, x, 3, 0.95);
	assert_true(t.p == 1 && t.diff == 0 && t.low == 0);
	t = sl_welch_t(same, 3, same, 3, 0.95);
	assert_true(t.p == 1 && t.t == 0);
	t = sl_welch_t(x, 3, same, 3, 0.95);
	assert_true(t.p == 1 && t.low < 0 && t.high > 0);
}

/* Names the smallest n whose interval is narrow enough. */
static void test_runs_needed(void **state)
{
	(void)state;
	assert_int_equal(sl_unpaired_runs(0, 1, 0.95), 2);
	assert_true(sl_unpaired_runs(1, 0, 0.95) == SIZE_MAX);
	/* Half widths 0.9396 at n = 10 and 0.9994 at 9 by the t table (2.101, 2.120). */
	assert_int_equal(sl_unpaired_runs(1, 0.95, 0.95), 10);
	assert_int_equal(sl_unpaired_runs(1, 0.9995, 0.95), 9);
	/* Textbook: d = 1 sd, 80 % power: 17 per group; one sample, d = 0.5: 34. */
	assert_int_equal(sl_power_runs(1, 1, 0.95, 0.8, true), 17);
	assert_int_equal(sl_power_runs(1, 0.5, 0.95, 0.8, false), 34);
	assert_true(sl_power_runs(1, 0, 0.95, 0.8, true) == SIZE_MAX);
}

/* All 10 splits of 5 values in 2 and 3, by hand: U of {1, 2} against {3, 4, 5} and on. */
static void test_rank_by_hand(void **state)
{
	static const double a[] = { 3, 4, 5 }, b[] = { 1, 2 }, tied[] = { 4, 4 };
	static const double ways[] = { 1, 1, 2, 2, 2, 1, 1 };
	struct sl_rank_test r = sl_mann_whitney(a, 3, b, 2);
	double sum = 0;

	(void)state;
	for (int u = 0; u <= 6; u++) {
		sum += ways[u];
		assert_float_equal(sl_mann_whitney_cdf(u, 3, 2), sum / 10, 1e-15);
	}
	assert_true(r.u == 0 && r.exact);
	assert_float_equal(r.p, 0.2, 1e-15);
	assert_float_equal(r.p_least, 0.2, 1e-14);
	r = sl_mann_whitney(a, 3, tied, 2);
	assert_true(r.u == 3 && !r.exact && r.p == 1);
	r = sl_mann_whitney(tied, 2, tied, 2);
	assert_true(r.u == 2 && r.p == 1);
	assert_true(isnan(sl_mann_whitney(a, 3, (double[]){ (double)NAN }, 1).p));
}

static int by_value(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* Against the table of all differences. */
static void test_shift_by_table(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < 200; round++) {
		size_t n = 1 + round % 13, m = 1 + round % 17, k = 0;
		double a[13], b[17], d[13 * 17], middle;
		struct sl_shift s;

		for (size_t i = 0; i < n; i++)
			a[i] = round % 3 != 0 ? draw(round, i) : floor(2 * draw(round, i));
		for (size_t j = 0; j < m; j++)
			b[j] = round % 3 != 0 ? draw(round, 50 + j)
					      : floor(2 * draw(round, 50 + j));
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < m; j++)
				d[k++] = b[j] - a[i];
		qsort(d, k, sizeof(*d), by_value);
		middle = k % 2 != 0 ? d[k / 2] : (d[k / 2 - 1] + d[k / 2]) / 2;
		s = sl_hodges_lehmann(a, n, b, m, 0.95);
		assert_true(s.shift == middle);
		assert_true(s.low <= s.shift && s.shift <= s.high);
		assert_true(s.low >= d[0] && s.high <= d[k - 1]);
	}
}

static void test_bootstrap(void **state)
{
	double a[40], b[40];
	struct sl_ratio r, again, other, paired;

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		a[i] = 100 + 10 * draw(1, i);
		b[i] = a[i] * 1.1;
	}
	r = sl_bootstrap_ratio(a, 40, b, 40, false, 0.95, 1999, 1);
	again = sl_bootstrap_ratio(a, 40, b, 40, false, 0.95, 1999, 1);
	other = sl_bootstrap_ratio(a, 40, b, 40, false, 0.95, 1999, 2);
	paired = sl_bootstrap_ratio(a, 40, b, 40, true, 0.95, 1999, 1);
	assert_memory_equal(&r, &again, sizeof(r));
	assert_true(r.low != other.low || r.high != other.high);
	assert_float_equal(r.ratio, 1.1, 1e-12);
	assert_true(r.low < 1.1 && r.high > 1.1 && r.low > 1.0 && r.high < 1.25);
	/* Pairs that differ by a factor keep it in every resample. */
	assert_float_equal(paired.low, 1.1, 1e-12);
	assert_float_equal(paired.high, 1.1, 1e-12);
	assert_int_equal(r.resamples, 1999);
	a[3] = (double)NAN;
	assert_true(isnan(sl_bootstrap_ratio(a, 40, b, 40, false, 0.95, 1999, 1).ratio));
	a[0] = a[1] = a[2] = -1;
	assert_true(isnan(sl_bootstrap_ratio(a, 3, b, 3, false, 0.95, 1999, 1).ratio));
}

/* An answer in seconds whatever the size: above some size the ratio alone. */
static void test_bootstrap_of_many(void **state)
{
	enum { MANY = 150000 };
	double *v = g_new(double, MANY);
	struct sl_ratio r;

	(void)state;
	for (int i = 0; i < MANY; i++)
		v[i] = 1 + i;
	r = sl_bootstrap_ratio(v, MANY, v, MANY, false, 0.95, 2000, 1);
	assert_true(r.ratio == 1 && r.resamples == 0 && isnan(r.low) && isnan(r.high));
	r = sl_bootstrap_ratio(v, 30000, v, 30000, false, 0.95, 999, 1);
	assert_true(r.resamples == 999 && r.low < 1 && r.high > 1);
	g_free(v);
}

static void test_holm_and_geomean(void **state)
{
	double p[] = { 0.04, (double)NAN, 0.01, 0.5 };
	const double a[] = { 1, 2, 4, (double)NAN, 5, 0 }, b[] = { 2, 1, 4, 3, (double)NAN, 1 };
	struct sl_geomean g;

	(void)state;
	sl_holm(p, 4, p);
	assert_float_equal(p[0], 0.08, 1e-15);
	assert_true(isnan(p[1]));
	assert_float_equal(p[2], 0.03, 1e-15);
	assert_float_equal(p[3], 0.5, 1e-15);
	sl_holm(p, 0, p);
	g = sl_geomean_ratio(a, b, 6);
	assert_int_equal(g.used, 3);
	assert_int_equal(g.left_out, 3);
	assert_float_equal(g.ratio, 1, 1e-15);
	g = sl_geomean_ratio(a, b, 1);
	assert_float_equal(g.ratio, 2, 1e-15);
	assert_true(isnan(sl_geomean_ratio(a, b, 0).ratio));
}

/* Stein's plan gives the width asked for, and covers as often as it says. */
static void test_stein(void **state)
{
	enum { ROUNDS = 2000, MOST = 400 };
	int covered = 0;
	struct sl_stein plan;

	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		double v[MOST], sum = 0;
		size_t n = 10;

		for (size_t i = 0; i < 10; i++)
			v[i] = draw(round + 100, i);
		plan = sl_stein_plan(v, 10, 0.4, 0.95);
		assert_true(plan.runs >= 10 && sl_stein_half_width(&plan, plan.runs) <= 0.4);
		assert_true(plan.runs == 10 || sl_stein_half_width(&plan, plan.runs - 1) > 0.4);
		assert_true(plan.runs < MOST);
		for (; n < plan.runs; n++)
			v[n] = draw(round + 100, n);
		for (size_t i = 0; i < n; i++)
			sum += v[i];
		covered += fabs(sum / (double)n) <= sl_stein_half_width(&plan, n);
	}
	/* 95 %, three standard errors of 0.49 % below; wider than asked is no fault. */
	assert_true(covered >= ROUNDS * 0.935);
	assert_true(sl_stein_plan((double[]){ 1, 2, 3 }, 3, 0, 0.95).runs == SIZE_MAX);
	assert_int_equal(sl_stein_plan((double[]){ 2, 2, 2 }, 3, 0, 0.95).runs, 3);
}

#define FAMILY_ROUNDS 2000

/* Three equal policies against an equal reference, whose differences share its values: how many of
 * FAMILY_ROUNDS have an interval without 0, when each has the level. */
static int wrong_rounds(double level)
{
	enum { PILOT = 10, MOST = 900, SETS = 3 };
	int wrong = 0;

	for (uint64_t round = 0; round < FAMILY_ROUNDS; round++) {
		double d[SETS][MOST];
		struct sl_stein plan[SETS];
		size_t runs = 0;
		bool miss = false;

		for (size_t k = 0; k < SETS; k++) {
			for (size_t i = 0; i < MOST; i++)
				d[k][i] = draw(round * 4 + k + 60000, i) -
					  draw(round * 4 + 3 + 60000, i);
			plan[k] = sl_stein_plan(d[k], PILOT, 0.6, level);
			assert_true(plan[k].runs <= MOST);
			runs = plan[k].runs > runs ? plan[k].runs : runs;
		}
		for (size_t k = 0; k < SETS; k++) {
			double sum = 0;

			for (size_t i = 0; i < runs; i++)
				sum += d[k][i];
			miss |= fabs(sum / (double)runs) > sl_stein_half_width(&plan[k], runs);
		}
		wrong += miss;
	}
	return wrong;
}

/* All intervals of a family hold at once as often as is said, and would not by themselves. */
static void test_stein_family(void **state)
{
	(void)state;
	assert_float_equal(sl_family_level(0.95, 0), 0.95, 0);
	assert_float_equal(sl_family_level(0.95, 1), 0.95, 0);
	assert_float_equal(sl_family_level(0.95, 5), 0.99, 1e-15);
	/* 5 %, three standard errors of 0.49 %. */
	assert_true(wrong_rounds(sl_family_level(0.95, 3)) <= FAMILY_ROUNDS * 0.065);
	assert_true(wrong_rounds(0.95) > FAMILY_ROUNDS * 0.08);
}

/* Stein's plan for a test errs as often as it says, and finds what it was made for. */
static void test_stein_power(void **state)
{
	enum { ROUNDS = 2000, MOST = 400 };
	int found[2] = { 0, 0 };

	(void)state;
	for (uint64_t round = 0; round < 2 * ROUNDS; round++) {
		double v[MOST], shift = round % 2 != 0 ? 0.5 : 0.0, sum = 0;
		struct sl_stein plan;

		for (size_t i = 0; i < 10; i++)
			v[i] = shift + draw(round + 9000, i);
		plan = sl_stein_power_plan(v, 10, -0.5, 0.95, 0.9);
		assert_true(plan.runs >= 10 && plan.runs < MOST);
		for (size_t i = 10; i < plan.runs; i++)
			v[i] = shift + draw(round + 9000, i);
		for (size_t i = 0; i < plan.runs; i++)
			sum += v[i];
		found[round % 2] +=
			fabs(sum / (double)plan.runs) > sl_stein_half_width(&plan, plan.runs);
	}
	/* 5 % and 90 %, three standard errors of 0.49 % and 0.67 %. */
	assert_true(found[0] <= ROUNDS * 0.065);
	assert_true(found[1] >= ROUNDS * 0.88);
	assert_true(sl_stein_power_plan((double[]){ 1, 2, 3 }, 3, 0, 0.95, 0.9).runs == SIZE_MAX);
}

static void test_diagnosis_edges(void **state)
{
	static const double v[] = { 1, 2, 3, 4, 5, 6, 7, 100 }, same[] = { 3, 3, 3, 3, 3, 3, 3, 3 };
	static const double clump[] = { 1, 1, 1, 1, 9, 9, 9, 9, 9, 9 };
	struct sl_split split = sl_find_split(clump, 10);
	struct sl_fences f = sl_find_outliers(v, 8);

	(void)state;
	assert_true(split.two_groups && split.n_low == 4);
	assert_float_equal(split.low, 1, 1e-14);
	assert_float_equal(split.high, 9, 1e-14);
	assert_float_equal(split.share, 1, 1e-15);
	assert_false(sl_find_split(same, 8).two_groups);
	assert_false(sl_find_split(v, 8).two_groups); /* one value is no group */
	assert_true(f.n_out == 1 && f.first == 7);
	assert_int_equal(sl_find_outliers(v + 1, 7).n_out, 0);
	assert_true(isnan(sl_shapiro_wilk(same, 8).p));
	assert_true(isnan(sl_shapiro_wilk(v, 2).p));
	/* All 28 pairs rise: S = 28, variance 8 * 7 * 21 / 18. */
	assert_float_equal(sl_trend_p(v, 8), 2 * 0.5 * erfc(27 / sqrt(8 * 7 * 21 / 18.0) / sqrt(2)),
			   1e-14);
	assert_true(sl_trend_p(same, 8) == 1 && sl_trend_p(v, 5) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_t_edges),		 cmocka_unit_test(test_runs_needed),
		cmocka_unit_test(test_rank_by_hand),	 cmocka_unit_test(test_shift_by_table),
		cmocka_unit_test(test_bootstrap),	 cmocka_unit_test(test_bootstrap_of_many),
		cmocka_unit_test(test_holm_and_geomean), cmocka_unit_test(test_stein),
		cmocka_unit_test(test_stein_family),	 cmocka_unit_test(test_stein_power),
		cmocka_unit_test(test_diagnosis_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
