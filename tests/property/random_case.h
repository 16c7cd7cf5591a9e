/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A random machine and a random workload from one number, in memory.
 * Every program is sound (sl_workload_check() accepts it), never holds a mutex for ever and
 * uses at least 10 us per turn of an endless loop, so a run ends because its time is up or
 * its threads have ended. All else is left to chance: masks, nice, classes, binding, pins,
 * forks, yields, sleeps with priorities, and every kind of object to wait on.
 * Invariant: equal seeds give equal cases; arrays never overflow (asserted). */
#ifndef TESTS_PROPERTY_RANDOM_CASE_H
#define TESTS_PROPERTY_RANDOM_CASE_H

#include "sim/base/rng.h"
#include "sim/core/sim.h"

#include <stdio.h>
#include <string.h>

enum {
	RC_CPUS = 64,
	RC_OPS = 1024,
	RC_TASKS = 48,
	RC_MASKS = 16,
	RC_OBJS = 8,
	RC_QUANTILES = 5 * 16,
};

struct random_case {
	uint64_t seed, draws;
	struct sl_topo topo;
	struct sl_topo_cpu cpu[RC_CPUS];
	struct sl_workload w;
	struct sl_op op[RC_OPS];
	struct sl_task task[RC_TASKS];
	char name[RC_TASKS][16];
	uint64_t mask[RC_MASKS];
	uint64_t quantile[RC_QUANTILES];
	struct sl_mutex_spec mutex[RC_OBJS];
	struct sl_named_spec cond[RC_OBJS];
	struct sl_named_spec timer[2];
	struct sl_sem_spec sem[RC_OBJS];
	struct sl_barrier_spec barrier[RC_OBJS];
	struct sl_channel_spec channel[RC_OBJS];
	struct sl_disk_spec disk[1];
	struct sl_costs costs;
	bool with_costs, tick_phase, masks_change[RC_TASKS], other_targets;
	sl_time until;
};

/* 0 .. n-1 */
static inline uint32_t rc_below(struct random_case *c, uint32_t n)
{
	return (uint32_t)sl_rng_scale(sl_rng_draw(c->seed, SL_RNG_BOOT, 77, c->draws++), n);
}

static inline bool rc_one_in(struct random_case *c, uint32_t n)
{
	return rc_below(c, n) == 0;
}

static inline uint32_t rc_between(struct random_case *c, uint32_t least, uint32_t most)
{
	return least + rc_below(c, most - least + 1);
}

/* Tens of microseconds to tens of milliseconds, each decade as likely; now and then a drawn
 * length. */
static inline struct sl_dist rc_length(struct random_case *c, uint32_t most_us)
{
	static const uint32_t decade[] = { 10, 100, 1000, 10000, 100000 };
	struct sl_dist d = { 0 };
	uint32_t top = 0, base;

	while (top < 4 && decade[top + 1] < most_us)
		top++;
	base = decade[rc_below(c, top + 1)];
	d.value = rc_between(c, base, base * 9) * SL_NS_PER_US + rc_below(c, 1000);
	if (rc_one_in(c, 4) && c->w.n_quantiles + 5 <= RC_QUANTILES) {
		d.n = 4;
		d.first = c->w.n_quantiles;
		for (uint32_t i = 0; i <= 4; i++)
			c->quantile[c->w.n_quantiles++] = d.value * (i + 1) / 3 + 10000;
	}
	return d;
}

static inline struct sl_op *rc_op(struct random_case *c, enum sl_op_kind kind)
{
	struct sl_op *op = &c->op[c->w.n_ops++];

	SL_ASSERT(c->w.n_ops <= RC_OPS);
	*op = (struct sl_op){ .kind = (uint8_t)kind, .target = SL_NONE, .obj = SL_NONE };
	return op;
}

static inline void rc_run(struct random_case *c, uint32_t most_us)
{
	enum sl_op_kind kind = rc_one_in(c, 8) ? SL_OP_KRUN : SL_OP_RUN;

	rc_op(c, kind)->dist = rc_length(c, most_us);
	if (rc_one_in(c, 6))
		rc_op(c, SL_OP_RUN)->dist = rc_length(c, most_us);
}

static inline void rc_sleep(struct random_case *c, uint32_t most_us)
{
	struct sl_op *op = rc_op(c, SL_OP_SLEEP);

	op->dist = rc_length(c, most_us);
	op->wprio = (uint8_t)(rc_one_in(c, 2) ? SL_WPRIO_PWAIT : rc_below(c, SL_WPRIO_PPAUSE + 1));
}

