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

/* Every mechanism of every era has words, and no two parts share a name. */
static void every_part_says_something(void **state)
{
	static const struct sl_policy *const all[] = { &sl_policy_ule, &sl_policy_4bsd };

	(void)state;
	for (size_t k = 0; k < SL_ARRAY_LEN(all); k++)
		for (uint32_t e = 0; e < all[k]->n_eras; e++) {
			const struct sl_era *era = &all[k]->eras[e];
			const struct sl_policy *ops = era->ops ? era->ops : all[k];
			struct sl_part part[40];
			size_t n;

			assert_non_null(ops->parts);
			n = ops->parts(era, part, SL_ARRAY_LEN(part));
			assert_in_range(n, 5, SL_ARRAY_LEN(part));
			for (size_t i = 0; i < n; i++) {
				assert_true(!part[i].choice || part[i].choice[0]);
				for (size_t j = 0; j < i; j++)
					assert_string_not_equal(part[i].part, part[j].part);
			}
		}
}

static void eras_of_4bsd_differ_in_named_parts(void **state)
{
	static const struct {
		const char *era, *part, *choice;
	} cases[] = {
		{ "2005", "groups", "run slots per ksegrp" },
		{ "7.0", "groups", "none" },
		{ "7.0", "quantum", "a global beat ends all at once" },
		{ "7.3", "quantum", "counted from the CPU's last switch" },
		{ "2017", "quantum", "a slice per thread" },
		{ "14", "quantum", "a slice per thread; interrupt threads sink" },
		{ "2017", "direct preemption", "none" },
		{ "2017", "requeue", "head after a preemption within the slice" },
		{ "2017", "enqueue", "the thread is queued, then preemption tested" },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(cases); i++) {
		struct sl_part part[40];
		size_t n = sl_policy_4bsd.parts(sl_policy_era(&sl_policy_4bsd, cases[i].era), part,
						SL_ARRAY_LEN(part));
		size_t at = 0;

		while (at < n && strcmp(part[at].part, cases[i].part) != 0)
			at++;
		assert_true(at < n);
		assert_string_equal(part[at].choice, cases[i].choice);
	}
	/* All that is chosen among mechanisms is said in words. */
	for (uint32_t e = 0; e < sl_policy_4bsd.n_eras; e++) {
		struct sl_part part[40];
		size_t n = sl_policy_4bsd.parts(&sl_policy_4bsd.eras[e], part, SL_ARRAY_LEN(part));
		uint32_t in_words = 0;

		for (size_t i = 0; i < n; i++)
			in_words += part[i].choice != NULL;
		assert_int_equal(in_words, 13);
	}
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
		cmocka_unit_test(every_part_says_something),
		cmocka_unit_test(eras_of_4bsd_differ_in_named_parts),
		cmocka_unit_test(eras_differ_in_named_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
