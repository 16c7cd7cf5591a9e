/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine's own state, shared by its files and seen by nobody else:
 *   sim.c      building, the main loop, services for policies
 *   clock.c    stat ticks, idle CPUs, policy timers
 *   cpu.c      interrupts, the context switch, return to user mode
 *   cost.c     speeds, warmth, what a burst still takes
 *   prog.c     the operations of a thread's program
 *   sync.c     what threads wait on
 *   life.c     creation and end of threads and processes
 *   result.c   totals, names, faults
 * Invariant: only sim.c moves time; only cpu.c changes who runs. */
#ifndef SL_ENGINE_H
#define SL_ENGINE_H

#include "sim/core/evheap.h"
#include "sim/core/sim.h"

#include <stdatomic.h>

enum { LOOP_DEPTH = 8, TIMER_IDS = 4, SAMPLE_TIMER = 4, BATCH = 512 };

/* Full speed: one ns of work per ns. */
#define SPEED_ONE 65536u

/* Where a thread goes on when it gets the CPU (back). */
enum resume {
	RESUME_FIRST,	/* never ran: binds, then returns to user mode */
	RESUME_SYSCALL, /* end of a kernel entry: finish the operation, userret, AST */
	RESUME_AST,	/* switched away in an AST: userret, AST again */
	RESUME_USER,	/* interrupted in user mode: AST, then the burst goes on */
	RESUME_KERNEL,	/* interrupted in kernel mode: the burst goes on */
};

/* What is left of an operation when its thread wakes up. */
enum pending {
	PENDING_NONE,
	PENDING_MUTEX, /* take mutex obj again (condition wait) */
	PENDING_SEND,  /* go on sending `left` units */
	PENDING_RECV,  /* go on receiving `left` units */
	PENDING_CHILD, /* look for a dead child again */
};

struct ethread;

/* A process. Lives until its last thread and its last living child have gone. */
struct eproc {
	struct sl_proc p; /* first */
	struct eproc *parent;
	struct sl_link in_parent; /* parent's children */
	struct sl_link children;
	struct sl_link waiters; /* threads in WAIT_CHILD, of ethread.wait */
	uint32_t living, zombies, group;
	struct eproc *next_free;
};

struct ethread {
	struct sl_thread td; /* first */
	/* What the burst still takes, spent in this order. */
	sl_time delay;	/* no work at all: idle exit */
	sl_time sysrem; /* kernel overhead, ns of work */
	sl_time rem;	/* ns of work in the mode below */
	uint32_t pc;	/* next operation, relative to the task's first */
	uint32_t task, instance, serial, slot;
	uint8_t resume, pending, depth;
	bool kernel_mode, fresh_wake, loaded, once_forked, background;
	uint64_t loop[LOOP_DEPTH]; /* turns left of each open loop */
	uint64_t entity, draws;	   /* random identity and draws made */
	uint32_t n_children;
	uint64_t left;	       /* SEND, RECV: units to go */
	sl_time runtime_until; /* RUNTIME: started at; 0 when not in one */
	sl_time *timers;       /* unique timers, NULL when the workload has none */
	struct sl_link wait;   /* in a synchronisation object's queue */
	struct sl_link owned;  /* kernel and PI mutexes it holds, of emutex.in_owner */
	uint32_t blocked_on;   /* object index while it waits */
	uint8_t waits_for;     /* enum sl_op_kind, for reports */
	uint32_t sleep_cpu;    /* CPU on which it went to sleep: takes its time-out */
	/* Cache warmth. */
	int32_t warm_cpu;
	sl_time warm_mark; /* foreign run time of warm_cpu when it left */
	/* Accounting. */
	sl_time started, ended, user_ns, sys_ns, wait_ns, runnable_since;
	uint64_t switches, voluntary, involuntary, migrations, wakeups, bursts;
	int32_t ran_on; /* CPU of the previous dispatch, -1: none */
};

