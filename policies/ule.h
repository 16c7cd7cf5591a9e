/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE, shared by its files: the state of a CPU, a thread and the whole scheduler,
 * and what an era is made of.
 *
 * An era (struct ule_era) is data plus named parts. A part is a small const struct: a
 * name for reports and the functions of one mechanism. The algorithms never ask which
 * era they serve; they call the part. A new variant of ULE is one file under
 * policies/eras with one table, and one row in ule_eras[] (policies/ule.c).
 *
 * Section numbers are those of the fact sheet that docs/policies.md cites ("ule.md"). */
#ifndef SL_POLICIES_ULE_H
#define SL_POLICIES_ULE_H

#include "policies/runq.h"
#include "sim/core/policy.h"

#define ULE_MASK_WORDS SL_BITS_WORDS(SL_TOPO_MAX_CPUS)
#define ULE_SLICES     8			  /* threads on a CPU: 0, 1, ... 6, 7 and more */
#define ULE_MAX_GROUPS (2 * SL_TOPO_MAX_CPUS + 2) /* each level at least halves its parent */
#define ULE_COLD_TICKS 1000000 /* age of the last run of a thread that never ran */

struct ule;

/* The three queues of a CPU in the order in which they are served. Eras with one queue
 * use the same names for its three ranges. */
enum ule_queue_id { ULE_REALTIME, ULE_TIMESHARE, ULE_IDLE, ULE_QUEUES };

/* A thread's part (kernel: td_sched). Times in hz ticks; "<< 10" is the kernel's fixed
 * point for run and sleep time. */
struct ule_thread {
	uint32_t runtime, slptime; /* interactivity history, ticks << 10 (6) */
	int32_t ticks;		   /* run ticks << 10 within the %CPU window (7) */
	int32_t ltick, ftick;	   /* end and start of that window */
	int32_t slice;		   /* stat ticks used of the current slice: counts up (9) */
	int32_t rltick;		   /* tick of the last switch-out: cache affinity */
	int32_t slptick;	   /* tick at which it fell asleep; 0: not asleep */
	uint8_t queue;		   /* enum ule_queue_id, while queued */
	uint8_t index;		   /* list it is on, while queued */
	bool xferable;		   /* counted in the CPU's transferable, while queued */
	uint8_t score;		   /* last score, kept for explanations only */
	uint8_t ithd_pri;	   /* what an interrupt thread's priority returns to */
	bool ran;		   /* has been on a CPU */
	int32_t counted;	   /* last hard tick counted in `ticks` (7.3) */
};

/* A CPU's part (kernel: tdq). Hot fields first: a search visits them on every CPU. */
struct ule_cpu {
	int32_t load;	      /* threads running or queued, idle thread excluded */
	int32_t transferable; /* queued threads that were not pinned when queued */
	int32_t sysload;      /* load without threads flagged NOLOAD */
	int32_t queued;	      /* threads on the queues */
	uint8_t lowpri;	      /* best priority here, approximately (5.5); 255: idle */
	uint8_t idx, ridx;    /* insertion and removal position of the circle */
	uint8_t carry;	      /* fraction of a step the circle still owes (era 15) */
	int16_t switchcnt, oldswitchcnt;
	bool ipipending; /* a preempt IPI is on its way */
	bool cpu_idle;	 /* the idle thread is halted */
	uint8_t idle_at; /* enum ule_idle_at: where the idle loop continues */
	int32_t idle_old;
	uint32_t random; /* state of the jitter generator of searches made by this CPU */
	struct sl_runq rq[ULE_QUEUES];
};

/* What a group of CPUs has in all. */
struct ule_sum {
	int32_t load, transferable;
};

/* What a CPU search is asked. */
struct ule_query {
	const uint64_t *mask; /* CPUs that may be the answer */
	int32_t minpri;	      /* lowest: only CPUs whose lowpri is worse than this */
	int32_t load;	      /* lowest: at most, highest: at least */
	int32_t mintrans;     /* highest: transferable threads at least */
	int32_t prefer;	      /* lowest: gets a bonus; -1: none */
	bool running;	      /* lowest: the thread to be placed runs on `prefer` now */
};

