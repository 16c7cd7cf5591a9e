/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A reader of one trace format: how it is recognised and how it is read. The table of them
 * is in import.c. */
#ifndef SL_IMPORT_FORMAT_H
#define SL_IMPORT_FORMAT_H

#include <glib.h>
#include <stdbool.h>

#include "traces/import.h"
#include "traces/import_order.h"
#include "traces/import_text.h"
#include "traces/reader.h"

struct sl_import_ctx {
	struct sl_reader *in;
	const char *name; /* of the input, for messages */
	const struct sl_import_opts *opts;
	struct sl_import_report *report;
	struct sl_order *order; /* NULL for formats that load a workload themselves */
	uint64_t last_at;	/* stamp of the last line, for marks without one */
	void *note_ctx;		/* early look at events, see sl_replay_note_state() */
	void (*note)(void *ctx, const struct sl_event *ev);
};

struct sl_import_format {
	const char *name;
	const char *summary;
	/* Confidence that the first bytes are of this format, 0 (not) .. 100. */
	int (*probe)(const char *head, size_t len);
	/* Feeds ctx->order. False and *err when the file cannot be used at all. */
	bool (*read)(struct sl_import_ctx *ctx, GError **err);
	/* Instead of read: makes the workload. */
	struct sl_workload *(*load)(struct sl_import_ctx *ctx, GError **err);
	bool whole; /* not in time order: events are kept and sorted */
};

extern const struct sl_import_format sl_format_perf;
extern const struct sl_import_format sl_format_ftrace;
extern const struct sl_import_format sl_format_html;
extern const struct sl_import_format sl_format_chrome;
extern const struct sl_import_format sl_format_ktr;
extern const struct sl_import_format sl_format_ninja;
extern const struct sl_import_format sl_format_recording;
extern const struct sl_import_format sl_format_tracedat;

/* The room for the next event. */
static inline struct sl_event *sl_import_slot(struct sl_import_ctx *ctx)
{
	return sl_order_slot(ctx->order);
}
/* The slot holds an event. */
void sl_import_commit(struct sl_import_ctx *ctx, struct sl_event *ev);
/* A scheduler event that is not understood: counted, the first is remembered. */
void sl_import_bad(struct sl_import_ctx *ctx, const struct sl_line *line, const char *at,
		   const char *expected);
/* One line of ftrace text, from whatever wrapping. */
void sl_ftrace_line(struct sl_import_ctx *ctx, const struct sl_line *line);
/* Number of the first `max` lines of head that `fn` accepts. */
unsigned sl_probe_lines(const char *head, size_t len, unsigned max,
			bool (*fn)(const char *line, size_t len));
/* `needle` in the bytes, or NULL. */
const char *sl_find_bytes(const char *hay, size_t len, const char *needle);

#endif
