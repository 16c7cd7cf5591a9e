/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What threads wait on: sleep queues, mutexes, semaphores, barriers, channels, disks,
 * replay edges.
 * Invariant: a thread whose state is SLEEP or BLOCKED is in at most one queue, or in the
 * time-out heap; a woken thread is in neither when the policy hears of it. */
#include "sim/core/engine.h"

#include <stdlib.h>

static bool make(void **p, uint32_t n, size_t size, size_t *memory)
{
	*p = n ? calloc(n, size) : NULL;
	*memory += n * size;
	return n == 0 || *p;
}

static bool init_disks(struct sl_sim *s)
{
	for (uint32_t i = 0; i < s->w->n_disks; i++) {
		s->disk[i].free_at = calloc(s->w->disk[i].servers, sizeof(sl_time));
		if (!s->disk[i].free_at)
			return false;
	}
	return true;
}

bool sl_sync_init(struct sl_sim *s)
{
	const struct sl_workload *w = s->w;

	if (!make((void **)&s->mutex, w->n_mutexes, sizeof *s->mutex, &s->memory) ||
	    !make((void **)&s->cond, w->n_conds, sizeof *s->cond, &s->memory) ||
	    !make((void **)&s->sem, w->n_sems, sizeof *s->sem, &s->memory) ||
	    !make((void **)&s->barrier, w->n_barriers, sizeof *s->barrier, &s->memory) ||
	    !make((void **)&s->chan, w->n_channels, sizeof *s->chan, &s->memory) ||
	    !make((void **)&s->disk, w->n_disks, sizeof *s->disk, &s->memory) ||
	    !make((void **)&s->edge, w->n_edges, sizeof *s->edge, &s->memory) ||
	    !make((void **)&s->timer_base, w->n_timers, sizeof *s->timer_base, &s->memory) ||
	    !init_disks(s))
		return false;
	for (uint32_t i = 0; i < w->n_mutexes; i++)
		sl_list_init(&s->mutex[i].waiters);
	for (uint32_t i = 0; i < w->n_conds; i++)
		sl_list_init(&s->cond[i].waiters);
	for (uint32_t i = 0; i < w->n_sems; i++) {
		s->sem[i].count = w->sem[i].initial;
		sl_list_init(&s->sem[i].waiters);
	}
	for (uint32_t i = 0; i < w->n_barriers; i++)
		sl_list_init(&s->barrier[i].waiters);
	for (uint32_t i = 0; i < w->n_channels; i++) {
		sl_list_init(&s->chan[i].senders);
		sl_list_init(&s->chan[i].receivers);
	}
	for (uint32_t i = 0; i < w->n_timers; i++)
		s->timer_base[i] = SL_TIME_MAX;
	return true;
}

void sl_sync_fini(struct sl_sim *s)
{
	for (uint32_t i = 0; s->disk && i < s->w->n_disks; i++)
		free(s->disk[i].free_at);
	free(s->mutex);
	free(s->cond);
	free(s->sem);
	free(s->barrier);
	free(s->chan);
	free(s->disk);
	free(s->edge);
	free(s->timer_base);
}

static void note_wait(struct ethread *t, uint8_t waits_for, uint32_t obj)
{
	t->waits_for = waits_for;
	t->blocked_on = obj;
}

void sl_sync_sleep(struct sl_sim *s, uint32_t cpu, struct ethread *t, struct sl_link *queue,
		   uint8_t waits_for, uint32_t obj, enum sl_wprio prio, sl_time until)
{
	bool ithread = t->td.pri_class == SL_CLASS_ITHD;
	unsigned reason = until != SL_TIME_MAX ? SL_SW_SLEEPQTIMO : SL_SW_SLEEPQ;

	if (queue)
		sl_list_append(queue, &t->wait);
	note_wait(t, waits_for, obj);
	t->sleep_cpu = cpu;
	s->pol.cpu[cpu].blocking = true;
	if (!ithread) {
		t->sysrem += s->costs.syscall_ns;
		if (s->ops->sleep)
			s->ops->sleep(&s->pol, &t->td, prio);
	}
	if (until != SL_TIME_MAX &&
	    !sl_evheap_push(&s->timeouts, sl_ev_of(until, t->td.id, t->slot)))
		sl_sim_fail(s, SL_END_NOMEM, "out of memory");
	t->td.state = ithread ? SL_TS_IWAIT : SL_TS_SLEEP;
	sl_sim_emit(s, (struct sl_rec){ .at = s->pol.now,
					.kind = SL_REC_SLEEP,
					.cpu = (uint16_t)cpu,
					.a = t->td.id,
					.b = waits_for,
					.c = prio });
	sl_cpu_switch(s, cpu, SL_SW_VOL | (ithread ? SL_SW_IWAIT : reason), NULL);
}

