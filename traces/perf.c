/* SPDX-License-Identifier: BSD-2-Clause
 *
 * `perf script` and `perf sched script` text.
 * Invariant: a line is an event, a call-chain line (TAB), a comment, blank or nothing we
 * know; only scheduler events reach the builder. */
#include "traces/import_format.h"

#include <string.h>

/* `[period SP+]` in front of the event's name. */
static void skip_period(struct sl_scan *s)
{
	struct sl_scan t;
	uint64_t n;

	sl_scan_blanks(s);
	t = *s;
	if (sl_scan_u64(&t, &n) && t.p < t.end && *t.p == ' ') {
		sl_scan_blanks(&t);
		*s = t;
	}
}

/* PERF_RECORD_LOST lost N */
static bool lost_record(struct sl_scan *s, struct sl_event *ev)
{
	if (!SL_SCAN_LIT(s, "PERF_RECORD_LOST"))
		return false;
	(void)SL_SCAN_LIT(s, "_SAMPLES");
	sl_scan_blanks(s);
	if (!SL_SCAN_LIT(s, "lost "))
		return false;
	ev->kind = SL_EV_LOST;
	return sl_scan_u64(s, &ev->value);
}

static void fill_head(struct sl_event *ev, const struct sl_head *h)
{
	ev->at = h->at;
	ev->cpu = h->cpu;
	ev->cur = h->tid;
	ev->tgid = h->tgid;
	ev->ctx = h->ctx;
}

/* irq_vectors:local_timer_entry, irq:irq_handler_entry and the like: what a CPU does until the exit
 * event is the work of no thread. irq: a byte per CPU. */
static void note_irq(GByteArray *irq, struct sl_scan *s, const struct sl_head *h)
{
	const char *colon;
	bool entry;

	if (!h->has_cpu || (!SL_SCAN_LIT(s, "irq_vectors:") && !SL_SCAN_LIT(s, "irq:irq_handler")))
		return;
	colon = memchr(s->p, ':', (size_t)(s->end - s->p));
	if (!colon || colon - s->p < 5)
		return;
	entry = colon - s->p >= 6 && memcmp(colon - 6, "_entry", 6) == 0;
	if (!entry && memcmp(colon - 5, "_exit", 5) != 0)
		return;
	while (irq->len <= h->cpu)
		g_byte_array_append(irq, (const guint8 *)"", 1);
	irq->data[h->cpu] = entry;
}

/* What a line turned out to be. */
enum perf_line { PERF_SKIP, PERF_EVENT, PERF_NO_CPU };

static enum perf_line perf_line(struct sl_import_ctx *ctx, const struct sl_line *line,
				GByteArray *irq)
{
	struct sl_event *ev;
	const char *expected;
	struct sl_head h;
	struct sl_scan s;

	if (line->len == 0 || line->s[0] == '\t' || line->s[0] == '#')
		return PERF_SKIP;
	if (line->cut) {
		sl_import_bad(ctx, line, line->s + line->len, "the end of the line by here");
		return PERF_SKIP;
	}
	if (!sl_head_perf(line->s, line->len, &h)) {
		if (sl_find_bytes(line->s, line->len, "sched:sched_"))
			sl_import_bad(ctx, line, line->s, "comm tid [cpu] seconds: in front of it");
		return PERF_SKIP;
	}
	s = (struct sl_scan){ h.event, line->s + line->len };
	skip_period(&s);
	ev = sl_import_slot(ctx);
	if (lost_record(&s, ev)) {
		fill_head(ev, &h);
		ev->cur = SL_TID_UNKNOWN;
		sl_import_commit(ctx, ev);
		return PERF_EVENT;
	}
	switch (sl_payload_parse(&s, ev, &expected)) {
	case SL_PAYLOAD_OTHER:
		note_irq(irq, &s, &h);
		return PERF_SKIP;
	case SL_PAYLOAD_BAD:
		sl_import_bad(ctx, line, s.p, expected);
		return PERF_SKIP;
	default:
		break;
	}
	if (!h.has_cpu)
		return PERF_NO_CPU;
	fill_head(ev, &h);
	if (h.cpu < irq->len && irq->data[h.cpu])
		ev->ctx = SL_CTX_IRQ;
	sl_import_commit(ctx, ev);
	return PERF_EVENT;
}

static bool perf_read(struct sl_import_ctx *ctx, GError **err)
{
	GByteArray *irq = g_byte_array_new();
	struct sl_line line;
	bool ok = true;

	while (ok && sl_reader_next(ctx->in, &line)) {
		ctx->report->lines = line.number;
		ctx->report->truncated |= line.open;
		if (perf_line(ctx, &line, irq) == PERF_NO_CPU) {
			g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
				    "%s:%" G_GUINT64_FORMAT
				    ":1: no CPU column; expected \"comm tid [cpu] seconds: event: "
				    "...\" (record all CPUs: perf sched record, or perf record -a)",
				    ctx->name, line.number);
			ok = false;
		}
	}
	g_byte_array_free(irq, TRUE);
	return ok;
}

static bool is_perf_line(const char *line, size_t len)
{
	struct sl_head h;

	return len > 0 && line[0] != '\t' && line[0] != '#' && sl_head_perf(line, len, &h);
}

static bool is_perf_header(const char *line, size_t len)
{
	return (len >= 10 && memcmp(line, "# ========", 10) == 0) ||
	       (len >= 14 && memcmp(line, "# captured on ", 14) == 0);
}

static int perf_probe(const char *head, size_t len)
{
	unsigned found;

	if (sl_probe_lines(head, len, 4, is_perf_header))
		return 90;
	/* A thread named "x-1" makes single lines look like ftrace: the majority counts. */
	found = sl_probe_lines(head, len, 200, is_perf_line);
	return found ? 10 + (int)MIN(found, 60) : 0;
}

const struct sl_import_format sl_format_perf = {
	.name = "perf",
	.summary = "perf script text of scheduler events",
	.probe = perf_probe,
	.read = perf_read,
};
