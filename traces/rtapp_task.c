/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tasks: properties, phases, and the frame of loops around the events.
 * Rules of rt-app kept here: without `phases` the task is its own single phase, a given
 * `loop` is then the phase's and the task runs once, otherwise for ever; with `phases` the
 * task loops for ever unless told; a phase's `loop` is 1 unless told, and 0 never ends
 * because rt-app compares after counting. */
#include "traces/rtapp.h"

#include "sim/base/bits.h"
#include "sim/base/nearest.h"

#include <string.h>

#define INSTANCES_MAX 10000000
#define FOR_EVER      UINT64_MAX

/* Keys of a task beside events; those marked are also allowed in a phase. */
static const char *const task_keys[] = {
	"loop",	       "policy",     "priority",     "cpus",	 "dl-runtime", "dl-period",
	"dl-deadline", "dl-reclaim", "util_min",     "util_max", "taskgroup",  "nodes_membind",
	"exec",	       "lock_order", "resources",    "period",	 "deadline",   "comment",
	"instance",    "delay",	     "phases",	     "runtime",	 "foreach",    "process",
	"background",  "footprint",  "x_sleep_prio", "x_bind",	 "x_pin",      "x_ithread",
	"x_irq_cpu",   NULL,
};
#define PHASE_KEYS 18 /* the first of them */

static const struct {
	const char *key, *what;
} ignored[] = {
	{ "dl-runtime", "deadline parameters are" },  { "dl-period", "deadline parameters are" },
	{ "dl-deadline", "deadline parameters are" }, { "deadline", "deadline parameters are" },
	{ "period", "deadline parameters are" },      { "util_min", "utilisation clamps are" },
	{ "util_max", "utilisation clamps are" },     { "dl-reclaim", "deadline parameters are" },
	{ "taskgroup", "task groups are" },	      { "nodes_membind", "memory binding is" },
};

/* Numbers the repeated events of a phase, and of bodies inside it. */
static void prepare_events(struct sl_rtapp *rt, struct sl_json *phase)
{
	sl_json_number_duplicates(rt->doc, phase, sl_rtapp_is_event);
	for (struct sl_json *v = phase->child; v; v = v->next) {
		struct sl_json *body =
			v->type == SL_JSON_OBJECT ? (struct sl_json *)sl_json_get(v, "do") : NULL;

		if (body && body->type == SL_JSON_OBJECT)
			prepare_events(rt, body);
	}
}

static gboolean any_key(const char *key)
{
	(void)key;
	return TRUE;
}

void sl_rtapp_prepare(struct sl_rtapp *rt, struct sl_json *task)
{
	struct sl_json *phases = (struct sl_json *)sl_json_get(task, "phases");

	prepare_events(rt, task);
	if (!phases || phases->type != SL_JSON_OBJECT)
		return;
	sl_json_number_duplicates(rt->doc, phases, any_key);
	for (struct sl_json *v = phases->child; v; v = v->next)
		if (v->type == SL_JSON_OBJECT)
			prepare_events(rt, v);
}

enum policy { OTHER, BATCH, IDLE, FIFO, RR, DEADLINE, N_POLICIES };

static const char *const policy_names[N_POLICIES] = {
	[OTHER] = "SCHED_OTHER", [BATCH] = "SCHED_BATCH", [IDLE] = "SCHED_IDLE",
	[FIFO] = "SCHED_FIFO",	 [RR] = "SCHED_RR",	  [DEADLINE] = "SCHED_DEADLINE",
};

