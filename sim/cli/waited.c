/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: `story` holds the records since the thread last became runnable, and is
 * emptied when it gets a CPU, goes to sleep or exits before the instant asked for. What
 * is kept is so bounded by one wait, not by the run. */
#include "sim/cli/waited.h"

#include <stdio.h>

#include "sim/base/bits.h"
#include "sim/cli/cli.h"
#include "sim/cli/why_text.h"

/* What the thread was doing at the instant. */
enum doing { UNSEEN, ASLEEP, RUNNABLE, RUNNING, GONE };

struct on_cpu {
	uint32_t tid;
	sl_time since;
};

struct sl_waited {
	const char *wanted;
	sl_time at;
	uint32_t ncpus;
	struct sl_names names;
	struct sl_sim *sim;
	uint32_t tid; /* SL_REC_IDLE until the thread was seen */
	enum doing doing;
	sl_time since;
	uint32_t cpu;	       /* where it runs, when RUNNING */
	struct on_cpu *now;    /* [ncpus] */
	struct on_cpu *before; /* [ncpus]: as `now` was when the wait began */
	GArray *story;	       /* of struct sl_rec */
	bool done;	       /* the answer is known */
	_Atomic bool stop;     /* the run may end: done or interrupted */
	const _Atomic bool *interrupted;
};

struct sl_waited *sl_waited_new(const char *thread, sl_time at, const struct sl_topo *topo)
{
	struct sl_waited *w = g_new0(struct sl_waited, 1);

	w->wanted = thread;
	w->at = at;
	w->ncpus = topo->ncpus;
	w->tid = SL_REC_IDLE;
	sl_names_init(&w->names);
	w->now = g_new0(struct on_cpu, topo->ncpus);
	w->before = g_new0(struct on_cpu, topo->ncpus);
	for (uint32_t c = 0; c < topo->ncpus; c++)
		w->now[c].tid = SL_REC_IDLE;
	w->story = g_array_new(FALSE, FALSE, sizeof(struct sl_rec));
	return w;
}

void sl_waited_free(struct sl_waited *w)
{
	if (!w)
		return;
	sl_names_clear(&w->names);
	g_array_unref(w->story);
	g_free(w->now);
	g_free(w->before);
	g_free(w);
}

static void become(struct sl_waited *w, enum doing doing, const struct sl_rec *rec)
{
	w->doing = doing;
	w->since = rec->at;
	w->cpu = rec->cpu;
	g_array_set_size(w->story, 0);
	if (doing != RUNNABLE)
		return;
	for (uint32_t c = 0; c < w->ncpus; c++)
		w->before[c] = w->now[c];
}

/* Whether the record changes what the thread does, and to what. */
static bool changes(const struct sl_waited *w, const struct sl_rec *rec, enum doing *to)
{
	if (rec->kind == SL_REC_SWITCH && rec->b == w->tid && rec->a != rec->b) {
		*to = RUNNING;
	} else if (rec->kind == SL_REC_SWITCH && rec->a == w->tid && rec->a != rec->b) {
		unsigned state = (unsigned)rec->aux & 0xff;

		*to = state == SL_TS_RUNQ || state == SL_TS_CAN_RUN || state == SL_TS_RUNNING
			      ? RUNNABLE
		      : state == SL_TS_DEAD ? GONE
					    : ASLEEP;
	} else if ((rec->kind == SL_REC_WAKE || rec->kind == SL_REC_START) && rec->a == w->tid) {
		*to = RUNNABLE;
		return w->doing != RUNNABLE && w->doing != RUNNING;
	} else {
		return false;
	}
	return true;
}

