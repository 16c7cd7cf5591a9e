/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a loaded work has passed sl_workload_check() in its loader. */
#include "sim/cli/work.h"

#include <string.h>

#include "sim/cli/spec.h"
#include "traces/workload_load.h"

static void release_workload(void *owned)
{
	sl_workload_free(owned);
}

static void release_import(void *owned)
{
	sl_import_workload_free(owned);
}

/* Answers kept in `known`, of files that are no trace and of those that are. */
#define NO_TRACE GINT_TO_POINTER(1)
#define A_TRACE	 GINT_TO_POINTER(2)

static bool is_trace_file(const char *path, GHashTable *known)
{
	gpointer answer = known ? g_hash_table_lookup(known, path) : NULL;
	enum sl_trace_kind kind;

	if (answer)
		return answer == A_TRACE;
	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return false;
	kind = sl_trace_sniff(path);
	answer = kind == SL_TRACE_EVENTS || kind == SL_TRACE_RECORDING ? A_TRACE : NO_TRACE;
	if (known)
		g_hash_table_insert(known, g_strdup(path), answer);
	return answer == A_TRACE;
}

bool sl_work_is_trace(const char *spec, size_t *path_len, GHashTable *known)
{
	/* A path may hold colons: try it whole first, then up to each colon from the
	 * right. */
	char *path = g_strdup(spec);
	bool found = is_trace_file(path, known);

	while (!found) {
		char *colon = strrchr(path, ':');

		if (!colon)
			break;
		*colon = 0;
		found = is_trace_file(path, known);
	}
	*path_len = strlen(path);
	g_free(path);
	return found;
}

/* Switches of the importer by name. */
static const struct {
	const char *name;
	size_t offset;
} flags[] = {
	{ "strict", offsetof(struct sl_import_opts, strict) },
	{ "force", offsetof(struct sl_import_opts, force) },
	{ "all", offsetof(struct sl_import_opts, all) },
	{ "servers", offsetof(struct sl_import_opts, servers) },
	{ "kernel", offsetof(struct sl_import_opts, keep_kernel) },
	{ "timeouts", offsetof(struct sl_import_opts, keep_timeouts) },
	{ "absolute", offsetof(struct sl_import_opts, absolute) },
};

struct trace_params {
	struct sl_import_opts opts;
	char *command;
	GPtrArray *threads; /* of char *, ends with NULL when used */
};

static bool set_flag(struct sl_import_opts *opts, const char *name, const char *value, bool *known,
		     GError **error)
{
	uint64_t on;

	for (size_t i = 0; i < SL_ARRAY_LEN(flags); i++) {
		if (strcmp(flags[i].name, name) != 0)
			continue;
		*known = true;
		if (!sl_spec_number(name, value, 0, 1, &on, error))
			return false;
		*(bool *)((char *)opts + flags[i].offset) = on;
	}
	return true;
}

static bool unknown_param(const char *name, GError **error)
{
	const char *names[SL_ARRAY_LEN(flags) + 5] = { "jobs", "command", "thread", "from", "to" };
	char *hint;

	for (size_t i = 0; i < SL_ARRAY_LEN(flags); i++)
		names[5 + i] = flags[i].name;
	hint = sl_cli_did_you_mean(name, names, SL_ARRAY_LEN(names));
	g_set_error(error, SL_CLI_ERROR, 0,
		    "a trace has no parameter \"%s\"%s; expected strict, force, all, servers, "
		    "kernel, timeouts, absolute, jobs, command, thread, from or to",
		    name, hint);
	g_free(hint);
	return false;
}

static bool set_param(struct trace_params *p, const char *name, const char *value, GError **error)
{
	uint64_t jobs;
	bool known = false;

	if (!set_flag(&p->opts, name, value, &known, error))
		return false;
	if (known)
		return true;
	if (strcmp(name, "from") == 0)
		return sl_spec_duration(value, &p->opts.from, error);
	if (strcmp(name, "to") == 0)
		return sl_spec_duration(value, &p->opts.to, error);
	if (strcmp(name, "thread") == 0) {
		g_ptr_array_add(p->threads, g_strdup(value));
		return true;
	}
	if (strcmp(name, "command") == 0) {
		g_free(p->command);
		p->command = g_strdup(value);
		return true;
	}
	if (strcmp(name, "jobs") != 0)
		return unknown_param(name, error);
	if (!sl_spec_number("jobs", value, 1, 65536, &jobs, error))
		return false;
	p->opts.jobs = (uint32_t)jobs;
	return true;
}

static bool set_params(struct trace_params *p, const char *list, GError **error)
{
	char **pairs = g_strsplit(list, ",", -1);
	bool ok = true;

	for (char **at = pairs; *at && ok; at++) {
		char *equals = strchr(*at, '=');

		if (equals) {
			*equals = 0;
			ok = set_param(p, *at, equals + 1, error);
		} else {
			g_set_error(error, SL_CLI_ERROR, 0, "\"%s\": expected parameter=value",
				    *at);
			ok = false;
		}
	}
	ok = ok && sl_spec_once(pairs, "thread", error);
	g_strfreev(pairs);
	if (ok && p->opts.to && p->opts.to <= p->opts.from) {
		g_set_error(error, SL_CLI_ERROR, 0,
			    "to=: not behind from=; expected a later time in \"%s\"", list);
		ok = false;
	}
	return ok;
}

static bool load_trace(const struct sl_cli *cli, const char *spec, size_t path_len,
		       struct sl_work *work, GError **error)
{
	struct trace_params p = { .threads = g_ptr_array_new_with_free_func(g_free) };
	struct sl_import_report report = { 0 };
	char *path = g_strndup(spec, path_len);
	bool ok = !spec[path_len] || set_params(&p, spec + path_len + 1, error);

	if (ok) {
		p.opts.command = p.command;
		g_ptr_array_add(p.threads, NULL);
		if (p.threads->len > 1)
			p.opts.select = (const char *const *)p.threads->pdata;
		work->owned = sl_trace_import(path, &p.opts, &report, error);
		work->workload = work->owned;
		work->release = release_import;
		work->recorded = true;
		ok = work->owned != NULL;
		if (ok && report.truncated)
			sl_cli_note(cli,
				    "%s: the trace is cut off; what follows is its beginning only",
				    path);
	}
	g_free(p.command);
	g_ptr_array_unref(p.threads);
	g_free(path);
	return ok;
}

bool sl_work_load_written(const struct sl_cli *cli, const char *spec,
			  const struct sl_workload_opts *opts, struct sl_work *work, GError **error)
{
	GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);

	work->owned = sl_workload_load(spec, opts, warnings, error);
	work->workload = work->owned;
	work->release = release_workload;
	for (guint i = 0; i < warnings->len && cli; i++)
		sl_cli_note(cli, "%s", (const char *)warnings->pdata[i]);
	g_ptr_array_unref(warnings);
	return work->owned != NULL;
}

bool sl_work_load(const struct sl_cli *cli, const char *spec, const struct sl_workload_opts *opts,
		  struct sl_work *work, GError **error)
{
	size_t path_len;

	if (sl_work_is_trace(spec, &path_len, NULL))
		return load_trace(cli, spec, path_len, work, error);
	return sl_work_load_written(cli, spec, opts, work, error);
}

void sl_work_release(struct sl_work *work)
{
	if (work->owned)
		work->release(work->owned);
	work->owned = NULL;
}