struct ecpu {
	sl_time seg_start; /* progress of the running thread is accounted up to here */
	uint32_t speed;	   /* work per time, SPEED_ONE = nominal */
	uint32_t base_speed;
	uint64_t last_k; /* stat ticks processed */
	sl_time phase;
	sl_time wake_at; /* next clock wake while halted, SL_TIME_MAX: none */
	uint8_t ipi;	 /* pending enum sl_ipi bits */
	bool halt_busy, was_idle;
	sl_time idle_since, busy_ns;
	sl_time run_sum; /* total run time, for eviction */
	uint64_t switches, ticks;
	uint32_t core_first; /* siblings: core_list[core_first .. +core_n) */
	uint16_t core_n;
};

struct emutex {
	struct ethread *owner;
	struct sl_link waiters, in_owner;
};
struct esem {
	uint64_t count;
	struct sl_link waiters;
};
struct econd {
	struct sl_link waiters;
};
struct ebarrier {
	uint32_t arrived;
	struct sl_link waiters;
};
struct echan {
	uint64_t used;
	struct sl_link senders, receivers;
};
struct edisk {
	sl_time *free_at;
	uint64_t requests;
};
struct eedge {
	bool woken;
	struct ethread *waiter;
};

/* Threads live in chunks that never move; freed slots are reused. */
struct ethreads {
	unsigned char **chunk;
	uint32_t n_chunks, cap_chunks, used; /* slots handed out so far */
	size_t stride;
	uint32_t *free_slot;
	uint32_t n_free, cap_free;
};
enum { CHUNK_SHIFT = 8, CHUNK_SLOTS = 1 << CHUNK_SHIFT };

struct sl_sim {
	struct sl_pol pol; /* the policy's view; pol.now is the time */
	const struct sl_policy *ops;
	const struct sl_workload *w;
	const struct sl_topo *topo;
	struct sl_machine m;
	struct sl_costs costs;
	bool timed; /* any cost or speed differs from the ideal machine */
	struct ecpu *ecpu;
	uint32_t *core_list;
	struct sl_cpu_tree *tree;
	struct ethread **idle; /* [ncpus] */
	uint64_t *usable;      /* CPUs of the run */
	uint64_t *task_mask;   /* [n_masks] masks at machine width, within usable */
	uint64_t *full_mask;
	uint32_t self; /* CPU that executes */
	uint64_t seed;
	sl_time until;
	bool bounded, cold_cache, sample, tick_phase;
	/* Events. */
	struct sl_evheap timeouts;
	struct sl_slots bursts, wakes, ipis;
	sl_time timer_at[TIMER_IDS + 1];
	sl_time timer_next; /* the earliest of them */
	uint64_t tick_k;    /* next common tick, or APIC interrupt */
	sl_time tick_at;
	uint64_t *busy; /* CPUs that run a thread */
	uint64_t *due;	/* scratch of the clock pass */
	uint32_t n_busy, n_usable;
	sl_time next_hard; /* instant of the next hard tick */
	uint64_t instant_events;
	/* Objects. */
	struct ethreads threads;
	struct ethread **first; /* [n_tasks]: the first static thread of a task */
	struct eproc **group;	/* [n_tasks]: living process of a proc_group */
	uint32_t *task_of;	/* by thread id */
	uint32_t cap_task_of;
	struct ethread **by_id; /* static threads by id */
	uint32_t n_static, next_id;
	struct eproc *free_proc;
	struct eproc *idle_proc;
	struct sl_link allproc;
	struct emutex *mutex;
	struct econd *cond;
	struct esem *sem;
	struct ebarrier *barrier;
	struct echan *chan;
	struct edisk *disk;
	struct eedge *edge;
	sl_time *timer_base; /* shared rt-app timers */
	uint32_t living;     /* foreground threads started or to start, not ended */
	uint32_t n_queued;   /* threads in the policy's queues */
	/* Records. */
	struct sl_rec batch[BATCH];
	uint32_t n_batch;
	const struct sl_sink *sinks;
	uint32_t n_sinks;
	uint64_t digest;
	/* Results. */
	struct sl_totals total;
	sl_time waste_mark;
	enum sl_end end;
	bool ended;
	char fault[2048];
	void *check_state;
	void *policy_state; /* instance, per-CPU bytes */
	const _Atomic bool *stop;
	sl_time give_up; /* of a run that nothing bounds */
	size_t memory;
};

