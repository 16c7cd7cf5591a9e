/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Where a thread that becomes runnable is queued, and who is told of it
 * (ule.md 14, 17, 22.2, 22.3).
 * Invariant: placement reads queues and last runs of all CPUs but changes nothing
 * except td->cpu; telling sets request flags and sends IPIs, it never switches. */
#include "policies/ule.h"

#include <limits.h>

/* --- Preemption (14) --- */

bool ule_should_preempt(const struct ule *u, int32_t new_pri, int32_t cur_pri, bool remote)
{
	const struct ule_layout *l = &u->layout;

	if (new_pri >= cur_pri)
		return false;
	if (cur_pri >= l->idle_first)
		return true;
	if (u->preempt_thresh == 0)
		return false;
	if (new_pri <= u->preempt_thresh)
		return true;
	return remote && new_pri < l->batch_first && cur_pri >= l->batch_first;
}

SL_COLD static void explain_preempt(struct sl_pol *p, const struct sl_thread *td, uint8_t pri,
				    uint8_t running, bool preempts)
{
	int32_t thresh = ule_of(p)->preempt_thresh;

	sl_why(p, SL_WHY_RESCHED, td, pri, running, thresh);
	if (!p->cpu[sl_pol_self(p)].blocking)
		sl_why(p, preempts ? SL_WHY_PREEMPT_LOCAL : SL_WHY_PREEMPT_NO, td, pri, running,
		       thresh);
}

void ule_set_preempt(struct sl_pol *p, const struct sl_thread *td, uint8_t pri)
{
	const struct sl_cpu *c = &p->cpu[sl_pol_self(p)];
	struct sl_thread *cur = c->cur;
	bool preempts;

	if (pri >= cur->pri)
		return;
	cur->flags |= SL_TDF_NEEDRESCHED;
	preempts = !c->blocking && ule_should_preempt(ule_of(p), pri, cur->pri, false);
	if (preempts)
		cur->flags |= SL_TDF_OWEPREEMPT;
	if (sl_explains(p))
		explain_preempt(p, td, pri, cur->pri, preempts);
}

/* --- Telling another CPU (17) --- */

static void notify(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td, uint8_t new_pri,
		   uint8_t old_pri)
{
	const struct ule *u = ule_of(p);
	struct ule_cpu *q = ule_cpu_of(p, cpu);
	bool preempts;

	if (q->ipipending)
		return;
	preempts = ule_should_preempt(u, new_pri, old_pri, true);
	/* An idle loop that is not halted looks at its load by itself. */
	if (preempts && sl_thread_is_idle(p->cpu[cpu].cur) && !q->cpu_idle)
		return;
	sl_why(p, preempts ? SL_WHY_PREEMPT_REMOTE : SL_WHY_PREEMPT_NO, td, new_pri, old_pri,
	       u->preempt_thresh);
	if (!preempts)
		return;
	q->ipipending = true;
	sl_pol_ipi(p, cpu, SL_IPI_PREEMPT);
}

static void notify_running(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td,
			   uint8_t old_low)
{
	(void)old_low;
	notify(p, cpu, td, td->pri, p->cpu[cpu].cur->pri);
}

static void notify_lowpri(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td,
			  uint8_t old_low)
{
	notify(p, cpu, td, ule_cpu_of(p, cpu)->lowpri, old_low);
}

const struct ule_notify ule_notify_10 = { "compares with the running thread", notify_running };
const struct ule_notify ule_notify_14 = { "compares with the lowpri before", notify_lowpri };

/* --- The preempt IPI --- */

static bool owes_preemption(struct sl_pol *p, uint32_t cpu)
{
	struct sl_thread *cur = p->cpu[cpu].cur;

	if (cur->pri <= ule_cpu_of(p, cpu)->lowpri)
		return false;
	cur->flags |= SL_TDF_OWEPREEMPT;
	return true;
}

static void ipi_take_10(struct sl_pol *p, uint32_t cpu)
{
	ule_cpu_of(p, cpu)->ipipending = false;
	(void)owes_preemption(p, cpu);
}

/* The mark stays until the switch that is owed. */
static void ipi_take_13(struct sl_pol *p, uint32_t cpu)
{
	if (!owes_preemption(p, cpu))
		ule_cpu_of(p, cpu)->ipipending = false;
}

