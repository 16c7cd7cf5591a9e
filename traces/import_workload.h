/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Builds the frozen workload of an imported trace: tasks one after the other, each with
 * its operations. Used by the replay builder, the .slr loader and the ninja reader. */
#ifndef SL_IMPORT_WORKLOAD_H
#define SL_IMPORT_WORKLOAD_H

#include <glib.h>

#include "sim/core/workload.h"
#include "traces/import.h"

struct sl_import_builder {
	GArray *ops;   /* struct sl_op */
	GArray *tasks; /* struct sl_task */
	GArray *sems;  /* struct sl_sem_spec */
	GStringChunk *names;
	const char *name; /* of the workload */
	const char *path; /* of the input, for messages */
	uint32_t n_edges;
	sl_time wake_latency, recorded;
};

struct sl_import_builder *sl_import_builder_new(const char *path);
void sl_import_builder_free(struct sl_import_builder *b);
/* A copy of s that lives as long as the workload. */
const char *sl_import_builder_name(struct sl_import_builder *b, const char *s);
/* Starts a task; its name and slice of operations are filled in. */
void sl_import_builder_task(struct sl_import_builder *b, const char *name,
			    const struct sl_task *task);
/* Appends to the program of the last task. */
void sl_import_builder_op(struct sl_import_builder *b, const struct sl_op *op);
/* A semaphore; returns its index. */
uint32_t sl_import_builder_sem(struct sl_import_builder *b, const char *name, uint32_t initial);
/* Frees the builder. NULL and *err when no task was made. */
struct sl_workload *sl_import_builder_finish(struct sl_import_builder *b, GError **err);

#endif
