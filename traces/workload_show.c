/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A workload in words, one line per operation, loops indented.
 * Invariant: what is printed comes from the frozen struct alone, so it shows what the
 * engine gets and not what the file says. */
#include "traces/workload_load.h"

#include "sim/base/bits.h"
#include "traces/workload_expr.h"

#include <string.h>

#define TASKS_SHOWN 1000u

struct op_view {
	const char *name;
	char object; /* m(utex) c(ond) t(imer) s(em) b(arrier) h(channel) d(isk) k(mask) e(dge) */
	char length; /* t(ime) n(umber) or 0 */
	char target; /* t(ask) m(utex) or 0 */
};

static const struct op_view views[SL_OP_KIND_COUNT] = {
	[SL_OP_RUN] = { "run", 0, 't', 0 },
	[SL_OP_KRUN] = { "krun", 0, 't', 0 },
	[SL_OP_RUNTIME] = { "runtime", 0, 't', 0 },
	[SL_OP_SLEEP] = { "sleep", 0, 't', 0 },
	[SL_OP_UNTIL] = { "until", 0, 't', 0 },
	[SL_OP_TIMER] = { "timer", 't', 't', 0 },
	[SL_OP_YIELD] = { "yield", 0, 0, 0 },
	[SL_OP_LOCK] = { "lock", 'm', 0, 0 },
	[SL_OP_UNLOCK] = { "unlock", 'm', 0, 0 },
	[SL_OP_COND_WAIT] = { "wait", 'c', 0, 'm' },
	[SL_OP_COND_SIGNAL] = { "signal", 'c', 0, 0 },
	[SL_OP_COND_BROAD] = { "broad", 'c', 0, 0 },
	[SL_OP_COND_SYNC] = { "sync", 'c', 0, 'm' },
	[SL_OP_BARRIER] = { "barrier", 'b', 0, 0 },
	[SL_OP_SEM_WAIT] = { "sem_wait", 's', 0, 0 },
	[SL_OP_SEM_POST] = { "sem_post", 's', 0, 0 },
	[SL_OP_SEND] = { "send", 'h', 'n', 0 },
	[SL_OP_RECV] = { "recv", 'h', 'n', 0 },
	[SL_OP_DISK] = { "disk", 'd', 't', 0 },
	[SL_OP_READ] = { "read", 'd', 't', 0 },
	[SL_OP_FORK] = { "fork", 0, 'n', 't' },
	[SL_OP_EXEC] = { "execve", 0, 't', 0 },
	[SL_OP_WAIT_CHILD] = { "join", 0, 0, 0 },
	[SL_OP_EXIT] = { "exit", 0, 0, 0 },
	[SL_OP_SETNICE] = { "setnice", 0, 0, 't' },
	[SL_OP_SETCLASS] = { "setclass", 0, 0, 't' },
	[SL_OP_SETMASK] = { "setmask", 'k', 0, 't' },
	[SL_OP_BIND] = { "bind", 0, 0, 0 },
	[SL_OP_PIN] = { "pin", 0, 0, 0 },
	[SL_OP_MARK] = { "mark", 0, 0, 0 },
	[SL_OP_LOOP] = { "loop", 0, 'n', 0 },
	[SL_OP_ENDLOOP] = { "end", 0, 0, 0 },
	[SL_OP_EDGE_WAIT] = { "edge_wait", 'e', 0, 0 },
	[SL_OP_EDGE_WAKE] = { "edge_wake", 'e', 0, 0 },
};

static const char *class_name(int pri_class)
{
	static const char *const names[] = { [SL_CLASS_ITHD] = "ithread",
					     [SL_CLASS_REALTIME] = "realtime",
					     [SL_CLASS_TIMESHARE] = "timeshare",
					     [SL_CLASS_IDLE] = "idle" };

	return pri_class == SL_CLASS_FIFO ? "fifo"
	       : pri_class == 0		  ? "timeshare"
					  : names[SL_CLASS_BASE(pri_class)];
}