/* --- The parts of an era ------------------------------------------------------- */

/* Ranges of priorities (2.1, 2.2), all inclusive. */
struct ule_layout {
	const char *name;
	uint8_t ithd_last, rt_first, kern_first;
	uint8_t interact_first, interact_len;
	uint8_t batch_first, batch_last, idle_first;
	uint8_t wprio[SL_WPRIO_COUNT];
};

struct ule_pct { /* the %CPU window (7) */
	const char *name;
	void (*update)(const struct ule *u, struct ule_thread *ts, int32_t now, bool running);
	/* ts has been chosen to run; NULL: its window is brought up to date. */
	void (*chosen)(const struct ule *u, struct ule_thread *ts, int32_t now);
	/* A hard tick found ts running; NULL: hard ticks do not count. */
	void (*hard)(const struct ule *u, struct ule_thread *ts, int32_t now);
	/* td has left the time-share queue; NULL: nothing happens then. */
	void (*dequeued)(struct sl_pol *p, struct sl_thread *td);
};

struct ule_formula { /* user priority of a timeshare thread (8) */
	const char *name;
	uint8_t (*interactive)(const struct ule *u, int32_t score);
	uint8_t (*batch)(const struct ule *u, const struct ule_thread *ts, int32_t nice);
	bool score_without_nice; /* nice does not make a thread interactive or not */
};

struct ule_slices { /* how long a thread may run (9) */
	const char *name;
	void (*set)(struct ule *u); /* fills slice_for[] from slice and slice_min */
	/* The priority follows every tick charged; otherwise only the end of a slice. */
	bool every_tick;
	/* A used-up slice is renewed when the thread is queued and has not overrun it;
	 * otherwise where it ends. */
	bool renewed_queued;
	bool timeshare_only; /* real-time threads have no slices */
};

struct ule_lowpri { /* the best priority on a CPU (5.5) */
	const char *name;
	/* Recomputed when what it stood for leaves or gets worse; otherwise it only improves
	 * until the next switch to a thread that has run before. */
	bool follows;
};

struct ule_boost { /* priority of a thread that goes to sleep (12.1) */
	const char *name;
	void (*sleep)(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio);
};

struct ule_queue { /* shape of the run queues (4, 5) */
	const char *name;
	bool circle_by_priority; /* a list per batch priority; otherwise nqs slots for all */
	void (*init)(const struct ule *u, struct ule_cpu *q);
	void (*add)(const struct ule *u, struct ule_cpu *q, struct sl_thread *td, unsigned srq);
	void (*remove)(const struct ule *u, struct ule_cpu *q, struct sl_thread *td);
	struct sl_thread *(*first)(const struct ule *u, const struct ule_cpu *q);
	void (*tick)(const struct ule *u, struct ule_cpu *q, uint32_t cnt);
};

struct ule_steal { /* which queued thread of q may leave for `cpu` (19.3) */
	const char *name;
	struct sl_thread *(*pick)(const struct ule *u, const struct ule_cpu *q, uint32_t cpu);
};

struct ule_search { /* search for a CPU of g (16); -1: none. `total` may be NULL */
	const char *name;
	int32_t (*lowest)(struct sl_pol *p, const struct sl_cpu_group *g,
			  const struct ule_query *query, int32_t *total);
	int32_t (*highest)(struct sl_pol *p, const struct sl_cpu_group *g,
			   const struct ule_query *query, int32_t *total);
	uint32_t (*seed)(uint32_t cpu); /* of the CPU's jitter generator */
	/* Draws what `highest` draws on its way from cpu's leaf to the root when no CPU has
	 * a thread to give; NULL: nothing. */
	void (*in_vain)(struct sl_pol *p, uint32_t cpu);
};

struct ule_affine { /* is a cache of this level still warm (17)? */
	const char *name;
	bool (*warm)(const struct ule *u, const struct ule_thread *ts, int32_t now, int32_t level);
};