static inline uint32_t rc_loop(struct random_case *c, uint64_t turns)
{
	rc_op(c, SL_OP_LOOP)->dist.value = turns;
	return c->w.n_ops - 1;
}

static inline void rc_endloop(struct random_case *c, uint32_t first, uint32_t loop)
{
	rc_op(c, SL_OP_ENDLOOP)->target = loop - first;
}

static inline void rc_obj(struct random_case *c, enum sl_op_kind kind, uint32_t obj)
{
	struct sl_op *op = rc_op(c, kind);

	op->obj = obj;
	op->wprio = (uint8_t)(rc_one_in(c, 2) ? SL_WPRIO_NONE : rc_below(c, SL_WPRIO_PPAUSE + 1));
}

static inline void rc_topology(struct random_case *c)
{
	uint32_t packages = rc_between(c, 1, 3), cores = rc_between(c, 1, 4);
	uint32_t threads = rc_one_in(c, 3) ? 2 : 1, pairs = rc_below(c, 3), n = 0;

	if (rc_one_in(c, 3))
		packages = 1;
	if (rc_one_in(c, 4))
		cores = packages = threads = 1;
	if (rc_one_in(c, 40)) {
		packages = 4;
		cores = 8;
		threads = 2;
	}
	for (uint32_t p = 0; p < packages; p++)
		for (uint32_t k = 0; k < cores; k++)
			for (uint32_t t = 0; t < threads; t++) {
				uint16_t core = (uint16_t)(p * cores + k);

				c->cpu[n++] = (struct sl_topo_cpu){
					.package = (uint16_t)p,
					.node = (uint16_t)(pairs == 2 ? p : 0),
					.core = core,
					.thread = (uint16_t)t,
					.l1 = core,
					.l2 = pairs == 1 ? (uint16_t)(p * 8 + k / 2) : core,
					.l3 = (uint16_t)p,
					.speed_permille = 1000,
				};
			}
	c->topo = (struct sl_topo){ .name = "random", .ncpus = n, .cpu = c->cpu };
	c->topo.caches_unknown = rc_one_in(c, 6);
	c->topo.uniprocessor = n == 1 && rc_one_in(c, 2);
}

static inline void rc_masks(struct random_case *c)
{
	uint32_t n = c->topo.ncpus;

	c->w.n_masks = RC_MASKS;
	c->w.mask_words = 1;
	for (uint32_t m = 0; m < RC_MASKS; m++) {
		uint32_t bits = rc_between(c, 1, n);

		c->mask[m] = 0;
		for (uint32_t i = 0; i < bits; i++)
			sl_bit_set(&c->mask[m], rc_below(c, n));
	}
}

static inline void rc_objects(struct random_case *c)
{
	for (uint32_t i = 0; i < RC_OBJS; i++) {
		c->mutex[i] = (struct sl_mutex_spec){ "m", (uint8_t)rc_below(c, 3) };
		c->cond[i].name = "c";
		c->sem[i] = (struct sl_sem_spec){ "s", rc_below(c, 3) };
		c->barrier[i].name = "b";
		c->channel[i] = (struct sl_channel_spec){ "ch", rc_between(c, 1, 9) };
	}
	c->timer[0].name = c->timer[1].name = "t";
	c->disk[0] = (struct sl_disk_spec){ "d", rc_between(c, 1, 3), 900, 300 };
	c->w.mutex = c->mutex;
	c->w.cond = c->cond;
	c->w.timer = c->timer;
	c->w.n_timers = 2;
	c->w.sem = c->sem;
	c->w.barrier = c->barrier;
	c->w.channel = c->channel;
	c->w.disk = c->disk;
	c->w.n_disks = 1;
}

