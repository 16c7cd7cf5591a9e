/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: bit i of the map is set exactly when list i holds a thread, and no
 * bit at or above nqs is ever set. */
#include "policies/runq.h"

void sl_runq_init(struct sl_runq *rq, uint32_t nqs)
{
	SL_ASSERT(nqs >= 1 && nqs <= SL_RUNQ_MAX);
	for (uint32_t w = 0; w < SL_RUNQ_WORDS; w++)
		rq->map[w] = 0;
	rq->nqs = nqs;
	for (uint32_t i = 0; i < SL_RUNQ_MAX; i++)
		sl_list_init(&rq->list[i]);
}

void sl_runq_add(struct sl_runq *rq, struct sl_thread *td, uint32_t index, bool head)
{
	SL_ASSERT(index < rq->nqs);
	if (head)
		sl_list_prepend(&rq->list[index], &td->runq);
	else
		sl_list_append(&rq->list[index], &td->runq);
	sl_bit_set(rq->map, index);
}

bool sl_runq_remove(struct sl_runq *rq, struct sl_thread *td, uint32_t index)
{
	SL_ASSERT(index < rq->nqs);
	sl_link_remove(&td->runq);
	if (!sl_list_empty(&rq->list[index]))
		return false;
	sl_bit_clear(rq->map, index);
	return true;
}
