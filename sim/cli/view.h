/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Views of a run in the layouts of perf-sched(1): timehist, latency, map. A view runs a
 * simulation and prints from its records. */
#ifndef SL_VIEW_H
#define SL_VIEW_H

#include "sim/cli/names.h"
#include "sim/cli/out.h"
#include "sim/cli/setup.h"

struct sl_view {
	const struct sl_view_kind *kind;
	struct sl_names names;
	struct sl_out *out; /* stdout */
	uint32_t ncpus;
	sl_time now;	  /* end of the run, for end() */
	sl_time from, to; /* what to print; records outside still reach the view */
	gboolean summary; /* --summary */
	void *state;	  /* the kind's own, state_size bytes, zeroed */
};

struct sl_view_kind {
	size_t state_size;
	bool has_summary;
	void (*begin)(struct sl_view *view);
	void (*record)(struct sl_view *view, const struct sl_rec *rec);
	void (*end)(struct sl_view *view); /* prints the rest, frees the state's parts */
};

/* The verb: options, run, output. */
int sl_view_run(const struct sl_cli *cli, int argc, char **argv, const struct sl_view_kind *kind);

/* What is known of a thread, by id. */
struct sl_view_thread {
	sl_time woken;	     /* last wake-up or start, SL_TIME_MAX when it ran since */
	sl_time left;	     /* last left a CPU, SL_TIME_MAX: never ran */
	sl_time got;	     /* last got a CPU */
	sl_time wait, delay; /* of the present turn: off the CPU, and from wake-up to run */
	/* Sums over all turns that have ended. */
	sl_time run_sum, run_least, run_most, delay_sum, delay_most, delay_from, delay_to;
	uint64_t turns;
	uint64_t migrations;
	int32_t cpu;	/* -1: never ran */
	int64_t parent; /* id of the thread that forked it, -1: there from the start */
	bool running;
	double run_square;
};

/* Threads by id, grown on demand. */
struct sl_view_threads {
	GArray *of; /* struct sl_view_thread */
};

void sl_view_threads_init(struct sl_view_threads *threads);
struct sl_view_thread *sl_view_thread_at(struct sl_view_threads *threads, uint32_t tid);
/* Follows a record. For a switch *left is the thread whose turn ended, with its turn added
 * to the sums and *run its length; NULL when that was the idle thread, or no switch. */
struct sl_view_thread *sl_view_follow(struct sl_view_threads *threads, const struct sl_rec *rec,
				      sl_time *run);
/* Forgets all sums; turns that go on count from `now`. */
void sl_view_restart(struct sl_view_threads *threads, sl_time now);
/* Ends the turns of those who still run. */
void sl_view_finish(struct sl_view_threads *threads, sl_time now);

#endif
