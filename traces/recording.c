/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Writing and reading .slr.
 * Invariant: load(save(w)) has the operations, tasks and digest of w; a file that is cut,
 * changed or of a newer version is refused with the place. */
#include "traces/recording.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "traces/import_format.h"
#include "traces/import_workload.h"

#define MAGIC "schedlab recording "

/* Sleep priorities by letter; '-' for none of these keeps the file readable by eye. */
static const struct {
	char letter;
	uint8_t wprio;
} wprios[] = {
	{ 'n', SL_WPRIO_NONE },	 { 'b', SL_WPRIO_PRIBIO }, { 'k', SL_WPRIO_PSOCK },
	{ 'p', SL_WPRIO_PWAIT }, { 's', SL_WPRIO_PSWP },   { 'v', SL_WPRIO_PVM },
	{ 'i', SL_WPRIO_PINOD }, { 'f', SL_WPRIO_PVFS },   { 'z', SL_WPRIO_PZERO },
	{ 'l', SL_WPRIO_PLOCK }, { 'a', SL_WPRIO_PPAUSE },
};

/* ---- writing ---- */

static char wprio_letter(uint8_t wprio)
{
	for (size_t i = 0; i < G_N_ELEMENTS(wprios); i++)
		if (wprios[i].wprio == wprio)
			return wprios[i].letter;
	return 0;
}

static void put_name(GString *s, const char *name)
{
	for (const char *c = name; *c; c++) {
		if (g_ascii_isgraph(*c) && *c != '%')
			g_string_append_c(s, *c);
		else
			g_string_append_printf(s, "%%%02x", (unsigned char)*c);
	}
}

/* The first mention of an edge is the next number and is left out. */
static void put_edge(GString *s, char letter, uint32_t edge, uint32_t *next)
{
	g_string_append_c(s, letter);
	if (edge == *next)
		(*next)++;
	else
		g_string_append_printf(s, "%" PRIu32, edge);
}

static bool put_op(GString *s, const struct sl_op *op, uint32_t *next_edge)
{
	char letter = wprio_letter(op->wprio);

	if (op->dist.n != 0 || letter == 0)
		return false;
	switch (op->kind) {
	case SL_OP_RUN:
		g_string_append_printf(s, "r%" PRIu64, op->dist.value);
		break;
	case SL_OP_SLEEP:
		g_string_append_printf(s, "s%" PRIu64 "%c", op->dist.value, letter);
		break;
	case SL_OP_UNTIL:
		g_string_append_printf(s, "u%" PRIu64 "%c", op->dist.value, letter);
		break;
	case SL_OP_EDGE_WAIT:
		put_edge(s, 'w', op->obj, next_edge);
		g_string_append_c(s, letter);
		break;
	case SL_OP_EDGE_WAKE:
		put_edge(s, 'k', op->obj, next_edge);
		break;
	case SL_OP_FORK:
		if (!(op->flags & SL_OPF_TEMPLATE_ONCE) || op->dist.value > 1)
			return false;
		g_string_append_printf(s, "%c%" PRIu32, op->flags & SL_OPF_FORK_THREAD ? 't' : 'f',
				       op->target);
		break;
	case SL_OP_SETNICE:
		if (op->target != SL_NONE)
			return false;
		g_string_append_printf(s, "n%" PRId32, op->value);
		break;
	case SL_OP_SEM_WAIT:
		g_string_append_printf(s, "d%" PRIu32 "%c", op->obj, letter);
		break;
	case SL_OP_SEM_POST:
		g_string_append_printf(s, "p%" PRIu32, op->obj);
		break;
	case SL_OP_WAIT_CHILD:
		if (!(op->flags & SL_OPF_WAIT_ALL))
			return false;
		g_string_append_printf(s, "c%c", letter);
		break;
	case SL_OP_EXIT:
		g_string_append_c(s, 'x');
		break;
	default:
		return false;
	}
	g_string_append_c(s, '\n');
	return true;
}

static void put_task(GString *s, const struct sl_task *t)
{
	g_string_append(s, t->template_once ? "child " : "task ");
	put_name(s, t->name);
	if (t->nice)
		g_string_append_printf(s, " nice=%d", t->nice);
	if (t->pri_class)
		g_string_append_printf(s, " class=%u", t->pri_class);
	if (t->level)
		g_string_append_printf(s, " level=%u", t->level);
	if (t->proc_group != SL_NONE)
		g_string_append_printf(s, " group=%" PRIu32, t->proc_group);
	if (t->background)
		g_string_append(s, " background=1");
	g_string_append_c(s, '\n');
}

