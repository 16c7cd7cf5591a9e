/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = { "e5-2420", "x7560",	 "q6600",	NULL,
				     "up",	"epyc-7551p",	 "ryzen-3900x", "switches",
				     "slice",	"preempt_thresh" };

static const char *near(const char *word)
{
	return sl_nearest(word, names, SL_ARRAY_LEN(names));
}

static void finds_slips(void **state)
{
	(void)state;
	assert_string_equal(near("q6600"), "q6600");
	assert_string_equal(near("Q660"), "q6600");
	assert_string_equal(near("q6060"), "q6600");
	assert_string_equal(near("swithces"), "switches");
	assert_string_equal(near("E5-2420"), "e5-2420");
	assert_string_equal(near("preempt_tresh"), "preempt_thresh");
	assert_string_equal(near("upp"), "up");
}

static void finds_beginnings(void **state)
{
	(void)state;
	assert_string_equal(near("epyc"), "epyc-7551p");
	assert_string_equal(near("preempt"), "preempt_thresh");
}

static void says_nothing_when_far(void **state)
{
	char longest[200];

	(void)state;
	assert_null(near("xeon"));
	assert_null(near(""));
	assert_null(near("zzzzzzzzz"));
	assert_null(sl_nearest("up", NULL, 0));
	memset(longest, 'u', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(near(longest));
}

static void first_of_equals(void **state)
{
	static const char *const twins[] = { "abd", "abe", "abc" };

	(void)state;
	assert_string_equal(sl_nearest("abf", twins, 3), "abd");
	assert_string_equal(sl_nearest("abc", twins, 3), "abc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_slips),
		cmocka_unit_test(finds_beginnings),
		cmocka_unit_test(says_nothing_when_far),
		cmocka_unit_test(first_of_equals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