struct ule_place { /* CPU for a thread that becomes runnable (17) */
	const char *name;
	uint32_t (*pick)(struct sl_pol *p, struct sl_thread *td, unsigned srq);
	/* For eras that mark idle CPUs; NULL: none. td arrives on td->cpu; cpu goes idle. */
	void (*arrived)(struct sl_pol *p, const struct sl_thread *td);
	void (*went_idle)(struct sl_pol *p, uint32_t cpu);
};

struct ule_notify { /* tell another CPU of td, just queued there (17) */
	const char *name;
	void (*tell)(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td, uint8_t old_low);
};

struct ule_ipi { /* the preempt IPI (17, 22.2) */
	const char *name;
	void (*take)(struct sl_pol *p, uint32_t cpu);
	bool switch_clears; /* any switch ends the pending state */
};

struct ule_requeue { /* does a thread put back count as preempted (13.3)? */
	const char *name;
	bool (*preempted)(unsigned td_flags, unsigned sw);
};

struct ule_balancer { /* long-term balancer (18) */
	const char *name;
	bool alive;	    /* default of the tunable that revives or kills it */
	int32_t donor_load; /* a donor has at least this load */
	void (*boot)(struct sl_pol *p);
	void (*tick)(struct sl_pol *p, uint32_t cnt);
	void (*hard)(struct sl_pol *p); /* at the hard ticks of CPU 0; NULL: nothing */
	uint32_t (*random)(struct sl_pol *p);
	void (*pass)(struct sl_pol *p);
	void (*tell)(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td, uint8_t old_low);
};

enum ule_idled {
	ULE_IDLED_NOTHING, /* no thread found */
	ULE_IDLED_QUEUED,  /* somebody has queued one here meanwhile */
	ULE_IDLED_STOLE,   /* one was moved here: switch */
};

struct ule_idle { /* an idle CPU looks for work (19) */
	const char *name;
	enum ule_idled (*idled)(struct sl_pol *p, uint32_t cpu);
	/* Last attempt before a CPU goes idle, inside the switch (22.1); NULL: none. */
	void (*trysteal)(struct sl_pol *p, uint32_t cpu);
	bool always_steal; /* the tunable of that name is known */
	enum sl_idle_act (*loop)(struct sl_pol *p, uint32_t cpu);
};

struct ule_ithread { /* interrupt threads (12.3, 22.3) */
	const char *name;
	void (*wake)(struct sl_pol *p, struct sl_thread *td, unsigned srq);
	int32_t (*slice)(const struct ule *u, const struct ule_cpu *q);
	void (*slice_end)(struct sl_pol *p, struct sl_thread *td);
};

struct ule_era {
	uint16_t nqs;			      /* lists per queue */
	uint8_t ppq;			      /* priorities per list */
	uint16_t cpu_ids;		      /* CPU numbers the kernel was compiled for */
	uint8_t preempt_thresh, static_boost; /* defaults of the tunables */
	bool pct_on_reselect; /* the window is updated when a thread follows itself, too */
	bool yield_drops;     /* a yield makes a time-share thread the worst of its kind */
	void (*defaults)(struct sl_pol *p); /* tunables that differ from 2017's; may be NULL */
	const struct ule_layout *layout;
	const struct ule_pct *pct;
	const struct ule_formula *formula;
	const struct ule_slices *slices;
	const struct ule_lowpri *lowpri;
	const struct ule_boost *boost;
	const struct ule_queue *queue;
	const struct ule_steal *steal;
	const struct ule_search *search;
	const struct ule_affine *affine;
	const struct ule_place *place;
	const struct ule_notify *notify;
	const struct ule_ipi *ipi;
	const struct ule_requeue *requeue;
	const struct ule_balancer *balancer;
	const struct ule_idle *idle;
	const struct ule_ithread *ithread;
};

