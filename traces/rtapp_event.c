/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Events to operations. Extensions are recognised by their exact name and an optional
 * number; rt-app's own events by prefix, in rt-app's order, so `run`, `run0` and
 * `running_note` are all run.
 * Invariant: every operation of a program is emitted through sl_rtapp_emit(), so its
 * place in the file is known to the checks that come later. */
#include "traces/rtapp.h"

#include "sim/base/nearest.h"

#include <string.h>

#define LOOP_DEPTH_MAX 8 /* what sl_workload_check() allows */
#define FORK_MAX       1024
#define UNROLL_MAX     10000000

struct event {
	const char *name;
	bool (*emit)(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v);
	uint8_t op;	  /* enum sl_op_kind */
	uint8_t resource; /* enum sl_resource of a plain name */
};

struct sl_op *sl_rtapp_emit(struct sl_rtapp_task *task, const struct sl_json *at,
			    enum sl_op_kind kind)
{
	struct sl_op *op = sl_build_op(task->rt->b, kind);

	g_array_append_val(task->rt->op_at, at);
	return op;
}

static bool fail_value(struct sl_rtapp_task *t, const struct sl_json *v, const char *expected)
{
	return sl_json_fail(t->rt->doc, v, FALSE, t->rt->error, "%s is %s, expected %s", v->key,
			    sl_json_type_name(v), expected);
}

static void note_use(struct sl_rtapp_task *t, const struct sl_json *at, const struct sl_op *op)
{
	struct sl_rtapp_use use = { .at = at, .kind = op->kind, .obj = op->obj, .task = t->index };

	if (t->rt->findings)
		g_array_append_val(t->rt->uses, use);
}

/* A resource named by v. */
static bool resource(struct sl_rtapp_task *t, const struct sl_json *v, enum sl_resource kind,
		     uint32_t *index)
{
	char *name = sl_rtapp_name(t->rt, t->scope, v, v->key);

	if (!name)
		return false;
	*index = sl_build_resource(t->rt->b, kind, name);
	if (kind == SL_RES_MUTEX && t->rt->pi &&
	    sl_build_mutex(t->rt->b, *index)->kind == SL_MUTEX_USER)
		sl_build_mutex(t->rt->b, *index)->kind = SL_MUTEX_USER_PI;
	g_free(name);
	return true;
}

/* Member `key` of an event's object; error when it is missing. */
static const struct sl_json *member(struct sl_rtapp_task *t, const struct sl_json *v,
				    const char *key)
{
	const struct sl_json *m;

	if (v->type != SL_JSON_OBJECT) {
		sl_json_fail(t->rt->doc, v, FALSE, t->rt->error,
			     "%s is %s, expected an object with \"%s\"", v->key,
			     sl_json_type_name(v), key);
		return NULL;
	}
	m = sl_json_get(v, key);
	if (!m)
		sl_json_fail(t->rt->doc, v, FALSE, t->rt->error, "%s has no \"%s\"", v->key, key);
	return m;
}

/* Warns of members that the event does not know. */
static void check_members(struct sl_rtapp_task *t, const struct sl_json *v,
			  const char *const *known)
{
	if (v->type != SL_JSON_OBJECT)
		return;
	for (const struct sl_json *m = v->child; m; m = m->next)
		if (!g_strv_contains(known, m->key))
			sl_rtapp_unknown_key(t->rt, m, v->key, known);
}

static bool emit_length(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	struct sl_dist d;
	struct sl_op *op;

	if (!sl_rtapp_dist(t->rt, t->scope, v, false, &d))
		return false;
	op = sl_rtapp_emit(t, v, e->op);
	op->dist = d;
	if (e->op == SL_OP_SLEEP)
		op->wprio = t->wprio;
	return true;
}

static bool emit_plain(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	sl_rtapp_emit(t, v, e->op);
	return true;
}

static bool emit_named(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	struct sl_op *op;
	uint32_t obj;

	if (!resource(t, v, e->resource, &obj))
		return false;
	op = sl_rtapp_emit(t, v, e->op);
	op->obj = obj;
	op->wprio = t->wprio;
	note_use(t, v, op);
	return true;
}

/* The number of parties is the number of places that name the barrier, each times the
 * instances of its task. */
