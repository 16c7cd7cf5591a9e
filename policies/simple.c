/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariants: a waiting thread is on exactly one list, urgent or of the policy; a CPU
 * has its idle bit exactly while it is idle and has not been called to work; no CPU is
 * idle and uncalled while a thread waits that may run there. */
#include "policies/simple.h"

const struct sl_machine sl_simple_machine = {
	.hz = 1000,
	.stathz = 127,
	.clock = SL_CLOCK_ONESHOT,
	.groups = SL_CG_RULE_FLAT,
};

static inline struct sl_simple *simple_of(const struct sl_pol *p)
{
	return p->priv;
}

static inline bool is_urgent(const struct sl_thread *td)
{
	return SL_CLASS_BASE(td->pri_class) == SL_CLASS_ITHD;
}

bool sl_simple_may_run(const struct sl_thread *td, uint32_t cpu)
{
	return td->pinned > 0 ? td->cpu == (int32_t)cpu : sl_bit_test(td->mask, cpu);
}

struct sl_thread *sl_simple_first(const struct sl_link *list, uint32_t cpu)
{
	for (const struct sl_link *l = list->next; l != list; l = l->next) {
		struct sl_thread *td = SL_OF(l, struct sl_thread, runq);

		if (sl_simple_may_run(td, cpu))
			return td;
	}
	return NULL;
}

/* Does anybody wait that may run on cpu and, unless the CPU is idle, beats who runs? */
static bool has_work(const struct sl_simple *s, uint32_t cpu)
{
	const struct sl_thread *cur = s->p->cpu[cpu].cur;
	bool idle = sl_thread_is_idle(cur);

	if (!is_urgent(cur) && sl_simple_first(&s->urgent, cpu) != NULL)
		return true;
	for (uint32_t i = 0; i < SL_SIMPLE_LISTS; i++) {
		const struct sl_thread *td = sl_simple_first(&s->list[i], cpu);

		if (td != NULL && (idle || (s->ops->beats != NULL && !is_urgent(cur) &&
					    s->ops->beats(s, td, cur))))
			return true;
	}
	return false;
}

void sl_simple_init(struct sl_pol *p)
{
	struct sl_simple *s = simple_of(p);

	s->p = p;
	s->ops = p->ops->extra;
	sl_list_init(&s->urgent);
	for (uint32_t i = 0; i < SL_SIMPLE_LISTS; i++)
		sl_list_init(&s->list[i]);
	sl_bits_fill(s->idle, 0, p->ncpus);
	for (uint32_t i = 0; i < SL_ARRAY_LEN(s->param); i++)
		s->param[i] = s->ops->param[i];
}

void sl_simple_fork(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td)
{
	td->cpu = parent != NULL ? parent->cpu : (int32_t)sl_pol_self(p);
	td->pri = td->base_pri = td->user_pri = td->base_user_pri = SL_SIMPLE_PRI;
	td->lend_user_pri = UINT8_MAX;
}

void sl_simple_ithread(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio)
{
	(void)prio;
	sl_simple_fork(p, NULL, td);
	td->pri_class = SL_CLASS_ITHD;
	td->pri = td->base_pri = td->user_pri = td->base_user_pri = 0;
}

/* --- Calling a CPU to work --- */

static void call(struct sl_simple *s, uint32_t cpu)
{
	sl_bit_clear(s->idle, cpu);
	if (cpu == sl_pol_self(s->p))
		s->p->cpu[cpu].cur->flags |= SL_TDF_OWEPREEMPT;
	else
		sl_pol_ipi(s->p, cpu, SL_IPI_PREEMPT);
}

/* The CPU td ran on last if it is idle, else the lowest idle one that may run it. */
static bool call_idle(struct sl_simple *s, const struct sl_thread *td)
{
	uint32_t home = td->cpu >= 0 ? (uint32_t)td->cpu : 0;
	uint32_t words = s->p->mask_words;

	if (sl_bit_test(s->idle, home) && sl_simple_may_run(td, home)) {
		call(s, home);
		return true;
	}
	for (uint32_t c = sl_bits_next(s->idle, words, 0); c < s->p->ncpus;
	     c = sl_bits_next(s->idle, words, c + 1))
		if (sl_simple_may_run(td, c)) {
			call(s, c);
			return true;
		}
	return false;
}

static bool displaces(const struct sl_simple *s, const struct sl_thread *td,
		      const struct sl_thread *cur)
{
	if (is_urgent(td) || is_urgent(cur))
		return !is_urgent(cur);
	return s->ops->beats != NULL && s->ops->beats(s, td, cur);
}

/* td has just begun to wait: finds it a CPU if there is one. */
static void call_for(struct sl_simple *s, const struct sl_thread *td)
{
	if (call_idle(s, td) || (s->ops->beats == NULL && !is_urgent(td)))
		return;
	for (uint32_t c = 0; c < s->p->ncpus; c++) {
		const struct sl_cpu *cpu = &s->p->cpu[c];

		if (!sl_thread_is_idle(cpu->cur) && !cpu->blocking && sl_simple_may_run(td, c) &&
		    displaces(s, td, cpu->cur)) {
			call(s, c);
			return;
		}
	}
}