/* One scheduler. The int32_t fields of the first block are tunables (27). */
struct ule {
	int32_t slice, slice_min; /* stat ticks */
	int32_t interact;	  /* score below which a thread is interactive */
	int32_t preempt_thresh, static_boost;
	int32_t idlespins, idlespinthresh;
	int32_t affinity; /* hz ticks per cache level */
	int32_t balance, balance_interval, balance_alive;
	int32_t steal_idle, steal_thresh, trysteal_limit, always_steal;
	int32_t fork_warm;
	int32_t steal_htt, tryself, pick_pri, balance_secs; /* 7.x; steal_htt 8.0, too */

	const struct ule_era *era;
	/* Copied from there: calling a part takes one load. */
	uint16_t nqs;
	uint8_t ppq;
	bool pct_on_reselect;
	uint8_t batch_len;		 /* priorities of the circle */
	uint8_t queue_of[UINT8_MAX + 1]; /* enum ule_queue_id of a priority */
	uint8_t list_of[UINT8_MAX + 1];	 /* and its list; in the circle: from where it starts */
	struct ule_layout layout;
	struct ule_pct pct;
	struct ule_formula formula;
	struct ule_slices slices;
	struct ule_lowpri lowpri;
	struct ule_boost boost;
	struct ule_queue queue;
	struct ule_steal steal;
	struct ule_search search;
	struct ule_affine affine;
	struct ule_place place;
	struct ule_notify notify;
	struct ule_ipi ipi;
	struct ule_requeue requeue;
	struct ule_balancer balancer;
	struct ule_idle idle;
	struct ule_ithread ithread;
	int32_t slice_for[ULE_SLICES]; /* by number of threads on the CPU */
	int32_t balance_ticks;	       /* stat ticks until the balancer runs; 0: never */
	int32_t group_ticks;	       /* the same for the balancer within groups (7.x) */
	uint32_t srmax, srfork;	       /* caps of the interactivity history, ticks << 10 */
	uint32_t tickincr;	       /* run time charged per stat tick, ticks << 10 */
	int32_t targ, tmax;	       /* %CPU window: target and limit, hz ticks */
	int32_t hz, realstathz;
	uint32_t kernel_random; /* state of the kernel's random() (era 10.4) */
	uint64_t steals, balanced;
	uint64_t all[ULE_MASK_WORDS];  /* every CPU */
	uint64_t high[ULE_MASK_WORDS]; /* scratch of steals and of the balancer */
	uint64_t low[ULE_MASK_WORDS];
	uint64_t idle_cpus[ULE_MASK_WORDS];   /* CPUs whose idle mark is set (7.x) */
	uint64_t idle_groups[ULE_MASK_WORDS]; /* first CPUs of fully idle groups (7.x) */

	/* For searches (policies/ule_search.c). */
	struct ule_sum sum[ULE_MAX_GROUPS]; /* by sl_cpu_group.id */
	uint8_t worst[ULE_MAX_GROUPS];	    /* no CPU of the group has a lowpri worse than this */
	uint32_t visit[ULE_MAX_GROUPS];	    /* CPUs that a walk from the root meets before */
	uint32_t lcg_mul[SL_TOPO_MAX_CPUS + 1]; /* generator: n draws take x to */
	uint32_t lcg_add[SL_TOPO_MAX_CPUS + 1]; /* lcg_mul[n] * x + lcg_add[n] */
};

/* The eras, policies/eras/ule_*.c. */
extern const struct ule_era ule_era_10_4, ule_era_11_0, ule_era_2017, ule_era_2017_1ppq, ule_era_12,
	ule_era_13, ule_era_14, ule_era_15;

/* The parts, by file. The number is the first of these releases whose kernel
 * has the part. */
/* policies/ule_prio.c */
extern const struct ule_layout ule_layout_10, ule_layout_14, ule_layout_15;
extern const struct ule_pct ule_pct_10, ule_pct_11, ule_pct_15;
extern const struct ule_formula ule_formula_10, ule_formula_13, ule_formula_14, ule_formula_15;
extern const struct ule_slices ule_slices_10;
/* policies/ule_queue.c */
extern const struct ule_queue ule_queue_three, ule_queue_one;
extern const struct ule_steal ule_steal_per_word, ule_steal_last_seen, ule_steal_true_first,
	ule_steal_plain, ule_steal_never_first;