static bool realtime(struct sl_rtapp *rt, const struct sl_json *at, enum policy policy,
		     const int64_t *priority, uint8_t *pri_class, uint8_t *level)
{
	int64_t p = priority ? *priority : 10;

	if (p < 1 || p > 99)
		return sl_json_fail(rt->doc, at, FALSE, rt->error,
				    "priority %" G_GINT64_FORMAT " of %s, expected 1 to 99", p,
				    policy_names[policy]);
	*pri_class = policy == FIFO ? SL_CLASS_FIFO : SL_CLASS_REALTIME;
	*level = (uint8_t)(31 - p * 31 / 99);
	sl_rtapp_warn_once(rt, policy_names[policy], at, false,
			   "%s priorities 1 to 99 become rtprio levels 31 to 0 (%" G_GINT64_FORMAT
			   " is level %u)",
			   policy_names[policy], p, *level);
	if (rt->level_user[*level] != 0 && rt->level_user[*level] != p)
		sl_json_warn(rt->doc, at, FALSE, rt->warnings,
			     "priorities %u and %" G_GINT64_FORMAT
			     " become the same rtprio level %u: neither preempts the other",
			     rt->level_user[*level], p, *level);
	rt->level_user[*level] = (uint8_t)p;
	return true;
}

bool sl_rtapp_policy(struct sl_rtapp *rt, const struct sl_json *at, const char *policy,
		     const int64_t *priority, uint8_t *pri_class, uint8_t *level, int8_t *nice)
{
	const char *near;
	int p = 0;

	*pri_class = SL_CLASS_TIMESHARE;
	*level = 0;
	*nice = 0;
	while (p < N_POLICIES && strcmp(policy_names[p], policy) != 0)
		p++;
	if (p == N_POLICIES) {
		near = sl_nearest(policy, policy_names, N_POLICIES);
		return sl_json_fail(rt->doc, at, FALSE, rt->error,
				    "unknown policy \"%s\", expected one such as %s", policy,
				    near ? near : "SCHED_OTHER");
	}
	if (p == FIFO || p == RR)
		return realtime(rt, at, (enum policy)p, priority, pri_class, level);
	if (p == DEADLINE) {
		*pri_class = SL_CLASS_FIFO;
		sl_rtapp_warn_once(
			rt, policy_names[p], at, false,
			"SCHED_DEADLINE is approximated as realtime FIFO of level 0; its "
			"budget is not enforced");
		return true;
	}
	if (priority && (*priority < -20 || *priority > 20))
		return sl_json_fail(rt->doc, at, FALSE, rt->error,
				    "priority %" G_GINT64_FORMAT
				    " of %s is its nice value, expected -20 to 20",
				    *priority, policy);
	*nice = priority ? (int8_t)*priority : 0;
	if (p == BATCH)
		sl_rtapp_warn_once(rt, policy_names[p], at, false,
				   "SCHED_BATCH is approximated as timeshare");
	if (p == IDLE) {
		*pri_class = SL_CLASS_IDLE;
		*level = 31;
		*nice = 0;
		sl_rtapp_warn_once(
			rt, policy_names[p], at, false,
			"SCHED_IDLE is approximated as idle class (idprio 31), which runs "
			"only when nothing else does");
	}
	return true;
}

/* Properties of a task or phase that are known and not modelled. */
static void warn_ignored(struct sl_rtapp *rt, const struct sl_json *obj)
{
	for (const struct sl_json *v = obj->child; v; v = v->next)
		for (size_t i = 0; i < G_N_ELEMENTS(ignored); i++)
			if (*v->key == *ignored[i].key && strcmp(v->key, ignored[i].key) == 0)
				sl_rtapp_warn_once(rt, ignored[i].key, v, true,
						   "%s: %s not modelled and ignored", v->key,
						   ignored[i].what);
}

static void warn_repeated(struct sl_rtapp *rt, const struct sl_json *obj)
{
	const struct sl_json *twice = sl_json_duplicate(obj);

	if (twice)
		sl_json_warn(rt->doc, twice, TRUE, rt->warnings,
			     "\"%s\" occurs twice here; the last one counts", twice->key);
}

/* Is it a property, or a note of the file's author? */
static bool is_property(const char *key, bool phase)
{
	for (size_t i = 0; task_keys[i] && (!phase || i < PHASE_KEYS); i++)
		if (*task_keys[i] == *key && strcmp(task_keys[i], key) == 0)
			return true;
	return *key == '_';
}