static bool emit_barrier(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	struct sl_rtapp *rt = t->rt;
	uint32_t instances = sl_build_task_at(rt->b, t->index)->instances, obj;
	bool declared;

	if (!emit_named(t, e, v))
		return false;
	obj = sl_build_op_at(rt->b, sl_build_here(rt->b) - 1)->obj;
	declared = g_hash_table_contains(rt->declared, GUINT_TO_POINTER(obj + 1));
	if (instances == 0 && !declared)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "barrier in a template: its parties cannot be counted; declare "
				    "them in resources ({\"type\": \"barrier\", \"parties\": n})");
	if (rt->parties->len <= obj)
		g_array_set_size(rt->parties, obj + 1);
	if (t->first_turn && !declared)
		g_array_index(rt->parties, uint32_t, obj) += instances;
	return true;
}

static bool emit_wait(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	static const char *const known[] = { "ref", "mutex", NULL };
	const struct sl_json *ref = member(t, v, "ref");
	const struct sl_json *mutex = ref ? member(t, v, "mutex") : NULL;
	uint32_t obj, target;
	struct sl_op *op;

	if (!mutex || !resource(t, ref, SL_RES_COND, &obj) ||
	    !resource(t, mutex, SL_RES_MUTEX, &target))
		return false;
	check_members(t, v, known);
	op = sl_rtapp_emit(t, v, e->op);
	op->obj = obj;
	op->target = target;
	op->wprio = t->wprio;
	note_use(t, v, op);
	return true;
}

static bool emit_suspend(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	struct sl_rtapp *rt = t->rt;
	const char *own = sl_build_task_at(rt->b, t->index)->name;
	bool named = v->type == SL_JSON_STRING && *v->text;
	struct sl_op *op;

	if (named && strcmp(v->text, own) != 0) {
		if (rt->opts.dialect == SL_DIALECT_1_0)
			return emit_named(t, e, v);
		sl_json_warn(rt->doc, v, FALSE, rt->warnings,
			     "suspend waits on the task's own name \"%s\", not on \"%s\"; rt-app "
			     "1.0 waited on \"%s\" (--dialect=1.0)",
			     own, v->text, v->text);
	}
	op = sl_rtapp_emit(t, v, e->op);
	op->obj = sl_build_resource(rt->b, SL_RES_COND, own);
	op->wprio = t->wprio;
	note_use(t, v, op);
	return true;
}

static bool timer_mode(struct sl_rtapp_task *t, const struct sl_json *v, uint8_t *flags)
{
	const struct sl_json *mode = sl_json_get(v, "mode");

	if (!mode || (mode->type == SL_JSON_STRING && strcmp(mode->text, "relative") == 0))
		return true;
	if (mode->type == SL_JSON_STRING && strcmp(mode->text, "absolute") == 0) {
		*flags |= SL_OPF_TIMER_ABSOLUTE;
		return true;
	}
	return sl_json_fail(t->rt->doc, mode, FALSE, t->rt->error,
			    "mode is %s, expected \"relative\" or \"absolute\"",
			    mode->text ? mode->text : sl_json_type_name(mode));
}

static bool emit_timer(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	static const char *const known[] = { "ref", "period", "mode", NULL };
	const struct sl_json *ref = member(t, v, "ref");
	const struct sl_json *period = ref ? member(t, v, "period") : NULL;
	struct sl_op *op;
	struct sl_dist d;
	uint8_t flags = 0;
	uint32_t obj;

	if (!period || !resource(t, ref, SL_RES_TIMER, &obj) ||
	    !sl_rtapp_dist(t->rt, t->scope, period, false, &d) || !timer_mode(t, v, &flags))
		return false;
	check_members(t, v, known);
	if (g_str_has_prefix(sl_build_resource_name(t->rt->b, SL_RES_TIMER, obj), "unique"))
		flags |= SL_OPF_TIMER_UNIQUE;
	op = sl_rtapp_emit(t, v, e->op);
	op->obj = obj;
	op->dist = d;
	op->flags = flags;
	op->wprio = t->wprio;
	return true;
}

static void mark_forked(struct sl_rtapp *rt, uint32_t task, uint8_t how)
{
	g_array_index(rt->forked, uint8_t, task) |= how;
}

