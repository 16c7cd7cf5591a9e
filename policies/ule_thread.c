/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The hot path: making threads runnable, switching, the stat tick, sleeping and
 * waking (ule.md 5, 9, 10, 12, 13).
 * Invariants: load = the running thread, unless it is the idle thread, plus all
 * queued threads; transferable = queued threads that were unpinned when queued;
 * a running thread is in no queue; lowpri follows the rules of 5.5, which make it an
 * approximation. */
#include "policies/ule.h"

/* --- Queues of a CPU --- */

static inline void enqueue(struct sl_pol *p, struct ule_cpu *q, struct sl_thread *td, unsigned srq)
{
	const struct ule *u = ule_of(p);
	struct ule_thread *ts = ule_thread_of(td);

	if (u->slices.renewed_queued && ts->slice == ule_of(p)->slice)
		ts->slice = 0;
	/* Decided here and now: pinning a queued thread later changes nothing. */
	ts->xferable = td->pinned == 0;
	q->transferable += ts->xferable;
	if (ts->xferable)
		ule_tally(p, (uint32_t)td->cpu, 0, 1);
	q->queued++;
	u->queue.add(u, q, td, srq);
	sl_pol_queued(p, td);
}

SL_COLD static void enqueue_explained(struct sl_pol *p, struct ule_cpu *q, struct sl_thread *td,
				      unsigned srq)
{
	enqueue(p, q, td, srq);
	sl_why(p, SL_WHY_ENQUEUE, td, ule_thread_of(td)->index, td->pri, srq);
}

void ule_enqueue(struct sl_pol *p, struct ule_cpu *q, struct sl_thread *td, unsigned srq)
{
	if (sl_explains(p))
		enqueue_explained(p, q, td, srq);
	else
		enqueue(p, q, td, srq);
}

/* Only 7.x counts; out of line, so that others pay nothing. */
SL_COLD static void remove_counted(struct sl_pol *p, struct ule_cpu *q, struct sl_thread *td)
{
	const struct ule *u = ule_of(p);

	u->queue.remove(u, q, td);
	u->pct.dequeued(p, td);
}

void ule_dequeue(struct sl_pol *p, struct ule_cpu *q, struct sl_thread *td)
{
	const struct ule *u = ule_of(p);
	struct ule_thread *ts = ule_thread_of(td);

	q->transferable -= ts->xferable;
	if (ts->xferable)
		ule_tally(p, (uint32_t)td->cpu, 0, -1);
	ts->xferable = false;
	q->queued--;
	/* Last, so that nothing is kept for afterwards. */
	if (u->pct.dequeued == NULL || ts->queue != ULE_TIMESHARE)
		u->queue.remove(u, q, td);
	else
		remove_counted(p, q, td);
}

static inline void load_add(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td)
{
	struct ule_cpu *q = ule_cpu_of(p, cpu);

	ule_tally(p, cpu, 1, 0);
	q->load++;
	q->sysload += !(td->flags & SL_TDF_NOLOAD);
}

static inline void load_rem(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td)
{
	struct ule_cpu *q = ule_cpu_of(p, cpu);

	ule_tally(p, cpu, -1, 0);
	q->load--;
	q->sysload -= !(td->flags & SL_TDF_NOLOAD);
}

uint8_t ule_arrive(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	const struct ule_place *place = &ule_of(p)->place;
	struct ule_cpu *q = ule_cpu_of(p, (uint32_t)td->cpu);
	uint8_t old_low = q->lowpri;

	if (place->arrived != NULL)
		place->arrived(p, td);
	if (td->pri < q->lowpri)
		q->lowpri = td->pri;
	load_add(p, (uint32_t)td->cpu, td);
	ule_enqueue(p, q, td, srq);
	return old_low;
}

/* The best queued thread is asked for in the order of the circle, so this can be worse
 * than the best priority on the CPU. */