static uint32_t text_sum(const char *text, size_t len)
{
	return (uint32_t)crc32(0, (const Bytef *)text, (uInt)len);
}

static bool refuse(const struct sl_workload *w, const char *what, const char *task, GError **err)
{
	g_set_error(
		err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
		"%s: %s '%s' cannot stand in a recording; expected a workload made from a trace of "
		"scheduler events or a ninja log",
		w->name, what, task);
	return false;
}

/* Recordings of scheduler events need no more than version 2, which older programs read. */
static unsigned version_of(const struct sl_workload *w)
{
	for (uint32_t i = 0; i < w->n_ops; i++)
		if (w->op[i].kind == SL_OP_WAIT_CHILD)
			return 3;
	return w->n_sems ? 3 : 2;
}

static bool to_text(const struct sl_workload *w, GString *s, GError **err)
{
	uint32_t next_edge = 0;

	if (w->n_masks || w->n_mutexes || w->n_conds || w->n_timers || w->n_barriers ||
	    w->n_channels || w->n_disks || w->n_quantiles)
		return refuse(w, "a lock, queue or distribution of", w->name, err);
	g_string_append_printf(s, MAGIC "%u\nname ", version_of(w));
	put_name(s, w->name);
	g_string_append_printf(s, "\nlatency %" PRIu64 "\nrecorded %" PRIu64 "\n", w->wake_latency,
			       w->recorded);
	for (uint32_t i = 0; i < w->n_sems; i++) {
		g_string_append(s, "sem ");
		put_name(s, w->sem[i].name);
		g_string_append_printf(s, " %" PRIu32 "\n", w->sem[i].initial);
	}
	for (uint32_t i = 0; i < w->n_tasks; i++) {
		const struct sl_task *t = &w->task[i];

		if (t->mask != SL_NONE || t->delay || t->ithread || t->bind_cpu >= 0 || t->pin ||
		    t->instances != !t->template_once)
			return refuse(w, "task", t->name, err);
		put_task(s, t);
		for (uint32_t k = 0; k < t->n_ops; k++)
			if (!put_op(s, &w->op[t->first_op + k], &next_edge))
				return refuse(w, "an operation of task", t->name, err);
	}
	g_string_append_printf(s, "end %" PRIu32 " %08" PRIx32 "\n", w->n_ops,
			       text_sum(s->str, s->len));
	return true;
}

static bool gzip(const GString *text, GByteArray *out)
{
	z_stream z = { 0 };
	uLong bound;
	int rc;

	if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	bound = deflateBound(&z, (uLong)text->len);
	g_byte_array_set_size(out, (guint)bound);
	z.next_in = (Bytef *)(void *)text->str;
	z.avail_in = (uInt)text->len;
	z.next_out = out->data;
	z.avail_out = (uInt)bound;
	rc = deflate(&z, Z_FINISH);
	g_byte_array_set_size(out, (guint)z.total_out);
	deflateEnd(&z);
	return rc == Z_STREAM_END;
}

static bool write_out(const GByteArray *bytes, const char *path, GError **err)
{
	bool plain =
		!g_file_test(path, G_FILE_TEST_EXISTS) || g_file_test(path, G_FILE_TEST_IS_REGULAR);
	bool std = strcmp(path, "-") == 0, good;
	FILE *f;

	/* A file appears whole or not at all; a device or pipe is written in place. */
	if (!std && plain) {
		const char *reason;
		GError *why = NULL;

		if (g_file_set_contents(path, (const char *)bytes->data, (gssize)bytes->len, &why))
			return true;
		/* GLib's text begins with the name of a temporary file nobody asked for. */
		reason = strrchr(why->message, ':');
		g_set_error(err, why->domain, why->code, "%s: cannot be written%s", path,
			    reason ? reason : "");
		g_error_free(why);
		return false;
	}
	f = std ? stdout : g_fopen(path, "wb");
	good = f && fwrite(bytes->data, 1, bytes->len, f) == bytes->len && fflush(f) == 0;
	if (!good)
		g_set_error(err, G_IO_ERROR, g_io_error_from_errno(errno), "%s: %s",
			    std ? "<stdout>" : path, g_strerror(errno));
	if (f && !std)
		fclose(f);
	return good;
}