/* fork (rt-app), spawn (with a count, or a thread of the same process). */
static bool emit_fork(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	static const char *const known[] = { "task", "ref", "count", "thread", NULL };
	const struct sl_json *name = v, *count = NULL, *thread = NULL;
	struct sl_dist d = sl_build_constant(1);
	uint32_t target;
	bool as_thread = false;
	struct sl_op *op;

	if (v->type == SL_JSON_OBJECT) {
		name = sl_json_get(v, "ref") ? sl_json_get(v, "ref") : member(t, v, "task");
		count = sl_json_get(v, "count");
		thread = sl_json_get(v, "thread");
		check_members(t, v, known);
	}
	if (!name || !sl_rtapp_task_ref(t->rt, t->scope, name, &target) ||
	    (count && !sl_rtapp_dist(t->rt, t->scope, count, true, &d)) ||
	    (thread && !sl_rtapp_bool(t->rt, thread, &as_thread)))
		return false;
	mark_forked(t->rt, target, SL_RTAPP_FORKED);
	if (d.n == 0 && d.value == 0)
		return true;
	if (d.value > FORK_MAX)
		return sl_json_fail(t->rt->doc, count, FALSE, t->rt->error,
				    "more than %d children at once", FORK_MAX);
	op = sl_rtapp_emit(t, v, e->op);
	op->target = target;
	op->dist = d;
	op->flags = as_thread ? SL_OPF_FORK_THREAD : 0;
	return true;
}

static bool emit_newproc(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	struct sl_rtapp *rt = t->rt;
	struct sl_op *op;
	uint32_t target;

	if (!sl_rtapp_task_ref(rt, t->scope, v, &target))
		return false;
	if (sl_build_task_at(rt->b, target)->instances != 0)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "task \"%s\" is no template, expected one with \"instance\": 0",
				    sl_build_task_at(rt->b, target)->name);
	mark_forked(rt, target, SL_RTAPP_NEWPROC);
	sl_build_task_at(rt->b, target)->template_once = true;
	op = sl_rtapp_emit(t, v, e->op);
	op->target = target;
	op->flags = SL_OPF_TEMPLATE_ONCE;
	op->dist = sl_build_constant(1);
	return true;
}

/* mem and memrun: bytes to user-mode work at a nominal memory speed. */
static bool emit_mem(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	const struct sl_json *size = v;
	int64_t bytes, count = 1;
	struct sl_op *op;

	if (v->type == SL_JSON_OBJECT) {
		const struct sl_json *n = sl_json_get(v, "count");

		size = member(t, v, "size");
		if (n && !sl_rtapp_int(t->rt, t->scope, n, "count", 0, 1000000000, &count))
			return false;
	}
	if (!size ||
	    !sl_rtapp_int(t->rt, t->scope, size, v->key, 0, INT64_MAX / 1000000000, &bytes))
		return false;
	sl_rtapp_warn_once(t->rt, e->name, v, true,
			   "%s is approximated as run of 0.1 ns a byte (10 GB/s)", e->name);
	op = sl_rtapp_emit(t, v, SL_OP_RUN);
	op->dist = sl_build_constant((uint64_t)bytes * (uint64_t)count / 10);
	return true;
}

static bool emit_iorun(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	struct sl_op *op;
	int64_t bytes;
	uint64_t pieces;

	if (!sl_rtapp_int(t->rt, t->scope, v, v->key, 0, INT64_MAX / 1000000, &bytes))
		return false;
	sl_rtapp_warn_once(t->rt, e->name, v, true,
			   "iorun is approximated as 1 us of kernel-mode work for each piece of "
			   "%" G_GUINT64_FORMAT " bytes; device %s is not modelled",
			   t->rt->mem_buffer, t->rt->io_device);
	pieces = ((uint64_t)bytes + t->rt->mem_buffer - 1) / t->rt->mem_buffer;
	op = sl_rtapp_emit(t, v, SL_OP_KRUN);
	op->dist = sl_build_constant(pieces * SL_NS_PER_US);
	return true;
}

/* disk, read: {"ref": disk, "time": service time}. */
static bool emit_disk(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	static const char *const known[] = { "ref", "time", NULL };
	const struct sl_json *ref = member(t, v, "ref");
	const struct sl_json *time = ref ? member(t, v, "time") : NULL;
	struct sl_op *op;
	struct sl_dist d;
	uint32_t obj;

	if (!time || !resource(t, ref, SL_RES_DISK, &obj) ||
	    !sl_rtapp_dist(t->rt, t->scope, time, false, &d))
		return false;
	check_members(t, v, known);
	op = sl_rtapp_emit(t, v, e->op);
	op->obj = obj;
	op->dist = d;
	op->wprio = SL_WPRIO_PRIBIO;
	return true;
}

