/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of `schedlab sweep` share: inputs by their spelling, the plan, the result
 * file's errors as exit codes. */
#ifndef SL_VERB_SWEEP_H
#define SL_VERB_SWEEP_H

#include "sim/batch/digest.h"
#include "sim/batch/store.h"
#include "sim/batch/sweep_file.h"
#include "sim/cli/metrics.h"
#include "sim/cli/setup.h"

/* --- Sub-verbs; argv[0] is the sub-verb ------------------------------------------------- */

int sl_sweep_verb_plan(const struct sl_cli *cli, int argc, char **argv);
int sl_sweep_verb_run(const struct sl_cli *cli, int argc, char **argv);
int sl_sweep_verb_status(const struct sl_cli *cli, int argc, char **argv);
int sl_sweep_verb_merge(const struct sl_cli *cli, int argc, char **argv);
int sl_sweep_verb_report(const struct sl_cli *cli, int argc, char **argv);
int sl_sweep_verb_submit(const struct sl_cli *cli, int argc, char **argv);

/* --- Result files ------------------------------------------------------------------------ */

/* The metrics of this program as columns. */
struct sl_store *sl_sweep_open(const char *path, enum sl_store_mode mode, GError **error);
/* The exit code of an error of any kind. */
enum sl_exit sl_sweep_exit(const GError *error);
/* Prints, frees, and gives the exit code. */
int sl_sweep_fail_with(const struct sl_cli *cli, GError *error);
/* STEM.sqlite, or STEM.I-of-N.sqlite for a part, of a sweep file in the current folder;
 * the text itself when it is a result file. Freed by the caller. */
char *sl_sweep_result_path(const char *file, uint32_t index, uint32_t count);

/* Options and the one argument of a sub-verb, which is returned; NULL after saying what is wrong
 * (exit 3). */
const char *sl_sweep_file_argument(const struct sl_cli *cli, int argc, char **argv,
				   const GOptionEntry *own);

/* --- Inputs ------------------------------------------------------------------------------ */

struct sl_sweep_topo {
	struct sl_topo *topo;
	char *digest;
};
struct sl_sweep_costs {
	struct sl_costs *costs;
	char *digest;
};
struct sl_sweep_policy {
	struct sl_policy_spec *spec;
	char *digest;
};
struct sl_sweep_work {
	char *key;
	struct sl_work work;
	char *digest;
	uint32_t users; /* 0: may be dropped */
};

/* Loaded inputs by spelling. Topologies, overlays and policies are kept to the end,
 * workloads as long as they are in use and a few more. May be used by several
 * threads at once. */
struct sl_sweep_inputs;
struct sl_sweep_inputs *sl_sweep_inputs_new(const struct sl_cli *cli, bool notes);
void sl_sweep_inputs_free(struct sl_sweep_inputs *in);

/* NULL with an error. Owned by `in`. */
const struct sl_sweep_topo *sl_sweep_inputs_topo(struct sl_sweep_inputs *in, const char *text,
						 GError **error);
/* "auto": the overlay of the topology; for a recording, its own idle wake-up latency. */
const struct sl_sweep_costs *sl_sweep_inputs_costs(struct sl_sweep_inputs *in, const char *text,
						   const struct sl_topo *topo,
						   const struct sl_work *work, GError **error);
const struct sl_sweep_policy *sl_sweep_inputs_policy(struct sl_sweep_inputs *in, const char *text,
						     GError **error);
/* To be given back. */
struct sl_sweep_work *sl_sweep_inputs_work(struct sl_sweep_inputs *in, const char *text,
					   uint32_t ncpus, GError **error);
void sl_sweep_inputs_release(struct sl_sweep_inputs *in, struct sl_sweep_work *work);
/* "all" as NULL in *mask, or a list; *text is its one spelling. Both freed by the caller. */
bool sl_sweep_inputs_cpuset(const char *list, uint32_t ncpus, uint64_t **mask, char **text,
			    GError **error);

/* --- One run ----------------------------------------------------------------------------- */

/* A cell by its spellings, as kept in the result file. */
struct sl_sweep_task {
	const char *spec[SL_INPUT_KINDS], *digest[SL_INPUT_KINDS];
	const char *cpuset, *until;
	uint64_t seed;
	const struct sl_sink *sink; /* sees the records; NULL: nobody does */
};

struct sl_sweep_result {
	enum sl_end end;
	sl_time end_ns;
	char *fault; /* NULL after a good end */
	uint64_t digest;
	double value[SL_METRIC_DEFS];
};

/* Runs number `run` of a cell. False with an error when an input cannot be loaded, or is
 * not the one that was planned with; when memory is short; when *stop was set. */
bool sl_sweep_do(struct sl_sweep_inputs *in, const struct sl_sweep_task *task, uint32_t run,
		 bool check, const _Atomic bool *stop, struct sl_sweep_result *result,
		 GError **error);
/* "done", "until", "deadlock", "program", "stall", "check". */
const char *sl_sweep_outcome(enum sl_end end);

/* --- Plans ------------------------------------------------------------------------------- */

struct sl_sweep_plan {
	const struct sl_sweep *sweep;
	GArray *hash;	      /* of char[SL_DIGEST_CHARS + 1], one per cell */
	GArray *work, *costs; /* the same of workloads and overlays, one per group */
	char *digest;	      /* of the whole plan */
	uint64_t runs;
};

/* Loads every input, checks it, and names all cells. */
bool sl_sweep_plan_make(struct sl_sweep_plan *plan, const struct sl_sweep *sweep,
			struct sl_sweep_inputs *in, GError **error);
void sl_sweep_plan_clear(struct sl_sweep_plan *plan);
/* Puts the plan into a result file, if it is not there yet. */
bool sl_sweep_plan_store(const struct sl_sweep_plan *plan, struct sl_sweep_inputs *in,
			 struct sl_store *store, GError **error);

/* Seconds of CPU time that all runs take together, guessed from a few that are timed and
 * thrown away within 10 s; *timed is their number, 0: no guess. */
double sl_sweep_estimate(const struct sl_sweep_plan *plan, struct sl_sweep_inputs *in,
			 uint32_t *timed);

#endif
