/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a file of unknown kind to a workload: the table of readers, the choice by content,
 * the refusal of what cannot be trusted.
 * Invariant: a workload is returned only after sl_workload_check() found it sound. */
#include "traces/import.h"

#include <string.h>

#include "traces/import_format.h"
#include "traces/replay.h"

/* More repaired switches or unreadable events than this are no recording any more. */
#define REFUSE_PERCENT 20u
/* Below this many events a percentage says nothing. */
#define REFUSE_MIN 100u

G_DEFINE_QUARK(sl - import - error - quark, sl_import_error)

static const struct sl_import_format *const formats[] = {
	&sl_format_recording, &sl_format_tracedat, &sl_format_ninja,  &sl_format_html,
	&sl_format_chrome,    &sl_format_perf,	   &sl_format_ftrace, &sl_format_ktr,
};

const char *sl_import_format_name(unsigned i)
{
	return i < G_N_ELEMENTS(formats) ? formats[i]->name : NULL;
}

const char *sl_find_bytes(const char *hay, size_t len, const char *needle)
{
	size_t n = strlen(needle);
	const char *end = hay + len;

	while ((size_t)(end - hay) >= n) {
		hay = memchr(hay, needle[0], (size_t)(end - hay) - n + 1);
		if (!hay)
			return NULL;
		if (memcmp(hay, needle, n) == 0)
			return hay;
		hay++;
	}
	return NULL;
}

unsigned sl_probe_lines(const char *head, size_t len, unsigned max,
			bool (*fn)(const char *line, size_t len))
{
	const char *p = head, *end = head + len;
	unsigned found = 0;

	while (p < end && max-- > 0) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);

		found += fn(p, n > 0 && p[n - 1] == '\r' ? n - 1 : n);
		p += n + 1;
	}
	return found;
}

static const struct sl_import_format *find_format(struct sl_reader *in)
{
	const struct sl_import_format *best = NULL;
	size_t len;
	const char *head = sl_reader_peek(in, SL_LINE_MAX, &len);
	int most = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
		int sure = formats[i]->probe(head, len);

		if (sure > most) {
			most = sure;
			best = formats[i];
		}
	}
	return best;
}

enum sl_trace_kind sl_trace_sniff(const char *path)
{
	enum sl_trace_kind kind = SL_TRACE_UNKNOWN;
	const struct sl_import_format *format;
	struct sl_reader *in;
	const char *head;
	size_t len, i = 0;

	if (strcmp(path, "-") == 0)
		return kind;
	in = sl_reader_open(path, NULL);
	if (!in)
		return kind;
	format = find_format(in);
	head = sl_reader_peek(in, SL_LINE_MAX, &len);
	while (i < len && g_ascii_isspace(head[i]))
		i++;
	if (format == &sl_format_recording)
		kind = SL_TRACE_RECORDING;
	else if (format)
		kind = SL_TRACE_EVENTS;
	else if (i < len && head[i] == '{')
		kind = SL_TRACE_JSON;
	sl_reader_free(in);
	return kind;
}

void sl_import_commit(struct sl_import_ctx *ctx, struct sl_event *ev)
{
	ctx->report->events +=
		ev->kind != SL_EV_LOST && ev->kind != SL_EV_WPRIO && ev->kind != SL_EV_EDGE;
	ev->line = (uint32_t)MIN(ctx->report->lines, UINT32_MAX);
	ctx->note(ctx->note_ctx, ev);
	sl_order_commit(ctx->order);
}

void sl_import_bad(struct sl_import_ctx *ctx, const struct sl_line *line, const char *at,
		   const char *expected)
{
	struct sl_import_report *r = ctx->report;

	/* The last line of a file that was cut off is no mistake of the recorder. */
	if (line->open)
		return;
	if (r->bad_lines++ > 0)
		return;
	r->first_bad = line->number;
	r->bad_column = (uint64_t)(at - line->s) + 1;
	r->bad_expected = expected;
}

struct feed {
	struct sl_replay *b;
	struct sl_import_ctx *ctx;
	uint64_t full_line; /* where there were too many threads; 0 */
};

static void feed(void *to, struct sl_event *ev)
{
	struct feed *f = to;

	sl_replay_feed(f->b, ev);
	if (f->b->full && f->full_line == 0) {
		f->full_line = f->ctx->report->lines;
		sl_reader_stop(f->ctx->in);
	}
}
static void note(void *ctx, const struct sl_event *ev)
{
	sl_replay_note_state(ctx, ev);
}

static bool fail_bad_line(const struct sl_import_ctx *ctx, GError **err)
{
	const struct sl_import_report *r = ctx->report;

	g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
		    "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT
		    ": scheduler event not understood; expected %s (%" G_GUINT64_FORMAT
		    " such lines beside %" G_GUINT64_FORMAT " events)",
		    ctx->name, r->first_bad, r->bad_column, r->bad_expected, r->bad_lines,
		    r->events);
	return false;
}

static bool too_many(uint64_t bad, uint64_t all)
{
	return all >= REFUSE_MIN ? bad * 100 > all * REFUSE_PERCENT : bad > 0 && bad >= all;
}

