/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A machine of a few CPUs that does nothing of itself: tests of single decisions of
 * 4BSD put it into a state, call one operation, and look at what the policy asked
 * for. It provides the services of policy.h itself, in place of the engine. */
#ifndef TESTS_POLICIES_4BSD_MACHINE_H
#define TESTS_POLICIES_4BSD_MACHINE_H

#include "policies/4bsd.h"
#include "policies/registry.h"

#include <stdlib.h>
#include <string.h>

enum { FAKE_CPUS = 16, FAKE_THREADS = 24 };

struct fake {
	struct sl_pol pol; /* first */
	struct sl_cpu cpu[FAKE_CPUS];
	struct sl_thread idle[FAKE_CPUS];
	struct sl_proc idle_proc;
	struct sl_thread td[FAKE_THREADS];
	struct sl_proc proc[FAKE_THREADS];
	uint64_t mask[FAKE_THREADS], full;
	struct sl_link allproc;
	uint32_t n, self;
	unsigned ipi[FAKE_CPUS]; /* sent since fake_quiet() */
	uint64_t timer[4];
};

static inline struct fake *fake_of(const struct sl_pol *p)
{
	return (struct fake *)(void *)(uintptr_t)p;
}

uint32_t sl_pol_self(const struct sl_pol *p)
{
	return fake_of(p)->self;
}

void sl_pol_queued(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	td->state = SL_TS_RUNQ;
}

void sl_pol_dequeued(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	td->state = SL_TS_CAN_RUN;
}

void sl_pol_ipi(struct sl_pol *p, uint32_t cpu, enum sl_ipi kind)
{
	(void)kind;
	fake_of(p)->ipi[cpu]++;
}

void sl_pol_arm(struct sl_pol *p, uint32_t id, sl_time at)
{
	fake_of(p)->timer[id] = at;
}

/* As the engine: td->state says why it leaves; returns who runs. */
static inline struct sl_thread *fake_switch(struct fake *f, uint32_t cpu, unsigned sw,
					    struct sl_thread *next)
{
	struct sl_thread *out = f->cpu[cpu].cur, *in;

	f->self = cpu;
	if (next != NULL)
		next->state = SL_TS_RUNNING;
	f->cpu[cpu].critnest++;
	in = f->pol.ops->sswitch(&f->pol, cpu, out, sw, next);
	f->cpu[cpu].critnest--;
	f->cpu[cpu].blocking = false;
	if (in != out)
		out->oncpu = -1;
	in->oncpu = (int32_t)cpu;
	in->state = SL_TS_RUNNING;
	f->cpu[cpu].cur = in;
	return in;
}

void sl_pol_switch_to(struct sl_pol *p, struct sl_thread *next)
{
	fake_switch(fake_of(p), fake_of(p)->self, SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_PREEMPTED,
		    next);
}

void sl_pol_why(struct sl_pol *p, enum sl_why why, const struct sl_thread *td, int64_t a, int64_t b,
		int64_t c)
{
	(void)p;
	(void)why;
	(void)td;
	(void)a;
	(void)b;
	(void)c;
}

static inline struct bsd *fake_bsd(const struct fake *f)
{
	return f->pol.priv;
}

static inline const struct bsd_era *fake_era(const struct fake *f)
{
	return f->pol.era;
}

static inline void fake_thread_init(struct fake *f, struct sl_thread *td, struct sl_proc *proc,
				    const uint64_t *mask)
{
	if (proc->threads.next == NULL)
		sl_list_init(&proc->threads);
	td->priv = calloc(1, f->pol.ops->thread_size);
	td->proc = proc;
	td->mask = mask;
	td->oncpu = -1;
	td->lend_user_pri = 255;
	td->pri_class = SL_CLASS_TIMESHARE;
	sl_list_append(&proc->threads, &td->in_proc);
}

static inline void fake_cpu_init(struct fake *f, uint32_t cpu)
{
	struct sl_thread *idle = &f->idle[cpu];

	fake_thread_init(f, idle, &f->idle_proc, &f->full);
	idle->pri = idle->base_pri = idle->user_pri = idle->base_user_pri = 255;
	idle->pri_class = SL_CLASS_IDLE;
	idle->flags = SL_TDF_IDLETD;
	idle->state = SL_TS_RUNNING;
	idle->oncpu = (int32_t)cpu;
	f->cpu[cpu].cur = f->cpu[cpu].idle = idle;
	f->cpu[cpu].priv = calloc(1, f->pol.ops->cpu_size);
}

