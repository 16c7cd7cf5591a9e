/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a reader either fills its result and returns true, or sets the error with
 * the position of the value and returns false. */
#include "traces/dist.h"
#include "traces/rtapp.h"

#include "sim/base/bits.h"
#include "sim/base/nearest.h"

#include <string.h>

#define CPUS_MAX   4096u
#define EXPAND_MAX 4000000 /* turns of all foreach and for of a document */

static bool evaluate(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		     struct sl_quantity *out)
{
	char *why = NULL;

	if (sl_expr_eval(scope, v->text, out, &why))
		return true;
	sl_json_fail(rt->doc, v, FALSE, rt->error, "%s", why);
	g_free(why);
	return false;
}

/* A JSON number as an exact quantity; exponents are expanded. */
static bool parse_number(struct sl_rtapp *rt, const struct sl_json *v, struct sl_quantity *out)
{
	const char *e = strpbrk(v->text, "eE");
	const char *text = *v->text == '+' ? v->text + 1 : v->text;
	char *mantissa = e ? g_strndup(text, (gsize)(e - text)) : g_strdup(text), *why = NULL;
	gint64 exponent = e ? g_ascii_strtoll(e + 1, NULL, 10) : 0;
	bool good = sl_expr_eval(NULL, mantissa, out, &why);

	g_free(mantissa);
	g_free(why);
	for (; good && exponent > 0 && out->v != 0; exponent--)
		good = !__builtin_mul_overflow(out->v, (sl_i128)10, &out->v) &&
		       out->v / SL_QUANTITY_ONE <= INT64_MAX &&
		       out->v / SL_QUANTITY_ONE >= -INT64_MAX;
	for (; good && exponent < 0 && out->v != 0; exponent++)
		out->v /= 10;
	return good ||
	       sl_json_fail(rt->doc, v, FALSE, rt->error, "number %s is too large", v->text);
}

bool sl_rtapp_quantity(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		       struct sl_quantity *out)
{
	if (v->type == SL_JSON_NUMBER)
		return parse_number(rt, v, out);
	if (v->type == SL_JSON_STRING)
		return evaluate(rt, scope, v, out);
	return sl_json_fail(rt->doc, v, FALSE, rt->error, "%s, expected a number or an expression",
			    sl_json_type_name(v));
}

bool sl_rtapp_int(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		  const char *what, int64_t least, int64_t most, int64_t *out)
{
	struct sl_quantity q;

	if (v->type != SL_JSON_NUMBER && v->type != SL_JSON_STRING)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "%s is %s, expected a whole number", what,
				    sl_json_type_name(v));
	if (!sl_rtapp_quantity(rt, scope, v, &q))
		return false;
	if (q.is_time || q.v % SL_QUANTITY_ONE != 0)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "%s is \"%s\", expected a whole number", what, v->text);
	*out = (int64_t)(q.v / SL_QUANTITY_ONE);
	if (*out < least || *out > most)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "%s is %" G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT
				    " to %" G_GINT64_FORMAT,
				    what, *out, least, most);
	return true;
}

bool sl_rtapp_time(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		   uint64_t *ns)
{
	struct sl_quantity q;
	const char *key = v->key ? v->key : "the value";

	if (v->type != SL_JSON_NUMBER && v->type != SL_JSON_STRING)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "%s is %s, expected whole microseconds or a string with a unit "
				    "such as \"10ms\"",
				    key, sl_json_type_name(v));
	if (!sl_rtapp_quantity(rt, scope, v, &q))
		return false;
	if (v->type == SL_JSON_STRING && !q.is_time)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "\"%s\" has no unit, expected a time such as \"10ms\"",
				    v->text);
	if (v->type == SL_JSON_NUMBER && q.v % SL_QUANTITY_ONE != 0)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "%s is %s, expected whole microseconds (or \"%sus\")", key,
				    v->text, v->text);
	if (q.v < 0)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "%s is negative, expected a time of at least 0", key);
	if (v->type == SL_JSON_NUMBER)
		q.v = q.v > (sl_i128)INT64_MAX * 1000000 ? (sl_i128)-1 : q.v * 1000;
	if (q.v < 0)
		return sl_json_fail(rt->doc, v, FALSE, rt->error, "%s is too large", v->text);
	*ns = (uint64_t)((q.v + SL_QUANTITY_ONE / 2) / SL_QUANTITY_ONE);
	return true;
}

