/* SPDX-License-Identifier: BSD-2-Clause
 *
 * .ninja_log: a recorded build's job list becomes a make-like workload: a parent that
 * starts the jobs in the recorded order, J at once, each as long as it took.
 * Invariant: a job is one (start, end, hash), however many outputs it wrote. */
#include "traces/import_format.h"

#include <string.h>

#include "traces/import_workload.h"

#define MAGIC	 "# ninja log v"
#define HASH_MAX 24

struct job {
	uint64_t start, end; /* ms */
	char hash[HASH_MAX];
	char name[64];
	uint64_t line;
};

static bool bad_line(struct sl_import_ctx *ctx, const struct sl_line *line, const char *at,
		     const char *expected)
{
	sl_import_bad(ctx, line, at, expected);
	return false;
}

/* A field up to a TAB. */
static struct sl_scan field(struct sl_scan *s, char separator)
{
	const char *end = memchr(s->p, separator, (size_t)(s->end - s->p));
	struct sl_scan f = { s->p, end ? end : s->end };

	s->p = end ? end + 1 : s->end;
	return f;
}

static void copy_name(char *out, size_t size, struct sl_scan f)
{
	size_t n;

	for (const char *c = f.p; c < f.end; c++)
		if (*c == '/')
			f.p = c + 1;
	n = MIN((size_t)(f.end - f.p), size - 1);
	memcpy(out, f.p, n);
	out[n] = '\0';
}

/* start TAB end TAB mtime TAB output TAB hash; blanks instead of tabs before version 4. */
static bool parse_job(struct sl_import_ctx *ctx, const struct sl_line *line, char separator,
		      struct job *j)
{
	struct sl_scan s = { line->s, line->s + line->len }, f;

	memset(j, 0, sizeof(*j));
	f = field(&s, separator);
	if (!sl_scan_u64(&f, &j->start) || f.p != f.end)
		return bad_line(ctx, line, f.p, "the start of a job in ms and a TAB");
	f = field(&s, separator);
	if (!sl_scan_u64(&f, &j->end) || f.p != f.end || j->end < j->start ||
	    j->end > INT64_MAX / SL_NS_PER_MS)
		return bad_line(ctx, line, f.p, "the end of a job in ms, not before its start");
	field(&s, separator);
	f = field(&s, separator);
	if (f.p == f.end)
		return bad_line(ctx, line, f.p, "the name of an output");
	copy_name(j->name, sizeof(j->name), f);
	copy_name(j->hash, sizeof(j->hash), s);
	j->line = line->number;
	return true;
}

/* Jobs of the last run of ninja: the longest tail whose ends never go down. A recompacted
 * log is in no order: then everything counts. */
static guint last_run(const GArray *jobs)
{
	guint first = jobs->len - 1;

	while (first > 0 && g_array_index(jobs, struct job, first - 1).end <=
				    g_array_index(jobs, struct job, first).end)
		first--;
	return first * 2 > jobs->len ? 0 : first;
}