/* ncpus 0: a UP kernel. */
static inline struct fake *fake_new(const char *era_name, uint32_t ncpus)
{
	const struct sl_policy *policy = sl_policy_find("4bsd");
	const struct sl_era *era = sl_policy_era(policy, era_name);
	struct fake *f = calloc(1, sizeof(*f));

	SL_ASSERT(policy != NULL && era != NULL && f != NULL);
	f->pol.ops = era->ops != NULL ? era->ops : policy;
	f->pol.era = era->data;
	f->pol.ncpus = ncpus > 0 ? ncpus : 1;
	f->pol.smp = ncpus > 1;
	f->pol.mask_words = 1;
	f->pol.hz = era->machine->hz;
	f->pol.stathz = era->machine->stathz;
	f->pol.cpu = f->cpu;
	f->pol.allproc = &f->allproc;
	f->pol.priv = calloc(1, f->pol.ops->instance_size);
	sl_list_init(&f->allproc);
	sl_bits_fill(&f->full, 0, f->pol.ncpus);
	for (uint32_t cpu = 0; cpu < f->pol.ncpus; cpu++)
		fake_cpu_init(f, cpu);
	f->pol.ops->init(&f->pol);
	f->pol.ops->setup(&f->pol);
	return f;
}

static inline void fake_free(struct fake *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		free(f->td[i].priv);
	for (uint32_t cpu = 0; cpu < f->pol.ncpus; cpu++) {
		free(f->idle[cpu].priv);
		free(f->cpu[cpu].priv);
	}
	free(f->pol.priv);
	free(f);
}

/* A new process of one thread, not yet added; mask 0: all CPUs. */
static inline struct sl_thread *fake_proc(struct fake *f, int8_t nice, uint64_t mask)
{
	uint32_t i = f->n++;
	struct sl_proc *proc = &f->proc[i];

	SL_ASSERT(i < FAKE_THREADS);
	f->mask[i] = mask != 0 ? mask : f->full;
	proc->nice = nice;
	f->td[i].id = i;
	fake_thread_init(f, &f->td[i], proc, &f->mask[i]);
	sl_list_prepend(&f->allproc, &proc->all);
	f->pol.ops->fork(&f->pol, NULL, &f->td[i]);
	f->td[i].state = SL_TS_CAN_RUN;
	return &f->td[i];
}

/* A further thread in the process of `first`. */
static inline struct sl_thread *fake_thread(struct fake *f, struct sl_thread *first)
{
	uint32_t i = f->n++;

	SL_ASSERT(i < FAKE_THREADS);
	f->mask[i] = f->full;
	f->td[i].id = i;
	fake_thread_init(f, &f->td[i], first->proc, &f->mask[i]);
	f->pol.ops->fork_thread(&f->pol, first, &f->td[i]);
	f->td[i].state = SL_TS_CAN_RUN;
	return &f->td[i];
}

static inline struct sl_thread *fake_ithread(struct fake *f, enum sl_wprio prio)
{
	struct sl_thread *td = fake_proc(f, 0, 0);

	f->pol.ops->ithread(&f->pol, td, prio);
	td->state = SL_TS_IWAIT;
	return td;
}

static inline void fake_set_pri(struct sl_thread *td, uint8_t pri)
{
	td->pri = td->base_pri = td->user_pri = td->base_user_pri = pri;
}

/* Forgets requests made so far. */
static inline void fake_quiet(struct fake *f)
{
	memset(f->ipi, 0, sizeof(f->ipi));
	for (uint32_t cpu = 0; cpu < f->pol.ncpus; cpu++)
		f->cpu[cpu].cur->flags &=
			(uint16_t) ~(SL_TDF_NEEDRESCHED | SL_TDF_OWEPREEMPT | SL_TDF_SLICEEND);
}

/* Adds td from CPU `self`; in an interrupt or in thread context. */
static inline void fake_add(struct fake *f, uint32_t self, struct sl_thread *td, bool intr)
{
	f->self = self;
	f->cpu[self].critnest += intr;
	f->cpu[self].intr_nesting += intr;
	f->pol.ops->add(&f->pol, td, SL_SRQ_BORING);
	f->cpu[self].critnest -= intr;
	f->cpu[self].intr_nesting -= intr;
}

/* Wakes a sleeper (or an interrupt thread) from CPU `self`. */
static inline void fake_wake(struct fake *f, uint32_t self, struct sl_thread *td, bool intr)
{
	unsigned srq = td->state == SL_TS_IWAIT ? SL_SRQ_INTR : SL_SRQ_BORING;

	f->self = self;
	td->state = SL_TS_CAN_RUN;
	f->cpu[self].critnest += intr;
	f->cpu[self].intr_nesting += intr;
	f->pol.ops->wakeup(&f->pol, td, SL_WPRIO_NONE, srq);
	f->cpu[self].critnest -= intr;
	f->cpu[self].intr_nesting -= intr;
}

