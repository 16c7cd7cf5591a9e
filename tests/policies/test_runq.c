/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The run queue against what ule.md 4 says of it: order of lists, order inside a
 * list, the walk that wraps once, the bitmap after the last removal. */
#include "policies/runq.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct sl_runq rq;
	struct sl_thread td[4];
};

static void begin(struct fixture *f, uint32_t nqs)
{
	memset(f, 0, sizeof(*f));
	sl_runq_init(&f->rq, nqs);
}

static void lists_are_searched_in_ascending_order(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 256);
	assert_null(sl_runq_first(&f.rq));
	assert_true(sl_runq_empty(&f.rq));
	sl_runq_add(&f.rq, &f.td[0], 200, false);
	assert_ptr_equal(sl_runq_first(&f.rq), &f.td[0]);
	sl_runq_add(&f.rq, &f.td[1], 63, false);
	assert_ptr_equal(sl_runq_first(&f.rq), &f.td[1]);
	sl_runq_add(&f.rq, &f.td[2], 64, false);
	assert_ptr_equal(sl_runq_first(&f.rq), &f.td[1]);
	assert_ptr_equal(sl_runq_first_in(&f.rq, 64, 256), &f.td[2]);
	assert_null(sl_runq_first_in(&f.rq, 65, 200));
	assert_int_equal(sl_runq_next(&f.rq, 65), 200);
	assert_int_equal(sl_runq_next(&f.rq, 201), 256);
}

static void head_and_tail_of_a_list(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 64);
	sl_runq_add(&f.rq, &f.td[0], 5, false);
	sl_runq_add(&f.rq, &f.td[1], 5, false);
	sl_runq_add(&f.rq, &f.td[2], 5, true);
	assert_ptr_equal(sl_runq_head(&f.rq, 5), &f.td[2]);
	assert_ptr_equal(sl_runq_behind(&f.rq, &f.td[2], 5), &f.td[0]);
	assert_ptr_equal(sl_runq_behind(&f.rq, &f.td[0], 5), &f.td[1]);
	assert_null(sl_runq_behind(&f.rq, &f.td[1], 5));
}

static void the_walk_from_a_list_wraps_once(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 64);
	assert_null(sl_runq_first_from(&f.rq, 63));
	sl_runq_add(&f.rq, &f.td[0], 3, false);
	sl_runq_add(&f.rq, &f.td[1], 40, false);
	assert_ptr_equal(sl_runq_first_from(&f.rq, 0), &f.td[0]);
	assert_ptr_equal(sl_runq_first_from(&f.rq, 3), &f.td[0]);
	assert_ptr_equal(sl_runq_first_from(&f.rq, 4), &f.td[1]);
	assert_ptr_equal(sl_runq_first_from(&f.rq, 40), &f.td[1]);
	assert_ptr_equal(sl_runq_first_from(&f.rq, 41), &f.td[0]);
	assert_ptr_equal(sl_runq_first_from(&f.rq, 63), &f.td[0]);
}

static void removal_clears_the_bit_with_the_last_thread(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, 109);
	sl_runq_add(&f.rq, &f.td[0], 108, false);
	sl_runq_add(&f.rq, &f.td[1], 108, false);
	/* The priority may change while queued: only the index counts. */
	f.td[0].pri = 7;
	assert_false(sl_runq_remove(&f.rq, &f.td[0], 108));
	assert_false(sl_runq_list_empty(&f.rq, 108));
	assert_true(sl_runq_remove(&f.rq, &f.td[1], 108));
	assert_true(sl_runq_list_empty(&f.rq, 108));
	assert_true(sl_runq_empty(&f.rq));
	assert_true(sl_link_idle(&f.td[1].runq));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_searched_in_ascending_order),
		cmocka_unit_test(head_and_tail_of_a_list),
		cmocka_unit_test(the_walk_from_a_list_wraps_once),
		cmocka_unit_test(removal_clears_the_bit_with_the_last_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
