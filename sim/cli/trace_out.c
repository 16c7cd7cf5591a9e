/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: until it is complete a trace stands in FILE.partial; standard output is
 * never renamed. */
#include "sim/cli/trace_out.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/out.h"
struct sl_trace_out {
	struct sl_export *export;
	FILE *file;
	char *path;	 /* NULL: stdout */
	char *temporary; /* NULL: written in place */
};

static const struct {
	const char *ending, *format;
} endings[] = {
	{ ".json", "chrome" },	{ ".pftrace", "perfetto" }, { ".perfetto-trace", "perfetto" },
	{ ".perf", "perf" },	{ ".ktr", "ktr" },	    { ".dat", "trace.dat" },
	{ ".txt", "ftrace" },	{ ".systrace", "ftrace" },  { ".ftrace", "ftrace" },
	{ ".trace", "ftrace" },
};

static const char *format_by_ending(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < SL_ARRAY_LEN(endings); i++)
		if (g_str_has_suffix(name, endings[i].ending))
			return endings[i].format;
	return strchr(name, '.') ? NULL : "ftrace";
}

/* The format of that name; NULL. */
static const char *format_by_name(const char *word, size_t len)
{
	const char *name;

	for (unsigned i = 0; (name = sl_export_format_name(i)); i++)
		if (strlen(name) == len && memcmp(name, word, len) == 0)
			return name;
	return NULL;
}

static bool fail_format(const char *spec, const char *word, GError **error)
{
	GPtrArray *names = g_ptr_array_new();
	GString *list = g_string_new(NULL);
	const char *name;
	char *hint;

	for (unsigned i = 0; (name = sl_export_format_name(i)); i++) {
		g_ptr_array_add(names, (gpointer)name);
		g_string_append_printf(list, "%s%s", i ? ", " : "", name);
	}
	hint = word ? sl_cli_did_you_mean(word, (const char *const *)names->pdata, names->len)
		    : g_strdup("");
	g_set_error(error, SL_CLI_ERROR, 0,
		    "--trace %s: %s; expected FORMAT=FILE with one of the formats %s%s", spec,
		    word ? "no such format" : "its ending stands for no format", list->str, hint);
	g_free(hint);
	g_string_free(list, TRUE);
	g_ptr_array_unref(names);
	return false;
}

bool sl_trace_out_split(const char *spec, const char **path, const char **format, GError **error)
{
	size_t len = strcspn(spec, "=/.");
	bool named;

	/* trace.dat has a dot of its own. */
	if (spec[len] == '.' && strchr(spec, '='))
		len = strcspn(spec, "=/");
	named = spec[len] == '=' && len > 0;
	*path = named ? spec + len + 1 : spec;
	*format = named ? format_by_name(spec, len) : format_by_ending(spec);
	if (*format && **path)
		return true;
	if (*format) {
		g_set_error(error, SL_CLI_ERROR, 0, "--trace %s: no file; expected %s=FILE", spec,
			    *format);
		return false;
	}
	if (named) {
		char *word = g_strndup(spec, len);

		fail_format(spec, word, error);
		g_free(word);
		return false;
	}
	return fail_format(spec, NULL, error);
}

static void free_trace(struct sl_trace_out *t)
{
	g_free(t->path);
	g_free(t->temporary);
	g_free(t);
}

struct sl_trace_out *sl_trace_out_new(const char *path, const char *format,
				      const struct sl_workload *w,
				      const struct sl_export_opts *opts, GError **error)
{
	struct sl_trace_out *t = g_new0(struct sl_trace_out, 1);

	t->file = stdout;
	if (!sl_out_is_stdout(path)) {
		t->path = sl_out_in_place(path) ? g_strdup(path) : sl_out_target(path);
		if (!sl_out_in_place(path))
			t->temporary = g_strconcat(t->path, ".partial", NULL);
		t->file = g_fopen(t->temporary ? t->temporary : path, "wb");
	}
	if (!t->file) {
		g_set_error(error, SL_CLI_ERROR, 0, "%s: cannot be written: %s", path,
			    g_strerror(errno));
		free_trace(t);
		return NULL;
	}
	t->export = sl_export_new(format, w, t->file, opts, error);
	if (t->export)
		return t;
	sl_trace_out_abandon(t);
	return NULL;
}

struct sl_sink sl_trace_out_sink(struct sl_trace_out *t)
{
	return sl_export_sink(t->export);
}

bool sl_trace_out_close(struct sl_trace_out *t, sl_time end, bool partial, GError **error)
{
	bool ok = sl_export_finish(t->export, end, error);

	t->export = NULL;
	if (t->path) {
		if (fclose(t->file) != 0 && ok) {
			g_set_error(error, SL_CLI_ERROR, 0, "%s: cannot be written: %s", t->path,
				    g_strerror(errno));
			ok = false;
		}
		if (ok && !partial && t->temporary && g_rename(t->temporary, t->path) != 0) {
			g_set_error(error, SL_CLI_ERROR, 0, "%s: cannot be written: %s", t->path,
				    g_strerror(errno));
			ok = false;
		}
		if (!ok && t->temporary)
			g_unlink(t->temporary);
	}
	free_trace(t);
	return ok;
}

void sl_trace_out_abandon(struct sl_trace_out *t)
{
	if (!t)
		return;
	if (t->export)
		sl_export_finish(t->export, 0, NULL);
	if (t->path) {
		fclose(t->file);
		if (t->temporary)
			g_unlink(t->temporary);
	}
	free_trace(t);
}