/* send, recv: a channel's name, or {"ref": channel, "units": n, "x_sleep_prio": p}. */
static bool emit_channel(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	static const char *const known[] = { "ref", "units", "x_sleep_prio", NULL };
	const struct sl_json *ref = v, *units = NULL, *prio = NULL;
	struct sl_dist d = sl_build_constant(1);
	uint8_t wprio = SL_WPRIO_PSOCK;
	struct sl_op *op;
	uint32_t obj;

	if (v->type == SL_JSON_OBJECT) {
		ref = member(t, v, "ref");
		units = sl_json_get(v, "units");
		prio = sl_json_get(v, "x_sleep_prio");
		check_members(t, v, known);
	}
	if (!ref || !resource(t, ref, SL_RES_CHANNEL, &obj) ||
	    (units && !sl_rtapp_dist(t->rt, t->scope, units, true, &d)) ||
	    (prio && !sl_rtapp_wprio(t->rt, prio, &wprio)))
		return false;
	op = sl_rtapp_emit(t, v, e->op);
	op->obj = obj;
	op->dist = d;
	op->wprio = wprio;
	note_use(t, v, op);
	return true;
}

static bool emit_join(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	bool all = v->type == SL_JSON_STRING && strcmp(v->text, "all") == 0;
	bool one = v->type == SL_JSON_BARE || (v->type == SL_JSON_STRING && *v->text == '\0') ||
		   (v->type == SL_JSON_STRING && strcmp(v->text, "one") == 0);
	struct sl_op *op;

	if (!all && !one)
		return fail_value(t, v, "\"one\" or \"all\"");
	op = sl_rtapp_emit(t, v, e->op);
	op->flags = all ? SL_OPF_WAIT_ALL : 0;
	op->wprio = SL_WPRIO_PWAIT;
	return true;
}

static bool emit_setnice(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	static const char *const known[] = { "thread", "nice", NULL };
	const struct sl_json *nice = member(t, v, "nice"), *thread;
	uint32_t target = SL_NONE;
	struct sl_op *op;
	int64_t value;

	if (!nice || !sl_rtapp_int(t->rt, t->scope, nice, "nice", -20, 20, &value))
		return false;
	thread = sl_json_get(v, "thread");
	if (thread && !sl_rtapp_task_ref(t->rt, t->scope, thread, &target))
		return false;
	check_members(t, v, known);
	op = sl_rtapp_emit(t, v, e->op);
	op->target = target;
	op->value = (int32_t)value;
	return true;
}

static bool emit_setclass(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	static const char *const known[] = { "thread", "class", "prio", NULL };
	static const char *const names[] = { "timeshare", "realtime", "idle", "fifo" };
	static const uint8_t classes[] = { SL_CLASS_TIMESHARE, SL_CLASS_REALTIME, SL_CLASS_IDLE,
					   SL_CLASS_FIFO };
	const struct sl_json *name = member(t, v, "class"), *prio, *thread;
	uint32_t target = SL_NONE;
	int64_t level = 0;
	struct sl_op *op;
	size_t i = 0;

	if (!name)
		return false;
	while (i < G_N_ELEMENTS(names) && (!name->text || strcmp(names[i], name->text) != 0))
		i++;
	if (i == G_N_ELEMENTS(names))
		return sl_json_fail(t->rt->doc, name, FALSE, t->rt->error,
				    "class is %s, expected timeshare, realtime, idle or fifo",
				    name->text ? name->text : sl_json_type_name(name));
	prio = sl_json_get(v, "prio");
	if (prio && !sl_rtapp_int(t->rt, t->scope, prio, "prio", 0, 31, &level))
		return false;
	thread = sl_json_get(v, "thread");
	if (thread && !sl_rtapp_task_ref(t->rt, t->scope, thread, &target))
		return false;
	check_members(t, v, known);
	op = sl_rtapp_emit(t, v, e->op);
	op->target = target;
	op->value = classes[i];
	op->value2 = (int8_t)level;
	return true;
}

static bool emit_setmask(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	static const char *const known[] = { "thread", "cpus", NULL };
	const struct sl_json *cpus = member(t, v, "cpus"), *thread;
	uint32_t target = SL_NONE, mask;
	struct sl_op *op;

	if (!cpus || !sl_rtapp_cpus(t->rt, t->scope, cpus, &mask))
		return false;
	thread = sl_json_get(v, "thread");
	if (thread && !sl_rtapp_task_ref(t->rt, t->scope, thread, &target))
		return false;
	check_members(t, v, known);
	op = sl_rtapp_emit(t, v, e->op);
	op->target = target;
	op->obj = mask;
	return true;
}

