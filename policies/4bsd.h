/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Inside of the 4BSD policy: state, the description of an era, and what its files
 * offer each other.
 *
 *   4bsd.c         the table of operations, set-up, timers, figures
 *   4bsd_math.c    usage, decay, priorities, load average: pure arithmetic
 *   4bsd_queue.c   making a thread runnable: queues, forwarding, tests
 *   4bsd_switch.c  the context switch, re-queue rules, quantum rules, idle loop
 *   4bsd_prio.c    priority changes, lending, nice, rtprio
 *   4bsd_life.c    fork, exit, sleep, wake-up, binding, CPU sets
 *   4bsd_pass.c    the pass that ages everything once a second
 *   4bsd_slots.c   thread groups with a bounded number of runnable threads (2005)
 *   4bsd_sysctl.c  tunables
 *
 * An era is a struct bsd_era: numbers, and a choice among small mechanisms. No
 * algorithm asks which era it runs in. */
#ifndef SL_POLICIES_4BSD_H
#define SL_POLICIES_4BSD_H

#include "policies/runq.h"
#include "sim/core/policy.h"

enum {
	BSD_FSHIFT = 11,
	BSD_FSCALE = 1 << BSD_FSHIFT, /* 1.0 in fixed point */
	BSD_CCPU = 1948,	      /* floor(2048 * exp(-1/20)) */
	BSD_NICE_SPAN = 40,
	BSD_QUEUE_NONE = -2,   /* bsd_thread.queue: in no system queue */
	BSD_QUEUE_GLOBAL = -1, /* ... in the queue of the whole machine; else a CPU's */
	BSD_CPU_NONE = -1,
	BSD_TIMER_LOAD = 0,
	BSD_TIMER_PASS = 1,
	BSD_TIMER_BEAT = 2,
	BSD_SCOPE_SYSTEM = 2, /* kern.threads.thr_scope */
};

/* Flags of ours in sl_thread.flags. */
enum { BSD_TDF_UBORROWING = SL_TDF_POLICY0 }; /* runs at a lent user priority (7.x, 8.x) */

struct bsd;

/* What threads of one scheduling group share: all of a process' threads in 2005
 * (ksegrp), a single thread later. */
struct bsd_group {
	uint32_t usage; /* estcpu: stat ticks, decayed */
	uint32_t slp;	/* whole seconds asleep as the pass counted them */
	uint32_t members;
	uint32_t pass;			 /* pass that visited it last */
	int32_t slots;			 /* free slots; below 0 when preemption overdrew them */
	int32_t concurrency;		 /* slots in all */
	struct sl_link ready;		 /* runnable members by priority, of bsd_thread.in_ready */
	struct sl_thread *last_assigned; /* worst member in a system queue; NULL: none */
};

struct bsd_thread {
	struct sl_thread *td;
	struct bsd_group *group; /* &own, or the own group of a thread of the process */
	struct bsd_group own;
	struct sl_link in_ready; /* multi-threaded processes of 2005 only */
	uint32_t cpticks;	 /* stat ticks of this second */
	uint32_t pct;		 /* decayed %cpu, fixed point */
	int32_t slice;		 /* stat ticks left */
	int32_t lastcpu;	 /* CPU it was switched out on; BSD_CPU_NONE */
	int32_t bound_cpu;
	int32_t queue;	     /* BSD_QUEUE_* or CPU */
	uint8_t rqidx;	     /* list it was added to */
	uint8_t ithread_pri; /* configured priority of an interrupt thread */
	bool affinity;	     /* some CPU is forbidden */
	bool didrun;	     /* chosen since the last pass */
	bool threaded;	     /* its process was multi-threaded once (2005) */
};

struct bsd_cpu {
	struct sl_runq rq;	  /* threads that must run here */
	uint32_t plen;		  /* their number */
	int32_t switchticks;	  /* p->ticks at the last call of the switch routine */
	struct sl_thread *direct; /* interrupt thread that takes the CPU at once (2005) */
};

/* Time slicing. A member that an era does not need is NULL. */
struct bsd_quantum {
	void (*tick)(struct sl_pol *p, uint32_t cpu, struct sl_thread *td);   /* per stat tick */
	int64_t (*slice)(const struct sl_pol *p, const struct sl_thread *td); /* SL_METRIC_SLICE */
	bool refill; /* a wake-up refills the slice */
	bool beat;   /* a global callout ends all quanta at once */
};

