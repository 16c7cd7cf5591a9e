/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A thin adapter for small policies: one pool of waiting threads for all CPUs. The
 * adapter knows masks, pins, idle CPUs, IPIs and interrupt threads; a policy says in
 * which order threads are served and when a turn is over (policies/fifo.c, rr.c,
 * mlfq.c, lottery.c).
 *
 * Cost: a thread that may not run everywhere makes the search for the next one walk
 * past it; otherwise O(1) plus what the policy's pick() costs. */
#ifndef SL_POLICIES_SIMPLE_H
#define SL_POLICIES_SIMPLE_H

#include "sim/core/policy.h"

#define SL_SIMPLE_LISTS 8
#define SL_SIMPLE_PRI	128 /* of all threads; interrupt threads have 0 */

struct sl_simple;

/* Why a thread joins those who wait. */
enum sl_simple_why {
	SL_SIMPLE_NEW,	     /* created, or handed a lock */
	SL_SIMPLE_WOKEN,     /* was asleep */
	SL_SIMPLE_YIELDED,   /* gave up the CPU */
	SL_SIMPLE_TURN_OVER, /* tick() said so */
	SL_SIMPLE_DISPLACED, /* preempted, or has to leave its CPU */
};

/* What a policy provides. */
struct sl_simple_ops {
	/* Puts td on one of s->list[], by td->runq. */
	void (*enqueue)(struct sl_simple *s, struct sl_thread *td, enum sl_simple_why why);
	/* Who runs on cpu now: a waiting thread that may (see sl_simple_first()). At least one
	 * exists. The adapter takes it off its list. */
	struct sl_thread *(*pick)(struct sl_simple *s, uint32_t cpu);
	/* `used` has grown by a stat tick: is the turn over? NULL: never. */
	bool (*tick)(struct sl_simple *s, struct sl_thread *td);
	int32_t param[4]; /* defaults of the policy's tunables */
	/* Does a waiting td displace a running one? NULL: never. */
	bool (*beats)(const struct sl_simple *s, const struct sl_thread *td,
		      const struct sl_thread *running);
};

/* One scheduler; sl_pol.priv. */
struct sl_simple {
	struct sl_pol *p;
	const struct sl_simple_ops *ops;
	int32_t param[4];      /* tunables of the policy */
	uint64_t draws;	       /* random numbers drawn so far */
	sl_time deadline;      /* for the policy's own use, 0 at the start */
	uint32_t load;	       /* waiting and running threads */
	struct sl_link urgent; /* interrupt threads that wait: served before all lists */
	struct sl_link list[SL_SIMPLE_LISTS];
	uint64_t idle[SL_BITS_WORDS(SL_TOPO_MAX_CPUS)]; /* idle CPUs nobody has called yet */
};

/* A thread's part; sl_thread.priv. */
struct sl_simple_thread {
	int32_t used;  /* stat ticks of the present turn; the policy resets it */
	uint8_t level; /* for the policy's own use, 0 at the start */
};

static inline struct sl_simple_thread *sl_simple_thread_of(const struct sl_thread *td)
{
	return td->priv;
}

/* First thread of the list that may run on cpu; NULL when there is none. */
struct sl_thread *sl_simple_first(const struct sl_link *list, uint32_t cpu);
/* May td run on cpu? */
bool sl_simple_may_run(const struct sl_thread *td, uint32_t cpu);

void sl_simple_init(struct sl_pol *p);
void sl_simple_fork(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td);
void sl_simple_ithread(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio);
void sl_simple_add(struct sl_pol *p, struct sl_thread *td, unsigned srq);
void sl_simple_wakeup(struct sl_pol *p, struct sl_thread *td, enum sl_wprio raise, unsigned srq);
void sl_simple_rem(struct sl_pol *p, struct sl_thread *td);
struct sl_thread *sl_simple_switch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
				   unsigned sw, struct sl_thread *next);
void sl_simple_clock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt);
enum sl_idle_act sl_simple_idle(struct sl_pol *p, uint32_t cpu);
void sl_simple_preempt(struct sl_pol *p, uint32_t cpu);
void sl_simple_affinity(struct sl_pol *p, struct sl_thread *td);
bool sl_simple_bind(struct sl_pol *p, struct sl_thread *td, uint32_t cpu);
void sl_simple_unbind(struct sl_pol *p, struct sl_thread *td);
int64_t sl_simple_metric(const struct sl_pol *p, const struct sl_thread *td, enum sl_metric which);

extern const struct sl_machine sl_simple_machine;

/* The fields of struct sl_policy that are the same for all; add name, summary, extra (the
 * struct sl_simple_ops) and tunables. */
#define SL_SIMPLE_POLICY                                                                           \
	.abi = SL_POLICY_ABI, .instance_size = sizeof(struct sl_simple),                           \
	.thread_size = sizeof(struct sl_simple_thread), .machine = &sl_simple_machine,             \
	.work_conserving = true, .init = sl_simple_init, .fork = sl_simple_fork,                   \
	.ithread = sl_simple_ithread, .add = sl_simple_add, .wakeup = sl_simple_wakeup,            \
	.rem = sl_simple_rem, .sswitch = sl_simple_switch, .clock = sl_simple_clock,               \
	.idle = sl_simple_idle, .preempt = sl_simple_preempt, .affinity = sl_simple_affinity,      \
	.bind = sl_simple_bind, .unbind = sl_simple_unbind, .metric = sl_simple_metric

/* A tunable kept in param[index]. */
#define SL_SIMPLE_PARAM(index)                                                                     \
	.offset = offsetof(struct sl_simple, param) + sizeof(int32_t) * (index)

#endif
