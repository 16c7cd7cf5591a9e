/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD KTR: from records of single threads to switches.
 * A KTR ring is small, so all records are kept, put in order, given a clock rate and
 * replayed through each CPU: "thread leaves" and "thread runs" together are one switch.
 * Invariant: the builder gets events in time order. */
#include "traces/ktr.h"

#include <string.h>

#include "traces/import_format.h"
#include "traces/import_text.h"

#define DEFAULT_HZ_NS 1.0 /* ns per tick when nothing tells: 1 GHz, as schedgraph does */

struct ktr_cpu {
	int32_t cur;  /* running thread; SL_TID_UNKNOWN */
	bool leaving; /* cur has said how it leaves */
	bool process; /* and that its process ends */
	uint8_t state;
	uint8_t wprio; /* priority it sleeps with; SL_WPRIO_COUNT unknown */
	char comm[SL_COMM_MAX];
	int16_t prio;
};

struct ktr {
	struct sl_import_ctx *ctx;
	GArray *records;  /* struct ktr_record */
	GArray *cpus;	  /* struct ktr_cpu */
	GHashTable *tids; /* identity -> number */
	double ns_per_tick;
	uint64_t base;
	bool tells_processes; /* the end of a process is told from that of a thread */
};

/* FreeBSD's numbers start at 100000 and its old records have addresses: give each thread
 * a small number of its own, in order of appearance. */
static int32_t tid_of(struct ktr *k, uint64_t thread)
{
	gpointer found;
	gint64 key = (gint64)thread;

	if (thread == 0)
		return SL_TID_IDLE;
	if (thread == UINT64_MAX)
		return SL_TID_UNKNOWN;
	found = g_hash_table_lookup(k->tids, &key);
	if (!found) {
		found = GINT_TO_POINTER((gint)g_hash_table_size(k->tids) + 1);
		g_hash_table_insert(k->tids, g_memdup2(&key, sizeof(key)), found);
	}
	return GPOINTER_TO_INT(found);
}

static struct ktr_cpu *cpu_of(struct ktr *k, uint32_t cpu)
{
	while (k->cpus->len <= cpu) {
		struct ktr_cpu fresh = { .cur = SL_TID_UNKNOWN, .prio = -1 };

		g_array_append_val(k->cpus, fresh);
	}
	return &g_array_index(k->cpus, struct ktr_cpu, cpu);
}