void sl_simple_preempt(struct sl_pol *p, uint32_t cpu)
{
	if (has_work(simple_of(p), cpu))
		p->cpu[cpu].cur->flags |= SL_TDF_OWEPREEMPT;
}

enum sl_idle_act sl_simple_idle(struct sl_pol *p, uint32_t cpu)
{
	struct sl_simple *s = simple_of(p);

	if (has_work(s, cpu))
		return SL_IDLE_SWITCH;
	sl_bit_set(s->idle, cpu);
	return SL_IDLE_HALT;
}

/* --- Waiting and running --- */

static void begin_to_wait(struct sl_simple *s, struct sl_thread *td, enum sl_simple_why why)
{
	if (is_urgent(td))
		sl_list_append(&s->urgent, &td->runq);
	else
		s->ops->enqueue(s, td, why);
	sl_pol_queued(s->p, td);
}

static void add(struct sl_pol *p, struct sl_thread *td, enum sl_simple_why why)
{
	struct sl_simple *s = simple_of(p);

	s->load++;
	begin_to_wait(s, td, why);
	call_for(s, td);
}

void sl_simple_add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	(void)srq;
	add(p, td, SL_SIMPLE_NEW);
}

void sl_simple_wakeup(struct sl_pol *p, struct sl_thread *td, enum sl_wprio raise, unsigned srq)
{
	(void)raise;
	(void)srq;
	add(p, td, SL_SIMPLE_WOKEN);
}

void sl_simple_rem(struct sl_pol *p, struct sl_thread *td)
{
	sl_link_remove(&td->runq);
	simple_of(p)->load--;
	sl_pol_dequeued(p, td);
}

static enum sl_simple_why why_put_back(const struct sl_thread *td, unsigned sw)
{
	if (td->flags & SL_TDF_SLICEEND)
		return SL_SIMPLE_TURN_OVER;
	if ((sw & SL_SW_REASON) == SL_SW_RELINQUISH)
		return SL_SIMPLE_YIELDED;
	return SL_SIMPLE_DISPLACED;
}

static struct sl_thread *take_next(struct sl_simple *s, uint32_t cpu)
{
	struct sl_thread *td = sl_simple_first(&s->urgent, cpu);
	bool any = td != NULL;

	for (uint32_t i = 0; i < SL_SIMPLE_LISTS && !any; i++)
		any = sl_simple_first(&s->list[i], cpu) != NULL;
	if (!any)
		return s->p->cpu[cpu].idle;
	if (td == NULL)
		td = s->ops->pick(s, cpu);
	sl_link_remove(&td->runq);
	td->cpu = (int32_t)cpu;
	sl_bit_clear(s->idle, cpu);
	return td;
}

struct sl_thread *sl_simple_switch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
				   unsigned sw, struct sl_thread *next)
{
	struct sl_simple *s = simple_of(p);
	enum sl_simple_why why = why_put_back(td, sw);
	bool idle = sl_thread_is_idle(td), goes_on = !idle && td->state == SL_TS_RUNNING;

	SL_ASSERT(next == NULL);
	td->flags &= (uint16_t) ~(SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND | SL_TDF_OWEPREEMPT);
	if (goes_on)
		begin_to_wait(s, td, why);
	else if (!idle)
		s->load--;
	next = take_next(s, cpu);
	if (goes_on && next != td)
		(void)call_idle(s, td);
	return next;
}

void sl_simple_clock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt)
{
	struct sl_simple *s = simple_of(p);

	(void)cpu;
	if (sl_thread_is_idle(td) || is_urgent(td) || s->ops->tick == NULL)
		return;
	sl_simple_thread_of(td)->used += (int32_t)cnt;
	if (s->ops->tick(s, td)) {
		td->flags |= SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND;
		sl_why(p, SL_WHY_SLICE_END, td, sl_simple_thread_of(td)->used, s->param[0], 0);
	}
}

/* --- Masks and binding --- */

void sl_simple_affinity(struct sl_pol *p, struct sl_thread *td)
{
	struct sl_simple *s = simple_of(p);

	if (td->state == SL_TS_RUNQ) {
		(void)call_idle(s, td);
	} else if (td->oncpu >= 0 && !sl_simple_may_run(td, (uint32_t)td->oncpu)) {
		td->flags |= SL_TDF_NEEDRESCHED;
		if ((uint32_t)td->oncpu != sl_pol_self(p))
			sl_pol_ipi(p, (uint32_t)td->oncpu, SL_IPI_AST);
	}
}

void sl_simple_unbind(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	if (!(td->flags & SL_TDF_BOUND))
		return;
	td->flags &= (uint16_t)~SL_TDF_BOUND;
	td->pinned--;
}

bool sl_simple_bind(struct sl_pol *p, struct sl_thread *td, uint32_t cpu)
{
	sl_simple_unbind(p, td);
	td->flags |= SL_TDF_BOUND;
	td->pinned++;
	td->cpu = (int32_t)cpu;
	return cpu != sl_pol_self(p);
}

int64_t sl_simple_metric(const struct sl_pol *p, const struct sl_thread *td, enum sl_metric which)
{
	switch (which) {
	case SL_METRIC_LOAD:
		return td == NULL ? (int64_t)simple_of(p)->load : -1;
	case SL_METRIC_SLICE:
		return td == NULL ? -1 : sl_simple_thread_of(td)->used;
	default:
		return -1;
	}
}
