/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Run queues of a CPU and the rules by which another CPU takes a thread from them
 * (ule.md 4, 5, 19.3, 23).
 * Invariants: a thread is removed from the list and queue it was added to, whatever
 * its priority is by then; with three queues (idx - ridx) mod nqs is 0 or 1; with
 * one queue idx and ridx are 0 .. batch length - 1. */
#include "policies/ule.h"

/* These two send a thread to the removal position, next in line. */
#define NEXT_IN_LINE (SL_SRQ_BORROWING | SL_SRQ_PREEMPTED)

static inline void put(struct sl_runq *rq, struct sl_thread *td, uint32_t index, unsigned srq)
{
	ule_thread_of(td)->index = (uint8_t)index;
	sl_runq_add(rq, td, index, (srq & SL_SRQ_PREEMPTED) != 0);
}

/* --- Three queues: real-time, a circle of time-share slots, idle --- */

static void three_init(const struct ule *u, struct ule_cpu *q)
{
	for (int i = 0; i < ULE_QUEUES; i++)
		sl_runq_init(&q->rq[i], u->nqs);
}

/* The slot of a batch priority moves with idx, so that a thread cannot be overtaken for
 * ever; a thread that would land on the slot being emptied goes one back. nqs
 * divides 256: the kernel's 8-bit arithmetic does the same. */
static uint32_t three_slot(const struct ule *u, const struct ule_cpu *q, uint8_t pri, unsigned srq)
{
	uint32_t slot, last = u->nqs - 1u;

	if (srq & NEXT_IN_LINE)
		return q->ridx;
	slot = ((uint32_t)u->list_of[pri] + q->idx) & last;
	if (q->ridx != q->idx && slot == q->ridx)
		slot = (slot - 1) & last;
	return slot;
}

static void three_add(const struct ule *u, struct ule_cpu *q, struct sl_thread *td, unsigned srq)
{
	uint8_t id = u->queue_of[td->pri];
	uint32_t index;

	index = id == ULE_TIMESHARE ? three_slot(u, q, td->pri, srq) : u->list_of[td->pri];
	ule_thread_of(td)->queue = id;
	put(&q->rq[id], td, index, srq);
}

static void three_remove(const struct ule *u, struct ule_cpu *q, struct sl_thread *td)
{
	const struct ule_thread *ts = ule_thread_of(td);
	bool emptied = sl_runq_remove(&q->rq[ts->queue], td, ts->index);

	if (emptied && ts->queue == ULE_TIMESHARE && q->idx != q->ridx && ts->index == q->ridx)
		q->ridx = (uint8_t)((q->ridx + 1u) & (u->nqs - 1u));
}

static struct sl_thread *three_first(const struct ule *u, const struct ule_cpu *q)
{
	struct sl_thread *td = sl_runq_first(&q->rq[ULE_REALTIME]);

	(void)u;
	if (td == NULL)
		td = sl_runq_first_from(&q->rq[ULE_TIMESHARE], q->ridx);
	if (td == NULL)
		td = sl_runq_first(&q->rq[ULE_IDLE]);
	return td;
}

/* One slot per call, once the previous slot has been emptied. */
static void three_tick(const struct ule *u, struct ule_cpu *q, uint32_t cnt)
{
	(void)cnt;
	if (q->idx != q->ridx)
		return;
	q->idx = (uint8_t)((q->idx + 1u) & (u->nqs - 1u));
	if (sl_runq_list_empty(&q->rq[ULE_TIMESHARE], q->ridx))
		q->ridx = q->idx;
}

const struct ule_queue ule_queue_three = {
	.name = "three queues, circle one slot per tick",
	.init = three_init,
	.add = three_add,
	.remove = three_remove,
	.first = three_first,
	.tick = three_tick,
};

/* --- One queue of a list per priority, three ranges --- */

static void one_init(const struct ule *u, struct ule_cpu *q)
{
	sl_runq_init(&q->rq[0], u->nqs);
}

