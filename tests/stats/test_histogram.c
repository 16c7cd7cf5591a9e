/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The histogram: its error bound at every size, exact merging, percentiles and their intervals. */
#include "tests/sl_test.h"

#include <math.h>
#include <stdlib.h>

#include <json-glib/json-glib.h>

#include "sim/base/rng.h"
#include "stats/histogram.h"

static int by_value(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static uint64_t draw(uint64_t n)
{
	uint64_t bits = sl_rng_draw(13, SL_RNG_BOOT, 0, n);

	return bits >> (bits % 64); /* all magnitudes */
}

/* Of one value and a far larger one, the median is the bucket of the first. */
static void test_error_bound(void **state)
{
	(void)state;
	for (unsigned bits = 1; bits <= 14; bits++) {
		struct sl_histogram h;

		for (uint64_t i = 0; i < 300; i++) {
			uint64_t value = i < 64	   ? (UINT64_C(1) << i) - 1
					 : i < 128 ? UINT64_C(1) << (i - 64)
						   : draw(i);
			uint64_t got;

			sl_histogram_init(&h, bits);
			sl_histogram_add(&h, value, 2);
			sl_histogram_add(&h, UINT64_MAX, 1);
			got = sl_histogram_quantile(&h, 0.5, 0.95).value;
			assert_true(got >= value);
			assert_true((double)(got - value) <=
				    (double)value * sl_histogram_error(&h));
			sl_histogram_clear(&h);
		}
	}
}

static void test_percentiles_against_sorting(void **state)
{
	enum { N = 20000 };
	static const double at[] = { 0, 0.001, 0.5, 0.9, 0.99, 0.999, 1 };
	uint64_t *v = g_new(uint64_t, N);
	struct sl_histogram all, part[3];

	(void)state;
	sl_histogram_init(&all, 7);
	for (int i = 0; i < 3; i++)
		sl_histogram_init(&part[i], 7);
	for (size_t i = 0; i < N; i++) {
		v[i] = draw(1000 + i) >> 20;
		sl_histogram_add(&all, v[i], 1);
		sl_histogram_add(&part[i % 3], v[i], 1);
	}
	assert_true(sl_histogram_merge(&part[0], &part[1]));
	assert_true(sl_histogram_merge(&part[0], &part[2]));
	assert_memory_equal(part[0].bucket, all.bucket, all.n_buckets * sizeof(uint64_t));
	assert_true(part[0].count == N && part[0].min == all.min && part[0].max == all.max);
	qsort(v, N, sizeof(*v), by_value);
	for (size_t i = 0; i < G_N_ELEMENTS(at); i++) {
		struct sl_percentile p = sl_histogram_quantile(&all, at[i], 0.95);
		size_t rank = at[i] == 0 ? 1 : (size_t)ceil(at[i] * N);
		double truth = (double)v[rank - 1];

		assert_true((double)p.value >= truth && (double)p.value <= truth * (1 + 1 / 128.0));
		assert_true(p.low <= p.value && p.value <= p.high);
	}
	sl_histogram_clear(&part[1]);
	sl_histogram_init(&part[1], 8);
	assert_false(sl_histogram_merge(&part[0], &part[1]));
	for (int i = 0; i < 3; i++)
		sl_histogram_clear(&part[i]);
	sl_histogram_clear(&all);
	g_free(v);
}

/* Textbook: of 10 values the 2nd and the 9th enclose the median with 97.9 %; 5 are too few. */
static void test_interval_ranks(void **state)
{
	struct sl_histogram h;
	struct sl_percentile p;

	(void)state;
	sl_histogram_init(&h, 7);
	p = sl_histogram_quantile(&h, 0.5, 0.95);
	assert_true(p.value == 0 && p.low == 0 && p.high == 0);
	for (uint64_t i = 1; i <= 10; i++)
		sl_histogram_add(&h, i, 1);
	p = sl_histogram_quantile(&h, 0.5, 0.95);
	assert_true(p.value == 5 && p.low == 2 && p.high == 9 && !p.low_open && !p.high_open);
	p = sl_histogram_quantile(&h, 0.99, 0.95);
	assert_true(p.value == 10 && p.high == 10 && p.high_open);
	sl_histogram_clear(&h);
}

/* How often the interval holds the true 90 % point of uniform values. */
static void test_interval_coverage(void **state)
{
	enum { ROUNDS = 2000, N = 200 };
	int covered = 0;

	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		struct sl_histogram h;
		struct sl_percentile p;

		sl_histogram_init(&h, 14);
		for (uint64_t i = 0; i < N; i++)
			sl_histogram_add(
				&h, sl_rng_scale(sl_rng_draw(17, SL_RNG_BOOT, round, i), 10000), 1);
		p = sl_histogram_quantile(&h, 0.9, 0.95);
		covered += p.low <= 9000 && 9000 <= p.high;
		sl_histogram_clear(&h);
	}
	assert_true(covered >= ROUNDS * 0.94);
}

static void test_json(void **state)
{
	struct sl_histogram h;
	GString *text = g_string_new(NULL);
	JsonParser *parser = json_parser_new();
	JsonObject *object;
	JsonArray *buckets;

	(void)state;
	sl_histogram_init(&h, 3);
	sl_histogram_add(&h, 5, 2);
	sl_histogram_add(&h, 1000, 1);
	sl_histogram_to_json(&h, text);
	assert_true(json_parser_load_from_data(parser, text->str, -1, NULL));
	object = json_node_get_object(json_parser_get_root(parser));
	assert_string_equal(json_object_get_string_member(object, "schema"),
			    "schedlab-histogram/1");
	assert_int_equal(json_object_get_int_member(object, "count"), 3);
	buckets = json_object_get_array_member(object, "buckets");
	assert_int_equal(json_array_get_length(buckets), 2);
	assert_int_equal(json_array_get_int_element(json_array_get_array_element(buckets, 0), 0),
			 5);
	/* 1000 lies in 960 .. 1023, an eighth of 512. */
	assert_int_equal(json_array_get_int_element(json_array_get_array_element(buckets, 1), 0),
			 960);
	g_object_unref(parser);
	g_string_free(text, TRUE);
	sl_histogram_clear(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_bound),
		cmocka_unit_test(test_percentiles_against_sorting),
		cmocka_unit_test(test_interval_ranks),
		cmocka_unit_test(test_interval_coverage),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