/* Begins a task; its program starts at the next operation. */
static inline struct sl_task *rc_task(struct random_case *c, const char *kind, uint32_t instances)
{
	uint32_t i = c->w.n_tasks++;
	struct sl_task *t = &c->task[i];

	SL_ASSERT(i < RC_TASKS);
	snprintf(c->name[i], sizeof c->name[i], "%s%u", kind, i);
	*t = (struct sl_task){ .name = c->name[i],
			       .instances = instances,
			       .first_op = c->w.n_ops,
			       .mask = rc_one_in(c, 2) ? SL_NONE : rc_below(c, RC_MASKS),
			       .proc_group = rc_one_in(c, 4) ? i : SL_NONE,
			       .bind_cpu = -1 };
	if (rc_one_in(c, 3))
		t->nice = (int8_t)((int)rc_below(c, 41) - 20);
	if (rc_one_in(c, 2))
		t->delay = rc_below(c, 150) * SL_NS_PER_MS + rc_below(c, 1000000);
	if (rc_one_in(c, 12)) {
		static const uint8_t classes[] = { SL_CLASS_REALTIME, SL_CLASS_IDLE,
						   SL_CLASS_FIFO };

		t->pri_class = classes[rc_below(c, 3)];
		t->level = (uint8_t)rc_below(c, 32);
	}
	if (rc_one_in(c, 20))
		t->bind_cpu = (int32_t)rc_below(c, c->topo.ncpus);
	t->pin = rc_one_in(c, 20);
	return t;
}

static inline void rc_end(struct random_case *c, struct sl_task *t)
{
	t->n_ops = c->w.n_ops - t->first_op;
}

static inline void rc_hog(struct random_case *c)
{
	struct sl_task *t = rc_task(c, "hog", rc_between(c, 1, 3));
	uint32_t loop = rc_loop(c, UINT64_MAX);

	rc_op(c, SL_OP_RUN)->dist = rc_length(c, 100000);
	rc_op(c, SL_OP_MARK);
	if (rc_one_in(c, 3))
		rc_op(c, SL_OP_YIELD);
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
}

static inline void rc_sleeper(struct random_case *c)
{
	struct sl_task *t = rc_task(c, "slp", rc_between(c, 1, 4));
	uint32_t loop = rc_loop(c, UINT64_MAX);

	rc_run(c, 10000);
	if (rc_one_in(c, 4)) {
		struct sl_op *op = rc_op(c, SL_OP_TIMER);

		op->obj = rc_below(c, 2);
		op->flags = (uint8_t)(rc_below(c, 2) * SL_OPF_TIMER_ABSOLUTE | SL_OPF_TIMER_UNIQUE);
		op->dist.value = rc_between(c, 1, 50) * SL_NS_PER_MS;
	} else if (rc_one_in(c, 4)) {
		struct sl_op *op = rc_op(c, rc_one_in(c, 2) ? SL_OP_DISK : SL_OP_READ);

		op->obj = 0;
		op->wprio = SL_WPRIO_PRIBIO;
		op->dist = rc_length(c, 10000);
	} else {
		rc_sleep(c, 100000);
	}
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
}

static inline void rc_finite(struct random_case *c)
{
	struct sl_task *t = rc_task(c, "fin", rc_between(c, 1, 3));
	uint32_t loop = rc_loop(c, rc_between(c, 1, 20));

	rc_run(c, 100000);
	rc_sleep(c, 10000);
	rc_endloop(c, t->first_op, loop);
	if (rc_one_in(c, 2))
		rc_op(c, SL_OP_EXIT);
	rc_end(c, t);
}

/* Two mutexes are always taken in ascending order. */
static inline void rc_locker(struct random_case *c)
{
	struct sl_task *t = rc_task(c, "lck", rc_between(c, 2, 4));
	uint32_t a = rc_below(c, RC_OBJS - 1), b = rc_between(c, a + 1, RC_OBJS - 1);
	bool nested = rc_one_in(c, 2);
	uint32_t loop = rc_loop(c, UINT64_MAX);

	c->w.n_mutexes = RC_OBJS;
	rc_run(c, 10000);
	rc_obj(c, SL_OP_LOCK, a);
	rc_run(c, 10000);
	if (nested) {
		rc_obj(c, SL_OP_LOCK, b);
		rc_run(c, 1000);
		rc_obj(c, SL_OP_UNLOCK, b);
	}
	rc_obj(c, SL_OP_UNLOCK, a);
	if (rc_one_in(c, 2))
		rc_sleep(c, 10000);
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
}

