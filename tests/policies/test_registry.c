/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The registry: sorted, complete tables, eras found by name. */
#include "policies/registry.h"
#include "tests/sl_test.h"

static void names_are_sorted_and_unique(void **state)
{
	(void)state;
	for (uint32_t i = 1; i < sl_policy_count(); i++)
		assert_true(strcmp(sl_policy_at(i - 1)->name, sl_policy_at(i)->name) < 0);
}

static void every_policy_is_acceptable(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < sl_policy_count(); i++) {
		const struct sl_policy *p = sl_policy_at(i);

		assert_null(sl_policy_refuse(p));
		assert_ptr_equal(sl_policy_find(p->name), p);
		for (uint32_t e = 0; e < p->n_eras; e++) {
			assert_ptr_equal(sl_policy_era(p, p->eras[e].name), &p->eras[e]);
			assert_true(strlen(p->eras[e].summary) > 0);
		}
		if (p->n_eras > 0)
			assert_non_null(sl_policy_era(p, NULL));
	}
}

static void unknown_names_are_not_found(void **state)
{
	(void)state;
	assert_null(sl_policy_find("cfs"));
	assert_null(sl_policy_find(""));
	assert_null(sl_policy_era(&sl_policy_ule, "2018"));
}

static void ule_has_its_eras(void **state)
{
	static const char *const eras[] = { "10.4", "11.0", "2017", "2017-1ppq",
					    "12",   "13",   "14",   "15" };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(eras); i++)
		assert_non_null(sl_policy_era(&sl_policy_ule, eras[i]));
	assert_string_equal(sl_policy_era(&sl_policy_ule, NULL)->name, "2017");
	assert_ptr_equal(sl_policy_era(&sl_policy_ule_1ppq, NULL)->data,
			 sl_policy_era(&sl_policy_ule, "2017-1ppq")->data);
}

static const char *part_of(const struct sl_era *era, const char *part)
{
	struct sl_part parts[32];
	size_t n = sl_policy_ule.parts(era, parts, SL_ARRAY_LEN(parts));

	assert_in_range(n, 1, SL_ARRAY_LEN(parts));
	for (size_t i = 0; i < n; i++)
		if (strcmp(parts[i].part, part) == 0)
			return parts[i].choice;
	fail_msg("no part %s", part);
	return NULL;
}

static void eras_differ_in_named_parts(void **state)
{
	const struct sl_era *a = sl_policy_era(&sl_policy_ule, "2017");
	const struct sl_era *c = sl_policy_era(&sl_policy_ule, "12");

	(void)state;
	assert_string_equal(part_of(a, "steal"), part_of(c, "steal"));
	assert_string_not_equal(part_of(a, "balancer"), part_of(c, "balancer"));
	assert_string_not_equal(part_of(a, "idle CPU"), part_of(c, "idle CPU"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_sorted_and_unique),
		cmocka_unit_test(every_policy_is_acceptable),
		cmocka_unit_test(unknown_names_are_not_found),
		cmocka_unit_test(ule_has_its_eras),
		cmocka_unit_test(eras_differ_in_named_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
