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
	{ ".json", "chrome" }, { ".pftrace", "perfetto" }, { ".perfetto-trace", "perfetto" },
	{ ".perf", "perf" },   { ".ktr", "ktr" },	   { ".dat", "trace.dat" },
};

/* Whether `spec` starts with a format's name and '='. */
static bool names_format(const char *spec, size_t len)
{
	const char *name;

	for (unsigned i = 0; (name = sl_export_format_name(i)); i++)
		if (strlen(name) == len && memcmp(name, spec, len) == 0)
			return true;
	return false;
}

void sl_trace_out_split(const char *spec, const char **path, char **format)
{
	const char *equals = strchr(spec, '=');

	*path = spec;
	if (equals && names_format(spec, (size_t)(equals - spec))) {
		*format = g_strndup(spec, (gsize)(equals - spec));
		*path = equals + 1;
		return;
	}
	for (size_t i = 0; i < SL_ARRAY_LEN(endings); i++) {
		if (g_str_has_suffix(spec, endings[i].ending)) {
			*format = g_strdup(endings[i].format);
			return;
		}
	}
	*format = g_strdup("ftrace");
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
	if (strcmp(path, "-") != 0) {
		t->path = g_strdup(path);
		if (!sl_out_in_place(path))
			t->temporary = g_strconcat(path, ".partial", NULL);
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
