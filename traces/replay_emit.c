/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pass 4: the frozen workload.
 * Invariant: tasks stand in the order of their threads' numbers, edges are numbered in
 * the order their wake-ups stand in the programs; nothing depends on addresses. */
#include "traces/replay.h"

#include <string.h>

#include "traces/import_workload.h"

/* Linux real-time priorities 0 (best) .. 98 on the 32 levels of rtprio(2). */
#define RT_LEVELS 32u
#define RT_PRIOS  100u

static uint8_t wait_prio(const struct sl_replay *b, const struct rp_thread *t, struct rp_op op)
{
	const struct rp_thread *waker;

	if (rp_flags(op) & RPF_WPRIO)
		return (uint8_t)((rp_flags(op) >> 8) - 1);
	if (rp_flags(op) & RPF_DISK)
		return SL_WPRIO_PRIBIO;
	if (rp_kind(op) != RP_WAIT)
		return SL_WPRIO_PWAIT;
	/* Threads of one process meet at locks and conditions, processes at pipes and
	 * sockets. */
	waker = &b->threads[rp_peer(op)];
	if (t->part_thread || waker->part_thread)
		return SL_WPRIO_NONE;
	return SL_WPRIO_PSOCK;
}

static bool emit_op(struct sl_replay *b, struct sl_import_builder *out, const struct rp_thread *t,
		    struct rp_op op, uint32_t *edge_of)
{
	struct sl_op o = { .obj = SL_NONE, .target = SL_NONE };

	switch (rp_kind(op)) {
	case RP_RUN:
		o.kind = SL_OP_RUN;
		o.dist.value = rp_ns(op);
		b->report->selected_cpu += rp_ns(op);
		break;
	case RP_SLEEP:
		o.kind = SL_OP_SLEEP;
		o.dist.value = rp_ns(op);
		o.wprio = wait_prio(b, t, op);
		b->report->sleeps++;
		b->report->unexplained += (rp_flags(op) & RPF_UNSEEN) != 0;
		break;
	case RP_UNTIL:
		o.kind = SL_OP_UNTIL;
		o.dist.value = op.arg;
		o.wprio = wait_prio(b, t, op);
		break;
	case RP_WAIT:
	case RP_WAKE:
		if (edge_of[rp_edge(op)] == RP_NONE)
			edge_of[rp_edge(op)] = out->n_edges++;
		o.kind = rp_kind(op) == RP_WAIT ? SL_OP_EDGE_WAIT : SL_OP_EDGE_WAKE;
		o.obj = edge_of[rp_edge(op)];
		if (rp_kind(op) == RP_WAIT) {
			o.wprio = wait_prio(b, t, op);
			b->report->edges++;
		}
		break;
	case RP_FORK:
		o.kind = SL_OP_FORK;
		o.target = b->threads[rp_peer(op)].task;
		o.flags = SL_OPF_TEMPLATE_ONCE;
		if (b->threads[rp_peer(op)].part_thread)
			o.flags |= SL_OPF_FORK_THREAD;
		break;
	case RP_PRIO:
		o.kind = SL_OP_SETNICE;
		o.value = (int32_t)rp_ns(op) - 120;
		break;
	case RP_EXIT:
		o.kind = SL_OP_EXIT;
		break;
	default:
		return false;
	}
	sl_import_builder_op(out, &o);
	return o.kind == SL_OP_EXIT;
}

/* Static threads of one process share a group: the number of its first task. */
static uint32_t proc_group(GHashTable *groups, const struct rp_thread *t)
{
	gpointer group;

	if (t->forked_here || t->tgid <= 0)
		return SL_NONE;
	if (!g_hash_table_lookup_extended(groups, GINT_TO_POINTER(t->tgid), NULL, &group)) {
		group = GUINT_TO_POINTER(t->task);
		g_hash_table_insert(groups, GINT_TO_POINTER(t->tgid), group);
	}
	return GPOINTER_TO_UINT(group);
}

static void emit_task(struct sl_replay *b, struct sl_import_builder *out, struct rp_thread *t,
		      uint32_t *edge_of, GHashTable *groups)
{
	struct sl_task task = { .instances = t->forked_here ? 0 : 1,
				.template_once = t->forked_here,
				.mask = SL_NONE,
				.proc_group = proc_group(groups, t),
				.irq_cpu = 0,
				.bind_cpu = -1,
				.background = t->background };
	bool ended = false;

	if (t->first_prio >= 100 && t->first_prio < 140) {
		task.nice = (int8_t)(t->first_prio - 120);
	} else if (t->first_prio >= 0 && t->first_prio < 100) {
		task.pri_class = SL_CLASS_REALTIME;
		task.level = (uint8_t)((uint32_t)t->first_prio * RT_LEVELS / RT_PRIOS);
	}
	sl_import_builder_task(out, t->name[0] ? t->name : "thread", &task);
	/* Forked by a thread that is left out: it is there from the start, and waits. */
	if (t->by_fork && !t->forked_here && t->born > b->start)
		emit_op(b, out, t, rp_make(RP_SLEEP, t->born - b->start, 0), edge_of);
	for (uint32_t i = 0; i < t->n_ops && !ended; i++)
		ended = emit_op(b, out, t, t->ops[i], edge_of);
	if (!ended)
		sl_import_builder_op(
			out,
			&(struct sl_op){ .kind = SL_OP_EXIT, .obj = SL_NONE, .target = SL_NONE });
}