static void take_one(struct sl_waited *w, const struct sl_rec *rec)
{
	enum doing to;

	if (w->tid == SL_REC_IDLE && rec->kind == SL_REC_START &&
	    sl_names_match(w->wanted, sl_names_get(&w->names, rec->a)))
		w->tid = rec->a;
	if (w->tid != SL_REC_IDLE && changes(w, rec, &to)) {
		/* The wait, run or sleep that ends here covers the instant. */
		if (rec->at > w->at && w->doing != UNSEEN) {
			g_array_append_val(w->story, *rec);
			w->done = true;
			w->stop = true;
			return;
		}
		become(w, to, rec);
	}
	if (w->doing == RUNNABLE)
		g_array_append_val(w->story, *rec);
	if (rec->kind == SL_REC_SWITCH && rec->cpu < w->ncpus)
		w->now[rec->cpu] = (struct on_cpu){ rec->b, rec->at };
}

static void take(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct sl_waited *w = ctx;

	if (w->interrupted && *w->interrupted)
		w->stop = true;
	for (uint32_t i = 0; i < n && !w->done; i++)
		take_one(w, &rec[i]);
}

struct sl_sink sl_waited_sink(struct sl_waited *w)
{
	return (struct sl_sink){ .take = take, .ctx = w };
}

const _Atomic bool *sl_waited_done(const struct sl_waited *w)
{
	return &w->stop;
}

void sl_waited_interrupt(struct sl_waited *w, const _Atomic bool *interrupted)
{
	w->interrupted = interrupted;
}

uint32_t sl_waited_sleeper(const struct sl_waited *w)
{
	return w->doing == ASLEEP ? w->tid : SL_REC_IDLE;
}

void sl_waited_bind(struct sl_waited *w, struct sl_sim *sim)
{
	w->sim = sim;
	w->names.sim = sim;
}

static void print_ms(sl_time ns)
{
	printf("%" G_GUINT64_FORMAT ".%06u ms", (guint64)(ns / SL_NS_PER_MS),
	       (unsigned)(ns % SL_NS_PER_MS));
}

/* The thread's mask, NULL when it has gone meanwhile. */
static const uint64_t *mask_of(const struct sl_waited *w)
{
	struct sl_pol *p = sl_sim_pol(w->sim);

	for (struct sl_link *l = p->allproc->next; l != p->allproc; l = l->next) {
		struct sl_proc *proc = SL_OF(l, struct sl_proc, all);

		for (struct sl_link *t = proc->threads.next; t != &proc->threads; t = t->next) {
			struct sl_thread *td = SL_OF(t, struct sl_thread, in_proc);

			if (td->id == w->tid)
				return td->mask;
		}
	}
	return NULL;
}

/* How the wait began and where the thread was put: its own records at the beginning. */
static void tell_start(struct sl_waited *w)
{
	const struct sl_rec *first = &g_array_index(w->story, struct sl_rec, 0);

	printf("It became runnable at ");
	print_ms(w->since);
	if (first->kind == SL_REC_WAKE)
		printf(": woken by %s on CPU %u, queued ",
		       first->b == SL_REC_IDLE ? "an interrupt" : sl_names_get(&w->names, first->b),
		       first->cpu);
	if (first->kind == SL_REC_WAKE && first->aux == UINT32_MAX)
		printf("for any CPU.\n");
	else if (first->kind == SL_REC_WAKE)
		printf("on CPU %u.\n", (unsigned)first->aux);
	else if (first->kind == SL_REC_START)
		printf(": it started.\n");
	else
		printf(": it lost CPU %u to %s.\n", first->cpu, sl_names_get(&w->names, first->b));
}

/* Decisions about the thread during its wait, or (last) at its end on the CPU. */
static void tell_decisions(struct sl_waited *w, const struct sl_rec *end)
{
	bool any = false;

	for (guint i = 0; i < w->story->len; i++) {
		const struct sl_rec *rec = &g_array_index(w->story, struct sl_rec, i);
		GString *line;

		if (rec->kind != SL_REC_WHY ||
		    (rec->a != w->tid && !(end && rec->at == end->at && rec->cpu == end->cpu)))
			continue;
		if (!any)
			printf("Decisions that concern it:\n");
		any = true;
		line = g_string_new(NULL);
		sl_why_sentence(line, (enum sl_why)rec->pri, (int32_t)rec->b, (int32_t)rec->c,
				(int64_t)rec->aux);
		printf("  ");
		print_ms(rec->at);
		printf("  CPU %u  %s: %s (%s)\n", rec->cpu, sl_names_get(&w->names, rec->a),
		       line->str, sl_why_name((enum sl_why)rec->pri));
		g_string_free(line, TRUE);
	}
}

