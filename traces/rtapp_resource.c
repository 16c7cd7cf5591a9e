/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The `resources` section: rt-app makes resources on first use, so its old types are
 * only accepted (a type that is missing is mutex, as there); the extensions (semaphores with a
 * start value, barriers, channels, disks, kinds of mutex) are declared here. Invariant: a declared
 * resource keeps what was declared, whatever uses follow. */
#include "traces/rtapp.h"

#include "sim/base/nearest.h"

#include <string.h>

struct field {
	const struct sl_json *v; /* the declaration */
	const struct sl_scope *scope;
	const char *name;
};

/* Integer member, or `fallback`. */
static bool number(struct sl_rtapp *rt, const struct field *f, const char *key, int64_t least,
		   int64_t most, int64_t fallback, int64_t *out)
{
	const struct sl_json *v = sl_json_get(f->v, key);

	*out = fallback;
	return !v || sl_rtapp_int(rt, f->scope, v, key, least, most, out);
}

static bool declare_mutex(struct sl_rtapp *rt, const struct field *f)
{
	static const char *const kinds[] = { "user", "pi", "kernel" };
	static const uint8_t values[] = { SL_MUTEX_USER, SL_MUTEX_USER_PI, SL_MUTEX_KERNEL };
	const struct sl_json *kind = sl_json_get(f->v, "kind");
	uint32_t obj = sl_build_resource(rt->b, SL_RES_MUTEX, f->name);
	int64_t n;

	sl_build_mutex(rt->b, obj)->kind = rt->pi ? SL_MUTEX_USER_PI : SL_MUTEX_USER;
	if (kind && kind->text && strchr(kind->text, '$')) {
		if (!sl_rtapp_int(rt, f->scope, kind, "kind", SL_MUTEX_USER, SL_MUTEX_KERNEL, &n))
			return false;
		sl_build_mutex(rt->b, obj)->kind = (uint8_t)n;
		return true;
	}
	for (size_t i = 0; kind && i < G_N_ELEMENTS(kinds); i++) {
		if (!kind->text || strcmp(kind->text, kinds[i]) != 0)
			continue;
		sl_build_mutex(rt->b, obj)->kind = values[i];
		return true;
	}
	return !kind || sl_json_fail(rt->doc, kind, FALSE, rt->error,
				     "kind is %s, expected user, pi or kernel",
				     kind->text ? kind->text : sl_json_type_name(kind));
}

static bool declare_sem(struct sl_rtapp *rt, const struct field *f)
{
	int64_t n;

	if (!number(rt, f, "initial", 0, INT32_MAX, 0, &n))
		return false;
	sl_build_sem(rt->b, sl_build_resource(rt->b, SL_RES_SEM, f->name))->initial = (uint32_t)n;
	return true;
}

static bool declare_barrier(struct sl_rtapp *rt, const struct field *f)
{
	uint32_t obj;
	int64_t n;

	if (!sl_json_get(f->v, "parties"))
		return true;
	if (!number(rt, f, "parties", 1, INT32_MAX, 1, &n))
		return false;
	obj = sl_build_resource(rt->b, SL_RES_BARRIER, f->name);
	sl_build_barrier(rt->b, obj)->parties = (uint32_t)n;
	g_hash_table_add(rt->declared, GUINT_TO_POINTER(obj + 1));
	return true;
}

static bool declare_channel(struct sl_rtapp *rt, const struct field *f)
{
	uint32_t obj = sl_build_resource(rt->b, SL_RES_CHANNEL, f->name);
	int64_t n;

	if (!number(rt, f, "capacity", 1, INT64_MAX, INT64_MAX, &n))
		return false;
	sl_build_channel(rt->b, obj)->capacity = (uint64_t)n;
	return true;
}

static bool declare_disk(struct sl_rtapp *rt, const struct field *f)
{
	uint32_t obj = sl_build_resource(rt->b, SL_RES_DISK, f->name);
	int64_t servers, cold, warm;

	if (!number(rt, f, "servers", 1, 65536, 1, &servers) ||
	    !number(rt, f, "cold_permille", 0, 1000, 1000, &cold) ||
	    !number(rt, f, "warm_permille", 0, 1000, 0, &warm))
		return false;
	sl_build_disk(rt->b, obj)->servers = (uint32_t)servers;
	sl_build_disk(rt->b, obj)->cold_permille = (uint32_t)cold;
	sl_build_disk(rt->b, obj)->warm_permille = (uint32_t)warm;
	return true;
}

/* rt-app makes these on use. */
static bool declare_nothing(struct sl_rtapp *rt, const struct field *f)
{
	(void)rt;
	(void)f;
	return true;
}

static const struct {
	const char *type;
	bool (*declare)(struct sl_rtapp *rt, const struct field *f);
} types[] = {
	{ "mutex", declare_mutex },	  { "semaphore", declare_sem },
	{ "barrier", declare_barrier },	  { "channel", declare_channel },
	{ "disk", declare_disk },	  { "wait", declare_nothing },
	{ "signal", declare_nothing },	  { "broadcast", declare_nothing },
	{ "sync", declare_nothing },	  { "run", declare_nothing },
	{ "sleep", declare_nothing },	  { "timer", declare_nothing },
	{ "suspend", declare_nothing },	  { "resume", declare_nothing },
	{ "mem", declare_nothing },	  { "iorun", declare_nothing },
	{ "runtime", declare_nothing },	  { "yield", declare_nothing },
	{ "condition", declare_nothing }, { "cond", declare_nothing },
	{ "sem", declare_sem },		  { "broad", declare_nothing },
};

static bool declare_one(struct sl_rtapp *rt, const struct sl_scope *scope, void *arg)
{
	const struct sl_json *v = arg, *type = sl_json_get(v, "type");
	const char *names[G_N_ELEMENTS(types)], *near;
	const char *wanted = !type ? "mutex" : type->text ? type->text : "";
	char *name;
	bool good;

	for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
		struct field f = { .v = v, .scope = scope };

		names[i] = types[i].type;
		if (strcmp(wanted, types[i].type) != 0)
			continue;
		name = sl_rtapp_expand(rt, scope, v, true, v->key);
		f.name = name;
		good = name && types[i].declare(rt, &f);
		g_free(name);
		return good;
	}
	near = sl_nearest(wanted, names, G_N_ELEMENTS(names));
	return sl_json_fail(rt->doc, type, FALSE, rt->error,
			    "resource \"%s\" has an unknown type, expected one such as %s", v->key,
			    near ? near : "semaphore");
}

bool sl_rtapp_resources(struct sl_rtapp *rt)
{
	if (!rt->resources)
		return true;
	/* The first rt-app files gave a number of resources, named "0", "1", ... */
	if (rt->resources->type == SL_JSON_NUMBER) {
		sl_json_warn(rt->doc, rt->resources, FALSE, rt->warnings,
			     "resources is a number, as before rt-app named them, and is ignored: "
			     "resources exist on use");
		return true;
	}
	if (!sl_rtapp_object(rt, rt->resources, "resources"))
		return false;
	for (struct sl_json *v = rt->resources->child; v; v = v->next)
		if (!sl_rtapp_object(rt, v, v->key) ||
		    !sl_rtapp_foreach(rt, rt->globals, sl_json_get(v, "foreach"), declare_one, v))
			return false;
	return true;
}