void ule_set_lowpri(struct sl_pol *p, uint32_t cpu)
{
	const struct ule *u = ule_of(p);
	struct ule_cpu *q = ule_cpu_of(p, cpu);
	const struct sl_thread *first;
	uint8_t running = p->cpu[cpu].cur->pri;

	if (!u->lowpri.follows)
		return;
	first = q->queued > 0 ? u->queue.first(u, q) : NULL;
	q->lowpri = first != NULL && first->pri <= running ? first->pri : running;
	ule_low_rises(p, cpu, q->lowpri);
}

void ule_rem(struct sl_pol *p, struct sl_thread *td)
{
	struct ule_cpu *q = ule_cpu_of(p, (uint32_t)td->cpu);

	ule_dequeue(p, q, td);
	load_rem(p, (uint32_t)td->cpu, td);
	sl_pol_dequeued(p, td);
	if (td->pri == q->lowpri)
		ule_set_lowpri(p, (uint32_t)td->cpu);
}

struct sl_thread *ule_move_one(struct sl_pol *p, uint32_t from, uint32_t to, uint8_t *old_low)
{
	const struct ule *u = ule_of(p);
	struct sl_thread *td = u->steal.pick(u, ule_cpu_of(p, from), to);
	uint8_t low;

	if (td == NULL)
		return NULL;
	ule_rem(p, td);
	td->cpu = (int32_t)to;
	low = ule_arrive(p, td, SL_SRQ_YIELDING);
	if (old_low != NULL)
		*old_low = low;
	return td;
}

void ule_add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	uint32_t self = sl_pol_self(p);
	uint8_t old_low;

	ule_priority(p, td);
	td->cpu = (int32_t)ule_of(p)->place.pick(p, td, srq);
	old_low = ule_arrive(p, td, srq);
	if ((uint32_t)td->cpu != self)
		ule_of(p)->notify.tell(p, (uint32_t)td->cpu, td, old_low);
	else if (!(srq & SL_SRQ_YIELDING))
		ule_set_preempt(p, td, td->pri);
}

const struct ule_lowpri ule_lowpri_8 = { "follows the CPU's threads", true };

/* --- Switch --- */

static bool preempted_flag(unsigned td_flags, unsigned sw)
{
	return !(td_flags & SL_TDF_SLICEEND) && (sw & SL_SW_PREEMPT);
}

/* 10.1 to 11.0 test the number of the reason: only a switch without one gets through. */
static bool preempted_reason(unsigned td_flags, unsigned sw)
{
	return !(td_flags & SL_TDF_SLICEEND) && (sw & SL_SW_REASON) == SL_SW_NONE;
}

const struct ule_requeue ule_requeue_preempt = { "head after a preemption within the slice",
						 preempted_flag };
const struct ule_requeue ule_requeue_reason = { "head after a switch without a reason",
						preempted_reason };

/* Puts a thread that could go on running back on a queue; `flags`: its before the switch. */
static void put_back(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw,
		     unsigned flags)
{
	const struct ule *u = ule_of(p);
	bool preempted = u->requeue.preempted(flags, sw);
	bool repick = (flags & SL_TDF_PICKCPU) != 0;
	struct ule_cpu *q = ule_cpu_of(p, cpu);
	unsigned srq = SL_SRQ_OURSELF | SL_SRQ_YIELDING | (preempted ? SL_SRQ_PREEMPTED : 0u);
	uint8_t old_low;

	if (td->pinned == 0 && (repick || !ule_may_run_on(td, (uint32_t)td->cpu)))
		td->cpu = (int32_t)u->place.pick(p, td, SL_SRQ_BORING);
	if ((uint32_t)td->cpu == cpu) {
		ule_enqueue(p, q, td, srq);
		sl_why(p, preempted ? SL_WHY_REQUEUE_HEAD : SL_WHY_REQUEUE_TAIL, td,
		       ule_thread_of(td)->index, td->pri, sw);
		return;
	}
	load_rem(p, cpu, td);
	old_low = ule_arrive(p, td, srq);
	u->notify.tell(p, (uint32_t)td->cpu, td, old_low);
}

/* Takes the next thread off the queues, or the idle thread. */
static struct sl_thread *choose(struct sl_pol *p, uint32_t cpu)
{
	const struct ule *u = ule_of(p);
	struct ule_cpu *q = ule_cpu_of(p, cpu);
	struct sl_thread *td = q->queued > 0 ? u->queue.first(u, q) : NULL;
	struct ule_thread *ts;

