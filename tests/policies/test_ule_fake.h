/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A machine of a few CPUs around ULE without an engine: the test says which thread
 * runs where and reads what ULE asked for. It defines the engine's services, so a test
 * program includes it once and links no engine. */
#ifndef TESTS_POLICIES_TEST_ULE_FAKE_H
#define TESTS_POLICIES_TEST_ULE_FAKE_H

#include "policies/registry.h"
#include "policies/ule.h"
#include "tests/sl_test.h"

#define FAKE_CPUS    64
#define FAKE_THREADS 16

enum fake_shape { FAKE_FLAT, FAKE_INTEL, FAKE_Q6600, FAKE_P4 };

struct fake {
	struct sl_pol pol;
	struct ule ule;
	struct sl_cpu cpu[FAKE_CPUS];
	struct ule_cpu q[FAKE_CPUS];
	struct sl_thread idle[FAKE_CPUS];
	struct ule_thread idle_ts[FAKE_CPUS];
	struct sl_thread td[FAKE_THREADS];
	struct ule_thread ts[FAKE_THREADS];
	struct sl_proc proc[FAKE_THREADS], idle_proc;
	uint64_t mask[FAKE_THREADS][SL_BITS_WORDS(FAKE_CPUS)];
	struct sl_cpu_tree *tree;
	uint32_t self;
	unsigned ipi[FAKE_CPUS]; /* kinds sent */
};

/* The fake machine stands behind sl_pol.sim. */
static inline struct fake *fake_of(const struct sl_pol *p)
{
	return (struct fake *)(void *)p->sim;
}

uint32_t sl_pol_self(const struct sl_pol *p)
{
	return fake_of(p)->self;
}

void sl_pol_queued(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	assert_true(td->state == SL_TS_CAN_RUN || td->state == SL_TS_RUNNING);
	td->state = SL_TS_RUNQ;
}

void sl_pol_dequeued(struct sl_pol *p, struct sl_thread *td)
{
	(void)p;
	assert_int_equal(td->state, SL_TS_RUNQ);
	td->state = SL_TS_CAN_RUN;
}

void sl_pol_ipi(struct sl_pol *p, uint32_t cpu, enum sl_ipi kind)
{
	fake_of(p)->ipi[cpu] |= kind;
}

/* ULE arms no timer and switches to nobody directly. */
void sl_pol_arm(struct sl_pol *p, uint32_t id, sl_time at)
{
	(void)p, (void)at;
	fail_msg("timer %u armed", (unsigned)id);
}

void sl_pol_switch_to(struct sl_pol *p, struct sl_thread *next)
{
	(void)p;
	fail_msg("direct switch to %u", (unsigned)next->id);
}

void sl_pol_why(struct sl_pol *p, enum sl_why why, const struct sl_thread *td, int64_t a, int64_t b,
		int64_t c)
{
	(void)p, (void)why, (void)td, (void)a, (void)b, (void)c;
}

/* Packages x cores x threads, CPUs numbered depth first. */
static inline struct sl_cpu_tree *fake_tree(enum fake_shape shape, uint32_t packages,
					    uint32_t cores, uint32_t threads, enum sl_cg_rule rule)
{
	struct sl_topo_cpu cpu[FAKE_CPUS];
	struct sl_topo topo = { .name = "fake", .cpu = cpu };

	for (uint32_t i = 0; i < packages * cores * threads; i++) {
		uint16_t package = (uint16_t)(i / (cores * threads));
		uint16_t core = (uint16_t)(i / threads);

		cpu[i] = (struct sl_topo_cpu){
			.package = package,
			.core = core,
			.thread = (uint16_t)(i % threads),
			.l1 = shape == FAKE_P4 ? package : core,
			.l2 = shape == FAKE_Q6600 ? core / 2
			      : shape == FAKE_P4  ? package
						  : core,
			.l3 = shape == FAKE_INTEL ? package : SL_TOPO_NONE,
			.speed_permille = 1000,
		};
		topo.ncpus = i + 1;
	}
	topo.caches_unknown = shape == FAKE_FLAT;
	return sl_cpu_tree_new(&topo, rule);
}

static inline const struct sl_era *fake_era(const char *name)
{
	const struct sl_era *era = sl_policy_era(&sl_policy_ule, name);

	assert_non_null(era);
	return era;
}

