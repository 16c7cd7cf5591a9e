/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Perfetto protobuf with ftrace events: CPU tracks, thread states and wake-up arrows with
 * exact times. Written by hand: varints and length-delimited fields are all it takes.
 * Field numbers are those of Perfetto's trace.proto, trace_packet.proto,
 * ftrace_event_bundle.proto, ftrace_event.proto, sched.proto, track_descriptor.proto and
 * track_event.proto.
 * Invariant: a packet holds events of one CPU in time order; bundles of all CPUs are
 * written before any of them grows beyond BUNDLE_MAX. */
#include "traces/export_format.h"

#include <string.h>

#define BUNDLE_MAX 32768u

enum { TRACE_PACKET = 1 };
enum {
	PACKET_FTRACE_EVENTS = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_COUNTER = 8 };
enum { TRACK_EVENT_TYPE = 9, TRACK_EVENT_UUID = 11, TRACK_EVENT_VALUE = 30, TYPE_COUNTER = 4 };
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2 };
enum { EVENT_TIMESTAMP = 1, EVENT_PID = 2, EVENT_SWITCH = 4, EVENT_WAKING = 20 };
enum {
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID,
	SWITCH_PREV_PRIO,
	SWITCH_PREV_STATE,
	SWITCH_NEXT_COMM,
	SWITCH_NEXT_PID,
	SWITCH_NEXT_PRIO,
};
enum { WAKE_COMM = 1, WAKE_PID, WAKE_PRIO, WAKE_SUCCESS, WAKE_TARGET_CPU };

/* Linux 4.14 and later. */
static const uint64_t states[] = { [SL_XS_RUNNABLE] = 0,
				   [SL_XS_PREEMPTED] = 256,
				   [SL_XS_SLEEP] = 1,
				   [SL_XS_BLOCKED] = 2,
				   [SL_XS_DEAD] = 16 };

/* Counter tracks; their numbers need only be their own. */
enum { COUNTER_WAITING, COUNTER_MIGRATIONS, COUNTERS };
#define COUNTER_UUID 0x5c8ed1abu
static const char *const counter_names[] = {
	[COUNTER_WAITING] = "threads waiting for a CPU", [COUNTER_MIGRATIONS] = "migrations"
};

struct perfetto_out {
	uint64_t said[COUNTERS];     /* as said last */
	GPtrArray *bundles;	     /* GByteArray per CPU: events of the open bundle */
	GByteArray *payload, *event; /* scratch */
};

static void put_varint(GByteArray *out, uint64_t n)
{
	do {
		guint8 byte = (guint8)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));

		g_byte_array_append(out, &byte, 1);
		n >>= 7;
	} while (n);
}

static void put_number(GByteArray *out, unsigned field, uint64_t n)
{
	put_varint(out, field << 3);
	put_varint(out, n);
}

static void put_bytes(GByteArray *out, unsigned field, const void *bytes, size_t len)
{
	put_varint(out, field << 3 | 2);
	put_varint(out, len);
	g_byte_array_append(out, bytes, (guint)len);
}

/* A packet of the trace, its data in `payload`; `event` is overwritten. */
static void put_packet(struct sl_xwriter *w, unsigned field)
{
	struct perfetto_out *p = w->state;
	GByteArray *trace = g_byte_array_new();

	put_bytes(p->event, field, p->payload->data, p->payload->len);
	put_number(p->event, PACKET_SEQUENCE, 1);
	put_bytes(trace, TRACE_PACKET, p->event->data, p->event->len);
	fwrite(trace->data, 1, trace->len, w->out);
	g_byte_array_free(trace, TRUE);
}

static void put_counter(struct sl_xwriter *w, sl_time at, unsigned counter, uint64_t value)
{
	struct perfetto_out *p = w->state;

	if (p->said[counter] == value)
		return;
	p->said[counter] = value;
	g_byte_array_set_size(p->payload, 0);
	g_byte_array_set_size(p->event, 0);
	put_number(p->payload, TRACK_EVENT_TYPE, TYPE_COUNTER);
	put_number(p->payload, TRACK_EVENT_UUID, COUNTER_UUID + counter);
	put_number(p->payload, TRACK_EVENT_VALUE, value);
	put_number(p->event, PACKET_TIMESTAMP, at);
	put_packet(w, PACKET_TRACK_EVENT);
}

static void perfetto_begin(struct sl_xwriter *w)
{
	struct perfetto_out *p = g_new(struct perfetto_out, 1);

	p->bundles = g_ptr_array_new();
	p->payload = g_byte_array_new();
	p->event = g_byte_array_new();
	w->state = p;
	for (unsigned i = 0; i < COUNTERS; i++) {
		p->said[i] = UINT64_MAX;
		g_byte_array_set_size(p->payload, 0);
		g_byte_array_set_size(p->event, 0);
		put_number(p->payload, TRACK_UUID, COUNTER_UUID + i);
		put_bytes(p->payload, TRACK_NAME, counter_names[i], strlen(counter_names[i]));
		put_bytes(p->payload, TRACK_COUNTER, "", 0);
		put_packet(w, PACKET_TRACK_DESCRIPTOR);
	}
}

