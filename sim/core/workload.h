/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A workload as the engine sees it: flat const arrays that refer to each other by
 * index. Loaders build it (traces/), check it with sl_workload_check() and freeze
 * it; any number of simulations may share it.
 * Invariant: a workload that passed sl_workload_check() cannot make the engine read
 * out of bounds or loop without advancing. */
#ifndef SL_WORKLOAD_H
#define SL_WORKLOAD_H

#include "sim/base/base.h"
#include "sim/core/policy.h"

#define SL_NONE UINT32_MAX

/* A length in ns (or a count): constant, or drawn from a quantile table. */
struct sl_dist {
	/* Number of intervals of the quantile table; 0: the constant `value`. */
	uint32_t n;
	uint32_t first; /* quantile[first .. first+n]: inverse CDF at 0, 1/n, ... 1, ascending */
	uint64_t value; /* the constant; otherwise the mean, for reports */
};

/* Operations of a thread's program. "arg": what op->obj and op->dist mean. All but
 * RUN, LOOP, ENDLOOP, MARK enter the kernel (a part of length 0). */
enum sl_op_kind {
	SL_OP_RUN,     /* dist: user-mode work, ns at nominal speed; adjacent RUNs merge */
	SL_OP_KRUN,    /* dist: kernel-mode work: no AST, no userret inside */
	SL_OP_RUNTIME, /* dist: user-mode work until that much wall time passed, 32 us steps */
	SL_OP_SLEEP,   /* dist: timed sleep, with op->wprio */
	SL_OP_UNTIL,   /* dist: sleep until this absolute time; past: no sleep */
	SL_OP_TIMER,   /* obj: timer; dist: period; flags TIMER_*: periodic release */
	SL_OP_YIELD,
	SL_OP_LOCK,	   /* obj: mutex */
	SL_OP_UNLOCK,	   /* obj: mutex */
	SL_OP_COND_WAIT,   /* obj: condition; target: mutex or SL_NONE; no memory of signals */
	SL_OP_COND_SIGNAL, /* obj: condition: wake one */
	SL_OP_COND_BROAD,  /* obj: condition: wake all */
	SL_OP_COND_SYNC,   /* signal obj, then wait on it with mutex target */
	SL_OP_BARRIER,	   /* obj: barrier */
	SL_OP_SEM_WAIT,	   /* obj: semaphore */
	SL_OP_SEM_POST,	   /* obj: semaphore */
	SL_OP_SEND,	   /* obj: channel; dist: units; blocks while full */
	SL_OP_RECV,	   /* obj: channel; dist: units; blocks until that many came */
	SL_OP_DISK,	   /* obj: disk; dist: service time; queues behind others */
	SL_OP_READ,	   /* obj: disk; dist: service time if the page cache misses */
	SL_OP_FORK,	   /* target: task; a new process (flag FORK_THREAD: a thread); `count`
			    * of dist (0 = 1) */
	SL_OP_EXEC,	   /* cold caches from here; cost: dist, kernel mode */
	SL_OP_WAIT_CHILD,  /* wait for one child (flag WAIT_ALL: until none is left) */
	SL_OP_EXIT,
	SL_OP_SETNICE,	 /* target: task or SL_NONE for self; value: nice */
	SL_OP_SETCLASS,	 /* target: task or SL_NONE for self; value: enum sl_class; value2: level;
			  * an interrupt thread keeps its class */
	SL_OP_SETMASK,	 /* target: task or SL_NONE; obj: mask */
	SL_OP_BIND,	 /* value: CPU, -1 unbinds */
	SL_OP_PIN,	 /* value: +1 or -1 */
	SL_OP_MARK,	 /* a completed transaction, counted by the rate metric */
	SL_OP_LOOP,	 /* dist: count; UINT64_MAX = for ever; body until matching ENDLOOP */
	SL_OP_ENDLOOP,	 /* target: index of its LOOP, relative to the program */
	SL_OP_EDGE_WAIT, /* obj: edge: blocks until EDGE_WAKE was executed (replay) */
	SL_OP_EDGE_WAKE, /* obj: edge, used once by one waker and one wakee */
	SL_OP_KIND_COUNT
};

enum sl_op_flag {
	SL_OPF_TIMER_ABSOLUTE = 1 << 0, /* keep the grid when late */
	SL_OPF_FORK_THREAD = 1 << 1,
	SL_OPF_WAIT_ALL = 1 << 2,
	SL_OPF_TEMPLATE_ONCE = 1 << 3, /* FORK of a template thread that has its own id */
	SL_OPF_TIMER_UNIQUE = 1 << 4,  /* one timer per thread, not one for all users */
};