static void tell_stretch(struct sl_waited *w, uint32_t cpu, const struct on_cpu *on, sl_time to)
{
	sl_time from = on->since > w->since ? on->since : w->since;

	if (to <= from)
		return;
	printf("  CPU %-4u %-24s ", cpu, sl_names_get(&w->names, on->tid));
	print_ms(to - from);
	printf("%s\n", on->tid == SL_REC_IDLE ? "  idle beside a waiting thread" : "");
}

/* Who had the CPUs that the thread could have used. */
static void tell_others(struct sl_waited *w, sl_time end)
{
	const uint64_t *mask = mask_of(w);

	printf("Meanwhile on the CPUs it may use:\n");
	for (uint32_t c = 0; c < w->ncpus; c++) {
		struct on_cpu on = w->before[c];

		if (mask && !sl_bit_test(mask, c))
			continue;
		for (guint i = 0; i < w->story->len; i++) {
			const struct sl_rec *rec = &g_array_index(w->story, struct sl_rec, i);

			if (rec->kind != SL_REC_SWITCH || rec->cpu != c || rec->a == rec->b)
				continue;
			tell_stretch(w, c, &on, rec->at);
			on = (struct on_cpu){ rec->b, rec->at };
		}
		tell_stretch(w, c, &on, end);
	}
}

static void tell_wait(struct sl_waited *w)
{
	const struct sl_rec *last = &g_array_index(w->story, struct sl_rec, w->story->len - 1);
	sl_time end = w->done ? last->at : sl_sim_pol(w->sim)->now;

	printf("%s was runnable and waited from ", sl_names_get(&w->names, w->tid));
	print_ms(w->since);
	printf(" to ");
	print_ms(end);
	printf(" (");
	print_ms(end - w->since);
	printf(").\n");
	tell_start(w);
	tell_others(w, end);
	tell_decisions(w, w->done ? last : NULL);
	if (!w->done)
		printf("The run ended before the wait did.\n");
	else
		printf("The wait ended on CPU %u, which ran %s until then.\n", last->cpu,
		       sl_names_get(&w->names, last->a));
}

bool sl_waited_tell(struct sl_waited *w, const char *slept_on, GError **error)
{
	sl_time end = sl_sim_pol(w->sim)->now;

	if (w->tid == SL_REC_IDLE) {
		char *hint = sl_names_hint(&w->names, w->wanted);

		g_set_error(error, SL_CLI_ERROR, 0,
			    "no thread \"%s\" was seen; expected <task>-<id> or a task's name%s",
			    w->wanted, hint);
		g_free(hint);
		return false;
	}
	if (!w->done && w->doing != GONE && w->at > end) {
		g_set_error(error, SL_CLI_ERROR, 0,
			    "the run ended at %" G_GUINT64_FORMAT ".%06u ms; expected a time up to "
			    "that",
			    (guint64)(end / SL_NS_PER_MS), (unsigned)(end % SL_NS_PER_MS));
		return false;
	}
	if (w->doing == RUNNABLE) {
		tell_wait(w);
		return true;
	}
	printf("%s did not wait at ", sl_names_get(&w->names, w->tid));
	print_ms(w->at);
	if (w->doing == RUNNING)
		printf(": it ran on CPU %u since ", w->cpu);
	else if (w->doing == ASLEEP)
		printf(": it slept since ");
	else if (w->doing == GONE)
		printf(": it had exited at ");
	else
		printf(": it had not started.");
	if (w->doing != UNSEEN)
		print_ms(w->since);
	printf("\n");
	if (slept_on)
		printf("It %s.\n", slept_on);
	return true;
}
