/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE of 2005: the queues of a CPU, hand-overs and the choice of the next thread
 * (ule-history.md 1.2, 1.6, 1.7, C14, C16).
 * Invariants: load = the running thread, unless it is the idle thread, plus queued and
 * handed-over ones; transferable counts only queued ones; a thread is counted under the
 * nice value that `nice` remembers. */
#include "policies/ule_2005.h"

void u05_queue_init(struct sl_pol *p)
{
	struct u05 *u = u05_of(p);

	for (uint32_t c = 0; c < p->ncpus; c++) {
		struct u05_cpu *q = u05_cpu_of(p, c);

		for (int i = 0; i < U05_QUEUES; i++)
			sl_runq_init(&q->rq[i], U05_NQS);
		sl_list_init(&q->assigned);
		p->cpu[c].idle->cpu = (int32_t)c;
		sl_bit_set(u->idle_groups, p->tree->leaf[c]->first);
	}
	sl_bits_fill(u->idle_cpus, 0, p->ncpus);
}

/* --- Idle marks --- */

static void mark_idle(struct sl_pol *p, uint32_t cpu)
{
	struct u05 *u = u05_of(p);
	const struct sl_cpu_group *g = p->tree->leaf[cpu];

	sl_bit_set(u->idle_cpus, cpu);
	for (uint32_t c = g->first; c <= g->last; c++)
		if (sl_bit_test(g->mask, c) && !sl_bit_test(u->idle_cpus, c))
			return;
	sl_bit_set(u->idle_groups, g->first);
}

bool u05_unmark_idle(struct sl_pol *p, uint32_t cpu)
{
	struct u05 *u = u05_of(p);

	if (!sl_bit_test(u->idle_cpus, cpu))
		return false;
	sl_bit_clear(u->idle_cpus, cpu);
	sl_bit_clear(u->idle_groups, p->tree->leaf[cpu]->first);
	return true;
}

/* --- Load --- */

void u05_load_add(struct sl_pol *p, struct sl_thread *td)
{
	struct u05_cpu *q = u05_cpu_of(p, (uint32_t)td->cpu);
	struct u05_thread *ts = u05_thread_of(td);

	q->load++;
	ts->counted = true;
	ts->timeshare = u05_is_timeshare(td);
	ts->nice = td->proc->nice;
	if (!ts->timeshare)
		return;
	q->timeshare++;
	q->nice[ts->nice + 20]++;
}

void u05_load_rem(struct sl_pol *p, struct sl_thread *td)
{
	struct u05_cpu *q = u05_cpu_of(p, (uint32_t)td->cpu);
	struct u05_thread *ts = u05_thread_of(td);

	q->load--;
	ts->counted = false;
	if (!ts->timeshare)
		return;
	q->timeshare--;
	q->nice[ts->nice + 20]--;
}

/* --- Queues --- */

static uint8_t next_of(const struct u05_cpu *q)
{
	return q->curr == U05_QUEUE_A ? U05_QUEUE_B : U05_QUEUE_A;
}

/* Threads that run once per swap wait in next; the others may stay in curr for ever. */
static uint8_t queue_for(const struct u05_cpu *q, const struct sl_thread *td, unsigned srq)
{
	switch (SL_CLASS_BASE(td->pri_class)) {
	case SL_CLASS_TIMESHARE:
		if ((td->flags & SL_TDF_BORROWING) || (srq & SL_SRQ_PREEMPTED) ||
		    u05_interactive(td))
			return q->curr;
		return next_of(q);
	case SL_CLASS_IDLE:
		/* A lent priority takes it out of its class. */
		return td->pri < U05_IDLE_FIRST ? q->curr : (uint8_t)U05_QUEUE_IDLE;
	default:
		return q->curr;
	}
}

void u05_queue_here(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	uint32_t self = sl_pol_self(p);
	struct u05_cpu *q = u05_cpu_of(p, self);
	struct u05_thread *ts = u05_thread_of(td);

	td->cpu = (int32_t)self;
	ts->queue = queue_for(q, td, srq);
	ts->index = td->pri / U05_PPQ;
	ts->xferable = td->pinned == 0 && SL_CLASS_BASE(td->pri_class) != SL_CLASS_ITHD;
	q->transferable += ts->xferable;
	sl_runq_add(&q->rq[ts->queue], td, ts->index, (srq & SL_SRQ_PREEMPTED) != 0);
	u05_load_add(p, td);
	sl_why(p, SL_WHY_ENQUEUE, td, ts->index, td->pri, srq);
}

/* Off its queue; still counted. */
static void unqueue(struct sl_pol *p, struct sl_thread *td)
{
	struct u05_cpu *q = u05_cpu_of(p, (uint32_t)td->cpu);
	struct u05_thread *ts = u05_thread_of(td);

	q->transferable -= ts->xferable;
	ts->xferable = false;
	(void)sl_runq_remove(&q->rq[ts->queue], td, ts->index);
}

void u05_dequeue(struct sl_pol *p, struct sl_thread *td)
{
	struct u05_thread *ts = u05_thread_of(td);

	if (ts->assigned) {
		ts->assigned = false;
		sl_link_remove(&td->runq);
	} else {
		unqueue(p, td);
	}
	u05_load_rem(p, td);
}

