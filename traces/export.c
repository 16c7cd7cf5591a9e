/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From records to events with names, filtered.
 * Invariant: cur[cpu] is the thread the last switch put there, whether or not a filter
 * let that switch through. */
#include "traces/export.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>

#include "sim/core/policy.h"
#include "traces/export_format.h"
#include "traces/import.h"
#include "traces/import_text.h"

static const struct sl_export_format *const formats[] = {
	&sl_export_ftrace, &sl_export_perf,	&sl_export_ktr,
	&sl_export_chrome, &sl_export_perfetto, &sl_export_tracedat,
};

struct sl_export {
	const struct sl_export_format *format;
	const struct sl_workload *w;
	const struct sl_export_opts *opts;
	struct sl_xwriter writer;
	GArray *task;  /* of uint32_t: task of each thread, SL_NONE unknown */
	GArray *cur;   /* of uint32_t: thread of each CPU, SL_REC_IDLE */
	GArray *nice;  /* of uint32_t: nice + 20 of each thread, SL_NONE: its task's */
	GArray *sleep; /* of uint32_t: enum sl_wprio of the sleep a CPU's thread begins */
	GArray *last;  /* of uint32_t: CPU each thread ran on last, SL_NONE none yet */
	bool *part;    /* of each task: forked as a thread, not as a process */
	uint32_t runnable, running;
	uint64_t migrations;
};

const char *sl_export_format_name(unsigned i)
{
	return i < G_N_ELEMENTS(formats) ? formats[i]->name : NULL;
}

const char *sl_export_format_summary(unsigned i)
{
	return i < G_N_ELEMENTS(formats) ? formats[i]->summary : NULL;
}

struct sl_export *sl_export_new(const char *format, const struct sl_workload *w, FILE *out,
				const struct sl_export_opts *opts, GError **err)
{
	static const struct sl_export_opts no_opts;
	struct sl_export *x;
	GString *names;

	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (strcmp(formats[i]->name, format) != 0)
			continue;
		x = g_new0(struct sl_export, 1);
		x->format = formats[i];
		x->w = w;
		x->opts = opts ? opts : &no_opts;
		x->writer.out = out;
		x->task = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		x->cur = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		x->nice = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		x->sleep = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		x->last = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		x->part = g_new0(bool, w->n_tasks + 1);
		for (uint32_t k = 0; k < w->n_ops; k++)
			if (w->op[k].kind == SL_OP_FORK && w->op[k].target < w->n_tasks &&
			    (w->op[k].flags & SL_OPF_FORK_THREAD))
				x->part[w->op[k].target] = true;
		x->format->begin(&x->writer);
		return x;
	}
	names = g_string_new(NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
		g_string_append_printf(names, "%s%s", i ? ", " : "", formats[i]->name);
	g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
		    "unknown export format '%s'; expected one of %s", format, names->str);
	g_string_free(names, TRUE);
	return NULL;
}

/* Item i of a table that grows on demand, `fresh` when new. */
static uint32_t *slot(GArray *a, uint32_t i, uint32_t fresh)
{
	while (a->len <= i)
		g_array_append_val(a, fresh);
	return &g_array_index(a, uint32_t, i);
}

/* Viewers split at blanks and '=', and know no escapes. */
static void copy_name(char *out, const char *name)
{
	size_t n = 0;

	for (; *name && n < SL_EXPORT_NAME - 1; name++)
		out[n++] = g_ascii_isgraph(*name) && !strchr("=\"(),", *name) ? *name : '_';
	/* A column without a word in it is no column to those who split at blanks. */
	if (n == 0)
		out[n++] = '_';
	out[n] = '\0';
}

static struct sl_xthread thread_of(struct sl_export *x, uint32_t tid, uint32_t cpu)
{
	struct sl_xthread t = { .pid = 0, .prio = 120 };
	uint32_t task, nice;

	if (tid == SL_REC_IDLE) {
		g_snprintf(t.name, sizeof(t.name), "swapper/%u", cpu);
		return t;
	}
	/* 0 is the idle task everywhere. */
	t.pid = tid + 1;
	task = *slot(x->task, tid, SL_NONE);
	if (task >= x->w->n_tasks) {
		g_snprintf(t.name, sizeof(t.name), "thread");
		return t;
	}
	copy_name(t.name, x->w->task[task].name);
	t.part = x->part[task];
	nice = *slot(x->nice, tid, SL_NONE);
	t.prio = (int16_t)(100 + MIN(nice, 39));
	return t;
}

static bool wanted_thread(const struct sl_export *x, uint32_t tid)
{
	uint32_t task;

	if (tid == SL_REC_IDLE || tid >= x->task->len)
		return false;
	task = g_array_index(x->task, uint32_t, tid);
	return task < x->w->n_tasks && strcmp(x->w->task[task].name, x->opts->thread) == 0;
}

static bool wanted(const struct sl_export *x, const struct sl_rec *r)
{
	const struct sl_export_opts *o = x->opts;

	if (r->at < o->from || (o->to && r->at > o->to))
		return false;
	if (o->cpus &&
	    (r->cpu / 64u >= o->cpu_words || !(o->cpus[r->cpu / 64u] >> (r->cpu % 64u) & 1)))
		return false;
	if (o->thread && !wanted_thread(x, r->a) &&
	    (r->kind != SL_REC_SWITCH || !wanted_thread(x, r->b)))
		return false;
	return true;
}

static enum sl_xstate state_of(uint64_t aux)
{
	unsigned sw = (unsigned)(aux >> 8);

