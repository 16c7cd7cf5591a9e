/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Slots of the circle, its advance, the order of service and the steal rules:
 * ule.md 5, 19.3, 21, 23, 25.5. */
#include "tests/policies/test_ule_fake.h"

static void boot(struct fake *f, const char *era)
{
	fake_boot(f, era, FAKE_FLAT, 1, 2, 1);
}

/* Index under which a thread of that priority is queued with these positions. */
static int slot(struct fake *f, uint8_t pri, uint8_t idx, uint8_t ridx, unsigned srq)
{
	struct ule_cpu *q = &f->q[0];
	struct sl_thread *td = fake_thread(f, 15, 0, pri);
	int index;

	q->idx = idx;
	q->ridx = ridx;
	ule_enqueue(&f->pol, q, td, srq);
	index = f->ts[15].index;
	/* Nothing else is queued: take it out without moving the positions. */
	(void)sl_runq_remove(&q->rq[f->ule.era->queue == &ule_queue_one ? 0 : f->ts[15].queue], td,
			     (uint32_t)index);
	q->transferable--;
	return index;
}

struct slot_row {
	uint8_t pri, idx, ridx;
	int index;
};

static void check_slots(const char *era, const struct slot_row *row, size_t n)
{
	struct fake f;

	boot(&f, era);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(slot(&f, row[i].pri, row[i].idx, row[i].ridx, 0), row[i].index);
	fake_end(&f);
}

static void slots_of_64_lists(void **state)
{
	static const struct slot_row row[] = {
		{ 120, 0, 0, 30 },   { 47, 9, 9, 11 },	  { 151, 0, 0, 37 }, { 224, 0, 0, 56 },
		{ 255, 0, 0, 63 },   { 152, 0, 0, 0 },	  { 153, 0, 0, 0 },  { 154, 0, 0, 1 },
		{ 160, 0, 0, 7 },    { 172, 0, 0, 17 },	  { 173, 0, 0, 18 }, { 187, 0, 0, 31 },
		{ 188, 0, 0, 32 },   { 203, 0, 0, 45 },	  { 222, 0, 0, 62 }, { 223, 0, 0, 63 },
		{ 172, 60, 60, 13 }, { 223, 1, 1, 0 },	  { 223, 1, 0, 63 }, { 223, 5, 4, 3 },
		{ 152, 5, 4, 5 },    { 203, 30, 29, 11 }, { 222, 6, 5, 4 },
	};

	(void)state;
	check_slots("2017", row, SL_ARRAY_LEN(row));
	check_slots("10.4", row, SL_ARRAY_LEN(row));
	check_slots("12", row, SL_ARRAY_LEN(row));
}

static void slots_of_256_lists(void **state)
{
	static const struct slot_row row[] = {
		{ 120, 0, 0, 120 },   { 151, 0, 0, 151 }, { 255, 0, 0, 255 }, { 152, 0, 0, 0 },
		{ 153, 0, 0, 3 },     { 154, 0, 0, 7 },	  { 160, 0, 0, 28 },  { 172, 0, 0, 71 },
		{ 173, 0, 0, 74 },    { 187, 0, 0, 124 }, { 188, 0, 0, 128 }, { 203, 0, 0, 181 },
		{ 222, 0, 0, 248 },   { 223, 0, 0, 252 }, { 223, 1, 0, 253 }, { 223, 5, 4, 1 },
		{ 203, 30, 29, 211 }, { 222, 6, 5, 254 },
	};

	(void)state;
	check_slots("2017-1ppq", row, SL_ARRAY_LEN(row));
}

static void slots_of_14(void **state)
{
	static const struct slot_row row[] = { { 136, 0, 0, 0 },  { 156, 0, 0, 14 },
					       { 176, 0, 0, 29 }, { 203, 0, 0, 48 },
					       { 223, 0, 0, 63 }, { 88, 0, 0, 22 } };

	(void)state;
	check_slots("14", row, SL_ARRAY_LEN(row));
}

static void lists_of_15(void **state)
{
	static const struct slot_row row[] = {
		{ 140, 0, 0, 140 },	{ 223, 1, 0, 223 },	{ 223, 2, 1, 115 },
		{ 140, 108, 106, 139 }, { 150, 100, 100, 141 }, { 115, 3, 1, 118 },
		{ 223, 3, 1, 117 },	{ 56, 9, 9, 56 },	{ 114, 9, 9, 114 },
		{ 224, 9, 9, 224 },
	};

	(void)state;
	check_slots("15", row, SL_ARRAY_LEN(row));
}