	if (td == NULL) {
		q->lowpri = UINT8_MAX;
		ule_low_rises(p, cpu, UINT8_MAX);
		if (u->place.went_idle != NULL)
			u->place.went_idle(p, cpu);
		return p->cpu[cpu].idle;
	}
	ts = ule_thread_of(td);
	sl_why(p, SL_WHY_CHOOSE, td, ule_thread_of(td)->index, td->pri, 0);
	ule_dequeue(p, q, td);
	/* A thread that resumes notes its priority; a new one does not come by there. */
	if (u->lowpri.follows || ts->ran) {
		q->lowpri = td->pri;
		ule_low_rises(p, cpu, td->pri);
	}
	ts->ran = true;
	return td;
}

/* The outgoing thread has left for good; nothing else of a switch happens. */
static struct sl_thread *throw_away(struct sl_pol *p, uint32_t cpu, struct sl_thread *td)
{
	td->flags &= (uint16_t) ~(SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND | SL_TDF_OWEPREEMPT);
	load_rem(p, cpu, td);
	return choose(p, cpu);
}

static inline void window_chosen(const struct ule *u, struct ule_thread *ts, int32_t now)
{
	if (u->pct.chosen != NULL)
		u->pct.chosen(u, ts, now);
	else
		ule_window(u, ts, now, false);
}

struct sl_thread *ule_switch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw,
			     struct sl_thread *next)
{
	const struct ule *u = ule_of(p);
	struct ule_cpu *q = ule_cpu_of(p, cpu);
	struct ule_thread *ts = ule_thread_of(td);
	unsigned flags = td->flags;
	struct sl_thread *new;

	SL_ASSERT(next == NULL);
	if (u->ipi.switch_clears)
		q->ipipending = false;
	if (td->state == SL_TS_DEAD)
		return throw_away(p, cpu, td);
	ule_window(u, ts, p->ticks, true);
	/* A thread asked to choose again forgets its warm caches. */
	ts->rltick = p->ticks - ((flags & SL_TDF_PICKCPU) ? SL_CG_L3 * u->affinity : 0);
	td->flags &= (uint16_t) ~(SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND | SL_TDF_OWEPREEMPT |
				  SL_TDF_PICKCPU);
	if (!sl_thread_is_idle(td)) {
		q->switchcnt++;
		if (td->state == SL_TS_RUNNING) {
			put_back(p, cpu, td, sw, flags);
		} else {
			load_rem(p, cpu, td);
			if (q->load == 0 && u->idle.trysteal != NULL)
				u->idle.trysteal(p, cpu);
		}
	}
	new = choose(p, cpu);
	if (new != td || u->pct_on_reselect)
		window_chosen(u, ule_thread_of(new), p->ticks);
	return new;
}

/* --- Stat tick --- */

static inline void charge(struct sl_pol *p, struct sl_thread *td, uint32_t cnt)
{
	const struct ule *u = ule_of(p);
	struct ule_thread *ts = ule_thread_of(td);

	ts->runtime += u->tickincr * cnt;
	ule_cap_history(u, ts);
	if (u->slices.every_tick)
		ule_priority(p, td);
}

void ule_hardclock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td)
{
	const struct ule *u = ule_of(p);

	if (u->pct.hard != NULL && !sl_thread_is_idle(td))
		u->pct.hard(u, ule_thread_of(td), p->ticks);
	if (cpu == 0 && u->balancer.hard != NULL)
		u->balancer.hard(p);
}