/* policies/ule_search.c */
extern const struct ule_search ule_search_10, ule_search_11, ule_search_13;
/* policies/ule_place.c */
extern const struct ule_affine ule_affine_10, ule_affine_15;
extern const struct ule_place ule_place_10, ule_place_13;
extern const struct ule_notify ule_notify_10, ule_notify_14;
extern const struct ule_ipi ule_ipi_10, ule_ipi_13;
/* policies/ule_balance.c */
extern const struct ule_balancer ule_balancer_10, ule_balancer_11, ule_balancer_12, ule_balancer_13,
	ule_balancer_14;
/* policies/ule_idle.c */
extern const struct ule_idle ule_idle_10, ule_idle_12, ule_idle_13;
/* policies/ule_thread.c */
extern const struct ule_lowpri ule_lowpri_8;
extern const struct ule_boost ule_boost_8;
extern const struct ule_requeue ule_requeue_preempt, ule_requeue_reason;
extern const struct ule_ithread ule_ithread_10, ule_ithread_14;

/* --- Functions shared by the files --------------------------------------------- */

static inline struct ule *ule_of(const struct sl_pol *p)
{
	return p->priv;
}

static inline struct ule_cpu *ule_cpu_of(const struct sl_pol *p, uint32_t cpu)
{
	return p->cpu[cpu].priv;
}

static inline struct ule_thread *ule_thread_of(const struct sl_thread *td)
{
	return td->priv;
}

static inline bool ule_may_run_on(const struct sl_thread *td, uint32_t cpu)
{
	return sl_bit_test(td->mask, cpu);
}

/* May a queued td be moved to cpu by a steal? */
static inline bool ule_may_move_to(const struct sl_thread *td, uint32_t cpu)
{
	return td->pinned == 0 && ule_may_run_on(td, cpu);
}

static inline bool ule_is_timeshare(const struct sl_thread *td)
{
	return SL_CLASS_BASE(td->pri_class) == SL_CLASS_TIMESHARE;
}

/* Stat ticks a thread may use on a CPU with this system load (9). */
static inline int32_t ule_slice_of(const struct ule *u, const struct ule_cpu *q)
{
	return u->slice_for[q->sysload < ULE_SLICES ? q->sysload : ULE_SLICES - 1];
}

/* Brings the %CPU window of ts up to `now` (7). Whatever the era, a window that ends now and
 * is not too long stays as it is. */
static inline void ule_window(const struct ule *u, struct ule_thread *ts, int32_t now, bool running)
{
	if (ts->ltick != now || now - ts->ftick >= u->tmax)
		u->pct.update(u, ts, now, running);
}

/* policies/ule_prio.c */
/* Interactivity score, 0 (sleeps only) .. 100 (6.1); more for tiny histories. */
int32_t ule_score(uint32_t run, uint32_t slp, int32_t thresh);
/* Keeps the history below its cap (6.2); call after every change of it. */
void ule_cap_history(const struct ule *u, struct ule_thread *ts);
/* Shortens what a child inherits (6.3). */
void ule_fork_history(const struct ule *u, struct ule_thread *ts);
/* Recomputes base_user_pri and user_pri of a timeshare thread, never pri (8). */
void ule_priority(struct sl_pol *p, struct sl_thread *td);

/* policies/ule_search.c: next number of a CPU's generator, 0 .. 65535 (16). */
static inline uint32_t ule_random(struct ule_cpu *q)
{
	q->random = q->random * 69069u + 5u;
	return q->random >> 16;
}

/* Prepares the tables of the searches. */
void ule_search_init(struct sl_pol *p);
/* Adds to the sums of all groups that hold cpu. O(levels). */
static inline void ule_tally(struct sl_pol *p, uint32_t cpu, int32_t load, int32_t transferable)
{
	struct ule *u = ule_of(p);

	for (const struct sl_cpu_group *g = p->tree->leaf[cpu]; g != NULL; g = g->parent) {
		u->sum[g->id].load += load;
		u->sum[g->id].transferable += transferable;
	}
}

