/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The root of an rt-app document: parameters, global, resources, tasks in two passes
 * (names first, then programs), and the final check.
 * Invariant: task indices follow the order of the file, so thread ids do. */
#include "traces/rtapp.h"

#include "sim/base/bits.h"
#include "sim/base/nearest.h"

#include <string.h>

static const char *const root_keys[] = { "tasks",   "global", "resources", "params", "let",
					 "summary", "name",   "comment",   NULL };

/* Of rt-app's global, those that concern only its own logging are read over. */
static const char *const global_keys[] = {
	"duration",	    "calibration", "default_policy", "pi_enabled",
	"lock_pages",	    "logdir",	   "log_basename",   "log_size",
	"ftrace",	    "gnuplot",	   "io_device",	     "mem_buffer_size",
	"cumulative_slack", "frag",	   "comment",	     "same_work",
	"jitter_permille",  NULL,
};

static struct sl_rtapp *context_new(struct sl_json_doc *doc, const struct sl_workload_opts *opts,
				    GPtrArray *warnings, GPtrArray *findings, GError **error)
{
	struct sl_rtapp *rt = g_new0(struct sl_rtapp, 1);

	rt->doc = doc;
	rt->opts = *opts;
	rt->warnings = warnings;
	rt->findings = findings;
	rt->error = error;
	rt->b = sl_build_new();
	rt->scopes = g_ptr_array_new_with_free_func(g_free);
	rt->task_index = g_hash_table_new(g_str_hash, g_str_equal);
	rt->said = g_hash_table_new(g_str_hash, g_str_equal);
	rt->op_at = g_array_new(FALSE, FALSE, sizeof(struct sl_json *));
	rt->uses = g_array_new(FALSE, FALSE, sizeof(struct sl_rtapp_use));
	rt->parties = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	rt->declared = g_hash_table_new(NULL, NULL);
	rt->forked = g_array_new(FALSE, TRUE, sizeof(uint8_t));
	rt->items = g_array_new(FALSE, FALSE, sizeof(struct sl_rtapp_item));
	rt->processes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	rt->default_policy = "SCHED_OTHER";
	rt->mem_buffer = 4194304;
	rt->io_device = "/dev/null";
	rt->mask_words = MAX(1, SL_BITS_WORDS(opts->ncpus));
	return rt;
}

static void context_free(struct sl_rtapp *rt)
{
	sl_build_free(rt->b);
	g_ptr_array_free(rt->scopes, TRUE);
	g_hash_table_destroy(rt->task_index);
	g_hash_table_destroy(rt->said);
	g_array_free(rt->op_at, TRUE);
	g_array_free(rt->uses, TRUE);
	g_array_free(rt->parties, TRUE);
	g_hash_table_destroy(rt->declared);
	g_array_free(rt->forked, TRUE);
	g_array_free(rt->items, TRUE);
	g_hash_table_destroy(rt->processes);
	g_free(rt);
}

/* A parameter is a value, or an object with "default". */
static const struct sl_json *param_default(const struct sl_json *p)
{
	return p->type == SL_JSON_OBJECT ? sl_json_get(p, "default") : p;
}

/* The value of parameter `name` in "a=1,b=2"; NULL when it is not given. The last wins. */
static char *param_given(const char *params, const char *name)
{
	char **list = g_strsplit(params ? params : "", ",", -1), *found = NULL;
	size_t len = strlen(name);

	for (char **p = list; *p; p++) {
		if (strncmp(*p, name, len) != 0 || (*p)[len] != '=')
			continue;
		g_free(found);
		found = g_strdup(*p + len + 1);
	}
	g_strfreev(list);
	return found;
}

static bool fail_param(struct sl_rtapp *rt, const struct sl_json *declared, const char *name,
		       bool empty)
{
	GPtrArray *names = g_ptr_array_new();
	GString *list = g_string_new(NULL);
	const char *near;

	for (const struct sl_json *v = declared ? declared->child : NULL; v; v = v->next) {
		g_ptr_array_add(names, (gpointer)v->key);
		g_string_append_printf(list, "%s%s", list->len ? ", " : "", v->key);
	}
	near = sl_nearest(name, (const char *const *)names->pdata, names->len);
	if (empty)
		g_set_error(rt->error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE,
			    "%s: parameter \"%s\", expected name=value", sl_json_file(rt->doc),
			    name);
	else
		g_set_error(rt->error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE,
			    "%s: no parameter is named \"%s\"%s%s%s; there %s %s",
			    sl_json_file(rt->doc), name, near ? ", did you mean \"" : "",
			    near ? near : "", near ? "\"?" : "", names->len == 1 ? "is" : "are",
			    names->len ? list->str : "none");
	g_ptr_array_free(names, TRUE);
	g_string_free(list, TRUE);
	return false;
}

