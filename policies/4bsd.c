/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The 4BSD scheduler, 2005 to today: one queue for the whole machine, usage that
 * decays with the load, a pass over everything once a second.
 * This file joins the parts: operations, eras, set-up, timers, figures.
 * Invariant: what an era is, its table under policies/eras says; here nothing
 * depends on which one it is. */
#include "policies/4bsd.h"

static void bsd_init(struct sl_pol *p)
{
	struct bsd *b = bsd_of(p);

	b->era = p->era;
	sl_runq_init(&b->global, 256u / b->era->ppq);
	b->w = bsd_usage_weight(p->smp, p->ncpus);
	b->estcpu_limit = (int32_t)bsd_usage_limit(b->w, b->era->ppq);
	b->quantum = (int32_t)(p->hz / 10);
	b->slice = (int32_t)(p->stathz / 10);
	b->runq_fuzz = 1;
	b->fwd_enabled = b->fwd_usemask = b->beat_enabled = 1;
	b->pass_thread = (struct sl_thread){
		.pri = b->era->wprio[SL_WPRIO_PVM],
		.state = SL_TS_RUNNING,
		.pri_class = SL_CLASS_TIMESHARE,
	};
	for (uint32_t cpu = 0; cpu < p->ncpus; cpu++) {
		struct sl_thread *idle = p->cpu[cpu].idle;

		sl_runq_init(&bsd_cpu(p, cpu)->rq, 256u / b->era->ppq);
		bsd_init_thread(p, idle);
		idle->flags |= SL_TDF_NOLOAD;
		idle->cpu = (int32_t)cpu;
		bsd_set_idle_bit(b, cpu, true);
	}
}

static void arm_load(struct sl_pol *p)
{
	struct bsd *b = bsd_of(p);
	sl_time period = 5 * SL_NS_PER_S;

	if (b->random_load)
		period = b->era->load_period(
			p, sl_rng_draw(p->seed, SL_RNG_POLICY, 0, b->load_draws++));
	sl_pol_arm(p, BSD_TIMER_LOAD, p->now + period);
}

static void arm_beat(struct sl_pol *p)
{
	sl_pol_arm(p, BSD_TIMER_BEAT, p->now + (uint64_t)bsd_of(p)->quantum * SL_NS_PER_S / p->hz);
}

static void bsd_setup(struct sl_pol *p)
{
	arm_load(p);
	sl_pol_arm(p, BSD_TIMER_PASS, p->now + SL_NS_PER_S);
	if (bsd_of(p)->era->quantum->beat)
		arm_beat(p);
}

static void timer_load(struct sl_pol *p)
{
	struct bsd *b = bsd_of(p);

	bsd_load_sample(b->ldavg, b->nrun);
	arm_load(p);
}

static void timer_pass(struct sl_pol *p)
{
	bsd_pass(p);
	sl_pol_arm(p, BSD_TIMER_PASS, p->now + SL_NS_PER_S);
}

static void timer_beat(struct sl_pol *p)
{
	bsd_beat(p);
	arm_beat(p);
}

static void bsd_timer(struct sl_pol *p, uint32_t id)
{
	static void (*const timers[])(struct sl_pol *) = {
		[BSD_TIMER_LOAD] = timer_load,
		[BSD_TIMER_PASS] = timer_pass,
		[BSD_TIMER_BEAT] = timer_beat,
	};

	SL_ASSERT(id < SL_ARRAY_LEN(timers));
	timers[id](p);
}

static int64_t load_of(const struct sl_pol *p, const struct sl_thread *td)
{
	int64_t n = bsd_of(p)->n_queued;

	if (td != NULL)
		return td->cpu < 0 ? 0
				   : bsd_cpu(p, (uint32_t)td->cpu)->plen +
					     !sl_thread_is_idle(p->cpu[td->cpu].cur);
	for (uint32_t cpu = 0; cpu < p->ncpus; cpu++)
		n += !sl_thread_is_idle(p->cpu[cpu].cur);
	return n;
}

static int64_t bsd_metric(const struct sl_pol *p, const struct sl_thread *td, enum sl_metric which)
{
	const struct bsd *b = bsd_of(p);

	if (which == SL_METRIC_LOAD)
		return load_of(p, td);
	if (which == SL_METRIC_LDAVG0)
		return b->ldavg[0];
	if (which == SL_METRIC_NRUN)
		return b->nrun;
	if (td == NULL || bsd_td(td)->group == NULL)
		return -1;
	if (which == SL_METRIC_ESTCPU)
		return bsd_td(td)->group->usage;
	if (which == SL_METRIC_SLPTIME)
		return bsd_td(td)->group->slp;
	if (which == SL_METRIC_SLICE)
		return b->era->quantum->slice(p, td);
	return -1;
}