/* The lowpri of cpu may have got worse: keeps `worst` true. A parent's bound is never
 * better than its child's, so this mostly ends at once. */
static inline void ule_low_rises(struct sl_pol *p, uint32_t cpu, uint8_t low)
{
	struct ule *u = ule_of(p);

	for (const struct sl_cpu_group *g = p->tree->leaf[cpu]; g != NULL && u->worst[g->id] < low;
	     g = g->parent)
		u->worst[g->id] = low;
}

/* policies/ule_place.c */
bool ule_should_preempt(const struct ule *u, int32_t new_pri, int32_t cur_pri, bool remote);
/* A thread of priority pri has been queued on the running CPU (14). */
void ule_set_preempt(struct sl_pol *p, const struct sl_thread *td, uint8_t pri);

/* policies/ule_idle.c: one attempt to steal, up the tree. */
enum ule_idled ule_idled_10(struct sl_pol *p, uint32_t cpu);

/* policies/ule_balance.c */
/* The kernel's random(), one stream for the machine. */
uint32_t ule_kernel_random(struct sl_pol *p);
/* Uniform between a half and one and a half of the interval; the era's generator. */
int32_t ule_draw_countdown(struct sl_pol *p, int32_t interval);

/* policies/ule_thread.c */
/* Puts td on a queue of q / takes it off; load and lowpri stay (5.1, 5.2). */
void ule_enqueue(struct sl_pol *p, struct ule_cpu *q, struct sl_thread *td, unsigned srq);
void ule_dequeue(struct sl_pol *p, struct ule_cpu *q, struct sl_thread *td);
/* Newly runnable td goes to CPU td->cpu: lowpri, queue, load. Returns the old lowpri. */
uint8_t ule_arrive(struct sl_pol *p, struct sl_thread *td, unsigned srq);
/* Moves one thread to `to` as the era's steal rule says; NULL: none may go. *old_low, when
 * not NULL, gets the receiver's lowpri before that. */
struct sl_thread *ule_move_one(struct sl_pol *p, uint32_t from, uint32_t to, uint8_t *old_low);
/* Recomputes lowpri of a CPU (5.5). */
void ule_set_lowpri(struct sl_pol *p, uint32_t cpu);
void ule_add(struct sl_pol *p, struct sl_thread *td, unsigned srq);
void ule_rem(struct sl_pol *p, struct sl_thread *td);
struct sl_thread *ule_switch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw,
			     struct sl_thread *next);
void ule_clock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt);
void ule_hardclock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td);
void ule_sleep(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio);
void ule_wakeup(struct sl_pol *p, struct sl_thread *td, enum sl_wprio raise, unsigned srq);

/* policies/ule_life.c */
void ule_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void ule_user_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void ule_lend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void ule_unlend_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void ule_lend_user_prio(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
void ule_nice(struct sl_pol *p, struct sl_proc *proc, int8_t nice);
void ule_rtprio(struct sl_pol *p, struct sl_thread *td, uint8_t pri_class, uint8_t level);
void ule_make_ithread(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio);
void ule_fork(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td);
void ule_fork_thread(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td);
void ule_exit(struct sl_pol *p, struct sl_thread *heir, struct sl_thread *td);
bool ule_bind(struct sl_pol *p, struct sl_thread *td, uint32_t cpu);
void ule_unbind(struct sl_pol *p, struct sl_thread *td);
void ule_affinity(struct sl_pol *p, struct sl_thread *td);
bool ule_relinquish(struct sl_pol *p, struct sl_thread *td);
void ule_userret(struct sl_pol *p, struct sl_thread *td);

/* policies/ule_tune.c */
#define ULE_N_TUNABLES 17
extern const struct sl_tunable ule_tunables[];
void ule_default_tunables(struct sl_pol *p);

#endif
