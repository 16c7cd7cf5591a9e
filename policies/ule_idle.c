/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What an idle CPU does: the idle thread's loop as a resumable state machine, the
 * search for a thread to steal, and the attempt before going idle (ule.md 19, 22.1,
 * 22.2).
 * Invariant: an attempt is made only where the kernel makes one, on entering idle
 * and when the sum of the two switch counters has changed at a wake-up; idle CPUs do
 * not poll. Nothing is on a queue of a CPU that halts. */
#include "policies/ule.h"

#include <string.h>

/* Where the idle loop continues. The kernel keeps this in the program counter of the
 * idle thread. */
enum ule_idle_at {
	AT_START,
	AT_TOP,
	AT_COUNT, /* behind the switch at the top */
	AT_AWAKE, /* behind the halt */
};

static void others(struct sl_pol *p, uint32_t cpu)
{
	struct ule *u = ule_of(p);

	memcpy(u->high, u->all, p->mask_words * sizeof(u->high[0]));
	sl_bit_clear(u->high, cpu);
}

/* Most loaded other CPU of g with a thread to give; -1: none. */
static int32_t find_victim(struct sl_pol *p, const struct sl_cpu_group *g, int32_t load)
{
	const struct ule *u = ule_of(p);
	struct ule_query query = { .mask = u->high, .load = load, .mintrans = 1 };

	return u->search.highest(p, g, &query, NULL);
}

static bool take(struct sl_pol *p, uint32_t victim, uint32_t cpu, struct sl_thread **td)
{
	*td = ule_move_one(p, victim, cpu, NULL);
	ule_of(p)->steals += *td != NULL;
	return *td != NULL;
}

/* The loads that led here are gone afterwards. */
SL_COLD static bool take_explained(struct sl_pol *p, uint32_t victim, uint32_t cpu)
{
	struct ule_cpu before = *ule_cpu_of(p, victim);
	struct sl_thread *td;
	bool took = take(p, victim, cpu, &td);

	sl_why(p, took ? SL_WHY_STEAL : SL_WHY_STEAL_NONE, td, victim, before.load,
	       before.transferable);
	return took;
}

static bool steal_from(struct sl_pol *p, uint32_t victim, uint32_t cpu)
{
	struct sl_thread *td;

	return sl_explains(p) ? take_explained(p, victim, cpu) : take(p, victim, cpu, &td);
}

/* Nobody has a thread to give: searches up to the root would find nothing. */
static inline bool search_in_vain(struct sl_pol *p, uint32_t cpu)
{
	const struct ule *u = ule_of(p);

	if (u->sum[p->tree->top->id].transferable > 0)
		return false;
	if (u->search.in_vain != NULL)
		u->search.in_vain(p, cpu);
	return true;
}

/* Siblings give up a waiting thread at any load, other CPUs from steal_thresh on. */
enum ule_idled ule_idled_10(struct sl_pol *p, uint32_t cpu)
{
	struct ule *u = ule_of(p);
	const struct sl_cpu_group *g = p->tree->leaf[cpu];

	if (!p->smp || !u->steal_idle)
		return ULE_IDLED_NOTHING;
	if (search_in_vain(p, cpu))
		return ULE_IDLED_NOTHING;
	others(p, cpu);
	while (g != NULL) {
		int32_t thresh = (g->flags & SL_CG_THREAD) ? 1 : u->steal_thresh;
		int32_t victim = find_victim(p, g, thresh);

		if (victim < 0) {
			g = g->parent;
			continue;
		}
		sl_bit_clear(u->high, (uint32_t)victim);
		if (steal_from(p, (uint32_t)victim, cpu))
			return ULE_IDLED_STOLE;
	}
	return ULE_IDLED_NOTHING;
}

/* The next group to search. */
struct climb {
	const struct sl_cpu_group *g; /* NULL: the tree is done */
	bool at_sibling;	      /* g stands for its parent */
};

static void climb_12(struct climb *c)
{
	c->g = c->g->parent;
}

/* Of two children one has just been searched: its sibling stands for the parent. */
static void climb_13(struct climb *c)
{
	const struct sl_cpu_group *g = c->at_sibling ? c->g->parent : c->g;
	const struct sl_cpu_group *parent = g->parent;

	c->at_sibling = parent != NULL && parent->nchildren == 2;
	if (c->at_sibling)
		c->g = &parent->child[g == &parent->child[0] ? 1 : 0];
	else
		c->g = parent;
}