	switch (aux & 0xff) {
	case SL_TS_SLEEP:
	case SL_TS_IWAIT:
		return SL_XS_SLEEP;
	case SL_TS_BLOCKED:
		return SL_XS_BLOCKED;
	case SL_TS_DEAD:
		return SL_XS_DEAD;
	default:
		return sw & (SL_SW_PREEMPT | SL_SW_INVOL) ? SL_XS_PREEMPTED : SL_XS_RUNNABLE;
	}
}

/* A new process has its parent's nice value, a first one its task's. */
static void start_thread(struct sl_export *x, const struct sl_rec *r)
{
	uint32_t task = (uint32_t)(r->aux >> 32), nice = 20;

	if (r->b != SL_REC_IDLE)
		nice = MIN(*slot(x->nice, r->b, 20), 39);
	else if (task < x->w->n_tasks)
		nice = (uint32_t)(20 + CLAMP(x->w->task[task].nice, -20, 19));
	*slot(x->task, r->a, SL_NONE) = task;
	*slot(x->nice, r->a, nice) = nice;
}

/* What later events need to know. */
static void note(struct sl_export *x, const struct sl_rec *r)
{
	if (r->kind == SL_REC_NICE)
		*slot(x->nice, r->a, 20) = (uint32_t)(20 + CLAMP((int64_t)r->aux, -20, 19));
	else if (r->kind == SL_REC_SLEEP)
		*slot(x->sleep, r->cpu, SL_NONE) = r->c;
}

static void count_switch(struct sl_export *x, const struct sl_rec *r)
{
	uint32_t *last;

	x->running += r->a == SL_REC_IDLE;
	x->running -= r->b == SL_REC_IDLE && x->running > 0;
	if (r->b == SL_REC_IDLE)
		return;
	last = slot(x->last, r->b, SL_NONE);
	x->migrations += *last != SL_NONE && *last != r->cpu;
	*last = r->cpu;
}

/* Fills the event of a record; false for records that are none. */
static bool event_of(struct sl_export *x, const struct sl_rec *r, struct sl_xevent *ev)
{
	switch (r->kind) {
	case SL_REC_SWITCH:
		ev->kind = SL_X_SWITCH;
		ev->state = r->a == SL_REC_IDLE ? SL_XS_RUNNABLE : state_of(r->aux);
		ev->b = thread_of(x, r->b, r->cpu);
		count_switch(x, r);
		if (ev->state >= SL_XS_SLEEP && x->runnable > 0)
			x->runnable--;
		if (ev->state == SL_XS_SLEEP || ev->state == SL_XS_BLOCKED)
			ev->wprio = sl_wprio_name(*slot(x->sleep, r->cpu, SL_NONE));
		break;
	case SL_REC_WAKE:
		ev->kind = SL_X_WAKE;
		ev->interrupt = r->b == SL_REC_IDLE;
		/* A queue that all CPUs share has none. */
		ev->target = r->aux <= UINT16_MAX ? (uint32_t)r->aux : r->cpu;
		x->runnable++;
		break;
	case SL_REC_START:
		start_thread(x, r);
		ev->kind = SL_X_START;
		ev->interrupt = r->b == SL_REC_IDLE;
		ev->b = thread_of(x, r->b, r->cpu);
		ev->target = r->cpu;
		x->runnable++;
		break;
	case SL_REC_EXIT:
		ev->kind = SL_X_EXIT;
		break;
	case SL_REC_EDGE:
		ev->kind = SL_X_EDGE;
		ev->edge = (uint32_t)r->aux;
		ev->edge_wait = r->b == SL_OP_EDGE_WAIT;
		ev->wprio = sl_wprio_name(r->c);
		break;
	default:
		return false;
	}
	ev->a = thread_of(x, r->a, r->cpu);
	ev->runnable = x->runnable;
	ev->waiting = x->runnable > x->running ? x->runnable - x->running : 0;
	ev->migrations = x->migrations;
	return true;
}

static void take(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct sl_export *x = ctx;

	for (uint32_t i = 0; i < n; i++) {
		const struct sl_rec *r = &rec[i];
		uint32_t *cur = slot(x->cur, r->cpu, SL_REC_IDLE);
		struct sl_xevent ev = { .at = r->at, .cpu = r->cpu };

		note(x, r);
		ev.cur = thread_of(x, *cur, r->cpu);
		if (event_of(x, r, &ev) && wanted(x, r))
			x->format->event(&x->writer, &ev);
		if (r->kind == SL_REC_SWITCH)
			*cur = r->b;
	}
}

struct sl_sink sl_export_sink(struct sl_export *x)
{
	return (struct sl_sink){ take, x };
}

bool sl_export_finish(struct sl_export *x, sl_time end, GError **err)
{
	FILE *out = x->writer.out;
	bool ok;

	x->format->end(&x->writer, end);
	errno = 0;
	ok = fflush(out) == 0 && !ferror(out);
	if (!ok)
		g_set_error(err, G_IO_ERROR, g_io_error_from_errno(errno ? errno : EIO),
			    "%s export: %s", x->format->name, g_strerror(errno ? errno : EIO));
	g_free(x->part);
	g_array_free(x->task, TRUE);
	g_array_free(x->cur, TRUE);
	g_array_free(x->nice, TRUE);
	g_array_free(x->sleep, TRUE);
	g_array_free(x->last, TRUE);
	g_free(x);
	return ok;
}
