/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE's tables and figures: the policy, its list of eras, start-up.
 * Invariant: nothing here or in the other ule_*.c files asks which era runs; what
 * differs between eras is data or a part of struct ule_era, of which a scheduler keeps a copy. */
#include "policies/registry.h"
#include "policies/ule_2005.h"
#include "policies/ule_7.h"

static void copy_parts(struct ule *u, const struct ule_era *era)
{
	u->era = era;
	u->nqs = era->nqs;
	u->ppq = era->ppq;
	u->pct_on_reselect = era->pct_on_reselect;
	u->layout = *era->layout;
	u->pct = *era->pct;
	u->formula = *era->formula;
	u->slices = *era->slices;
	u->lowpri = *era->lowpri;
	u->boost = *era->boost;
	u->queue = *era->queue;
	u->steal = *era->steal;
	u->search = *era->search;
	u->affine = *era->affine;
	u->place = *era->place;
	u->notify = *era->notify;
	u->ipi = *era->ipi;
	u->requeue = *era->requeue;
	u->balancer = *era->balancer;
	u->idle = *era->idle;
	u->ithread = *era->ithread;
}

/* 4.2, 23: the batch priorities go once round the circle. */
static void fill_lists(struct ule *u)
{
	uint32_t first = u->layout.batch_first, last = u->layout.batch_last;
	uint32_t len = last - first + 1, circle = u->queue.circle_by_priority ? len : u->nqs;

	u->batch_len = (uint8_t)len;
	for (uint32_t pri = 0; pri <= UINT8_MAX; pri++) {
		bool batch = pri >= first && pri <= last;

		u->queue_of[pri] = batch ? ULE_TIMESHARE : pri < first ? ULE_REALTIME : ULE_IDLE;
		u->list_of[pri] = (uint8_t)(batch ? circle * (pri - first) / len : pri / u->ppq);
	}
}

static void ule_init(struct sl_pol *p)
{
	struct ule *u = ule_of(p);
	int32_t hz = (int32_t)p->hz;

	copy_parts(u, p->era);
	fill_lists(u);
	ule_default_tunables(p);
	u->srmax = (uint32_t)(5 * hz) << 10;
	u->srfork = (uint32_t)(hz / 2) << 10;
	u->tickincr = (uint32_t)((hz << 10) / u->realstathz);
	if (u->tickincr == 0)
		u->tickincr = 1;
	u->targ = 10 * hz;
	u->tmax = u->targ + hz;
	u->kernel_random = 1;
	sl_bits_fill(u->all, 0, p->ncpus);
	ule_search_init(p);
	for (uint32_t c = 0; c < p->ncpus; c++) {
		struct ule_cpu *q = ule_cpu_of(p, c);

		q->lowpri = UINT8_MAX;
		if (u->place.went_idle != NULL)
			u->place.went_idle(p, c);
		q->random = u->search.seed(c);
		u->queue.init(u, q);
		p->cpu[c].idle->cpu = (int32_t)c;
	}
}

static void ule_setup(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	if (u->balance_alive)
		u->balancer.boot(p);
}

static int64_t ule_metric(const struct sl_pol *p, const struct sl_thread *td, enum sl_metric which)
{
	const struct ule *u = ule_of(p);
	int64_t load = 0;

	switch (which) {
	case SL_METRIC_LOAD:
		if (td != NULL)
			return ule_cpu_of(p, (uint32_t)td->cpu)->load;
		for (uint32_t c = 0; c < p->ncpus; c++)
			load += ule_cpu_of(p, c)->load;
		return load;
	case SL_METRIC_SCORE:
		return td == NULL ? -1
				  : ule_score(ule_thread_of(td)->runtime,
					      ule_thread_of(td)->slptime, u->interact);
	case SL_METRIC_SLICE:
		return td == NULL ? -1 : ule_thread_of(td)->slice;
	case SL_METRIC_STEALS:
		return (int64_t)u->steals;
	case SL_METRIC_BALANCED:
		return (int64_t)u->balanced;
	default:
		return -1;
	}
}

static void ule_preempt(struct sl_pol *p, uint32_t cpu)
{
	ule_of(p)->ipi.take(p, cpu);
}

static enum sl_idle_act ule_idle(struct sl_pol *p, uint32_t cpu)
{
	return ule_of(p)->idle.loop(p, cpu);
}

