/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Time order: stable, a CPU's lines never swapped, newest-first files turned round. */
#include "traces/import_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <glib.h>

struct out {
	GArray *seen; /* struct sl_event */
};

static void take(void *ctx, struct sl_event *ev)
{
	struct out *o = ctx;

	g_array_append_val(o->seen, *ev);
}

static void push(struct sl_order *o, uint64_t at, uint32_t cpu, int32_t tid)
{
	struct sl_event *ev = sl_order_slot(o);

	*ev = (struct sl_event){ .at = at, .cpu = cpu, .tid = tid };
	sl_order_commit(o);
}

/* Nothing runs backwards; every event came through. */
static void check(const struct out *o, guint n)
{
	assert_int_equal(o->seen->len, n);
	for (guint i = 1; i < n; i++)
		assert_true(g_array_index(o->seen, struct sl_event, i - 1).at <=
			    g_array_index(o->seen, struct sl_event, i).at);
}

static int32_t tid(const struct out *o, guint i)
{
	return g_array_index(o->seen, struct sl_event, i).tid;
}

static void test_window(void **state)
{
	struct out out = { g_array_new(FALSE, FALSE, sizeof(struct sl_event)) };
	struct sl_order *o = sl_order_new(false, take, &out);

	(void)state;
	push(o, 100, 0, 1);
	push(o, 200, 0, 2);
	push(o, 150, 1, 3); /* another CPU, late: moves before 2 */
	push(o, 200, 1, 4); /* a tie keeps file order */
	push(o, 180, 1, 5); /* its own CPU's stamp ran backwards: raised to 200 */
	sl_order_flush(o);
	check(&out, 5);
	assert_int_equal(tid(&out, 0), 1);
	assert_int_equal(tid(&out, 1), 3);
	assert_int_equal(tid(&out, 2), 2);
	assert_int_equal(tid(&out, 3), 4);
	assert_int_equal(tid(&out, 4), 5);
	assert_int_equal(sl_order_counts(o)->swapped, 1);
	assert_int_equal(sl_order_counts(o)->backwards, 1);
	assert_false(sl_order_counts(o)->reversed);
	sl_order_free(o);
	g_array_free(out.seen, TRUE);
}

/* One stamp far ahead is a wrong one; a clock that is set back is not the fault of one stamp. */
static void test_leap(void **state)
{
	const uint64_t s = 1000000000;
	struct out out = { g_array_new(FALSE, FALSE, sizeof(struct sl_event)) };
	struct sl_order *o = sl_order_new(false, take, &out);
	static const int32_t expected[] = { 1, 2, 4, 3, 5, 6, 7, 8, 9, 10, 11 };

	(void)state;
	push(o, 10 * s, 0, 1);
	push(o, 10 * s + 1, 1, 2);
	push(o, 900 * s, 0, 3); /* wrong: its CPU goes on at 10 s + 5 */
	push(o, 10 * s + 2, 1, 4);
	push(o, 10 * s + 5, 0, 5);
	push(o, 10 * s + 6, 1, 6);
	push(o, 10 * s + 7, 0, 7);
	push(o, 20 * s, 0, 8); /* two of them: the clock itself was set back */
	push(o, 20 * s + 1, 0, 9);
	push(o, 11 * s, 0, 10);
	push(o, 11 * s + 1, 0, 11);
	sl_order_flush(o);
	check(&out, 11);
	for (guint i = 0; i < 11; i++)
		assert_int_equal(tid(&out, i), expected[i]);
	assert_true(g_array_index(out.seen, struct sl_event, 3).at == 10 * s + 5);
	assert_true(g_array_index(out.seen, struct sl_event, 10).at == 20 * s + 1);
	assert_int_equal(sl_order_counts(o)->leapt, 1);
	assert_int_equal(sl_order_counts(o)->backwards, 2);
	sl_order_free(o);
	g_array_free(out.seen, TRUE);
}

/* Clocks that do anything: nothing is lost, nothing runs backwards, a CPU's lines keep their
 * order. */
static void test_wild(void **state)
{
	(void)state;
	for (guint32 seed = 0; seed < 40; seed++) {
		struct out out = { g_array_new(FALSE, FALSE, sizeof(struct sl_event)) };
		struct sl_order *o = sl_order_new(false, take, &out);
		GRand *r = g_rand_new_with_seed(seed);
		int32_t last[4] = { -1, -1, -1, -1 };
		uint64_t now = 5000000000000;

		for (int32_t i = 0; i < 6000; i++) {
			int32_t step = g_rand_int_range(r, -300, 1000);
			int32_t leap = g_rand_int_range(r, 0, 200);

			now += (uint64_t)(int64_t)step;
			push(o, leap ? now : now + (uint64_t)g_rand_int_range(r, 1, 9) * 500000000,
			     (uint32_t)g_rand_int_range(r, 0, 4), i);
		}
		sl_order_flush(o);
		check(&out, 6000);
		for (guint i = 0; i < 6000; i++) {
			uint32_t cpu = g_array_index(out.seen, struct sl_event, i).cpu;

			assert_true(tid(&out, i) > last[cpu]);
			last[cpu] = tid(&out, i);
		}
		assert_true(sl_order_counts(o)->leapt > 0);
		g_rand_free(r);
		sl_order_free(o);
		g_array_free(out.seen, TRUE);
	}
}

static void test_late(void **state)
{
	struct out out = { g_array_new(FALSE, FALSE, sizeof(struct sl_event)) };
	struct sl_order *o = sl_order_new(false, take, &out);

	(void)state;
	for (int i = 0; i < 5000; i++)
		push(o, 1000 + (uint64_t)i, 0, i);
	push(o, 500, 1, -7); /* thousands of events too late */
	push(o, 7000, 0, 9);
	sl_order_flush(o);
	check(&out, 5002);
	assert_int_equal(tid(&out, 5000), -7);
	assert_int_equal(sl_order_counts(o)->late, 1);
	sl_order_free(o);
	g_array_free(out.seen, TRUE);
}

static void test_reversed(void **state)
{
	struct out out = { g_array_new(FALSE, FALSE, sizeof(struct sl_event)) };
	struct sl_order *o = sl_order_new(false, take, &out);

	(void)state;
	/* Newest first; two events of one CPU share each stamp. */
	for (int i = 2000; i-- > 0;)
		push(o, 1000 + (uint64_t)(i / 2), 0, i);
	sl_order_flush(o);
	check(&out, 2000);
	assert_true(sl_order_counts(o)->reversed);
	for (int i = 0; i < 2000; i++)
		assert_int_equal(tid(&out, (guint)i), i);
	sl_order_free(o);
	g_array_free(out.seen, TRUE);
}

/* One CPU after the other, as some programs write them: sorted when asked to keep all. */
static void test_whole(void **state)
{
	struct out out = { g_array_new(FALSE, FALSE, sizeof(struct sl_event)) };
	struct sl_order *o = sl_order_new(true, take, &out);

	(void)state;
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		for (int i = 0; i < 1500; i++)
			push(o, (uint64_t)i, cpu, i);
	sl_order_flush(o);
	check(&out, 4500);
	for (guint i = 0; i < 4500; i++) {
		assert_int_equal(tid(&out, i), i / 3);
		assert_int_equal(g_array_index(out.seen, struct sl_event, i).cpu, i % 3);
	}
	sl_order_free(o);
	g_array_free(out.seen, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_window),	 cmocka_unit_test(test_leap),
		cmocka_unit_test(test_wild),	 cmocka_unit_test(test_late),
		cmocka_unit_test(test_reversed), cmocka_unit_test(test_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