bool sl_rtapp_dist(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		   bool count, struct sl_dist *out)
{
	int64_t n;
	uint64_t ns;

	if (v->type == SL_JSON_OBJECT)
		return sl_dist_compile(rt, scope, v, count, out);
	if (count) {
		if (!sl_rtapp_int(rt, scope, v, v->key ? v->key : "the count", 0, INT64_MAX, &n))
			return false;
		*out = sl_build_constant((uint64_t)n);
		return true;
	}
	if (!sl_rtapp_time(rt, scope, v, &ns))
		return false;
	*out = sl_build_constant(ns);
	return true;
}

char *sl_rtapp_expand(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *at,
		      bool at_key, const char *text)
{
	char *why = NULL, *name;

	name = sl_expr_expand(scope, text, &why);
	if (!name)
		sl_json_fail(rt->doc, at, at_key, rt->error, "%s", why);
	g_free(why);
	return name;
}

char *sl_rtapp_name(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		    const char *what)
{
	if (v->type != SL_JSON_STRING || *v->text == '\0') {
		sl_json_fail(rt->doc, v, FALSE, rt->error, "%s is %s, expected a name", what,
			     v->type == SL_JSON_STRING ? "empty" : sl_json_type_name(v));
		return NULL;
	}
	return sl_rtapp_expand(rt, scope, v, false, v->text);
}

bool sl_rtapp_bool(struct sl_rtapp *rt, const struct sl_json *v, bool *out)
{
	if (v->type != SL_JSON_BOOL)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "%s is %s, expected true or false",
				    v->key ? v->key : "the value", sl_json_type_name(v));
	*out = *v->text == 't';
	return true;
}

static bool add_cpu(struct sl_rtapp *rt, const struct sl_json *v, int64_t cpu, uint64_t *set)
{
	if (cpu < 0 || cpu >= CPUS_MAX)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "CPU %" G_GINT64_FORMAT ", expected 0 to %u", cpu,
				    CPUS_MAX - 1);
	sl_bit_set(set, (uint32_t)cpu);
	return true;
}

/* "0-3,8" */
static bool parse_cpu_text(struct sl_rtapp *rt, const struct sl_json *v, uint64_t *set)
{
	const char *p = v->text;

	for (;;) {
		char *end;
		gint64 from, to;

		if (!g_ascii_isdigit(*p))
			break;
		from = to = g_ascii_strtoll(p, &end, 10);
		if (*end == '-' && g_ascii_isdigit(end[1]))
			to = g_ascii_strtoll(end + 1, &end, 10);
		if (to < from || to >= CPUS_MAX)
			break;
		for (gint64 cpu = from; cpu <= to; cpu++)
			sl_bit_set(set, (uint32_t)cpu);
		if (*end == '\0')
			return true;
		if (*end != ',')
			break;
		p = end + 1;
	}
	return sl_json_fail(rt->doc, v, FALSE, rt->error,
			    "\"%s\", expected a list of CPUs below %u such as \"0-3,8\"", v->text,
			    CPUS_MAX);
}

static bool collect_cpus(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
			 uint64_t *set)
{
	int64_t cpu;

	if (v->type == SL_JSON_STRING && !strchr(v->text, '$'))
		return parse_cpu_text(rt, v, set);
	if (v->type != SL_JSON_ARRAY)
		return sl_rtapp_int(rt, scope, v, "CPU", 0, CPUS_MAX - 1, &cpu) &&
		       add_cpu(rt, v, cpu, set);
	for (const struct sl_json *item = v->child; item; item = item->next) {
		if (!sl_rtapp_int(rt, scope, item, "CPU", 0, CPUS_MAX - 1, &cpu) ||
		    !add_cpu(rt, item, cpu, set))
			return false;
	}
	return true;
}