/* Every given parameter must be declared. */
static bool check_given(struct sl_rtapp *rt, const struct sl_json *declared, const char *params)
{
	char **list = g_strsplit(params ? params : "", ",", -1);
	bool good = true;

	for (char **p = list; *p && good; p++) {
		char *eq = strchr(*p, '=');

		if (eq)
			*eq = '\0';
		if (!eq)
			good = fail_param(rt, declared, *p, true);
		else if (!sl_json_get(declared, *p))
			good = fail_param(rt, declared, *p, false);
		for (char **q = list; q < p && good; q++)
			if (strcmp(*q, *p) == 0) {
				g_set_error(rt->error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE,
					    "%s: parameter \"%s\" is given twice; expected one",
					    sl_json_file(rt->doc), *p);
				good = false;
			}
	}
	g_strfreev(list);
	return good;
}

static bool param_value(struct sl_rtapp *rt, const struct sl_json *p, const char *given,
			struct sl_quantity *out)
{
	const struct sl_json *value = param_default(p);
	struct sl_quantity usual;
	char *why = NULL;

	if (!value)
		return sl_json_fail(rt->doc, p, FALSE, rt->error,
				    "parameter \"%s\" has no \"default\"", p->key);
	if (!sl_rtapp_quantity(rt, rt->globals, value, &usual))
		return false;
	*out = usual;
	if (!given)
		return true;
	if (!sl_expr_eval(rt->globals, given, out, &why)) {
		g_set_error(rt->error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE,
			    "%s: parameter %s=%s: %s", sl_json_file(rt->doc), p->key, given, why);
		g_free(why);
		return false;
	}
	if (out->is_time != usual.is_time) {
		g_set_error(rt->error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE,
			    "%s: parameter %s=%s, expected %s", sl_json_file(rt->doc), p->key,
			    given,
			    usual.is_time ? "a time with a unit such as 10ms"
					  : "a number without a unit");
		return false;
	}
	return true;
}

static bool check_range(struct sl_rtapp *rt, const struct sl_json *p, const struct sl_quantity *v)
{
	static const char *const bounds[] = { "min", "max" };

	for (int i = 0; p->type == SL_JSON_OBJECT && i < 2; i++) {
		const struct sl_json *b = sl_json_get(p, bounds[i]);
		struct sl_quantity q;

		if (!b)
			continue;
		if (!sl_rtapp_quantity(rt, rt->globals, b, &q))
			return false;
		if (q.is_time == v->is_time && (i == 0 ? v->v >= q.v : v->v <= q.v))
			continue;
		g_set_error(rt->error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE,
			    "%s: parameter %s is out of range, expected at %s %s",
			    sl_json_file(rt->doc), p->key, i == 0 ? "least" : "most",
			    b->text ? b->text : "");
		return false;
	}
	return true;
}

/* Binds the members of `declared` in order; params: what the user gave, or NULL. */
static bool bind_all(struct sl_rtapp *rt, const struct sl_json *declared, const char *params)
{
	for (const struct sl_json *p = declared ? declared->child : NULL; p; p = p->next) {
		char *given = param_given(params, p->key);
		struct sl_quantity q;
		bool good = param_value(rt, p, given, &q) && check_range(rt, p, &q);

		g_free(given);
		if (!good)
			return false;
		rt->globals = sl_rtapp_bind(rt, rt->globals, p->key, q);
	}
	return true;
}

/* `params` can be given by the user; `let` is computed from them. */
static bool read_params(struct sl_rtapp *rt, const struct sl_json *root, const char *params)
{
	const struct sl_json *declared = sl_json_get(root, "params");
	const struct sl_json *computed = sl_json_get(root, "let");
	struct sl_quantity ncpus = { .v = (sl_i128)MAX(1, rt->opts.ncpus) * SL_QUANTITY_ONE };

	if (params && *params == '\0')
		params = NULL;
	if ((declared && !sl_rtapp_object(rt, declared, "params")) ||
	    (computed && !sl_rtapp_object(rt, computed, "let")) ||
	    (params && !check_given(rt, declared, params)))
		return false;
	rt->globals = sl_rtapp_bind(rt, NULL, "ncpus", ncpus);
	return bind_all(rt, declared, params) && bind_all(rt, computed, NULL);
}