bool sl_recording_save(const struct sl_workload *w, const char *path, GError **err)
{
	GString *text = g_string_new(NULL);
	GByteArray *bytes = g_byte_array_new();
	bool ok = to_text(w, text, err);

	if (ok && (text->len > G_MAXINT || !gzip(text, bytes))) {
		g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
			    "%s: too large for a recording (2 GB of text at most)", w->name);
		ok = false;
	}
	if (ok)
		ok = write_out(bytes, path, err);
	g_byte_array_free(bytes, TRUE);
	g_string_free(text, TRUE);
	return ok;
}

bool sl_recording_print(const struct sl_workload *w, FILE *out, GError **err)
{
	GString *text = g_string_new(NULL);
	bool ok = to_text(w, text, err);

	if (ok)
		fwrite(text->str, 1, text->len, out);
	g_string_free(text, TRUE);
	return ok;
}

/* ---- reading ---- */

struct loader {
	struct sl_import_ctx *ctx;
	struct sl_import_builder *out;
	struct sl_line line;
	struct sl_scan s;
	const char *expected;
	uint32_t crc; /* of the text so far */
	uint32_t tasks;
	uint64_t version;
	bool ended;
};

static bool miss(struct loader *l, const char *expected)
{
	l->expected = expected;
	return false;
}

static int hex(char c)
{
	return g_ascii_xdigit_value(c);
}

/* A name without blanks; %xx is a byte. */
static bool take_name(struct loader *l, GString *name)
{
	g_string_truncate(name, 0);
	while (l->s.p < l->s.end && *l->s.p != ' ') {
		char c = *l->s.p;

		if (c == '%') {
			if (l->s.end - l->s.p < 3 || hex(l->s.p[1]) < 0 || hex(l->s.p[2]) < 0)
				return miss(l, "two hexadecimal digits behind %");
			c = (char)(hex(l->s.p[1]) << 4 | hex(l->s.p[2]));
			l->s.p += 2;
			if (c == '\0')
				return miss(l, "a name without the byte 0");
		}
		g_string_append_c(name, c);
		l->s.p++;
	}
	return name->len > 0 || miss(l, "a name");
}

static bool take_number(struct loader *l, uint64_t max, uint64_t *n)
{
	if (!sl_scan_u64(&l->s, n) || *n > max)
		return miss(l, "a number within bounds");
	return true;
}

static bool take_attribute(struct loader *l, struct sl_task *t)
{
	uint64_t n;
	int32_t nice;

	if (SL_SCAN_LIT(&l->s, "nice=")) {
		if (!sl_scan_i32(&l->s, &nice) || nice < -20 || nice > 20)
			return miss(l, "a nice value from -20 to 20");
		t->nice = (int8_t)nice;
		return true;
	}
	if (SL_SCAN_LIT(&l->s, "class=")) {
		bool ok = take_number(l, UINT8_MAX, &n);

		t->pri_class = (uint8_t)n;
		return ok;
	}
	if (SL_SCAN_LIT(&l->s, "level=")) {
		bool ok = take_number(l, 31, &n);

		t->level = (uint8_t)n;
		return ok;
	}
	if (SL_SCAN_LIT(&l->s, "group=")) {
		bool ok = take_number(l, UINT32_MAX - 1, &n);

		t->proc_group = (uint32_t)n;
		return ok;
	}
	if (SL_SCAN_LIT(&l->s, "background=1")) {
		t->background = true;
		return true;
	}
	return miss(l, "nice=, class=, level=, group= or background=1");
}

static bool take_task(struct loader *l, bool child)
{
	struct sl_task t = { .instances = !child,
			     .template_once = child,
			     .mask = SL_NONE,
			     .proc_group = SL_NONE,
			     .irq_cpu = 0,
			     .bind_cpu = -1 };
	GString *name = g_string_new(NULL);
	bool ok = take_name(l, name);

	while (ok && SL_SCAN_LIT(&l->s, " "))
		ok = take_attribute(l, &t);
	if (ok) {
		sl_import_builder_task(l->out, name->str, &t);
		l->tasks++;
	}
	g_string_free(name, TRUE);
	return ok;
}

static bool take_wprio(struct loader *l, struct sl_op *op)
{
	for (size_t i = 0; l->s.p < l->s.end && i < G_N_ELEMENTS(wprios); i++) {
		if (*l->s.p == wprios[i].letter) {
			op->wprio = wprios[i].wprio;
			l->s.p++;
			return true;
		}
	}
	return miss(l, "one of the sleep priorities n, b, k, p, s, v, i, f, z, l, a");
}

