/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Integer logarithm, power, root and normal quantile against published values. */
#include "sim/base/fixmath.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* value * 2^48 of a decimal given as integer part and billionths. */
static sl_q48 q48(int64_t whole, int64_t billionths)
{
	return whole * SL_Q48_ONE +
	       (sl_q48)(__extension__(__int128) billionths * SL_Q48_ONE / 1000000000);
}

static void near_value(sl_q48 got, sl_q48 expected, sl_q48 slack)
{
	if (llabs(got - expected) > slack)
		fail_msg("%lld, expected %lld", (long long)got, (long long)expected);
}

static void test_log2(void **state)
{
	(void)state;
	assert_int_equal(sl_fix_log2(1), 0);
	assert_int_equal(sl_fix_log2(UINT64_C(1) << 63), 63 * SL_Q48_ONE);
	near_value(sl_fix_log2(10), q48(3, 321928095), SL_Q48_ONE / 1000000000);
	near_value(sl_fix_log2_fraction(UINT64_C(1) << 62), -2 * SL_Q48_ONE, 0);
	assert_int_equal(sl_fix_log2_fraction(1), -64 * SL_Q48_ONE);
}

static void test_exp2(void **state)
{
	(void)state;
	assert_int_equal(sl_fix_scale_exp2(5, 0), 5);
	assert_int_equal(sl_fix_scale_exp2(5, 3 * SL_Q48_ONE), 40);
	assert_int_equal(sl_fix_scale_exp2(40, -3 * SL_Q48_ONE), 5);
	/* 10^9 * sqrt 2 */
	assert_int_equal(sl_fix_scale_exp2(1000000000, SL_Q48_ONE / 2), 1414213562);
	assert_int_equal(sl_fix_scale_exp2(1, 63 * SL_Q48_ONE), UINT64_C(1) << 63);
	assert_int_equal(sl_fix_scale_exp2(1, 64 * SL_Q48_ONE), UINT64_MAX);
	assert_int_equal(sl_fix_scale_exp2(UINT64_MAX, -200 * SL_Q48_ONE), 0);
	assert_int_equal(sl_fix_scale_exp2(0, 100 * SL_Q48_ONE), 0);
}

static void test_sqrt_mul(void **state)
{
	(void)state;
	assert_int_equal(sl_fix_sqrt(0), 0);
	assert_int_equal(sl_fix_sqrt(4 * SL_Q48_ONE), 2 * SL_Q48_ONE);
	near_value(sl_fix_sqrt(2 * SL_Q48_ONE), q48(1, 414213562), SL_Q48_ONE / 1000000000);
	assert_int_equal(sl_fix_mul(-3 * SL_Q48_ONE, SL_Q48_ONE / 2), -3 * SL_Q48_ONE / 2);
	assert_int_equal(sl_fix_mul(INT64_MAX, INT64_MAX), INT64_MAX);
}

static void test_normal_quantile(void **state)
{
	/* p in millionths, z in billionths (tables of the normal distribution). */
	static const struct {
		uint64_t p;
		int64_t z;
	} rows[] = {
		{ 10, -4264890794 },	 { 1000, -3090232306 },	 { 25000, -1959963985 },
		{ 100000, -1281551566 }, { 250000, -674489750 }, { 500000, 0 },
		{ 841344, 999996917 },	 { 975000, 1959963985 }, { 999000, 3090232306 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t p = (uint64_t)(((sl_u128)rows[i].p << 64) / 1000000);

		near_value(sl_fix_normal_quantile(p), q48(0, rows[i].z), SL_Q48_ONE / 100000000);
	}
	/* Symmetric, and finite at the ends. */
	assert_int_equal(sl_fix_normal_quantile(1), -sl_fix_normal_quantile(UINT64_MAX));
	assert_true(sl_fix_normal_quantile(1) < -9 * SL_Q48_ONE);
}

static void test_quantile_ascends(void **state)
{
	sl_q48 last = sl_fix_normal_quantile(1);

	(void)state;
	for (uint64_t p = UINT64_C(1) << 48; p >> 48 != 0; p += UINT64_C(1) << 48) {
		sl_q48 z = sl_fix_normal_quantile(p);

		assert_true(z >= last);
		last = z;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log2),
		cmocka_unit_test(test_exp2),
		cmocka_unit_test(test_sqrt_mul),
		cmocka_unit_test(test_normal_quantile),
		cmocka_unit_test(test_quantile_ascends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