/* Unknown keys, and events beside `phases`, which rt-app ignores as well. */
static void warn_keys(struct sl_rtapp *rt, const struct sl_json *obj, bool phase, bool events)
{
	for (const struct sl_json *v = obj->child; v; v = v->next) {
		bool event = sl_rtapp_is_event(v->key);

		if (is_property(v->key, phase) || (event && events))
			continue;
		if (event)
			sl_json_warn(rt->doc, v, TRUE, rt->warnings,
				     "event \"%s\" beside phases is ignored", v->key);
		else
			sl_rtapp_unknown_key(rt, v, phase ? "a phase" : "a task",
					     events ? sl_rtapp_event_names() : task_keys);
	}
	warn_repeated(rt, obj);
	if (!sl_rtapp_is_legacy(obj))
		warn_ignored(rt, obj);
}

static bool read_instance(struct sl_rtapp *rt, const struct sl_rtapp_item *item,
			  struct sl_task *task)
{
	const struct sl_json *v = sl_rtapp_prop(item->node, "instance");
	int64_t n = 1;

	if (v && !sl_rtapp_int(rt, item->scope, v, "instance", 0, INSTANCES_MAX, &n))
		return false;
	task->instances = (uint32_t)n;
	return true;
}

/* First pass: name and instances, so that events can refer to later tasks. */
bool sl_rtapp_declare(struct sl_rtapp *rt, const struct sl_rtapp_item *item)
{
	char *name = sl_rtapp_expand(rt, item->scope, item->node, true, item->node->key);
	uint32_t index;
	struct sl_task *task;

	if (!name)
		return false;
	index = sl_build_task(rt->b, name);
	g_free(name);
	task = sl_build_task_at(rt->b, index);
	if (g_hash_table_contains(rt->task_index, task->name))
		return sl_json_fail(rt->doc, item->node, TRUE, rt->error,
				    "two tasks are named \"%s\"", task->name);
	g_hash_table_insert(rt->task_index, (gpointer)task->name, GUINT_TO_POINTER(index + 1));
	return read_instance(rt, item, task);
}

static bool read_class(struct sl_rtapp_task *t, const struct sl_json *node, const char *fallback,
		       struct sl_task *task)
{
	const struct sl_json *policy = sl_rtapp_prop(node, "policy");
	const struct sl_json *priority = sl_rtapp_prop(node, "priority");
	int64_t p;

	if (policy && policy->type != SL_JSON_STRING)
		return sl_json_fail(t->rt->doc, policy, FALSE, t->rt->error,
				    "policy is %s, expected a name such as SCHED_OTHER",
				    sl_json_type_name(policy));
	if (priority && !sl_rtapp_int(t->rt, t->scope, priority, "priority", -20, 99, &p))
		return false;
	t->policy = policy ? policy->text : fallback;
	return sl_rtapp_policy(t->rt,
			       priority ? priority
			       : policy ? policy
					: node,
			       t->policy, priority ? &p : NULL, &task->pri_class, &task->level,
			       &task->nice);
}

static bool read_ithread(struct sl_rtapp_task *t, const struct sl_json *node, struct sl_task *task)
{
	const struct sl_json *v = sl_rtapp_prop(node, "x_ithread");
	int64_t cpu = 0;

	if (!v)
		return true;
	if (!sl_rtapp_wprio(t->rt, v, &task->ithread))
		return false;
	v = sl_rtapp_prop(node, "x_irq_cpu");
	if (v && !sl_rtapp_int(t->rt, t->scope, v, "x_irq_cpu", 0, 4095, &cpu))
		return false;
	task->irq_cpu = (int32_t)cpu;
	return true;
}

