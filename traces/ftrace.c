/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ftrace text: tracefs trace and trace_pipe, trace-cmd report, atrace and systrace text.
 * The columns (TGID, interrupt flags, latency format) are recognised line by line.
 * Invariant: only scheduler events and lost-event marks reach the builder. */
#include "traces/import_format.h"

#include <string.h>

/* CPU:1 [LOST 91 EVENTS] and CPU:1 [LOST EVENTS] */
static bool lost_mark(const struct sl_line *line, struct sl_event *ev)
{
	struct sl_scan s = { line->s, line->s + line->len };
	uint64_t cpu;

	if (!SL_SCAN_LIT(&s, "CPU:") || !sl_scan_u64(&s, &cpu) || cpu > SL_TRACE_CPU_MAX ||
	    !SL_SCAN_LIT(&s, " [LOST "))
		return false;
	ev->kind = SL_EV_LOST;
	ev->cpu = (uint32_t)cpu;
	ev->cur = SL_TID_UNKNOWN;
	if (!sl_scan_u64(&s, &ev->value))
		ev->value = 0;
	return true;
}

void sl_ftrace_line(struct sl_import_ctx *ctx, const struct sl_line *line)
{
	struct sl_event *ev;
	const char *expected;
	struct sl_head h;
	struct sl_scan s;
	size_t len = line->len;

	/* Old systrace HTML ends each line in "\n\". */
	if (len >= 3 && memcmp(line->s + len - 3, "\\n\\", 3) == 0)
		len -= 3;
	if (len < 12 || line->s[0] == '#')
		return;
	if (line->cut) {
		sl_import_bad(ctx, line, line->s + len, "the end of the line by here");
		return;
	}
	ev = sl_import_slot(ctx);
	if (line->s[0] == 'C' && lost_mark(line, ev)) {
		/* The mark has no stamp: it belongs to the line that follows. */
		ev->at = ctx->last_at;
		sl_import_commit(ctx, ev);
		return;
	}
	if (!sl_head_ftrace(line->s, len, &h)) {
		if (sl_find_bytes(line->s, len, ": sched_switch:"))
			sl_import_bad(ctx, line, line->s,
				      "comm-tid [cpu] flags seconds: in front of it");
		return;
	}
	ctx->last_at = h.at;
	s = (struct sl_scan){ h.event, line->s + len };
	switch (sl_payload_parse(&s, ev, &expected)) {
	case SL_PAYLOAD_OTHER:
		return;
	case SL_PAYLOAD_BAD:
		sl_import_bad(ctx, line, s.p, expected);
		return;
	default:
		break;
	}
	ev->at = h.at;
	ev->cpu = h.cpu;
	ev->cur = h.tid;
	ev->tgid = h.tgid;
	ev->ctx = h.ctx;
	sl_import_commit(ctx, ev);
}

static bool ftrace_read(struct sl_import_ctx *ctx, GError **err)
{
	struct sl_line line;
	size_t got;
	const char *head = sl_reader_peek(ctx->in, 10, &got);

	(void)err;
	/* atrace -z: a zlib stream behind the line "TRACE:". */
	if (got >= 9 && memcmp(head, "TRACE:", 6) == 0) {
		sl_reader_next(ctx->in, &line);
		head = sl_reader_peek(ctx->in, 2, &got);
		if (got == 2 && head[0] == 0x78 && !sl_reader_push_zlib(ctx->in)) {
			g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
				    "%s:2:1: a zlib stream that cannot be opened; expected atrace "
				    "text",
				    ctx->name);
			return false;
		}
	}
	while (sl_reader_next(ctx->in, &line)) {
		ctx->report->lines = line.number;
		ctx->report->truncated |= line.open;
		sl_ftrace_line(ctx, &line);
	}
	return true;
}

static bool is_ftrace_line(const char *line, size_t len)
{
	struct sl_head h;

	return len > 0 && line[0] != '#' && sl_head_ftrace(line, len, &h);
}

static int ftrace_probe(const char *head, size_t len)
{
	unsigned found;

	if (len >= 6 && memcmp(head, "TRACE:", 6) == 0)
		return 95;
	if (len >= 9 && memcmp(head, "# tracer:", 9) == 0)
		return 90;
	found = sl_probe_lines(head, len, 200, is_ftrace_line);
	return found ? 10 + (int)MIN(found, 60) : 0;
}

const struct sl_import_format sl_format_ftrace = {
	.name = "ftrace",
	.summary = "ftrace, trace-cmd report and atrace text",
	.probe = ftrace_probe,
	.read = ftrace_read,
};