static const struct sl_machine machine_127 = {
	.hz = 1000,
	.stathz = 127,
	.clock = SL_CLOCK_ONESHOT,
	.groups = SL_CG_RULE_FLAT,
	.user_semaphores = true,
};

static const struct sl_machine machine_133 = {
	.hz = 1000,
	.stathz = 133,
	.clock = SL_CLOCK_ONESHOT,
	.groups = SL_CG_RULE_FLAT,
	.user_semaphores = true,
};

/* In 2005 a CPU whose idle thread was preempted stays in the idle mask while it runs
 * threads, and what it wakes is not handed on. Other CPUs find such work only because
 * the 2 kHz timer also interrupts idle ones. */
static const struct sl_machine machine_2005 = {
	.hz = 1000,
	.stathz = 133,
	.clock = SL_CLOCK_APIC,
	.groups = SL_CG_RULE_FLAT,
	.user_semaphores = true,
};

#define OPERATIONS(set)                                                                            \
	.abi = SL_POLICY_ABI, .name = "4bsd",                                                      \
	.summary = "one queue for the machine, usage decays with the load (SCHED_4BSD)",           \
	.instance_size = sizeof(struct bsd), .cpu_size = sizeof(struct bsd_cpu),                   \
	.thread_size = sizeof(struct bsd_thread), .tunables = bsd_tunables_##set,                  \
	.n_tunables = SL_ARRAY_LEN(bsd_tunables_##set), .init = bsd_init, .setup = bsd_setup,      \
	.fork = bsd_fork, .fork_thread = bsd_fork_thread, .exit = bsd_exit, .add = bsd_add,        \
	.rem = bsd_rem, .sswitch = bsd_sswitch, .clock = bsd_clock, .sleep = bsd_sleep,            \
	.wakeup = bsd_wakeup, .prio = bsd_prio, .user_prio = bsd_set_user_priority,                \
	.lend_prio = bsd_lend_prio, .unlend_prio = bsd_unlend_prio,                                \
	.lend_user_prio = bsd_lend_user_prio, .nice = bsd_nice, .rtprio = bsd_rtprio,              \
	.ithread = bsd_ithread, .bind = bsd_bind, .unbind = bsd_unbind, .affinity = bsd_affinity,  \
	.relinquish = bsd_relinquish, .userret = bsd_userret, .ast = bsd_ast, .idle = bsd_idle,    \
	.timer = bsd_timer, .metric = bsd_metric, .parts = bsd_parts

/* Any CPU takes any thread of the machine's queue. */
#define CONSERVING .work_conserving = true, .cpu_names_queue = true

/* Eras whose kernels had other sysctls than the default's. */
static const struct sl_policy ops_quantum = { OPERATIONS(quantum), CONSERVING,
					      .machine = &machine_127 };
static const struct sl_policy ops_htt = { OPERATIONS(htt), CONSERVING, .machine = &machine_133 };
/* Without that promise: threads beyond their process' slots wait whoever idles. */
static const struct sl_policy ops_ksegrp = { OPERATIONS(ksegrp), .machine = &machine_2005 };

static const struct sl_era eras[] = {
	{ "2005", "6.x: thread groups with run slots, a global 100 ms beat", &bsd_era_2005,
	  &ops_ksegrp, &machine_2005 },
	{ "7.0", "7.0: no groups; the beat spares the CPU that serves it", &bsd_era_7_0, &ops_htt,
	  &machine_133 },
	{ "7.3", "7.3 and 8.x: quantum counted from the last switch, CPU sets", &bsd_era_7_3,
	  &ops_htt, &machine_133 },
	{ "9.0", "9.0: real-time above kernel priorities, otherwise as 7.3", &bsd_era_9_0,
	  &ops_quantum, &machine_127 },
	{ "9", "9.x and 10.0: slices; all but slice ends go back to the head", &bsd_era_9, NULL,
	  &machine_127 },
	{ "10.1", "10.1: owed preemption, yields and AST go to the tail", &bsd_era_10_1, NULL,
	  &machine_127 },
	{ "2017", "10.4 to 13: preemption is always owed, preemptors queue first", &bsd_era_2017,
	  NULL, &machine_127 },
	{ "14", "14: interrupt threads sink when they use up slices", &bsd_era_14, NULL,
	  &machine_127 },
	{ "15", "15: one priority per list", &bsd_era_15, NULL, &machine_127 },
};

const struct sl_policy sl_policy_4bsd = {
	OPERATIONS(slice),	 .eras = eras, .n_eras = SL_ARRAY_LEN(eras), .default_era = "2017",
	.machine = &machine_127,
};
