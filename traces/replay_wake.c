/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Wake-ups: who ended which wait.
 * Invariant: a wait is ended once. Its WAIT operation and the waker's WAKE operation carry
 * the same edge, and everything the sleeper does after the wait was recorded later than
 * everything the waker did before the wake-up, so programs and edges form no cycle. */
#include "traces/replay.h"

/* A wake-up that comes before the switch-out it ends does so while the sleeper is on its
 * way through the scheduler: microseconds. Where sched_wakeup is recorded as well it
 * cancels stale ones, so more time may pass (an interrupt, a slow host). */
#define EARLY_MAX_NS	     50000u
#define EARLY_MAX_CHECKED_NS 1000000u

static void end_wait(struct sl_replay *b, struct rp_thread *t, uint64_t at)
{
	(void)b;
	t->status = RP_RUNNABLE;
	t->woken = at;
}

static void set_sleep(struct rp_thread *t, uint64_t at, unsigned flags)
{
	struct rp_op *op = &t->ops[t->block];
	uint64_t off = t->off;

	flags |= rp_flags(*op);
	*op = rp_make(RP_SLEEP | flags, at > off ? at - off : 0, MAX(at, off));
}

static void set_edge(struct sl_replay *b, uint32_t w, uint32_t waker, uint32_t wake_op, uint64_t at)
{
	struct rp_thread *t = &b->threads[w];
	struct rp_op *op = &t->ops[t->block];
	uint64_t off = t->off, edge = b->n_edges++;

	*op = rp_make(RP_WAIT | rp_flags(*op), at > off ? at - off : 0, edge << 32 | waker);
	b->threads[waker].ops[wake_op] = rp_make(RP_WAKE, 0, edge << 32 | w);
}

/* A place in the waker's program where a WAKE may stand. */
static uint32_t reserve_wake(struct sl_replay *b, uint32_t waker, uint64_t at)
{
	struct rp_thread *k = &b->threads[waker];

	rp_charge(k, at);
	rp_flush_run(k);
	rp_push(k, rp_make(RP_NOP, 0, 0));
	return k->n_ops - 1;
}

void rp_wake_unseen(struct sl_replay *b, struct rp_thread *t, uint64_t at)
{
	bool start = rp_flags(t->ops[t->block]) & RPF_START;

	set_sleep(t, at, RPF_UNSEEN);
	if (!start)
		rp_repair(b, &b->report->unseen_wakes, "a blocked thread runs without a wake-up");
	end_wait(b, t, MIN(at, b->now));
}

void rp_wake_cancel(struct sl_replay *b, struct rp_thread *t)
{
	if (t->wake == RP_WAKE_PENDING)
		b->report->void_wakes++;
	t->wake = RP_WAKE_NONE;
}

static void resolve(struct sl_replay *b, uint32_t w, uint32_t waker, uint64_t at)
{
	if (waker != RP_NONE)
		set_edge(b, w, waker, reserve_wake(b, waker, at), at);
	else
		set_sleep(&b->threads[w], at, 0);
	end_wait(b, &b->threads[w], at);
}

/* A wake-up of a thread whose wait a guessed one had ended: this one is the true one. */
static void replace(struct sl_replay *b, uint32_t w, uint32_t waker, uint64_t at)
{
	struct rp_thread *t = &b->threads[w];

	if (t->wake_thread != RP_NONE)
		b->threads[t->wake_thread].ops[t->wake_op] = rp_make(RP_NOP, 0, 0);
	t->wake = RP_WAKE_NONE;
	b->report->early_wakes--;
	b->report->void_wakes++;
	/* Only the flags that say how it slept outlive the change. */
	t->ops[t->block] = rp_make(RP_BLOCK | (rp_flags(t->ops[t->block]) & (RPF_DISK | RPF_WPRIO)),
				   0, t->off);
	resolve(b, w, waker, at);
}

static void wake_early(struct sl_replay *b, uint32_t w, uint32_t waker, uint64_t at)
{
	struct rp_thread *t = &b->threads[w];

	rp_wake_cancel(b, t);
	t->wake = RP_WAKE_PENDING;
	t->pend_at = at;
	t->wake_thread = waker;
	if (waker == RP_NONE)
		return;
	uint32_t op = reserve_wake(b, waker, at);

	b->threads[w].wake_op = op;
}

/* w has just blocked: a wake-up that came a moment before may be the one that ends it. */
void rp_wake_at_block(struct sl_replay *b, uint32_t w)
{
	struct rp_thread *t = &b->threads[w];
	uint64_t bound = b->has_wakeup ? EARLY_MAX_CHECKED_NS : EARLY_MAX_NS;

	if (t->wake != RP_WAKE_PENDING)
		return;
	if (t->off - t->pend_at > bound) {
		rp_wake_cancel(b, t);
		return;
	}
	if (t->wake_thread != RP_NONE)
		set_edge(b, w, t->wake_thread, t->wake_op, t->pend_at);
	else
		set_sleep(t, t->pend_at, 0);
	b->report->early_wakes++;
	t->wake = RP_WAKE_GUESSED;
	end_wait(b, t, t->off);
}

static void wake(struct sl_replay *b, uint32_t w, uint32_t waker, uint64_t at)
{
	struct rp_thread *t = &b->threads[w];

	switch (t->status) {
	case RP_NEW:
		rp_block(t, b->t0, RPF_START);
		resolve(b, w, waker, at);
		break;
	case RP_LIMBO:
		rp_block(t, t->off, 0);
		resolve(b, w, waker, at);
		break;
	case RP_BLOCKED:
		resolve(b, w, waker, at);
		break;
	case RP_RUNNING:
		wake_early(b, w, waker, at);
		break;
	case RP_RUNNABLE:
		if (t->wake == RP_WAKE_GUESSED) {
			replace(b, w, waker, at);
			break;
		}
		b->report->idle_wakes++;
		break;
	default:
		b->report->idle_wakes++;
		break;
	}
}

void rp_wake_done(struct sl_replay *b, uint32_t w, const struct sl_event *ev, uint32_t waker)
{
	struct rp_thread *t = &b->threads[w];

	/* In a hard interrupt the current thread is a bystander; a thread that wakes itself
	 * is one on its way to sleep, interrupted. */
	if (waker >= RP_IDLE || waker == w || ev->ctx == SL_CTX_IRQ)
		waker = RP_NONE;
	if (ev->kind == SL_EV_WAKING) {
		b->has_waking = true;
		b->report->wakings++;
		wake(b, w, waker, ev->at);
		return;
	}
	b->has_wakeup = true;
	b->report->wakeups++;
	if (t->status == RP_RUNNING) {
		rp_wake_cancel(b, t); /* it never blocked */
		return;
	}
	if (t->status == RP_RUNNABLE || t->status == RP_DEAD)
		return;
	/* No sched_waking came before. On kernels that have none, the current thread is the
	 * waker only when the wake-up was not sent to another CPU. */
	if (b->has_waking) {
		waker = RP_NONE;
	} else if (waker == RP_NONE || t->cpu != ev->cpu) {
		waker = RP_NONE;
		b->report->unknown_wakers++;
	}
	wake(b, w, waker, ev->at);
}
