/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Everything that changes what a thread is: priorities and their lending, classes
 * and nice, birth and death, binding and masks (ule.md 11, 12.4, 20).
 * Invariant: pri of a queued thread that got worse is newer than its place in the
 * queue; pri of a queued thread that got better has been placed anew. */
#include "policies/ule.h"

static inline bool is_queued(const struct sl_thread *td)
{
	return !sl_link_idle(&td->runq);
}

/* Sets pri alone. */
static void set_pri(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	struct ule_cpu *q;
	uint8_t old = td->pri;

	if (pri == old)
		return;
	if (is_queued(td) && pri < old) {
		ule_rem(p, td);
		td->pri = pri;
		ule_add(p, td, SL_SRQ_BORROWING);
		return;
	}
	td->pri = pri;
	if (td->oncpu < 0)
		return;
	q = ule_cpu_of(p, (uint32_t)td->oncpu);
	if (pri < q->lowpri)
		q->lowpri = pri;
	else if (q->lowpri == old)
		ule_set_lowpri(p, (uint32_t)td->oncpu);
}

void ule_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->base_pri = pri;
	if ((td->flags & SL_TDF_BORROWING) && td->pri < pri)
		return;
	set_pri(p, td, pri);
}

void ule_user_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	(void)p;
	td->base_user_pri = pri;
	if (td->lend_user_pri > pri)
		td->user_pri = pri;
}

void ule_lend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->flags |= SL_TDF_BORROWING;
	set_pri(p, td, pri);
}

void ule_unlend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	const struct ule_layout *l = &ule_of(p)->layout;
	bool timeshare = td->base_pri >= l->interact_first && td->base_pri <= l->batch_last;
	uint8_t own = timeshare ? td->user_pri : td->base_pri;

	if (pri >= own) {
		td->flags &= (uint16_t)~SL_TDF_BORROWING;
		set_pri(p, td, own);
	} else {
		ule_lend_prio(p, td, pri);
	}
}

void ule_lend_user_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->lend_user_pri = pri;
	td->user_pri = pri < td->base_user_pri ? pri : td->base_user_pri;
	if (td->pri > td->user_pri)
		ule_prio(p, td, td->user_pri);
	else if (td->pri != td->user_pri)
		td->flags |= SL_TDF_NEEDRESCHED;
}

void ule_nice(struct sl_pol *p, struct sl_proc *proc, int8_t nice)
{
	proc->nice = nice;
	for (struct sl_link *l = proc->threads.next; l != &proc->threads; l = l->next) {
		struct sl_thread *td = SL_OF(l, struct sl_thread, in_proc);

		ule_priority(p, td);
		ule_prio(p, td, td->base_user_pri);
	}
}

/* User priority that a class and level stand for. */
static uint8_t class_pri(const struct ule_layout *l, uint8_t pri_class, uint8_t level)
{
	switch (SL_CLASS_BASE(pri_class)) {
	case SL_CLASS_REALTIME:
		return (uint8_t)(l->rt_first + level);
	case SL_CLASS_IDLE:
		return (uint8_t)(l->idle_first + level);
	case SL_CLASS_ITHD:
		return level;
	default:
		return (uint8_t)(l->interact_first + level);
	}
}

void ule_rtprio(struct sl_pol *p, struct sl_thread *td, uint8_t pri_class, uint8_t level)
{
	uint8_t old_class = td->pri_class, old_pri = td->user_pri;

	td->pri_class = pri_class;
	ule_user_prio(p, td, class_pri(&ule_of(p)->layout, pri_class, level));
	if (td->user_pri == old_pri)
		return;
	if (old_class != SL_CLASS_TIMESHARE || pri_class != SL_CLASS_TIMESHARE)
		ule_prio(p, td, td->user_pri);
}

/* --- Birth and death --- */

/* A thread without history: it never ran, so no cache is warm for it. */
static void no_history(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	const struct ule *u = ule_of(p);
	uint32_t self = sl_pol_self(p);
	int32_t now = p->ticks;

	*ule_thread_of(td) = (struct ule_thread){
		.ltick = now,
		.ftick = now,
		.rltick = now - ULE_COLD_TICKS,
		.slice = ule_slice_of(u, ule_cpu_of(p, self)) - u->slice_min,
		.score = UINT8_MAX,
		.ithd_pri = pri,
	};
	td->cpu = (int32_t)self;
	td->lend_user_pri = UINT8_MAX;
	td->base_user_pri = td->user_pri = pri;
	ule_priority(p, td);
	td->pri = td->base_pri = td->user_pri;
}

