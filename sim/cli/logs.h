/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What `run` writes while it simulates: --log KIND=FILE and the narrative of
 * --explain. Each is a sink that formats records into a file. */
#ifndef SL_LOGS_H
#define SL_LOGS_H

#include <glib.h>

#include "sim/core/sim.h"

/* A filter of the narrative. */
struct sl_explain_filter {
	char *thread; /* name or task; NULL: all */
	int32_t cpu;  /* -1: all */
	sl_time from, to;
};

struct sl_logs;

struct sl_logs *sl_logs_new(void);
/* "switches=FILE", "samples=FILE" or "decisions=FILE": CSV, or JSON lines with the same
 * names when FILE ends in .jsonl, .ndjson or .json. */
bool sl_logs_add(struct sl_logs *logs, const char *spec, GError **error);
/* The narrative to stdout; the filter is copied (its string is taken over). */
void sl_logs_add_narrative(struct sl_logs *logs, const struct sl_explain_filter *filter);
/* "thread=NAME", "cpu=N" or "". */
bool sl_explain_filter_parse(struct sl_explain_filter *filter, const char *text, GError **error);

/* Another sink that gets the records; before attaching. */
void sl_logs_also(struct sl_logs *logs, struct sl_sink sink);
/* Sets sinks, sample and explain of the arguments, as the logs need them. */
void sl_logs_attach(struct sl_logs *logs, struct sl_sim_args *args);
/* The simulation whose records come: names are asked of it. */
void sl_logs_bind(struct sl_logs *logs, const struct sl_sim *sim);

/* Whether there is a narrative and its filter let nothing through. */
bool sl_logs_silent(const struct sl_logs *logs);

/* Completes the files; those of a run that was stopped are called FILE.partial. False with an error
 * when one could not be written; none of a failed run's files is left behind half-written. */
bool sl_logs_close(struct sl_logs *logs, bool partial, GError **error);
void sl_logs_free(struct sl_logs *logs); /* unfinished files vanish; NULL is fine */

#endif