const struct ule_ipi ule_ipi_10 = { "pending until the handler runs", ipi_take_10, false };
const struct ule_ipi ule_ipi_13 = { "pending until the next switch", ipi_take_13, true };

/* --- Affinity --- */

static bool warm_10(const struct ule *u, const struct ule_thread *ts, int32_t now, int32_t level)
{
	return ts->rltick > now - level * u->affinity;
}

static bool warm_15(const struct ule *u, const struct ule_thread *ts, int32_t now, int32_t level)
{
	return (uint32_t)now - (uint32_t)ts->rltick < (uint32_t)(level * u->affinity);
}

const struct ule_affine ule_affine_10 = { "signed compare of ticks", warm_10 };
const struct ule_affine ule_affine_15 = { "age below the limit, wrap-safe", warm_15 };

/* --- Placement --- */

/* A placement in progress. */
struct spot {
	struct sl_pol *p;
	const struct ule *u;
	struct sl_thread *td;
	uint32_t self;
	bool running; /* td runs now: its own load does not count against its CPU */
};

SL_COLD static uint32_t explain_choice(const struct spot *s, int32_t rule, int32_t cpu)
{
	static const uint8_t why[] = {
		SL_WHY_PLACE_SELF,   SL_WHY_PLACE_PINNED, SL_WHY_PLACE_INTR,
		SL_WHY_PLACE_AFFINE, SL_WHY_NONE,	  SL_WHY_PLACE_WARM,
		SL_WHY_PLACE_LOWPRI, SL_WHY_PLACE_ANY,	  SL_WHY_PLACE_SELF,
	};

	sl_why(s->p, (enum sl_why)why[rule], s->td, rule, cpu,
	       ule_cpu_of(s->p, (uint32_t)cpu)->load);
	return (uint32_t)cpu;
}

static inline uint32_t chosen(const struct spot *s, int32_t rule, int32_t cpu)
{
	return sl_explains(s->p) ? explain_choice(s, rule, cpu) : (uint32_t)cpu;
}

static inline bool idle_cpu(const struct spot *s, uint32_t cpu)
{
	return ule_cpu_of(s->p, cpu)->lowpri >= s->u->layout.idle_first;
}

static bool warm(const struct spot *s, int32_t level)
{
	return s->u->affine.warm(s->u, ule_thread_of(s->td), s->p->ticks, level);
}

static bool every_cpu_idle(const struct spot *s, const struct sl_cpu_group *g)
{
	for (uint32_t c = g->first; c <= g->last; c++)
		if (sl_bit_test(g->mask, c) && !idle_cpu(s, c))
			return false;
	return true;
}

/* Rule 3: back to an idle CPU whose cache is warm, if no sibling would slow it down. */
static bool home_is_idle_and_warm(const struct spot *s)
{
	uint32_t home = (uint32_t)s->td->cpu;
	const struct sl_cpu_group *leaf;

	if (!ule_may_run_on(s->td, home) || !idle_cpu(s, home) || !warm(s, SL_CG_L2))
		return false;
	leaf = s->p->tree->leaf[home];
	return !(leaf->flags & SL_CG_THREAD) || every_cpu_idle(s, leaf);
}

static int32_t lowest(const struct spot *s, const struct sl_cpu_group *g, int32_t minpri)
{
	struct ule_query query = {
		.mask = s->td->mask,
		.minpri = minpri,
		.load = INT_MAX,
		.prefer = s->td->cpu,
		.running = s->running,
	};

	return s->u->search.lowest(s->p, g, &query, NULL);
}

/* Rule 8: the CPU that asks, if it is better off than the busy one found. */
static uint32_t or_self(const struct spot *s, int32_t rule, int32_t cpu)
{
	const struct ule_cpu *here = ule_cpu_of(s->p, s->self);

	if (ule_may_run_on(s->td, s->self) && here->lowpri > s->td->pri &&
	    !idle_cpu(s, (uint32_t)cpu) &&
	    here->load <= ule_cpu_of(s->p, (uint32_t)cpu)->load + 1) {
		rule = 8;
		cpu = (int32_t)s->self;
	}
	return chosen(s, rule, cpu);
}