static inline enum ule_idled idled_tree(struct sl_pol *p, uint32_t cpu,
					void (*climb)(struct climb *c))
{
	struct ule *u = ule_of(p);
	struct climb c = { p->tree->leaf[cpu], false };

	if (!p->smp || !u->steal_idle)
		return ULE_IDLED_NOTHING;
	if (ule_cpu_of(p, cpu)->load == 0 && search_in_vain(p, cpu))
		return ULE_IDLED_NOTHING;
	others(p, cpu);
	while (c.g != NULL) {
		int32_t victim = find_victim(p, c.g, u->steal_thresh);

		if (ule_cpu_of(p, cpu)->load != 0)
			return ULE_IDLED_QUEUED;
		if (victim < 0) {
			climb(&c);
			continue;
		}
		if (steal_from(p, (uint32_t)victim, cpu))
			return ULE_IDLED_STOLE;
		sl_bit_clear(u->high, (uint32_t)victim);
	}
	return ULE_IDLED_NOTHING;
}

static enum ule_idled idled_12(struct sl_pol *p, uint32_t cpu)
{
	return idled_tree(p, cpu, climb_12);
}

static enum ule_idled idled_13(struct sl_pol *p, uint32_t cpu)
{
	return idled_tree(p, cpu, climb_13);
}

/* One victim, one attempt, within trysteal_limit levels. */
static inline void trysteal_tree(struct sl_pol *p, uint32_t cpu, void (*climb)(struct climb *c))
{
	struct ule *u = ule_of(p);
	struct climb c = { p->tree->leaf[cpu], false };
	int32_t level = 1;

	others(p, cpu);
	while (c.g != NULL && level <= u->trysteal_limit) {
		int32_t victim = find_victim(p, c.g, u->steal_thresh);

		if (ule_cpu_of(p, cpu)->load > 0)
			return;
		if (victim >= 0) {
			(void)steal_from(p, (uint32_t)victim, cpu);
			return;
		}
		level++;
		climb(&c);
	}
}

static void trysteal_12(struct sl_pol *p, uint32_t cpu)
{
	if (p->smp)
		trysteal_tree(p, cpu, climb_12);
}

static void trysteal_13(struct sl_pol *p, uint32_t cpu)
{
	if (p->smp && ule_of(p)->steal_idle)
		trysteal_tree(p, cpu, climb_13);
}

static inline int32_t switches(const struct ule_cpu *q)
{
	return q->switchcnt + q->oldswitchcnt;
}

/* Behind the halt: a wake-up without activity counts as a switch and is not a reason
 * for a new attempt. */
static void awake(struct ule_cpu *q)
{
	q->cpu_idle = false;
	if (switches(q) == q->idle_old) {
		q->switchcnt++;
		q->idle_old++;
	}
}

/* One attempt where it is due. True: the loop starts over; *act is set when it has to
 * switch before that. */
static bool look_for_work(struct sl_pol *p, uint32_t cpu, bool *must_switch)
{
	const struct ule *u = ule_of(p);
	struct ule_cpu *q = ule_cpu_of(p, cpu);
	int32_t sum = switches(q);
	enum ule_idled found;

	*must_switch = false;
	if (sum == q->idle_old && !(u->idle.always_steal && u->always_steal))
		return false;
	q->idle_old = sum;
	found = u->idle.idled(p, cpu);
	*must_switch = found == ULE_IDLED_STOLE;
	return found != ULE_IDLED_NOTHING;
}

/* Spinning before the halt (idlespins) takes no simulated time and finds nothing, since
 * nothing else happens meanwhile; it is left out. */
static enum sl_idle_act idle_loop(struct sl_pol *p, uint32_t cpu)
{
	struct ule *u = ule_of(p);
	struct ule_cpu *q = ule_cpu_of(p, cpu);
	bool must_switch;

	if (q->idle_at == AT_START)
		q->idle_old = -1;
	else if (q->idle_at == AT_AWAKE)
		awake(q);
	if (q->idle_at != AT_COUNT && q->load != 0) {
		q->idle_at = AT_COUNT;
		return SL_IDLE_SWITCH;
	}
	while (look_for_work(p, cpu, &must_switch)) {
		if (must_switch) {
			q->idle_at = AT_TOP;
			return SL_IDLE_SWITCH;
		}
		if (q->load != 0) {
			q->idle_at = AT_COUNT;
			return SL_IDLE_SWITCH;
		}
	}
	q->idle_at = AT_AWAKE;
	q->cpu_idle = true;
	return switches(q) * 4 > u->idlespinthresh ? SL_IDLE_HALT_BUSY : SL_IDLE_HALT;
}

const struct ule_idle ule_idle_10 = { "steals when idle; siblings at any load", ule_idled_10, NULL,
				      false, idle_loop };
const struct ule_idle ule_idle_12 = { "steals when idle and just before", idled_12, trysteal_12,
				      true, idle_loop };
const struct ule_idle ule_idle_13 = { "steals when idle and just before, sibling for parent",
				      idled_13, trysteal_13, true, idle_loop };
