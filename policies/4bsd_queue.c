/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Making a thread runnable, and choosing one.
 * Invariants: a thread is in one queue at most, the one bsd_thread.queue names, in
 * list bsd_thread.rqidx; plen of a CPU is the length of its own queue; nrun is the
 * number of threads in queues plus those that run, idle threads excluded. */
#include "policies/4bsd.h"

/* Fewest threads in the own queue, starting from where it was last. */
static int32_t pick_cpu(const struct sl_pol *p, const struct sl_thread *td)
{
	int32_t best = bsd_td(td)->lastcpu;
	uint32_t bits = p->mask_words * 64;

	if (best != BSD_CPU_NONE && !sl_bit_test(td->mask, (uint32_t)best))
		best = BSD_CPU_NONE;
	for (uint32_t cpu = sl_bits_next(td->mask, p->mask_words, 0); cpu < bits;
	     cpu = sl_bits_next(td->mask, p->mask_words, cpu + 1))
		if (best == BSD_CPU_NONE ||
		    bsd_cpu(p, cpu)->plen < bsd_cpu(p, (uint32_t)best)->plen)
			best = (int32_t)cpu;
	SL_ASSERT(best != BSD_CPU_NONE);
	return best;
}

/* Which queue td belongs to now. */
static int32_t target_queue(struct sl_pol *p, const struct sl_thread *td)
{
	const struct bsd_thread *bt = bsd_td(td);
	int32_t cpu;

	if (!p->smp)
		return BSD_QUEUE_GLOBAL;
	if (td->pinned > 0 && bt->lastcpu != BSD_CPU_NONE)
		cpu = bt->lastcpu;
	else if (td->flags & SL_TDF_BOUND)
		cpu = bt->bound_cpu;
	else if (bt->affinity)
		cpu = pick_cpu(p, td);
	else
		return BSD_QUEUE_GLOBAL;
	sl_why(p, SL_WHY_PLACE_PINNED, td, td->pinned, cpu, bsd_cpu(p, (uint32_t)cpu)->plen);
	return cpu;
}

static void insert(struct sl_pol *p, struct sl_thread *td, int32_t queue, unsigned srq)
{
	struct bsd *b = bsd_of(p);
	struct bsd_thread *bt = bsd_td(td);
	bool head = (srq & SL_SRQ_PREEMPTED) != 0;

	bt->queue = queue;
	bt->rqidx = (uint8_t)(td->pri / b->era->ppq);
	if (queue == BSD_QUEUE_GLOBAL) {
		sl_runq_add(&b->global, td, bt->rqidx, head);
		td->cpu = BSD_CPU_NONE;
	} else {
		sl_runq_add(&bsd_cpu(p, (uint32_t)queue)->rq, td, bt->rqidx, head);
		bsd_cpu(p, (uint32_t)queue)->plen++;
		td->cpu = queue;
	}
	bsd_count_load(b, td, 1);
	sl_why(p, SL_WHY_ENQUEUE, td, bt->rqidx, td->pri, srq);
	bsd_announce_queued(p, td);
}

void bsd_count_load(struct bsd *b, const struct sl_thread *td, int32_t n)
{
	if (!(td->flags & SL_TDF_NOLOAD))
		b->nrun += (uint32_t)n;
}

void bsd_announce_queued(struct sl_pol *p, struct sl_thread *td)
{
	if (td->state == SL_TS_RUNQ)
		return;
	bsd_of(p)->n_queued++;
	sl_pol_queued(p, td);
}

void bsd_announce_dequeued(struct sl_pol *p, struct sl_thread *td)
{
	if (td->state != SL_TS_RUNQ)
		return;
	bsd_of(p)->n_queued--;
	sl_pol_dequeued(p, td);
}

void bsd_take_off(struct sl_pol *p, struct sl_thread *td)
{
	struct bsd *b = bsd_of(p);
	struct bsd_thread *bt = bsd_td(td);

	SL_ASSERT(bt->queue != BSD_QUEUE_NONE);
	if (bt->queue == BSD_QUEUE_GLOBAL) {
		sl_runq_remove(&b->global, td, bt->rqidx);
	} else {
		struct bsd_cpu *bc = bsd_cpu(p, (uint32_t)bt->queue);

		sl_runq_remove(&bc->rq, td, bt->rqidx);
		bc->plen--;
	}
	bt->queue = BSD_QUEUE_NONE;
}

void bsd_dequeue(struct sl_pol *p, struct sl_thread *td)
{
	bsd_take_off(p, td);
	bsd_count_load(bsd_of(p), td, -1);
}

void bsd_set_idle_bit(struct bsd *b, uint32_t cpu, bool on)
{
	if (bsd_is_idle_cpu(b, cpu) == on)
		return;
	if (on) {
		sl_bit_set(b->idle, cpu);
		b->n_idle++;
	} else {
		sl_bit_clear(b->idle, cpu);
		b->n_idle--;
	}
}

