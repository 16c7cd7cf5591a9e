/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE of 2005: two queues per CPU that change places, slices by nice, hand-overs to other
 * CPUs through a list. Another design than that of 2007, so it shares no state with
 * policies/ule.h. Section numbers are those of the fact sheet "ule-history.md" (1.1 ..
 * 1.10, corrections C1 .. C19).
 *
 * The kernel of 2005 knows no CPU masks. This policy keeps to them where it chooses a
 * CPU; with full masks that changes nothing. */
#ifndef SL_POLICIES_ULE_2005_H
#define SL_POLICIES_ULE_2005_H

#include "policies/runq.h"
#include "sim/core/policy.h"

#define U05_NQS	   64 /* lists per queue; four priorities each */
#define U05_PPQ	   4
#define U05_NICES  41 /* -20 .. 20 */
#define U05_THRESH 30 /* score below which a thread is interactive */

/* The queues of a CPU: two that change places, and one for the idle class. */
enum u05_queue_id { U05_QUEUE_A, U05_QUEUE_B, U05_QUEUE_IDLE, U05_QUEUES };

/* Ranges of priorities. */
enum {
	U05_ITHD_LAST = 63,
	U05_REALTIME_FIRST = 128,
	U05_SHARE_FIRST = 160,
	U05_SHARE_LAST = 223,
	U05_IDLE_FIRST = 224,
};

/* What differs between the two eras. */
struct u05_era {
	const char *clock_name, *slice_name;
	/* hz ticks << 10 that a stat tick is worth (1.1). */
	uint32_t (*tick_worth)(uint32_t hz, uint32_t stathz);
	/* Rate from which the slices are derived; they are counted in stat ticks (1.5). */
	uint32_t (*slice_rate)(uint32_t hz, uint32_t stathz);
};

extern const struct u05_era ule_era_2005, ule_era_2005b;

/* A thread's part (kernel: kse and, of a single-threaded process, ksegrp). */
struct u05_thread {
	uint32_t runtime, slptime; /* interactivity history, hz ticks << 10 */
	int32_t slice;		   /* stat ticks left */
	int32_t slptick;	   /* tick at which it fell asleep; 0: not asleep */
	uint8_t queue, index;	   /* where it is queued */
	bool xferable;		   /* counted in the CPU's transferable */
	bool assigned;		   /* handed over, not yet taken in */
	bool counted;		   /* in the CPU's load */
	bool timeshare;		   /* ... as a time-share thread, under the next value */
	int8_t nice;
};

/* A CPU's part (kernel: kseq). */
struct u05_cpu {
	int32_t load;		  /* running, queued and handed-over threads */
	int32_t timeshare;	  /* ... of the time-share class */
	int32_t transferable;	  /* queued threads that may move */
	uint32_t nice[U05_NICES]; /* time-share threads by nice value + 20 */
	uint8_t curr;		  /* U05_QUEUE_A or _B: which one is being emptied */
	struct sl_link assigned;  /* handed-over threads, last one first */
	struct sl_runq rq[U05_QUEUES];
};

#define U05_MASK_WORDS SL_BITS_WORDS(SL_TOPO_MAX_CPUS)

/* One scheduler. */
struct u05 {
	int32_t slice_min, slice_max;	/* tunables, stat ticks */
	uint32_t tickincr;		/* run time of a stat tick, hz ticks << 10 */
	uint32_t cap, fork_cap;		/* of the history, hz ticks << 10 */
	uint32_t random;		/* state of the kernel's random() */
	int32_t balance_at, members_at; /* hz ticks of the next balancer runs */
	bool several;			/* some group has several CPUs */
	uint64_t steals, balanced;
	uint64_t idle_cpus[U05_MASK_WORDS]; /* CPUs whose idle mark is set */
	/* First CPUs of fully idle groups to which nothing has been handed over since. */
	uint64_t idle_groups[U05_MASK_WORDS];
};

static inline struct u05 *u05_of(const struct sl_pol *p)
{
	return p->priv;
}

static inline struct u05_cpu *u05_cpu_of(const struct sl_pol *p, uint32_t cpu)
{
	return p->cpu[cpu].priv;
}

static inline struct u05_thread *u05_thread_of(const struct sl_thread *td)
{
	return td->priv;
}

static inline bool u05_is_timeshare(const struct sl_thread *td)
{
	return SL_CLASS_BASE(td->pri_class) == SL_CLASS_TIMESHARE;
}

static inline bool u05_may_run_on(const struct sl_thread *td, uint32_t cpu)
{
	return sl_bit_test(td->mask, cpu);
}

/* policies/ule_2005_math.c */
/* Interactivity score 0 .. 100; 0 without history (1.4, C5). */
int32_t u05_score(uint32_t run, uint32_t slp);
bool u05_interactive(const struct sl_thread *td);
/* Keeps the history below its cap; call after every change of it. */
void u05_cap_history(const struct u05 *u, struct u05_thread *ts);
void u05_fork_history(const struct u05 *u, struct u05_thread *ts);
/* Credits a sleep of `ticks` hz ticks. */
void u05_credit_sleep(const struct u05 *u, struct u05_thread *ts, uint32_t ticks);
/* Recomputes base_user_pri and user_pri of a time-share thread, never pri (1.3). */
void u05_priority(struct sl_thread *td);
/* Gives td a new slice by the nice values on q, td itself not counted there (1.5, C15). */
void u05_new_slice(const struct u05 *u, const struct u05_cpu *q, struct sl_thread *td);

/* policies/ule_2005_queue.c */
void u05_queue_init(struct sl_pol *p);
/* Load and nice values of td's CPU. */
void u05_load_add(struct sl_pol *p, struct sl_thread *td);
void u05_load_rem(struct sl_pol *p, struct sl_thread *td);
/* Queues td, which is not counted, on the running CPU. */
void u05_queue_here(struct sl_pol *p, struct sl_thread *td, unsigned srq);
/* Takes a queued or handed-over td off; it is not counted any more. */
void u05_dequeue(struct sl_pol *p, struct sl_thread *td);
/* Hands td, which is not counted, over to cpu (1.6). */
void u05_hand_over(struct sl_pol *p, struct sl_thread *td, uint32_t cpu);
/* Takes in what was handed over to the running CPU, last first. */
void u05_take_in(struct sl_pol *p);
/* First thread on `from` that may go to `cpu`: next, curr, then the idle queue if asked. */
struct sl_thread *u05_steal(const struct sl_pol *p, uint32_t from, uint32_t cpu, bool idle_too);
/* Takes the next thread off the queues of the running CPU; NULL: none, not even from a
 * sibling (1.2, 1.7). */
struct sl_thread *u05_choose(struct sl_pol *p);
/* Clears the idle mark of cpu. True: it was set. */
bool u05_unmark_idle(struct sl_pol *p, uint32_t cpu);

/* policies/ule_2005_place.c */
void u05_add(struct sl_pol *p, struct sl_thread *td, unsigned srq);
/* As add, but td stays on its CPU. */
void u05_add_held(struct sl_pol *p, struct sl_thread *td, unsigned srq);

/* policies/ule_2005_balance.c */
void u05_balance_init(struct sl_pol *p);
/* Runs the balancers that are due; at every stat tick of every CPU (1.8, C16). */
void u05_balance(struct sl_pol *p);

/* policies/ule_2005.c */
extern const struct sl_policy ule_2005_ops;

#endif