/* ns since the first record. A slow clock and stamps far apart go beyond 63 bits. */
static uint64_t time_of(const struct ktr *k, const struct ktr_record *r)
{
	double ns;

	if (r->ns)
		return r->at - k->base;
	ns = (double)(r->at - k->base) * k->ns_per_tick;
	return ns < (double)INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

static struct sl_event *event(struct ktr *k, const struct ktr_record *r, uint8_t kind)
{
	struct sl_event *ev = sl_import_slot(k->ctx);

	memset(ev, 0, sizeof(*ev));
	ev->at = time_of(k, r);
	ev->kind = kind;
	ev->cpu = r->cpu;
	ev->ctx = SL_CTX_UNKNOWN;
	ev->tgid = ev->cur = SL_TID_UNKNOWN;
	/* FreeBSD's priorities are not Linux's. */
	ev->prio = ev->prio2 = ev->target_cpu = -1;
	return ev;
}

/* Why the thread that has just been switched out waits. */
static void put_wprio(struct ktr *k, const struct ktr_record *r, int32_t tid, uint8_t wprio)
{
	struct sl_event *ev = event(k, r, SL_EV_WPRIO);

	ev->tid = tid;
	ev->value = wprio;
	sl_import_commit(k->ctx, ev);
}

static void on_in(struct ktr *k, const struct ktr_record *r)
{
	struct ktr_cpu *cpu = cpu_of(k, r->cpu);
	int32_t tid = tid_of(k, r->thread);
	struct sl_event *ev;

	if (cpu->cur == tid) {
		cpu->leaving = false; /* spun, or yielded to itself */
		return;
	}
	if (cpu->cur != SL_TID_UNKNOWN) {
		ev = event(k, r, SL_EV_SWITCH);
		ev->cur = ev->tid = cpu->cur;
		ev->tid2 = tid;
		ev->state = cpu->leaving || cpu->cur == SL_TID_IDLE ? cpu->state : SL_EVS_RUNNABLE;
		ev->raw_state = 'R';
		if (cpu->cur == SL_TID_IDLE)
			ev->state = SL_EVS_RUNNABLE;
		if (ev->state == SL_EVS_DEAD && k->tells_processes && !cpu->process)
			ev->raw_state = 'X';
		memcpy(ev->comm, cpu->comm, SL_COMM_MAX);
		memcpy(ev->comm2, r->comm, SL_COMM_MAX);
		sl_import_commit(k->ctx, ev);
		if (cpu->leaving && cpu->wprio < SL_WPRIO_COUNT)
			put_wprio(k, r, cpu->cur, cpu->wprio);
	} else {
		/* The first word about this CPU: nobody leaves it, but time begins to count. */
		ev = event(k, r, SL_EV_SEEN);
		ev->cur = tid;
		sl_import_commit(k->ctx, ev);
	}
	cpu->cur = tid;
	cpu->leaving = false;
	memcpy(cpu->comm, r->comm, SL_COMM_MAX);
}

static void on_out(struct ktr *k, const struct ktr_record *r)
{
	struct ktr_cpu *cpu = cpu_of(k, r->cpu);

	/* The process ends first, then its last thread. */
	cpu->process =
		r->process || (cpu->process && cpu->leaving && cpu->cur == tid_of(k, r->thread));
	/* A record of the running thread, or the first word about this CPU. */
	cpu->cur = tid_of(k, r->thread);
	memcpy(cpu->comm, r->comm, SL_COMM_MAX);
	cpu->leaving = true;
	cpu->state = r->state;
	cpu->wprio = r->wprio;
}

static void on_add(struct ktr *k, const struct ktr_record *r)
{
	int32_t tid = tid_of(k, r->thread), by = tid_of(k, r->by);
	struct sl_event *ev;

	/* A thread that puts itself back has been preempted, not woken. */
	if (tid == SL_TID_IDLE || tid == by || cpu_of(k, r->cpu)->cur == tid)
		return;
	ev = event(k, r, SL_EV_WAKING);
	ev->cur = cpu_of(k, r->cpu)->cur;
	if (by != SL_TID_UNKNOWN && !cpu_of(k, r->cpu)->leaving)
		ev->cur = by;
	/* An idle thread that does not run here cannot have woken anybody: an interrupt. */
	if (by == SL_TID_IDLE && cpu_of(k, r->cpu)->cur != SL_TID_IDLE) {
		ev->cur = cpu_of(k, r->cpu)->cur;
		ev->ctx = SL_CTX_IRQ;
	}
	ev->tid = tid;
	memcpy(ev->comm, r->comm, SL_COMM_MAX);
	sl_import_commit(k->ctx, ev);
}

static void on_fork(struct ktr *k, const struct ktr_record *r)
{
	int32_t tid = tid_of(k, r->thread), by = tid_of(k, r->by);
	struct sl_event *ev;

	if (tid <= 0 || by <= 0)
		return;
	ev = event(k, r, SL_EV_FORK);
	ev->cur = cpu_of(k, r->cpu)->cur;
	ev->tid = by;
	ev->tid2 = tid;
	memcpy(ev->comm2, r->comm, SL_COMM_MAX);
	sl_import_commit(k->ctx, ev);
}

static void on_edge(struct ktr *k, const struct ktr_record *r)
{
	struct sl_event *ev = event(k, r, SL_EV_EDGE);

	ev->cur = tid_of(k, r->thread);
	ev->value = r->edge;
	ev->tid2 = r->wait;
	ev->state = r->wprio;
	sl_import_commit(k->ctx, ev);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* FreeBSD gives out numbers in ascending order, so they say who came first; addresses do
 * not. */
static void number_threads(struct ktr *k)
{
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	for (guint i = 0; i < k->records->len; i++) {
		const struct ktr_record *r = &g_array_index(k->records, struct ktr_record, i);

		k->tells_processes |= r->process;
		if (r->graph)
			g_array_append_val(ids, r->thread);
	}
	g_array_sort(ids, by_value);
	for (guint i = 0; i < ids->len; i++)
		tid_of(k, g_array_index(ids, uint64_t, i));
	g_array_free(ids, TRUE);
}

static int by_stamp(const void *a, const void *b, void *data)
{
	const struct ktr_record *x = a, *y = b;

	(void)data;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Newest first is usual; a stable sort then keeps the order of equal stamps. */
static void put_in_order(struct ktr *k)
{
	struct ktr_record *r = (struct ktr_record *)(void *)k->records->data;
	guint n = k->records->len;

	if (n > 1 && r[0].at > r[n - 1].at) {
		k->ctx->report->reversed = true;
		for (guint i = 0, j = n - 1; i < j; i++, j--) {
			struct ktr_record t = r[i];

			r[i] = r[j];
			r[j] = t;
		}
	}
	g_qsort_with_data(r, (gint)n, sizeof(*r), by_stamp, NULL);
}

/* The clock's rate from the distance of statclock ticks on CPU 0 (median). */
static void find_rate(struct ktr *k)
{
	GArray *steps = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	uint64_t last = 0;
	uint32_t hz = 0;

	k->ns_per_tick = DEFAULT_HZ_NS;
	for (guint i = 0; i < k->records->len; i++) {
		const struct ktr_record *r = &g_array_index(k->records, struct ktr_record, i);

		if (r->kind != KTR_STAT || r->cpu != 0 || r->hz == 0)
			continue;
		if (last) {
			uint64_t step = r->at - last;

			g_array_append_val(steps, step);
		}
		last = r->at;
		hz = r->hz;
	}
	if (steps->len >= 2) {
		uint64_t median;

		g_array_sort(steps, by_value);
		median = g_array_index(steps, uint64_t, steps->len / 2);
		if (median > 0)
			k->ns_per_tick = 1e9 / ((double)median * hz);
	}
	g_array_free(steps, TRUE);
}

static void play(struct ktr *k)
{
	uint64_t lines = k->ctx->report->lines;

	if (k->records->len == 0)
		return;
	k->base = g_array_index(k->records, struct ktr_record, 0).at;
	for (guint i = 0; i < k->records->len; i++) {
		const struct ktr_record *r = &g_array_index(k->records, struct ktr_record, i);

		/* For those who want to know where they are. */
		k->ctx->report->lines = r->line;
		switch (r->kind) {
		case KTR_IN:
			on_in(k, r);
			break;
		case KTR_OUT:
			on_out(k, r);
			break;
		case KTR_ADD:
			on_add(k, r);
			break;
		case KTR_FORK:
			on_fork(k, r);
			break;
		case KTR_EDGE:
			on_edge(k, r);
			break;
		default:
			break;
		}
	}
	k->ctx->report->lines = lines;
}

static bool ktr_read(struct sl_import_ctx *ctx, GError **err)
{
	struct ktr k = { .ctx = ctx };
	struct sl_line line;

	(void)err;
	k.records = g_array_new(FALSE, FALSE, sizeof(struct ktr_record));
	k.cpus = g_array_new(FALSE, FALSE, sizeof(struct ktr_cpu));
	k.tids = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	while (sl_reader_next(ctx->in, &line)) {
		struct ktr_record r;

		ctx->report->lines = line.number;
		ctx->report->truncated |= line.open;
		if (line.cut) {
			sl_import_bad(ctx, &line, line.s + line.len, "the end of the line by here");
			continue;
		}
		if (!ktr_parse(&line, &r)) {
			const char *graph = sl_find_bytes(line.s, line.len, "KTRGRAPH");

			/* KTR has other classes too, whose lines are nobody's loss. */
			if (graph)
				sl_import_bad(ctx, &line, graph,
					      "KTRGRAPH group:\"...\", id:\"...\", "
					      "state:\"...\", attributes: ...");
		} else if (r.kind != KTR_NONE) {
			r.line = line.number;
			g_array_append_val(k.records, r);
		}
	}
	put_in_order(&k);
	find_rate(&k);
	number_threads(&k);
	play(&k);
	g_array_free(k.records, TRUE);
	g_array_free(k.cpus, TRUE);
	g_hash_table_destroy(k.tids);
	return true;
}

static bool is_ktr_line(const char *s, size_t len)
{
	const struct sl_line line = { .s = s, .len = len };
	struct ktr_record r;

	return ktr_parse(&line, &r);
}

static int ktr_probe(const char *head, size_t len)
{
	unsigned found = sl_probe_lines(head, len, 200, is_ktr_line);

	return found ? 20 + (int)MIN(found, 60) : 0;
}

const struct sl_import_format sl_format_ktr = {
	.name = "ktr",
	.summary = "FreeBSD ktrdump or schedgraph.d text",
	.probe = ktr_probe,
	.read = ktr_read,
};