static bool read_process(struct sl_rtapp_task *t, const struct sl_json *node, struct sl_task *task)
{
	const struct sl_json *v = sl_rtapp_prop(node, "process");
	char *name;

	if (!v)
		return true;
	name = sl_rtapp_name(t->rt, t->scope, v, "process");
	if (!name)
		return false;
	task->proc_group = GPOINTER_TO_UINT(g_hash_table_lookup(t->rt->processes, name));
	if (task->proc_group == 0) {
		task->proc_group = g_hash_table_size(t->rt->processes) + 1;
		g_hash_table_insert(t->rt->processes, g_strdup(name),
				    GUINT_TO_POINTER(task->proc_group));
	}
	task->proc_group--;
	g_free(name);
	return true;
}

static bool read_numbers(struct sl_rtapp_task *t, const struct sl_json *node, struct sl_task *task)
{
	const struct sl_json *v;
	int64_t n;

	v = sl_rtapp_prop(node, "x_bind");
	if (v) {
		if (!sl_rtapp_int(t->rt, t->scope, v, "x_bind", 0, 4095, &n))
			return false;
		task->bind_cpu = (int32_t)n;
	}
	v = sl_rtapp_prop(node, "x_pin");
	if (v) {
		if (!sl_rtapp_int(t->rt, t->scope, v, "x_pin", 0, 1, &n))
			return false;
		task->pin = n == 1;
	}
	v = sl_rtapp_prop(node, "footprint");
	if (v) {
		if (!sl_rtapp_int(t->rt, t->scope, v, "footprint", 0, UINT32_MAX, &n))
			return false;
		task->footprint_kib = (uint32_t)n;
	}
	return true;
}

static bool read_properties(struct sl_rtapp_task *t, const struct sl_json *node)
{
	struct sl_rtapp *rt = t->rt;
	struct sl_task *task = sl_build_task_at(rt->b, t->index);
	const struct sl_json *v = sl_rtapp_prop(node, "delay");

	if (v && !sl_rtapp_time(rt, t->scope, v, &task->delay))
		return false;
	v = sl_rtapp_prop(node, "cpus");
	if (v && !sl_rtapp_cpus(rt, t->scope, v, &task->mask))
		return false;
	v = sl_rtapp_prop(node, "x_sleep_prio");
	if (v && !sl_rtapp_wprio(rt, v, &t->wprio))
		return false;
	v = sl_rtapp_prop(node, "background");
	if (v && !sl_rtapp_bool(rt, v, &task->background))
		return false;
	return read_class(t, node, rt->default_policy, task) && read_ithread(t, node, task) &&
	       read_process(t, node, task) && read_numbers(t, node, task);
}

/* A loop count; `fallback` when absent. `zero_endless`: rt-app's phase loop of 0. */
static bool read_loop(struct sl_rtapp_task *t, const struct sl_json *obj, uint64_t fallback,
		      bool zero_endless, struct sl_dist *out)
{
	const struct sl_json *v = sl_rtapp_prop(obj, "loop");
	int64_t n;

	*out = sl_build_constant(fallback);
	if (!v)
		return true;
	if (v->type == SL_JSON_OBJECT)
		return sl_rtapp_dist(t->rt, t->scope, v, true, out);
	if (!sl_rtapp_int(t->rt, t->scope, v, "loop", -1, INT64_MAX, &n))
		return false;
	if (n == 0 && zero_endless)
		sl_json_warn(t->rt->doc, v, FALSE, t->rt->warnings,
			     "a phase loop of 0 runs for ever, as in rt-app");
	if (n == -1 || (n == 0 && zero_endless))
		*out = sl_build_constant(FOR_EVER);
	else
		*out = sl_build_constant((uint64_t)n);
	return true;
}

static bool is_once(const struct sl_dist *d)
{
	return d->n == 0 && d->value == 1;
}

