/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE of 2005: switch, stat tick, sleep, priorities, birth and death
 * (ule-history.md 1, C1, C4, C5, C14, C15).
 * Invariant: pri changes at returns to user mode, reschedule requests, nice and sleeps
 * with a priority, never by the formula alone. History is kept per thread: the kernel
 * keeps it per ksegrp, which is the same for single-threaded processes. */
#include "policies/ule_2005.h"

/* Of the two classes of terminals the label means the common, slow one. */
static const uint8_t wprio[SL_WPRIO_COUNT] = {
	[SL_WPRIO_PSWP] = 64,	 [SL_WPRIO_PVM] = 68,	     [SL_WPRIO_PINOD] = 72,
	[SL_WPRIO_PRIBIO] = 76,	 [SL_WPRIO_PVFS] = 80,	     [SL_WPRIO_PZERO] = 84,
	[SL_WPRIO_PSOCK] = 88,	 [SL_WPRIO_PWAIT] = 92,	     [SL_WPRIO_PLOCK] = 100,
	[SL_WPRIO_PPAUSE] = 104, [SL_WPRIO_PI_REALTIME] = 0, [SL_WPRIO_PI_AV] = 4,
	[SL_WPRIO_PI_NET] = 16,	 [SL_WPRIO_PI_DISK] = 20,    [SL_WPRIO_PI_TTY] = 24,
	[SL_WPRIO_PI_DULL] = 32, [SL_WPRIO_PI_SOFT] = 36,
};

static void init(struct sl_pol *p)
{
	struct u05 *u = u05_of(p);
	const struct u05_era *era = p->era;
	uint32_t rate = era->slice_rate(p->hz, p->stathz);

	u->slice_min = rate / 100 > 0 ? (int32_t)(rate / 100) : 1;
	u->slice_max = rate / 7 > 0 ? (int32_t)(rate / 7) : 1;
	u->tickincr = era->tick_worth(p->hz, p->stathz);
	u->cap = 5 * p->hz << 10;
	u->fork_cap = p->hz / 2 << 10;
	u05_queue_init(p);
	u05_balance_init(p);
}

/* --- Queues and switch --- */

static void add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	u05_add(p, td, srq);
	/* A thread that has taken over runs; it was never queued. */
	if (td->state == SL_TS_CAN_RUN)
		sl_pol_queued(p, td);
}

static void rem(struct sl_pol *p, struct sl_thread *td)
{
	u05_dequeue(p, td);
	sl_pol_dequeued(p, td);
}

/* Only a direct preemption leaves its mark; one that was owed does not (C14). */
static unsigned put_back_flags(unsigned sw)
{
	bool direct = (sw & SL_SW_REASON) == SL_SW_PREEMPTED;

	return SL_SRQ_OURSELF | SL_SRQ_YIELDING | (direct ? SL_SRQ_PREEMPTED : 0u);
}

/* No migration from here, unless the thread has been bound to another CPU. */
static void put_back(struct sl_pol *p, struct sl_thread *td, unsigned sw)
{
	bool direct = (sw & SL_SW_REASON) == SL_SW_PREEMPTED;

	if (td->pinned == 0 && !u05_may_run_on(td, (uint32_t)td->cpu))
		td->cpu = (int32_t)sl_bits_next(td->mask, p->mask_words, 0);
	u05_add_held(p, td, put_back_flags(sw));
	sl_pol_queued(p, td);
	sl_why(p, direct ? SL_WHY_REQUEUE_HEAD : SL_WHY_REQUEUE_TAIL, td, u05_thread_of(td)->index,
	       td->pri, sw);
}

static struct sl_thread *sswitch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw,
				 struct sl_thread *next)
{
	if (!sl_thread_is_idle(td)) {
		/* bind() has set td->cpu, but it is counted here. */
		int32_t wanted = td->cpu;

		td->cpu = (int32_t)cpu;
		u05_load_rem(p, td);
		td->cpu = wanted;
		if (td->state == SL_TS_RUNNING)
			put_back(p, td, sw);
	}
	if (next != NULL)
		u05_load_add(p, next);
	else
		next = u05_choose(p);
	/* Last, since taking in threads asks the one that leaves to reschedule. */
	td->flags &= (uint16_t) ~(SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND | SL_TDF_OWEPREEMPT);
	return next != NULL ? next : p->cpu[cpu].idle;
}