static bool take_edge(struct loader *l, struct sl_op *op)
{
	uint64_t n;

	if (l->s.p == l->s.end || !g_ascii_isdigit(*l->s.p)) {
		op->obj = l->out->n_edges++;
		return true;
	}
	if (!take_number(l, UINT32_MAX - 1, &n))
		return false;
	if (n >= l->out->n_edges)
		return miss(l, "the number of an edge mentioned before");
	op->obj = (uint32_t)n;
	return true;
}

static bool take_sem(struct loader *l)
{
	GString *name = g_string_new(NULL);
	uint64_t n;
	bool ok = l->tasks == 0 || miss(l, "a semaphore before the first task");

	ok = ok && take_name(l, name) && (SL_SCAN_LIT(&l->s, " ") || miss(l, "a count")) &&
	     take_number(l, INT32_MAX, &n);
	if (ok)
		sl_import_builder_sem(l->out, name->str, (uint32_t)n);
	g_string_free(name, TRUE);
	return ok;
}

static bool take_sem_index(struct loader *l, struct sl_op *op)
{
	uint64_t n;

	if (!take_number(l, UINT32_MAX - 1, &n))
		return false;
	op->obj = (uint32_t)n;
	return n < l->out->sems->len || miss(l, "the number of a semaphore above");
}

/* What came with version 3. */
static bool take_op_3(struct loader *l, char letter, struct sl_op *op)
{
	switch (letter) {
	case 'd':
		op->kind = SL_OP_SEM_WAIT;
		return take_sem_index(l, op) && take_wprio(l, op);
	case 'p':
		op->kind = SL_OP_SEM_POST;
		return take_sem_index(l, op);
	case 'c':
		op->kind = SL_OP_WAIT_CHILD;
		op->flags = SL_OPF_WAIT_ALL;
		return take_wprio(l, op);
	default:
		l->s.p--;
		return miss(l, "an operation (r, s, u, w, k, f, t, n, x, d, p, c), task, child or "
			       "end");
	}
}

static bool take_op(struct loader *l)
{
	struct sl_op op = { .obj = SL_NONE, .target = SL_NONE };
	char letter = *l->s.p++;
	uint64_t n;
	bool ok;

	switch (letter) {
	case 'r':
		op.kind = SL_OP_RUN;
		ok = take_number(l, INT64_MAX, &op.dist.value);
		break;
	case 's':
	case 'u':
		op.kind = letter == 's' ? SL_OP_SLEEP : SL_OP_UNTIL;
		ok = take_number(l, INT64_MAX, &op.dist.value) && take_wprio(l, &op);
		break;
	case 'w':
		op.kind = SL_OP_EDGE_WAIT;
		ok = take_edge(l, &op) && take_wprio(l, &op);
		break;
	case 'k':
		op.kind = SL_OP_EDGE_WAKE;
		ok = take_edge(l, &op);
		break;
	case 'f':
	case 't':
		op.kind = SL_OP_FORK;
		op.flags = SL_OPF_TEMPLATE_ONCE | (letter == 't' ? SL_OPF_FORK_THREAD : 0);
		ok = take_number(l, UINT32_MAX - 1, &n);
		op.target = ok ? (uint32_t)n : SL_NONE;
		break;
	case 'n':
		op.kind = SL_OP_SETNICE;
		ok = sl_scan_i32(&l->s, &op.value) || miss(l, "a nice value");
		break;
	case 'x':
		op.kind = SL_OP_EXIT;
		ok = true;
		break;
	default:
		if (l->version >= 3) {
			ok = take_op_3(l, letter, &op);
			break;
		}
		l->s.p--;
		return miss(l, "an operation (r, s, u, w, k, f, t, n, x), task, child or end");
	}
	if (ok && l->tasks == 0)
		return miss(l, "a task line before the first operation");
	if (ok)
		sl_import_builder_op(l->out, &op);
	return ok;
}

static bool take_end(struct loader *l)
{
	uint64_t ops;
	char sum[16];

	if (!take_number(l, UINT32_MAX, &ops) || ops != l->out->ops->len)
		return miss(l, "the number of operations above");
	g_snprintf(sum, sizeof(sum), " %08" PRIx32, l->crc);
	if (!sl_scan_word(&l->s, sum, strlen(sum)))
		return miss(l, "the checksum of the lines above");
	l->ended = true;
	return true;
}