static bool emit_bindcpu(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	int64_t most = t->rt->opts.ncpus ? t->rt->opts.ncpus - 1 : 4095, cpu;

	if (!sl_rtapp_int(t->rt, t->scope, v, v->key, -1, most, &cpu))
		return false;
	sl_rtapp_emit(t, v, e->op)->value = (int32_t)cpu;
	return true;
}

static bool emit_body(struct sl_rtapp_task *t, struct sl_json *body)
{
	for (struct sl_json *v = body->child; v; v = v->next) {
		if (!sl_rtapp_is_event(v->key))
			return sl_json_fail(t->rt->doc, v, TRUE, t->rt->error, "\"%s\" is no event",
					    v->key);
		if (!sl_rtapp_event(t, v))
			return false;
	}
	return true;
}

static struct sl_json *body_of(struct sl_rtapp_task *t, struct sl_json *v)
{
	struct sl_json *body = (struct sl_json *)member(t, v, "do");

	if (body && body->type != SL_JSON_OBJECT) {
		fail_value(t, body, "an object of events");
		return NULL;
	}
	return body;
}

/* repeat: {"count": n, "do": {events}}. */
static bool emit_repeat(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	static const char *const known[] = { "count", "do", NULL };
	const struct sl_json *count = member(t, v, "count");
	struct sl_json *body = count ? body_of(t, v) : NULL;
	struct sl_dist d;
	uint32_t at;

	(void)e;
	if (!body || !sl_rtapp_dist(t->rt, t->scope, count, true, &d))
		return false;
	check_members(t, v, known);
	/* A count that the parameters make 0 is a switch: nothing is left of the body. */
	if (count->type == SL_JSON_STRING && d.n == 0 && d.value == 0)
		return true;
	if (t->depth == LOOP_DEPTH_MAX)
		return sl_json_fail(t->rt->doc, v, TRUE, t->rt->error,
				    "loops nested deeper than %d", LOOP_DEPTH_MAX);
	t->depth++;
	at = sl_build_here(t->rt->b);
	sl_rtapp_emit(t, v, SL_OP_LOOP)->dist = d;
	if (!emit_body(t, body))
		return false;
	sl_rtapp_emit(t, v, SL_OP_ENDLOOP)->target = at;
	t->depth--;
	return true;
}

struct unroll {
	struct sl_rtapp_task *task;
	struct sl_json *body;
	uint32_t turns;
};

static bool unroll_turn(struct sl_rtapp *rt, const struct sl_scope *scope, void *arg)
{
	struct unroll *u = arg;
	struct sl_rtapp_task turn = *u->task;
	bool good;

	turn.scope = scope;
	turn.first_turn = turn.first_turn && u->turns == 0;
	u->turns++;
	if (sl_build_here(rt->b) > UNROLL_MAX)
		return sl_json_fail(rt->doc, u->body, FALSE, rt->error,
				    "for unrolls to more than %d operations", UNROLL_MAX);
	good = emit_body(&turn, u->body);
	u->task->n_events = turn.n_events;
	return good;
}

/* for: {"i": n, "do": {events}}: unrolled, with $i = 0 .. n-1. */
static bool emit_for(struct sl_rtapp_task *t, const struct event *e, struct sl_json *v)
{
	struct unroll u = { .task = t, .body = body_of(t, v) };

	(void)e;
	return u.body && sl_rtapp_foreach(t->rt, t->scope, v, unroll_turn, &u);
}

/* Exact name plus optional number; looked at first. */
static const struct event extensions[] = {
	{ "krun", emit_length, SL_OP_KRUN, 0 },
	{ "disk", emit_disk, SL_OP_DISK, 0 },
	{ "read", emit_disk, SL_OP_READ, 0 },
	{ "send", emit_channel, SL_OP_SEND, 0 },
	{ "recv", emit_channel, SL_OP_RECV, 0 },
	{ "spawn", emit_fork, SL_OP_FORK, 0 },
	{ "execve", emit_length, SL_OP_EXEC, 0 },
	{ "join", emit_join, SL_OP_WAIT_CHILD, 0 },
	{ "exit", emit_plain, SL_OP_EXIT, 0 },
	{ "mark", emit_plain, SL_OP_MARK, 0 },
	{ "repeat", emit_repeat, SL_OP_LOOP, 0 },
	{ "for", emit_for, SL_OP_LOOP, 0 },
	{ "x_setnice", emit_setnice, SL_OP_SETNICE, 0 },
	{ "x_setclass", emit_setclass, SL_OP_SETCLASS, 0 },
	{ "x_setmask", emit_setmask, SL_OP_SETMASK, 0 },
	{ "x_bindcpu", emit_bindcpu, SL_OP_BIND, 0 },
	{ "x_newproc", emit_newproc, SL_OP_FORK, 0 },
};

