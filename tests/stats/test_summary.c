/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Order statistics without sorting against sorting, and the sums. */
#include "tests/sl_test.h"

#include <math.h>
#include <stdlib.h>

#include <glib.h>

#include "sim/base/rng.h"
#include "stats/summary.h"

/* A stable sort with NaN last, the slow obvious way for ties. */
struct placed {
	double x;
	size_t at;
};

static int by_value_then_place(const void *pa, const void *pb)
{
	const struct placed *a = pa, *b = pb;

	if (isnan(a->x) || isnan(b->x))
		return (isnan(a->x) != 0) - (isnan(b->x) != 0);
	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static bool same(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

static double draw_value(int kind, uint64_t entity, uint64_t n)
{
	uint64_t bits = sl_rng_draw(3, SL_RNG_BOOT, entity, n);
	double u = (double)(bits >> 11) * 0x1p-53;

	switch (kind) {
	case 0:
		return (double)(bits % 7) - 3;
	case 1:
		return u;
	case 2:
		return bits % 3 == 0 ? -0.0 : bits % 3 == 1 ? 0.0 : u - 0.5;
	case 3:
		return bits % 50 == 0 ? (double)NAN : bits % 50 == 1 ? (double)-INFINITY : u;
	case 4:
		return 42;
	default:
		return (double)n; /* sorted */
	}
}

static void test_order_statistics(void **state)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 16, 255, 256, 257, 1000, 40000, 100001 };

	(void)state;
	for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
		for (int kind = 0; kind < 6; kind++) {
			size_t n = sizes[s];
			double *v = g_new(double, n);
			struct placed *sorted = g_new(struct placed, n);

			for (size_t i = 0; i < n; i++) {
				v[i] = draw_value(kind, s, i);
				sorted[i] = (struct placed){ v[i], i };
			}
			qsort(sorted, n, sizeof(*sorted), by_value_then_place);
			for (int probe = 0; probe <= 8; probe++) {
				size_t k = (n - 1) * (size_t)probe / 8;

				if (!same(sl_kth_smallest(v, n, k), sorted[k].x))
					fail_msg("kind %d, n %zu, k %zu", kind, n, k);
			}
			assert_true(same(sl_median(v, n),
					 n % 2 != 0 ? sorted[n / 2].x
						    : (sorted[n / 2 - 1].x + sorted[n / 2].x) / 2));
			g_free(sorted);
			g_free(v);
		}
	}
}

static void test_quantile(void **state)
{
	static const double v[] = { 9, 1, 4, 16, 25 };

	(void)state;
	assert_float_equal(sl_quantile(v, 5, 0), 1, 0);
	assert_float_equal(sl_quantile(v, 5, 1), 25, 0);
	assert_float_equal(sl_quantile(v, 5, 0.5), 9, 0);
	assert_float_equal(sl_quantile(v, 5, 0.1), 2.2, 1e-14);
	assert_float_equal(sl_quantile(v, 5, 0.9), 21.4, 1e-13);
	assert_float_equal(sl_quantile(v, 1, 0.3), 9, 0);
}

static void test_summary_rules(void **state)
{
	static const double offset[] = { 1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4, 1e9 + 5 };
	static const double holes[] = { 3, (double)NAN, 1, 2 };
	const struct sl_summary_rules plain = { 0 }, one_pass = { .one_pass = true },
				      population = { .population = true };
	struct sl_summary s = sl_summarize(offset, 5, &plain);

	(void)state;
	assert_float_equal(s.stddev, sqrt(2.5), 1e-15);
	assert_true(s.avg == 1e9 + 3 && s.min == 1e9 + 1 && s.max == 1e9 + 5);
	assert_true(sl_summarize(offset, 5, &one_pass).stddev == 0);
	assert_float_equal(sl_summarize(offset, 5, &population).var, 2, 0);
	s = sl_summarize(holes, 4, &plain);
	assert_true(s.min == 1 && isnan(s.max) && s.median == 2.5 && isnan(s.avg));
	s = sl_summarize(offset, 1, &plain);
	assert_true(s.median == 1e9 + 1 && isnan(s.stddev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_statistics),
		cmocka_unit_test(test_quantile),
		cmocka_unit_test(test_summary_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
