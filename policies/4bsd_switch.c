/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The context switch, where the old thread goes, the rules that end a quantum, and
 * the idle loop.
 * Invariant: what sswitch() returns is in no queue and counted in nrun, or is the
 * CPU's idle thread, and exactly then the CPU's idle bit is set. (In 2005 the bit
 * also stays set while an interrupt has the CPU from its idle thread.) */
#include "policies/4bsd.h"

static bool is_preempt(unsigned sw)
{
	return (sw & SL_SW_PREEMPT) != 0;
}

bool bsd_head_if_direct(unsigned sw, unsigned flags)
{
	(void)flags;
	return is_preempt(sw) && (sw & SL_SW_REASON) != SL_SW_OWEPREEMPT;
}

bool bsd_head_if_preempted(unsigned sw, unsigned flags)
{
	(void)flags;
	return is_preempt(sw);
}

bool bsd_head_unless_slice_end(unsigned sw, unsigned flags)
{
	(void)sw;
	return !(flags & SL_TDF_SLICEEND);
}

/* 10.1 tests the bits of "relinquish" (6) in the consecutive reason codes, which most
 * other reasons share; only direct preemption and untyped switches pass. */
bool bsd_head_if_direct_or_untyped(unsigned sw, unsigned flags)
{
	return !(flags & SL_TDF_SLICEEND) && (sw & SL_SW_RELINQUISH) == 0;
}

bool bsd_head_if_preempted_in_slice(unsigned sw, unsigned flags)
{
	return is_preempt(sw) && !(flags & SL_TDF_SLICEEND);
}

static void put_back(struct sl_pol *p, struct sl_thread *td, unsigned sw, unsigned flags)
{
	const struct bsd_era *era = bsd_of(p)->era;
	bool head = era->requeue_head(sw, flags);

	sl_why(p, head ? SL_WHY_REQUEUE_HEAD : SL_WHY_REQUEUE_TAIL, td, td->pri / era->ppq, td->pri,
	       sw);
	era->grouping->put_back(p, td, SL_SRQ_OURSELF | (head ? (unsigned)SL_SRQ_PREEMPTED : 0u));
}

/* The thread that a direct preemption inside a critical section has promised the CPU;
 * it waits in a queue. */
static struct sl_thread *take_direct(struct sl_pol *p, uint32_t cpu)
{
	struct sl_thread *td = bsd_cpu(p, cpu)->direct;

	bsd_cpu(p, cpu)->direct = NULL;
	if (td == NULL || bsd_td(td)->queue == BSD_QUEUE_NONE)
		return NULL;
	bsd_dequeue(p, td);
	bsd_of(p)->n_queued--;
	return td;
}

static struct sl_thread *run_best(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw)
{
	const struct bsd_grouping *grouping = bsd_of(p)->era->grouping;
	struct sl_thread *next = NULL;

	if (grouping->follow != NULL && (sw & SL_SW_VOL))
		next = grouping->follow(p, cpu, td);
	if (next == NULL)
		next = bsd_choose(p, cpu);
	if (next == NULL)
		return p->cpu[cpu].idle;
	bsd_of(p)->n_queued--;
	return next;
}

/* The old thread leaves: back into a queue, or off to wherever it sleeps. */
static void switch_out(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw,
		       struct sl_thread *next)
{
	struct bsd *b = bsd_of(p);
	unsigned flags = td->flags;

	bsd_cpu(p, cpu)->switchticks = p->ticks;
	bsd_count_load(b, td, -1);
	if (next != NULL && b->era->hands_resched)
		next->flags |= flags & SL_TDF_NEEDRESCHED;
	bsd_td(td)->lastcpu = (int32_t)cpu;
	if (sl_thread_is_idle(td)) {
		if (!b->era->idle_bit_voluntary || (sw & SL_SW_VOL))
			bsd_set_idle_bit(b, cpu, false);
	} else if (td->state == SL_TS_RUNNING) {
		put_back(p, td, sw, flags);
	} else if (b->era->grouping->leave != NULL) {
		b->era->grouping->leave(p, td);
	}
	td->flags &= (uint16_t) ~(SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND | SL_TDF_OWEPREEMPT);
}

struct sl_thread *bsd_sswitch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw,
			      struct sl_thread *next)
{
	struct bsd *b = bsd_of(p);
	struct sl_thread *direct = take_direct(p, cpu);

	if (direct != NULL && next == NULL) {
		next = direct;
		sw = SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_PREEMPTED;
	}
	switch_out(p, cpu, td, sw, next);
	if (next != NULL)
		bsd_count_load(b, next, 1);
	else
		next = run_best(p, cpu, td, sw);
	bsd_td(next)->didrun = true;
	next->cpu = (int32_t)cpu;
	if (sl_thread_is_idle(next))
		bsd_set_idle_bit(b, cpu, true);
	else if (b->era->grouping->took != NULL)
		b->era->grouping->took(next);
	return next;
}

/* Quantum rules. */

static int64_t slice_none(const struct sl_pol *p, const struct sl_thread *td)
{
	(void)p;
	(void)td;
	return -1;
}