static void note_runnable(struct sl_sim *s, struct ethread *t)
{
	t->waits_for = SL_OP_KIND_COUNT;
	t->runnable_since = s->pol.now;
	t->fresh_wake = true;
	t->wakeups++;
	s->total.wakeups++;
	t->td.state = SL_TS_CAN_RUN;
}

static void emit_wake(struct sl_sim *s, const struct ethread *t)
{
	const struct sl_cpu *v = &s->pol.cpu[s->self];

	sl_sim_emit(s, (struct sl_rec){ .at = s->pol.now,
					.kind = SL_REC_WAKE,
					.cpu = (uint16_t)s->self,
					.a = t->td.id,
					.b = v->intr_nesting ? SL_REC_IDLE : rec_tid(v->cur),
					.aux = (uint64_t)(uint32_t)t->td.cpu });
}

/* The waker, when it is a thread, pays for the work. */
static void charge_waker(struct sl_sim *s)
{
	struct sl_cpu *v = &s->pol.cpu[s->self];

	if (s->costs.wake_ns && v->intr_nesting == 0 && !sl_thread_is_idle(v->cur))
		ethread_of(v->cur)->sysrem += s->costs.wake_ns;
}

void sl_sync_wake(struct sl_sim *s, struct ethread *t, enum sl_wprio raise, unsigned srq)
{
	if (!sl_link_idle(&t->wait))
		sl_link_remove(&t->wait);
	note_runnable(s, t);
	charge_waker(s);
	if (s->ops->wakeup)
		s->ops->wakeup(&s->pol, &t->td, raise, srq);
	else
		s->ops->add(&s->pol, &t->td, srq);
	emit_wake(s, t);
}

struct ethread *sl_sync_pick(const struct sl_sim *s, struct sl_link *queue)
{
	struct ethread *best = SL_OF(queue->next, struct ethread, wait);

	if (s->m.user_semaphores)
		return best;
	for (struct sl_link *l = best->wait.next; l != queue; l = l->next) {
		struct ethread *t = SL_OF(l, struct ethread, wait);

		if (t->td.pri < best->td.pri)
			best = t;
	}
	return best;
}

/* Lends the waiter's priority along the chain of owners (4bsd.md 11.3). */
static void lend_chain(struct sl_sim *s, struct emutex *m, uint8_t kind, const struct ethread *w)
{
	struct ethread *owner = m->owner;
	uint32_t guard = 0;

	while (owner && guard++ < s->next_id) {
		if (kind == SL_MUTEX_USER_PI) {
			if (s->ops->lend_user_prio && owner->td.user_pri > w->td.user_pri)
				s->ops->lend_user_prio(&s->pol, &owner->td, w->td.user_pri);
			return;
		}
		if (owner->td.pri <= w->td.pri || !s->ops->lend_prio)
			return;
		s->ops->lend_prio(&s->pol, &owner->td, w->td.pri);
		if (owner->td.state != SL_TS_BLOCKED)
			return;
		owner = s->mutex[owner->blocked_on].owner;
	}
}

static void block_on_turnstile(struct sl_sim *s, uint32_t cpu, struct ethread *t, uint32_t obj)
{
	note_wait(t, SL_OP_LOCK, obj);
	s->pol.cpu[cpu].blocking = true;
	lend_chain(s, &s->mutex[obj], SL_MUTEX_KERNEL, t);
	t->td.state = SL_TS_BLOCKED;
	sl_cpu_switch(s, cpu, SL_SW_VOL | SL_SW_TURNSTILE, NULL);
}

bool sl_sync_lock(struct sl_sim *s, uint32_t cpu, struct ethread *t, uint32_t obj)
{
	struct emutex *m = &s->mutex[obj];
	uint8_t kind = s->w->mutex[obj].kind;

	if (!m->owner) {
		m->owner = t;
		sl_list_append(&t->owned, &m->in_owner);
		return true;
	}
	if (kind == SL_MUTEX_KERNEL) {
		sl_list_append(&m->waiters, &t->wait);
		block_on_turnstile(s, cpu, t, obj);
		return false;
	}
	if (kind == SL_MUTEX_USER_PI)
		lend_chain(s, m, kind, t);
	sl_sync_sleep(s, cpu, t, &m->waiters, SL_OP_LOCK, obj, SL_WPRIO_NONE, SL_TIME_MAX);
	return false;
}