/* One side gives, the other takes; the giver sleeps or takes turns with the taker. */
static inline void rc_pair(struct random_case *c)
{
	uint32_t obj = rc_below(c, RC_OBJS), back = (obj + 1) % RC_OBJS;
	bool channel = rc_one_in(c, 3), answer = !channel && rc_one_in(c, 2);
	struct sl_task *t = rc_task(c, "giv", 1);
	uint32_t loop = rc_loop(c, UINT64_MAX);

	c->w.n_sems = c->w.n_channels = RC_OBJS;
	rc_run(c, 1000);
	rc_obj(c, channel ? SL_OP_SEND : SL_OP_SEM_POST, obj);
	c->op[c->w.n_ops - 1].dist.value = 3;
	if (answer)
		rc_obj(c, SL_OP_SEM_WAIT, back);
	else
		rc_sleep(c, 10000);
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
	t = rc_task(c, "tak", 1);
	loop = rc_loop(c, UINT64_MAX);
	rc_obj(c, channel ? SL_OP_RECV : SL_OP_SEM_WAIT, obj);
	c->op[c->w.n_ops - 1].dist.value = rc_between(c, 1, 4);
	rc_run(c, 1000);
	if (answer)
		rc_obj(c, SL_OP_SEM_POST, back);
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
}

static inline void rc_condition(struct random_case *c)
{
	uint32_t obj = rc_below(c, RC_OBJS), m = rc_below(c, RC_OBJS);
	struct sl_task *t = rc_task(c, "cnd", rc_between(c, 1, 3));
	uint32_t loop = rc_loop(c, UINT64_MAX);

	c->w.n_conds = c->w.n_mutexes = RC_OBJS;
	rc_obj(c, SL_OP_LOCK, m);
	rc_obj(c, rc_one_in(c, 3) ? SL_OP_COND_SYNC : SL_OP_COND_WAIT, obj);
	c->op[c->w.n_ops - 1].target = m;
	rc_run(c, 1000);
	rc_obj(c, SL_OP_UNLOCK, m);
	rc_run(c, 1000);
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
	t = rc_task(c, "sig", 1);
	loop = rc_loop(c, UINT64_MAX);
	rc_run(c, 1000);
	rc_obj(c, rc_one_in(c, 2) ? SL_OP_COND_SIGNAL : SL_OP_COND_BROAD, obj);
	rc_sleep(c, 10000);
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
}

static inline void rc_team(struct random_case *c)
{
	uint32_t n = rc_between(c, 2, 5), obj = c->w.n_barriers++;
	struct sl_task *t = rc_task(c, "bar", n);
	uint32_t loop = rc_loop(c, UINT64_MAX);

	SL_ASSERT(obj < RC_OBJS);
	c->barrier[obj].parties = n;
	rc_run(c, 10000);
	rc_obj(c, SL_OP_BARRIER, obj);
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
}

static inline void rc_forker(struct random_case *c)
{
	struct sl_task *t = rc_task(c, "chl", 0);
	uint32_t child = c->w.n_tasks - 1, loop;

	c->masks_change[child] = true; /* inherited */
	t->pri_class = 0;
	t->delay = 0;
	rc_run(c, 10000);
	if (rc_one_in(c, 3))
		rc_sleep(c, 10000);
	if (rc_one_in(c, 3))
		rc_op(c, SL_OP_EXEC)->dist.value = rc_below(c, 2) * 50000;
	rc_run(c, 10000);
	rc_end(c, t);
	t = rc_task(c, "frk", 1);
	loop = rc_loop(c, rc_between(c, 1, 30));
	rc_run(c, 10000);
	{
		struct sl_op *op = rc_op(c, SL_OP_FORK);
		bool thread = rc_one_in(c, 3);

		op->target = child;
		op->flags = thread ? SL_OPF_FORK_THREAD : 0;
		op->dist.value = rc_below(c, 4);
		if (!thread && rc_one_in(c, 2)) {
			op = rc_op(c, SL_OP_WAIT_CHILD);
			op->flags = rc_one_in(c, 2) ? SL_OPF_WAIT_ALL : 0;
			op->wprio = SL_WPRIO_PWAIT;
		} else {
			rc_sleep(c, 100000);
		}
	}
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
}

static inline uint32_t rc_target(struct random_case *c, uint32_t self)
{
	uint32_t t = rc_below(c, self + 1);

	return t == self ? SL_NONE : t;
}

