/* SPDX-License-Identifier: BSD-2-Clause */
#include "topologies/cpuset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/bits.h"

static void good(const char *list, const char *want, uint32_t count)
{
	uint64_t set[SL_BITS_WORDS(200)];
	g_autoptr(GError) error = NULL;
	g_autofree char *printed = NULL;

	if (!sl_cpuset_parse(list, 200, set, &error))
		fail_msg("%s", error->message);
	assert_int_equal(sl_bits_count(set, SL_BITS_WORDS(200)), count);
	printed = sl_cpuset_print(set, 200);
	assert_string_equal(printed, want);
}

static void bad(const char *list, const char *want)
{
	uint64_t set[1];
	g_autoptr(GError) error = NULL;

	assert_false(sl_cpuset_parse(list, 64, set, &error));
	assert_string_equal(error->message, want);
}

static void lists(void **state)
{
	(void)state;
	good("32-63", "32-63", 32);
	good("0,2,4-7", "0,2,4-7", 6);
	good(" 7 , 3 - 5 ", "3-5,7", 4);
	good("199", "199", 1);
	good("60-130", "60-130", 71);
	good("1,0", "0-1", 2);
}

static void refusals(void **state)
{
	(void)state;
	bad("", "cpuset:1:1: expected a CPU number such as 3 or a range 4-7");
	bad("0,", "cpuset:1:3: expected a CPU number such as 3 or a range 4-7");
	bad("64", "cpuset:1:1: no CPU 64; expected 0 to 63");
	bad("0,60-64", "cpuset:1:3: no CPU 64; expected 0 to 63");
	bad("7-4", "cpuset:1:1: range 7-4 runs backwards; expected 4-7");
	bad("1-", "cpuset:1:3: expected the last CPU of the range");
	bad("0-3,2", "cpuset:1:5: CPU 2 is named twice");
	bad("1 2", "cpuset:1:3: expected a comma or the end of the list");
	bad("99999999999999999999", "cpuset:1:1: no CPU 4294967295; expected 0 to 63");
}

/* Every pair of bits around word ends comes back. */
static void round_trip(void **state)
{
	(void)state;
	for (uint32_t a = 60; a < 70; a++)
		for (uint32_t b = 120; b < 130; b++) {
			uint64_t set[SL_BITS_WORDS(130)] = { 0 }, again[SL_BITS_WORDS(130)];
			g_autofree char *text = NULL;

			sl_bits_fill(set, a, b - a);
			text = sl_cpuset_print(set, 130);
			assert_true(sl_cpuset_parse(text, 130, again, NULL));
			assert_true(sl_bits_equal(set, again, SL_BITS_WORDS(130)));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(refusals),
		cmocka_unit_test(round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
