/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a compiled table is ascending. */
#include "traces/dist.h"

#include <string.h>

static bool read_value(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		       const char *key, bool count, uint64_t *out)
{
	const struct sl_json *m = sl_json_get(v, key);
	struct sl_dist d;

	if (!m)
		return sl_json_fail(rt->doc, v, FALSE, rt->error, "distribution has no \"%s\"",
				    key);
	if (m->type == SL_JSON_OBJECT)
		return sl_json_fail(rt->doc, m, FALSE, rt->error, "distribution inside another");
	if (!sl_rtapp_dist(rt, scope, m, count, &d))
		return false;
	*out = d.value;
	return true;
}

static bool constant(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		     bool count, struct sl_dist *out)
{
	uint64_t value;

	if (!read_value(rt, scope, v, "value", count, &value))
		return false;
	*out = sl_build_constant(value);
	return true;
}

static bool uniform(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		    bool count, struct sl_dist *out)
{
	uint64_t q[2];

	if (!read_value(rt, scope, v, "min", count, &q[0]) ||
	    !read_value(rt, scope, v, "max", count, &q[1]))
		return false;
	if (q[0] > q[1])
		return sl_json_fail(rt->doc, v, FALSE, rt->error, "min is larger than max");
	*out = sl_build_dist(rt->b, q, 1, q[0] + (q[1] - q[0]) / 2);
	return true;
}

static const struct {
	const char *name;
	bool (*compile)(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
			bool count, struct sl_dist *out);
} kinds[] = {
	{ "constant", constant },
	{ "uniform", uniform },
};

bool sl_dist_compile(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		     bool count, struct sl_dist *out)
{
	const struct sl_json *name = sl_json_get(v, "dist");

	for (size_t i = 0; name && name->text && i < G_N_ELEMENTS(kinds); i++)
		if (strcmp(kinds[i].name, name->text) == 0)
			return kinds[i].compile(rt, scope, v, count, out);
	return sl_json_fail(rt->doc, name ? name : v, FALSE, rt->error,
			    "expected {\"dist\": \"constant\" or \"uniform\", ...}");
}
