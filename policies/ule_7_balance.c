/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE 7.x: two balancers, one between groups and one inside groups of several CPUs
 * (ule-history.md 2, D5, D6, C8, C25).
 * Invariant: one pair per run (inside groups: per group), and half the difference,
 * rounded up, moves. Everything runs on CPU 0. Draws are made in the kernel's order. */
#include "policies/ule_7.h"

static uint32_t n_groups(const struct sl_pol *p)
{
	const struct sl_cpu_group *top = p->tree->top;

	return top->nchildren > 0 ? top->nchildren : 1;
}

static const struct sl_cpu_group *group_at(const struct sl_pol *p, uint32_t i)
{
	const struct sl_cpu_group *top = p->tree->top;

	return top->nchildren > 0 ? &top->child[i] : top;
}

static bool any_of_several(const struct sl_pol *p)
{
	for (uint32_t i = 0; i < n_groups(p); i++)
		if (group_at(p, i)->count > 1)
			return true;
	return false;
}

/* --- Moving --- */

static void move(struct sl_pol *p, uint32_t from, uint32_t to, struct ule_sum donor,
		 int32_t receiver)
{
	struct ule *u = ule_of(p);
	int32_t difference = donor.load - receiver, n = difference / 2 + difference % 2;

	if (n > donor.transferable)
		n = donor.transferable;
	for (int32_t i = 0; i < n; i++) {
		uint8_t old_low;
		struct sl_thread *td = ule_7_move_one(p, from, to, &old_low);

		if (td == NULL)
			continue;
		u->balanced++;
		sl_why(p, SL_WHY_BALANCE, td, from, to, difference);
		if (u->balancer.tell != NULL)
			u->balancer.tell(p, to, td, old_low);
	}
	/* Even when nothing moved: whatever runs there is switched out (C8). */
	if (u->balancer.tell == NULL)
		sl_pol_ipi(p, to, SL_IPI_PREEMPT);
}

static void tell_70(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td, uint8_t old_low)
{
	ule_of(p)->notify.tell(p, cpu, td, old_low);
}

/* --- Between groups --- */

static void balance_groups(struct sl_pol *p)
{
	uint32_t n = n_groups(p), start = ule_of(p)->balancer.random(p) % n;
	const struct sl_cpu_group *high = NULL, *low = NULL;
	struct ule_sum donor = { 0, 0 };
	int32_t receiver = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct sl_cpu_group *g = group_at(p, (start + i) % n);
		struct ule_sum s = ule_of(p)->sum[g->id];

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

/* --- Inside a group --- */

static void balance_inside(struct sl_pol *p, const struct sl_cpu_group *g)
{
	uint32_t high = g->last, low = g->last;
	const struct ule_cpu *q;

	for (uint32_t c = g->last + 1; c-- > g->first;) {
		if (!sl_bit_test(g->mask, c))
			continue;
		if (ule_cpu_of(p, c)->load > ule_cpu_of(p, high)->load)
			high = c;
		if (ule_cpu_of(p, c)->load < ule_cpu_of(p, low)->load)
			low = c;
	}
	q = ule_cpu_of(p, high);
	if (high != low && q->transferable > 0)
		move(p, high, low, (struct ule_sum){ q->load, q->transferable },
		     ule_cpu_of(p, low)->load);
}

static void balance_members(struct sl_pol *p)
{
	for (uint32_t i = 0; i < n_groups(p); i++)
		if (group_at(p, i)->count > 1)
			balance_inside(p, group_at(p, i));
}

/* --- When: callouts of 2007 --- */

static int32_t draw_callout(struct sl_pol *p)
{
	const struct ule *u = ule_of(p);
	int32_t draw =
		(int32_t)(u->balancer.random(p) % ((uint32_t)u->hz * (uint32_t)u->balance_secs));

	return draw > u->hz / 2 ? draw : u->hz / 2;
}

static void boot_70(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	if (!p->smp)
		return;
	if (any_of_several(p))
		u->group_ticks = draw_callout(p);
	u->balance_ticks = draw_callout(p);
}

static void hard_70(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	if (u->balance_ticks > 0 && --u->balance_ticks == 0) {
		u->balance_ticks = draw_callout(p);
		if (u->balance)
			balance_groups(p);
	}
	if (u->group_ticks > 0 && --u->group_ticks == 0) {
		u->group_ticks = draw_callout(p);
		if (u->balance)
			balance_members(p);
	}
}

static void tick_none(struct sl_pol *p, uint32_t cnt)
{
	(void)p, (void)cnt;
}

/* --- When: stat ticks of CPU 0, idle or not --- */

static void boot_71(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	if (!p->smp)
		return;
	/* Before the clocks' rates are known the kernel assumes 128 stat ticks a second. */
	if (any_of_several(p))
		u->group_ticks = ule_draw_countdown(p, 128);
	u->balance_ticks = ule_draw_countdown(p, 128);
}

static void tick_71(struct sl_pol *p, uint32_t cnt)
{
	struct ule *u = ule_of(p);

	(void)cnt;
	if (u->balance_ticks > 0 && --u->balance_ticks == 0) {
		u->balance_ticks = ule_draw_countdown(p, u->balance_interval);
		if (u->balance)
			balance_groups(p);
	}
	if (u->group_ticks > 0 && --u->group_ticks == 0) {
		u->group_ticks = ule_draw_countdown(p, u->balance_interval);
		if (u->balance)
			balance_members(p);
	}
}

const struct ule_balancer ule_balancer_70 = {
	.name = "between and inside groups, by callouts, notifies",
	.alive = true,
	.boot = boot_70,
	.tick = tick_none,
	.hard = hard_70,
	.random = ule_kernel_random,
	.tell = tell_70,
};
const struct ule_balancer ule_balancer_71 = {
	.name = "between and inside groups, by stat ticks, IPI always",
	.alive = true,
	.boot = boot_71,
	.tick = tick_71,
	.random = ule_kernel_random,
};