static size_t ule_parts(const struct sl_era *era, struct sl_part *out, size_t n)
{
	const struct ule_era *e = era->data;
	const struct sl_part parts[] = {
		{ "lists per queue", NULL, e->nqs },
		{ "priorities per list", NULL, e->ppq },
		{ "priority ranges", e->layout->name, 0 },
		{ "preempt_thresh", NULL, e->preempt_thresh },
		{ "static_boost", NULL, e->static_boost },
		{ "run queues", e->queue->name, 0 },
		{ "%CPU window", e->pct->name, 0 },
		{ "window updated when re-chosen", NULL, e->pct_on_reselect },
		{ "priority formula", e->formula->name, 0 },
		{ "slices", e->slices->name, 0 },
		{ "lowpri", e->lowpri->name, 0 },
		{ "sleep priority", e->boost->name, 0 },
		{ "requeue", e->requeue->name, 0 },
		{ "placement", e->place->name, 0 },
		{ "affinity", e->affine->name, 0 },
		{ "CPU search", e->search->name, 0 },
		{ "notification", e->notify->name, 0 },
		{ "preempt IPI", e->ipi->name, 0 },
		{ "idle CPU", e->idle->name, 0 },
		{ "steal", e->steal->name, 0 },
		{ "balancer", e->balancer->name, 0 },
		{ "interrupt threads", e->ithread->name, 0 },
	};

	for (size_t i = 0; i < n && i < SL_ARRAY_LEN(parts); i++)
		out[i] = parts[i];
	return SL_ARRAY_LEN(parts);
}

/* What the kernels' clocks, trees and boot have in common (docs/model.md). */
#define MACHINE(rule, count)                                                                       \
	{                                                                                          \
		.hz = 1000, .stathz = 127, .clock = SL_CLOCK_ONESHOT, .groups = (rule),            \
		.boot_idle_pass = true, .idle_clock_wake = true, .replay_ticks = true,             \
		.tick_count = (count), .ops_at_once = true                                         \
	}

static const struct sl_machine machine_10 = MACHINE(SL_CG_RULE_UNIFORM, false);
static const struct sl_machine machine_11 = MACHINE(SL_CG_RULE_CACHE, false);
static const struct sl_machine machine_12 = MACHINE(SL_CG_RULE_CACHE_COLLAPSED, false);
static const struct sl_machine machine_13 = MACHINE(SL_CG_RULE_CACHE_COLLAPSED, true);

/* The local APIC timer of old, never stopped. */
#define MACHINE_APIC(rule)                                                                         \
	{                                                                                          \
		.hz = 1000, .stathz = 133, .clock = SL_CLOCK_APIC, .groups = (rule),               \
		.boot_idle_pass = true, .ops_at_once = true                                        \
	}

static const struct sl_machine machine_7 = MACHINE_APIC(SL_CG_RULE_SMT_PAIRS);
static const struct sl_machine machine_8 = MACHINE_APIC(SL_CG_RULE_UNIFORM_8);

/* Operations with the tunables of old eras. */
static const struct sl_policy ule_70_ops, ule_7_ops, ule_8_ops;

