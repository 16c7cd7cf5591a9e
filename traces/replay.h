/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The replay builder: events in, programs out. Pass 1 (replay.c, replay_wake.c) rebuilds
 * what every thread did; pass 2 (replay_select.c) chooses threads; pass 3
 * (replay_clean.c) tidies their programs; pass 4 (replay_emit.c) freezes the workload. */
#ifndef SL_REPLAY_H
#define SL_REPLAY_H

#include <glib.h>

#include "sim/core/workload.h"
#include "traces/import.h"
#include "traces/import_event.h"

/* Stands for a thread index where there is none. */
#define RP_NONE UINT32_MAX
#define RP_IDLE (UINT32_MAX - 1) /* the idle thread of a CPU */

/* Execs that may turn out to be the recorded command. */
#define RP_ROOTS_MAX 16u

enum rp_op_kind {
	RP_NOP,
	RP_RUN,	  /* ns */
	RP_BLOCK, /* open wait; arg: time it began */
	RP_SLEEP, /* ns; arg: time it ended, 0 unknown */
	RP_WAIT,  /* ns as recorded; arg: edge << 32 | waker */
	RP_WAKE,  /* arg: edge << 32 | wakee */
	RP_FORK,  /* arg: child */
	RP_EXIT,
	RP_PRIO,  /* ns: Linux priority from here on */
	RP_CUT,	  /* ns: index of the root whose start may be here. RPF_OPEN: the thread was
		   * blocked, by the operation before, since `arg` ns */
	RP_UNTIL, /* arg: absolute time; made by pass 3 */
};

enum rp_op_flag {
	RPF_DISK = 1 << 4,   /* the wait was uninterruptible */
	RPF_OPEN = 1 << 5,   /* CUT inside a wait */
	RPF_START = 1 << 6,  /* wait that began before the trace */
	RPF_UNSEEN = 1 << 7, /* SLEEP whose wake-up was not seen */
	RPF_WPRIO = 15 << 8, /* enum sl_wprio + 1 of a wait; 0 unknown */
};

/* 16 bytes: kind and flags in the low 12 bits of head, ns above (52 days). */
struct rp_op {
	uint64_t head, arg;
};

#define RP_NS_MAX ((UINT64_C(1) << 52) - 1)

static inline struct rp_op rp_make(unsigned kind, uint64_t ns, uint64_t arg)
{
	return (struct rp_op){ kind | MIN(ns, RP_NS_MAX) << 12, arg };
}
static inline unsigned rp_kind(struct rp_op op)
{
	return op.head & 0xf;
}
static inline unsigned rp_flags(struct rp_op op)
{
	return op.head & 0xff0;
}
static inline uint64_t rp_ns(struct rp_op op)
{
	return op.head >> 12;
}
static inline void rp_set_ns(struct rp_op *op, uint64_t ns)
{
	op->head = (op->head & 0xfff) | MIN(ns, RP_NS_MAX) << 12;
}
static inline uint32_t rp_peer(struct rp_op op)
{
	return (uint32_t)op.arg;
}
static inline uint32_t rp_edge(struct rp_op op)
{
	return (uint32_t)(op.arg >> 32);
}

enum rp_status {
	RP_NEW, /* heard of, state unknown */
	RP_RUNNABLE,
	RP_RUNNING,
	RP_BLOCKED,
	RP_LIMBO, /* its switch-out was lost: slept if a wake-up follows, else runnable */
	RP_DEAD,
};

/* How the wake-up in wake_thread/wake_op stands. */
enum rp_wake {
	RP_WAKE_NONE,
	RP_WAKE_PENDING, /* seen while the thread still ran: may end its next wait */
	RP_WAKE_GUESSED, /* a pending one ended a wait; a later wake-up replaces it */
};

