/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE 8.0: the first search through a tree of groups, without jitter, and what rests on
 * it (ule-history.md 4, C2, C9 - C11).
 * Invariant: within a leaf the first CPU wins ties, among groups the first group. */
#include "policies/ule_7.h"

#include <limits.h>
#include <string.h>

/* --- Search --- */

struct best {
	int32_t cpu; /* -1: none yet */
	int32_t load;
};

/* A group without an eligible CPU still sets the load that later ones have to beat. */
static void walk_lowest(struct sl_pol *p, const struct sl_cpu_group *g,
			const struct ule_query *query, struct best *best)
{
	int32_t least = INT_MAX;

	for (uint32_t i = 0; i < g->nchildren; i++) {
		int32_t load = ule_of(p)->sum[g->child[i].id].load;
		struct best b = { best->cpu, INT_MAX };

		if (load >= least && best->cpu >= 0)
			continue;
		walk_lowest(p, &g->child[i], query, &b);
		*best = b;
		least = load;
	}
	for (uint32_t c = g->first; g->nchildren == 0 && c <= g->last; c++) {
		const struct ule_cpu *q = ule_cpu_of(p, c);

		if (q->load < best->load && q->lowpri > query->minpri && sl_bit_test(g->mask, c) &&
		    sl_bit_test(query->mask, c))
			*best = (struct best){ (int32_t)c, q->load };
	}
}

static void walk_highest(struct sl_pol *p, const struct sl_cpu_group *g,
			 const struct ule_query *query, struct best *best)
{
	int32_t most = -1;

	for (uint32_t i = 0; i < g->nchildren; i++) {
		int32_t load = ule_of(p)->sum[g->child[i].id].load;
		struct best b = { best->cpu, -1 };

		if (load <= most && best->cpu >= 0)
			continue;
		walk_highest(p, &g->child[i], query, &b);
		*best = b;
		most = load;
	}
	for (uint32_t c = g->first; g->nchildren == 0 && c <= g->last; c++) {
		const struct ule_cpu *q = ule_cpu_of(p, c);

		if (q->load > best->load && q->load >= query->load &&
		    q->transferable >= query->mintrans && sl_bit_test(g->mask, c) &&
		    sl_bit_test(query->mask, c))
			*best = (struct best){ (int32_t)c, q->load };
	}
}

static int32_t lowest_8(struct sl_pol *p, const struct sl_cpu_group *g,
			const struct ule_query *query, int32_t *total)
{
	struct best best = { -1, INT_MAX };

	walk_lowest(p, g, query, &best);
	if (total != NULL)
		*total = ule_of(p)->sum[g->id].load;
	return best.cpu;
}

static int32_t highest_8(struct sl_pol *p, const struct sl_cpu_group *g,
			 const struct ule_query *query, int32_t *total)
{
	struct best best = { -1, -1 };

	walk_highest(p, g, query, &best);
	if (total != NULL)
		*total = ule_of(p)->sum[g->id].load;
	return best.cpu;
}

static uint32_t no_seed(uint32_t cpu)
{
	(void)cpu;
	return 0;
}

const struct ule_search ule_search_8 = { "CPUs ascending, no jitter", lowest_8, highest_8, no_seed,
					 NULL };

/* --- Placement --- */

static uint32_t chosen(struct sl_pol *p, const struct sl_thread *td, enum sl_why why, int32_t rule,
		       int32_t cpu)
{
	sl_why(p, why, td, rule, cpu, ule_cpu_of(p, (uint32_t)cpu)->load);
	return (uint32_t)cpu;
}

static bool warm(const struct sl_pol *p, const struct sl_thread *td, int32_t level)
{
	const struct ule *u = ule_of(p);

	return u->affine.warm(u, ule_thread_of(td), p->ticks, level);
}

/* Idle, however long ago td ran there; or warm and at something worse. */
static bool home_will_do(const struct sl_pol *p, const struct sl_thread *td)
{
	uint8_t low = ule_cpu_of(p, (uint32_t)td->cpu)->lowpri;

	if (!ule_may_run_on(td, (uint32_t)td->cpu))
		return false;
	return low > ule_of(p)->layout.idle_first || (warm(p, td, SL_CG_L2) && low > td->pri);
}

static int32_t least_loaded(struct sl_pol *p, const struct sl_thread *td)
{
	struct ule_query query = { .mask = td->mask, .minpri = td->pri };
	const struct ule_search *search = &ule_of(p)->search;
	const struct sl_cpu_group *g = p->tree->leaf[td->cpu];
	int32_t cpu = -1;

	while (g != NULL && !warm(p, td, g->level))
		g = g->parent;
	if (g != NULL)
		cpu = search->lowest(p, g, &query, NULL);
	if (cpu < 0) {
		query.minpri = -1;
		cpu = search->lowest(p, p->tree->top, &query, NULL);
	}
	SL_ASSERT(cpu >= 0);
	return cpu;
}

