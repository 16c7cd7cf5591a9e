/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The task format before rt-app v1.0: `exec` us of work, then the resources of
 * `lock_order` in order, then the wait for the next `period`. rt-app itself no longer
 * knows it, so this is an approximation and said to be one.
 * Invariant: only keys of the old format are read here. */
#include "traces/rtapp.h"

#include <string.h>

bool sl_rtapp_is_legacy(const struct sl_json *phase)
{
	return sl_json_get(phase, "exec") || sl_json_get(phase, "lock_order");
}

static bool emit_run(struct sl_rtapp_task *t, const struct sl_json *v)
{
	uint64_t ns = 0;

	if (v && !sl_rtapp_time(t->rt, t->scope, v, &ns))
		return false;
	if (ns > 0)
		sl_rtapp_emit(t, v, SL_OP_RUN)->dist = sl_build_constant(ns);
	return true;
}

static void emit_mutex(struct sl_rtapp_task *t, const struct sl_json *at, enum sl_op_kind kind,
		       const char *name)
{
	uint32_t obj = sl_build_resource(t->rt->b, SL_RES_MUTEX, name);

	sl_rtapp_emit(t, at, kind)->obj = obj;
}

/* wait, signal, broadcast, sync on a condition, under the mutex of `access`. */
static void emit_condition(struct sl_rtapp_task *t, const struct sl_json *at, enum sl_op_kind kind,
			   const char *name, const char *mutex)
{
	uint32_t obj = sl_build_resource(t->rt->b, SL_RES_COND, name);
	struct sl_op *op;

	if (mutex)
		emit_mutex(t, at, SL_OP_LOCK, mutex);
	op = sl_rtapp_emit(t, at, kind);
	op->obj = obj;
	if (mutex && (kind == SL_OP_COND_WAIT || kind == SL_OP_COND_SYNC))
		op->target = sl_build_resource(t->rt->b, SL_RES_MUTEX, mutex);
	if (mutex)
		emit_mutex(t, at, SL_OP_UNLOCK, mutex);
}

static const char *text_of(const struct sl_json *v, const char *otherwise)
{
	return v && v->type == SL_JSON_STRING && *v->text ? v->text : otherwise;
}

static bool emit_resource(struct sl_rtapp_task *t, const struct sl_json *name,
			  const struct sl_json *use)
{
	static const struct {
		const char *type;
		enum sl_op_kind op;
	} conditions[] = {
		{ "wait", SL_OP_COND_WAIT },
		{ "signal", SL_OP_COND_SIGNAL },
		{ "broadcast", SL_OP_COND_BROAD },
		{ "sync", SL_OP_COND_SYNC },
	};
	const struct sl_json *declared = sl_json_get(t->rt->resources, name->text);
	const struct sl_json *access = sl_json_get(use, "access");
	const char *type = text_of(sl_json_get(declared, "type"), NULL);
	const char *target = text_of(sl_json_get(declared, "target"), name->text);
	const char *mutex = access ? text_of(access->child, NULL) : NULL;

	for (size_t i = 0; type && i < G_N_ELEMENTS(conditions); i++) {
		if (strcmp(type, conditions[i].type) != 0)
			continue;
		emit_condition(t, name, conditions[i].op, target, mutex);
		return emit_run(t, sl_json_get(use, "duration"));
	}
	if (type && strcmp(type, "run") == 0)
		return emit_run(t, sl_json_get(use, "duration"));
	if (!type)
		sl_json_warn(t->rt->doc, name, FALSE, t->rt->warnings,
			     "resource \"%s\" has no type here and is taken for a mutex",
			     name->text);
	emit_mutex(t, name, SL_OP_LOCK, name->text);
	if (!emit_run(t, sl_json_get(use, "duration")))
		return false;
	emit_mutex(t, name, SL_OP_UNLOCK, name->text);
	return true;
}

bool sl_rtapp_legacy(struct sl_rtapp_task *t, const struct sl_json *phase)
{
	const struct sl_json *order = sl_json_get(phase, "lock_order");
	const struct sl_json *uses = sl_json_get(phase, "resources");
	const struct sl_json *sleep = sl_json_get(phase, "sleep");
	const struct sl_json *period = sl_json_get(phase, "period");
	struct sl_op *op;
	uint64_t ns;

	sl_rtapp_warn_once(t->rt, "legacy", phase, true,
			   "task format of before rt-app v1.0, approximated: exec, then "
			   "lock_order, then the next period");
	if (!emit_run(t, sl_json_get(phase, "exec")))
		return false;
	for (const struct sl_json *v = order ? order->child : NULL; v; v = v->next) {
		if (v->type != SL_JSON_STRING)
			return sl_json_fail(t->rt->doc, v, FALSE, t->rt->error,
					    "%s in lock_order, expected the name of a resource",
					    sl_json_type_name(v));
		if (!emit_resource(t, v, sl_json_get(uses, v->text)))
			return false;
	}
	if (!period || (sleep && sleep->type == SL_JSON_BOOL && *sleep->text == 'f'))
		return true;
	if (!sl_rtapp_time(t->rt, t->scope, period, &ns))
		return false;
	op = sl_rtapp_emit(t, period, SL_OP_TIMER);
	op->obj = sl_build_resource(t->rt->b, SL_RES_TIMER, "unique");
	op->dist = sl_build_constant(ns);
	op->flags = SL_OPF_TIMER_UNIQUE;
	return true;
}