/* Both kinds go to the removal position: preempted ones in front, lent ones behind. */
static void next_in_line(void **state)
{
	static const char *const eras[] = { "2017", "2017-1ppq", "14", "15" };
	struct fake f;

	(void)state;
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++) {
		struct sl_thread *a, *b, *c;

		boot(&f, eras[e]);
		f.q[0].idx = 9;
		f.q[0].ridx = 8;
		a = fake_thread(&f, 0, 0, 200);
		b = fake_thread(&f, 1, 0, 220);
		c = fake_thread(&f, 2, 0, 210);
		fake_queue(&f, a, SL_SRQ_BORROWING);
		fake_queue(&f, b, SL_SRQ_BORROWING);
		fake_queue(&f, c, SL_SRQ_PREEMPTED);
		assert_int_equal(f.ts[0].index, f.ts[2].index);
		assert_ptr_equal(f.ule.queue.first(&f.ule, &f.q[0]), c);
		ule_rem(&f.pol, c);
		assert_ptr_equal(f.ule.queue.first(&f.ule, &f.q[0]), a);
		assert_int_equal(f.q[0].load, 2);
		assert_int_equal(f.q[0].transferable, 2);
		fake_end(&f);
	}
}

static void tick(struct fake *f, uint32_t cnt)
{
	f->ule.queue.tick(&f->ule, &f->q[0], cnt);
}

/* The trace below 25.5. */
static void trace_of_the_circle(void **state)
{
	struct fake f;
	struct ule_cpu *q = &f.q[0];
	struct sl_thread *a, *b, *c, *d;

	(void)state;
	boot(&f, "2017");
	a = fake_thread(&f, 0, 0, 152);
	b = fake_thread(&f, 1, 0, 223);
	c = fake_thread(&f, 2, 0, 172);
	d = fake_thread(&f, 3, 0, 152);
	fake_queue(&f, a, 0);
	assert_int_equal(f.ts[0].index, 0);
	tick(&f, 1);
	assert_int_equal(q->idx, 1);
	assert_int_equal(q->ridx, 0);
	tick(&f, 1);
	assert_int_equal(q->idx, 1);
	fake_queue(&f, b, 0);
	fake_queue(&f, c, 0);
	fake_queue(&f, d, 0);
	assert_int_equal(f.ts[1].index, 63);
	assert_int_equal(f.ts[2].index, 18);
	assert_int_equal(f.ts[3].index, 1);
	assert_ptr_equal(fake_switch(&f, 0, SL_SW_VOL), a);
	assert_int_equal(q->ridx, 1);
	tick(&f, 1);
	assert_int_equal(q->idx, 2);
	assert_int_equal(q->ridx, 1);
	a->state = SL_TS_SLEEP;
	assert_ptr_equal(fake_switch(&f, 0, SL_SW_VOL), d);
	assert_int_equal(q->ridx, 2);
	d->state = SL_TS_SLEEP;
	assert_ptr_equal(fake_switch(&f, 0, SL_SW_VOL), c);
	c->state = SL_TS_SLEEP;
	assert_ptr_equal(fake_switch(&f, 0, SL_SW_VOL), b);
	b->state = SL_TS_SLEEP;
	assert_ptr_equal(fake_switch(&f, 0, SL_SW_VOL), &f.idle[0]);
	assert_int_equal(q->load, 0);
	assert_int_equal(q->lowpri, 255);
	fake_end(&f);
}

static void offsets_of_15(void **state)
{
	static const uint8_t offset[] = { 2, 4, 6, 7, 9, 11, 13, 14, 16, 18, 20, 21 };
	struct fake f;
	struct sl_thread *a, *b;

	(void)state;
	boot(&f, "15");
	for (size_t i = 0; i < SL_ARRAY_LEN(offset); i++) {
		tick(&f, 1);
		assert_int_equal(f.q[0].idx, offset[i]);
		assert_int_equal(f.q[0].ridx, offset[i]);
	}
	/* 7 lists in 4 ticks: 112 lists, one lap and 3, in 64. */
	for (int i = 12; i < 64; i++)
		tick(&f, 1);
	assert_int_equal(f.q[0].idx, 3);
	fake_end(&f);
	boot(&f, "15");
	tick(&f, 5);
	assert_int_equal(f.q[0].idx, 9);
	assert_int_equal(f.q[0].carry, 1);
	/* The removal position waits for the list it stands on, then goes on. */
	a = fake_thread(&f, 0, 0, 115);
	b = fake_thread(&f, 1, 0, 116);
	fake_queue(&f, a, 0);
	fake_queue(&f, b, 0);
	tick(&f, 1);
	assert_int_equal(f.q[0].ridx, 9);
	assert_int_equal(f.q[0].idx, 11);
	tick(&f, 1);
	assert_int_equal(f.q[0].idx, 11);
	ule_rem(&f.pol, a);
	assert_int_equal(f.q[0].ridx, 10);
	/* Its present priority is outside the range: no advance until the next tick. */
	b->pri = 100;
	ule_rem(&f.pol, b);
	assert_int_equal(f.q[0].ridx, 10);
	fake_end(&f);
}