static void print_mask(const struct sl_workload *w, uint32_t mask, GString *out)
{
	const uint64_t *set;
	uint32_t bits = w->mask_words * 64;
	const char *comma = "";

	if (mask == SL_NONE) {
		g_string_append(out, "all");
		return;
	}
	set = w->mask + (size_t)mask * w->mask_words;
	for (uint32_t a = sl_bits_next(set, w->mask_words, 0); a < bits;) {
		uint32_t b = a;

		while (b + 1 < bits && sl_bit_test(set, b + 1))
			b++;
		g_string_append_printf(out, a == b ? "%s%u" : "%s%u-%u", comma, a, b);
		comma = ",";
		a = b + 1 < bits ? sl_bits_next(set, w->mask_words, b + 1) : bits;
	}
}

static void print_value(char what, uint64_t value, GString *out)
{
	if (what == 't')
		sl_time_print(value, out);
	else
		g_string_append_printf(out, "%" G_GUINT64_FORMAT, value);
}

static void print_dist(const struct sl_workload *w, char what, const struct sl_dist *d,
		       GString *out)
{
	const uint64_t *q = d->n ? w->quantile + d->first : NULL;

	g_string_append_c(out, ' ');
	if (d->n == 0) {
		if (what == 'n' && d->value == UINT64_MAX)
			g_string_append(out, "for ever");
		else
			print_value(what, d->value, out);
		return;
	}
	g_string_append(out, "drawn, mean ");
	print_value(what, d->value, out);
	g_string_append(out, ", min ");
	print_value(what, q[0], out);
	g_string_append(out, ", median ");
	print_value(what, q[d->n / 2], out);
	g_string_append(out, ", max ");
	print_value(what, q[d->n], out);
}

static void print_object(const struct sl_workload *w, char kind, uint32_t obj, GString *out)
{
	g_string_append_c(out, ' ');
	switch (kind) {
	case 'm':
		g_string_append(out, w->mutex[obj].name);
		break;
	case 'c':
		g_string_append(out, w->cond[obj].name);
		break;
	case 't':
		g_string_append(out, w->timer[obj].name);
		break;
	case 's':
		g_string_append(out, w->sem[obj].name);
		break;
	case 'b':
		g_string_append(out, w->barrier[obj].name);
		break;
	case 'h':
		g_string_append(out, w->channel[obj].name);
		break;
	case 'd':
		g_string_append(out, w->disk[obj].name);
		break;
	case 'k':
		print_mask(w, obj, out);
		break;
	default:
		g_string_append_printf(out, "%u", obj);
		break;
	}
}

static void print_flags(const struct sl_op *op, GString *out)
{
	if (op->kind == SL_OP_TIMER && (op->flags & SL_OPF_TIMER_ABSOLUTE))
		g_string_append(out, " absolute");
	if (op->kind == SL_OP_TIMER && (op->flags & SL_OPF_TIMER_UNIQUE))
		g_string_append(out, " own");
	if (op->kind == SL_OP_FORK && (op->flags & SL_OPF_FORK_THREAD))
		g_string_append(out, " thread");
	if (op->kind == SL_OP_FORK && (op->flags & SL_OPF_TEMPLATE_ONCE))
		g_string_append(out, " once");
	if (op->kind == SL_OP_WAIT_CHILD)
		g_string_append(out, op->flags & SL_OPF_WAIT_ALL ? " all" : " one");
	if (op->kind == SL_OP_SETCLASS)
		g_string_append_printf(out, " %s %d", class_name(op->value), op->value2);
	if (op->kind == SL_OP_SETNICE || op->kind == SL_OP_BIND || op->kind == SL_OP_PIN)
		g_string_append_printf(out, " %d", op->value);
}

static void print_op(const struct sl_workload *w, const struct sl_op *op, int depth, GString *out)
{
	const struct op_view *v = &views[op->kind];

	g_string_append_printf(out, "%*s%s", 4 + 2 * depth, "", v->name);
	if (v->object)
		print_object(w, v->object, op->obj, out);
	if (v->target == 't' && op->target != SL_NONE)
		g_string_append_printf(out, " %s%s", op->kind == SL_OP_FORK ? "" : "of ",
				       w->task[op->target].name);
	if (v->target == 'm' && op->target != SL_NONE)
		g_string_append_printf(out, " mutex %s", w->mutex[op->target].name);
	if (v->length)
		print_dist(w, v->length, &op->dist, out);
	print_flags(op, out);
	g_string_append_c(out, '\n');
}