/* The bundle of each CPU becomes a packet of the trace. */
static void flush_bundles(struct sl_xwriter *w)
{
	struct perfetto_out *p = w->state;
	GByteArray *bundle = g_byte_array_new(), *packet = g_byte_array_new(),
		   *trace = g_byte_array_new();

	for (guint cpu = 0; cpu < p->bundles->len; cpu++) {
		GByteArray *events = g_ptr_array_index(p->bundles, cpu);

		if (events->len == 0)
			continue;
		g_byte_array_set_size(bundle, 0);
		g_byte_array_set_size(packet, 0);
		g_byte_array_set_size(trace, 0);
		put_number(bundle, BUNDLE_CPU, cpu);
		g_byte_array_append(bundle, events->data, events->len);
		put_bytes(packet, PACKET_FTRACE_EVENTS, bundle->data, bundle->len);
		put_number(packet, PACKET_SEQUENCE, 1);
		put_bytes(trace, TRACE_PACKET, packet->data, packet->len);
		fwrite(trace->data, 1, trace->len, w->out);
		g_byte_array_set_size(events, 0);
	}
	g_byte_array_free(bundle, TRUE);
	g_byte_array_free(packet, TRUE);
	g_byte_array_free(trace, TRUE);
}

static void fill_switch(GByteArray *out, const struct sl_xevent *ev)
{
	put_bytes(out, SWITCH_PREV_COMM, ev->a.name, strlen(ev->a.name));
	put_number(out, SWITCH_PREV_PID, ev->a.pid);
	put_number(out, SWITCH_PREV_PRIO, (uint64_t)ev->a.prio);
	put_number(out, SWITCH_PREV_STATE, states[ev->state]);
	put_bytes(out, SWITCH_NEXT_COMM, ev->b.name, strlen(ev->b.name));
	put_number(out, SWITCH_NEXT_PID, ev->b.pid);
	put_number(out, SWITCH_NEXT_PRIO, (uint64_t)ev->b.prio);
}

static void fill_wake(GByteArray *out, const struct sl_xevent *ev)
{
	put_bytes(out, WAKE_COMM, ev->a.name, strlen(ev->a.name));
	put_number(out, WAKE_PID, ev->a.pid);
	put_number(out, WAKE_PRIO, (uint64_t)ev->a.prio);
	put_number(out, WAKE_SUCCESS, 1);
	put_number(out, WAKE_TARGET_CPU, ev->target);
}

static void perfetto_event(struct sl_xwriter *w, const struct sl_xevent *ev)
{
	struct perfetto_out *p = w->state;
	bool is_switch = ev->kind == SL_X_SWITCH;
	GByteArray *events;

	if (ev->kind == SL_X_EXIT || ev->kind == SL_X_EDGE)
		return;
	while (p->bundles->len <= ev->cpu)
		g_ptr_array_add(p->bundles, g_byte_array_new());
	g_byte_array_set_size(p->payload, 0);
	g_byte_array_set_size(p->event, 0);
	if (is_switch)
		fill_switch(p->payload, ev);
	else
		fill_wake(p->payload, ev);
	put_number(p->event, EVENT_TIMESTAMP, ev->at);
	put_number(p->event, EVENT_PID, is_switch ? ev->a.pid : ev->cur.pid);
	put_bytes(p->event, is_switch ? EVENT_SWITCH : EVENT_WAKING, p->payload->data,
		  p->payload->len);
	events = g_ptr_array_index(p->bundles, ev->cpu);
	put_bytes(events, BUNDLE_EVENT, p->event->data, p->event->len);
	put_counter(w, ev->at, COUNTER_WAITING, ev->waiting);
	put_counter(w, ev->at, COUNTER_MIGRATIONS, ev->migrations);
	/* All at once, so that no bundle is far older than another. */
	if (events->len > BUNDLE_MAX)
		flush_bundles(w);
}

static void perfetto_end(struct sl_xwriter *w, sl_time end)
{
	struct perfetto_out *p = w->state;

	(void)end;
	flush_bundles(w);
	for (guint i = 0; i < p->bundles->len; i++)
		g_byte_array_free(g_ptr_array_index(p->bundles, i), TRUE);
	g_ptr_array_free(p->bundles, TRUE);
	g_byte_array_free(p->payload, TRUE);
	g_byte_array_free(p->event, TRUE);
	g_free(p);
}

const struct sl_export_format sl_export_perfetto = {
	.name = "perfetto",
	.summary = "Perfetto protobuf with ftrace events: the best picture",
	.begin = perfetto_begin,
	.event = perfetto_event,
	.end = perfetto_end,
};
