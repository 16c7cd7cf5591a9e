/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Time order of events.
 * Invariant: what the sink gets never runs backwards, and two events of one CPU reach it
 * in the order they were committed (reversed files: in the opposite order). */
#include "traces/import_order.h"

#include <glib.h>
#include <string.h>

#define WINDOW 1024u
/* Events looked at before the direction of a file is decided. */
#define PROBE 256u
/* A stamp so far ahead of its CPU's others, in ns, is a wrong one. */
#define LEAP UINT64_C(1000000000)

struct sl_order {
	sl_order_sink sink;
	void *ctx;
	bool whole;
	bool probing;
	uint64_t reached; /* time of the last event passed on */
	struct sl_order_counts counts;
	struct sl_event ring[WINDOW];
	uint32_t head, n;      /* oldest event, number of events */
	struct sl_event fresh; /* slot while probing or while the ring would wrap */
	GArray *kept;	       /* of struct sl_event: probing, or the whole file */
};

struct sl_order *sl_order_new(bool whole, sl_order_sink sink, void *ctx)
{
	struct sl_order *o = g_new0(struct sl_order, 1);

	o->sink = sink;
	o->ctx = ctx;
	o->whole = whole;
	o->probing = true;
	o->kept = g_array_new(FALSE, FALSE, sizeof(struct sl_event));
	return o;
}

void sl_order_free(struct sl_order *o)
{
	if (!o)
		return;
	g_array_free(o->kept, TRUE);
	g_free(o);
}

static struct sl_event *at(struct sl_order *o, uint32_t i)
{
	return &o->ring[(o->head + i) & (WINDOW - 1)];
}

static void pass(struct sl_order *o, struct sl_event *ev)
{
	o->reached = ev->at;
	o->sink(o->ctx, ev);
}

/* The stamp of an event is about to be changed. */
static void note_changed(struct sl_order *o, const struct sl_event *ev)
{
	if (o->counts.first_line)
		return;
	o->counts.first_line = ev->line;
	o->counts.first_at = ev->at;
}

/* Is it the event at i that ran ahead, rather than the next of its CPU, at `next`, back? So it is
 * when only i lies far from the time its CPU had before and has now. */
static bool leapt(struct sl_order *o, uint32_t i, uint64_t next)
{
	const struct sl_event *ev = at(o, i);

	if (ev->at - next < LEAP)
		return false;
	for (uint32_t before = i; before-- > 0;)
		if (at(o, before)->cpu == ev->cpu)
			return at(o, before)->at <= next;
	return false;
}

/* Gives the event at i the time `when`, and its place by that. */
static void lower(struct sl_order *o, uint32_t i, uint64_t when)
{
	struct sl_event moved = *at(o, i);

	note_changed(o, &moved);
	moved.at = when;
	for (; i > 0 && at(o, i - 1)->at > when; i--)
		*at(o, i) = *at(o, i - 1);
	*at(o, i) = moved;
	o->counts.leapt++;
}

/* Slot i is free for `moved`: later events of other CPUs are moved behind it. Its place. */
static uint32_t sink_down(struct sl_order *o, uint32_t i, const struct sl_event *moved)
{
	for (; i > 0 && at(o, i - 1)->at > moved->at && at(o, i - 1)->cpu != moved->cpu; i--)
		*at(o, i) = *at(o, i - 1);
	return i;
}

/* The event in the last slot of the ring finds its place. */
static void settle(struct sl_order *o)
{
	struct sl_event *last = at(o, o->n - 1), moved;
	uint32_t i = o->n - 1;

	if (i == 0 || at(o, i - 1)->at <= last->at)
		return;
	if (last->at < o->reached) {
		/* Its place is gone already; here it costs nothing. */
		note_changed(o, last);
		last->at = at(o, i - 1)->at;
		o->counts.late++;
		return;
	}
	moved = *last;
	i = sink_down(o, i, &moved);
	if (i > 0 && at(o, i - 1)->at > moved.at && leapt(o, i - 1, moved.at)) {
		lower(o, i - 1, moved.at);
		i = sink_down(o, i, &moved);
	}
	if (i > 0 && at(o, i - 1)->at > moved.at) {
		note_changed(o, &moved);
		moved.at = at(o, i - 1)->at;
		o->counts.backwards++;
		/* The later events it was moved across stay behind it only if later. */
		while (i < o->n - 1 && at(o, i + 1)->at < moved.at) {
			*at(o, i) = *at(o, i + 1);
			i++;
		}
	}
	if (i < o->n - 1)
		o->counts.swapped++;
	*at(o, i) = moved;
}