/* One row per era, oldest first. */
static const struct sl_era ule_eras[] = {
	{ "2005", "August 2005: two queues that change places, slices too long by a slip",
	  &ule_era_2005, &ule_2005_ops, NULL },
	{ "2005b", "December 2005: slices as they were meant", &ule_era_2005b, &ule_2005_ops,
	  NULL },
	{ "7.0-sep", "September 2007: groups of hyper-threads, balancer by callouts",
	  &ule_era_7_0_sep, &ule_70_ops, &machine_7 },
	{ "7.0-beta1", "best guess: steals by load, balancer by stat ticks", &ule_era_7_0_beta1,
	  &ule_7_ops, &machine_7 },
	{ "7.0-beta1-alt", "7.0-beta1 with the steals of September 2007", &ule_era_7_0_beta1_alt,
	  &ule_7_ops, &machine_7 },
	{ "7.0-beta3", "best guess: 7.3 without nice in the score", &ule_era_7_0_beta3, &ule_7_ops,
	  &machine_7 },
	{ "7.3", "release of 2010: steals by load, siblings first", &ule_era_7_3, &ule_7_ops,
	  &machine_7 },
	{ "8.0", "release of 2009: the first tree of CPU groups, static boost", &ule_era_8_0,
	  &ule_8_ops, &machine_8 },
	{ "10.4", "stable/10 of 2017: two-level trees, one list per word in steals", &ule_era_10_4,
	  NULL, &machine_10 },
	{ "11.0", "release of 2016: preempted threads go to the tail", &ule_era_11_0, NULL,
	  &machine_11 },
	{ "2017", "head of March 2017: the base of the 2017 mail; balancer never armed",
	  &ule_era_2017, NULL, &machine_11 },
	{ "2017-1ppq", "2017 with one priority per queue: the patch of the 2017 mail",
	  &ule_era_2017_1ppq, NULL, &machine_11 },
	{ "12", "12.0 and 12.1: balancer alive again, steals before idling", &ule_era_12, NULL,
	  &machine_12 },
	{ "13", "13.1 and later: new CPU search, lone threads choose again", &ule_era_13, NULL,
	  &machine_13 },
	{ "14", "14.x: new priority ranges, interrupt threads with slices", &ule_era_14, NULL,
	  &machine_13 },
	{ "15", "run queues of June 2025: 256 lists, 109 of them a circle", &ule_era_15, NULL,
	  &machine_13 },
};

static const struct sl_era ule_1ppq_eras[] = {
	{ "2017-1ppq", "2017 with one priority per queue: the patch of the 2017 mail",
	  &ule_era_2017_1ppq, NULL, &machine_11 },
};

#define ULE_OPS                                                                                    \
	.abi = SL_POLICY_ABI, .instance_size = sizeof(struct ule),                                 \
	.cpu_size = sizeof(struct ule_cpu), .thread_size = sizeof(struct ule_thread),              \
	.machine = &machine_11, .init = ule_init, .setup = ule_setup, .fork = ule_fork,            \
	.fork_thread = ule_fork_thread, .exit = ule_exit, .add = ule_add, .rem = ule_rem,          \
	.sswitch = ule_switch, .hardclock = ule_hardclock, .clock = ule_clock, .sleep = ule_sleep, \
	.wakeup = ule_wakeup, .prio = ule_prio, .user_prio = ule_user_prio,                        \
	.lend_prio = ule_lend_prio, .unlend_prio = ule_unlend_prio,                                \
	.lend_user_prio = ule_lend_user_prio, .nice = ule_nice, .rtprio = ule_rtprio,              \
	.ithread = ule_make_ithread, .bind = ule_bind, .unbind = ule_unbind,                       \
	.affinity = ule_affinity, .relinquish = ule_relinquish, .userret = ule_userret,            \
	.preempt = ule_preempt, .idle = ule_idle, .metric = ule_metric, .parts = ule_parts

#define ULE_OLD_OPS(table, n)                                                                      \
	{                                                                                          \
		ULE_OPS, .name = "ule", .summary = "an old era of ule", .tunables = (table),       \
			 .n_tunables = (n)                                                         \
	}

static const struct sl_policy ule_70_ops = ULE_OLD_OPS(ule_70_tunables, ULE_7_N_TUNABLES);
static const struct sl_policy ule_7_ops = ULE_OLD_OPS(ule_7_tunables, ULE_7_N_TUNABLES);
static const struct sl_policy ule_8_ops = ULE_OLD_OPS(ule_8_tunables, ULE_8_N_TUNABLES);

const struct sl_policy sl_policy_ule = {
	ULE_OPS,
	.name = "ule",
	.summary = "FreeBSD's ULE: a queue per CPU, interactivity scores, stealing",
	.tunables = ule_tunables,
	.n_tunables = ULE_N_TUNABLES,
	.eras = ule_eras,
	.n_eras = SL_ARRAY_LEN(ule_eras),
	.default_era = "2017",
};

const struct sl_policy sl_policy_ule_1ppq = {
	ULE_OPS,
	.name = "ule-1ppq",
	.summary = "ule@2017-1ppq: ULE with one priority per run queue",
	.tunables = ule_tunables,
	.n_tunables = ULE_N_TUNABLES,
	.eras = ule_1ppq_eras,
	.n_eras = SL_ARRAY_LEN(ule_1ppq_eras),
	.default_era = "2017-1ppq",
};
