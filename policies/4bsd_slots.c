/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Thread groups of 2005 ("ksegrp"): a multi-threaded process has so many run slots;
 * threads beyond them wait in the group, unseen by the system queues and the load.
 * Invariants, for processes that were ever multi-threaded: every runnable member is
 * in group->ready, ordered by priority, FIFO among equals; those in a system queue
 * (assigned) are the first ones of that list, up to group->last_assigned; running
 * members hold a slot. */
#include "policies/4bsd.h"

static void ready_plain(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	bsd_of(p)->era->enqueue(p, td, srq);
}

const struct bsd_grouping bsd_grouping_none = {
	.ready = ready_plain,
	.put_back = ready_plain,
	.unready = bsd_dequeue,
};

static struct sl_thread *ready_first(const struct bsd_group *group)
{
	return sl_list_empty(&group->ready)
		       ? NULL
		       : SL_OF(group->ready.next, struct bsd_thread, in_ready)->td;
}

static struct sl_thread *ready_behind(const struct bsd_group *group, const struct sl_thread *td)
{
	struct sl_link *l = bsd_td(td)->in_ready.next;

	return l == &group->ready ? NULL : SL_OF(l, struct bsd_thread, in_ready)->td;
}

static struct sl_thread *ready_before(const struct bsd_group *group, const struct sl_thread *td)
{
	struct sl_link *l = bsd_td(td)->in_ready.prev;

	return l == &group->ready ? NULL : SL_OF(l, struct bsd_thread, in_ready)->td;
}

static bool is_ready(const struct sl_thread *td)
{
	return !sl_link_idle(&bsd_td(td)->in_ready);
}

static void insert_ready(struct bsd_group *group, struct sl_thread *td)
{
	struct sl_link *l = group->ready.next;

	while (l != &group->ready && SL_OF(l, struct bsd_thread, in_ready)->td->pri <= td->pri)
		l = l->next;
	sl_link_put_before(l, &bsd_td(td)->in_ready);
}

/* Takes td out of the group's list; the last assigned one is then the one before. */
static void remove_ready(struct bsd_group *group, struct sl_thread *td)
{
	if (group->last_assigned == td)
		group->last_assigned = ready_before(group, td);
	sl_link_remove(&bsd_td(td)->in_ready);
}

/* First member that waits for a slot. */
static struct sl_thread *first_unassigned(const struct bsd_group *group)
{
	return group->last_assigned == NULL ? ready_first(group)
					    : ready_behind(group, group->last_assigned);
}

/* A member that got no slot still challenges the worst running member of its group. */
static void same_group_test(struct sl_pol *p, struct sl_thread *td)
{
	const struct bsd_era *era = bsd_of(p)->era;
	struct sl_thread *worst = NULL;

	for (struct sl_thread *m = bsd_member_first(era, td); m != NULL;
	     m = bsd_member_next(era, m))
		if (m != td && m->oncpu >= 0 && (worst == NULL || m->pri > worst->pri))
			worst = m;
	if (worst == NULL || td->pri >= worst->pri)
		return;
	worst->flags |= SL_TDF_NEEDRESCHED;
	sl_why(p, SL_WHY_RESCHED, worst, td->pri, worst->pri, worst->oncpu);
	if ((uint32_t)worst->oncpu != sl_pol_self(p))
		sl_pol_ipi(p, (uint32_t)worst->oncpu, SL_IPI_AST);
}

/* Gives the first unassigned member a slot and shows it to the system; it may take the
 * CPU at once. Do nothing afterwards. */
static void assign(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	struct bsd_group *group = bsd_td(td)->group;

	group->slots--;
	group->last_assigned = td;
	bsd_of(p)->era->enqueue(p, td, srq);
}

/* Threads of the group that are worse than td give up their slots for it. */
static void make_room(struct sl_pol *p, const struct sl_thread *td)
{
	struct bsd_group *group = bsd_td(td)->group;

	while (group->slots <= 0 && group->last_assigned != NULL &&
	       group->last_assigned->pri > td->pri) {
		struct sl_thread *loser = group->last_assigned;

		bsd_dequeue(p, loser);
		loser->cpu = BSD_CPU_NONE;
		group->last_assigned = ready_before(group, loser);
		group->slots++;
	}
}

static void ready_slots(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	struct bsd_group *group = bsd_td(td)->group;
	struct sl_thread *gets;

	if (!bsd_td(td)->threaded) {
		ready_plain(p, td, srq);
		return;
	}
	make_room(p, td);
	insert_ready(group, td);
	gets = group->slots > 0 ? first_unassigned(group) : NULL;
	if (gets != td) {
		td->cpu = BSD_CPU_NONE; /* held back: in no queue */
		bsd_announce_queued(p, td);
	}
	if (gets != NULL)
		assign(p, gets, gets == td ? srq : (unsigned)SL_SRQ_BORING);
	else
		same_group_test(p, td);
}

/* A free slot goes to the next one in line. */
static void fill_slot(struct sl_pol *p, struct bsd_group *group)
{
	struct sl_thread *td = group->slots > 0 ? first_unassigned(group) : NULL;

	if (td != NULL)
		assign(p, td, SL_SRQ_BORING);
}

