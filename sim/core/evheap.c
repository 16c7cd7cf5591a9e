/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: parent (i-1)/4 is before each of its children 4i+1 .. 4i+4, and past the
 * last entry lie four that come last; in sl_slots also pos[heap[i].id] == i+1. Keys are
 * inline: no pointer is followed to compare. */
#include "sim/core/evheap.h"

#include <stdlib.h>

enum { ARITY = 4 };

__extension__ typedef unsigned __int128 unsigned_128;

static const struct sl_ev never = { SL_TIME_MAX, UINT64_MAX };

/* Compared as one number: time first. */
static inline unsigned_128 ev_key(const struct sl_ev *e)
{
	return (unsigned_128)e->at << 64 | e->order;
}

static inline bool ev_before(const struct sl_ev *a, const struct sl_ev *b)
{
	return ev_key(a) < ev_key(b);
}

/* Which of two comes first cannot be guessed: arithmetic tells, not a branch. */
static inline uint32_t earlier(const struct sl_ev *ev, uint32_t a, uint32_t b)
{
	return a + (b - a) * ev_before(&ev[b], &ev[a]);
}

/* First of the four children from `first` on; past the end lie entries that come last. */
static inline uint32_t least_child(const struct sl_ev *ev, uint32_t first)
{
	return earlier(ev, earlier(ev, first, first + 1), earlier(ev, first + 2, first + 3));
}

bool sl_evheap_push(struct sl_evheap *h, struct sl_ev ev)
{
	uint32_t i = h->n;

	if (h->n == h->cap) {
		uint32_t cap = h->cap ? 2 * h->cap : 64;
		struct sl_ev *grown = realloc(h->ev, (cap + ARITY) * sizeof *grown);

		if (!grown)
			return false;
		for (uint32_t j = h->n; j < cap + ARITY; j++)
			grown[j] = never;
		h->ev = grown;
		h->cap = cap;
	}
	h->n++;
	while (i > 0 && ev_before(&ev, &h->ev[(i - 1) / ARITY])) {
		h->ev[i] = h->ev[(i - 1) / ARITY];
		i = (i - 1) / ARITY;
	}
	h->ev[i] = ev;
	return true;
}

struct sl_ev sl_evheap_pop(struct sl_evheap *h)
{
	struct sl_ev top, last;
	uint32_t i = 0;

	SL_ASSERT(h->n > 0);
	top = h->ev[0];
	last = h->ev[--h->n];
	h->ev[h->n] = never;
	for (uint32_t first = 1; first < h->n; first = ARITY * i + 1) {
		uint32_t best = least_child(h->ev, first);

		if (!ev_before(&h->ev[best], &last))
			break;
		h->ev[i] = h->ev[best];
		i = best;
	}
	if (h->n > 0)
		h->ev[i] = last;
	return top;
}

void sl_evheap_fini(struct sl_evheap *h)
{
	free(h->ev);
	*h = (struct sl_evheap){ 0 };
}

bool sl_slots_init(struct sl_slots *s, uint32_t ids)
{
	s->n = 0;
	s->ids = ids;
	s->heap = malloc((ids + ARITY) * sizeof *s->heap);
	s->pos = calloc(ids, sizeof *s->pos);
	if (!s->heap || !s->pos)
		return false;
	for (uint32_t i = 0; i < ids + ARITY; i++)
		s->heap[i] = never;
	return true;
}

void sl_slots_fini(struct sl_slots *s)
{
	free(s->heap);
	free(s->pos);
	*s = (struct sl_slots){ 0 };
}

static void slot_put(struct sl_slots *s, uint32_t i, struct sl_ev v)
{
	s->heap[i] = v;
	s->pos[v.order] = i + 1;
}

static void slot_sift(struct sl_slots *s, uint32_t i, struct sl_ev v)
{
	while (i > 0 && ev_before(&v, &s->heap[(i - 1) / ARITY])) {
		slot_put(s, i, s->heap[(i - 1) / ARITY]);
		i = (i - 1) / ARITY;
	}
	for (uint32_t first = ARITY * i + 1; first < s->n; first = ARITY * i + 1) {
		uint32_t best = least_child(s->heap, first);

		if (!ev_before(&s->heap[best], &v))
			break;
		slot_put(s, i, s->heap[best]);
		i = best;
	}
	slot_put(s, i, v);
}

void sl_slots_set(struct sl_slots *s, uint32_t id, sl_time at)
{
	uint32_t i = s->pos[id];

	if (i && s->heap[i - 1].at == at)
		return;
	slot_sift(s, i ? i - 1 : s->n++, (struct sl_ev){ at, id });
}

void sl_slots_clear(struct sl_slots *s, uint32_t id)
{
	uint32_t i = s->pos[id];
	struct sl_ev last;

	if (i == 0)
		return;
	s->pos[id] = 0;
	last = s->heap[--s->n];
	s->heap[s->n] = never;
	if (i - 1 < s->n)
		slot_sift(s, i - 1, last);
}