/* All it has to do are events that other tools know, and none is a known one misspelt. */
static bool is_foreign(const struct sl_json *phase)
{
	const char *const *names = sl_rtapp_event_names();
	bool foreign = false;
	size_t n = 0;

	if (sl_rtapp_is_legacy(phase))
		return false;
	while (names[n])
		n++;
	for (const struct sl_json *v = phase->child; v; v = v->next) {
		if (sl_rtapp_is_event(v->key))
			return false;
		if (is_property(v->key, false))
			continue;
		if (sl_nearest(v->key, names, n))
			return false;
		foreign = true;
	}
	return foreign;
}

static bool emit_events(struct sl_rtapp_task *t, struct sl_json *phase)
{
	if (sl_rtapp_is_legacy(phase))
		return sl_rtapp_legacy(t, phase);
	t->n_events = 0;
	for (struct sl_json *v = phase->child; v; v = v->next)
		if (sl_rtapp_is_event(v->key) && !sl_rtapp_event(t, v))
			return false;
	return t->n_events > 0 || sl_json_fail(t->rt->doc, phase, TRUE, t->rt->error,
					       "\"%s\" has no event, expected at least one such as "
					       "run or sleep",
					       phase->key);
}

/* Class and nice of a phase stay until another phase sets them. */
static bool emit_class(struct sl_rtapp_task *t, struct sl_json *phase)
{
	const struct sl_json *policy = sl_rtapp_prop(phase, "policy");
	const struct sl_json *priority = sl_rtapp_prop(phase, "priority");
	struct sl_task as = { 0 };
	struct sl_op *op;

	if (!policy && !priority)
		return true;
	if (!read_class(t, phase, t->policy, &as))
		return false;
	if (policy || SL_CLASS_BASE(as.pri_class) != SL_CLASS_TIMESHARE) {
		op = sl_rtapp_emit(t, phase, SL_OP_SETCLASS);
		op->value = as.pri_class;
		op->value2 = (int8_t)as.level;
	}
	if (as.pri_class == SL_CLASS_TIMESHARE && priority)
		sl_rtapp_emit(t, phase, SL_OP_SETNICE)->value = as.nice;
	return true;
}

/* Mask of "all CPUs": known only when the machine is. */
static uint32_t full_mask(struct sl_rtapp *rt)
{
	uint32_t n = rt->opts.ncpus, words = SL_BITS_WORDS(n), mask;
	uint64_t *set;

	if (n == 0)
		return SL_NONE;
	set = g_new0(uint64_t, words);
	for (uint32_t cpu = 0; cpu < n; cpu++)
		sl_bit_set(set, cpu);
	mask = sl_build_mask(rt->b, set, words);
	g_free(set);
	return mask;
}

static bool emit_phase_mask(struct sl_rtapp_task *t, struct sl_json *phase)
{
	const struct sl_json *cpus = sl_rtapp_prop(phase, "cpus");
	uint32_t mask = sl_build_task_at(t->rt->b, t->index)->mask;

	if (cpus && !sl_rtapp_cpus(t->rt, t->scope, cpus, &mask))
		return false;
	if (mask == SL_NONE)
		mask = full_mask(t->rt);
	sl_rtapp_emit(t, phase, SL_OP_SETMASK)->obj = mask;
	return true;
}

/* One phase: what it sets, once, then its events in a loop. */
static bool emit_phase(struct sl_rtapp_task *t, struct sl_json *phase, bool masks, bool own)
{
	struct sl_dist loop;
	uint32_t at;

	if (!read_loop(t, phase, own ? FOR_EVER : 1, true, &loop))
		return false;
	if (masks && !emit_phase_mask(t, phase))
		return false;
	if (!own && !emit_class(t, phase))
		return false;
	if (is_foreign(phase)) {
		sl_json_warn(t->rt->doc, phase, TRUE, t->rt->warnings,
			     "\"%s\" has no event that is known here: it does nothing", phase->key);
		return true;
	}
	if (is_once(&loop))
		return emit_events(t, phase);
	at = sl_build_here(t->rt->b);
	sl_rtapp_emit(t, phase, SL_OP_LOOP)->dist = loop;
	t->depth++;
	if (!emit_events(t, phase))
		return false;
	t->depth--;
	sl_rtapp_emit(t, phase, SL_OP_ENDLOOP)->target = at;
	return true;
}