/* CPUs to signal into b->map, by the idle mask or by looking at what each CPU runs. */
static void forward_map(const struct sl_pol *p, struct bsd *b)
{
	for (uint32_t w = 0; w < p->mask_words; w++)
		b->map[w] = b->fwd_useloop ? 0 : b->idle[w];
	if (b->fwd_useloop)
		for (uint32_t cpu = 0; cpu < p->ncpus; cpu++)
			if (sl_thread_is_idle(p->cpu[cpu].cur))
				sl_bit_set(b->map, cpu);
	sl_bit_clear(b->map, sl_pol_self(p));
}

/* htt2: only whole idle pairs, if there are any; onecpu: only the lowest CPU. */
static void forward_narrow(const struct sl_pol *p, struct bsd *b)
{
	bool pairs = false;

	for (uint32_t w = 0; b->fwd_htt2 && w < p->mask_words; w++)
		pairs |= (b->map[w] & b->map[w] >> 1 & 0x5555555555555555u) != 0;
	for (uint32_t w = 0; pairs && w < p->mask_words; w++)
		b->map[w] &= b->map[w] >> 1 & 0x5555555555555555u;
	if (b->fwd_onecpu) {
		uint32_t first = sl_bits_next(b->map, p->mask_words, 0);

		for (uint32_t w = 0; w < p->mask_words; w++)
			b->map[w] = 0;
		if (first < p->ncpus)
			sl_bit_set(b->map, first);
	}
}

/* By default every idle CPU is woken for one thread; whoever gets there first takes it. */
bool bsd_forward(struct sl_pol *p)
{
	struct bsd *b = bsd_of(p);
	uint32_t first, n = 0;

	if (!b->fwd_enabled || (!b->fwd_usemask && !b->fwd_useloop) || !p->smp)
		return false;
	b->fwd_requested++;
	if (bsd_is_idle_cpu(b, sl_pol_self(p)))
		return false;
	forward_map(p, b);
	forward_narrow(p, b);
	first = sl_bits_next(b->map, p->mask_words, 0);
	if (first >= p->ncpus)
		return false;
	b->fwd_delivered++;
	for (uint32_t cpu = first; cpu < p->ncpus;
	     cpu = sl_bits_next(b->map, p->mask_words, cpu + 1)) {
		sl_pol_ipi(p, cpu, SL_IPI_AST);
		n++;
	}
	sl_why(p, SL_WHY_FORWARD, NULL, first, n, b->n_idle);
	return true;
}

/* Tells another CPU about a thread in its own queue. Late 14 and later also ask
 * whether the running thread's lock is the scheduler's, which it always is here. */
static void kick(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td)
{
	struct bsd *b = bsd_of(p);
	struct sl_thread *cur = p->cpu[cpu].cur;

	if (bsd_is_idle_cpu(b, cpu)) {
		b->fwd_delivered++;
		sl_why(p, SL_WHY_FORWARD, td, cpu, 1, b->n_idle);
		sl_pol_ipi(p, cpu, SL_IPI_AST);
		return;
	}
	if (td->pri >= cur->pri)
		return;
	cur->flags |= SL_TDF_NEEDRESCHED;
	sl_why(p, SL_WHY_RESCHED, cur, td->pri, cur->pri, cpu);
	sl_pol_ipi(p, cpu, SL_IPI_AST);
}

void bsd_resched_test(struct sl_pol *p, const struct sl_thread *td)
{
	struct sl_thread *cur = bsd_cur(p);

	if (td->pri >= cur->pri)
		return;
	cur->flags |= SL_TDF_NEEDRESCHED;
	sl_why(p, SL_WHY_RESCHED, cur, td->pri, cur->pri, sl_pol_self(p));
}

/* May td preempt this CPU's current thread? Without FULL_PREEMPTION only interrupt
 * threads preempt, and anything preempts the idle class. */
static bool may_preempt(struct sl_pol *p, const struct sl_thread *td)
{
	const struct bsd *b = bsd_of(p);
	const struct sl_thread *cur = bsd_cur(p);
	bool yes = td->pri < cur->pri && !p->cpu[sl_pol_self(p)].blocking &&
		   (td->pri <= b->era->ithd_max || cur->pri >= b->era->idle_min);

	sl_why(p, yes ? SL_WHY_PREEMPT_LOCAL : SL_WHY_PREEMPT_NO, td, td->pri, cur->pri,
	       b->era->ithd_max);
	return yes;
}