/* rt-app counts whole seconds, -1 for "until all tasks end". */
static bool read_duration(struct sl_rtapp *rt, const struct sl_json *v)
{
	int64_t seconds;

	if (v->type == SL_JSON_STRING)
		return sl_rtapp_time(rt, rt->globals, v, &rt->duration);
	if (v->type == SL_JSON_PLACEHOLDER) {
		sl_json_warn(
			rt->doc, v, FALSE, rt->warnings,
			"duration is the placeholder %s of a template, taken for -1: until all "
			"tasks end (--until gives another end)",
			v->text);
		rt->duration = 0;
		return true;
	}
	if (!sl_rtapp_int(rt, rt->globals, v, "duration", -1, 9000000000, &seconds))
		return false;
	rt->duration = seconds > 0 ? (sl_time)seconds * SL_NS_PER_S : 0;
	return true;
}

static bool read_global(struct sl_rtapp *rt, const struct sl_json *global)
{
	uint8_t pri_class, level;
	int8_t nice;
	int64_t n;

	if (!global)
		return true;
	if (!sl_rtapp_object(rt, global, "global"))
		return false;
	for (const struct sl_json *v = global->child; v; v = v->next) {
		if (strcmp(v->key, "duration") == 0) {
			if (!read_duration(rt, v))
				return false;
		} else if (strcmp(v->key, "default_policy") == 0) {
			if (v->type != SL_JSON_STRING)
				return sl_json_fail(rt->doc, v, FALSE, rt->error,
						    "default_policy is %s, expected a name",
						    sl_json_type_name(v));
			rt->default_policy = v->text;
			if (!sl_rtapp_policy(rt, v, v->text, NULL, &pri_class, &level, &nice))
				return false;
		} else if (strcmp(v->key, "same_work") == 0) {
			if (!sl_rtapp_int(rt, rt->globals, v, v->key, 0, INT64_MAX, &n))
				return false;
			rt->draw_seed = (uint64_t)n;
		} else if (strcmp(v->key, "jitter_permille") == 0) {
			if (!sl_rtapp_int(rt, rt->globals, v, v->key, 0, 250, &n))
				return false;
			rt->jitter_permille = (uint16_t)n;
		} else if (strcmp(v->key, "pi_enabled") == 0) {
			if (!sl_rtapp_bool(rt, v, &rt->pi))
				return false;
		} else if (strcmp(v->key, "mem_buffer_size") == 0) {
			if (!sl_rtapp_int(rt, rt->globals, v, v->key, 1, INT64_MAX, &n))
				return false;
			rt->mem_buffer = (uint64_t)n;
		} else if (strcmp(v->key, "io_device") == 0 && v->type == SL_JSON_STRING) {
			rt->io_device = v->text;
		} else if (!g_strv_contains(global_keys, v->key) && *v->key != '_') {
			sl_rtapp_unknown_key(rt, v, "global", global_keys);
		}
	}
	return true;
}

/* Adds one item per combination of foreach's variables. */
static bool add_item(struct sl_rtapp *rt, const struct sl_scope *scope, void *arg)
{
	struct sl_rtapp_item item = { .node = arg, .scope = scope };

	if (rt->items->len > 0) {
		const struct sl_rtapp_item *last =
			&g_array_index(rt->items, struct sl_rtapp_item, rt->items->len - 1);

		item.turn = last->node == item.node ? last->turn + 1 : 0;
	}
	g_array_append_val(rt->items, item);
	return sl_rtapp_declare(rt, &item);
}

/* Marks the templates that x_newproc names before their programs are made. */
static void scan_newproc(struct sl_rtapp *rt, const struct sl_json *v)
{
	guint found;

	if (v->key && v->type == SL_JSON_STRING && g_str_has_prefix(v->key, "x_newproc")) {
		found = GPOINTER_TO_UINT(g_hash_table_lookup(rt->task_index, v->text));
		if (found)
			g_array_index(rt->forked, uint8_t, found - 1) |= SL_RTAPP_NEWPROC;
	}
	for (const struct sl_json *c = v->child; c; c = c->next)
		scan_newproc(rt, c);
}