static void tick_none(struct sl_pol *p, uint32_t cpu, struct sl_thread *td)
{
	(void)p;
	(void)cpu;
	(void)td;
}

static int64_t ticks_since_switch(const struct sl_pol *p, const struct sl_thread *td)
{
	return td->oncpu < 0 ? -1 : p->ticks - bsd_cpu(p, (uint32_t)td->oncpu)->switchticks;
}

/* Any switch on the CPU restarts the quantum, an interrupt thread's too. */
static void tick_switchticks(struct sl_pol *p, uint32_t cpu, struct sl_thread *td)
{
	int32_t used = p->ticks - bsd_cpu(p, cpu)->switchticks;

	if (sl_thread_is_idle(td) || used < bsd_of(p)->quantum)
		return;
	td->flags |= SL_TDF_NEEDRESCHED;
	sl_why(p, SL_WHY_SLICE_END, td, used, bsd_of(p)->quantum, 0);
}

static int64_t slice_left(const struct sl_pol *p, const struct sl_thread *td)
{
	(void)p;
	return bsd_td(td)->slice;
}

/* One stat tick off the slice; true when it is used up (and refilled). */
static bool slice_used_up(struct sl_pol *p, struct sl_thread *td)
{
	struct bsd_thread *bt = bsd_td(td);

	if (sl_thread_is_idle(td) || --bt->slice > 0)
		return false;
	bt->slice = bsd_of(p)->slice;
	sl_why(p, SL_WHY_SLICE_END, td, bt->slice, bt->slice, 0);
	return true;
}

static void tick_slice(struct sl_pol *p, uint32_t cpu, struct sl_thread *td)
{
	(void)cpu;
	if (slice_used_up(p, td))
		td->flags |= SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND;
}

/* Late 14 on: an interrupt thread goes down one list instead of being rescheduled. */
static void tick_slice_demote(struct sl_pol *p, uint32_t cpu, struct sl_thread *td)
{
	const struct bsd_era *era = bsd_of(p)->era;

	(void)cpu;
	if (!slice_used_up(p, td))
		return;
	if (SL_CLASS_BASE(td->pri_class) != SL_CLASS_ITHD) {
		td->flags |= SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND;
		return;
	}
	td->flags |= SL_TDF_OWEPREEMPT;
	if (td->base_pri + era->ppq < era->ithd_max)
		bsd_prio(p, td, (uint8_t)(td->base_pri + era->ppq));
}

const struct bsd_quantum bsd_quantum_beat = {
	.tick = tick_none,
	.slice = slice_none,
	.beat = true,
};

const struct bsd_quantum bsd_quantum_switchticks = {
	.tick = tick_switchticks,
	.slice = ticks_since_switch,
};

const struct bsd_quantum bsd_quantum_slice = {
	.tick = tick_slice,
	.slice = slice_left,
	.refill = true,
};

const struct bsd_quantum bsd_quantum_slice_demote = {
	.tick = tick_slice_demote,
	.slice = slice_left,
	.refill = true,
};

/* The priority is refreshed at absolute multiples of W only, and nobody compares the
 * worse one with the queues. */
void bsd_clock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt)
{
	struct bsd *b = bsd_of(p);
	struct bsd_thread *bt = bsd_td(td);
	struct bsd_group *group = bt->group;

	while (cnt-- > 0) {
		bt->cpticks++;
		if (group->usage < (uint32_t)b->estcpu_limit)
			group->usage++;
		else
			group->usage = (uint32_t)b->estcpu_limit;
		if (group->usage % b->w == 0) {
			bsd_recompute(p, td);
			bsd_apply(p, td);
		}
		b->era->quantum->tick(p, cpu, td);
	}
}

/* The callout flags every other busy CPU. Its own CPU is only rotated because the
 * thread that serves callouts preempts there: an owed preemption, whose effect on the
 * order is the era's. */
void bsd_beat(struct sl_pol *p)
{
	struct bsd *b = bsd_of(p);
	uint32_t self = sl_pol_self(p);
	struct sl_thread *cur = p->cpu[self].cur;

	for (uint32_t cpu = 0; b->beat_enabled && p->smp && cpu < p->ncpus; cpu++) {
		struct sl_thread *td = p->cpu[cpu].cur;

		if (cpu == self || sl_thread_is_idle(td))
			continue;
		td->flags |= SL_TDF_NEEDRESCHED;
		sl_why(p, SL_WHY_SLICE_END, td, b->quantum, b->quantum, cpu);
		sl_pol_ipi(p, cpu, SL_IPI_AST);
	}
	if (!sl_thread_is_idle(cur) && cur->pri > b->era->beat_pri)
		cur->flags |= SL_TDF_OWEPREEMPT;
}

enum sl_idle_act bsd_idle(struct sl_pol *p, uint32_t cpu)
{
	bool work = !sl_runq_empty(&bsd_of(p)->global) ||
		    (p->smp && !sl_runq_empty(&bsd_cpu(p, cpu)->rq));

	return work ? SL_IDLE_SWITCH : SL_IDLE_HALT;
}
