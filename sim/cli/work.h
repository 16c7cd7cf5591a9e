/* SPDX-License-Identifier: BSD-2-Clause
 *
 * WORKLOAD of the command line: a library name or JSON file goes to the workload
 * language, a recorded trace to the importer. */
#ifndef SL_WORK_H
#define SL_WORK_H

#include "sim/cli/cli.h"
#include "traces/import.h"
#include "traces/workload_load.h"

struct sl_work {
	const struct sl_workload *workload;
	void *owned;
	bool recorded; /* made from a trace */
	void (*release)(void *owned);
};

/* Loads `spec`; opts (NULL: defaults) tells the machine and the dialect; notes of the loader go to
 * stderr. A trace takes parameters too (strict, force, all, servers, kernel, timeouts, jobs = 0 or
 * more; command, thread = a name; from, to = a time). */
bool sl_work_load(const struct sl_cli *cli, const char *spec, const struct sl_workload_opts *opts,
		  struct sl_work *work, GError **error);
void sl_work_release(struct sl_work *work); /* a zeroed one is fine */

/* Whether a spec names a trace; *path_len is then the length of its path. Opens each file that the
 * spec may mean, unless `known` (may be NULL; g_str_hash, g_free for keys) holds the answer, which
 * is added to it. */
bool sl_work_is_trace(const char *spec, size_t *path_len, GHashTable *known);
/* sl_work_load() of what is no trace; without cli the loader's notes are dropped. */
bool sl_work_load_written(const struct sl_cli *cli, const char *spec,
			  const struct sl_workload_opts *opts, struct sl_work *work,
			  GError **error);

#endif
