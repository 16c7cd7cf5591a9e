/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What happens to a thread between queues: birth, end, sleep, wake-up, binding.
 * Invariant: bsd_thread.affinity says whether td->mask leaves a CPU out. */
#include "policies/4bsd.h"

static bool mask_is_full(const struct sl_pol *p, const struct sl_thread *td)
{
	return sl_bits_count(td->mask, p->mask_words) == p->ncpus;
}

struct sl_thread *bsd_thread_first(const struct bsd_era *era, const struct sl_proc *proc)
{
	const struct sl_link *l = era->newest_first ? proc->threads.prev : proc->threads.next;

	return l == &proc->threads ? NULL : SL_OF(l, struct sl_thread, in_proc);
}

struct sl_thread *bsd_thread_next(const struct bsd_era *era, const struct sl_thread *td)
{
	const struct sl_link *l = era->newest_first ? td->in_proc.prev : td->in_proc.next;

	return l == &td->proc->threads ? NULL : SL_OF(l, struct sl_thread, in_proc);
}

static struct sl_thread *member_from(const struct bsd_era *era, struct sl_thread *td,
				     const struct bsd_group *group)
{
	while (td != NULL && bsd_td(td)->group != group)
		td = bsd_thread_next(era, td);
	return td;
}

struct sl_thread *bsd_member_first(const struct bsd_era *era, struct sl_thread *td)
{
	const struct bsd_group *group = bsd_td(td)->group;

	return group->members == 1 ? td : member_from(era, bsd_thread_first(era, td->proc), group);
}

struct sl_thread *bsd_member_next(const struct bsd_era *era, const struct sl_thread *td)
{
	const struct bsd_group *group = bsd_td(td)->group;

	return group->members == 1 ? NULL : member_from(era, bsd_thread_next(era, td), group);
}

/* A thread without history, alone in its group. */
void bsd_init_thread(struct sl_pol *p, struct sl_thread *td)
{
	const struct bsd_era *era = bsd_of(p)->era;
	struct bsd_thread *bt = bsd_td(td);

	*bt = (struct bsd_thread){
		.td = td,
		.group = &bt->own,
		.own = { .members = 1, .slots = 1, .concurrency = 1 },
		.slice = era->new_slice,
		.lastcpu = era->new_lastcpu,
		.bound_cpu = BSD_CPU_NONE,
		.queue = BSD_QUEUE_NONE,
	};
	sl_list_init(&bt->own.ready);
	td->lend_user_pri = UINT8_MAX;
	td->cpu = bt->lastcpu;
}

static void set_all_pris(struct sl_pol *p, struct sl_thread *td)
{
	const struct bsd *b = bsd_of(p);
	uint8_t pri = td->pri_class == SL_CLASS_TIMESHARE
			      ? bsd_user_pri(b->era, b->w, bsd_td(td)->group->usage, td->proc->nice)
			      : bsd_class_pri(b->era, td->pri_class, 0);

	td->pri = td->base_pri = td->user_pri = td->base_user_pri = pri;
}

void bsd_fork(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td)
{
	struct bsd_thread *bt = bsd_td(td);

	bsd_init_thread(p, td);
	bt->affinity = !mask_is_full(p, td);
	if (parent == NULL) {
		set_all_pris(p, td);
		return;
	}
	bt->own.usage = bsd_td(parent)->group->usage;
	td->user_pri = parent->user_pri;
	td->base_user_pri = parent->base_user_pri;
	td->base_pri = parent->base_pri;
	td->pri = bsd_of(p)->era->fork_copies_pri ? parent->pri : parent->base_pri;
}

void bsd_fork_thread(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td)
{
	const struct bsd_grouping *grouping = bsd_of(p)->era->grouping;
	struct sl_thread *first = sl_proc_first(td->proc);

	if (first == td)
		first = NULL;
	bsd_fork(p, parent, td);
	if (grouping->join != NULL && first != NULL)
		grouping->join(p, first, td);
}

/* The usage of what ends goes to the thread that its heir's process lists first. */
void bsd_exit(struct sl_pol *p, struct sl_thread *heir, struct sl_thread *td)
{
	const struct bsd *b = bsd_of(p);
	uint32_t usage = bsd_td(td)->group->usage, limit = (uint32_t)b->estcpu_limit;

	if (b->era->grouping->quit != NULL && !b->era->grouping->quit(p, td))
		return;
	if (heir != NULL)
		heir = bsd_thread_first(b->era, heir->proc);
	if (heir == td)
		heir = bsd_thread_next(b->era, td);
	if (heir == NULL)
		return;
	usage += bsd_td(heir)->group->usage;
	bsd_td(heir)->group->usage = usage < limit ? usage : limit;
}

