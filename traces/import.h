/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A recorded trace becomes a workload: bursts keep their CPU time, a wait ended by another
 * thread stays a dependency on that thread, any other wait keeps its length. */
#ifndef SL_IMPORT_H
#define SL_IMPORT_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/core/workload.h"

/* Linux has 2^22 thread numbers; each thread costs some 300 bytes. */
#define SL_IMPORT_THREADS_MAX (UINT32_C(1) << 22)

struct sl_import_opts {
	bool strict;		   /* fail on the first repair, with the place */
	bool force;		   /* accept more than 20 % repaired switches or bad lines */
	bool all;		   /* every user thread, not only the recorded command's */
	bool servers;		   /* also every thread that wakes selected ones and is woken by
				    * them; without: those that do so 16 times or more each way */
	bool alone;		   /* none of those */
	bool keep_kernel;	   /* also kernel threads */
	bool absolute;		   /* timed waits end when they did in the trace, counted from
				    * its start; without: last as long as they did */
	bool keep_timeouts;	   /* do not collapse waits that kept timing out */
	const char *command;	   /* root: the exec of this program; NULL: found */
	const char *const *select; /* thread names or numbers (with what they fork); NULL */
	const uint64_t *cpus;	   /* only threads that ran on one of these CPUs: bit set of
				    * cpu_words words; NULL: all */
	uint32_t cpu_words;
	sl_time from, to;     /* part of the trace, ns from its start; to 0: its end */
	uint32_t jobs;	      /* .ninja_log: jobs at once; 0: as many as the log shows */
	uint32_t threads_max; /* a trace of more is refused; 0: SL_IMPORT_THREADS_MAX */
};

/* What was read, what had to be repaired, what the replay explains. Counts are of the
 * whole trace unless said otherwise. */
struct sl_import_report {
	const char *format; /* static name of the reader */
	uint64_t bytes, lines;
	uint64_t events;    /* scheduler events understood */
	uint64_t bad_lines; /* scheduler events not understood */
	uint64_t first_bad; /* line number of the first of them, 0 none */
	uint64_t bad_column;
	const char *bad_expected; /* static */
	bool truncated;		  /* the file ends inside a line or a compressed stream */

	uint64_t switches, wakings, wakeups, forks, execs, exits, runtimes;
	uint64_t lost_marks, lost_events; /* LOST records, events they count */

	uint64_t swapped, backwards, leapt, late; /* stamps out of order: see import_order.h */
	bool reversed;
	bool shifted_states;	 /* kernel printed every state letter one too high */
	uint64_t healed;	 /* switches missing from a CPU's chain, put back */
	uint64_t unseen_wakes;	 /* blocked threads that ran without a wake-up being seen */
	uint64_t idle_wakes;	 /* wake-ups of threads that were not blocked: ignored */
	uint64_t early_wakes;	 /* wake-up seen before the switch-out it ends: paired */
	uint64_t void_wakes;	 /* wake-ups that only cancelled a block */
	uint64_t unknown_wakers; /* only sched_wakeup and no trustworthy waker */
	uint64_t spins;		 /* short turns that ended runnable, behind three like them */
	uint64_t revived;	 /* exited threads that ran again */
	uint64_t reused_pids;	 /* numbers taken over by a new thread */

	sl_time span; /* first to last event */
	uint32_t cpus;
	uint64_t threads;    /* seen */
	sl_time cpu_time;    /* of all threads, idle not counted */
	sl_time runtime_sum; /* sum of sched_stat_runtime */

	/* The workload. */
	const char *root; /* program whose exec starts it, "" for all threads; owned by the
			   * workload */
	uint64_t selected;
	sl_time selected_cpu;
	sl_time makespan;     /* recorded: start to the last selected thread's end */
	uint64_t edges;	      /* waits that depend on another selected thread */
	uint64_t edges_cut;   /* wake-ups by threads left out: became sleeps */
	uint64_t sleeps;      /* timed waits, edges_cut included */
	uint64_t unexplained; /* sleeps whose wake-up was not seen at all */
	uint64_t timeouts;    /* sleeps folded into the wait they belong to */
	uint64_t periodic;    /* sleeps turned into absolute times */
	sl_time wake_latency; /* median, wake-up to running on an idle CPU; 0 unknown */
	uint64_t wake_samples;
};

enum sl_trace_kind {
	SL_TRACE_UNKNOWN,
	SL_TRACE_EVENTS,    /* a recording in a foreign format that sl_trace_import() reads */
	SL_TRACE_RECORDING, /* our own .slr */
	SL_TRACE_JSON,	    /* JSON that holds no trace: a workload */
};

/* Looks at the first 64 KiB, decompressed. UNKNOWN also when it cannot be opened. Never
 * consumes standard input: "-" is UNKNOWN. */
enum sl_trace_kind sl_trace_sniff(const char *path);

/* Reads a trace or a recording ("-": standard input). `report` may be NULL; it is filled
 * as far as reading came even on failure. NULL and *err (file:line:col: what, expected
 * what) on failure. Free with sl_import_workload_free(). Memory: O(threads + waits). */
struct sl_workload *sl_trace_import(const char *path, const struct sl_import_opts *opts,
				    struct sl_import_report *report, GError **err);
/* The same from an open file or pipe, which is closed. */
struct sl_workload *sl_trace_import_fd(int fd, const char *name, const struct sl_import_opts *opts,
				       struct sl_import_report *report, GError **err);
/* The same from memory; `name` stands for the path in messages. */
struct sl_workload *sl_trace_import_mem(const void *data, size_t len, const char *name,
					const struct sl_import_opts *opts,
					struct sl_import_report *report, GError **err);

void sl_import_workload_free(struct sl_workload *w); /* NULL is fine */

/* The report in words, one fact a line; only repairs that happened. */
void sl_import_report_print(const struct sl_import_report *r, FILE *out);

/* Names of the readers, NULL at the end. */
const char *sl_import_format_name(unsigned i);

#define SL_IMPORT_ERROR sl_import_error_quark()
GQuark sl_import_error_quark(void);
enum sl_import_error { SL_IMPORT_ERROR_FORMAT, SL_IMPORT_ERROR_EMPTY, SL_IMPORT_ERROR_STRICT };

#endif
