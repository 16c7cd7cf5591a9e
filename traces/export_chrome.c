/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Chrome's trace_event JSON: process 1 has a track per CPU whose slices are the threads
 * that ran, process 2 a track per thread with its turns, and a counter of runnable threads.
 * Invariant: slices of one track never overlap; times are microseconds with three
 * decimals, so that no nanosecond is lost. */
#include "traces/export_format.h"

#include <inttypes.h>

struct slice {
	struct sl_xthread thread;
	sl_time since;
	bool open;
};

struct chrome_out {
	GArray *cpus;		    /* struct slice */
	GHashTable *named;	    /* threads that have a name in the file */
	bool more;		    /* a comma is due */
	uint32_t runnable, waiting; /* as said last */
	uint64_t migrations;
};

static void comma(struct sl_xwriter *w)
{
	struct chrome_out *c = w->state;

	fputs(c->more ? ",\n" : "\n", w->out);
	c->more = true;
}

static void name_track(struct sl_xwriter *w, const char *what, uint32_t pid, uint32_t tid,
		       const char *name)
{
	comma(w);
	fprintf(w->out,
		"{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"args\":{\"name\":\"",
		what, pid, tid);
	for (; *name; name++) {
		if (*name == '\\')
			fputc('\\', w->out);
		fputc(*name, w->out);
	}
	fputs("\"}}", w->out);
}

static void chrome_begin(struct sl_xwriter *w)
{
	struct chrome_out *c = g_new0(struct chrome_out, 1);

	c->cpus = g_array_new(FALSE, TRUE, sizeof(struct slice));
	c->named = g_hash_table_new(NULL, NULL);
	c->runnable = c->waiting = UINT32_MAX;
	c->migrations = UINT64_MAX;
	w->state = c;
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", w->out);
	name_track(w, "process_name", 1, 0, "CPUs");
	name_track(w, "process_name", 2, 0, "threads");
}

static void put_slice(struct sl_xwriter *w, const struct slice *s, sl_time until, uint32_t pid,
		      uint32_t tid, const char *name)
{
	sl_time ns = until - s->since;

	comma(w);
	fprintf(w->out,
		"{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"ts\":%" PRIu64 ".%03" PRIu64 ",\"dur\":%" PRIu64 ".%03" PRIu64 "}",
		name, pid, tid, s->since / 1000, s->since % 1000, ns / 1000, ns % 1000);
}

static void close_slice(struct sl_xwriter *w, uint32_t cpu, struct slice *s, sl_time until)
{
	char name[64], plain[SL_EXPORT_NAME * 2];
	size_t n = 0;

	/* Slices of no length are what viewers stumble over. */
	if (s->open && s->thread.pid && until > s->since) {
		for (const char *c = s->thread.name; *c; c++) {
			if (*c == '\\')
				plain[n++] = '\\';
			plain[n++] = *c;
		}
		plain[n] = '\0';
		g_snprintf(name, sizeof(name), "%s-%u", plain, s->thread.pid);
		put_slice(w, s, until, 1, cpu, name);
		g_snprintf(name, sizeof(name), "cpu %u", cpu);
		put_slice(w, s, until, 2, s->thread.pid, name);
	}
	s->open = false;
}

static void name_thread(struct sl_xwriter *w, const struct sl_xthread *t)
{
	struct chrome_out *c = w->state;

	if (t->pid && g_hash_table_add(c->named, GUINT_TO_POINTER(t->pid)))
		name_track(w, "thread_name", 2, t->pid, t->name);
}

static void put_counter(struct sl_xwriter *w, const struct sl_xevent *ev, const char *name,
			const char *unit, uint64_t value)
{
	comma(w);
	fprintf(w->out,
		"{\"ph\":\"C\",\"name\":\"%s\",\"pid\":1,\"tid\":0,\"ts\":%" PRIu64 ".%03" PRIu64
		",\"args\":{\"%s\":%" PRIu64 "}}",
		name, ev->at / 1000, ev->at % 1000, unit, value);
}

static void chrome_event(struct sl_xwriter *w, const struct sl_xevent *ev)
{
	struct chrome_out *c = w->state;

	name_thread(w, &ev->a);
	if (ev->kind == SL_X_SWITCH) {
		struct slice *s;

		while (c->cpus->len <= ev->cpu) {
			char name[16];

			g_snprintf(name, sizeof(name), "CPU %u", c->cpus->len);
			name_track(w, "thread_name", 1, c->cpus->len, name);
			g_array_set_size(c->cpus, c->cpus->len + 1);
		}
		s = &g_array_index(c->cpus, struct slice, ev->cpu);
		close_slice(w, ev->cpu, s, ev->at);
		*s = (struct slice){ ev->b, ev->at, true };
		name_thread(w, &ev->b);
	}
	if (ev->runnable != c->runnable)
		put_counter(w, ev, "runnable", "threads", ev->runnable);
	if (ev->waiting != c->waiting)
		put_counter(w, ev, "waiting", "threads", ev->waiting);
	if (ev->migrations != c->migrations)
		put_counter(w, ev, "migrations", "so far", ev->migrations);
	c->runnable = ev->runnable;
	c->waiting = ev->waiting;
	c->migrations = ev->migrations;
}

static void chrome_end(struct sl_xwriter *w, sl_time end)
{
	struct chrome_out *c = w->state;

	for (guint i = 0; i < c->cpus->len; i++)
		close_slice(w, i, &g_array_index(c->cpus, struct slice, i), end);
	fputs("\n]}\n", w->out);
	g_array_free(c->cpus, TRUE);
	g_hash_table_destroy(c->named);
	g_free(c);
}

const struct sl_export_format sl_export_chrome = {
	.name = "chrome",
	.summary = "Chrome trace_event JSON, for chrome://tracing and speedscope",
	.begin = chrome_begin,
	.event = chrome_event,
	.end = chrome_end,
};
