/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A simulated run in the formats that viewers and scripts know. An export is a sink: give
 * sl_export_sink() to a simulation, or hand it recorded batches; then finish it. */
#ifndef SL_EXPORT_H
#define SL_EXPORT_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/core/record.h"
#include "sim/core/workload.h"

struct sl_export_opts {
	sl_time from, to;     /* only events of this time; to 0: to the end */
	const char *thread;   /* only threads of the task with this name; NULL: all */
	const uint64_t *cpus; /* bit set of CPUs, cpu_words words; NULL: all */
	uint32_t cpu_words;
};

struct sl_export;

/* `format`: a name of sl_export_format_name(). `w` names the threads; it, opts and out are
 * borrowed until sl_export_finish(). NULL and *err for an unknown format. */
struct sl_export *sl_export_new(const char *format, const struct sl_workload *w, FILE *out,
				const struct sl_export_opts *opts, GError **err);

/* Takes records in time order. O(1) each; ktr and perfetto keep what they cannot write yet. */
struct sl_sink sl_export_sink(struct sl_export *x);

/* Writes what is left and frees x. False and *err when anything could not be written. */
bool sl_export_finish(struct sl_export *x, sl_time end, GError **err);

/* Names of the formats and what they are for; NULL behind the last. */
const char *sl_export_format_name(unsigned i);
const char *sl_export_format_summary(unsigned i);

#endif