/* Does the kernel's own account of CPU time bear out what the repaired chains say? */
static bool borne_out(const struct sl_import_report *r, const struct sl_replay *b)
{
	uint64_t cpu = 0, gap;

	for (uint32_t i = 0; i < b->n_threads; i++)
		cpu += b->threads[i].cpu_ns;
	gap = cpu > r->runtime_sum ? cpu - r->runtime_sum : r->runtime_sum - cpu;
	return r->runtime_sum > 0 && gap * 10 <= r->runtime_sum;
}

/* --strict: the first thing that had to be repaired, with its place. */
static bool is_complete(const struct sl_import_ctx *ctx, const struct sl_replay *b, GError **err)
{
	const struct sl_import_report *r = ctx->report;
	const struct sl_order_counts *counts = sl_order_counts(ctx->order);
	const char *what = b->fault ? b->fault : r->truncated ? "the file is cut off" : NULL;
	uint64_t line = b->fault ? b->fault_line : r->lines, at = b->fault ? b->fault_at : b->now;

	if (counts->first_line && (!b->fault || counts->first_line < line)) {
		what = "time runs backwards";
		line = counts->first_line;
		at = counts->first_at;
	}
	if (!what)
		return true;
	g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_STRICT,
		    "%s:%" G_GUINT64_FORMAT ":1: %s, at %" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT
		    " s; expected a complete trace (--strict)",
		    ctx->name, line, what, at / SL_NS_PER_S, at % SL_NS_PER_S);
	return false;
}

/* Is what was read good enough? */
static bool judge(const struct sl_import_ctx *ctx, const struct sl_replay *b, GError **err)
{
	const struct sl_import_report *r = ctx->report;
	const struct sl_import_opts *o = ctx->opts;

	if (r->bad_lines > 0 && (o->strict || (!o->force && too_many(r->bad_lines, r->events))))
		return fail_bad_line(ctx, err);
	if (r->events == 0) {
		g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_EMPTY,
			    "%s: no scheduler events in %" G_GUINT64_FORMAT
			    " lines of %s text; expected sched_switch and sched_waking events "
			    "(perf sched record)",
			    ctx->name, r->lines, r->format);
		return false;
	}
	if (o->strict && !is_complete(ctx, b, err))
		return false;
	if (!o->force && r->switches >= REFUSE_MIN && too_many(r->healed, r->switches) &&
	    !borne_out(r, b)) {
		g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
			    "%s: %" G_GUINT64_FORMAT
			    " switches are missing beside %" G_GUINT64_FORMAT
			    " recorded and no sched_stat_runtime events bear out the repair; "
			    "expected at "
			    "most %u %% (--force replays it all the same)",
			    ctx->name, r->healed, r->switches, REFUSE_PERCENT);
		return false;
	}
	return true;
}

static struct sl_workload *read_events(struct sl_import_ctx *ctx,
				       const struct sl_import_format *format, GError **err)
{
	struct sl_replay *b = sl_replay_new(ctx->opts, ctx->report);
	struct feed to = { b, ctx, 0 };
	const struct sl_order_counts *counts;
	struct sl_workload *w = NULL;
	bool ok;

	ctx->order = sl_order_new(format->whole, feed, &to);
	ctx->note = note;
	ctx->note_ctx = b;
	ok = format->read(ctx, err);
	sl_order_flush(ctx->order);
	counts = sl_order_counts(ctx->order);
	ctx->report->swapped = counts->swapped;
	ctx->report->backwards = counts->backwards;
	ctx->report->leapt = counts->leapt;
	ctx->report->late = counts->late;
	ctx->report->reversed = counts->reversed;
	ctx->report->truncated |= sl_reader_truncated(ctx->in);
	if (ok && sl_reader_error(ctx->in)) {
		g_propagate_error(err, g_error_copy(sl_reader_error(ctx->in)));
		ok = false;
	}
	if (ok && b->full) {
		g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
			    "%s:%" G_GUINT64_FORMAT
			    ":1: more than %u threads; expected a trace of fewer (--to ends it "
			    "before)",
			    ctx->name, to.full_line, b->n_threads);
		ok = false;
	}
	if (ok && judge(ctx, b, err))
		w = sl_replay_finish(b, ctx->name, err);
	sl_order_free(ctx->order);
	sl_replay_free(b);
	return w;
}

static struct sl_workload *checked(struct sl_workload *w, const char *name, GError **err)
{
	uint32_t where;
	bool is_task;
	const char *fault = w ? sl_workload_check(w, &where, &is_task) : NULL;

	if (!fault)
		return w;
	g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
		    "%s: %s %u of the workload made from it: %s", name,
		    is_task ? "task" : "operation", where, fault);
	sl_import_workload_free(w);
	return NULL;
}

/* Three messages of a Perfetto trace: field 1, length, and as many bytes. */
static bool is_perfetto(const char *head, size_t len)
{
	size_t at = 0;

	for (unsigned packets = 0; packets < 3; packets++) {
		size_t n = 0;
		unsigned shift = 0;

		if (at >= len || head[at++] != '\n')
			return false;
		do {
			if (at >= len || shift > 21)
				return false;
			n |= (size_t)(head[at] & 0x7f) << shift;
			shift += 7;
		} while (head[at++] & 0x80);
		at += n;
	}
	return true;
}

