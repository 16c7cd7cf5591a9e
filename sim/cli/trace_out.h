/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A run as a trace file for other programs' viewers: --trace of `run`, and the verb
 * `export`. A file that exists under its own name is whole. */
#ifndef SL_TRACE_OUT_H
#define SL_TRACE_OUT_H

#include "sim/cli/cli.h"
#include "traces/export.h"

struct sl_trace_out;

/* Opens `path` ("-": stdout) and writes in `format` what the sink gets of a run of `w`.
 * `opts` is borrowed to the end. NULL with an error. */
struct sl_trace_out *sl_trace_out_new(const char *path, const char *format,
				      const struct sl_workload *w,
				      const struct sl_export_opts *opts, GError **error);

/* "FORMAT=FILE", or FILE alone: its ending decides (.json chrome, .pftrace or
 * .perfetto-trace perfetto, .perf perf, .ktr ktr, .dat trace.dat; .txt, .ftrace, .systrace,
 * .trace or none ftrace). *path points into `spec`; *format is static. False with an error
 * for other endings and unknown formats. */
bool sl_trace_out_split(const char *spec, const char **path, const char **format, GError **error);

struct sl_sink sl_trace_out_sink(struct sl_trace_out *t);

/* Completes the file at simulated time `end`; a partial one is called FILE.partial. Frees
 * t. False with an error when anything could not be written: no file is left then. */
bool sl_trace_out_close(struct sl_trace_out *t, sl_time end, bool partial, GError **error);
/* Removes the unfinished file and frees t; NULL is fine. */
void sl_trace_out_abandon(struct sl_trace_out *t);

#endif