/* How groups of threads share run slots. A NULL member has nothing to do. */
struct bsd_grouping {
	void (*ready)(struct sl_pol *p, struct sl_thread *td, unsigned srq); /* becomes runnable */
	void (*unready)(struct sl_pol *p, struct sl_thread *td); /* taken back from that */
	void (*leave)(struct sl_pol *p, struct sl_thread *td);	 /* switched out, not put back */
	void (*put_back)(struct sl_pol *p, struct sl_thread *td, unsigned srq);
	void (*took)(struct sl_thread *td); /* chosen to run */
	struct sl_thread *(*follow)(struct sl_pol *p, uint32_t cpu, struct sl_thread *td);
	/* td is new in the process of `first`. */
	void (*join)(struct sl_pol *p, struct sl_thread *first, struct sl_thread *td);
	/* td ends; false when its group lives on, and nobody is charged. */
	bool (*quit)(struct sl_pol *p, struct sl_thread *td);
};

struct bsd_era {
	/* Priority space; ppq priorities share a list. */
	uint8_t ppq;
	uint8_t ithd_max, rt_min, rt_max, ts_min, ts_max, idle_min;
	uint8_t wprio[SL_WPRIO_COUNT];
	/* Numbers. */
	uint8_t new_slice;	 /* of a new thread, stat ticks; 0: no slices */
	int8_t new_lastcpu;	 /* of a new thread */
	uint8_t beat_pri;	 /* of the thread that serves the callout, where there is one */
	bool fork_copies_pri;	 /* the child gets the parent's active priority, not its base */
	bool hands_resched;	 /* a direct preemptor inherits the victim's RESCHED */
	bool newest_first;	 /* order of a process' threads in lists */
	bool idle_bit_voluntary; /* the idle bit falls only when the idle loop itself switches */
	bool yields_in_ast;	 /* sched_yield() only asks for a switch */
	/* Mechanisms. */
	const struct bsd_quantum *quantum;
	const struct bsd_grouping *grouping;
	void (*enqueue)(struct sl_pol *p, struct sl_thread *td, unsigned srq);
	bool (*requeue_head)(unsigned sw, unsigned flags);
	bool (*preempts_direct)(const struct sl_pol *p, uint32_t cpu, unsigned srq);
	struct sl_thread *(*choose_global)(const struct sl_runq *rq, int32_t fuzz, int32_t cpu);
	struct sl_thread *(*choose_local)(const struct sl_runq *rq, int32_t fuzz, int32_t cpu);
	bool (*sleep_takes_prio)(const struct sl_thread *td);
	void (*ithread_wake)(struct sl_pol *p, struct sl_thread *td, unsigned srq);
	void (*set_upri)(struct sl_thread *td, uint8_t pri);
	void (*lend_upri)(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
	bool (*rtprio_applies)(const struct sl_pol *p, const struct sl_thread *td, uint8_t old_upri,
			       uint8_t old_class);
	sl_time (*load_period)(const struct sl_pol *p, uint64_t bits);
};

/* Instance. int32_t fields are tunables. */
struct bsd {
	const struct bsd_era *era;
	struct sl_runq global;
	uint64_t idle[SL_BITS_WORDS(SL_TOPO_MAX_CPUS)]; /* CPUs whose idle bit is set */
	uint64_t map[SL_BITS_WORDS(SL_TOPO_MAX_CPUS)];	/* scratch of forwarding */
	uint32_t n_idle;				/* bits in idle */
	uint32_t nrun;	   /* load count: running + in system queues, idle threads excluded */
	uint32_t n_queued; /* runnable and not running, held back ones too */
	uint32_t ldavg[3]; /* 1, 5, 15 minutes; fixed point */
	uint32_t w;	   /* usage per priority level */
	uint32_t passes, load_draws;
	struct sl_thread *virtual_cur; /* current thread of CPU 0 during the pass, else NULL */
	struct sl_thread pass_thread;
	int32_t estcpu_limit;
	int32_t quantum; /* ticks */
	int32_t slice;	 /* stat ticks */
	int32_t runq_fuzz, fwd_enabled, fwd_usemask, fwd_useloop, fwd_onecpu, fwd_htt2;
	int32_t fwd_requested, fwd_delivered;
	int32_t beat_enabled;
	int32_t followon, pfollowons, kgfollowons, thr_scope, thr_concurrency;
	int32_t random_load, pass_wakes;
};

static inline struct bsd *bsd_of(const struct sl_pol *p)
{
	return p->priv;
}

static inline struct bsd_thread *bsd_td(const struct sl_thread *td)
{
	return td->priv;
}

static inline struct bsd_cpu *bsd_cpu(const struct sl_pol *p, uint32_t cpu)
{
	return p->cpu[cpu].priv;
}

/* The thread whose code runs now, as the kernel's curthread. */
static inline struct sl_thread *bsd_cur(const struct sl_pol *p)
{
	struct bsd *b = bsd_of(p);

	return b->virtual_cur != NULL ? b->virtual_cur : p->cpu[sl_pol_self(p)].cur;
}

static inline bool bsd_in_ts_range(const struct bsd_era *era, uint8_t pri)
{
	return pri >= era->ts_min && pri <= era->ts_max;
}

static inline bool bsd_is_idle_cpu(const struct bsd *b, uint32_t cpu)
{
	return sl_bit_test(b->idle, cpu);
}

/* 4bsd_math.c: no state but the arguments. Products wrap at 32 bits as the kernel's. */
uint32_t bsd_usage_weight(bool smp, uint32_t ncpus);		     /* W */
uint32_t bsd_usage_limit(uint32_t w, uint32_t ppq);		     /* ceiling of usage */
uint32_t bsd_decay(uint32_t ldavg0, uint32_t usage);		     /* one pass */
uint32_t bsd_catchup(uint32_t ldavg0, uint32_t usage, uint32_t slp); /* after a long sleep */
uint32_t bsd_pct_pass(uint32_t pct, uint32_t cpticks, uint32_t stathz);
uint8_t bsd_user_pri(const struct bsd_era *era, uint32_t w, uint32_t usage, int32_t nice);
void bsd_load_sample(uint32_t ldavg[3], uint32_t nrun);
sl_time bsd_load_period_ticks(const struct sl_pol *p, uint64_t bits);
sl_time bsd_load_period_us(const struct sl_pol *p, uint64_t bits);
int64_t bsd_slice_from_us(uint32_t stathz, int64_t us);
int64_t bsd_slice_to_us(uint32_t stathz, int64_t slice);
uint32_t bsd_apic_stathz(uint32_t hz);				       /* 7.x, 8.x */
int64_t bsd_slice_ticks(uint32_t hz, uint32_t stathz, int64_t slices); /* rounded, >= 1 */

/* 4bsd_queue.c */
void bsd_enqueue_tests_first(struct sl_pol *p, struct sl_thread *td, unsigned srq);
void bsd_enqueue_queue_first(struct sl_pol *p, struct sl_thread *td, unsigned srq);
/* td goes out of its system queue; dequeue also lowers the load count, take_off does not. */
void bsd_take_off(struct sl_pol *p, struct sl_thread *td);
void bsd_dequeue(struct sl_pol *p, struct sl_thread *td);
void bsd_count_load(struct bsd *b, const struct sl_thread *td, int32_t n);
/* Tell the machine that td became runnable (in a queue, or held back), or no more. */
void bsd_announce_queued(struct sl_pol *p, struct sl_thread *td);
void bsd_announce_dequeued(struct sl_pol *p, struct sl_thread *td);
struct sl_thread *bsd_choose(struct sl_pol *p, uint32_t cpu); /* taken off; NULL: none */
bool bsd_forward(struct sl_pol *p); /* signals idle CPUs; true: preempt nobody here */
void bsd_resched_test(struct sl_pol *p, const struct sl_thread *td);
struct sl_thread *bsd_choose_first(const struct sl_runq *rq, int32_t fuzz, int32_t cpu);
struct sl_thread *bsd_choose_near(const struct sl_runq *rq, int32_t fuzz, int32_t cpu);
bool bsd_direct_outside_critical(const struct sl_pol *p, uint32_t cpu, unsigned srq);
bool bsd_direct_interrupts_too(const struct sl_pol *p, uint32_t cpu, unsigned srq);
void bsd_add(struct sl_pol *p, struct sl_thread *td, unsigned srq);
void bsd_rem(struct sl_pol *p, struct sl_thread *td);
void bsd_set_idle_bit(struct bsd *b, uint32_t cpu, bool on);

/* 4bsd_switch.c */
extern const struct bsd_quantum bsd_quantum_beat, bsd_quantum_switchticks, bsd_quantum_slice,
	bsd_quantum_slice_demote;
struct sl_thread *bsd_sswitch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw,
			      struct sl_thread *next);
