/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One simulation: made from frozen inputs, run, asked for results, freed.
 * Two simulations in one process share nothing but const inputs. */
#ifndef SL_SIM_H
#define SL_SIM_H

#include "sim/core/policy.h"
#include "sim/core/record.h"
#include "sim/core/topo.h"
#include "sim/core/workload.h"

struct sl_sim;

/* Cost overlay: what the machine charges. All zero = the ideal machine. Nothing in it
 * may depend on the policy. Fields, units, defaults and sources: docs/model.md. */
struct sl_costs {
	const char *name;
	uint32_t switch_ns;	  /* context switch, charged to the incoming thread as sys */
	uint32_t tick_ns;	  /* each clock interrupt on a busy CPU, steals from the burst */
	uint32_t wake_ns;	  /* kernel work of the waker per wake-up */
	uint32_t ipi_ns;	  /* flight time of an IPI */
	uint32_t idle_exit_ns;	  /* from interrupt to running code on a halted CPU */
	uint32_t syscall_ns;	  /* each kernel entry, sys time */
	uint16_t smt_permille[8]; /* [k]: speed of a thread when k siblings are busy; 0 = 1000 */
	/* Cache refill by distance (enum sl_shared) for a thread whose working set has gone or
	 * lies elsewhere: ns per KiB of footprint. */
	uint32_t refill_ns_per_kib[SL_SHARED_COUNT];
	uint32_t footprint_kib;	 /* default working set */
	uint32_t evict_us;	 /* foreign run time that evicts a whole working set */
	uint16_t noise_permille; /* run-to-run standard deviation of the machine's speed */
};

enum sl_end {
	SL_END_DONE,	 /* all foreground threads ended */
	SL_END_UNTIL,	 /* reached `until` or the workload's duration */
	SL_END_DEADLOCK, /* threads left, none can ever run: see sl_sim_fault() */
	SL_END_STALL,	 /* simulated time does not advance, or nothing bounds the run */
	SL_END_CHECK,	 /* a checked invariant is broken */
	SL_END_NOMEM,
	SL_END_PROGRAM, /* a thread's program is wrong: unlocks what it does not hold, ... */
	SL_END_STOPPED, /* *sl_sim_args.stop was set: results hold up to that instant */
};

struct sl_override {
	const struct sl_tunable *tunable;
	int64_t value;
};

struct sl_sim_args {
	const struct sl_topo *topo;
	const struct sl_policy *policy;
	const struct sl_era *era; /* NULL: policy's machine */
	const struct sl_override *override;
	uint32_t n_overrides;
	const struct sl_workload *workload;
	const struct sl_costs *costs;	  /* NULL: ideal machine */
	const struct sl_machine *machine; /* NULL: the era's */
	const uint64_t *cpuset;		  /* NULL: all CPUs; bounds every thread's mask */
	uint64_t seed;
	sl_time until;	 /* 0: the workload's duration, else its end */
	sl_time give_up; /* without any other end: SL_END_STALL here; 0: never */
	bool check;	 /* wrap the policy in the checker */
	bool explain;	 /* emit SL_REC_WHY */
	bool sample;	 /* emit SL_REC_SAMPLE at each second */
	bool cold_cache; /* disks' page caches are cold (first run) */
	bool tick_phase; /* each CPU's clock gets a drawn phase */
	const struct sl_sink *sinks;
	uint32_t n_sinks;
	const _Atomic bool *stop; /* NULL, or looked at every few thousand events: true ends
				   * the run (interrupt); may be set by a signal handler */
};

/* Builds a simulation; borrows everything in args until sl_sim_free(). On failure
 * returns NULL and a sentence in err (err_len bytes). */
struct sl_sim *sl_sim_new(const struct sl_sim_args *args, char *err, size_t err_len);
void sl_sim_free(struct sl_sim *s); /* NULL is fine */

/* Runs to the end. Call once. */
enum sl_end sl_sim_run(struct sl_sim *s);

/* What went wrong, in words (who waits for what); "" after a good end. A run that reached its
 * time limit with all its threads blocked for ever says so here too. */
const char *sl_sim_fault(const struct sl_sim *s);

/* Policy view, for metrics and tests. */
struct sl_pol *sl_sim_pol(struct sl_sim *s);

struct sl_thread_result {
	uint32_t id, task, instance;	  /* instance: index within the task */
	sl_time started, ended;		  /* SL_TIME_MAX: not */
	sl_time user_ns, sys_ns, wait_ns; /* wait: runnable but not running */
	uint64_t switches;		  /* switched in after another thread */
	uint64_t voluntary, involuntary;
	uint64_t migrations, wakeups, bursts;
	uint8_t user_pri;
	int8_t nice;
	bool exited;
};

struct sl_cpu_result {
	sl_time busy_ns, idle_ns;
	uint64_t switches, ticks;
};

/* Latency from wake-up to run: log-linear histogram, 16 steps per octave (error below
 * 1/16), bucket b covers [sl_latency_low(b), sl_latency_low(b+1)). */
#define SL_LATENCY_BUCKETS 640
sl_time sl_latency_low(uint32_t bucket);

struct sl_totals {
	sl_time real_ns; /* end of the last foreground thread, or the end of the run */
	sl_time end_ns;	 /* simulated time when the run stopped */
	sl_time user_ns, sys_ns, wait_ns;
	sl_time idle_ns;   /* idle CPU time, all usable CPUs */
	sl_time wasted_ns; /* integral of min(idle CPUs, waiting threads) */
	uint64_t marks, switches, preemptions, migrations, steals, wakeups, forks, exits;
	uint64_t events, ticks; /* engine's own count; stat ticks processed */
	uint64_t latency[SL_LATENCY_BUCKETS];
	uint64_t latency_n;
	sl_time latency_max, latency_sum;
	uint64_t digest;
	size_t memory_bytes;
};

void sl_sim_totals(const struct sl_sim *s, struct sl_totals *out);
uint32_t sl_sim_thread_count(const struct sl_sim *s); /* threads ever created; results are kept
						       * for static ones and living ones */
bool sl_sim_thread(const struct sl_sim *s, uint32_t index, struct sl_thread_result *out);
void sl_sim_cpu(const struct sl_sim *s, uint32_t cpu, struct sl_cpu_result *out);
/* What a thread that sleeps or is blocked now waits on: "waits for mutex "m" held by a-1" in buf;
 * false when it is no object and no other thread (a time-out, a device), or it does not sleep. */
bool sl_sim_waits_for(const struct sl_sim *s, uint32_t tid, char *buf, size_t len);
/* "<task>-<id>" of a thread id seen in a record; "idle" for SL_REC_IDLE. Returns buf. */
const char *sl_sim_thread_name(const struct sl_sim *s, uint32_t tid, char *buf, size_t len);

#endif