/* Best priority among waiters for kernel (or PI) mutexes that t still holds; 255: none. */
static uint8_t still_lent(const struct sl_sim *s, struct ethread *t, uint8_t kind)
{
	uint8_t best = 255;

	for (struct sl_link *o = t->owned.next; o != &t->owned; o = o->next) {
		struct emutex *m = SL_OF(o, struct emutex, in_owner);

		if (s->w->mutex[m - s->mutex].kind != kind)
			continue;
		for (struct sl_link *l = m->waiters.next; l != &m->waiters; l = l->next) {
			const struct sl_thread *td = &SL_OF(l, struct ethread, wait)->td;
			uint8_t pri = kind == SL_MUTEX_KERNEL ? td->pri : td->user_pri;

			if (pri < best)
				best = pri;
		}
	}
	return best;
}

static struct ethread *best_waiter(struct emutex *m)
{
	struct ethread *best = NULL;

	for (struct sl_link *l = m->waiters.next; l != &m->waiters; l = l->next) {
		struct ethread *t = SL_OF(l, struct ethread, wait);

		if (!best || t->td.pri < best->td.pri)
			best = t;
	}
	return best;
}

/* Ends the loans made for the mutex just released. */
static void end_loans(struct sl_sim *s, struct ethread *t, uint8_t kind)
{
	if (kind == SL_MUTEX_KERNEL && s->ops->unlend_prio && (t->td.flags & SL_TDF_BORROWING))
		s->ops->unlend_prio(&s->pol, &t->td, still_lent(s, t, kind));
	if (kind == SL_MUTEX_USER_PI && s->ops->lend_user_prio && t->td.lend_user_pri != 255)
		s->ops->lend_user_prio(&s->pol, &t->td, still_lent(s, t, kind));
}

/* The lock is handed to the best waiter: nobody can take it in between. */
void sl_sync_unlock(struct sl_sim *s, struct ethread *t, uint32_t obj)
{
	struct emutex *m = &s->mutex[obj];
	uint8_t kind = s->w->mutex[obj].kind;
	struct ethread *next;

	if (m->owner != t) {
		sl_result_program(s, t, "unlocks, without holding it, mutex",
				  s->w->mutex[obj].name);
		return;
	}
	sl_link_remove(&m->in_owner);
	m->owner = NULL;
	next = best_waiter(m);
	if (next) {
		sl_link_remove(&next->wait);
		m->owner = next;
		sl_list_append(&next->owned, &m->in_owner);
	}
	end_loans(s, t, kind);
	if (!next)
		return;
	if (kind == SL_MUTEX_KERNEL) {
		note_runnable(s, next);
		charge_waker(s);
		s->ops->add(&s->pol, &next->td, SL_SRQ_BORING);
		emit_wake(s, next);
	} else {
		sl_sync_wake(s, next, SL_WPRIO_NONE, SL_SRQ_BORING);
	}
}

bool sl_sync_sem_wait(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op)
{
	struct esem *m = &s->sem[op->obj];

	if (m->count > 0) {
		m->count--;
		return true;
	}
	sl_sync_sleep(s, cpu, t, &m->waiters, op->kind, op->obj, op->wprio, SL_TIME_MAX);
	return false;
}

/* True when a waiter was woken; otherwise the semaphore remembers the post. */
bool sl_sync_sem_post(struct sl_sim *s, const struct sl_op *op)
{
	struct esem *m = &s->sem[op->obj];

	if (sl_list_empty(&m->waiters)) {
		m->count++;
		return false;
	}
	sl_sync_wake(s, sl_sync_pick(s, &m->waiters), SL_WPRIO_NONE, SL_SRQ_BORING);
	return true;
}

/* Wakes all of a queue in the order they came, also when one that was woken queues again. */
static void wake_all(struct sl_sim *s, struct sl_link *queue)
{
	struct sl_link mine;

	sl_list_init(&mine);
	while (!sl_list_empty(queue)) {
		struct sl_link *l = queue->next;

		sl_link_remove(l);
		sl_list_append(&mine, l);
	}
	while (!sl_list_empty(&mine) && !s->ended)
		sl_sync_wake(s, SL_OF(mine.next, struct ethread, wait), SL_WPRIO_NONE,
			     SL_SRQ_BORING);
}