/* Has somebody else been told, so that this CPU need not react? */
static bool handed_off(struct sl_pol *p, struct sl_thread *td, int32_t queue, unsigned srq)
{
	struct bsd *b = bsd_of(p);
	uint32_t self = sl_pol_self(p);

	if (!p->smp)
		return false;
	if (queue != BSD_QUEUE_GLOBAL && queue != (int32_t)self) {
		kick(p, (uint32_t)queue, td);
		return true;
	}
	return queue == BSD_QUEUE_GLOBAL && !(srq & SL_SRQ_INTR) && b->n_idle > 0 &&
	       !bsd_is_idle_cpu(b, self) && bsd_forward(p);
}

bool bsd_direct_outside_critical(const struct sl_pol *p, uint32_t cpu, unsigned srq)
{
	(void)srq;
	return p->cpu[cpu].critnest == 0;
}

/* In 2005 an interrupt leaves its critical section before it schedules its thread. */
bool bsd_direct_interrupts_too(const struct sl_pol *p, uint32_t cpu, unsigned srq)
{
	return p->cpu[cpu].critnest == 0 || (p->cpu[cpu].critnest == 1 && (srq & SL_SRQ_INTR) != 0);
}

/* The machine switches only outside critical sections. Inside one, the thread waits in
 * its queue until the section ends, in this same instant, and is taken from there. */
static void preempt_direct(struct sl_pol *p, struct sl_thread *td, int32_t queue, unsigned srq)
{
	uint32_t self = sl_pol_self(p);
	struct bsd_cpu *bc = bsd_cpu(p, self);

	if (p->cpu[self].critnest == 0) {
		bsd_announce_dequeued(p, td);
		sl_pol_switch_to(p, td);
		return;
	}
	insert(p, td, queue, srq);
	bsd_cur(p)->flags |= SL_TDF_OWEPREEMPT;
	if (bc->direct == NULL || td->pri < bc->direct->pri)
		bc->direct = td;
}

/* 2005 .. 10.1: the tests come first, and a direct preemptor is never queued. */
void bsd_enqueue_tests_first(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	int32_t queue = target_queue(p, td);

	if (!handed_off(p, td, queue, srq)) {
		if (!(srq & SL_SRQ_OURSELF) && may_preempt(p, td)) {
			if (bsd_of(p)->era->preempts_direct(p, sl_pol_self(p), srq)) {
				preempt_direct(p, td, queue, srq);
				return;
			}
			bsd_cur(p)->flags |= SL_TDF_OWEPREEMPT;
		}
		bsd_resched_test(p, td);
	}
	insert(p, td, queue, srq);
}

/* 10.4 on: queued first; preemption is always owed, and then nothing is rescheduled. */
void bsd_enqueue_queue_first(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	int32_t queue = target_queue(p, td);

	insert(p, td, queue, srq);
	if (handed_off(p, td, queue, srq))
		return;
	if (may_preempt(p, td))
		bsd_cur(p)->flags |= SL_TDF_OWEPREEMPT;
	else
		bsd_resched_test(p, td);
}

void bsd_add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	bsd_of(p)->era->grouping->ready(p, td, srq);
}

void bsd_rem(struct sl_pol *p, struct sl_thread *td)
{
	bsd_announce_dequeued(p, td);
	bsd_of(p)->era->grouping->unready(p, td);
}

struct sl_thread *bsd_choose_first(const struct sl_runq *rq, int32_t fuzz, int32_t cpu)
{
	(void)fuzz;
	(void)cpu;
	return sl_runq_first(rq);
}

/* Of the first `fuzz` threads of the best list one that ran here last. */
struct sl_thread *bsd_choose_near(const struct sl_runq *rq, int32_t fuzz, int32_t cpu)
{
	struct sl_thread *first = sl_runq_first(rq), *td = first;

	for (int32_t i = 0; fuzz > 1 && td != NULL && i < fuzz; i++) {
		if (bsd_td(td)->lastcpu == cpu)
			return td;
		td = sl_runq_behind(rq, td, bsd_td(td)->rqidx);
	}
	return first;
}

/* The better of the two heads by exact priority; the machine's queue wins ties. */
struct sl_thread *bsd_choose(struct sl_pol *p, uint32_t cpu)
{
	struct bsd *b = bsd_of(p);
	struct sl_thread *td = b->era->choose_global(&b->global, b->runq_fuzz, (int32_t)cpu);

	if (p->smp) {
		struct sl_thread *own =
			b->era->choose_local(&bsd_cpu(p, cpu)->rq, b->runq_fuzz, (int32_t)cpu);

		if (td == NULL || (own != NULL && own->pri < td->pri))
			td = own;
	}
	if (td == NULL)
		return NULL;
	sl_why(p, SL_WHY_CHOOSE, td, bsd_td(td)->queue, td->pri, bsd_td(td)->rqidx);
	bsd_take_off(p, td);
	return td;
}