bool sl_rtapp_cpus(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		   uint32_t *mask)
{
	uint64_t set[CPUS_MAX / 64] = { 0 };
	uint32_t words = CPUS_MAX / 64, ncpus = rt->opts.ncpus;
	bool dropped = false;

	if (!collect_cpus(rt, scope, v, set))
		return false;
	if (sl_bits_empty(set, words))
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "empty CPU list, expected at least one CPU");
	for (uint32_t cpu = ncpus; ncpus > 0 && cpu < CPUS_MAX; cpu++) {
		dropped |= sl_bit_test(set, cpu);
		sl_bit_clear(set, cpu);
	}
	if (sl_bits_empty(set, words))
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "none of these CPUs exists, the machine has 0 to %u",
				    ncpus - 1);
	if (dropped)
		sl_json_warn(rt->doc, v, FALSE, rt->warnings,
			     "CPUs beyond %u are left out, the machine does not have them",
			     ncpus - 1);
	while (words > 1 && set[words - 1] == 0)
		words--;
	rt->mask_words = MAX(rt->mask_words, words);
	*mask = sl_build_mask(rt->b, set, words);
	return true;
}

/* The nearest task name, for messages; NULL when none is near. */
static const char *nearest_task(const struct sl_rtapp *rt, const char *name)
{
	GPtrArray *names = g_ptr_array_new();
	const char *near;

	for (guint i = 0; i < rt->items->len && i < 1000; i++)
		g_ptr_array_add(names, (gpointer)sl_build_task_at(rt->b, i)->name);
	near = sl_nearest(name, (const char *const *)names->pdata, names->len);
	g_ptr_array_free(names, TRUE);
	return near;
}

