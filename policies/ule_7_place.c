/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE 7.x: idle marks and the choice of a CPU (ule-history.md 2, C12).
 * Invariant: a CPU's idle mark is set when it chooses its idle thread and cleared when
 * a thread of another class than idle arrives; a group's mark, at its first CPU, is set
 * exactly while all its CPUs are marked. */
#include "policies/ule_7.h"

#include <limits.h>

/* --- Idle marks --- */

static bool all_marked(const struct ule *u, const struct sl_cpu_group *g)
{
	for (uint32_t c = g->first; c <= g->last; c++)
		if (sl_bit_test(g->mask, c) && !sl_bit_test(u->idle_cpus, c))
			return false;
	return true;
}

static void went_idle_7(struct sl_pol *p, uint32_t cpu)
{
	struct ule *u = ule_of(p);
	const struct sl_cpu_group *g = p->tree->leaf[cpu];

	sl_bit_set(u->idle_cpus, cpu);
	if (all_marked(u, g))
		sl_bit_set(u->idle_groups, g->first);
}

static void arrived_7(struct sl_pol *p, const struct sl_thread *td)
{
	struct ule *u = ule_of(p);

	if (SL_CLASS_BASE(td->pri_class) == SL_CLASS_IDLE)
		return;
	sl_bit_clear(u->idle_cpus, (uint32_t)td->cpu);
	sl_bit_clear(u->idle_groups, p->tree->leaf[td->cpu]->first);
}

/* --- Affinity: the last CPU only, whatever its caches --- */

static bool warm_7(const struct ule *u, const struct ule_thread *ts, int32_t now, int32_t level)
{
	(void)level;
	return now - ts->rltick < u->affinity;
}

const struct ule_affine ule_affine_7 = { "age below the limit, own CPU only", warm_7 };

/* --- Placement --- */

static uint32_t chosen(struct sl_pol *p, const struct sl_thread *td, enum sl_why why, int32_t rule,
		       uint32_t cpu)
{
	sl_why(p, why, td, rule, cpu, ule_cpu_of(p, cpu)->load);
	return cpu;
}

static bool home_will_do(const struct sl_pol *p, const struct sl_thread *td)
{
	const struct ule *u = ule_of(p);
	uint8_t low = ule_cpu_of(p, (uint32_t)td->cpu)->lowpri;

	if (!ule_may_run_on(td, (uint32_t)td->cpu))
		return false;
	return low > u->layout.idle_first ||
	       (u->affine.warm(u, ule_thread_of(td), p->ticks, SL_CG_NONE) && low > td->pri);
}

/* First CPU of the first fully idle group; one bit per group. */
static int32_t idle_group_cpu(const struct sl_pol *p, const struct sl_thread *td)
{
	const struct ule *u = ule_of(p);

	for (uint32_t c = sl_bits_next(u->idle_groups, p->mask_words, 0); c < p->ncpus;
	     c = sl_bits_next(u->idle_groups, p->mask_words, c + 1))
		if (ule_may_run_on(td, c))
			return (int32_t)c;
	return -1;
}

/* Is a better than b? Later CPUs win ties. */
static bool worse_work(const struct ule_cpu *a, const struct ule_cpu *b)
{
	return a->lowpri > b->lowpri || (a->lowpri == b->lowpri && a->load <= b->load);
}

static bool less_work(const struct ule_cpu *a, const struct ule_cpu *b)
{
	return a->load < b->load || (a->load == b->load && a->lowpri >= b->lowpri);
}

static uint32_t best_of_all(const struct sl_pol *p, const struct sl_thread *td)
{
	bool (*better)(const struct ule_cpu *a, const struct ule_cpu *b) =
		ule_of(p)->pick_pri ? worse_work : less_work;
	const struct ule_cpu *best = NULL;
	uint32_t cpu = 0;

	for (uint32_t c = 0; c < p->ncpus; c++) {
		const struct ule_cpu *q = ule_cpu_of(p, c);

		if (!ule_may_run_on(td, c) || (best != NULL && !better(q, best)))
			continue;
		best = q;
		cpu = c;
	}
	SL_ASSERT(best != NULL);
	return cpu;
}

static uint32_t pick_rest(struct sl_pol *p, struct sl_thread *td)
{
	uint32_t self = sl_pol_self(p);
	int32_t idle;

	if (home_will_do(p, td))
		return chosen(p, td, SL_WHY_PLACE_AFFINE, 3, (uint32_t)td->cpu);
	idle = idle_group_cpu(p, td);
	if (idle >= 0)
		return chosen(p, td, SL_WHY_PLACE_WARM, 4, (uint32_t)idle);
	if (ule_of(p)->tryself && ule_may_run_on(td, self) && td->pri < p->cpu[self].cur->pri)
		return chosen(p, td, SL_WHY_PLACE_SELF, 5, self);
	return chosen(p, td, SL_WHY_PLACE_LOWPRI, 6, best_of_all(p, td));
}

static bool stays(const struct sl_thread *td, unsigned srq)
{
	return (srq & SL_SRQ_OURSELF) || td->pinned != 0;
}

static bool wakes_interrupt_thread(const struct sl_pol *p, const struct sl_thread *td)
{
	return td->pri <= ule_of(p)->layout.ithd_last && ule_may_run_on(td, sl_pol_self(p));
}

static uint32_t pick_70(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	if (!p->smp)
		return chosen(p, td, SL_WHY_PLACE_SELF, 0, sl_pol_self(p));
	if (stays(td, srq))
		return chosen(p, td, SL_WHY_PLACE_PINNED, 1, (uint32_t)td->cpu);
	if (wakes_interrupt_thread(p, td))
		return chosen(p, td, SL_WHY_PLACE_INTR, 2, sl_pol_self(p));
	return pick_rest(p, td);
}

static uint32_t pick_73(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	uint32_t self = sl_pol_self(p);

	if (!p->smp)
		return chosen(p, td, SL_WHY_PLACE_SELF, 0, self);
	if (stays(td, srq))
		return chosen(p, td, SL_WHY_PLACE_PINNED, 1, (uint32_t)td->cpu);
	if (wakes_interrupt_thread(p, td) && p->cpu[self].intr_nesting > 0)
		td->cpu = (int32_t)self;
	return pick_rest(p, td);
}

const struct ule_place ule_place_70 = {
	.name = "interrupt threads to this CPU; home, idle group, this CPU, worst work",
	.pick = pick_70,
	.arrived = arrived_7,
	.went_idle = went_idle_7,
};
const struct ule_place ule_place_73 = {
	.name = "interrupt threads from this CPU; home, idle group, this CPU, worst work",
	.pick = pick_73,
	.arrived = arrived_7,
	.went_idle = went_idle_7,
};
