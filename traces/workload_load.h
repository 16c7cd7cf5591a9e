/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From what a user wrote to a frozen workload. The language: schedlab-workload(5). */
#ifndef SL_WORKLOAD_LOAD_H
#define SL_WORKLOAD_LOAD_H

#include "sim/core/workload.h"

#include <glib.h>

/* Which rt-app a file was written for; differs in what `suspend` waits on. */
enum sl_dialect {
	SL_DIALECT_CURRENT, /* the task's own name */
	SL_DIALECT_1_0,	    /* the event's value (rt-app 1.0 of 2017) */
};

struct sl_workload_opts {
	enum sl_dialect dialect;
	bool strict;	/* pure JSON only */
	uint32_t ncpus; /* of the machine: $ncpus and full masks; 0: unknown */
};

/* spec: the name of a library workload, a file, or `-` for stdin, then optionally
 * `:param=value,...`. opts may be NULL. Warnings (char *) are appended to `warnings`
 * when it is given (created with a free function). Returns a workload that passed
 * sl_workload_check(), to be freed with sl_workload_free(); on failure NULL and
 * `file:line:col: ...`. Linear in the text and what it expands to. */
struct sl_workload *sl_workload_load(const char *spec, const struct sl_workload_opts *opts,
				     GPtrArray *warnings, GError **error);

/* The same from text in memory. `name` names it in messages; relative files inside are
 * looked up beside it. params: `a=1,b=2` or NULL. */
struct sl_workload *sl_workload_load_text(const char *text, size_t len, const char *name,
					  const char *params, const struct sl_workload_opts *opts,
					  GPtrArray *warnings, GError **error);

void sl_workload_free(struct sl_workload *w); /* NULL is fine */

/* A readable listing of the workload as the engine gets it. */
void sl_workload_show(const struct sl_workload *w, GString *out);

/* Checks a file beyond what loading needs: misspelt keys, resume without suspend and the
 * reverse, signals nobody waits for, barriers that cannot meet, unreachable phases,
 * templates nobody forks, mutexes used wrongly. Appends `file:line:col: message` to findings; false
 * and error when the file does not load at all. */
bool sl_workload_lint(const char *spec, const struct sl_workload_opts *opts, GPtrArray *findings,
		      GError **error);

/* The same for text in memory, named `name` in messages. */
bool sl_workload_lint_text(const char *text, size_t len, const char *name,
			   const struct sl_workload_opts *opts, GPtrArray *findings,
			   GError **error);

/* Names of the library, ascending, NULL-terminated (g_strfreev). */
char **sl_workload_library(void);
/* A library workload's `summary`, and its parameters as lines "name=default  help";
 * NULL for an unknown name. */
char *sl_workload_summary(const char *name);
char *sl_workload_params(const char *name);

#endif
