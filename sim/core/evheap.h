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
	uint32_t id;   /* thread id: orders equal times */
	uint32_t slot; /* where the thread lives */
};

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
	sl_time *at;	      /* [leaves], SL_TIME_MAX: absent */
	uint32_t *best;	      /* [leaves]: best[1] is the first of all; 2i and 2i+1 are below i */
	uint32_t ids, leaves; /* leaves: a power of two, at least 2 */
};

bool sl_slots_init(struct sl_slots *s, uint32_t ids); /* false: no memory */
void sl_slots_fini(struct sl_slots *s);
/* Sets or moves the entry of id; SL_TIME_MAX removes it. O(log ids). */
void sl_slots_set(struct sl_slots *s, uint32_t id, sl_time at);

/* Removes the entry of id if there is one. O(log ids). */
static inline void sl_slots_clear(struct sl_slots *s, uint32_t id)
{
	sl_slots_set(s, id, SL_TIME_MAX);
}

/* SL_TIME_MAX: none. */
static inline sl_time sl_slots_at(const struct sl_slots *s, uint32_t id)
{
	return s->at[id];
}

static inline uint32_t sl_slots_first_id(const struct sl_slots *s)
{
	return s->best[1];
}

static inline sl_time sl_slots_first(const struct sl_slots *s)
{
	return s->at[s->best[1]];
}

static inline bool sl_slots_empty(const struct sl_slots *s)
{
	return sl_slots_first(s) == SL_TIME_MAX;
}

#endif