static void print_task(const struct sl_workload *w, const struct sl_task *t, GString *out)
{
	int depth = 0;

	g_string_append_printf(out, "task %s: ", t->name);
	if (t->instances == 0)
		g_string_append(out, t->template_once ? "template with an id" : "template");
	else
		g_string_append_printf(out, "%u thread%s", t->instances,
				       t->instances == 1 ? "" : "s");
	g_string_append_printf(out, ", %s", class_name(t->pri_class));
	if (t->level)
		g_string_append_printf(out, " %u", t->level);
	g_string_append_printf(out, ", nice %d", t->nice);
	if (t->mask != SL_NONE) {
		g_string_append(out, ", cpus ");
		print_mask(w, t->mask, out);
	}
	if (t->delay) {
		g_string_append(out, ", starts at ");
		sl_time_print(t->delay, out);
	}
	if (t->proc_group != SL_NONE)
		g_string_append_printf(out, ", process %u", t->proc_group);
	if (t->ithread)
		g_string_append_printf(out, ", interrupt thread on CPU %d", t->irq_cpu);
	if (t->bind_cpu >= 0)
		g_string_append_printf(out, ", bound to CPU %d", t->bind_cpu);
	if (t->pin)
		g_string_append(out, ", pinned");
	if (t->background)
		g_string_append(out, ", background");
	if (t->footprint_kib)
		g_string_append_printf(out, ", footprint %u KiB", t->footprint_kib);
	g_string_append_c(out, '\n');
	for (uint32_t i = 0; i < t->n_ops; i++) {
		const struct sl_op *op = &w->op[t->first_op + i];

		depth -= op->kind == SL_OP_ENDLOOP;
		print_op(w, op, depth, out);
		depth += op->kind == SL_OP_LOOP;
	}
}

static void print_resources(const struct sl_workload *w, GString *out)
{
	static const char *const mutex_kinds[] = { "user", "pi", "kernel" };

	for (uint32_t i = 0; i < w->n_mutexes; i++)
		g_string_append_printf(out, "mutex %s: %s\n", w->mutex[i].name,
				       mutex_kinds[w->mutex[i].kind]);
	for (uint32_t i = 0; i < w->n_sems; i++)
		g_string_append_printf(out, "semaphore %s: starts at %u\n", w->sem[i].name,
				       w->sem[i].initial);
	for (uint32_t i = 0; i < w->n_barriers; i++)
		g_string_append_printf(out, "barrier %s: %u parties\n", w->barrier[i].name,
				       w->barrier[i].parties);
	for (uint32_t i = 0; i < w->n_channels; i++) {
		if (w->channel[i].capacity >= INT64_MAX)
			g_string_append_printf(out, "channel %s: unbounded\n", w->channel[i].name);
		else
			g_string_append_printf(out, "channel %s: %" G_GUINT64_FORMAT " units\n",
					       w->channel[i].name, w->channel[i].capacity);
	}
	for (uint32_t i = 0; i < w->n_disks; i++)
		g_string_append_printf(
			out, "disk %s: %u server%s, reads miss %u permille cold, %u warm\n",
			w->disk[i].name, w->disk[i].servers, w->disk[i].servers == 1 ? "" : "s",
			w->disk[i].cold_permille, w->disk[i].warm_permille);
}

void sl_workload_show(const struct sl_workload *w, GString *out)
{
	uint64_t threads = 0;

	for (uint32_t i = 0; i < w->n_tasks; i++)
		threads += w->task[i].instances;
	g_string_append_printf(out, "workload %s: %u tasks, %" G_GUINT64_FORMAT " threads, ",
			       w->name, w->n_tasks, threads);
	if (w->duration) {
		g_string_append(out, "ends after ");
		sl_time_print(w->duration, out);
	} else {
		g_string_append(out, "until all threads end");
	}
	g_string_append_printf(out, ", digest %016" G_GINT64_MODIFIER "x\n", w->digest);
	print_resources(w, out);
	for (uint32_t i = 0; i < w->n_tasks && i < TASKS_SHOWN; i++)
		print_task(w, &w->task[i], out);
	if (w->n_tasks > TASKS_SHOWN)
		g_string_append_printf(out, "... and %u more tasks\n", w->n_tasks - TASKS_SHOWN);
}
