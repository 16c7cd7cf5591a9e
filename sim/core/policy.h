/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The contract between the machine and a scheduling policy.
 *
 * The machine owns time, threads, CPUs, the context switch and everything that
 * blocks. A policy orders runnable threads and says who runs next; it sees this
 * header and nothing else: never the event queue, never the remaining burst.
 * Operations carry the names of FreeBSD's sched(9) entry points, so that a kernel
 * patch ports by reading across.
 *
 * What a policy may rely on, and must keep to:
 *  - operations run with simulated time standing still; they never block,
 *    allocate, do I/O, or read a clock, the environment or an address's value;
 *  - a thread enters the policy's queues in add() or, put back while switching
 *    out, in sswitch(), and leaves them by being returned from sswitch() or by
 *    rem();
 *  - loops go by CPU number or queue order, so that equal input gives equal output;
 *  - the policy sets td->pri and its relatives, td->cpu, and the request flags;
 *    td->state, td->mask, td->pinned and td->oncpu belong to the machine. */
#ifndef SL_POLICY_H
#define SL_POLICY_H

#include "sim/base/base.h"
#include "sim/base/bits.h"
#include "sim/base/link.h"
#include "sim/base/rng.h"
#include "sim/core/topo.h"

#define SL_POLICY_ABI 1u

struct sl_pol;
struct sl_proc;

/* Scheduling classes (ule.md 2.3); FIFO is or-ed in. */
enum sl_class {
	SL_CLASS_ITHD = 1,
	SL_CLASS_REALTIME = 2,
	SL_CLASS_TIMESHARE = 3,
	SL_CLASS_IDLE = 4,
	SL_CLASS_FIFO_BIT = 8,
	SL_CLASS_FIFO = SL_CLASS_FIFO_BIT | SL_CLASS_REALTIME,
};
#define SL_CLASS_BASE(c) ((c) & ~SL_CLASS_FIFO_BIT)

enum sl_tstate {
	SL_TS_NEW,     /* not started, or a template that was never forked */
	SL_TS_CAN_RUN, /* about to be added */
	SL_TS_RUNQ,    /* queued by the policy */
	SL_TS_RUNNING, /* on a CPU */
	SL_TS_SLEEP,   /* on a sleep queue: earns interactivity */
	SL_TS_BLOCKED, /* on a turnstile (kernel lock): earns nothing */
	SL_TS_IWAIT,   /* interrupt thread without work */
	SL_TS_DEAD,
};

/* Request flags in td->flags. The policy sets, the machine acts, sswitch() clears. */
enum sl_tdf {
	SL_TDF_NEEDRESCHED = 1 << 0, /* switch at the next return to user mode */
	SL_TDF_SLICEEND = 1 << 1,    /* the slice is used up */
	SL_TDF_OWEPREEMPT = 1 << 2,  /* switch when the critical section ends */
	SL_TDF_BORROWING = 1 << 3,   /* runs at a lent priority */
	SL_TDF_IDLETD = 1 << 4,	     /* the idle thread of a CPU */
	SL_TDF_NOLOAD = 1 << 5,	     /* not counted as load */
	SL_TDF_BOUND = 1 << 6,	     /* sched_bind() */
	SL_TDF_PICKCPU = 1 << 7,     /* choose a CPU afresh at the next switch */
	SL_TDF_POLICY0 = 1 << 8,     /* four bits for the policy's own use */
	SL_TDF_POLICY1 = 1 << 9,
	SL_TDF_POLICY2 = 1 << 10,
	SL_TDF_POLICY3 = 1 << 11,
};

/* Why a thread is added (SRQ_*); or-ed. */
enum sl_srq {
	SL_SRQ_BORING = 0,
	SL_SRQ_YIELDING = 1 << 0,
	SL_SRQ_OURSELF = 1 << 1,
	SL_SRQ_INTR = 1 << 2,
	SL_SRQ_PREEMPTED = 1 << 3,
	SL_SRQ_BORROWING = 1 << 4,
};

/* Why a CPU switches (SW_*): one of VOL and INVOL, PREEMPT where it is one, and
 * one reason. */
