/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE 7.x: an idle CPU steals (ule-history.md 2, 3.1, C3, C6, C7).
 * Invariant: one attempt each time an interrupt ends the halt, never two in an
 * instant. The kernel of 7.3 repeats a fruitless attempt at once and for ever, with the
 * same victim; here it waits for the next interrupt, which changes nothing else. */
#include "policies/ule_7.h"

#include <string.h>

/* --- The flat search for a victim: later CPUs win ties --- */

static uint32_t no_seed(uint32_t cpu)
{
	(void)cpu;
	return 0;
}

static int32_t most_transferable(struct sl_pol *p, const struct sl_cpu_group *g,
				 const struct ule_query *query, int32_t *total)
{
	int32_t best = query->load, cpu = -1;

	for (uint32_t c = g->first; c <= g->last; c++) {
		const struct ule_cpu *q = ule_cpu_of(p, c);

		if (q->transferable < best || !sl_bit_test(query->mask, c))
			continue;
		best = q->transferable;
		cpu = (int32_t)c;
	}
	if (total != NULL)
		*total = ule_of(p)->sum[g->id].transferable;
	return cpu;
}

static int32_t most_loaded(struct sl_pol *p, const struct sl_cpu_group *g,
			   const struct ule_query *query, int32_t *total)
{
	int32_t best = query->load, cpu = -1;

	for (uint32_t c = g->first; c <= g->last; c++) {
		const struct ule_cpu *q = ule_cpu_of(p, c);

		if (q->load < best || q->transferable < query->mintrans ||
		    !sl_bit_test(query->mask, c))
			continue;
		best = q->load;
		cpu = (int32_t)c;
	}
	if (total != NULL)
		*total = ule_of(p)->sum[g->id].load;
	return cpu;
}

const struct ule_search ule_search_70 = { "victims by transferable threads, flat", NULL,
					  most_transferable, no_seed, NULL };
const struct ule_search ule_search_71 = { "victims by load, flat", NULL, most_loaded, no_seed,
					  NULL };

/* --- The attempt --- */

/* Sibling with a thread to give, whatever its load, highest number first; -1: none. */
static int32_t giving_sibling(const struct sl_pol *p, uint32_t cpu)
{
	const struct sl_cpu_group *g = p->tree->leaf[cpu];

	for (uint32_t c = g->last + 1; c-- > g->first;)
		if (c != cpu && sl_bit_test(g->mask, c) && ule_cpu_of(p, c)->transferable > 0)
			return (int32_t)c;
	return -1;
}

struct sl_thread *ule_7_move_one(struct sl_pol *p, uint32_t from, uint32_t to, uint8_t *old_low)
{
	struct sl_thread *td = ule_move_one(p, from, to, old_low);
	int32_t sibling = td == NULL ? giving_sibling(p, from) : -1;

	return sibling < 0 ? td : ule_move_one(p, (uint32_t)sibling, to, old_low);
}

typedef struct sl_thread *(*move_fn)(struct sl_pol *p, uint32_t from, uint32_t to,
				     uint8_t *old_low);

static enum ule_idled steal_from(struct sl_pol *p, uint32_t victim, uint32_t cpu, move_fn move)
{
	struct ule *u = ule_of(p);
	const struct ule_cpu *q = ule_cpu_of(p, victim);
	int32_t load = q->load, transferable = q->transferable;
	struct sl_thread *td = move(p, victim, cpu, NULL);

	if (td == NULL) {
		sl_why(p, SL_WHY_STEAL_NONE, NULL, victim, load, transferable);
		return ULE_IDLED_NOTHING;
	}
	u->steals++;
	sl_why(p, SL_WHY_STEAL, td, victim, load, transferable);
	return ULE_IDLED_STOLE;
}

static enum ule_idled from_others(struct sl_pol *p, uint32_t cpu, move_fn move)
{
	struct ule *u = ule_of(p);
	struct ule_query query = { .mask = u->high, .load = u->steal_thresh, .mintrans = 1 };
	int32_t victim;

	memcpy(u->high, u->all, p->mask_words * sizeof(u->high[0]));
	sl_bit_clear(u->high, cpu);
	victim = u->search.highest(p, p->tree->top, &query, NULL);
	return victim < 0 ? ULE_IDLED_NOTHING : steal_from(p, (uint32_t)victim, cpu, move);
}

/* Siblings are asked even when stealing is switched off (D4). */
static enum ule_idled idled_70(struct sl_pol *p, uint32_t cpu)
{
	const struct ule *u = ule_of(p);
	int32_t sibling = u->steal_htt ? giving_sibling(p, cpu) : -1;

	if (sibling >= 0)
		return steal_from(p, (uint32_t)sibling, cpu, ule_move_one);
	if (!p->smp || !u->steal_idle)
		return ULE_IDLED_NOTHING;
	return from_others(p, cpu, ule_move_one);
}

/* A victim with nothing to give is asked for its siblings' threads. */
static enum ule_idled idled_71(struct sl_pol *p, uint32_t cpu)
{
	const struct ule *u = ule_of(p);
	int32_t sibling;

	if (!p->smp || !u->steal_idle)
		return ULE_IDLED_NOTHING;
	sibling = u->steal_htt ? giving_sibling(p, cpu) : -1;
	if (sibling >= 0)
		return steal_from(p, (uint32_t)sibling, cpu, ule_7_move_one);
	return from_others(p, cpu, ule_7_move_one);
}

/* The own load is not looked at: whoever queues a thread here sends an IPI. */
static enum sl_idle_act poll_loop_7(struct sl_pol *p, uint32_t cpu)
{
	return ule_of(p)->idle.idled(p, cpu) == ULE_IDLED_STOLE ? SL_IDLE_SWITCH : SL_IDLE_HALT;
}

const struct ule_idle ule_idle_70 = { "polls; siblings with steal_htt, even if steal_idle is 0",
				      idled_70, NULL, false, poll_loop_7 };
const struct ule_idle ule_idle_71 = { "polls; siblings with steal_htt", idled_71, NULL, false,
				      poll_loop_7 };