static bool emit_phases(struct sl_rtapp_task *t, struct sl_json *node, struct sl_json *phases)
{
	struct sl_dist loop;
	bool masks = false, idle = true;
	uint32_t at;

	if (phases->type != SL_JSON_OBJECT || !phases->child)
		return sl_json_fail(t->rt->doc, phases, FALSE, t->rt->error,
				    "phases is %s, expected an object with at least one phase",
				    phases->child ? sl_json_type_name(phases) : "empty");
	if (!read_loop(t, node, FOR_EVER, false, &loop))
		return false;
	for (struct sl_json *p = phases->child; p; p = p->next) {
		if (p->type != SL_JSON_OBJECT)
			return sl_json_fail(t->rt->doc, p, FALSE, t->rt->error,
					    "phase \"%s\" is %s, expected an object", p->key,
					    sl_json_type_name(p));
		warn_keys(t->rt, p, true, true);
		masks |= sl_rtapp_prop(p, "cpus") != NULL;
		idle = idle && is_foreign(p);
	}
	/* Doing nothing again and again would never end. */
	if (idle)
		loop = sl_build_constant(1);
	at = sl_build_here(t->rt->b);
	if (!is_once(&loop)) {
		sl_rtapp_emit(t, node, SL_OP_LOOP)->dist = loop;
		t->depth++;
	}
	for (struct sl_json *p = phases->child; p; p = p->next)
		if (!emit_phase(t, p, masks, false))
			return false;
	if (!is_once(&loop)) {
		t->depth--;
		sl_rtapp_emit(t, node, SL_OP_ENDLOOP)->target = at;
	}
	return true;
}

/* A template's own class, mask and delay: a forked thread inherits its parent's. */
static void emit_template_head(struct sl_rtapp_task *t, struct sl_json *node)
{
	const struct sl_task *task = sl_build_task_at(t->rt->b, t->index);
	uint8_t pri_class = task->pri_class, level = task->level;
	uint32_t mask = task->mask;
	uint64_t delay = task->delay;
	int8_t nice = task->nice;

	if (task->instances > 0)
		return;
	if (sl_rtapp_prop(node, "cpus"))
		sl_rtapp_emit(t, node, SL_OP_SETMASK)->obj = mask;
	if (pri_class != SL_CLASS_TIMESHARE) {
		struct sl_op *op = sl_rtapp_emit(t, node, SL_OP_SETCLASS);

		op->value = pri_class;
		op->value2 = (int8_t)level;
	} else if (sl_rtapp_prop(node, "priority")) {
		sl_rtapp_emit(t, node, SL_OP_SETNICE)->value = nice;
	}
	if (delay > 0)
		sl_rtapp_emit(t, node, SL_OP_UNTIL)->dist = sl_build_constant(delay);
}

/* Second pass: the program. */
bool sl_rtapp_program(struct sl_rtapp *rt, uint32_t index)
{
	const struct sl_rtapp_item *item = &g_array_index(rt->items, struct sl_rtapp_item, index);
	struct sl_rtapp_task t = {
		.rt = rt, .index = index, .scope = item->scope, .first_turn = true
	};
	struct sl_json *phases = (struct sl_json *)sl_rtapp_prop(item->node, "phases");
	bool good;

	if (item->turn == 0)
		warn_keys(rt, item->node, false, phases == NULL);
	sl_build_begin(rt->b, index);
	if (!read_properties(&t, item->node))
		return false;
	if (!(g_array_index(rt->forked, uint8_t, index) & SL_RTAPP_NEWPROC))
		emit_template_head(&t, item->node);
	if (phases)
		good = emit_phases(&t, item->node, phases);
	else
		good = emit_phase(&t, item->node, false, true);
	if (good)
		sl_build_end(rt->b);
	return good;
}