enum sl_sw {
	SL_SW_VOL = 1 << 0,
	SL_SW_INVOL = 1 << 1,
	SL_SW_PREEMPT = 1 << 2,
	SL_SW_REASON_SHIFT = 8,
	SL_SW_NONE = 0 << 8,	    /* untyped: bind */
	SL_SW_PREEMPTED = 1 << 8,   /* immediate preemption, chosen by the policy */
	SL_SW_OWEPREEMPT = 2 << 8,  /* owed preemption at the end of a critical section */
	SL_SW_TURNSTILE = 3 << 8,   /* blocks on a kernel lock */
	SL_SW_SLEEPQ = 4 << 8,	    /* sleeps */
	SL_SW_SLEEPQTIMO = 5 << 8,  /* sleeps with a time-out */
	SL_SW_RELINQUISH = 6 << 8,  /* yields */
	SL_SW_NEEDRESCHED = 7 << 8, /* AST */
	SL_SW_IDLE = 8 << 8,	    /* the idle thread found work */
	SL_SW_IWAIT = 9 << 8,	    /* interrupt thread waits */
	SL_SW_SUSPEND = 10 << 8,
	SL_SW_REMOTEPREEMPT = 11 << 8, /* preempt IPI */
	SL_SW_EXIT = 12 << 8,
	SL_SW_REASON = 0xff << 8,
};

/* Priority arguments of sleeps and wake-ups by name; the policy's era maps them to
 * numbers (ule.md 2.1, 4bsd.md 3). */
enum sl_wprio {
	SL_WPRIO_NONE = 0, /* umtx, condition variables: keeps the priority */
	SL_WPRIO_PSWP,
	SL_WPRIO_PVM,
	SL_WPRIO_PINOD,
	SL_WPRIO_PRIBIO, /* disk, pipes */
	SL_WPRIO_PVFS,
	SL_WPRIO_PZERO,
	SL_WPRIO_PSOCK, /* sockets, select, poll, kqueue */
	SL_WPRIO_PWAIT, /* nanosleep, wait4 */
	SL_WPRIO_PLOCK,
	SL_WPRIO_PPAUSE,
	SL_WPRIO_PI_REALTIME, /* interrupt threads */
	SL_WPRIO_PI_AV,
	SL_WPRIO_PI_NET,
	SL_WPRIO_PI_DISK,
	SL_WPRIO_PI_TTY,
	SL_WPRIO_PI_DULL,
	SL_WPRIO_PI_SOFT,
	SL_WPRIO_COUNT
};

/* A thread, as machine and policy share it (kernel: struct thread). */
struct sl_thread {
	struct sl_link runq;	/* for the policy's run queues; idle while not queued */
	const uint64_t *mask;	/* CPUs allowed now; sl_pol.mask_words words */
	void *priv;		/* the policy's thread_size bytes, zeroed at creation */
	struct sl_proc *proc;	/* never NULL; idle threads have one each */
	struct sl_link in_proc; /* in proc->threads */
	uint32_t id;		/* unique within the run, in order of creation */
	int32_t cpu;		/* queued or running on, or last was (kernel: ts_cpu, lastcpu); -1:
				 * nowhere in particular */
	int32_t oncpu;		/* running on; -1 when not running */
	uint16_t flags;		/* enum sl_tdf */
	uint16_t pinned;	/* sched_pin() depth; 0 = may migrate */
	uint8_t pri;		/* used for queues and preemption; smaller is better */
	uint8_t base_pri;	/* what pri returns to after kernel priority lending */
	uint8_t user_pri;	/* effective user priority */
	uint8_t base_user_pri;
	uint8_t lend_user_pri; /* 255 when none */
	uint8_t pri_class;     /* enum sl_class */
	uint8_t state;	       /* enum sl_tstate */
	uint8_t pad;
};

/* A process: nice and its threads (kernel: struct proc). */
struct sl_proc {
	struct sl_link all;	/* in sl_pol.allproc, newest first */
	struct sl_link threads; /* of sl_thread.in_proc, oldest first */
	int8_t nice;		/* -20 .. 20 */
};