bool sl_rtapp_task_ref(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		       uint32_t *task)
{
	char *name = sl_rtapp_name(rt, scope, v, v->key ? v->key : "the task");
	const char *near;
	guint found;

	if (!name)
		return false;
	found = GPOINTER_TO_UINT(g_hash_table_lookup(rt->task_index, name));
	if (found == 0) {
		near = nearest_task(rt, name);
		sl_json_fail(rt->doc, v, FALSE, rt->error, "no task is named \"%s\"%s%s%s", name,
			     near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	}
	g_free(name);
	*task = found - 1;
	return found != 0;
}

const struct sl_scope *sl_rtapp_bind(struct sl_rtapp *rt, const struct sl_scope *outer,
				     const char *name, struct sl_quantity value)
{
	struct sl_scope *s = g_new(struct sl_scope, 1);

	*s = (struct sl_scope){ .outer = outer, .name = name, .value = value };
	g_ptr_array_add(rt->scopes, s);
	return s;
}

/* Variables from `var` on; all of them are bound when var is NULL. */
static bool foreach_from(struct sl_rtapp *rt, const struct sl_scope *scope,
			 const struct sl_json *var,
			 bool (*fn)(struct sl_rtapp *, const struct sl_scope *, void *), void *arg)
{
	int64_t n;

	while (var && strcmp(var->key, "do") == 0)
		var = var->next;
	if (!var)
		return fn(rt, scope, arg);
	if (!sl_rtapp_int(rt, scope, var, var->key, 0, EXPAND_MAX, &n))
		return false;
	for (int64_t i = 0; i < n; i++) {
		struct sl_quantity q = { .v = i * SL_QUANTITY_ONE };

		if (rt->turns++ == EXPAND_MAX)
			return sl_json_fail(rt->doc, var, TRUE, rt->error,
					    "foreach and for expand to more than %d turns",
					    EXPAND_MAX);
		if (!foreach_from(rt, sl_rtapp_bind(rt, scope, var->key, q), var->next, fn, arg))
			return false;
	}
	return true;
}

bool sl_rtapp_foreach(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *vars,
		      bool (*fn)(struct sl_rtapp *, const struct sl_scope *, void *), void *arg)
{
	if (!vars)
		return fn(rt, scope, arg);
	if (!sl_rtapp_object(rt, vars, "foreach"))
		return false;
	return foreach_from(rt, scope, vars->child, fn, arg);
}

bool sl_rtapp_wprio(struct sl_rtapp *rt, const struct sl_json *v, uint8_t *out)
{
	static const char *const names[SL_WPRIO_COUNT] = {
		[SL_WPRIO_NONE] = "none",	[SL_WPRIO_PSWP] = "PSWP",
		[SL_WPRIO_PVM] = "PVM",		[SL_WPRIO_PINOD] = "PINOD",
		[SL_WPRIO_PRIBIO] = "PRIBIO",	[SL_WPRIO_PVFS] = "PVFS",
		[SL_WPRIO_PZERO] = "PZERO",	[SL_WPRIO_PSOCK] = "PSOCK",
		[SL_WPRIO_PWAIT] = "PWAIT",	[SL_WPRIO_PLOCK] = "PLOCK",
		[SL_WPRIO_PPAUSE] = "PPAUSE",	[SL_WPRIO_PI_REALTIME] = "PI_REALTIME",
		[SL_WPRIO_PI_AV] = "PI_AV",	[SL_WPRIO_PI_NET] = "PI_NET",
		[SL_WPRIO_PI_DISK] = "PI_DISK", [SL_WPRIO_PI_TTY] = "PI_TTY",
		[SL_WPRIO_PI_DULL] = "PI_DULL", [SL_WPRIO_PI_SOFT] = "PI_SOFT",
	};
	const char *near;

	if (v->type != SL_JSON_STRING)
		return sl_json_fail(rt->doc, v, FALSE, rt->error,
				    "%s is %s, expected a kernel priority's name such as PWAIT",
				    v->key, sl_json_type_name(v));
	for (uint8_t i = 0; i < SL_WPRIO_COUNT; i++) {
		if (strcmp(names[i], v->text) == 0) {
			*out = i;
			return true;
		}
	}
	near = sl_nearest(v->text, names, SL_WPRIO_COUNT);
	return sl_json_fail(rt->doc, v, FALSE, rt->error,
			    "unknown kernel priority \"%s\", expected one such as %s", v->text,
			    near ? near : "PWAIT");
}

void sl_rtapp_warn_once(struct sl_rtapp *rt, const char *topic, const struct sl_json *at,
			bool at_key, const char *format, ...)
{
	va_list args;
	char *text;

	if (!g_hash_table_add(rt->said, (gpointer)topic))
		return;
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	sl_json_warn(rt->doc, at, at_key, rt->warnings, "%s", text);
	g_free(text);
}

const struct sl_json *sl_rtapp_prop(const struct sl_json *obj, const char *key)
{
	const struct sl_json *found = NULL;

	for (const struct sl_json *v = obj->child; v; v = v->next)
		if (*v->key == *key && strcmp(v->key, key) == 0)
			found = v;
	return found;
}

bool sl_rtapp_object(struct sl_rtapp *rt, const struct sl_json *obj, const char *what)
{
	const struct sl_json *twice;

	if (obj->type != SL_JSON_OBJECT)
		return sl_json_fail(rt->doc, obj, FALSE, rt->error, "%s is %s, expected an object",
				    what, sl_json_type_name(obj));
	twice = sl_json_duplicate(obj);
	if (twice)
		return sl_json_fail(rt->doc, twice, TRUE, rt->error, "\"%s\" occurs twice in %s",
				    twice->key, what);
	return true;
}

void sl_rtapp_unknown_key(struct sl_rtapp *rt, const struct sl_json *member, const char *where,
			  const char *const *known)
{
	size_t n = g_strv_length((char **)known);
	const char *near = sl_nearest(member->key, known, n);

	sl_json_warn(rt->doc, member, TRUE, rt->warnings,
		     "unknown key \"%s\" in %s is ignored%s%s%s", member->key, where,
		     near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}