/* --- Hand-over --- */

/* The target learns of it at once only when td is better than what runs there. */
void u05_hand_over(struct sl_pol *p, struct sl_thread *td, uint32_t cpu)
{
	struct sl_thread *cur = p->cpu[cpu].cur;

	/* The group's mark only: the CPU clears its own when it takes td in. */
	if (SL_CLASS_BASE(td->pri_class) == SL_CLASS_TIMESHARE ||
	    SL_CLASS_BASE(td->pri_class) == SL_CLASS_REALTIME)
		sl_bit_clear(u05_of(p)->idle_groups, p->tree->leaf[cpu]->first);
	td->cpu = (int32_t)cpu;
	u05_thread_of(td)->assigned = true;
	sl_list_prepend(&u05_cpu_of(p, cpu)->assigned, &td->runq);
	u05_load_add(p, td);
	if (td->pri >= cur->pri && !sl_thread_is_idle(cur)) {
		sl_why(p, SL_WHY_PREEMPT_NO, td, td->pri, cur->pri, 0);
		return;
	}
	cur->flags |= SL_TDF_NEEDRESCHED;
	sl_why(p, SL_WHY_PREEMPT_REMOTE, td, td->pri, cur->pri, 0);
	sl_pol_ipi(p, cpu, SL_IPI_AST);
}

void u05_take_in(struct sl_pol *p)
{
	struct u05_cpu *q = u05_cpu_of(p, sl_pol_self(p));

	while (!sl_list_empty(&q->assigned)) {
		struct sl_thread *td = SL_OF(q->assigned.next, struct sl_thread, runq);

		u05_dequeue(p, td);
		u05_add_held(p, td, SL_SRQ_YIELDING);
	}
}

/* --- Choice --- */

static struct sl_thread *first_that_may_go(const struct sl_runq *rq, uint32_t cpu)
{
	for (uint32_t i = sl_runq_next(rq, 0); i < rq->nqs; i = sl_runq_next(rq, i + 1))
		for (struct sl_thread *td = sl_runq_head(rq, i); td != NULL;
		     td = sl_runq_behind(rq, td, i))
			if (td->pinned == 0 && SL_CLASS_BASE(td->pri_class) != SL_CLASS_ITHD &&
			    u05_may_run_on(td, cpu))
				return td;
	return NULL;
}

/* The reverse of the order in which the victim would run them. */
struct sl_thread *u05_steal(const struct sl_pol *p, uint32_t from, uint32_t cpu, bool idle_too)
{
	const struct u05_cpu *q = u05_cpu_of(p, from);
	struct sl_thread *td = first_that_may_go(&q->rq[next_of(q)], cpu);

	if (td == NULL)
		td = first_that_may_go(&q->rq[q->curr], cpu);
	if (td == NULL && idle_too)
		td = first_that_may_go(&q->rq[U05_QUEUE_IDLE], cpu);
	return td;
}

/* From a hyper-thread of the same core, highest number first. */
static bool steal_from_sibling(struct sl_pol *p, uint32_t cpu)
{
	const struct sl_cpu_group *g = p->tree->leaf[cpu];

	for (uint32_t c = g->last + 1; p->smp && c-- > g->first;) {
		struct sl_thread *td = NULL;

		if (c != cpu && sl_bit_test(g->mask, c) && u05_cpu_of(p, c)->transferable > 0)
			td = u05_steal(p, c, cpu, false);
		if (td == NULL)
			continue;
		u05_of(p)->steals++;
		sl_why(p, SL_WHY_STEAL, td, c, u05_cpu_of(p, c)->load,
		       u05_cpu_of(p, c)->transferable);
		u05_dequeue(p, td);
		td->cpu = (int32_t)cpu;
		u05_add_held(p, td, SL_SRQ_YIELDING);
		return true;
	}
	return false;
}

static struct sl_thread *first(struct u05_cpu *q)
{
	struct sl_thread *td = sl_runq_first(&q->rq[q->curr]);

	if (td == NULL) {
		q->curr = next_of(q);
		td = sl_runq_first(&q->rq[q->curr]);
	}
	if (td == NULL)
		q->curr = next_of(q);
	return td != NULL ? td : sl_runq_first(&q->rq[U05_QUEUE_IDLE]);
}

struct sl_thread *u05_choose(struct sl_pol *p)
{
	uint32_t self = sl_pol_self(p);
	struct u05_cpu *q = u05_cpu_of(p, self);
	struct sl_thread *td;

	do {
		u05_take_in(p);
		td = first(q);
		if (td != NULL && SL_CLASS_BASE(td->pri_class) != SL_CLASS_IDLE)
			break;
	} while (steal_from_sibling(p, self));
	if (td == NULL || SL_CLASS_BASE(td->pri_class) == SL_CLASS_IDLE)
		mark_idle(p, self);
	if (td == NULL)
		return NULL;
	sl_why(p, SL_WHY_CHOOSE, td, u05_thread_of(td)->index, td->pri, 0);
	unqueue(p, td);
	return td;
}