static bool take_line(struct loader *l)
{
	if (l->ended)
		return miss(l, "nothing behind the end line");
	if (l->s.p == l->s.end)
		return miss(l, "an operation, not an empty line");
	if (SL_SCAN_LIT(&l->s, "task "))
		return take_task(l, false);
	if (SL_SCAN_LIT(&l->s, "child "))
		return take_task(l, true);
	if (SL_SCAN_LIT(&l->s, "end "))
		return take_end(l);
	if (l->version >= 3 && SL_SCAN_LIT(&l->s, "sem "))
		return take_sem(l);
	return take_op(l);
}

static bool next_line(struct loader *l)
{
	if (!sl_reader_next(l->ctx->in, &l->line))
		return false;
	l->ctx->report->lines = l->line.number;
	l->s = (struct sl_scan){ l->line.s, l->line.s + l->line.len };
	return true;
}

static void sum_line(struct loader *l)
{
	l->crc = (uint32_t)crc32(l->crc, (const Bytef *)(const void *)l->line.s, (uInt)l->line.len);
	l->crc = (uint32_t)crc32(l->crc, (const Bytef *)"\n", 1);
}

/* Magic line with a version this program reads, name, latency, recorded time. */
static bool take_header(struct loader *l)
{
	GString *name = g_string_new(NULL);
	uint64_t n;
	bool ok = next_line(l) && SL_SCAN_LIT(&l->s, MAGIC) && take_number(l, UINT32_MAX, &n);

	if (!ok)
		miss(l, "\"" MAGIC "2\"");
	else if (n > SL_RECORDING_VERSION)
		ok = miss(l, "version 1 to 3: this recording was made by a newer schedlab");
	else if (n == 0)
		ok = miss(l, "version 1 to 3");
	if (ok) {
		l->version = n;
		sum_line(l);
		ok = next_line(l) && (SL_SCAN_LIT(&l->s, "name ") || miss(l, "name")) &&
		     take_name(l, name);
	}
	if (ok) {
		sum_line(l);
		l->out->name = sl_import_builder_name(l->out, name->str);
		ok = next_line(l) && (SL_SCAN_LIT(&l->s, "latency ") || miss(l, "latency")) &&
		     take_number(l, INT64_MAX, &l->out->wake_latency);
	}
	if (ok)
		sum_line(l);
	/* Version 1 does not say how long it took. */
	if (ok && n >= 2) {
		ok = next_line(l) && (SL_SCAN_LIT(&l->s, "recorded ") || miss(l, "recorded")) &&
		     take_number(l, INT64_MAX, &l->out->recorded);
		if (ok)
			sum_line(l);
	}
	g_string_free(name, TRUE);
	return ok;
}

static bool load_all(struct loader *l)
{
	if (!take_header(l))
		return false;
	while (next_line(l)) {
		if (l->line.cut || l->line.open)
			return miss(l, "a complete line");
		if (!take_line(l))
			return false;
		if (l->s.p != l->s.end && !l->ended)
			return miss(l, "the end of the line");
		sum_line(l);
	}
	if (sl_reader_truncated(l->ctx->in) || sl_reader_error(l->ctx->in))
		return miss(l, "a complete file");
	return l->ended || miss(l, "the end line: the file is cut off");
}

static struct sl_workload *recording_load(struct sl_import_ctx *ctx, GError **err)
{
	struct loader l = { .ctx = ctx, .out = sl_import_builder_new(ctx->name) };
	uint64_t column;

	if (load_all(&l)) {
		ctx->report->selected = l.tasks;
		ctx->report->edges = l.out->n_edges;
		ctx->report->makespan = l.out->recorded;
		ctx->report->wake_latency = l.out->wake_latency;
		return sl_import_builder_finish(l.out, err);
	}
	sl_import_builder_free(l.out);
	if (sl_reader_error(ctx->in)) {
		g_propagate_error(err, g_error_copy(sl_reader_error(ctx->in)));
		return NULL;
	}
	column = l.line.s ? (uint64_t)(l.s.p - l.line.s) + 1 : 1;
	g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
		    "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT
		    ": damaged or foreign recording; expected %s%s",
		    ctx->name, l.line.number ? l.line.number : 1, column, l.expected,
		    sl_reader_truncated(ctx->in) ? " (the compressed file is cut off)" : "");
	return NULL;
}

static int recording_probe(const char *head, size_t len)
{
	return len >= strlen(MAGIC) && memcmp(head, MAGIC, strlen(MAGIC)) == 0 ? 100 : 0;
}

const struct sl_import_format sl_format_recording = {
	.name = "recording",
	.summary = "schedlab's own recordings (.slr)",
	.probe = recording_probe,
	.load = recording_load,
};