/* rt-app's order: the first prefix that fits wins. */
static const struct event events[] = {
	{ "lock", emit_named, SL_OP_LOCK, SL_RES_MUTEX },
	{ "unlock", emit_named, SL_OP_UNLOCK, SL_RES_MUTEX },
	{ "wait", emit_wait, SL_OP_COND_WAIT, 0 },
	{ "signal", emit_named, SL_OP_COND_SIGNAL, SL_RES_COND },
	{ "broad", emit_named, SL_OP_COND_BROAD, SL_RES_COND },
	{ "sync", emit_wait, SL_OP_COND_SYNC, 0 },
	{ "sleep", emit_length, SL_OP_SLEEP, 0 },
	{ "runtime", emit_length, SL_OP_RUNTIME, 0 },
	{ "run", emit_length, SL_OP_RUN, 0 },
	{ "timer", emit_timer, SL_OP_TIMER, 0 },
	{ "suspend", emit_suspend, SL_OP_COND_WAIT, SL_RES_COND },
	{ "resume", emit_named, SL_OP_COND_BROAD, SL_RES_COND },
	{ "memrun", emit_mem, SL_OP_RUN, 0 },
	{ "mem", emit_mem, SL_OP_RUN, 0 },
	{ "iorun", emit_iorun, SL_OP_KRUN, 0 },
	{ "yield", emit_plain, SL_OP_YIELD, 0 },
	{ "barrier", emit_barrier, SL_OP_BARRIER, SL_RES_BARRIER },
	{ "fork", emit_fork, SL_OP_FORK, 0 },
	{ "sem_post", emit_named, SL_OP_SEM_POST, SL_RES_SEM },
	{ "sem_wait", emit_named, SL_OP_SEM_WAIT, SL_RES_SEM },
};

static bool name_and_number(const char *key, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(key, name, len) != 0)
		return false;
	for (key += len; *key; key++)
		if (!g_ascii_isdigit(*key))
			return false;
	return true;
}

static const struct event *find(const char *key)
{
	/* The first letter decides most of the comparisons of a large file. */
	for (size_t i = 0; i < G_N_ELEMENTS(extensions); i++)
		if (*key == *extensions[i].name && name_and_number(key, extensions[i].name))
			return &extensions[i];
	/* The old task format's list of locks is no lock event. */
	if (strcmp(key, "lock_order") == 0)
		return NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(events); i++)
		if (*key == *events[i].name && g_str_has_prefix(key, events[i].name))
			return &events[i];
	return NULL;
}

gboolean sl_rtapp_is_event(const char *key)
{
	return find(key) != NULL;
}

bool sl_rtapp_event(struct sl_rtapp_task *task, struct sl_json *v)
{
	const struct event *e = find(v->key);

	task->n_events++;
	if (v->type == SL_JSON_BARE && e->emit != emit_suspend && e->emit != emit_plain &&
	    e->emit != emit_join)
		return sl_json_fail(task->rt->doc, v, TRUE, task->rt->error, "%s has no value",
				    v->key);
	return e->emit(task, e, v);
}

const char *const *sl_rtapp_event_names(void)
{
	static const char *const names[] = {
		"lock",	     "unlock",	 "wait",      "signal",	    "broad",	 "sync",
		"sleep",     "runtime",	 "run",	      "timer",	    "suspend",	 "resume",
		"memrun",    "mem",	 "iorun",     "yield",	    "barrier",	 "fork",
		"sem_post",  "sem_wait", "krun",      "disk",	    "read",	 "send",
		"recv",	     "spawn",	 "execve",    "join",	    "exit",	 "mark",
		"repeat",    "for",	 "x_setnice", "x_setclass", "x_setmask", "x_bindcpu",
		"x_newproc", NULL,
	};

	return names;
}