/* What a policy may read of a CPU. */
struct sl_cpu {
	struct sl_thread *cur;	/* running thread; the idle thread when idle */
	struct sl_thread *idle; /* this CPU's idle thread */
	void *priv;		/* the policy's cpu_size bytes, zeroed */
	uint16_t intr_nesting;	/* > 0 inside an interrupt handler */
	uint16_t critnest;	/* > 0 inside a critical section */
	bool halted;		/* the idle thread is halted (kernel: cpu_idle state) */
	bool blocking;		/* cur is on its way out (sleeping, blocking, exiting) */
};

enum sl_ipi {
	SL_IPI_PREEMPT = 1 << 0, /* runs the policy's preempt() on the target */
	SL_IPI_AST = 1 << 1,	 /* only interrupts: the return path does the rest */
	SL_IPI_WAKE = 1 << 2,	 /* memory write seen by an idle loop that spins */
};

/* Why a decision was taken, for explain and the decision log. The meaning of the
 * three inputs is stated per reason in docs/policies.md. Append only. */
enum sl_why {
	SL_WHY_NONE,
	SL_WHY_PLACE_SELF, /* a: rule, b: chosen CPU, c: its load */
	SL_WHY_PLACE_PINNED,
	SL_WHY_PLACE_AFFINE, /* idle last CPU, cache still warm */
	SL_WHY_PLACE_INTR,
	SL_WHY_PLACE_WARM,   /* idle CPU in the warm group */
	SL_WHY_PLACE_LOWPRI, /* a CPU whose lowpri is worse */
	SL_WHY_PLACE_ANY,
	SL_WHY_PREEMPT_LOCAL, /* a: new priority, b: running priority, c: threshold */
	SL_WHY_PREEMPT_REMOTE,
	SL_WHY_PREEMPT_NO,
	SL_WHY_RESCHED,
	SL_WHY_STEAL, /* a: victim CPU, b: its load, c: its transferable */
	SL_WHY_STEAL_NONE,
	SL_WHY_BALANCE,	     /* a: from, b: to, c: load difference */
	SL_WHY_REQUEUE_HEAD, /* a: queue index, b: priority, c: switch flags */
	SL_WHY_REQUEUE_TAIL,
	SL_WHY_ENQUEUE,	    /* a: queue index, b: priority, c: add flags */
	SL_WHY_PRIORITY,    /* a: old user priority, b: new, c: score or estcpu */
	SL_WHY_INTERACTIVE, /* a: old score, b: new score, c: threshold */
	SL_WHY_BATCH,
	SL_WHY_SLICE_END, /* a: ticks used, b: slice */
	SL_WHY_FORWARD,	  /* a: first idle CPU woken, b: how many */
	SL_WHY_CHOOSE,	  /* a: queue, b: priority */
	SL_WHY_DECAY,	  /* a: old estcpu, b: new estcpu, c: load average */
	SL_WHY_COUNT
};

/* What the idle thread does next; see sl_policy.idle. */
enum sl_idle_act {
	SL_IDLE_SWITCH,	   /* switch (VOL | IDLE), then call idle() again on resuming */
	SL_IDLE_HALT,	   /* halt; the machine may stop this CPU's ticks */
	SL_IDLE_HALT_BUSY, /* halt with the clocks running: woken by every clock interrupt */
};

/* Read-only figures for reports, tests and the checker. */
enum sl_metric {
	SL_METRIC_LOAD,	    /* of CPU td->cpu, or whole machine with td NULL: running + queued,
			     * idle threads excluded */
	SL_METRIC_SCORE,    /* interactivity score of td, or -1 */
	SL_METRIC_ESTCPU,   /* usage of td, or -1 */
	SL_METRIC_SLPTIME,  /* whole seconds asleep of td, or -1 */
	SL_METRIC_LDAVG0,   /* one-minute load average, 2048 = 1.0, or -1 */
	SL_METRIC_NRUN,	    /* scheduler's load count, or -1 */
	SL_METRIC_SLICE,    /* ticks left or used of td's slice, or -1 */
	SL_METRIC_STEALS,   /* threads stolen since boot */
	SL_METRIC_BALANCED, /* threads moved by the balancer since boot */
};

