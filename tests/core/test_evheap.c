/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The slots of the CPUs and the heap of time-outs against a naive search for the least
 * (time, id). */
#include "sim/base/rng.h"
#include "sim/core/evheap.h"
#include "tests/sl_test.h"

enum { MOST = 130, STEPS = 4000 };

static uint32_t naive_first(const sl_time *at, uint32_t n)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < n; i++)
		if (at[i] < at[best])
			best = i;
	return best;
}

/* Few different times, so that ties are many; one step in four removes. */
static void slots_of(uint32_t n)
{
	struct sl_slots s;
	sl_time at[MOST];

	assert_true(sl_slots_init(&s, n));
	assert_true(sl_slots_empty(&s));
	for (uint32_t i = 0; i < n; i++)
		at[i] = SL_TIME_MAX;
	for (uint64_t step = 0; step < STEPS; step++) {
		uint64_t bits = sl_rng_draw(7, SL_RNG_TICK, n, step);
		uint32_t id = (uint32_t)(bits >> 40) % n;

		at[id] = bits % 4 == 0 ? SL_TIME_MAX : (bits >> 8) % 50;
		if (at[id] == SL_TIME_MAX)
			sl_slots_clear(&s, id);
		else
			sl_slots_set(&s, id, at[id]);
		assert_int_equal(sl_slots_at(&s, id), at[id]);
		assert_int_equal(sl_slots_first(&s), at[naive_first(at, n)]);
		if (!sl_slots_empty(&s))
			assert_int_equal(sl_slots_first_id(&s), naive_first(at, n));
	}
	sl_slots_fini(&s);
}

static void slots_give_the_least(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 3, 4, 12, 63, 64, 65, MOST };

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(sizes); i++)
		slots_of(sizes[i]);
}

/* Pushes and pops in turn, more and more of the first: what comes out is the least. */
static void heap_gives_the_least(void **state)
{
	struct sl_evheap h = { 0 };
	sl_time at[STEPS];
	uint32_t pushed = 0;

	(void)state;
	assert_int_equal(sl_evheap_first(&h), SL_TIME_MAX);
	for (uint64_t step = 0; step < STEPS; step++) {
		uint64_t bits = sl_rng_draw(8, SL_RNG_TICK, 0, step);

		if (bits % 5 < 3 || h.n == 0) {
			at[pushed] = (bits >> 8) % 50;
			assert_true(sl_evheap_push(&h, sl_ev_of(at[pushed], pushed, 7 * pushed)));
			pushed++;
		} else {
			uint32_t first = naive_first(at, pushed);

			assert_int_equal(sl_evheap_first(&h), at[first]);
			assert_int_equal(sl_ev_slot(sl_evheap_pop(&h)), 7 * first);
			at[first] = SL_TIME_MAX;
		}
	}
	assert_true(h.n > 100);
	sl_evheap_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_give_the_least),
		cmocka_unit_test(heap_gives_the_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