static bool read_tasks(struct sl_rtapp *rt, struct sl_json *tasks)
{
	if (!sl_rtapp_object(rt, tasks, "tasks"))
		return false;
	for (struct sl_json *v = tasks->child; v; v = v->next) {
		if (v->type != SL_JSON_OBJECT)
			return sl_json_fail(rt->doc, v, FALSE, rt->error,
					    "task \"%s\" is %s, expected an object", v->key,
					    sl_json_type_name(v));
		sl_rtapp_prepare(rt, v);
		if (!sl_rtapp_foreach(rt, rt->globals, sl_json_get(v, "foreach"), add_item, v))
			return false;
	}
	g_array_set_size(rt->forked, rt->items->len);
	scan_newproc(rt, tasks);
	for (guint i = 0; i < rt->items->len; i++)
		if (!sl_rtapp_program(rt, i))
			return false;
	for (guint i = 0; i < rt->items->len; i++)
		if (g_array_index(rt->forked, uint8_t, i) == (SL_RTAPP_FORKED | SL_RTAPP_NEWPROC))
			return sl_json_fail(
				rt->doc, g_array_index(rt->items, struct sl_rtapp_item, i).node,
				TRUE, rt->error, "template \"%s\" is used by fork and by x_newproc",
				sl_build_task_at(rt->b, i)->name);
	return true;
}

static bool read_root(struct sl_rtapp *rt, struct sl_json *root, const char *params)
{
	struct sl_json *tasks;

	if (!sl_rtapp_object(rt, root, "the document"))
		return false;
	for (const struct sl_json *v = root->child; v; v = v->next)
		if (!g_strv_contains(root_keys, v->key) && *v->key != '_')
			sl_rtapp_unknown_key(rt, v, "the document", root_keys);
	rt->resources = sl_json_get(root, "resources");
	tasks = (struct sl_json *)sl_json_get(root, "tasks");
	if (!read_params(rt, root, params) || !read_global(rt, sl_json_get(root, "global")) ||
	    !sl_rtapp_resources(rt))
		return false;
	if (tasks)
		return read_tasks(rt, tasks);
	if (!rt->resources && !sl_json_get(root, "global"))
		return sl_json_fail(rt->doc, root, FALSE, rt->error,
				    "no \"tasks\", expected {\"tasks\": {...}}");
	sl_json_warn(rt->doc, root, FALSE, rt->warnings,
		     "no \"tasks\": a fragment, meant to be merged with others; nothing runs");
	return true;
}

/* The check's sentence with the place in the file. */
static bool check(struct sl_rtapp *rt, const struct sl_workload *w)
{
	const struct sl_json *at;
	uint32_t where = 0;
	bool is_task = false;
	const char *why = sl_workload_check(w, &where, &is_task);

	if (!why)
		return true;
	at = is_task ? g_array_index(rt->items, struct sl_rtapp_item, where).node
		     : g_array_index(rt->op_at, const struct sl_json *, where);
	return sl_json_fail(rt->doc, at, TRUE, rt->error, "%s", why);
}

struct sl_workload *sl_rtapp_compile(struct sl_json_doc *doc, const char *params,
				     const struct sl_workload_opts *opts, uint64_t digest,
				     GPtrArray *warnings, GPtrArray *findings, GError **error)
{
	struct sl_rtapp *rt = context_new(doc, opts, warnings, findings, error);
	struct sl_workload *w = NULL;

	if (read_root(rt, sl_json_root(doc), params)) {
		for (guint i = 0; i < rt->parties->len; i++)
			if (g_array_index(rt->parties, uint32_t, i) > 0)
				sl_build_barrier(rt->b, i)->parties =
					g_array_index(rt->parties, uint32_t, i);
		w = sl_build_freeze(rt->b, sl_json_file(doc), rt->mask_words, rt->duration, digest);
		w->draw_seed = rt->draw_seed;
		w->jitter_permille = rt->jitter_permille;
		if (!check(rt, w)) {
			sl_workload_free(w);
			w = NULL;
		}
	}
	if (w && findings)
		sl_rtapp_lint(rt, w);
	context_free(rt);
	return w;
}