static int by_start(const void *a, const void *b)
{
	const struct job *x = a, *y = b;
	int c;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	c = strcmp(x->hash, y->hash);
	return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

static bool same_job(const struct job *a, const struct job *b)
{
	return a->start == b->start && a->end == b->end && strcmp(a->hash, b->hash) == 0;
}

static void merge(GArray *jobs)
{
	guint n = 0;

	g_array_sort(jobs, by_start);
	for (guint i = 0; i < jobs->len; i++) {
		const struct job *j = &g_array_index(jobs, struct job, i);

		if (n == 0 || !same_job(&g_array_index(jobs, struct job, n - 1), j))
			g_array_index(jobs, struct job, n++) = *j;
	}
	g_array_set_size(jobs, n);
}

/* Most jobs that ran at one time. */
static uint32_t most_at_once(const GArray *jobs)
{
	GArray *ends = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	uint32_t most = 1;

	/* Jobs come by start; ends is kept small by dropping those that are over. */
	for (guint i = 0; i < jobs->len; i++) {
		const struct job *j = &g_array_index(jobs, struct job, i);

		for (guint k = 0; k < ends->len;) {
			if (g_array_index(ends, uint64_t, k) <= j->start)
				g_array_remove_index_fast(ends, k);
			else
				k++;
		}
		if (j->end > j->start)
			g_array_append_val(ends, j->end);
		most = MAX(most, ends->len);
	}
	g_array_free(ends, TRUE);
	return most;
}

static void op(struct sl_import_builder *b, uint8_t kind, uint32_t obj, uint32_t target,
	       uint64_t value)
{
	struct sl_op o = { .kind = kind, .obj = obj, .target = target, .dist.value = value };

	if (kind == SL_OP_FORK)
		o.flags = SL_OPF_TEMPLATE_ONCE;
	if (kind == SL_OP_WAIT_CHILD) {
		o.flags = SL_OPF_WAIT_ALL;
		o.wprio = SL_WPRIO_PWAIT;
	}
	sl_import_builder_op(b, &o);
}

static struct sl_workload *build(struct sl_import_ctx *ctx, const GArray *jobs, GError **err)
{
	struct sl_import_builder *b = sl_import_builder_new(ctx->name);
	struct sl_task task = {
		.instances = 1, .mask = SL_NONE, .proc_group = SL_NONE, .bind_cpu = -1
	};
	uint32_t at_once = ctx->opts->jobs ? ctx->opts->jobs : most_at_once(jobs);
	uint64_t first = jobs->len ? g_array_index(jobs, struct job, 0).start : 0;
	uint32_t slots = sl_import_builder_sem(b, "jobs", at_once);

	sl_import_builder_task(b, "ninja", &task);
	for (guint i = 0; i < jobs->len; i++) {
		op(b, SL_OP_SEM_WAIT, slots, SL_NONE, 0);
		op(b, SL_OP_FORK, SL_NONE, i + 1, 0);
	}
	op(b, SL_OP_WAIT_CHILD, SL_NONE, SL_NONE, 0);
	op(b, SL_OP_EXIT, SL_NONE, SL_NONE, 0);
	task.instances = 0;
	task.template_once = true;
	for (guint i = 0; i < jobs->len; i++) {
		const struct job *j = &g_array_index(jobs, struct job, i);
		uint64_t ns = (j->end - j->start) * SL_NS_PER_MS;

		sl_import_builder_task(b, j->name, &task);
		if (ns)
			op(b, SL_OP_RUN, SL_NONE, SL_NONE, ns);
		op(b, SL_OP_SEM_POST, slots, SL_NONE, 0);
		op(b, SL_OP_EXIT, SL_NONE, SL_NONE, 0);
		ctx->report->selected_cpu += ns;
		ctx->report->makespan = MAX(ctx->report->makespan, (j->end - first) * SL_NS_PER_MS);
	}
	b->recorded = ctx->report->makespan;
	ctx->report->selected = ctx->report->threads = jobs->len + 1;
	ctx->report->cpu_time = ctx->report->selected_cpu;
	return sl_import_builder_finish(b, err);
}

static bool read_jobs(struct sl_import_ctx *ctx, GArray *jobs)
{
	struct sl_line line;
	char separator = '\t';
	struct job j;

	while (sl_reader_next(ctx->in, &line)) {
		ctx->report->lines = line.number;
		if (line.number == 1 && line.len > strlen(MAGIC) &&
		    memcmp(line.s, MAGIC, strlen(MAGIC)) == 0) {
			separator = line.s[strlen(MAGIC)] < '4' && line.len == strlen(MAGIC) + 1
					    ? ' '
					    : '\t';
			continue;
		}
		/* ninja may be killed while it appends: the last line may be short. */
		ctx->report->truncated |= line.open;
		if (line.len == 0 || line.cut || line.open || line.s[0] == '#')
			continue;
		if (parse_job(ctx, &line, separator, &j))
			g_array_append_val(jobs, j);
	}
	return jobs->len > 0;
}

static struct sl_workload *ninja_load(struct sl_import_ctx *ctx, GError **err)
{
	GArray *jobs = g_array_new(FALSE, FALSE, sizeof(struct job));
	const struct sl_import_report *r = ctx->report;
	struct sl_workload *w = NULL;
	bool some = read_jobs(ctx, jobs);

	if (r->bad_lines && (!some || ctx->opts->strict || r->bad_lines * 5 > jobs->len)) {
		g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
			    "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT
			    ": not a line of a ninja log; expected %s",
			    ctx->name, r->first_bad, r->bad_column, r->bad_expected);
	} else if (!some) {
		g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_EMPTY,
			    "%s: a ninja log without jobs; expected at least one", ctx->name);
	} else {
		g_array_remove_range(jobs, 0, last_run(jobs));
		merge(jobs);
		w = build(ctx, jobs, err);
	}
	g_array_free(jobs, TRUE);
	return w;
}

static int ninja_probe(const char *head, size_t len)
{
	return len > strlen(MAGIC) && memcmp(head, MAGIC, strlen(MAGIC)) == 0 ? 100 : 0;
}

const struct sl_import_format sl_format_ninja = {
	.name = "ninja-log",
	.summary = "a build's .ninja_log",
	.probe = ninja_probe,
	.load = ninja_load,
};