static enum sl_idle_act idle(struct sl_pol *p, uint32_t cpu)
{
	u05_take_in(p);
	return u05_cpu_of(p, cpu)->load > 0 ? SL_IDLE_SWITCH : SL_IDLE_HALT;
}

/* --- Stat tick --- */

/* The thread's own nice value does not count for its new slice. */
static void slice_end(struct sl_pol *p, uint32_t cpu, struct sl_thread *td)
{
	const struct u05 *u = u05_of(p);

	u05_load_rem(p, td);
	u05_priority(td);
	u05_new_slice(u, u05_cpu_of(p, cpu), td);
	u05_load_add(p, td);
	td->flags |= SL_TDF_NEEDRESCHED;
	sl_why(p, SL_WHY_SLICE_END, td, 0, u05_thread_of(td)->slice, u05_cpu_of(p, cpu)->load);
}

static void stat_tick(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt)
{
	const struct u05 *u = u05_of(p);
	struct u05_thread *ts = u05_thread_of(td);

	u05_balance(p);
	u05_take_in(p);
	if (sl_thread_is_idle(td) || !u05_is_timeshare(td))
		return;
	ts->runtime += u->tickincr * cnt;
	u05_cap_history(u, ts);
	ts->slice -= (int32_t)cnt;
	if (ts->slice <= 0)
		slice_end(p, cpu, td);
}

/* --- Priorities --- */

static void set_pri(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	if (pri == td->pri)
		return;
	if (td->state != SL_TS_RUNQ) {
		td->pri = pri;
		return;
	}
	u05_dequeue(p, td);
	td->pri = pri;
	u05_add_held(p, td, SL_SRQ_YIELDING);
}

static void prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->base_pri = pri;
	if ((td->flags & SL_TDF_BORROWING) && td->pri < pri)
		return;
	set_pri(p, td, pri);
}

static void user_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	(void)p;
	td->base_user_pri = pri;
	if (td->lend_user_pri > pri)
		td->user_pri = pri;
}

static void lend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->flags |= SL_TDF_BORROWING;
	set_pri(p, td, pri);
}

static void unlend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	bool share = td->base_pri >= U05_SHARE_FIRST && td->base_pri <= U05_SHARE_LAST;
	uint8_t own = share ? td->user_pri : td->base_pri;

	if (pri < own) {
		lend_prio(p, td, pri);
		return;
	}
	td->flags &= (uint16_t)~SL_TDF_BORROWING;
	set_pri(p, td, own);
}

static void lend_user_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	td->lend_user_pri = pri;
	td->user_pri = pri < td->base_user_pri ? pri : td->base_user_pri;
	if (td->pri > td->user_pri)
		prio(p, td, td->user_pri);
	else if (td->pri != td->user_pri)
		td->flags |= SL_TDF_NEEDRESCHED;
}

/* A counted thread changes how it is counted. */
static void recount(struct sl_pol *p, struct sl_thread *td)
{
	if (!u05_thread_of(td)->counted)
		return;
	u05_load_rem(p, td);
	u05_load_add(p, td);
}

static void nice(struct sl_pol *p, struct sl_proc *proc, int8_t value)
{
	proc->nice = value;
	for (struct sl_link *l = proc->threads.next; l != &proc->threads; l = l->next) {
		struct sl_thread *td = SL_OF(l, struct sl_thread, in_proc);

		recount(p, td);
		u05_priority(td);
		prio(p, td, td->base_user_pri);
	}
}

static uint8_t class_pri(uint8_t pri_class, uint8_t level)
{
	switch (SL_CLASS_BASE(pri_class)) {
	case SL_CLASS_REALTIME:
		return (uint8_t)(U05_REALTIME_FIRST + level);
	case SL_CLASS_IDLE:
		return (uint8_t)(U05_IDLE_FIRST + level);
	default:
		return (uint8_t)(U05_SHARE_FIRST + level);
	}
}

static void rtprio(struct sl_pol *p, struct sl_thread *td, uint8_t pri_class, uint8_t level)
{
	uint8_t old_class = td->pri_class;

	td->pri_class = pri_class;
	recount(p, td);
	user_prio(p, td, class_pri(pri_class, level));
	if (old_class != SL_CLASS_TIMESHARE || pri_class != SL_CLASS_TIMESHARE)
		prio(p, td, td->user_pri);
}

