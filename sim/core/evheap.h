/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two priority queues of pending events, smallest (time, id) first.
 *  - sl_evheap: many entries, push and pop only (time-outs and starts of threads).
 *  - sl_slots:  one entry per CPU that can be set, moved and cleared (burst ends,
 *    clock wake-ups, IPIs in flight).
 * Equal times go by id: the order is total whatever the insertion order was. */
#ifndef SL_EVHEAP_H
#define SL_EVHEAP_H

#include "sim/base/base.h"

struct sl_ev {
	sl_time at;
	uint64_t order; /* of equal times: the thread's id << 32 | its slot, or the CPU */
};

/* Time-out of the thread `id` that lives in `slot`. */
static inline struct sl_ev sl_ev_of(sl_time at, uint32_t id, uint32_t slot)
{
	return (struct sl_ev){ at, (uint64_t)id << 32 | slot };
}

static inline uint32_t sl_ev_slot(struct sl_ev ev)
{
	return (uint32_t)ev.order;
}

struct sl_evheap {
	struct sl_ev *ev;
	uint32_t n, cap;
};

/* Adds an event. O(log n); grows by doubling. False when memory is short. */
bool sl_evheap_push(struct sl_evheap *h, struct sl_ev ev);
/* Removes the first event; the heap must not be empty. O(log n). */
struct sl_ev sl_evheap_pop(struct sl_evheap *h);
void sl_evheap_fini(struct sl_evheap *h);

static inline sl_time sl_evheap_first(const struct sl_evheap *h)
{
	return h->n ? h->ev[0].at : SL_TIME_MAX;
}

struct sl_slots {
	struct sl_ev *heap; /* n entries in use; order is the id */
	uint32_t *pos;	    /* [ids]: index in heap + 1, 0 = absent */
	uint32_t n, ids;
};

bool sl_slots_init(struct sl_slots *s, uint32_t ids); /* false: no memory */
void sl_slots_fini(struct sl_slots *s);
/* Sets or moves the entry of id. O(log n). */
void sl_slots_set(struct sl_slots *s, uint32_t id, sl_time at);
/* Removes the entry of id if there is one. O(log n). */
void sl_slots_clear(struct sl_slots *s, uint32_t id);

/* When the entry of id is due; SL_TIME_MAX: it has none. */
static inline sl_time sl_slots_at(const struct sl_slots *s, uint32_t id)
{
	return s->pos[id] ? s->heap[s->pos[id] - 1].at : SL_TIME_MAX;
}

static inline bool sl_slots_empty(const struct sl_slots *s)
{
	return s->n == 0;
}

/* SL_TIME_MAX: none. */
static inline sl_time sl_slots_first(const struct sl_slots *s)
{
	return s->heap[0].at;
}

static inline uint32_t sl_slots_first_id(const struct sl_slots *s)
{
	return (uint32_t)s->heap[0].order;
}

#endif