/* Boots era `name` on the machine; every CPU idle and halted. */
static inline void fake_boot(struct fake *f, const char *name, enum fake_shape shape,
			     uint32_t packages, uint32_t cores, uint32_t threads)
{
	const struct sl_era *era = fake_era(name);

	memset(f, 0, sizeof(*f));
	f->tree = fake_tree(shape, packages, cores, threads, era->machine->groups);
	assert_non_null(f->tree);
	f->pol = (struct sl_pol){
		.ncpus = packages * cores * threads,
		.mask_words = 1,
		.hz = 1000,
		.stathz = 127,
		.smp = true,
		.cpu = f->cpu,
		.tree = f->tree,
		.priv = &f->ule,
		.ops = &sl_policy_ule,
		.era = era->data,
		.sim = (struct sl_sim *)(void *)f,
	};
	for (uint32_t c = 0; c < f->pol.ncpus; c++) {
		f->cpu[c] = (struct sl_cpu){ .cur = &f->idle[c],
					     .idle = &f->idle[c],
					     .priv = &f->q[c] };
		f->idle[c] = (struct sl_thread){ .priv = &f->idle_ts[c],
						 .proc = &f->idle_proc,
						 .oncpu = (int32_t)c,
						 .flags = SL_TDF_IDLETD | SL_TDF_NOLOAD,
						 .pri = 255,
						 .base_pri = 255,
						 .user_pri = 255,
						 .base_user_pri = 255,
						 .lend_user_pri = 255,
						 .pri_class = SL_CLASS_IDLE,
						 .state = SL_TS_RUNNING };
		f->q[c].cpu_idle = true;
	}
	sl_policy_ule.init(&f->pol);
	sl_policy_ule.setup(&f->pol);
}

static inline void fake_end(struct fake *f)
{
	sl_cpu_tree_free(f->tree);
}

/* Thread i of the machine: batch by default, at home on `cpu`, priority pri, cold. */
static inline struct sl_thread *fake_thread(struct fake *f, uint32_t i, int32_t cpu, uint8_t pri)
{
	struct sl_thread *td = &f->td[i];

	sl_list_init(&f->proc[i].threads);
	*td = (struct sl_thread){ .priv = &f->ts[i],
				  .proc = &f->proc[i],
				  .mask = f->mask[i],
				  .id = i,
				  .cpu = cpu,
				  .oncpu = -1,
				  .pri = pri,
				  .base_pri = pri,
				  .user_pri = pri,
				  .base_user_pri = pri,
				  .lend_user_pri = 255,
				  .pri_class = SL_CLASS_TIMESHARE,
				  .state = SL_TS_CAN_RUN };
	sl_list_append(&f->proc[i].threads, &td->in_proc);
	f->mask[i][0] = ~(uint64_t)0;
	f->ts[i] = (struct ule_thread){ .rltick = -ULE_COLD_TICKS };
	return td;
}

/* CPU c has so many threads, so many of them movable. */
static inline void fake_load(struct fake *f, uint32_t c, int32_t load, int32_t transferable)
{
	ule_tally(&f->pol, c, load - f->q[c].load, transferable - f->q[c].transferable);
	f->q[c].load = f->q[c].sysload = load;
	f->q[c].transferable = transferable;
}

/* td becomes the running thread of its CPU, as if it had been chosen. */
static inline void fake_run(struct fake *f, struct sl_thread *td)
{
	uint32_t c = (uint32_t)td->cpu;

	td->state = SL_TS_RUNNING;
	td->oncpu = td->cpu;
	f->cpu[c].cur = td;
	fake_load(f, c, f->q[c].load + 1, f->q[c].transferable);
	f->q[c].lowpri = td->pri;
	f->q[c].cpu_idle = false;
}

/* td waits in CPU td->cpu's queue. */
static inline void fake_queue(struct fake *f, struct sl_thread *td, unsigned srq)
{
	(void)ule_arrive(&f->pol, td, srq);
}

/* Switch on `cpu` away from its current thread, whose state says why. */
static inline struct sl_thread *fake_switch(struct fake *f, uint32_t cpu, unsigned sw)
{
	struct sl_thread *out = f->cpu[cpu].cur, *in;

	f->self = cpu;
	in = sl_policy_ule.sswitch(&f->pol, cpu, out, sw, NULL);
	if (in != out)
		out->oncpu = -1;
	in->state = SL_TS_RUNNING;
	in->oncpu = (int32_t)cpu;
	f->cpu[cpu].cur = in;
	return in;
}

#endif