void ule_make_ithread(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio)
{
	td->pri_class = SL_CLASS_ITHD;
	no_history(p, td, ule_of(p)->layout.wprio[prio]);
}

/* Borrowed priority and lent user priority are not inherited. */
void ule_fork_thread(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td)
{
	const struct ule *u = ule_of(p);
	struct ule_thread *from, *ts = ule_thread_of(td);

	if (parent == NULL) {
		no_history(p, td, class_pri(&u->layout, td->pri_class, 0));
		return;
	}
	from = ule_thread_of(parent);
	ule_window(u, from, p->ticks, true);
	*ts = (struct ule_thread){
		.runtime = from->runtime,
		.slptime = from->slptime,
		.ticks = from->ticks,
		.ltick = from->ltick,
		.ftick = from->ftick,
		.rltick = u->fork_warm ? from->rltick : p->ticks - ULE_COLD_TICKS,
		.slice = ule_slice_of(u, ule_cpu_of(p, sl_pol_self(p))) - u->slice_min,
		.score = from->score,
		.ithd_pri = from->ithd_pri,
	};
	td->cpu = parent->cpu;
	td->lend_user_pri = UINT8_MAX;
	td->base_user_pri = td->user_pri = parent->base_user_pri;
	td->base_pri = td->pri = parent->base_pri;
}

void ule_fork(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td)
{
	const struct ule *u = ule_of(p);
	struct ule_thread *from;

	ule_fork_thread(p, parent, td);
	if (parent == NULL)
		return;
	ule_fork_history(u, ule_thread_of(td));
	ule_priority(p, td);
	from = ule_thread_of(parent);
	from->runtime += u->tickincr;
	ule_cap_history(u, from);
	ule_priority(p, parent);
}

/* The heir pays for everything, inherited history included. */
void ule_exit(struct sl_pol *p, struct sl_thread *heir, struct sl_thread *td)
{
	struct ule_thread *ts;

	if (heir == NULL)
		return;
	ts = ule_thread_of(heir);
	ts->runtime += ule_thread_of(td)->runtime;
	ule_cap_history(ule_of(p), ts);
	ule_priority(p, heir);
}

/* --- Binding and masks --- */

void ule_unbind(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	if (!(td->flags & SL_TDF_BOUND))
		return;
	td->flags &= (uint16_t)~SL_TDF_BOUND;
	td->pinned--;
}

bool ule_bind(struct sl_pol *p, struct sl_thread *td, uint32_t cpu)
{
	ule_unbind(p, td);
	td->flags |= SL_TDF_BOUND;
	td->pinned++;
	if (cpu == sl_pol_self(p))
		return false;
	td->cpu = (int32_t)cpu;
	return true;
}

void ule_affinity(struct sl_pol *p, struct sl_thread *td)
{
	if (td->cpu < 0 || ule_may_run_on(td, (uint32_t)td->cpu))
		return;
	if (is_queued(td)) {
		ule_rem(p, td);
		ule_add(p, td, SL_SRQ_BORING);
		return;
	}
	if (td->oncpu < 0)
		return;
	td->flags |= SL_TDF_NEEDRESCHED;
	if ((uint32_t)td->oncpu != sl_pol_self(p))
		sl_pol_ipi(p, (uint32_t)td->cpu, SL_IPI_PREEMPT);
}

bool ule_relinquish(struct sl_pol *p, struct sl_thread *td)
{
	const struct ule *u = ule_of(p);

	if (u->era->yield_drops && ule_is_timeshare(td))
		ule_prio(p, td, u->layout.batch_last);
	return true;
}

void ule_userret(struct sl_pol *p, struct sl_thread *td)
{
	if (td->pri == td->user_pri)
		return;
	td->pri = td->base_pri = td->user_pri;
	ule_set_lowpri(p, sl_pol_self(p));
}