/* A thread without a program of its own is a task only when a parent forks it. */
static bool worth_a_task(const struct rp_thread *t)
{
	return t->selected && (t->forked_here || t->n_ops > 0);
}

/* A thread beside the first of its process, as far as the trace tells. */
static bool is_part(const struct rp_thread *t)
{
	return t->tgid > 0 && t->tgid != t->pid;
}

static uint64_t end_of(const struct sl_replay *b, const struct rp_thread *t)
{
	if (t->died != UINT64_MAX)
		return t->died;
	return t->status == RP_RUNNING ? t->on : t->status == RP_BLOCKED ? t->off : b->now;
}

static int by_pid(const void *a, const void *b, void *threads)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct rp_thread *t = threads;

	if (t[x].pid != t[y].pid)
		return t[x].pid < t[y].pid ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The threads that become tasks, by number: what was exported comes back in its order. */
static uint32_t *number_tasks(struct sl_replay *b, uint32_t *n)
{
	uint32_t *order = g_new(uint32_t, b->n_threads + 1);

	*n = 0;
	for (uint32_t i = 0; i < b->n_threads; i++)
		if (worth_a_task(&b->threads[i]))
			order[(*n)++] = i;
	g_qsort_with_data(order, (gint)*n, sizeof(order[0]), by_pid, b->threads);
	for (uint32_t k = 0; k < *n; k++) {
		b->threads[order[k]].task = k;
		b->threads[order[k]].part_thread |= is_part(&b->threads[order[k]]);
	}
	return order;
}

struct sl_workload *rp_emit(struct sl_replay *b, const char *name, GError **err)
{
	struct sl_import_builder *out = sl_import_builder_new(name);
	uint32_t *edge_of = g_new(uint32_t, b->n_edges + 1);
	GHashTable *groups = g_hash_table_new(NULL, NULL);
	uint32_t n_tasks, *order = number_tasks(b, &n_tasks);

	memset(edge_of, 0xff, (b->n_edges + 1) * sizeof(edge_of[0]));
	for (uint32_t k = 0; k < n_tasks; k++) {
		struct rp_thread *t = &b->threads[order[k]];
		uint64_t end = end_of(b, t);

		b->report->selected++;
		emit_task(b, out, t, edge_of, groups);
		if (!t->background && end > b->start)
			b->report->makespan = MAX(b->report->makespan, end - b->start);
	}
	g_free(order);
	g_free(edge_of);
	g_hash_table_destroy(groups);
	out->wake_latency = b->report->wake_latency;
	out->recorded = b->report->makespan;
	if (b->chosen != RP_NONE)
		b->report->root = sl_import_builder_name(out, b->root[b->chosen].name);
	return sl_import_builder_finish(out, err);
}

/* Median of the wake-up latencies: middle of the step that holds it. */
static uint64_t median_latency(const struct sl_replay *b)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(b->latency); i++) {
		seen += b->latency[i];
		if (b->latency[i] && seen * 2 >= b->report->wake_samples) {
			unsigned octave = i / 16, step = i % 16;

			return octave >= 5 ? ((uint64_t)(33 + 2 * step) << octave) >> 5
					   : (uint64_t)1 << octave;
		}
	}
	return 0;
}

struct sl_workload *sl_replay_finish(struct sl_replay *b, const char *name, GError **err)
{
	struct sl_import_report *r = b->report;

	r->cpus = 0;
	for (uint32_t i = 0; i < b->n_cpus; i++) {
		r->cpus += b->cpus[i].seen;
		/* What runs at the end has run until the end. */
		if (b->cpus[i].cur < RP_IDLE)
			rp_charge(&b->threads[b->cpus[i].cur], b->cpus[i].last);
	}
	r->threads = b->n_threads;
	for (uint32_t i = 0; i < b->n_threads; i++)
		r->cpu_time += b->threads[i].cpu_ns;
	r->wake_latency = median_latency(b);
	if (b->opts->from && !b->window_cut) {
		g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_EMPTY,
			    "%s: the trace ends after %.6f s; expected an earlier start of the "
			    "part to replay (--from)",
			    name, (double)r->span / 1e9);
		return NULL;
	}
	if (b->opts->command && !b->window_cut) {
		bool found = false;

		for (uint32_t i = 0; i < b->n_roots; i++)
			found |= b->root[i].sure;
		if (!found) {
			g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_EMPTY,
				    "%s: no exec of '%s' in the trace; expected the name of a "
				    "program it starts%s%s",
				    name, b->opts->command, b->n_roots ? ", for example " : "",
				    b->n_roots ? b->root[0].name : "");
			return NULL;
		}
	}
	rp_select(b);
	rp_clean(b);
	return rp_emit(b, name, err);
}