bool bsd_head_if_direct(unsigned sw, unsigned flags);		  /* 2005 */
bool bsd_head_if_preempted(unsigned sw, unsigned flags);	  /* 7.x, 9.0 */
bool bsd_head_unless_slice_end(unsigned sw, unsigned flags);	  /* 9.x */
bool bsd_head_if_direct_or_untyped(unsigned sw, unsigned flags);  /* 10.1 */
bool bsd_head_if_preempted_in_slice(unsigned sw, unsigned flags); /* 10.4 on */
void bsd_clock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt);
void bsd_beat(struct sl_pol *p);
enum sl_idle_act bsd_idle(struct sl_pol *p, uint32_t cpu);

/* 4bsd_prio.c */
void bsd_recompute(struct sl_pol *p, struct sl_thread *td); /* user priority from usage, nice */
void bsd_apply(struct sl_pol *p, struct sl_thread *td);	    /* ... to the active priority */
void bsd_set_user_priority(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void bsd_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void bsd_lend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void bsd_unlend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void bsd_lend_user_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void bsd_set_upri_plain(struct sl_thread *td, uint8_t pri);
void bsd_set_upri_flag(struct sl_thread *td, uint8_t pri);
void bsd_set_upri_min(struct sl_thread *td, uint8_t pri);
void bsd_lend_upri_flag(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void bsd_lend_upri_min(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
bool bsd_rtprio_self(const struct sl_pol *p, const struct sl_thread *td, uint8_t old_upri,
		     uint8_t old_class);
bool bsd_rtprio_9(const struct sl_pol *p, const struct sl_thread *td, uint8_t old_upri,
		  uint8_t old_class);
bool bsd_rtprio_class(const struct sl_pol *p, const struct sl_thread *td, uint8_t old_upri,
		      uint8_t old_class);
uint8_t bsd_class_pri(const struct bsd_era *era, uint8_t pri_class, uint8_t level);
void bsd_rtprio(struct sl_pol *p, struct sl_thread *td, uint8_t pri_class, uint8_t level);
void bsd_nice(struct sl_pol *p, struct sl_proc *proc, int8_t nice);
void bsd_userret(struct sl_pol *p, struct sl_thread *td);
void bsd_ast(struct sl_pol *p, struct sl_thread *td);

/* 4bsd_life.c */
void bsd_init_thread(struct sl_pol *p, struct sl_thread *td);
void bsd_fork(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td);
void bsd_fork_thread(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td);
void bsd_exit(struct sl_pol *p, struct sl_thread *heir, struct sl_thread *td);
void bsd_ithread(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio);
void bsd_sleep(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio);
void bsd_wakeup(struct sl_pol *p, struct sl_thread *td, enum sl_wprio raise, unsigned srq);
void bsd_ithread_wake_plain(struct sl_pol *p, struct sl_thread *td, unsigned srq);
void bsd_ithread_wake_hook(struct sl_pol *p, struct sl_thread *td, unsigned srq);
bool bsd_sleep_prio_any(const struct sl_thread *td);
bool bsd_sleep_prio_timeshare(const struct sl_thread *td);
bool bsd_bind(struct sl_pol *p, struct sl_thread *td, uint32_t cpu);
void bsd_unbind(struct sl_pol *p, struct sl_thread *td);
void bsd_affinity(struct sl_pol *p, struct sl_thread *td);
bool bsd_relinquish(struct sl_pol *p, struct sl_thread *td);
/* Threads of a process in the era's list order; NULL at the end. */
struct sl_thread *bsd_thread_first(const struct bsd_era *era, const struct sl_proc *proc);
struct sl_thread *bsd_thread_next(const struct bsd_era *era, const struct sl_thread *td);
/* Members of td's group in that order. O(threads of the process) only in a group of
 * several. */
struct sl_thread *bsd_member_first(const struct bsd_era *era, struct sl_thread *td);
struct sl_thread *bsd_member_next(const struct bsd_era *era, const struct sl_thread *td);

/* 4bsd_pass.c */
void bsd_pass(struct sl_pol *p);

/* 4bsd_slots.c */
extern const struct bsd_grouping bsd_grouping_none, bsd_grouping_ksegrp;

/* 4bsd_sysctl.c: one table per set of names. */
enum {
	BSD_N_COMMON = 13,
	BSD_N_SLICE = 4 + BSD_N_COMMON,
	BSD_N_QUANTUM = 3 + BSD_N_COMMON,
	BSD_N_HTT = 4 + BSD_N_QUANTUM,
	BSD_N_KSEGRP = 8 + BSD_N_QUANTUM,
};
extern const struct sl_tunable bsd_tunables_slice[BSD_N_SLICE], bsd_tunables_quantum[BSD_N_QUANTUM],
	bsd_tunables_htt[BSD_N_HTT], bsd_tunables_ksegrp[BSD_N_KSEGRP];
int64_t bsd_quantum_us(const struct sl_pol *p);
void bsd_set_quantum_us(struct sl_pol *p, int64_t us);

/* 4bsd_parts.c */
size_t bsd_parts(const struct sl_era *era, struct sl_part *out, size_t n);
int64_t bsd_slice_us(const struct sl_pol *p);
void bsd_set_slice_us(struct sl_pol *p, int64_t us);

/* policies/eras/4bsd_*.c */
extern const struct bsd_era bsd_era_2005, bsd_era_7_0, bsd_era_7_3, bsd_era_9_0, bsd_era_9,
	bsd_era_10_1, bsd_era_2017, bsd_era_14, bsd_era_15;

#endif