static uint32_t one_slot(const struct ule *u, const struct ule_cpu *q, uint8_t pri, unsigned srq)
{
	uint32_t first = u->layout.batch_first, len = u->batch_len;
	uint32_t slot;

	if (srq & NEXT_IN_LINE)
		return first + q->ridx;
	slot = (uint32_t)u->list_of[pri] + q->idx;
	slot = slot < len ? slot : slot - len;
	if (q->ridx != q->idx && slot == q->ridx)
		slot = (slot > 0 ? slot : len) - 1;
	return first + slot;
}

static void one_add(const struct ule *u, struct ule_cpu *q, struct sl_thread *td, unsigned srq)
{
	uint8_t id = u->queue_of[td->pri];

	ule_thread_of(td)->queue = id;
	put(&q->rq[0], td, id == ULE_TIMESHARE ? one_slot(u, q, td->pri, srq) : u->list_of[td->pri],
	    srq);
}

/* Moves the removal position up to the next list in use, or to the insertion position. */
static void one_advance(const struct ule *u, struct ule_cpu *q, bool known_empty)
{
	uint32_t first = u->layout.batch_first, len = u->batch_len;

	while (q->ridx != q->idx) {
		if (known_empty)
			known_empty = false;
		else if (!sl_runq_list_empty(&q->rq[0], first + q->ridx))
			break;
		q->ridx = (uint8_t)((q->ridx + 1u) % len);
	}
}

/* The kernel asks for the present priority, not for the range the thread was queued in. */
static void one_remove(const struct ule *u, struct ule_cpu *q, struct sl_thread *td)
{
	uint8_t index = ule_thread_of(td)->index;
	bool emptied = sl_runq_remove(&q->rq[0], td, index);

	if (emptied && u->queue_of[td->pri] == ULE_TIMESHARE &&
	    index == u->layout.batch_first + q->ridx)
		one_advance(u, q, true);
}

/* In the circle from the removal position on. */
static struct sl_thread *one_first(const struct ule *u, const struct ule_cpu *q)
{
	const struct sl_runq *rq = &q->rq[0];
	uint32_t first = u->layout.batch_first, last = u->layout.batch_last;
	uint32_t i = sl_runq_next(rq, 0);

	if (i >= first && i <= last) {
		uint32_t from_ridx = sl_runq_next(rq, first + q->ridx);

		i = from_ridx <= last ? from_ridx : i;
	}
	return i < rq->nqs ? sl_runq_head(rq, i) : NULL;
}

/* 7 lists in 4 ticks: 2, 2, 2, 1. */
static void one_tick(const struct ule *u, struct ule_cpu *q, uint32_t cnt)
{
	uint32_t carry;

	if (q->idx != q->ridx)
		return;
	carry = q->carry + cnt;
	q->idx = (uint8_t)((q->idx + 2 * cnt - carry / 4) % u->batch_len);
	q->carry = (uint8_t)(carry % 4);
	one_advance(u, q, false);
}

const struct ule_queue ule_queue_one = {
	.name = "one queue, circle 7 lists per 4 ticks",
	.circle_by_priority = true,
	.init = one_init,
	.add = one_add,
	.remove = one_remove,
	.first = one_first,
	.tick = one_tick,
};

/* --- Steal rules --- */

/* First thread that may go, lists [from, to) ascending. */
static struct sl_thread *steal_range(const struct sl_runq *rq, uint32_t from, uint32_t to,
				     uint32_t cpu)
{
	for (uint32_t i = sl_runq_next(rq, from); i < to; i = sl_runq_next(rq, i + 1))
		for (struct sl_thread *td = sl_runq_head(rq, i); td != NULL;
		     td = sl_runq_behind(rq, td, i))
			if (ule_may_move_to(td, cpu))
				return td;
	return NULL;
}

/* Walk through the time-share circle; see walk_list(). */
struct walk {
	const struct sl_runq *rq;
	uint32_t cpu;
	bool keep_first;	  /* `passed` stays the first thread met, else it is the last */
	bool spare_passed;	  /* `passed` is not taken even when there is no other */
	struct sl_thread *passed; /* a thread met and not taken */
};

/* Takes the first thread that may go, but never the very first one met: that one is
 * about to run where it is. */
static struct sl_thread *walk_list(struct walk *w, uint32_t index)
{
	for (struct sl_thread *td = sl_runq_head(w->rq, index); td != NULL;
	     td = sl_runq_behind(w->rq, td, index)) {
		if (w->passed != NULL && ule_may_move_to(td, w->cpu))
			return td;
		if (w->passed == NULL || !w->keep_first)
			w->passed = td;
	}
	return NULL;
}