/* Changes nice, class, mask and binding of itself, nice, class and mask of others. */
static inline void rc_changer(struct random_case *c)
{
	struct sl_task *t = rc_task(c, "chg", 1);
	uint32_t self = c->w.n_tasks - 1, loop = rc_loop(c, UINT64_MAX);
	uint32_t n = rc_between(c, 1, 4);
	struct sl_op *op;

	c->masks_change[self] = true;
	for (uint32_t i = 0; i < n; i++) {
		rc_run(c, 10000);
		switch (rc_below(c, 5)) {
		case 0:
			op = rc_op(c, SL_OP_SETNICE);
			op->target = rc_target(c, self);
			op->value = (int32_t)rc_below(c, 41) - 20;
			break;
		case 1:
			op = rc_op(c, SL_OP_SETCLASS);
			op->target = rc_target(c, self);
			op->value = rc_one_in(c, 4) ? SL_CLASS_IDLE : SL_CLASS_TIMESHARE;
			if (rc_one_in(c, 4))
				op->value = SL_CLASS_REALTIME;
			op->value2 = (int8_t)rc_below(c, 32);
			break;
		case 2:
			op = rc_op(c, SL_OP_SETMASK);
			op->target = rc_target(c, self);
			op->obj = rc_one_in(c, 3) ? SL_NONE : rc_below(c, RC_MASKS);
			c->masks_change[op->target == SL_NONE ? self : op->target] = true;
			break;
		case 3:
			rc_op(c, SL_OP_BIND)->value = (int32_t)rc_below(c, c->topo.ncpus);
			rc_run(c, 10000);
			rc_op(c, SL_OP_BIND)->value = -1;
			break;
		default:
			rc_op(c, SL_OP_PIN)->value = 1;
			rc_run(c, 10000);
			rc_op(c, SL_OP_PIN)->value = -1;
			break;
		}
	}
	rc_sleep(c, 10000);
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
}

static inline void rc_ithread(struct random_case *c)
{
	struct sl_task *t = rc_task(c, "irq", 1);
	uint32_t loop = rc_loop(c, UINT64_MAX);

	t->mask = SL_NONE;
	t->proc_group = SL_NONE;
	t->bind_cpu = -1;
	t->pin = false;
	t->pri_class = 0;
	t->nice = 0;
	t->background = true;
	t->ithread = (uint8_t)rc_between(c, SL_WPRIO_PI_REALTIME, SL_WPRIO_PI_SOFT);
	t->irq_cpu = (int32_t)rc_below(c, c->topo.ncpus);
	rc_op(c, SL_OP_KRUN)->dist = rc_length(c, 1000);
	rc_sleep(c, 10000);
	rc_endloop(c, t->first_op, loop);
	rc_end(c, t);
}

static inline void rc_costs(struct random_case *c)
{
	c->with_costs = rc_one_in(c, 3);
	c->tick_phase = rc_one_in(c, 6);
	c->costs = (struct sl_costs){ .name = "random",
				      .switch_ns = rc_below(c, 5000),
				      .tick_ns = rc_below(c, 3000),
				      .wake_ns = rc_below(c, 2000),
				      .ipi_ns = rc_below(c, 3000),
				      .idle_exit_ns = rc_below(c, 3) * 10000,
				      .syscall_ns = rc_below(c, 500),
				      .footprint_kib = rc_below(c, 256),
				      .evict_us = rc_below(c, 5000) };
	c->costs.smt_permille[1] = (uint16_t)rc_between(c, 500, 1000);
	for (uint32_t i = 0; i < SL_SHARED_COUNT; i++)
		c->costs.refill_ns_per_kib[i] = rc_below(c, 60) * i;
}

static inline void rc_make(struct random_case *c, uint64_t seed)
{
	static void (*const kinds[])(struct random_case *) = {
		rc_hog,	 rc_sleeper,   rc_finite, rc_locker,  rc_pair,
		rc_team, rc_condition, rc_forker, rc_changer, rc_ithread,
	};
	uint32_t n;

	memset(c, 0, sizeof *c);
	c->seed = seed;
	rc_topology(c);
	rc_masks(c);
	rc_objects(c);
	rc_costs(c);
	n = rc_between(c, 1, 7);
	for (uint32_t i = 0; i < n; i++)
		kinds[rc_below(c, SL_ARRAY_LEN(kinds))](c);
	rc_hog(c);
	c->until = rc_between(c, 100, 500) * SL_NS_PER_MS;
	if (rc_one_in(c, 50))
		c->until = 7 * SL_NS_PER_S;
	c->w.name = "random";
	c->w.op = c->op;
	c->w.task = c->task;
	c->w.quantile = c->quantile;
	c->w.mask = c->mask;
}

#endif