/* The view a policy has of one simulation. Reading any field is free. */
struct sl_pol {
	sl_time now;
	uint64_t seed; /* of the run: sl_rng_draw(seed, SL_RNG_POLICY, ...) */
	int32_t ticks; /* hard ticks since boot: floor(now * hz / 1e9) */
	uint32_t ncpus;
	uint32_t mask_words; /* words of every CPU mask */
	uint32_t hz, stathz;
	bool smp;	    /* an SMP kernel, started */
	bool explain;	    /* somebody listens to sl_why() */
	struct sl_cpu *cpu; /* [ncpus] */
	const struct sl_cpu_tree *tree;
	struct sl_link *allproc; /* of sl_proc.all, newest first; idle processes not in it */
	void *priv;		 /* the policy's instance_size bytes */
	const struct sl_policy *ops;
	const void *era;    /* the chosen era's data */
	struct sl_sim *sim; /* opaque: for the services below */
	void *check;	    /* the checker's, when it wraps ops */
};

/* How the machine around a policy behaves where kernels of different eras differ
 * (docs/model.md). Chosen with the era; sysctl-like overrides in parentheses. */
enum sl_clock_model {
	SL_CLOCK_ONESHOT, /* stat tick k at floor(k * 1e9 / stathz); idle CPUs skip ticks */
	SL_CLOCK_APIC,	  /* interrupt n at n * 1e9 / (2 hz) on every CPU, idle or not; hard
			   * tick when n is even, stat tick when its accumulator overflows */
};

struct sl_machine {
	uint32_t hz, stathz; /* (kern.hz, kern.stathz) */
	enum sl_clock_model clock;
	enum sl_cg_rule groups;
	bool boot_idle_pass;  /* every CPU runs its idle loop once at t = 0 */
	bool idle_clock_wake; /* a halted CPU is woken every hz/2 ticks */
	bool replay_ticks;    /* missed stat ticks are replayed with the idle thread current */
	bool tick_count;      /* ... in one clock() call with their number */
	bool user_semaphores; /* uncontended semaphore operations stay in user mode, FIFO wake */
	bool ops_at_once;     /* operations without a run between them follow at once; otherwise
			       * a burst of length 0 separates them */
};

/* A tunable: name as sysctl has it, unit, bounds, help. Stored in the policy's
 * instance at offset as an int32_t unless get/set are given. */
struct sl_tunable {
	const char *name; /* "kern.sched.slice" */
	const char *unit;
	const char *help;
	int64_t least, most;
	size_t offset;
	bool read_only;
	int64_t (*get)(const struct sl_pol *p);	      /* NULL: read the field */
	void (*set)(struct sl_pol *p, int64_t value); /* NULL: write the field */
};

/* A named era: one const table per era under policies/eras. */
struct sl_era {
	const char *name;	     /* "2017" */
	const char *summary;	     /* one line */
	const void *data;	     /* handed to the policy as sl_pol.era */
	const struct sl_policy *ops; /* operations that implement it; NULL: the owner's */
	const struct sl_machine *machine;
};

/* A named part of an era, for `show policy`. */
struct sl_part {
	const char *part;   /* "steal" */
	const char *choice; /* "first that may go"; NULL: the number says it */
	int64_t number;
};

/* A policy. Required: abi, name, summary, machine, init, add, rem, sswitch. An
 * absent optional operation means "does not care", with the default stated. */
struct sl_policy {
	uint32_t abi; /* SL_POLICY_ABI */
	const char *name, *summary;
	size_t instance_size, cpu_size, thread_size; /* bytes, allocated zeroed */
	const struct sl_tunable *tunables;
	uint32_t n_tunables;
	const struct sl_era *eras; /* NULL: one unnamed era, .machine below */
	uint32_t n_eras;
	const char *default_era;
	const struct sl_machine *machine; /* used when the era has none */
	const void *extra;		  /* for adapters (policies/simple.h) */
	bool work_conserving; /* promises no idle CPU beside a thread that may run there */
	bool cpu_names_queue; /* ... but a queued thread with td->cpu >= 0 waits for that CPU */