static void make_room(struct sl_order *o)
{
	if (o->n < WINDOW)
		return;
	pass(o, at(o, 0));
	o->head = (o->head + 1) & (WINDOW - 1);
	o->n--;
}

struct sl_event *sl_order_slot(struct sl_order *o)
{
	if (o->probing || o->whole)
		return &o->fresh;
	make_room(o);
	return at(o, o->n);
}

/* More than nine of ten steps go down: written newest first. */
static bool runs_down(const GArray *events)
{
	uint32_t down = 0, up = 0;

	for (guint i = 1; i < events->len; i++) {
		uint64_t a = g_array_index(events, struct sl_event, i - 1).at;
		uint64_t b = g_array_index(events, struct sl_event, i).at;

		down += b < a;
		up += b > a;
	}
	return down > 9 * up && down > 0;
}

static void end_probe(struct sl_order *o)
{
	o->probing = false;
	o->counts.reversed = runs_down(o->kept);
	if (o->whole || o->counts.reversed) {
		o->whole = true;
		return;
	}
	for (guint i = 0; i < o->kept->len; i++) {
		*sl_order_slot(o) = g_array_index(o->kept, struct sl_event, i);
		o->n++;
		settle(o);
	}
	g_array_set_size(o->kept, 0);
}

void sl_order_commit(struct sl_order *o)
{
	if (!o->probing && !o->whole) {
		o->n++;
		settle(o);
		return;
	}
	g_array_append_val(o->kept, o->fresh);
	if (o->probing && o->kept->len == PROBE)
		end_probe(o);
}

/* Raises stamps that run backwards within a CPU, so that a stable sort keeps its order. */
static void level(struct sl_order *o)
{
	GArray *last = g_array_new(FALSE, TRUE, sizeof(uint64_t));

	for (guint i = 0; i < o->kept->len; i++) {
		struct sl_event *ev = &g_array_index(o->kept, struct sl_event, i);
		uint64_t *seen;

		if (ev->cpu >= last->len)
			g_array_set_size(last, ev->cpu + 1);
		seen = &g_array_index(last, uint64_t, ev->cpu);
		if (ev->at < *seen) {
			note_changed(o, ev);
			ev->at = *seen;
			o->counts.backwards++;
		}
		*seen = ev->at;
	}
	g_array_free(last, TRUE);
}

static int by_time(const void *a, const void *b, void *data)
{
	const struct sl_event *x = *(struct sl_event *const *)a;
	const struct sl_event *y = *(struct sl_event *const *)b;

	(void)data;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	/* Same array: addresses are file positions. */
	return x < y ? -1 : x > y;
}

static void flush_whole(struct sl_order *o)
{
	struct sl_event **order = g_new(struct sl_event *, o->kept->len);

	if (o->counts.reversed) {
		for (guint i = 0, j = o->kept->len; i + 1 < j; i++) {
			struct sl_event *a = &g_array_index(o->kept, struct sl_event, i);
			struct sl_event *b = &g_array_index(o->kept, struct sl_event, --j);
			struct sl_event t = *a;

			*a = *b;
			*b = t;
		}
	}
	level(o);
	for (guint i = 0; i < o->kept->len; i++)
		order[i] = &g_array_index(o->kept, struct sl_event, i);
	g_qsort_with_data(order, (gint)o->kept->len, sizeof(order[0]), by_time, NULL);
	for (guint i = 0; i < o->kept->len; i++)
		pass(o, order[i]);
	g_array_set_size(o->kept, 0);
	g_free(order);
}

void sl_order_flush(struct sl_order *o)
{
	if (o->probing)
		end_probe(o);
	if (o->whole) {
		flush_whole(o);
		return;
	}
	while (o->n > 0) {
		pass(o, at(o, 0));
		o->head = (o->head + 1) & (WINDOW - 1);
		o->n--;
	}
}

const struct sl_order_counts *sl_order_counts(const struct sl_order *o)
{
	return &o->counts;
}
