/* SPDX-License-Identifier: BSD-2-Clause
 *
 * An observer reads the records of a run and says what the policy did badly, without being
 * wrong by the checker's rules:
 *   gaps        a thread waits although a CPU it may use is idle (work conservation);
 *   hogs        threads of one task that never sleep get unequal shares;
 *   migrations  a thread is moved though its last CPU was idle, or back again at once.
 * It is a sink: it sees nothing but records, so it works on any policy and changes nothing.
 * Some policies break work conservation by design (ule@2017: its balancer is dead), so a
 * finding is a report; whoever wants it to be fatal looks at the counts (run's
 * --check-fatal does).
 *
 * Only threads whose freedom is known are judged: a thread that is bound or pinned, may
 * become so, or whose mask an operation of the workload changes, is left out everywhere.
 * Use: sl_observer_new(), attach sl_observer_sink(), run, sl_observer_finish(), read. */
#ifndef SL_OBSERVE_H
#define SL_OBSERVE_H

#include "sim/core/record.h"
#include "sim/core/topo.h"
#include "sim/core/workload.h"

/* Shorter gaps are not listed: an IPI's flight, a poll of the idle loop. */
#define SL_OBSERVE_GRACE   (10 * SL_NS_PER_MS)
#define SL_OBSERVE_GAPS	   8  /* listed, the longest first */
#define SL_OBSERVE_BUCKETS 40 /* bucket b of the histogram: lengths 2^b .. 2^(b+1)-1 ns */

struct sl_observe_opts {
	const struct sl_topo *topo;	    /* borrowed until the end */
	const struct sl_workload *workload; /* borrowed until the end */
	const uint64_t *cpuset;		    /* as in sl_sim_args; NULL: all CPUs */
	sl_time grace;			    /* 0: SL_OBSERVE_GRACE */
	sl_time from;			    /* shares and gaps count from here on */
};

/* What opens and what closes a gap. */
enum sl_gap_event {
	SL_GAP_STARTED,	 /* opens: the thread came to be runnable by its creation, */
	SL_GAP_WOKEN,	 /* by being woken, */
	SL_GAP_PUT_BACK, /* or by losing its CPU, to `other` */
	SL_GAP_CPU_IDLE, /* opens: `other` left idle_cpu */
	SL_GAP_RUNS,	 /* closes: the thread got CPU ran_on */
	SL_GAP_TAKEN,	 /* closes: the last idle CPU it could use was given to `other` */
	SL_GAP_OVER,	 /* closes: the run ended */
};

/* A thread waited while a CPU it may use was idle. */
struct sl_gap {
	sl_time opened, closed;
	uint32_t tid;
	uint32_t idle_cpu;		   /* lowest CPU that it could have used at the opening */
	int32_t ran_on;			   /* SL_GAP_RUNS: where; else -1 */
	uint8_t opening, closing;	   /* enum sl_gap_event */
	uint32_t opening_tid, closing_tid; /* `other` of the events; SL_REC_IDLE: none */
};

struct sl_hogs {
	uint32_t task, n;			/* threads of this task that never slept; n >= 2 */
	sl_time window;				/* shortest time one of them was there */
	uint32_t run_min, run_mean, run_max;	/* permille of its time on a CPU */
	uint32_t wait_min, wait_mean, wait_max; /* permille of its time waiting */
};

struct sl_observed {
	sl_time grace;	    /* in force */
	uint64_t gaps;	    /* of any length > 0 */
	uint64_t long_gaps; /* longer than the grace time */
	uint64_t gap_length[SL_OBSERVE_BUCKETS];
	sl_time gap_sum; /* of the lengths of all gaps: thread-time lost */
	sl_time wasted;	 /* integral of min(idle CPUs, threads in a gap): CPU-time lost */
	uint32_t n_worst;
	struct sl_gap worst[SL_OBSERVE_GAPS]; /* long gaps, longest first, then earliest */
	bool has_hogs;
	struct sl_hogs hogs; /* the task whose threads' shares differ most */
	uint64_t migrations;
	uint64_t home_idle;	   /* moved although the last CPU was idle all along */
	uint64_t back_again;	   /* A to B to A, less than the grace time on B */
	uint32_t judged, left_out; /* threads */
	bool no_memory;		   /* the observer gave up: figures are incomplete */
};

struct sl_observer;

/* NULL: memory is short. O(operations + CPUs). */
struct sl_observer *sl_observer_new(const struct sl_observe_opts *opts);
void sl_observer_free(struct sl_observer *o); /* NULL is fine */
/* To be put among sl_sim_args.sinks. */
struct sl_sink sl_observer_sink(struct sl_observer *o);
/* Closes what is open at the end of the run. Call once. */
const struct sl_observed *sl_observer_finish(struct sl_observer *o, sl_time end);

#endif