/* --- Sleep --- */

/* Kept until the return to user mode (C1). */
static void go_to_sleep(struct sl_pol *p, struct sl_thread *td, enum sl_wprio arg)
{
	u05_thread_of(td)->slptick = p->ticks;
	if (arg != SL_WPRIO_NONE)
		prio(p, td, wprio[arg]);
}

/* A new slice even for a sleep too short to earn anything (C15). */
static void wakeup(struct sl_pol *p, struct sl_thread *td, enum sl_wprio raise, unsigned srq)
{
	const struct u05 *u = u05_of(p);
	struct u05_thread *ts = u05_thread_of(td);

	if (raise != SL_WPRIO_NONE && td->pri > wprio[raise])
		prio(p, td, wprio[raise]);
	if (ts->slptick != 0) {
		u05_credit_sleep(u, ts, (uint32_t)(p->ticks - ts->slptick));
		u05_priority(td);
		u05_new_slice(u, u05_cpu_of(p, (uint32_t)td->cpu), td);
		ts->slptick = 0;
	}
	add(p, td, srq);
}

/* --- Birth and death --- */

static void no_history(struct sl_pol *p, struct sl_thread *td, uint8_t pri)
{
	*u05_thread_of(td) = (struct u05_thread){ .slice = 1 };
	td->cpu = (int32_t)sl_pol_self(p);
	td->lend_user_pri = UINT8_MAX;
	td->base_user_pri = td->user_pri = pri;
	u05_priority(td);
	td->pri = td->base_pri = td->user_pri;
}

static void make_ithread(struct sl_pol *p, struct sl_thread *td, enum sl_wprio arg)
{
	td->pri_class = SL_CLASS_ITHD;
	no_history(p, td, wprio[arg]);
}

static void fork_thread(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td)
{
	struct u05_thread *ts = u05_thread_of(td);

	if (parent == NULL) {
		no_history(p, td, class_pri(td->pri_class, 0));
		return;
	}
	*ts = (struct u05_thread){
		.runtime = u05_thread_of(parent)->runtime,
		.slptime = u05_thread_of(parent)->slptime,
		.slice = 1,
	};
	td->cpu = parent->cpu;
	td->lend_user_pri = UINT8_MAX;
	td->base_user_pri = td->user_pri = parent->base_user_pri;
	td->base_pri = td->pri = parent->base_pri;
}

static void fork(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td)
{
	const struct u05 *u = u05_of(p);

	fork_thread(p, parent, td);
	if (parent == NULL)
		return;
	u05_fork_history(u, u05_thread_of(td));
	u05_thread_of(parent)->runtime += u->tickincr;
	u05_cap_history(u, u05_thread_of(parent));
}

static void leave(struct sl_pol *p, struct sl_thread *heir, struct sl_thread *td)
{
	if (heir == NULL)
		return;
	u05_thread_of(heir)->runtime += u05_thread_of(td)->runtime;
	u05_cap_history(u05_of(p), u05_thread_of(heir));
}

/* --- Binding, yields, masks --- */

static void unbind(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	if (!(td->flags & SL_TDF_BOUND))
		return;
	td->flags &= (uint16_t)~SL_TDF_BOUND;
	td->pinned--;
}

static bool bind(struct sl_pol *p, struct sl_thread *td, uint32_t cpu)
{
	unbind(p, td);
	td->flags |= SL_TDF_BOUND;
	td->pinned++;
	if (cpu == sl_pol_self(p))
		return false;
	td->cpu = (int32_t)cpu;
	return true;
}

static void affinity(struct sl_pol *p, struct sl_thread *td)
{
	if (td->cpu < 0 || u05_may_run_on(td, (uint32_t)td->cpu))
		return;
	if (td->state == SL_TS_RUNQ) {
		u05_dequeue(p, td);
		td->cpu = (int32_t)sl_bits_next(td->mask, p->mask_words, 0);
		u05_add_held(p, td, SL_SRQ_YIELDING);
	} else if (td->oncpu >= 0) {
		td->flags |= SL_TDF_NEEDRESCHED;
		if ((uint32_t)td->oncpu != sl_pol_self(p))
			sl_pol_ipi(p, (uint32_t)td->oncpu, SL_IPI_AST);
	}
}

