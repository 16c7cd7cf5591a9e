/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: length[c] is the number of threads whose `queued` is c; waited holds
 * its integral up to since[c]. */
#include "sim/cli/plot_watch.h"

#include <string.h>

#include "sim/core/policy.h"

#define FIRST_WIDTH 1000 /* ns */

struct thread {
	int32_t queued; /* CPU, -1: does not wait */
	int32_t last;	/* CPU it ran on, -1: never */
	bool woken;
	sl_time woken_at;
};

void sl_plot_watch_init(struct sl_plot_watch *w, uint32_t ncpus)
{
	memset(w, 0, sizeof(*w));
	w->ncpus = ncpus;
	w->width = FIRST_WIDTH;
	sl_histogram_init(&w->latency, 7);
	w->thread = g_array_new(FALSE, FALSE, sizeof(struct thread));
	w->length = g_new0(uint32_t, ncpus);
	w->since = g_new0(sl_time, ncpus);
	w->waited = g_new0(uint64_t, (gsize)ncpus * SL_PLOT_BINS);
	w->moved = g_new0(uint64_t, (gsize)ncpus * SL_PLOT_BINS);
}

void sl_plot_watch_clear(struct sl_plot_watch *w)
{
	sl_histogram_clear(&w->latency);
	g_array_unref(w->thread);
	g_free(w->length);
	g_free(w->since);
	g_free(w->waited);
	g_free(w->moved);
}

/* Pairs of bins become one until `at` has a bin. */
static void widen(struct sl_plot_watch *w, sl_time at)
{
	while (at / w->width >= SL_PLOT_BINS) {
		for (gsize row = 0; row < w->ncpus; row++) {
			uint64_t *waited = w->waited + row * SL_PLOT_BINS;
			uint64_t *moved = w->moved + row * SL_PLOT_BINS;

			for (int i = 0; i < SL_PLOT_BINS / 2; i++) {
				waited[i] = waited[2 * i] + waited[2 * i + 1];
				moved[i] = moved[2 * i] + moved[2 * i + 1];
			}
			memset(waited + SL_PLOT_BINS / 2, 0, SL_PLOT_BINS / 2 * sizeof(*waited));
			memset(moved + SL_PLOT_BINS / 2, 0, SL_PLOT_BINS / 2 * sizeof(*moved));
		}
		w->width *= 2;
	}
}

static void account(struct sl_plot_watch *w, uint32_t cpu, sl_time at)
{
	widen(w, at);
	while (w->since[cpu] < at && w->length[cpu]) {
		sl_time bin = w->since[cpu] / w->width;
		sl_time until = MIN((bin + 1) * w->width, at);

		w->waited[(gsize)cpu * SL_PLOT_BINS + bin] +=
			w->length[cpu] * (until - w->since[cpu]);
		w->since[cpu] = until;
	}
	w->since[cpu] = at;
}

static struct thread *thread_of(struct sl_plot_watch *w, uint32_t tid)
{
	const struct thread fresh = { .queued = -1, .last = -1 };

	while (w->thread->len <= tid)
		g_array_append_val(w->thread, fresh);
	return &g_array_index(w->thread, struct thread, tid);
}

/* cpu -1: it no longer waits. */
static void queue(struct sl_plot_watch *w, struct thread *t, int32_t cpu, sl_time at)
{
	if (t->queued >= 0) {
		account(w, (uint32_t)t->queued, at);
		w->length[t->queued]--;
	}
	t->queued = cpu;
	if (cpu >= 0) {
		account(w, (uint32_t)cpu, at);
		w->length[cpu]++;
	}
}

static void switched(struct sl_plot_watch *w, const struct sl_rec *r)
{
	struct thread *t;

	if (r->a != SL_REC_IDLE && (r->aux & 0xff) == SL_TS_RUNQ)
		queue(w, thread_of(w, r->a), r->cpu, r->at);
	if (r->b == SL_REC_IDLE)
		return;
	t = thread_of(w, r->b);
	queue(w, t, -1, r->at);
	if (t->woken)
		sl_histogram_add(&w->latency, r->at - t->woken_at, 1);
	t->woken = false;
	if (t->last >= 0 && t->last != r->cpu) {
		widen(w, r->at);
		w->moved[(gsize)r->cpu * SL_PLOT_BINS + r->at / w->width]++;
	}
	t->last = r->cpu;
}

static void take(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct sl_plot_watch *w = ctx;

	for (uint32_t i = 0; i < n; i++) {
		const struct sl_rec *r = &rec[i];

		if (r->kind == SL_REC_SWITCH) {
			switched(w, r);
		} else if (r->kind == SL_REC_WAKE) {
			struct thread *t = thread_of(w, r->a);
			int32_t last = t->last >= 0 ? t->last : r->cpu;

			t->woken = true;
			t->woken_at = r->at;
			queue(w, t, r->aux < w->ncpus ? (int32_t)r->aux : last, r->at);
		} else if (r->kind == SL_REC_START) {
			/* As the metrics do: whoever is created waits for its first run. */
			thread_of(w, r->a)->woken = true;
			thread_of(w, r->a)->woken_at = r->at;
			if (r->cpu < w->ncpus)
				queue(w, thread_of(w, r->a), r->cpu, r->at);
		}
	}
}

struct sl_sink sl_plot_watch_sink(struct sl_plot_watch *w)
{
	return (struct sl_sink){ take, w };
}

void sl_plot_watch_finish(struct sl_plot_watch *w, sl_time end)
{
	for (uint32_t cpu = 0; cpu < w->ncpus; cpu++)
		account(w, cpu, end);
}