struct sl_op {
	uint8_t kind;  /* enum sl_op_kind */
	uint8_t flags; /* enum sl_op_flag */
	uint8_t wprio; /* enum sl_wprio of the sleep this operation may make */
	int8_t value2;
	uint32_t obj; /* index of mutex, condition, ...; SL_NONE when unused */
	uint32_t target;
	int32_t value;
	struct sl_dist dist;
};

enum sl_mutex_kind {
	SL_MUTEX_USER,	  /* umtx: sleeps, no lending */
	SL_MUTEX_USER_PI, /* lends user priority */
	SL_MUTEX_KERNEL,  /* turnstile: blocks, lends kernel priority */
};

struct sl_mutex_spec {
	const char *name;
	uint8_t kind; /* enum sl_mutex_kind */
};
struct sl_named_spec {
	const char *name;
}; /* conditions, timers */
struct sl_sem_spec {
	const char *name;
	uint32_t initial;
};
struct sl_barrier_spec {
	const char *name;
	uint32_t parties;
};
struct sl_channel_spec {
	const char *name;
	uint64_t capacity;
}; /* units */
struct sl_disk_spec {
	const char *name;
	uint32_t servers;	/* requests served at once, >= 1 */
	uint32_t cold_permille; /* READ misses in a run whose cache is cold */
	uint32_t warm_permille; /* READ misses otherwise */
};

/* A kind of thread. Static threads come from tasks with instances > 0; templates
 * (instances 0) are made by FORK. */
struct sl_task {
	const char *name;
	uint32_t instances;
	uint32_t first_op, n_ops; /* slice of sl_workload.op: one program run */
	uint64_t delay;		  /* start time, ns */
	uint32_t mask;		  /* index into masks; SL_NONE: all CPUs */
	uint32_t proc_group;	  /* static threads with equal group share a process; SL_NONE:
				   * a process each */
	int8_t nice;
	uint8_t pri_class;	/* enum sl_class, 0 = TIMESHARE */
	uint8_t level;		/* rtprio level */
	uint8_t ithread;	/* enum sl_wprio of an interrupt thread, or 0 */
	int32_t irq_cpu;	/* CPU that takes its interrupts */
	int32_t bind_cpu;	/* bound at first dispatch; -1: no */
	bool pin;		/* pinned to the CPU of its first dispatch */
	bool background;	/* the run does not wait for its end */
	bool template_once;	/* instances 0 but has one thread id of its own */
	uint32_t footprint_kib; /* working set, for cache costs; 0: overlay's default */
};

struct sl_workload {
	const char *name;
	const struct sl_op *op;
	uint32_t n_ops;
	const struct sl_task *task;
	uint32_t n_tasks;
	const uint64_t *quantile;
	uint32_t n_quantiles;
	const uint64_t *mask; /* n_masks * mask_words */
	uint32_t n_masks, mask_words;
	const struct sl_mutex_spec *mutex;
	uint32_t n_mutexes;
	const struct sl_named_spec *cond;
	uint32_t n_conds;
	const struct sl_named_spec *timer;
	uint32_t n_timers;
	const struct sl_sem_spec *sem;
	uint32_t n_sems;
	const struct sl_barrier_spec *barrier;
	uint32_t n_barriers;
	const struct sl_channel_spec *channel;
	uint32_t n_channels;
	const struct sl_disk_spec *disk;
	uint32_t n_disks;
	uint32_t n_edges;
	sl_time duration;     /* 0: until all foreground threads have ended */
	sl_time wake_latency; /* recorded idle wake-up latency, 0 unknown */
	sl_time recorded;     /* how long it took when it was recorded, 0 unknown */
	uint64_t digest;      /* of the inputs it was made from */
	/* A program that does the same work in every run draws its lengths with this seed;
	 * 0: with the run's seed. jitter_permille is the standard deviation by which a run's own
	 * seed then varies each length. */
	uint64_t draw_seed;
	uint16_t jitter_permille;
};

/* Checks every index, nesting and bound. Returns NULL when the workload is sound,
 * else a static sentence; *where is then the index of the op (or task, with
 * *is_task) at fault. O(size). */
const char *sl_workload_check(const struct sl_workload *w, uint32_t *where, bool *is_task);

/* The length of a draw: bits are 64 uniform bits. */
uint64_t sl_dist_draw(const struct sl_workload *w, const struct sl_dist *d, uint64_t bits);

#endif
