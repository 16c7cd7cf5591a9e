/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Run queue: a bitmap over FIFO lists of threads (kernel: struct runq).
 * It knows indexes only; which priority goes to which list is the policy's matter
 * (ule.md 4: index = priority / priorities per list). The policy keeps the index
 * under which it added a thread in its own part of the thread and hands it back
 * for the removal: an index is never recomputed from a priority that may have
 * changed in the meantime. */
#ifndef SL_POLICIES_RUNQ_H
#define SL_POLICIES_RUNQ_H

#include "sim/core/policy.h"

#define SL_RUNQ_MAX   256u
#define SL_RUNQ_WORDS (SL_RUNQ_MAX / 64u)

/* Bit i of map is set exactly when list[i] is not empty. Threads hang on
 * sl_thread.runq and belong to the machine. */
struct sl_runq {
	uint64_t map[SL_RUNQ_WORDS];
	uint32_t nqs; /* lists in use, 1 .. SL_RUNQ_MAX */
	struct sl_link list[SL_RUNQ_MAX];
};

/* Empties rq and gives it nqs lists. */
void sl_runq_init(struct sl_runq *rq, uint32_t nqs);

/* Inserts td, which is in no queue, into list `index`: in front of all others when
 * `head` is set, behind them otherwise. O(1). */
void sl_runq_add(struct sl_runq *rq, struct sl_thread *td, uint32_t index, bool head);

/* Takes td out of list `index`, the one it was added to. Returns true when that list is
 * empty now. O(1). */
bool sl_runq_remove(struct sl_runq *rq, struct sl_thread *td, uint32_t index);

/* First list in use at or after `from`, without wrapping; nqs when there is none. */
static inline uint32_t sl_runq_next(const struct sl_runq *rq, uint32_t from)
{
	uint32_t i = sl_bits_next(rq->map, SL_RUNQ_WORDS, from);

	return i < rq->nqs ? i : rq->nqs;
}

static inline bool sl_runq_empty(const struct sl_runq *rq)
{
	return (rq->map[0] | rq->map[1] | rq->map[2] | rq->map[3]) == 0;
}

static inline bool sl_runq_list_empty(const struct sl_runq *rq, uint32_t index)
{
	return !sl_bit_test(rq->map, index);
}

/* First thread of list `index`, which is not empty. */
static inline struct sl_thread *sl_runq_head(const struct sl_runq *rq, uint32_t index)
{
	return SL_OF(rq->list[index].next, struct sl_thread, runq);
}

/* Head of the lowest list in use within [from, to); NULL when they are all empty. */
static inline struct sl_thread *sl_runq_first_in(const struct sl_runq *rq, uint32_t from,
						 uint32_t to)
{
	uint32_t i = sl_runq_next(rq, from);

	return i < to ? sl_runq_head(rq, i) : NULL;
}

/* Head of the lowest list in use; NULL when rq is empty. */
static inline struct sl_thread *sl_runq_first(const struct sl_runq *rq)
{
	return sl_runq_first_in(rq, 0, rq->nqs);
}

/* Head of the first list in use in the order start, start+1, ... nqs-1, 0, ...
 * start-1; NULL when rq is empty. */
static inline struct sl_thread *sl_runq_first_from(const struct sl_runq *rq, uint32_t start)
{
	struct sl_thread *td = sl_runq_first_in(rq, start, rq->nqs);

	return td != NULL ? td : sl_runq_first_in(rq, 0, start);
}

/* Thread behind td in list `index`; NULL at the end. */
static inline struct sl_thread *sl_runq_behind(const struct sl_runq *rq, const struct sl_thread *td,
					       uint32_t index)
{
	struct sl_link *l = td->runq.next;

	return l != &rq->list[index] ? SL_OF(l, struct sl_thread, runq) : NULL;
}

#endif
