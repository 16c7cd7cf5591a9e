/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: parent (i-1)/4 is before each of its children 4i+1 .. 4i+4;
 * in sl_slots also pos[heap[i].id] == i+1. Keys are inline: no pointer is
 * followed to compare. */
#include "sim/core/evheap.h"

#include <stdlib.h>

enum { ARITY = 4 };

static bool ev_before(const struct sl_ev *a, const struct sl_ev *b)
{
	return a->at != b->at ? a->at < b->at : a->id < b->id;
}

bool sl_evheap_push(struct sl_evheap *h, struct sl_ev ev)
{
	uint32_t i = h->n;

	if (h->n == h->cap) {
		uint32_t cap = h->cap ? 2 * h->cap : 64;
		struct sl_ev *grown = realloc(h->ev, cap * sizeof *grown);

		if (!grown)
			return false;
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
	for (;;) {
		uint32_t first = ARITY * i + 1, best = first;

		if (first >= h->n)
			break;
		for (uint32_t c = first + 1; c < first + ARITY && c < h->n; c++)
			if (ev_before(&h->ev[c], &h->ev[best]))
				best = c;
		if (!ev_before(&h->ev[best], &last))
			break;
		h->ev[i] = h->ev[best];
		i = best;
	}
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
	s->heap = calloc(ids, sizeof *s->heap);
	s->pos = calloc(ids, sizeof *s->pos);
	return s->heap && s->pos;
}

void sl_slots_fini(struct sl_slots *s)
{
	free(s->heap);
	free(s->pos);
	*s = (struct sl_slots){ 0 };
}

static bool slot_before(const struct sl_slot *a, const struct sl_slot *b)
{
	return a->at != b->at ? a->at < b->at : a->id < b->id;
}

static void slot_put(struct sl_slots *s, uint32_t i, struct sl_slot v)
{
	s->heap[i] = v;
	s->pos[v.id] = i + 1;
}

static void slot_sift(struct sl_slots *s, uint32_t i, struct sl_slot v)
{
	while (i > 0 && slot_before(&v, &s->heap[(i - 1) / ARITY])) {
		slot_put(s, i, s->heap[(i - 1) / ARITY]);
		i = (i - 1) / ARITY;
	}
	for (;;) {
		uint32_t first = ARITY * i + 1, best = first;

		if (first >= s->n)
			break;
		for (uint32_t c = first + 1; c < first + ARITY && c < s->n; c++)
			if (slot_before(&s->heap[c], &s->heap[best]))
				best = c;
		if (!slot_before(&s->heap[best], &v))
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
	slot_sift(s, i ? i - 1 : s->n++, (struct sl_slot){ .at = at, .id = id });
}

void sl_slots_clear(struct sl_slots *s, uint32_t id)
{
	uint32_t i = s->pos[id];
	struct sl_slot last;

	if (i == 0)
		return;
	s->pos[id] = 0;
	last = s->heap[--s->n];
	if (i - 1 < s->n)
		slot_sift(s, i - 1, last);
}