static uint32_t pick_8(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	const struct ule_layout *l = &ule_of(p)->layout;
	uint32_t self = sl_pol_self(p);
	int32_t cpu;

	if (!p->smp)
		return chosen(p, td, SL_WHY_PLACE_SELF, 0, (int32_t)self);
	if ((srq & SL_SRQ_OURSELF) || td->pinned != 0)
		return chosen(p, td, SL_WHY_PLACE_PINNED, 1, td->cpu);
	if (td->pri <= l->ithd_last && ule_may_run_on(td, self) && p->cpu[self].intr_nesting > 0)
		td->cpu = (int32_t)self;
	if (home_will_do(p, td))
		return chosen(p, td, SL_WHY_PLACE_AFFINE, 3, td->cpu);
	cpu = least_loaded(p, td);
	if (ule_may_run_on(td, self) && ule_cpu_of(p, self)->lowpri > td->pri &&
	    ule_cpu_of(p, (uint32_t)cpu)->lowpri < l->idle_first)
		return chosen(p, td, SL_WHY_PLACE_SELF, 8, (int32_t)self);
	return chosen(p, td, SL_WHY_PLACE_LOWPRI, 6, cpu);
}

const struct ule_place ule_place_8 = {
	.name = "home, nearest warm group, least load, this CPU",
	.pick = pick_8,
};

/* --- Balancer --- */

/* Half the difference, rounded up. */
static int32_t balance_pair(struct sl_pol *p, uint32_t from, uint32_t to)
{
	struct ule *u = ule_of(p);
	int32_t difference = ule_cpu_of(p, from)->load - ule_cpu_of(p, to)->load;
	int32_t n = difference / 2 + difference % 2, moved = 0;

	if (ule_cpu_of(p, from)->transferable == 0 || difference <= 0)
		return 0;
	if (n > ule_cpu_of(p, from)->transferable)
		n = ule_cpu_of(p, from)->transferable;
	for (int32_t i = 0; i < n; i++) {
		struct sl_thread *td = ule_move_one(p, from, to, NULL);

		if (td == NULL)
			continue;
		moved++;
		u->balanced++;
		sl_why(p, SL_WHY_BALANCE, td, from, to, difference);
	}
	sl_pol_ipi(p, to, SL_IPI_PREEMPT);
	return moved;
}

static void balance_leaf(struct sl_pol *p, const struct sl_cpu_group *g)
{
	struct ule *u = ule_of(p);
	struct ule_query low = { .mask = u->high, .minpri = -1 };
	struct ule_query high = { .mask = u->high, .mintrans = 1 };

	memcpy(u->high, u->all, p->mask_words * sizeof(u->high[0]));
	for (;;) {
		int32_t to = lowest_8(p, g, &low, NULL), from = highest_8(p, g, &high, NULL);

		if (to < 0 || from < 0 || to == from ||
		    balance_pair(p, (uint32_t)from, (uint32_t)to) > 0)
			return;
		sl_bit_clear(
			u->high,
			(uint32_t)(ule_cpu_of(p, (uint32_t)from)->transferable == 0 ? from : to));
	}
}

/* A slip in the kernel's combined search leaves groups of groups without a receiver:
 * only leaves are balanced (C2). */
static void pass_8(struct sl_pol *p)
{
	for (uint32_t i = 0; i < p->tree->ngroups; i++)
		if (p->tree->group[i].nchildren == 0)
			balance_leaf(p, &p->tree->group[i]);
}

static void boot_8(struct sl_pol *p)
{
	/* Before the clocks' rates are known the kernel assumes 128 stat ticks a second. */
	if (p->smp)
		ule_of(p)->balance_ticks = ule_draw_countdown(p, 128);
}

static void tick_8(struct sl_pol *p, uint32_t cnt)
{
	struct ule *u = ule_of(p);

	(void)cnt;
	if (u->balance_ticks == 0 || --u->balance_ticks != 0)
		return;
	u->balance_ticks = ule_draw_countdown(p, u->balance_interval);
	if (u->balance)
		pass_8(p);
}

const struct ule_balancer ule_balancer_8 = {
	.name = "inside leaf groups, half the difference, IPI always",
	.alive = true,
	.boot = boot_8,
	.tick = tick_8,
	.random = ule_kernel_random,
	.pass = pass_8,
};

/* --- Idle CPUs: the steal of 10, tried whenever an interrupt has ended the halt (C6) --- */

static enum sl_idle_act poll_loop_8(struct sl_pol *p, uint32_t cpu)
{
	struct ule_cpu *q = ule_cpu_of(p, cpu);

	/* A remote placement sends its IPI: the halt does not see memory writes. */
	q->cpu_idle = true;
	if (q->load != 0 || ule_of(p)->idle.idled(p, cpu) == ULE_IDLED_STOLE)
		return SL_IDLE_SWITCH;
	return SL_IDLE_HALT;
}

const struct ule_idle ule_idle_8 = { "polls; siblings at any load", ule_idled_10, NULL, false,
				     poll_loop_8 };