/* A yield makes a time-share thread the worst of its kind. */
static bool relinquish(struct sl_pol *p, struct sl_thread *td)
{
	if (u05_is_timeshare(td))
		prio(p, td, U05_SHARE_LAST);
	return true;
}

/* --- Figures --- */

static int64_t metric(const struct sl_pol *p, const struct sl_thread *td, enum sl_metric which)
{
	int64_t load = 0;

	switch (which) {
	case SL_METRIC_LOAD:
		if (td != NULL)
			return u05_cpu_of(p, (uint32_t)td->cpu)->load;
		for (uint32_t c = 0; c < p->ncpus; c++)
			load += u05_cpu_of(p, c)->load;
		return load;
	case SL_METRIC_SCORE:
		return td == NULL
			       ? -1
			       : u05_score(u05_thread_of(td)->runtime, u05_thread_of(td)->slptime);
	case SL_METRIC_SLICE:
		return td == NULL ? -1 : u05_thread_of(td)->slice;
	case SL_METRIC_STEALS:
		return (int64_t)u05_of(p)->steals;
	case SL_METRIC_BALANCED:
		return (int64_t)u05_of(p)->balanced;
	default:
		return -1;
	}
}

static size_t parts(const struct sl_era *era, struct sl_part *out, size_t n)
{
	const struct u05_era *e = era->data;
	const struct sl_part all[] = {
		{ "lists per queue", NULL, U05_NQS },
		{ "priorities per list", NULL, U05_PPQ },
		{ "run queues", "current, next and idle", 0 },
		{ "stat tick", e->clock_name, 0 },
		{ "slices", e->slice_name, 0 },
		{ "placement", "this CPU; an idle one when this has two threads", 0 },
		{ "notification", "hand-over, AST if better than the running thread", 0 },
		{ "idle CPU", "steals from hyper-threads of its core", 0 },
		{ "balancer", "between and inside groups, 0 to 2 s", 0 },
	};

	for (size_t i = 0; i < n && i < SL_ARRAY_LEN(all); i++)
		out[i] = all[i];
	return SL_ARRAY_LEN(all);
}

static const struct sl_tunable tunables[] = {
	{ .name = "kern.sched.slice_min",
	  .unit = "stat ticks",
	  .help = "slice of the nicest threads",
	  .least = 1,
	  .most = 1000000,
	  .offset = offsetof(struct u05, slice_min) },
	{ .name = "kern.sched.slice_max",
	  .unit = "stat ticks",
	  .help = "slice of interactive threads and of the least nice",
	  .least = 1,
	  .most = 1000000,
	  .offset = offsetof(struct u05, slice_max) },
};

static const struct sl_machine machine = {
	.hz = 1000,
	.stathz = 133,
	.clock = SL_CLOCK_APIC,
	.groups = SL_CG_RULE_SMT_PAIRS,
	.boot_idle_pass = true,
	.ops_at_once = true,
};

const struct sl_policy ule_2005_ops = {
	.abi = SL_POLICY_ABI,
	.name = "ule",
	.summary = "ULE of 2005: two queues per CPU that change places",
	.instance_size = sizeof(struct u05),
	.cpu_size = sizeof(struct u05_cpu),
	.thread_size = sizeof(struct u05_thread),
	.tunables = tunables,
	.n_tunables = SL_ARRAY_LEN(tunables),
	.machine = &machine,
	.init = init,
	.fork = fork,
	.fork_thread = fork_thread,
	.exit = leave,
	.add = add,
	.rem = rem,
	.sswitch = sswitch,
	.clock = stat_tick,
	.sleep = go_to_sleep,
	.wakeup = wakeup,
	.prio = prio,
	.user_prio = user_prio,
	.lend_prio = lend_prio,
	.unlend_prio = unlend_prio,
	.lend_user_prio = lend_user_prio,
	.nice = nice,
	.rtprio = rtprio,
	.ithread = make_ithread,
	.bind = bind,
	.unbind = unbind,
	.affinity = affinity,
	.relinquish = relinquish,
	.idle = idle,
	.metric = metric,
	.parts = parts,
};