/* Rules 6 and 7: a CPU that works on something worse, or any. */
static uint32_t anywhere(const struct spot *s)
{
	const struct sl_cpu_group *top = s->p->tree->top;
	int32_t cpu = lowest(s, top, s->td->pri);

	if (cpu >= 0)
		return or_self(s, 6, cpu);
	cpu = lowest(s, top, -1);
	SL_ASSERT(cpu >= 0);
	return or_self(s, 7, cpu);
}

/* Rule 5: only CPUs without anything but idle-class work. */
static int32_t idle_in(const struct spot *s, const struct sl_cpu_group *g)
{
	int32_t worst_user = s->u->layout.idle_first - 1;

	return lowest(s, g, s->td->pri > worst_user ? s->td->pri : worst_user);
}

static bool wakes_from_interrupt(const struct spot *s)
{
	return s->td->pri <= s->u->layout.ithd_last && ule_may_run_on(s->td, s->self) &&
	       s->p->cpu[s->self].intr_nesting > 0;
}

static struct spot spot_of(struct sl_pol *p, struct sl_thread *td)
{
	return (struct spot){ p, ule_of(p), td, sl_pol_self(p), td->state == SL_TS_RUNNING };
}

static uint32_t pick_10(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	struct spot s = spot_of(p, td);
	const struct sl_cpu_group *warmest = NULL;

	if (!p->smp)
		return chosen(&s, 0, (int32_t)s.self);
	if ((srq & SL_SRQ_OURSELF) || td->pinned != 0)
		return chosen(&s, 1, td->cpu);
	if (wakes_from_interrupt(&s) && td->cpu != (int32_t)s.self) {
		td->cpu = (int32_t)s.self;
		if (ule_cpu_of(p, s.self)->lowpri > td->pri)
			return chosen(&s, 2, td->cpu);
	}
	if (home_is_idle_and_warm(&s))
		return chosen(&s, 3, td->cpu);
	for (const struct sl_cpu_group *g = p->tree->leaf[td->cpu]; g != NULL; g = g->parent)
		if (!(g->flags & SL_CG_THREAD) && warm(&s, g->level))
			warmest = g;
	if (warmest != NULL && warmest->count != p->tree->top->count) {
		int32_t cpu = idle_in(&s, warmest);

		if (cpu >= 0)
			return or_self(&s, 5, cpu);
	}
	return anywhere(&s);
}

/* Largest group worth searching first: shares a cache, and is warm or gets an interrupt. */
static const struct sl_cpu_group *near_group_13(const struct spot *s, bool intr)
{
	const struct sl_cpu_group *found = NULL;

	for (const struct sl_cpu_group *g = s->p->tree->leaf[s->td->cpu]; g != NULL;
	     g = g->parent) {
		if ((g->flags & SL_CG_THREAD) || g->nchildren == 1 || g->count == 1 ||
		    g->level == SL_CG_NONE)
			continue;
		if (intr || warm(s, g->level))
			found = g;
	}
	return found == s->p->tree->top ? NULL : found;
}

static uint32_t pick_13(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	struct spot s = spot_of(p, td);
	const struct sl_cpu_group *near;
	bool intr;

	if (!p->smp)
		return chosen(&s, 0, (int32_t)s.self);
	if ((srq & SL_SRQ_OURSELF) || td->pinned != 0)
		return chosen(&s, 1, td->cpu);
	intr = wakes_from_interrupt(&s);
	if (intr) {
		if (idle_cpu(&s, s.self))
			return chosen(&s, 2, (int32_t)s.self);
		td->cpu = (int32_t)s.self;
	} else if (home_is_idle_and_warm(&s)) {
		return chosen(&s, 3, td->cpu);
	}
	near = near_group_13(&s, intr);
	if (near != NULL) {
		int32_t cpu = intr ? lowest(&s, near, td->pri) : idle_in(&s, near);

		if (cpu >= 0)
			return or_self(&s, 5, cpu);
	}
	return anywhere(&s);
}

const struct ule_place ule_place_10 = {
	.name = "interrupt threads to this CPU if better; largest warm group",
	.pick = pick_10,
};
const struct ule_place ule_place_13 = {
	.name = "interrupt threads to this CPU if idle, else near it; largest warm group",
	.pick = pick_13,
};