static inline struct ethread *ethread_of(struct sl_thread *td)
{
	return (struct ethread *)(void *)td;
}

static inline const struct ethread *cethread_of(const struct sl_thread *td)
{
	return (const struct ethread *)(const void *)td;
}

static inline struct ethread *ethread_at(const struct sl_sim *s, uint32_t slot)
{
	return (struct ethread *)(void *)(s->threads.chunk[slot >> CHUNK_SHIFT] +
					  (slot & (CHUNK_SLOTS - 1)) * s->threads.stride);
}

/* The thread running on cpu (maybe its idle thread). */
static inline struct ethread *running(const struct sl_sim *s, uint32_t cpu)
{
	return ethread_of(s->pol.cpu[cpu].cur);
}

static inline const struct sl_op *op_at(const struct sl_sim *s, const struct ethread *t,
					uint32_t pc)
{
	return &s->w->op[s->w->task[t->task].first_op + pc];
}

/* sim.c */
void sl_sim_emit(struct sl_sim *s, struct sl_rec rec);
/* The stop flag is looked at once in so many events or new threads. */
enum { STOP_LOOK = 4096 };

/* Ends the run at once with a fault. The first fault wins. */
void sl_sim_fail(struct sl_sim *s, enum sl_end end, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Accounts idle CPUs beside waiting threads up to now; before either count changes. */
void sl_sim_waste(struct sl_sim *s);
static inline uint32_t rec_tid(const struct sl_thread *td)
{
	return sl_thread_is_idle(td) ? SL_REC_IDLE : td->id;
}

/* clock.c */
void sl_clock_init(struct sl_sim *s);
sl_time sl_clock_next(const struct sl_sim *s); /* next clock-class event, SL_TIME_MAX: none */
void sl_clock_pass(struct sl_sim *s);	       /* serves all clock events of this instant */
void sl_clock_timers(struct sl_sim *s);	       /* serves due policy timers */
void sl_clock_set_timer(struct sl_sim *s, uint32_t id, sl_time at);
void sl_clock_halt(struct sl_sim *s, uint32_t cpu, bool busy);
void sl_clock_unhalt(struct sl_sim *s, uint32_t cpu);
void sl_clock_replay(struct sl_sim *s, uint32_t cpu); /* missed stat ticks of an idle CPU */
void sl_clock_became_busy(struct sl_sim *s, uint32_t cpu);
void sl_clock_became_idle(struct sl_sim *s, uint32_t cpu);

/* cpu.c */
enum intr_kind { INTR_TIMER, INTR_IPI };
void sl_cpu_enter(struct sl_sim *s, uint32_t cpu, enum intr_kind kind);
/* End of an interrupt: owed preemption, AST, and on until the CPU has settled. */
void sl_cpu_leave(struct sl_sim *s, uint32_t cpu, enum intr_kind kind);
void sl_cpu_switch(struct sl_sim *s, uint32_t cpu, unsigned sw, struct sl_thread *next);
/* Runs cpu's current thread to the point where time must pass. */
void sl_cpu_settle(struct sl_sim *s, uint32_t cpu);
void sl_cpu_ipis(struct sl_sim *s);

/* cost.c */
/* Books the time since seg_start to the running thread. */
void sl_cost_account(struct sl_sim *s, uint32_t cpu);
void sl_cost_arm(struct sl_sim *s, uint32_t cpu); /* (re)sets the burst end */
void sl_cost_switched(struct sl_sim *s, uint32_t cpu, struct ethread *out, struct ethread *in);
void sl_cost_siblings(struct sl_sim *s, uint32_t cpu); /* a sibling started or stopped */
void sl_cost_init(struct sl_sim *s);

/* prog.c */
/* The burst of the running thread is over: its next operations. Ends with the CPU settled. */
void sl_prog_burst_end(struct sl_sim *s, uint32_t cpu);
/* Executes operations up to the next burst or block; the CPU may have switched. */
void sl_prog_execute(struct sl_sim *s, uint32_t cpu, struct ethread *t, bool in_kernel);
/* Is the next operation a run? Executes loop operations before it. */
bool sl_prog_takes_time(struct sl_sim *s, struct ethread *t);
/* Loads the run operations at pc into rem; false when the program is broken. */
void sl_prog_load_burst(struct sl_sim *s, struct ethread *t);
/* Finishes an operation that slept; false when it sleeps again (the CPU has switched). */
bool sl_prog_finish(struct sl_sim *s, uint32_t cpu, struct ethread *t);
uint64_t sl_prog_draw(struct sl_sim *s, struct ethread *t, enum sl_purpose purpose,
		      const struct sl_dist *d);

/* sync.c */
bool sl_sync_init(struct sl_sim *s);
void sl_sync_fini(struct sl_sim *s);
/* Puts t (current on cpu) to sleep: policy hook, switch. until = SL_TIME_MAX: no time-out. */
void sl_sync_sleep(struct sl_sim *s, uint32_t cpu, struct ethread *t, struct sl_link *queue,
		   uint8_t waits_for, uint32_t obj, enum sl_wprio prio, sl_time until);
void sl_sync_wake(struct sl_sim *s, struct ethread *t, enum sl_wprio raise, unsigned srq);
bool sl_sync_lock(struct sl_sim *s, uint32_t cpu, struct ethread *t, uint32_t obj);
void sl_sync_unlock(struct sl_sim *s, struct ethread *t, uint32_t obj);
bool sl_sync_sem_wait(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op);
bool sl_sync_sem_post(struct sl_sim *s, const struct sl_op *op);
void sl_sync_cond_wake(struct sl_sim *s, uint32_t obj, bool all);
bool sl_sync_barrier(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op);
bool sl_sync_send(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op);
bool sl_sync_recv(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op);
sl_time sl_sync_disk(struct sl_sim *s, uint32_t obj, sl_time service);
bool sl_sync_edge_wait(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op);
void sl_sync_edge_wake(struct sl_sim *s, uint32_t cpu, const struct ethread *t,
		       const struct sl_op *op);
/* Picks who is woken from a queue of waiters (not empty). */
struct ethread *sl_sync_pick(const struct sl_sim *s, struct sl_link *queue);

/* life.c */
bool sl_life_init(struct sl_sim *s);
void sl_life_fini(struct sl_sim *s);
/* A time-out, start or interrupt is due for the thread in slot. */
void sl_life_timeout(struct sl_sim *s, struct sl_ev ev);
/* Forks one thread or process from op (t is current). */
void sl_life_fork(struct sl_sim *s, struct ethread *t, const struct sl_op *op);
void sl_life_exit(struct sl_sim *s, uint32_t cpu, struct ethread *t);
void sl_life_set_mask(struct sl_sim *s, struct ethread *t, uint32_t mask);
struct ethread *sl_life_target(struct sl_sim *s, struct ethread *self, const struct sl_op *op);
/* Starts what exists before anything runs: interrupt threads. */
void sl_life_boot(struct sl_sim *s);

/* result.c */
/* Fails the run with who waits for what. */
void sl_result_deadlock(struct sl_sim *s);
/* Ends the run: t's current operation does what no program may (`what`, of the object `name`). */
void sl_result_program(struct sl_sim *s, const struct ethread *t, const char *what,
		       const char *name);

/* check.c */
/* Puts the checker between the engine and s->ops. False: no memory. */
bool sl_check_wrap(struct sl_sim *s);
void sl_check_free(struct sl_sim *s);

#endif