void sl_sync_cond_wake(struct sl_sim *s, uint32_t obj, bool all)
{
	struct sl_link *queue = &s->cond[obj].waiters;

	if (all)
		wake_all(s, queue);
	else if (!sl_list_empty(queue))
		sl_sync_wake(s, sl_sync_pick(s, queue), SL_WPRIO_NONE, SL_SRQ_BORING);
}

bool sl_sync_barrier(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op)
{
	struct ebarrier *b = &s->barrier[op->obj];

	if (++b->arrived >= s->w->barrier[op->obj].parties) {
		b->arrived = 0;
		wake_all(s, &b->waiters);
		return true;
	}
	sl_sync_sleep(s, cpu, t, &b->waiters, op->kind, op->obj, op->wprio, SL_TIME_MAX);
	return false;
}

static void wake_first(struct sl_sim *s, struct sl_link *queue)
{
	if (!sl_list_empty(queue))
		sl_sync_wake(s, sl_sync_pick(s, queue), SL_WPRIO_NONE, SL_SRQ_BORING);
}

bool sl_sync_send(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op)
{
	struct echan *ch = &s->chan[op->obj];
	uint64_t room = s->w->channel[op->obj].capacity - ch->used;
	uint64_t part = t->left < room ? t->left : room;

	ch->used += part;
	t->left -= part;
	s->pol.cpu[cpu].blocking =
		t->left > 0; /* a receiver must not preempt it before it sleeps */
	if (part > 0)
		wake_first(s, &ch->receivers);
	if (t->left == 0) {
		/* Room that is left belongs to the next sender. */
		if (ch->used < s->w->channel[op->obj].capacity)
			wake_first(s, &ch->senders);
		return true;
	}
	t->pending = PENDING_SEND;
	sl_sync_sleep(s, cpu, t, &ch->senders, op->kind, op->obj, op->wprio, SL_TIME_MAX);
	return false;
}

bool sl_sync_recv(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op)
{
	struct echan *ch = &s->chan[op->obj];
	uint64_t part = t->left < ch->used ? t->left : ch->used;

	ch->used -= part;
	t->left -= part;
	s->pol.cpu[cpu].blocking = t->left > 0;
	if (part > 0)
		wake_first(s, &ch->senders);
	if (t->left == 0) {
		if (ch->used > 0)
			wake_first(s, &ch->receivers);
		return true;
	}
	t->pending = PENDING_RECV;
	sl_sync_sleep(s, cpu, t, &ch->receivers, op->kind, op->obj, op->wprio, SL_TIME_MAX);
	return false;
}

/* First come, first served on the server that is free first. Returns the completion. */
sl_time sl_sync_disk(struct sl_sim *s, uint32_t obj, sl_time service)
{
	struct edisk *d = &s->disk[obj];
	uint32_t best = 0;
	sl_time start;

	for (uint32_t i = 1; i < s->w->disk[obj].servers; i++)
		if (d->free_at[i] < d->free_at[best])
			best = i;
	start = d->free_at[best] > s->pol.now ? d->free_at[best] : s->pol.now;
	d->free_at[best] = sl_time_add(start, service);
	d->requests++;
	return d->free_at[best];
}

/* A wake-up that came before the wait for it. */
static void emit_edge(struct sl_sim *s, uint32_t cpu, const struct ethread *t,
		      const struct sl_op *op)
{
	sl_sim_emit(s, (struct sl_rec){ .at = s->pol.now,
					.kind = SL_REC_EDGE,
					.cpu = (uint16_t)cpu,
					.a = t->td.id,
					.b = op->kind,
					.c = op->wprio,
					.aux = op->obj });
}

bool sl_sync_edge_wait(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op)
{
	struct eedge *e = &s->edge[op->obj];

	if (e->woken) {
		emit_edge(s, cpu, t, op);
		return true;
	}
	e->waiter = t;
	sl_sync_sleep(s, cpu, t, NULL, op->kind, op->obj, op->wprio, SL_TIME_MAX);
	return false;
}

void sl_sync_edge_wake(struct sl_sim *s, uint32_t cpu, const struct ethread *t,
		       const struct sl_op *op)
{
	struct eedge *e = &s->edge[op->obj];
	struct ethread *waiter = e->waiter;

	e->woken = true;
	e->waiter = NULL;
	if (waiter)
		sl_sync_wake(s, waiter, SL_WPRIO_NONE, SL_SRQ_BORING);
	else
		emit_edge(s, cpu, t, op);
}
