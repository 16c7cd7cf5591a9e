/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ftrace text and perf script text.
 * Invariant: every line is one that the importers of Perfetto, trace-cmd's and perf's users
 * and our own reader take: four flag characters, nine decimals, "# tracer" first. */
#include "traces/export_format.h"

#include <inttypes.h>
#include <string.h>

#define NS_PER_S SL_NS_PER_S

static const char *const states[] = { [SL_XS_RUNNABLE] = "R",
				      [SL_XS_PREEMPTED] = "R+",
				      [SL_XS_SLEEP] = "S",
				      [SL_XS_BLOCKED] = "D",
				      [SL_XS_DEAD] = "X" };

/* Nobody waits for a thread (X), a process stays until its parent has seen it (Z). */
static const char *state_of(const struct sl_xevent *ev)
{
	return ev->state == SL_XS_DEAD && !ev->a.part ? "Z" : states[ev->state];
}

/* Writes the head of a line for an event called `name`. */
typedef void (*head_fn)(FILE *out, const struct sl_xevent *ev, const struct sl_xthread *cur,
			const char *flags, const char *name);

static void ftrace_head(FILE *out, const struct sl_xevent *ev, const struct sl_xthread *cur,
			const char *flags, const char *name)
{
	/* ftrace calls every idle task <idle> in this column. */
	fprintf(out, "%16s-%-7" PRIu32 " [%03" PRIu32 "] %s %5" PRIu64 ".%09" PRIu64 ": %s: ",
		cur->pid ? cur->name : "<idle>", cur->pid, ev->cpu, flags, ev->at / NS_PER_S,
		ev->at % NS_PER_S, name);
}

static void perf_name(FILE *out, const struct sl_xevent *ev, const struct sl_xthread *cur,
		      const char *name)
{
	fprintf(out, "%16s %5" PRIu32 " [%03" PRIu32 "] %5" PRIu64 ".%09" PRIu64 ": %s: ",
		cur->pid ? cur->name : "swapper", cur->pid, ev->cpu, ev->at / NS_PER_S,
		ev->at % NS_PER_S, name);
}

static void perf_head(FILE *out, const struct sl_xevent *ev, const struct sl_xthread *cur,
		      const char *flags, const char *name)
{
	char full[64];

	(void)flags;
	g_snprintf(full, sizeof(full), "sched:%s", name);
	perf_name(out, ev, cur, full);
}

static void put_wake(FILE *out, const struct sl_xevent *ev, head_fn head, const char *name,
		     const char *flags)
{
	head(out, ev, &ev->cur, flags, name);
	fprintf(out, "comm=%s pid=%" PRIu32 " prio=%d target_cpu=%03" PRIu32 "\n", ev->a.name,
		ev->a.pid, ev->a.prio, ev->target);
}

/* perf has no column that says that an interrupt woke somebody: the clock interrupt's own
 * events around the wake-up do. */
static void put_wakes(FILE *out, const struct sl_xevent *ev, head_fn head, const char *first,
		      const char *second)
{
	const char *flags = ev->interrupt ? "d.h3" : "d..3";
	bool bracket = head == perf_head && ev->interrupt && ev->cur.pid;

	if (bracket) {
		perf_name(out, ev, &ev->cur, "irq_vectors:local_timer_entry");
		fputs("vector=236\n", out);
	}
	put_wake(out, ev, head, first, flags);
	if (second)
		put_wake(out, ev, head, second, flags);
	if (bracket) {
		perf_name(out, ev, &ev->cur, "irq_vectors:local_timer_exit");
		fputs("vector=236\n", out);
	}
}

