/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every piece runs once whatever the number of threads; stopping starts no further one. */
#include "sim/batch/pool.h"

#include "tests/sl_test.h"

enum { PIECES = 1000 };

struct bench {
	_Atomic uint32_t runs[PIECES];
	_Atomic bool stop;
	_Atomic uint32_t started;
	uint32_t stop_after, last_done;
};

static void one(void *ctx, uint32_t index)
{
	struct bench *b = ctx;

	b->runs[index]++;
	if (++b->started == b->stop_after)
		b->stop = true;
}

static void progress(void *ctx, uint32_t done, uint32_t total)
{
	struct bench *b = ctx;

	assert_true(done >= b->last_done && done <= total);
	b->last_done = done;
}

static void every_piece_once(void **state)
{
	const uint32_t jobs[] = { 1, 2, 7, 0 };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(jobs); i++) {
		struct bench b = { 0 };
		struct sl_pool_work work = { .one = one, .progress = progress, .ctx = &b };

		assert_int_equal(sl_pool_run(&work, 3, PIECES - 3, jobs[i], NULL), PIECES - 3);
		assert_int_equal(b.last_done, PIECES - 3);
		for (uint32_t p = 0; p < PIECES; p++)
			assert_int_equal(b.runs[p], p >= 3);
	}
}

static void nothing_to_do(void **state)
{
	struct bench b = { 0 };
	struct sl_pool_work work = { .one = one, .ctx = &b };

	(void)state;
	assert_int_equal(sl_pool_run(&work, 0, 0, 2, NULL), 0);
	assert_int_equal(b.started, 0);
}

static void stops(void **state)
{
	struct bench b = { .stop_after = 10 };
	struct sl_pool_work work = { .one = one, .ctx = &b, .stop = &b.stop };
	uint32_t done;

	(void)state;
	done = sl_pool_run(&work, 0, PIECES, 2, NULL);
	/* One more may have been under way. */
	assert_true(done == 10 || done == 11);
	assert_int_equal(done, b.started);
	assert_int_equal(b.runs[PIECES - 1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_piece_once),
		cmocka_unit_test(nothing_to_do),
		cmocka_unit_test(stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