/* Queues `pri` of threads 0 .. n-1 on CPU 0 and says who would go to CPU 1. */
static struct sl_thread *would_go(struct fake *f, const char *era, const uint8_t *pri, uint32_t n,
				  uint8_t ridx, uint32_t forbidden)
{
	boot(f, era);
	f->q[0].idx = f->q[0].ridx = ridx;
	for (uint32_t i = 0; i < n; i++) {
		struct sl_thread *td = fake_thread(f, i, 0, pri[i]);

		if (forbidden >> i & 1)
			f->mask[i][0] = 1;
		fake_queue(f, td, 0);
	}
	return f->ule.steal.pick(&f->ule, &f->q[0], 1);
}

struct steal_row {
	const char *era;
	uint32_t n;
	uint8_t pri[4];
	uint8_t ridx;
	uint32_t forbidden;
	int who; /* -1: nobody */
};

static const struct steal_row steal_rows[] = {
	/* Real-time first, the first that may go. */
	{ "2017", 3, { 172, 130, 125 }, 0, 0, 2 },
	{ "2017", 3, { 172, 130, 125 }, 0, 4, 1 },
	{ "15", 3, { 172, 130, 100 }, 0, 0, 2 },
	/* Two in the circle: the second in line. */
	{ "2017", 2, { 172, 180 }, 0, 0, 1 },
	{ "13", 2, { 172, 180 }, 0, 0, 1 },
	{ "15", 2, { 172, 180 }, 0, 0, 0 },
	/* One alone goes, from any position. */
	{ "2017", 1, { 172 }, 0, 0, 0 },
	{ "2017", 1, { 172 }, 30, 0, 0 },
	{ "10.4", 1, { 172 }, 30, 0, 0 },
	{ "15", 1, { 172 }, 30, 0, 0 },
	/* Two in one list, the second may not go: the last resort is the last one seen in
	 * 2017 and the true first in 13. */
	{ "2017", 2, { 172, 172 }, 0, 2, -1 },
	{ "13", 2, { 172, 172 }, 0, 2, 0 },
	{ "2017", 2, { 172, 172 }, 5, 2, 0 },
	/* 10.4 stops behind the first list in use of the word. */
	{ "10.4", 2, { 172, 180 }, 0, 0, 0 },
	{ "10.4", 3, { 172, 172, 180 }, 0, 2, -1 },
	{ "2017", 3, { 172, 172, 180 }, 0, 2, 2 },
	/* The second walk starts at slot 0, not at the removal position. */
	{ "10.4", 3, { 160, 172, 180 }, 0, 0, 0 },
	/* Idle class last. */
	{ "2017", 2, { 172, 230 }, 0, 1, 1 },
	{ "15", 2, { 172, 230 }, 0, 1, 1 },
	{ "2017", 2, { 172, 230 }, 0, 3, -1 },
};

static void steal_rules(void **state)
{
	struct fake f;

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(steal_rows); i++) {
		const struct steal_row *row = &steal_rows[i];
		struct sl_thread *td =
			would_go(&f, row->era, row->pri, row->n, row->ridx, row->forbidden);

		assert_int_equal(td != NULL ? (int)td->id : -1, row->who);
		fake_end(&f);
	}
}

static void pinned_threads_stay(void **state)
{
	struct fake f;
	struct sl_thread *td;

	(void)state;
	boot(&f, "2017");
	td = fake_thread(&f, 0, 0, 172);
	td->pinned = 1;
	fake_queue(&f, td, 0);
	assert_int_equal(f.q[0].transferable, 0);
	/* Unpinning it where it waits makes it movable, but does not count it. */
	td->pinned = 0;
	assert_int_equal(f.q[0].transferable, 0);
	assert_ptr_equal(ule_move_one(&f.pol, 0, 1, NULL), td);
	assert_int_equal(td->cpu, 1);
	assert_int_equal(f.q[0].load, 0);
	assert_int_equal(f.q[1].load, 1);
	assert_int_equal(f.q[1].transferable, 1);
	assert_int_equal(f.q[1].lowpri, 172);
	fake_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_of_64_lists),   cmocka_unit_test(slots_of_256_lists),
		cmocka_unit_test(slots_of_14),	       cmocka_unit_test(lists_of_15),
		cmocka_unit_test(next_in_line),	       cmocka_unit_test(trace_of_the_circle),
		cmocka_unit_test(offsets_of_15),       cmocka_unit_test(steal_rules),
		cmocka_unit_test(pinned_threads_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
