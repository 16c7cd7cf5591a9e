/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Priorities: from usage and nice, by lending, by class, by kernel sleeps.
 * Invariant: a queued thread is in the list of its priority or of one that shares
 * the list; it moves, to the tail, only when the list changes. */
#include "policies/4bsd.h"

/* Stores the active priority and keeps the queues in step. */
static void change_active(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	const struct bsd_era *era = bsd_of(p)->era;
	const struct bsd_thread *bt = bsd_td(td);

	if (td->pri == pri)
		return;
	td->pri = pri;
	/* Where groups keep their members in order of priority, any change moves. */
	if (td->state == SL_TS_RUNQ && (bt->threaded || bt->rqidx != pri / era->ppq)) {
		bsd_rem(p, td);
		bsd_add(p, td, SL_SRQ_BORING);
	}
}

void bsd_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->base_pri = pri;
	/* Never undercut a loan. */
	if ((td->flags & SL_TDF_BORROWING) && td->pri < pri)
		return;
	change_active(p, td, pri);
}

void bsd_lend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->flags |= SL_TDF_BORROWING;
	change_active(p, td, pri);
}

void bsd_unlend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	uint8_t base = bsd_in_ts_range(bsd_of(p)->era, td->base_pri) ? td->user_pri : td->base_pri;

	if (pri < base) {
		bsd_lend_prio(p, td, pri);
		return;
	}
	td->flags &= (uint16_t)~SL_TDF_BORROWING;
	bsd_prio(p, td, base);
}

void bsd_set_upri_plain(struct sl_thread *td, uint8_t pri)
{
	td->user_pri = pri;
}

void bsd_set_upri_flag(struct sl_thread *td, uint8_t pri)
{
	if (!(td->flags & BSD_TDF_UBORROWING) || td->user_pri > pri)
		td->user_pri = pri;
}

void bsd_set_upri_min(struct sl_thread *td, uint8_t pri)
{
	if (td->lend_user_pri > pri)
		td->user_pri = pri;
}

/* 7.x, 8.x: the active priority follows at the next return to user mode. */
void bsd_lend_upri_flag(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	(void)p;
	if (pri >= td->base_user_pri) {
		td->flags &= (uint16_t)~BSD_TDF_UBORROWING;
		td->user_pri = td->base_user_pri;
	} else {
		td->flags |= BSD_TDF_UBORROWING;
		td->user_pri = pri;
	}
}

void bsd_lend_upri_min(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->user_pri = pri < td->base_user_pri ? pri : td->base_user_pri;
	if (td->pri > td->user_pri)
		bsd_prio(p, td, td->user_pri);
	else if (td->pri != td->user_pri)
		td->flags |= SL_TDF_NEEDRESCHED;
}

void bsd_lend_user_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->lend_user_pri = pri;
	bsd_of(p)->era->lend_upri(p, td, pri);
}

/* Threads of one group share the user priority. */
void bsd_set_user_priority(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	const struct bsd *b = bsd_of(p);
	uint8_t old = td->user_pri;

	for (struct sl_thread *m = bsd_member_first(b->era, td); m != NULL;
	     m = bsd_member_next(b->era, m)) {
		m->base_user_pri = pri;
		b->era->set_upri(m, pri);
	}
	if (td->user_pri != old)
		sl_why(p, SL_WHY_PRIORITY, td, old, td->user_pri, bsd_td(td)->group->usage);
}

void bsd_recompute(struct sl_pol *p, struct sl_thread *td)
{
	const struct bsd *b = bsd_of(p);

	if (td->pri_class != SL_CLASS_TIMESHARE)
		return;
	bsd_set_user_priority(p, td,
			      bsd_user_pri(b->era, b->w, bsd_td(td)->group->usage, td->proc->nice));
}

/* The test comes before the change and so sees the old priority. */
void bsd_apply(struct sl_pol *p, struct sl_thread *td)
{
	if (!bsd_in_ts_range(bsd_of(p)->era, td->pri))
		return;
	bsd_resched_test(p, td);
	bsd_prio(p, td, td->user_pri);
}

/* 2005, 7.x, 9.0: at once for the caller itself only. */
bool bsd_rtprio_self(const struct sl_pol *p, const struct sl_thread *td, uint8_t old_upri,
		     uint8_t old_class)
{
	(void)old_upri;
	(void)old_class;
	return td == bsd_cur(p);
}

bool bsd_rtprio_9(const struct sl_pol *p, const struct sl_thread *td, uint8_t old_upri,
		  uint8_t old_class)
{
	(void)old_class;
	return td->user_pri != old_upri &&
	       (td == bsd_cur(p) || td->pri == old_upri || td->user_pri <= bsd_of(p)->era->rt_max);
}

bool bsd_rtprio_class(const struct sl_pol *p, const struct sl_thread *td, uint8_t old_upri,
		      uint8_t old_class)
{
	(void)p;
	return td->user_pri != old_upri &&
	       (old_class != SL_CLASS_TIMESHARE || td->pri_class != SL_CLASS_TIMESHARE);
}

uint8_t bsd_class_pri(const struct bsd_era *era, uint8_t pri_class, uint8_t level)
{
	switch (SL_CLASS_BASE(pri_class)) {
	case SL_CLASS_REALTIME:
		return (uint8_t)(era->rt_min + level);
	case SL_CLASS_IDLE:
		return (uint8_t)(era->idle_min + level);
	default:
		return (uint8_t)(era->ts_min + level);
	}
}

void bsd_rtprio(struct sl_pol *p, struct sl_thread *td, uint8_t pri_class, uint8_t level)
{
	const struct bsd_era *era = bsd_of(p)->era;
	uint8_t old_upri = td->user_pri, old_class = td->pri_class;

	for (struct sl_thread *m = bsd_member_first(era, td); m != NULL;
	     m = bsd_member_next(era, m))
		m->pri_class = pri_class;
	bsd_set_user_priority(p, td, bsd_class_pri(era, pri_class, level));
	if (era->rtprio_applies(p, td, old_upri, old_class))
		bsd_prio(p, td, td->user_pri);
}

void bsd_nice(struct sl_pol *p, struct sl_proc *proc, int8_t nice)
{
	const struct bsd_era *era = bsd_of(p)->era;
	struct sl_thread *td = bsd_thread_first(era, proc);

	(void)nice;
	for (; td != NULL; td = bsd_thread_next(era, td)) {
		bsd_recompute(p, td);
		bsd_apply(p, td);
	}
}

/* No look at the queues: a thread that drops to a bad priority keeps the CPU. */
void bsd_userret(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	if (td->pri != td->user_pri)
		td->pri = td->base_pri = td->user_pri;
}

void bsd_ast(struct sl_pol *p, struct sl_thread *td)
{
	bsd_prio(p, td, td->user_pri);
}
