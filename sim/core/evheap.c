/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: parent (i-1)/4 is before each of its children 4i+1 .. 4i+4;
 *
 * in sl_slots best[i] is the id with the least (time, id) below node i, absent ones last.
 * Keys are inline: no pointer is followed to compare. */
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
	s->ids = ids;
	s->leaves = 2;
	while (s->leaves < ids)
		s->leaves *= 2;
	s->at = malloc(s->leaves * sizeof *s->at);
	s->best = malloc(s->leaves * sizeof *s->best);
	if (!s->at || !s->best)
		return false;
	for (uint32_t i = 0; i < s->leaves; i++)
		s->at[i] = SL_TIME_MAX;
	for (uint32_t i = s->leaves; i-- > 0;)
		s->best[i] = 2 * i >= s->leaves ? 2 * i - s->leaves : i > 0 ? s->best[2 * i] : 0;
	return true;
}

void sl_slots_fini(struct sl_slots *s)
{
	free(s->at);
	free(s->best);
	*s = (struct sl_slots){ 0 };
}

void sl_slots_set(struct sl_slots *s, uint32_t id, sl_time at)
{
	const sl_time *key = s->at;
	uint32_t i = (s->leaves + id) / 2, winner;

	if (key[id] == at)
		return;
	s->at[id] = at;
	/* Of two leaves the left one wins a tie: its id is less. */
	winner = key[id & ~1u] <= key[id | 1u] ? id & ~1u : id | 1u;
	for (;;) {
		uint32_t before = s->best[i], other;

		s->best[i] = winner;
		/* Neither was nor is it the first here: nothing changes above. */
		if (i == 1 || (before == winner && winner != id))
			return;
		other = s->best[i ^ 1];
		if (i & 1)
			winner = key[other] <= key[winner] ? other : winner;
		else
			winner = key[winner] <= key[other] ? winner : other;
		i /= 2;
	}
}
