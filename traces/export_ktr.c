/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD KTR text for schedgraph, newest first as ktrdump prints it (clock: 1 GHz).
 * Invariant: stamps only go down in the file; no name holds a quote. */
#include "traces/export_format.h"

#include <inttypes.h>

#define IDLE_TID  100003u /* of CPU 0, as on a running FreeBSD */
#define FIRST_TID 100100u

struct ktr_out {
	GPtrArray *lines; /* char *: everything behind the index */
	uint64_t migrations;
};

static const char *const states[] = { [SL_XS_RUNNABLE] = "yielding",
				      [SL_XS_PREEMPTED] = "yielding",
				      [SL_XS_SLEEP] = "sleep",
				      [SL_XS_BLOCKED] = "blocked",
				      [SL_XS_DEAD] = "exit" };

static void ktr_begin(struct sl_xwriter *w)
{
	struct ktr_out *k = g_new0(struct ktr_out, 1);

	k->lines = g_ptr_array_new_with_free_func(g_free);
	w->state = k;
}

static const char *id(char *buf, size_t len, const struct sl_xthread *t, uint32_t cpu)
{
	if (t->pid == 0)
		g_snprintf(buf, (gulong)len, "idle: cpu%u tid %u", cpu, IDLE_TID + cpu);
	else
		g_snprintf(buf, (gulong)len, "%s tid %u", t->name, FIRST_TID + t->pid);
	return buf;
}

static void G_GNUC_PRINTF(3, 4)
	add(struct sl_xwriter *w, const struct sl_xevent *ev, const char *format, ...)
{
	struct ktr_out *k = w->state;
	char *rest, *line;
	va_list ap;

	va_start(ap, format);
	rest = g_strdup_vprintf(format, ap);
	va_end(ap);
	line = g_strdup_printf("%3" PRIu32 " %16" PRIu64 " KTRGRAPH group:%s", ev->cpu, ev->at,
			       rest);
	g_free(rest);
	g_ptr_array_add(k->lines, line);
}

static void ktr_event(struct sl_xwriter *w, const struct sl_xevent *ev)
{
	static const struct sl_xthread nobody = { .name = "idle" };
	struct ktr_out *k = w->state;
	char a[64], b[64];

	id(a, sizeof(a), &ev->a, ev->cpu);
	switch (ev->kind) {
	case SL_X_SWITCH:
		if (ev->a.pid == 0)
			add(w, ev, "\"thread\", id:\"%s\", state:\"idle\", attributes: prio:255",
			    a);
		else
			add(w, ev,
			    "\"thread\", id:\"%s\", state:\"%s\", attributes: prio:%d, "
			    "wmesg:\"%s\", lockname:\"(null)\"",
			    a,
			    ev->state == SL_XS_DEAD && !ev->a.part ? "proc exit"
								   : states[ev->state],
			    ev->a.prio, ev->wprio ? ev->wprio : "-");
		add(w, ev, "\"thread\", id:\"%s\", state:\"running\", attributes: prio:%d",
		    id(b, sizeof(b), &ev->b, ev->cpu), ev->b.pid ? ev->b.prio : 255);
		break;
	case SL_X_START:
		if (!ev->interrupt)
			add(w, ev,
			    "\"thread\", id:\"%s\", point:\"fork\", attributes: linkedto:\"%s\"", a,
			    id(b, sizeof(b), &ev->b, ev->cpu));
		/* fallthrough */
	case SL_X_WAKE:
		/* An interrupt is nobody's work: the idle thread stands for it. */
		id(b, sizeof(b),
		   ev->interrupt	    ? &nobody
		   : ev->kind == SL_X_START ? &ev->b
					    : &ev->cur,
		   ev->cpu);
		add(w, ev,
		    "\"thread\", id:\"%s\", state:\"runq add\", attributes: prio:%d, "
		    "linkedto:\"%s\"",
		    a, ev->a.prio, b);
		add(w, ev, "\"thread\", id:\"%s\", point:\"wokeup\", attributes: linkedto:\"%s\"",
		    b, a);
		break;
	case SL_X_EDGE:
		add(w, ev,
		    "\"thread\", id:\"%s\", point:\"edge\", attributes: edge:%" PRIu32
		    ", wait:%d, wmesg:\"%s\"",
		    a, ev->edge, ev->edge_wait, ev->wprio ? ev->wprio : "-");
		return;
	case SL_X_EXIT:
		return;
	}
	add(w, ev, "\"load\", id:\"global load\", counter:%" PRIu32 ", attributes: none",
	    ev->runnable);
	if (k->migrations != ev->migrations)
		add(w, ev, "\"load\", id:\"migrations\", counter:%" PRIu64 ", attributes: none",
		    ev->migrations);
	k->migrations = ev->migrations;
}

static void ktr_end(struct sl_xwriter *w, sl_time end)
{
	struct ktr_out *k = w->state;

	(void)end;
	fputs("index  cpu timestamp        trace\n------ --- ---------------- ----- \n", w->out);
	for (guint i = k->lines->len; i-- > 0;)
		fprintf(w->out, "%6u %s\n", i, (const char *)g_ptr_array_index(k->lines, i));
	g_ptr_array_free(k->lines, TRUE);
	g_free(k);
}

const struct sl_export_format sl_export_ktr = {
	.name = "ktr",
	.summary = "FreeBSD KTR text, newest first, for schedgraph.py FILE 1",
	.begin = ktr_begin,
	.event = ktr_event,
	.end = ktr_end,
};