static struct sl_thread *walk_all(struct walk *w, uint32_t from)
{
	struct sl_thread *td = NULL;

	for (uint32_t i = sl_runq_next(w->rq, from); i < w->rq->nqs && td == NULL;
	     i = sl_runq_next(w->rq, i + 1))
		td = walk_list(w, i);
	return td;
}

/* The kernel of 10.x leaves a 64-bit word of the bitmap after its first list in use. */
static struct sl_thread *walk_per_word(struct walk *w, uint32_t from)
{
	struct sl_thread *td = NULL;

	for (uint32_t i = sl_runq_next(w->rq, from); i < w->rq->nqs && td == NULL;
	     i = sl_runq_next(w->rq, (i / 64 + 1) * 64))
		td = walk_list(w, i);
	return td;
}

/* The second walk covers the whole circle, not only what lies before the start. */
static struct sl_thread *steal_circle(struct walk *w, uint32_t start,
				      struct sl_thread *(*walk)(struct walk *w, uint32_t from))
{
	struct sl_thread *td = walk(w, start);

	if (td == NULL && start != 0)
		td = walk(w, 0);
	if (td == NULL && !w->spare_passed && w->passed != NULL &&
	    ule_may_move_to(w->passed, w->cpu))
		td = w->passed;
	return td;
}

static struct sl_thread *steal_three(const struct ule_cpu *q, uint32_t cpu, bool keep_first,
				     bool spare_passed,
				     struct sl_thread *(*walk)(struct walk *w, uint32_t from))
{
	struct walk w = { &q->rq[ULE_TIMESHARE], cpu, keep_first, spare_passed, NULL };
	const struct sl_runq *rt = &q->rq[ULE_REALTIME], *idle = &q->rq[ULE_IDLE];
	struct sl_thread *td = steal_range(rt, 0, rt->nqs, cpu);

	if (td == NULL)
		td = steal_circle(&w, q->ridx, walk);
	if (td == NULL)
		td = steal_range(idle, 0, idle->nqs, cpu);
	return td;
}

static struct sl_thread *pick_per_word(const struct ule *u, const struct ule_cpu *q, uint32_t cpu)
{
	(void)u;
	return steal_three(q, cpu, false, false, walk_per_word);
}

static struct sl_thread *pick_never_first(const struct ule *u, const struct ule_cpu *q,
					  uint32_t cpu)
{
	(void)u;
	return steal_three(q, cpu, false, true, walk_per_word);
}

static struct sl_thread *pick_last_seen(const struct ule *u, const struct ule_cpu *q, uint32_t cpu)
{
	(void)u;
	return steal_three(q, cpu, false, false, walk_all);
}

static struct sl_thread *pick_true_first(const struct ule *u, const struct ule_cpu *q, uint32_t cpu)
{
	(void)u;
	return steal_three(q, cpu, true, false, walk_all);
}

static struct sl_thread *pick_plain(const struct ule *u, const struct ule_cpu *q, uint32_t cpu)
{
	const struct sl_runq *rq = &q->rq[0];
	uint32_t first = u->layout.batch_first, end = (uint32_t)u->layout.batch_last + 1;
	struct sl_thread *td = steal_range(rq, 0, first, cpu);

	if (td == NULL)
		td = steal_range(rq, first + q->ridx, end, cpu);
	if (td == NULL)
		td = steal_range(rq, first, first + q->ridx, cpu);
	if (td == NULL)
		td = steal_range(rq, end, rq->nqs, cpu);
	return td;
}

const struct ule_steal ule_steal_per_word = { "skips the first, one list per word", pick_per_word };
const struct ule_steal ule_steal_never_first = { "leaves the first, one list per word",
						 pick_never_first };
const struct ule_steal ule_steal_last_seen = { "skips the first, keeps the last seen",
					       pick_last_seen };
const struct ule_steal ule_steal_true_first = { "skips the first, keeps it", pick_true_first };
const struct ule_steal ule_steal_plain = { "first that may go", pick_plain };