void ule_clock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt)
{
	const struct ule *u = ule_of(p);
	struct ule_cpu *q = ule_cpu_of(p, cpu);
	struct ule_thread *ts = ule_thread_of(td);
	bool ithread = SL_CLASS_BASE(td->pri_class) == SL_CLASS_ITHD;
	int32_t slice;

	if (cpu == 0)
		u->balancer.tick(p, cnt);
	q->oldswitchcnt = q->switchcnt;
	q->switchcnt = (int16_t)q->load;
	u->queue.tick(u, q, cnt);
	ule_window(u, ts, p->ticks, true);
	if (sl_thread_is_idle(td) || (td->pri_class & SL_CLASS_FIFO_BIT))
		return;
	if (ule_is_timeshare(td))
		charge(p, td, cnt);
	else if (u->slices.timeshare_only)
		return;
	ts->slice += (int32_t)cnt;
	slice = ithread ? u->ithread.slice(u, q) : ule_slice_of(u, q);
	if (ts->slice < slice)
		return;
	sl_why(p, SL_WHY_SLICE_END, td, ts->slice, slice, q->load);
	if (!u->slices.renewed_queued)
		ts->slice = 0;
	if (!u->slices.every_tick)
		ule_priority(p, td);
	if (ithread)
		u->ithread.slice_end(p, td);
	else
		td->flags |= SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND;
}

/* --- Sleep and wake-up --- */

static void boost_static(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio)
{
	const struct ule *u = ule_of(p);

	if (!ule_is_timeshare(td))
		return;
	if (u->static_boost == 1 && prio != SL_WPRIO_NONE)
		ule_prio(p, td, u->layout.wprio[prio]);
	else if (u->static_boost != 0 && td->pri > u->static_boost)
		ule_prio(p, td, (uint8_t)u->static_boost);
}

void ule_sleep(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio)
{
	ule_thread_of(td)->slptick = p->ticks;
	ule_of(p)->boost.sleep(p, td, prio);
}

const struct ule_boost ule_boost_8 = { "static_boost", boost_static };

/* A sleep within one tick earns nothing. */
static void credit_sleep(struct sl_pol *p, struct ule_thread *ts)
{
	const struct ule *u = ule_of(p);
	int32_t since = ts->slptick;

	ts->slptick = 0;
	if (since == 0 || since == p->ticks)
		return;
	ts->slptime += ((uint32_t)p->ticks - (uint32_t)since) << 10;
	ule_cap_history(u, ts);
	ule_window(u, ts, p->ticks, false);
}

static void wake_up(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	struct ule_thread *ts = ule_thread_of(td);

	credit_sleep(p, ts);
	ts->slice = 0;
	ule_add(p, td, srq);
}

void ule_wakeup(struct sl_pol *p, struct sl_thread *td, enum sl_wprio raise, unsigned srq)
{
	const struct ule *u = ule_of(p);
	uint8_t pri = u->layout.wprio[raise];

	if (SL_CLASS_BASE(td->pri_class) == SL_CLASS_ITHD) {
		u->ithread.wake(p, td, srq);
		return;
	}
	if (raise != SL_WPRIO_NONE && td->pri > pri && ule_is_timeshare(td))
		ule_prio(p, td, pri);
	wake_up(p, td, srq);
}

/* --- Interrupt threads --- */

static int32_t ithread_slice_10(const struct ule *u, const struct ule_cpu *q)
{
	return ule_slice_of(u, q);
}

/* Without effect until it sleeps: it does not return to user mode. */
static void ithread_slice_end_10(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	td->flags |= SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND;
}

static int32_t ithread_slice_14(const struct ule *u, const struct ule_cpu *q)
{
	(void)q;
	return u->slice;
}

/* Yields to its equals and steps down, for other interrupt threads to get through. */
static void ithread_slice_end_14(struct sl_pol *p, struct sl_thread *td)
{
	const struct ule *u = ule_of(p);

	td->flags |= SL_TDF_OWEPREEMPT;
	if (td->base_pri + u->ppq < u->layout.ithd_last)
		ule_prio(p, td, (uint8_t)(td->base_pri + u->ppq));
}

static void ithread_wake_14(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	const struct ule_thread *ts = ule_thread_of(td);

	if (td->base_pri != ts->ithd_pri)
		ule_prio(p, td, ts->ithd_pri);
	wake_up(p, td, srq);
}

const struct ule_ithread ule_ithread_10 = { "slice as others, never renewed", ule_add,
					    ithread_slice_10, ithread_slice_end_10 };
const struct ule_ithread ule_ithread_14 = { "full slice, steps down when it ends", ithread_wake_14,
					    ithread_slice_14, ithread_slice_end_14 };