static bool is_perf_data(const char *head, size_t len)
{
	return len >= 8 && memcmp(head, "PERFILE2", 8) == 0;
}

/* A byte order mark of UTF-16, as a shell of Windows puts in front of what it redirects. */
static bool is_utf16(const char *head, size_t len)
{
	return len >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0);
}

static bool is_empty(const char *head, size_t len)
{
	(void)head;
	return len == 0;
}

static bool is_plain_dtrace(const char *head, size_t len)
{
	return len >= 10 && memcmp(head, "CPU     ID", 10) == 0;
}

/* Files that are known and cannot be read. */
static const struct {
	bool (*probe)(const char *head, size_t len);
	const char *what, *expected;
	bool name; /* of the file stands behind `expected` */
} refused[] = {
	{ is_perf_data, "perf's own file", "its text: perf script --ns -i ", true },
	{ is_perfetto, "Perfetto's protobuf", "its text: traceconv systrace ", true },
	{ is_utf16, "text in UTF-16", "it in UTF-8: iconv -f UTF-16 -t UTF-8 ", true },
	{ is_empty, "an empty file", "perf script or ftrace text, for example", false },
	{ is_plain_dtrace, "what DTrace prints unasked, without times",
	  "the output of schedlab.d, see docs/recording.md", false },
};

static bool name_refused(struct sl_reader *in, GError **err)
{
	size_t len;
	const char *head = sl_reader_peek(in, SL_LINE_MAX, &len);

	for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
		if (!refused[i].probe(head, len))
			continue;
		g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
			    "%s:1:1: this is %s; expected %s%s", sl_reader_name(in),
			    refused[i].what, refused[i].expected,
			    refused[i].name ? sl_reader_name(in) : "");
		return true;
	}
	return false;
}

/* Scheduler events whose lines nobody could date: perf script -F without time. */
static bool name_untimed(struct sl_reader *in, GError **err)
{
	size_t len;
	const char *head = sl_reader_peek(in, SL_LINE_MAX, &len);
	const char *at = sl_find_bytes(head, len, "sched_switch:");
	unsigned line = 1;

	if (!at)
		return false;
	for (const char *c = head; c < at; c++)
		line += *c == '\n';
	g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
		    "%s:%u:1: a sched_switch without thread, CPU and time in front of it; expected "
		    "\"comm tid [cpu] seconds: event: ...\" (perf script, without -F) or ftrace's "
		    "\"comm-tid [cpu] flags seconds: event: ...\"",
		    sl_reader_name(in), line);
	return true;
}

static struct sl_workload *import(struct sl_reader *in, const struct sl_import_opts *opts,
				  struct sl_import_report *report, GError **err)
{
	static const struct sl_import_opts no_opts;
	struct sl_import_report own;
	struct sl_import_ctx ctx = { .in = in,
				     .name = sl_reader_name(in),
				     .opts = opts ? opts : &no_opts,
				     .report = report ? report : &own };
	const struct sl_import_format *format = find_format(in);
	struct sl_workload *w;

	memset(ctx.report, 0, sizeof(*ctx.report));
	ctx.report->root = "";
	if (!format) {
		if (sl_reader_error(in))
			g_propagate_error(err, g_error_copy(sl_reader_error(in)));
		else if (!name_refused(in, err) && !name_untimed(in, err))
			g_set_error(
				err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
				"%s:1:1: not a trace that is known here; expected perf script or "
				"ftrace text, systrace HTML, Chrome JSON with systemTraceEvents, "
				"ktrdump text, a ninja log or a schedlab recording",
				ctx.name);
		return NULL;
	}
	ctx.report->format = format->name;
	w = format->load ? format->load(&ctx, err) : read_events(&ctx, format, err);
	ctx.report->bytes = sl_reader_bytes(in);
	return checked(w, ctx.name, err);
}

struct sl_workload *sl_trace_import(const char *path, const struct sl_import_opts *opts,
				    struct sl_import_report *report, GError **err)
{
	struct sl_reader *in = sl_reader_open(path, err);
	struct sl_workload *w = NULL;

	if (in)
		w = import(in, opts, report, err);
	sl_reader_free(in);
	return w;
}

struct sl_workload *sl_trace_import_fd(int fd, const char *name, const struct sl_import_opts *opts,
				       struct sl_import_report *report, GError **err)
{
	struct sl_reader *in = sl_reader_open_fd(fd, name, err);
	struct sl_workload *w = NULL;

	if (in)
		w = import(in, opts, report, err);
	sl_reader_free(in);
	return w;
}

struct sl_workload *sl_trace_import_mem(const void *data, size_t len, const char *name,
					const struct sl_import_opts *opts,
					struct sl_import_report *report, GError **err)
{
	struct sl_reader *in = sl_reader_open_mem(data, len, name, err);
	struct sl_workload *w = NULL;

	if (in)
		w = import(in, opts, report, err);
	sl_reader_free(in);
	return w;
}
