/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine's histogram and that of the statistics have the same buckets, so that nothing moves
 * when one is put into the other. */
#include "tests/sl_test.h"

#include "sim/core/sim.h"
#include "stats/histogram.h"

enum { ENGINE_BITS = 4 };

static void test_same_buckets(void **state)
{
	(void)state;
	for (uint32_t b = 0; b + 1 < SL_LATENCY_BUCKETS; b++) {
		struct sl_histogram h;
		struct sl_percentile p;

		sl_histogram_init(&h, ENGINE_BITS);
		sl_histogram_add(&h, (uint64_t)sl_latency_low(b), 3);
		sl_histogram_add(&h, (uint64_t)sl_latency_low(b + 1) - 1, 3);
		/* With a larger value the extremes do not cut the bucket. */
		sl_histogram_add(&h, UINT64_MAX, 1);
		p = sl_histogram_quantile(&h, 0.5, 0.95);
		assert_int_equal(p.value, sl_latency_low(b + 1) - 1);
		assert_int_equal(p.low, sl_latency_low(b));
		sl_histogram_clear(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