	/* Sets defaults of all tunables and initial state, CPU by CPU. Every sl_cpu and
	 * its idle thread (class IDLE, pri 255) exist. Runs before tunables are overridden. */
	void (*init)(struct sl_pol *p);
	/* After the tunables are final: arms timers. Optional. */
	void (*setup)(struct sl_pol *p);

	/* Life of a thread. `parent` may be NULL: a parent without history. fork: a new
	 * process; fork_thread: a new thread in parent's process (absent: fork is used).
	 * The machine has set class, proc (with nice), mask, and copied pri fields from
	 * the parent when there is one; the policy sets all pri fields and td->cpu.
	 * Not yet added. Called in the parent's context on its CPU; without a parent, in an
	 * interrupt on CPU 0 (sl_pol_self()). */
	void (*fork)(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td);
	void (*fork_thread)(struct sl_pol *p, struct sl_thread *parent, struct sl_thread *td);
	/* td leaves: exit when it is the last of its process, exit_thread otherwise (absent:
	 * exit). `heir` is the parent's first thread (exit) or the process' first remaining
	 * one (exit_thread); NULL when there is none. td still runs; sswitch follows. */
	void (*exit)(struct sl_pol *p, struct sl_thread *heir, struct sl_thread *td);
	void (*exit_thread)(struct sl_pol *p, struct sl_thread *heir, struct sl_thread *td);

	/* Queues. add: make td runnable (sched_add); the policy picks the CPU, queues, and
	 * asks for preemption or an IPI as it sees fit. rem: take a queued td off its queue
	 * (sched_rem), leaving state CAN_RUN to the machine's care: set by the policy through
	 * sl_pol_dequeued(). */
	void (*add)(struct sl_pol *p, struct sl_thread *td, unsigned srq);
	void (*rem)(struct sl_pol *p, struct sl_thread *td);
	/* The switch on `cpu` away from td (sched_switch): td->state says whether it is still
	 * RUNNING (then it is put back, on this or, if no longer allowed here, another CPU),
	 * or SLEEP, BLOCKED, IWAIT, DEAD. `next` is NULL, or the thread passed to
	 * sl_pol_switch_to(). Returns who runs now: a thread taken off the queues, td itself,
	 * or the CPU's idle thread. Clears NEEDRESCHED, SLICEEND, OWEPREEMPT of td. */
	struct sl_thread *(*sswitch)(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
				     unsigned sw, struct sl_thread *next);

	/* Clocks. hardclock: each hard tick on a busy CPU (SL_CLOCK_APIC: on every CPU).
	 * clock: cnt stat ticks (1 unless machine.tick_count) for td = current thread. */
	void (*hardclock)(struct sl_pol *p, uint32_t cpu, struct sl_thread *td);
	void (*clock)(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt);

	/* sleep: td (current) is about to sleep with a priority argument. wakeup: td was on
	 * a sleep queue; the policy credits sleep and adds it (default: add with BORING).
	 * `raise` is the waker's priority argument; srq says INTR for interrupt threads. */
	void (*sleep)(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio);
	void (*wakeup)(struct sl_pol *p, struct sl_thread *td, enum sl_wprio raise, unsigned srq);