static void put_event(FILE *out, const struct sl_xevent *ev, head_fn head)
{
	switch (ev->kind) {
	case SL_X_SWITCH:
		head(out, ev, &ev->a, "d..2", "sched_switch");
		fprintf(out,
			"prev_comm=%s prev_pid=%" PRIu32 " prev_prio=%d prev_state=%s ==> "
			"next_comm=%s next_pid=%" PRIu32 " next_prio=%d\n",
			ev->a.name, ev->a.pid, ev->a.prio, state_of(ev), ev->b.name, ev->b.pid,
			ev->b.prio);
		if (ev->wprio) {
			/* Android's event for the reason of a wait holds its priority. */
			head(out, ev, &ev->b, "d..2", "sched_blocked_reason");
			fprintf(out, "pid=%" PRIu32 " iowait=%d caller=%s\n", ev->a.pid,
				strcmp(ev->wprio, "PRIBIO") == 0, ev->wprio);
		}
		break;
	case SL_X_WAKE:
		put_wakes(out, ev, head, "sched_waking", "sched_wakeup");
		break;
	case SL_X_START:
		if (!ev->interrupt) {
			head(out, ev, &ev->b, "....", "sched_process_fork");
			fprintf(out,
				"comm=%s pid=%" PRIu32 " child_comm=%s child_pid=%" PRIu32 "\n",
				ev->b.name, ev->b.pid, ev->a.name, ev->a.pid);
		}
		put_wakes(out, ev, head, "sched_wakeup_new", NULL);
		break;
	case SL_X_EXIT:
		head(out, ev, &ev->a, "....", "sched_process_exit");
		fprintf(out, "comm=%s pid=%" PRIu32 " prio=%d\n", ev->a.name, ev->a.pid,
			ev->a.prio);
		break;
	case SL_X_EDGE:
		/* An event of our own: there is none for a wait that is over before it begins. */
		head(out, ev, &ev->a, "....", "sched_edge");
		fprintf(out, "edge=%" PRIu32 " wait=%d caller=%s\n", ev->edge, ev->edge_wait,
			ev->wprio ? ev->wprio : "-");
		break;
	}
}

/* What the counters said last. */
struct counters {
	uint32_t waiting;
	uint64_t migrations;
	bool said;
};

/* A counter as Android's tools write it, which Perfetto shows as a track. */
static void put_counter(FILE *out, const struct sl_xevent *ev, const char *name, uint64_t value)
{
	const struct sl_xthread *cur = ev->kind == SL_X_SWITCH ? &ev->b : &ev->cur;

	ftrace_head(out, ev, cur, "....", "tracing_mark_write");
	fprintf(out, "C|1|%s|%" PRIu64 "\n", name, value);
}

static void ftrace_begin(struct sl_xwriter *w)
{
	w->state = g_new0(struct counters, 1);
	fputs("# tracer: nop\n#\n"
	      "#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n"
	      "#              | |         |   ||||      |         |\n",
	      w->out);
}

static void ftrace_event(struct sl_xwriter *w, const struct sl_xevent *ev)
{
	struct counters *c = w->state;

	put_event(w->out, ev, ftrace_head);
	if (!c->said || c->waiting != ev->waiting)
		put_counter(w->out, ev, "waiting", ev->waiting);
	if (!c->said || c->migrations != ev->migrations)
		put_counter(w->out, ev, "migrations", ev->migrations);
	*c = (struct counters){ ev->waiting, ev->migrations, true };
}

static void perf_begin(struct sl_xwriter *w)
{
	w->state = NULL;
}

static void perf_event(struct sl_xwriter *w, const struct sl_xevent *ev)
{
	put_event(w->out, ev, perf_head);
}

static void text_end(struct sl_xwriter *w, sl_time end)
{
	(void)end;
	g_free(w->state);
}

const struct sl_export_format sl_export_ftrace = {
	.name = "ftrace",
	.summary = "ftrace text, for Perfetto's viewer, LISA and traceshark",
	.begin = ftrace_begin,
	.event = ftrace_event,
	.end = text_end,
};

const struct sl_export_format sl_export_perf = {
	.name = "perf",
	.summary = "perf script text, for scripts that read perf sched recordings",
	.begin = perf_begin,
	.event = perf_event,
	.end = text_end,
};