struct rp_thread {
	char name[SL_COMM_MAX];
	int32_t pid, tgid;
	uint32_t parent;
	struct rp_op *ops;
	uint32_t n_ops, cap_ops;
	uint64_t run;	 /* CPU time not yet in an operation */
	uint64_t on;	 /* RUNNING: charged up to here */
	uint64_t turn;	 /* RUNNING: on its CPU since */
	uint64_t off;	 /* else: off its CPU since */
	uint64_t woken;	 /* last wake-up */
	uint64_t cpu_ns; /* sum of its intervals on a CPU */
	uint64_t born, died;
	uint64_t stat_from;	   /* a remote sched_stat_runtime says: on a CPU since; 0 none */
	uint64_t heal_lo, heal_hi; /* it was put on its CPU at an uncertain time between */
	uint32_t heal_run, heal_sleep; /* operations to correct when the time is known */
	uint64_t pend_at;
	uint32_t wake_thread, wake_op;
	uint32_t block;		  /* BLOCKED: its open BLOCK */
	uint32_t cpu;		  /* RUNNING: here; else last here, RP_NONE never */
	uint32_t ran;		  /* root index + 1 of the exec chain it belongs to, 0 none */
	int16_t prio, first_prio; /* Linux, -1 unknown */
	uint8_t status, wake;
	uint8_t spins; /* short turns in a row that ended runnable, SPIN_ROW at most */
	bool kernel, exiting, by_fork, execed, part_thread, was_recorder;
	/* Pass 2 and later. */
	bool selected, background, forked_here;
	bool elsewhere; /* never ran on a CPU that was asked for */
	uint32_t task;
};

struct rp_cpu {
	uint32_t cur;	     /* thread, RP_IDLE, or RP_NONE while unknown */
	uint64_t last;	     /* last event here */
	uint64_t busy_since; /* end of the last idle time */
	uint64_t woken;	     /* last wake-up that was seen here or sent here */
	bool seen;
	bool was_idle; /* busy_since is the end of an idle time */
};

struct rp_root {
	char name[SL_COMM_MAX];
	uint32_t thread;
	uint64_t at;
	bool sure; /* started by a recorder, or asked for by name */
};

/* A wake-up whose wait is still to come. */
struct rp_half {
	uint32_t edge, waker, op; /* op: its place in the waker's program */
};

struct rp_pid {
	int32_t pid; /* -1: free */
	uint32_t thread;
};

struct sl_replay {
	const struct sl_import_opts *opts;
	struct sl_import_report *report;
	struct rp_thread *threads;
	uint32_t n_threads, cap_threads;
	struct rp_pid *pids; /* open addressing, a power of two */
	uint32_t n_pids, cap_pids;
	struct rp_cpu *cpus;
	uint32_t n_cpus;
	struct rp_root root[RP_ROOTS_MAX];
	uint32_t n_roots;
	uint32_t n_edges;
	bool started, ended, window_cut;
	bool full;	    /* as many threads as may be: later ones are unknown */
	GHashTable *halves; /* number of an edge -> struct rp_half */
	bool has_waking;    /* sched_waking names the waker; else only sched_wakeup */
	bool has_wakeup;
	uint64_t t0, now;
	const char *fault; /* strict: what contradiction was met first; NULL none */
	uint64_t fault_at;
	uint32_t line, fault_line; /* of the event at hand, and of that one */
	uint32_t latency[64 * 16]; /* histogram, 16 steps an octave */
	/* Pass 2 and later. */
	uint32_t chosen; /* index into root, or RP_NONE */
	uint64_t start;	 /* time 0 of the workload */
};

struct sl_replay *sl_replay_new(const struct sl_import_opts *opts, struct sl_import_report *report);
void sl_replay_free(struct sl_replay *b); /* NULL is fine */

/* The next event in time order. Amortised O(1). */
void sl_replay_feed(struct sl_replay *b, struct sl_event *ev);
/* The event says that this kernel prints every state letter one too high. To be called
 * when the event is read, ahead of its turn. */
void sl_replay_note_state(struct sl_replay *b, const struct sl_event *ev);

/* Passes 2 to 4. NULL and *err when nothing is left to replay. */
struct sl_workload *sl_replay_finish(struct sl_replay *b, const char *name, GError **err);

/* ---- inside the builder ---- */

struct rp_op *rp_push(struct rp_thread *t, struct rp_op op);
void rp_flush_run(struct rp_thread *t);
void rp_charge(struct rp_thread *t, uint64_t at);
void rp_block(struct rp_thread *t, uint64_t since, unsigned flags);
void rp_repair(struct sl_replay *b, uint64_t *count, const char *what);
void rp_wake_done(struct sl_replay *b, uint32_t w, const struct sl_event *ev, uint32_t waker);
void rp_wake_at_block(struct sl_replay *b, uint32_t w);
void rp_wake_unseen(struct sl_replay *b, struct rp_thread *t, uint64_t at);
void rp_wake_cancel(struct sl_replay *b, struct rp_thread *t);
void rp_select(struct sl_replay *b);
bool rp_is_kernel_name(const char *name);
bool rp_is_recorder_name(const char *name);
/* Replaces a selected thread's operations by its tidy program. */
void rp_clean(struct sl_replay *b);
struct sl_workload *rp_emit(struct sl_replay *b, const char *name, GError **err);

#endif
