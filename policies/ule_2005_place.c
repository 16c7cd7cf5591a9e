/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE of 2005: where a thread that becomes runnable goes, and whom it preempts
 * (ule-history.md 1.6, 1.9, C14, C17).
 * Invariant: a thread is queued by the CPU that will run it, or handed over to it; no
 * CPU touches another one's queues except to take threads away. */
#include "policies/ule_2005.h"

/* First CPU of set, a set within g, on which td may run; -1: none. */
static int32_t first_in(const struct sl_pol *p, const uint64_t *set, const struct sl_cpu_group *g,
			const struct sl_thread *td)
{
	for (uint32_t c = sl_bits_next(set, p->mask_words, g->first); c <= g->last;
	     c = sl_bits_next(set, p->mask_words, c + 1))
		if (sl_bit_test(g->mask, c) && u05_may_run_on(td, c))
			return (int32_t)c;
	return -1;
}

/* An idle CPU for td when this one has enough to do: in its old group, if that is all
 * idle, in any idle group, or beside the running CPU; -1: none. */
static int32_t idle_cpu_for(const struct sl_pol *p, const struct sl_thread *td)
{
	const struct u05 *u = u05_of(p);
	const struct sl_cpu_group *old = p->tree->leaf[td->cpu];
	int32_t cpu = -1;

	if (sl_bit_test(u->idle_groups, old->first))
		cpu = first_in(p, u->idle_cpus, old, td);
	if (cpu < 0)
		cpu = first_in(p, u->idle_groups, p->tree->top, td);
	if (cpu < 0)
		cpu = first_in(p, u->idle_cpus, p->tree->leaf[sl_pol_self(p)], td);
	return cpu;
}

/* td may be put on this CPU; is it better placed elsewhere? */
static int32_t transfer(struct sl_pol *p, const struct sl_thread *td)
{
	uint32_t self = sl_pol_self(p);
	uint8_t pri_class = SL_CLASS_BASE(td->pri_class);

	if (pri_class != SL_CLASS_ITHD && pri_class != SL_CLASS_IDLE && u05_unmark_idle(p, self))
		return -1;
	if (u05_cpu_of(p, self)->load <= 1 || pri_class == SL_CLASS_ITHD || !p->smp)
		return -1;
	return idle_cpu_for(p, td);
}

/* Outside critical sections an interrupt thread, or anything on an idle CPU, takes over at
 * once; inside them the switch is owed. True: it has taken over. */
static bool preempt(struct sl_pol *p, struct sl_thread *td)
{
	const struct sl_cpu *c = &p->cpu[sl_pol_self(p)];
	struct sl_thread *cur = c->cur;

	if (td->pri >= cur->pri || c->blocking)
		return false;
	if (td->pri > U05_ITHD_LAST && cur->pri < U05_IDLE_FIRST)
		return false;
	sl_why(p, SL_WHY_PREEMPT_LOCAL, td, td->pri, cur->pri, 0);
	if (c->critnest > 0) {
		cur->flags |= SL_TDF_OWEPREEMPT;
		return false;
	}
	td->cpu = (int32_t)sl_pol_self(p);
	sl_pol_switch_to(p, td);
	return true;
}

/* Into the queues of this CPU. */
static void add_here(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	uint32_t self = sl_pol_self(p);
	struct sl_thread *cur = p->cpu[self].cur;
	uint8_t pri_class = SL_CLASS_BASE(td->pri_class);

	if (pri_class == SL_CLASS_ITHD || pri_class == SL_CLASS_REALTIME)
		u05_thread_of(td)->slice = u05_of(p)->slice_max;
	else if (pri_class == SL_CLASS_IDLE)
		u05_thread_of(td)->slice = u05_of(p)->slice_min;
	if (!(srq & SL_SRQ_YIELDING) && preempt(p, td))
		return;
	u05_queue_here(p, td, srq);
	if (td->pri < cur->pri && u05_thread_of(td)->queue == u05_cpu_of(p, self)->curr) {
		cur->flags |= SL_TDF_NEEDRESCHED;
		sl_why(p, SL_WHY_RESCHED, td, td->pri, cur->pri, 0);
	}
}

void u05_add_held(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	if ((uint32_t)td->cpu != sl_pol_self(p)) {
		u05_hand_over(p, td, (uint32_t)td->cpu);
		return;
	}
	if (SL_CLASS_BASE(td->pri_class) != SL_CLASS_ITHD &&
	    SL_CLASS_BASE(td->pri_class) != SL_CLASS_IDLE)
		(void)u05_unmark_idle(p, (uint32_t)td->cpu);
	add_here(p, td, srq);
}

/* A CPU on which td may run, this one if possible. */
static uint32_t allowed_cpu(const struct sl_pol *p, const struct sl_thread *td)
{
	if (u05_may_run_on(td, sl_pol_self(p)))
		return sl_pol_self(p);
	if (u05_may_run_on(td, (uint32_t)td->cpu))
		return (uint32_t)td->cpu;
	return sl_bits_next(td->mask, p->mask_words, 0);
}

void u05_add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	uint32_t self = sl_pol_self(p), cpu = allowed_cpu(p, td);
	int32_t other;

	if (td->pinned != 0) {
		u05_add_held(p, td, srq);
	} else if (cpu != self) {
		sl_why(p, SL_WHY_PLACE_ANY, td, 0, cpu, u05_cpu_of(p, cpu)->load);
		u05_hand_over(p, td, cpu);
	} else {
		other = transfer(p, td);
		cpu = other < 0 ? self : (uint32_t)other;
		sl_why(p, other < 0 ? SL_WHY_PLACE_SELF : SL_WHY_PLACE_WARM, td, 3, cpu,
		       u05_cpu_of(p, cpu)->load);
		if (other < 0)
			add_here(p, td, srq);
		else
			u05_hand_over(p, td, cpu);
	}
}