void bsd_ithread(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio)
{
	const struct bsd *b = bsd_of(p);
	uint8_t pri = b->era->wprio[prio];

	bsd_init_thread(p, td);
	bsd_td(td)->affinity = !mask_is_full(p, td);
	bsd_td(td)->ithread_pri = pri;
	td->user_pri = td->base_user_pri = bsd_user_pri(b->era, b->w, 0, td->proc->nice);
	td->pri_class = SL_CLASS_ITHD;
	td->pri = td->base_pri = pri;
}

bool bsd_sleep_prio_any(const struct sl_thread *td)
{
	(void)td;
	return true;
}

bool bsd_sleep_prio_timeshare(const struct sl_thread *td)
{
	return td->pri_class == SL_CLASS_TIMESHARE;
}

void bsd_sleep(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio)
{
	const struct bsd_era *era = bsd_of(p)->era;

	bsd_td(td)->group->slp = 0;
	if (prio != SL_WPRIO_NONE && era->sleep_takes_prio(td))
		bsd_prio(p, td, era->wprio[prio]);
}

/* End of a sleep: ages the usage for what the pass left out. Refreshes the user
 * priority only: the thread is queued at the active priority it went to sleep with. */
static void credit_sleep(struct sl_pol *p, struct sl_thread *td)
{
	struct bsd *b = bsd_of(p);
	struct bsd_group *group = bsd_td(td)->group;

	if (group->slp > 1) {
		uint32_t old = group->usage;

		group->usage = bsd_catchup(b->ldavg[0], old, group->slp);
		sl_why(p, SL_WHY_DECAY, td, old, group->usage, b->ldavg[0]);
		bsd_recompute(p, td);
	}
	group->slp = 0;
	if (b->era->quantum->refill)
		bsd_td(td)->slice = b->slice;
}

void bsd_ithread_wake_plain(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	bsd_add(p, td, srq);
}

void bsd_ithread_wake_hook(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	credit_sleep(p, td);
	bsd_prio(p, td, bsd_td(td)->ithread_pri);
	bsd_add(p, td, srq);
}

void bsd_wakeup(struct sl_pol *p, struct sl_thread *td, enum sl_wprio raise, unsigned srq)
{
	const struct bsd_era *era = bsd_of(p)->era;

	if (srq & SL_SRQ_INTR) {
		era->ithread_wake(p, td, srq);
		return;
	}
	if (raise != SL_WPRIO_NONE && td->pri > era->wprio[raise] && era->sleep_takes_prio(td))
		bsd_prio(p, td, era->wprio[raise]);
	credit_sleep(p, td);
	bsd_add(p, td, SL_SRQ_BORING);
}

bool bsd_bind(struct sl_pol *p, struct sl_thread *td, uint32_t cpu)
{
	td->flags |= SL_TDF_BOUND;
	bsd_td(td)->bound_cpu = (int32_t)cpu;
	return cpu != sl_pol_self(p);
}

void bsd_unbind(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	td->flags &= (uint16_t)~SL_TDF_BOUND;
}

/* Lowest CPU that td may not use. */
static uint32_t first_forbidden(const struct sl_pol *p, const struct sl_thread *td)
{
	uint32_t cpu = 0;

	while (cpu < p->ncpus && sl_bit_test(td->mask, cpu))
		cpu++;
	return cpu;
}

/* A thread that runs on a forbidden CPU is flagged, but the interrupt goes to the first
 * forbidden CPU found, not to the one that runs it: it leaves at its next natural AST. */
void bsd_affinity(struct sl_pol *p, struct sl_thread *td)
{
	struct bsd_thread *bt = bsd_td(td);

	bt->affinity = !mask_is_full(p, td);
	if (!bt->affinity || td->pinned > 0 || (td->flags & SL_TDF_BOUND))
		return;
	if (td->state == SL_TS_RUNQ) {
		if (bt->queue >= 0 && sl_bit_test(td->mask, (uint32_t)bt->queue))
			return;
		bsd_rem(p, td);
		bsd_add(p, td, SL_SRQ_BORING);
		return;
	}
	if (td->oncpu < 0 || sl_bit_test(td->mask, (uint32_t)td->oncpu))
		return;
	td->flags |= SL_TDF_NEEDRESCHED;
	sl_why(p, SL_WHY_RESCHED, td, td->pri, td->pri, td->oncpu);
	if (td != bsd_cur(p))
		sl_pol_ipi(p, first_forbidden(p, td), SL_IPI_AST);
}

bool bsd_relinquish(struct sl_pol *p, struct sl_thread *td)
{
	if (!bsd_of(p)->era->yields_in_ast)
		return true;
	td->flags |= SL_TDF_NEEDRESCHED;
	return false;
}
