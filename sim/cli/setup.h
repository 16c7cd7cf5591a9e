/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The options every simulating verb has, and what they load: topology, costs, workload,
 * policies, CPU set. A loaded setup is frozen; any number of simulations may run from
 * it at once. */
#ifndef SL_SETUP_H
#define SL_SETUP_H

#include "sim/cli/cli.h"
#include "sim/cli/spec.h"
#include "sim/cli/work.h"

/* As typed; strings belong to the options. */
struct sl_setup_options {
	char *topo, *workload, *seed, *cpuset, *until, *costs, *dialect;
	char **policies; /* NULL-terminated */
	gboolean check, tick_phase, cold_cache;
};
/* Writes the entries that fill `o`, with an end mark. */
#define SL_SETUP_ENTRIES 12
void sl_setup_entries(struct sl_setup_options *o, GOptionEntry entries[SL_SETUP_ENTRIES]);
void sl_setup_options_clear(struct sl_setup_options *o);

struct sl_setup {
	struct sl_topo *topo;
	struct sl_work work;
	struct sl_costs *costs;
	GPtrArray *policies; /* of struct sl_policy_spec */
	uint64_t *cpuset;    /* NULL: all CPUs */
	uint64_t seed;
	sl_time until;	 /* 0: to the workload's end */
	sl_time give_up; /* when that never comes; 0: it does */
	bool check, tick_phase, cold_cache;
	uint64_t topo_digest;
};

/* Loads everything; notes of the loaders go to stderr. Returns SL_EXIT_OK, or an exit
 * code after saying what is wrong. */
int sl_setup_load(const struct sl_cli *cli, const struct sl_setup_options *o,
		  struct sl_setup *setup);
void sl_setup_free(struct sl_setup *setup);

/* Simulated time after which a run that cannot end by itself is given up, 0: it can. It may still
 * deadlock before, which is worth a report, but must not run for ever. */
sl_time sl_setup_give_up(const struct sl_workload *w);

/* Arguments of a run of policy `which`; the caller may add to them. */
void sl_setup_args(const struct sl_setup *setup, uint32_t which, struct sl_sim_args *args);

/* Exit code that belongs to an end. */
enum sl_exit sl_end_exit(enum sl_end end);
/* The end in words: "all foreground threads ended". */
const char *sl_end_text(enum sl_end end);

#endif
