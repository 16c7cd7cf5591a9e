/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The small languages of the command line. */
#include "sim/cli/spec.h"

#include "tests/sl_test.h"

#include <string.h>

#include "policies/registry.h"

static void durations_are_exact(void **state)
{
	static const struct {
		const char *text;
		sl_time ns;
	} good[] = {
		{ "0s", 0 },
		{ "1ns", 1 },
		{ "10ms", 10000000 },
		{ "1.5s", 1500000000 },
		{ ".5us", 500 },
		{ "1.us", 1000 },
		{ "0.1s", 100000000 },
		{ "0.123456789s", 123456789 },
		{ "0.1234567891s", 123456789 },
		{ "2min", 120000000000 },
		{ "1h", 3600000000000 },
		{ "9223372036854775807ns", INT64_MAX },
		{ "1.000000000000000000000001s", 1000000000 },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(good); i++) {
		sl_time ns = 77;

		assert_true(sl_spec_duration(good[i].text, &ns, NULL));
		assert_int_equal(ns, good[i].ns);
	}
}

static void bad_durations(void **state)
{
	static const char *const bad[] = {
		"",
		"s",
		".s",
		"10",
		"1 s",
		"-1s",
		"+1s",
		"1e3s",
		"0x1s",
		"1S",
		"1sec",
		"1m",
		"1,5s",
		"9223372036854775808ns",
		"18446744073709551616h",
		"99999999999999999999999999999s",
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(bad); i++) {
		GError *error = NULL;
		sl_time ns = 77;

		assert_false(sl_spec_duration(bad[i], &ns, &error));
		assert_non_null(error);
		assert_non_null(strstr(error->message, "for example 10ms"));
		assert_int_equal(ns, 77);
		g_error_free(error);
	}
}

static void numbers(void **state)
{
	uint64_t n = 0;
	double x = 0;

	(void)state;
	assert_true(sl_spec_number("n", "0", 0, UINT64_MAX, &n, NULL) && n == 0);
	assert_true(sl_spec_number("n", "18446744073709551615", 0, UINT64_MAX, &n, NULL));
	assert_true(n == UINT64_MAX);
	assert_false(sl_spec_number("n", "5", 6, 9, &n, NULL));
	assert_false(sl_spec_number("n", "6x", 6, 9, &n, NULL));
	assert_false(sl_spec_number("n", "-0", 0, 9, &n, NULL));
	assert_true(sl_spec_real("x", "2.5%", 0, true, &x, NULL) && x == 2.5);
	assert_false(sl_spec_real("x", "2.5%", 0, false, &x, NULL));
	assert_false(sl_spec_real("x", "0", 0, false, &x, NULL));
	assert_false(sl_spec_real("x", "nan", 0, false, &x, NULL));
	assert_false(sl_spec_real("x", "inf", 0, false, &x, NULL));
	assert_false(sl_spec_real("x", "%", 0, true, &x, NULL));
}

static void policies_and_eras(void **state)
{
	static const struct {
		const char *text, *title;
	} good[] = {
		{ "ule", "ule@2017" },
		{ "ule@14", "ule@14" },
		{ "ule-1ppq", "ule-1ppq@2017-1ppq" },
		{ "4bsd@9", "4bsd@9" },
		{ "fifo", "fifo" },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(good); i++) {
		struct sl_policy_spec *spec = sl_policy_spec_new(good[i].text, NULL);
		char *title;

		assert_non_null(spec);
		title = sl_policy_spec_title(spec);
		assert_string_equal(title, good[i].title);
		assert_int_equal(spec->n_overrides, 0);
		assert_false(spec->machine_changed);
		g_free(title);
		sl_policy_spec_free(spec);
	}
	assert_null(sl_policy_spec_new("fifo@2017", NULL));
	assert_null(sl_policy_spec_new("", NULL));
	assert_null(sl_policy_spec_new("@2017", NULL));
	assert_null(sl_policy_spec_new("ule@", NULL));
}

static void tunables(void **state)
{
	struct sl_policy_spec *spec = sl_policy_spec_new(
		"ule@12:kern.sched.slice=6,kern.hz=100,kern.sched.quantum=20ms", NULL);

	(void)state;
	assert_non_null(spec);
	assert_int_equal(spec->n_overrides, 2);
	assert_string_equal(spec->override[0].tunable->name, "kern.sched.slice");
	assert_int_equal(spec->override[0].value, 6);
	assert_string_equal(spec->override[1].tunable->name, "kern.sched.quantum");
	assert_int_equal(spec->override[1].value, 20000);
	assert_true(spec->machine_changed);
	assert_int_equal(spec->machine.hz, 100);
	assert_int_equal(spec->machine.stathz, 127);
	sl_policy_spec_free(spec);
	assert_null(sl_policy_spec_new("ule:kern.sched.quantum=1500ns", NULL));
	assert_null(sl_policy_spec_new("ule:kern.sched.slice=9223372036854775808", NULL));
	assert_null(sl_policy_spec_new("ule:", NULL));
	assert_null(sl_policy_spec_new("ule:kern.sched.slice=6,", NULL));
	assert_null(sl_policy_spec_new("ule:=6", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_are_exact),
		cmocka_unit_test(bad_durations),
		cmocka_unit_test(numbers),
		cmocka_unit_test(policies_and_eras),
		cmocka_unit_test(tunables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