/* A thread at priority pri that runs on an idle CPU from now on. */
static inline struct sl_thread *fake_running(struct fake *f, uint32_t cpu, uint8_t pri)
{
	struct sl_thread *td = fake_proc(f, 0, 0);

	fake_set_pri(td, pri);
	fake_add(f, cpu, td, true);
	fake_switch(f, cpu, SL_SW_VOL | SL_SW_IDLE, NULL);
	SL_ASSERT(f->cpu[cpu].cur == td);
	fake_quiet(f);
	return td;
}

/* The running thread of cpu goes to sleep. */
static inline struct sl_thread *fake_sleep(struct fake *f, uint32_t cpu, enum sl_wprio prio)
{
	struct sl_thread *td = f->cpu[cpu].cur;

	f->self = cpu;
	f->cpu[cpu].blocking = true;
	f->pol.ops->sleep(&f->pol, td, prio);
	td->state = SL_TS_SLEEP;
	return fake_switch(f, cpu, SL_SW_VOL | SL_SW_SLEEPQ, NULL);
}

static inline void fake_tick(struct fake *f, uint32_t cpu)
{
	f->self = cpu;
	f->cpu[cpu].critnest++;
	f->pol.ops->clock(&f->pol, cpu, f->cpu[cpu].cur, 1);
	f->cpu[cpu].critnest--;
}

/* The once-a-second pass. */
static inline void fake_pass(struct fake *f)
{
	f->self = 0;
	f->cpu[0].critnest++;
	f->pol.ops->timer(&f->pol, BSD_TIMER_PASS);
	f->cpu[0].critnest--;
}

static inline unsigned fake_ipis(const struct fake *f)
{
	unsigned n = 0;

	for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
		n += f->ipi[cpu];
	return n;
}

/* Position of td in its list, 0 = head; -1 when it is not in list `index`. */
static inline int fake_position(const struct sl_runq *rq, uint32_t index,
				const struct sl_thread *td)
{
	int at = 0;

	for (const struct sl_link *l = rq->list[index].next; l != &rq->list[index]; l = l->next) {
		if (l == &td->runq)
			return at;
		at++;
	}
	return -1;
}

static inline const struct sl_tunable *fake_tunable(const struct fake *f, const char *name)
{
	for (uint32_t i = 0; i < f->pol.ops->n_tunables; i++)
		if (strcmp(f->pol.ops->tunables[i].name, name) == 0)
			return &f->pol.ops->tunables[i];
	return NULL;
}

static inline int64_t fake_get(const struct fake *f, const char *name)
{
	const struct sl_tunable *t = fake_tunable(f, name);

	SL_ASSERT(t != NULL);
	return t->get != NULL ? t->get(&f->pol)
			      : *(int32_t *)(void *)((char *)f->pol.priv + t->offset);
}

static inline void fake_set(struct fake *f, const char *name, int64_t value)
{
	const struct sl_tunable *t = fake_tunable(f, name);

	SL_ASSERT(t != NULL && !t->read_only && value >= t->least && value <= t->most);
	if (t->set != NULL)
		t->set(&f->pol, value);
	else
		*(int32_t *)(void *)((char *)f->pol.priv + t->offset) = (int32_t)value;
}

static const char *const fake_eras[] = { "2005", "7.0",	 "7.3", "9.0", "9",
					 "10.1", "2017", "14",	"15" };

/* The body runs once per era on a fresh machine f. */
#define FOR_EACH_ERA(f, ncpus)                                                                     \
	for (size_t era_ = 0; era_ < SL_ARRAY_LEN(fake_eras); era_++)                              \
		for (struct fake *f = fake_new(fake_eras[era_], ncpus); f != NULL;                 \
		     fake_free(f), f = NULL)

/* Priorities relative to the bottom of the time-share range. */
static inline uint8_t ts(const struct fake *f, int n)
{
	return (uint8_t)(fake_era(f)->ts_min + n);
}

/* A thread at that priority, not yet added. */
static inline struct sl_thread *ready_thread(struct fake *f, uint8_t pri, uint64_t mask)
{
	struct sl_thread *td = fake_proc(f, 0, mask);

	fake_set_pri(td, pri);
	return td;
}

static inline bool flagged(const struct sl_thread *td)
{
	return (td->flags & SL_TDF_NEEDRESCHED) != 0;
}

static inline bool owes(const struct sl_thread *td)
{
	return (td->flags & SL_TDF_OWEPREEMPT) != 0;
}

#endif