	/* Priorities (default: store the number). */
	void (*prio)(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
	void (*user_prio)(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
	void (*lend_prio)(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
	void (*unlend_prio)(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
	void (*lend_user_prio)(struct sl_pol *p, struct sl_thread *td, uint8_t pri);
	/* proc's nice was `old` and is new; applies to all its threads. */
	void (*nice)(struct sl_pol *p, struct sl_proc *proc, int8_t nice);
	/* rtprio(2): class and level 0..31. The machine has stored nothing yet: the policy
	 * stores td->pri_class and the priorities. */
	void (*rtprio)(struct sl_pol *p, struct sl_thread *td, uint8_t pri_class, uint8_t level);
	/* Interrupt thread: class ITHD at a named priority, waiting (state IWAIT). */
	void (*ithread)(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio);

	/* bind: current thread wants `cpu`; the policy sets BOUND, td->cpu and pinned as the
	 * kernel does and returns true when the machine must switch (VOL) now. */
	bool (*bind)(struct sl_pol *p, struct sl_thread *td, uint32_t cpu);
	void (*unbind)(struct sl_pol *p, struct sl_thread *td);
	/* td->mask has changed. */
	void (*affinity)(struct sl_pol *p, struct sl_thread *td);
	/* sched_yield by the current thread: prepares and the machine switches (VOL |
	 * RELINQUISH). Return false to suppress that switch. */
	bool (*relinquish)(struct sl_pol *p, struct sl_thread *td);
	/* Return to user mode of the current thread (default: pri = base_pri = user_pri). */
	void (*userret)(struct sl_pol *p, struct sl_thread *td);
	/* AST with NEEDRESCHED, before the switch (default: prio(td, user_pri)). */
	void (*ast)(struct sl_pol *p, struct sl_thread *td);
	/* Preempt IPI on cpu, critical nesting 1. */
	void (*preempt)(struct sl_pol *p, uint32_t cpu);
	/* The idle thread of cpu (current) continues: at boot, after a switch back to it, or
	 * when an interrupt ended its halt and no preemption was owed. Default: HALT unless
	 * something is queued for it. The policy keeps its own resume point. */
	enum sl_idle_act (*idle)(struct sl_pol *p, uint32_t cpu);
	/* Timer `id`, armed by sl_pol_arm(), in the clock interrupt of CPU 0. */
	void (*timer)(struct sl_pol *p, uint32_t id);

	/* What `era` is made of: fills at most n parts, returns how many there are. Optional. */
	size_t (*parts)(const struct sl_era *era, struct sl_part *out, size_t n);

	/* -1: no such figure. Never changes state. */
	int64_t (*metric)(const struct sl_pol *p, const struct sl_thread *td, enum sl_metric which);
};

/* Services. None allocates; all O(1) unless said otherwise. */

/* CPU whose code is running this operation (kernel: curcpu). */
uint32_t sl_pol_self(const struct sl_pol *p);
/* State changes a policy must announce: td is queued now / was taken off by rem().
 * (sswitch's return value is announced by returning it.) */
void sl_pol_queued(struct sl_pol *p, struct sl_thread *td);
void sl_pol_dequeued(struct sl_pol *p, struct sl_thread *td);
/* Sends an IPI; equal IPIs still pending merge. Arrives after the cost overlay's latency. */
void sl_pol_ipi(struct sl_pol *p, uint32_t cpu, enum sl_ipi kind);
/* Calls timer(id) at `at`, within the clock class of that instant; re-arming replaces.
 * id < 4. */
void sl_pol_arm(struct sl_pol *p, uint32_t id, sl_time at);
/* Switches the current CPU to next at once (INVOL | PREEMPT | PREEMPTED); next is
 * runnable, not queued. Only outside critical sections. Returns when the preempted
 * context would be resumed: do nothing afterwards but return. */
void sl_pol_switch_to(struct sl_pol *p, struct sl_thread *next);
/* Does somebody listen? Asks once for several decisions, or before work that only listeners
 * need. */
static inline bool sl_explains(const struct sl_pol *p)
{
	return __builtin_expect(p->explain, 0);
}

/* Records a decision with its inputs when somebody listens. Cold: what prepares the call is
 * kept out of the way of those to whom nobody listens. */
SL_COLD void sl_pol_why(struct sl_pol *p, enum sl_why why, const struct sl_thread *td, int64_t a,
			int64_t b, int64_t c);
static inline void sl_why(struct sl_pol *p, enum sl_why why, const struct sl_thread *td, int64_t a,
			  int64_t b, int64_t c)
{
	if (sl_explains(p))
		sl_pol_why(p, why, td, a, b, c);
}

static inline bool sl_thread_is_idle(const struct sl_thread *td)
{
	return (td->flags & SL_TDF_IDLETD) != 0;
}

/* First thread of a process, NULL when none is left. */
static inline struct sl_thread *sl_proc_first(const struct sl_proc *proc)
{
	return sl_list_empty(&proc->threads) ? NULL
					     : SL_OF(proc->threads.next, struct sl_thread, in_proc);
}

/* Says why a table is unusable, or NULL when it is fine. */
const char *sl_policy_refuse(const struct sl_policy *ops);

#endif