static void unready_slots(struct sl_pol *p, struct sl_thread *td)
{
	struct bsd_group *group = bsd_td(td)->group;

	if (!bsd_td(td)->threaded) {
		bsd_dequeue(p, td);
		return;
	}
	if (bsd_td(td)->queue != BSD_QUEUE_NONE) {
		bsd_dequeue(p, td);
		group->slots++;
	}
	remove_ready(group, td);
	fill_slot(p, group);
}

static void put_back_slots(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	if (bsd_td(td)->threaded)
		bsd_td(td)->group->slots++;
	ready_slots(p, td, srq);
}

static void leave_slots(struct sl_pol *p, struct sl_thread *td)
{
	if (!bsd_td(td)->threaded)
		return;
	bsd_td(td)->group->slots++;
	fill_slot(p, bsd_td(td)->group);
}

static void took_slots(struct sl_thread *td)
{
	if (bsd_td(td)->threaded && is_ready(td))
		remove_ready(bsd_td(td)->group, td);
}

static bool may_follow(const struct sl_thread *td, uint32_t cpu)
{
	int32_t queue = bsd_td(td)->queue;

	if (td->state != SL_TS_RUNQ)
		return false;
	if (queue == BSD_QUEUE_NONE)
		return td->pinned == 0 && sl_bit_test(td->mask, cpu);
	return queue == BSD_QUEUE_GLOBAL || queue == (int32_t)cpu;
}

/* Takes a follower out of line; a held back one overdraws the slots for a while. */
static struct sl_thread *take_follower(struct sl_pol *p, struct sl_thread *td)
{
	if (bsd_td(td)->queue != BSD_QUEUE_NONE) {
		bsd_take_off(p, td);
	} else {
		bsd_count_load(bsd_of(p), td, 1);
		bsd_td(td)->group->slots--;
	}
	return td;
}

/* kern.sched.followon: a group mate comes next, else a thread of the same process. */
static struct sl_thread *follow_slots(struct sl_pol *p, uint32_t cpu, struct sl_thread *td)
{
	struct bsd *b = bsd_of(p);
	const struct bsd_group *group = bsd_td(td)->group;

	if (!b->followon || !bsd_td(td)->threaded)
		return NULL;
	for (struct sl_thread *m = ready_first(group); m != NULL; m = ready_behind(group, m))
		if (m != td && may_follow(m, cpu)) {
			b->kgfollowons++;
			return take_follower(p, m);
		}
	for (struct sl_thread *m = bsd_thread_first(b->era, td->proc); m != NULL;
	     m = bsd_thread_next(b->era, m))
		if (m != td && may_follow(m, cpu)) {
			b->pfollowons++;
			return take_follower(p, m);
		}
	return NULL;
}

/* The process becomes multi-threaded: from now on its first group counts slots. */
static void become_threaded(const struct sl_pol *p, struct sl_thread *first)
{
	const struct bsd *b = bsd_of(p);
	struct bsd_group *group = bsd_td(first)->group;

	bsd_td(first)->threaded = true;
	if (b->thr_scope != BSD_SCOPE_SYSTEM)
		group->concurrency =
			b->thr_concurrency > 0 ? b->thr_concurrency : 2 * (int32_t)p->ncpus;
	group->slots = group->concurrency;
	if (first->state == SL_TS_RUNNING || first->state == SL_TS_RUNQ)
		group->slots--;
	if (first->state == SL_TS_RUNQ) {
		insert_ready(group, first);
		group->last_assigned = first;
	}
}

static void join_slots(struct sl_pol *p, struct sl_thread *first, struct sl_thread *td)
{
	struct bsd_thread *bt = bsd_td(td);

	if (!bsd_td(first)->threaded)
		become_threaded(p, first);
	bt->threaded = true;
	if (bsd_of(p)->thr_scope == BSD_SCOPE_SYSTEM)
		return;
	bt->group = bsd_td(first)->group;
	bt->group->members++;
	td->user_pri = first->user_pri;
	td->base_user_pri = first->base_user_pri;
}

/* The group lives in one of its threads; when that one ends, it moves. */
static void move_group(const struct bsd_era *era, struct sl_thread *from, struct sl_thread *to)
{
	struct bsd_group *old = bsd_td(from)->group, *new = &bsd_td(to)->own;
	struct sl_thread *m = bsd_thread_first(era, from->proc);

	bsd_td(from)->group = new;
	*new = *old;
	if (sl_list_empty(&old->ready)) {
		sl_list_init(&new->ready);
	} else {
		new->ready.next->prev = &new->ready;
		new->ready.prev->next = &new->ready;
	}
	for (; m != NULL; m = bsd_thread_next(era, m))
		if (bsd_td(m)->group == old)
			bsd_td(m)->group = new;
}

static bool quit_slots(struct sl_pol *p, struct sl_thread *td)
{
	const struct bsd_era *era = bsd_of(p)->era;
	struct bsd_thread *bt = bsd_td(td);
	struct sl_thread *heir = bsd_member_first(era, td);

	if (bt->group->members == 1)
		return true;
	if (heir == td)
		heir = bsd_member_next(era, td);
	if (bt->group == &bt->own)
		move_group(era, td, heir);
	bt->group->members--;
	return false;
}

const struct bsd_grouping bsd_grouping_ksegrp = {
	.ready = ready_slots,
	.put_back = put_back_slots,
	.unready = unready_slots,
	.leave = leave_slots,
	.took = took_slots,
	.follow = follow_slots,
	.join = join_slots,
	.quit = quit_slots,
};
