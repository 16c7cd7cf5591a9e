/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE of 2005: two balancers, one between groups and one inside groups of several CPUs
 * (ule-history.md 1.8, C16).
 * Invariant: one pair per run (inside groups: per group); half the difference, rounded
 * up, is handed over. Draws are made in the kernel's order. */
#include "policies/ule_2005.h"

struct sum {
	int32_t load, transferable;
};

static uint32_t n_groups(const struct sl_pol *p)
{
	return p->tree->top->nchildren > 0 ? p->tree->top->nchildren : 1;
}

static const struct sl_cpu_group *group_at(const struct sl_pol *p, uint32_t i)
{
	return p->tree->top->nchildren > 0 ? &p->tree->top->child[i] : p->tree->top;
}

void u05_balance_init(struct sl_pol *p)
{
	struct u05 *u = u05_of(p);

	u->random = 1;
	u->balance_at = (int32_t)p->hz;
	u->members_at = (int32_t)p->hz / 2;
	for (uint32_t i = 0; i < n_groups(p); i++)
		u->several = u->several || group_at(p, i)->count > 1;
}

/* The kernel's random(): minimal standard generator. */
static uint32_t draw(struct u05 *u)
{
	u->random = (uint32_t)((uint64_t)u->random * 16807u % 0x7fffffffu);
	return u->random;
}

static struct sum sum_of(const struct sl_pol *p, const struct sl_cpu_group *g)
{
	struct sum s = { 0, 0 };

	for (uint32_t c = g->first; c <= g->last; c++) {
		if (!sl_bit_test(g->mask, c))
			continue;
		s.load += u05_cpu_of(p, c)->load;
		s.transferable += u05_cpu_of(p, c)->transferable;
	}
	return s;
}

/* From `from`, or if it has nothing to give, from its first sibling that has. */
static struct sl_thread *steal_near(const struct sl_pol *p, uint32_t from, uint32_t to)
{
	const struct sl_cpu_group *g = p->tree->leaf[from];
	struct sl_thread *td = u05_steal(p, from, to, true);

	for (uint32_t c = g->last + 1; td == NULL && c-- > g->first;)
		if (c != from && sl_bit_test(g->mask, c) && u05_cpu_of(p, c)->transferable > 0)
			return u05_steal(p, c, to, true);
	return td;
}

static void move(struct sl_pol *p, uint32_t from, uint32_t to, struct sum donor, int32_t receiver)
{
	int32_t difference = donor.load - receiver, n = difference / 2 + difference % 2;

	if (n > donor.transferable)
		n = donor.transferable;
	for (int32_t i = 0; i < n; i++) {
		struct sl_thread *td = steal_near(p, from, to);

		if (td == NULL || (uint32_t)td->cpu == to)
			return;
		u05_of(p)->balanced++;
		sl_why(p, SL_WHY_BALANCE, td, from, to, difference);
		u05_dequeue(p, td);
		u05_hand_over(p, td, to);
	}
}

static void balance_groups(struct sl_pol *p)
{
	uint32_t n = n_groups(p), start = draw(u05_of(p)) % n;
	const struct sl_cpu_group *high = NULL, *low = NULL;
	struct sum donor = { 0, 0 };
	int32_t receiver = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct sl_cpu_group *g = group_at(p, (start + i) % n);
		struct sum s = sum_of(p, g);

		if (s.transferable > 0 && (high == NULL || s.load > donor.load)) {
			high = g;
			donor = s;
		}
		if (low == NULL || s.load < receiver) {
			low = g;
			receiver = s.load;
		}
	}
	if (high != NULL && high != low)
		move(p, high->last, low->last, donor, receiver);
}

static void balance_inside(struct sl_pol *p, const struct sl_cpu_group *g)
{
	uint32_t high = g->last, low = g->last;
	const struct u05_cpu *q;

	for (uint32_t c = g->last + 1; c-- > g->first;) {
		if (!sl_bit_test(g->mask, c))
			continue;
		if (u05_cpu_of(p, c)->load > u05_cpu_of(p, high)->load)
			high = c;
		if (u05_cpu_of(p, c)->load < u05_cpu_of(p, low)->load)
			low = c;
	}
	q = u05_cpu_of(p, high);
	if (high != low)
		move(p, high, low, (struct sum){ q->load, q->transferable },
		     u05_cpu_of(p, low)->load);
}

static void balance_members(struct sl_pol *p)
{
	for (uint32_t i = 0; i < n_groups(p); i++)
		if (group_at(p, i)->count > 1)
			balance_inside(p, group_at(p, i));
}

/* Uniform in 0 .. 2 s; nothing keeps a run from following at the next stat tick. */
static int32_t next_run(struct sl_pol *p)
{
	return p->ticks + (int32_t)(draw(u05_of(p)) % (2 * p->hz));
}

void u05_balance(struct sl_pol *p)
{
	struct u05 *u = u05_of(p);

	if (!p->smp)
		return;
	if (p->ticks >= u->balance_at) {
		u->balance_at = next_run(p);
		balance_groups(p);
	}
	if (u->several && p->ticks >= u->members_at) {
		u->members_at = next_run(p);
		balance_members(p);
	}
}
