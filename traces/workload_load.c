/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From a specification on the command line to text, and to a workload.
 * Invariant: a library name never hides a file that was named with a '/' or a '.'. */
#include "traces/workload_load.h"

#include "sim/base/nearest.h"
#include "traces/json.h"
#include "traces/rtapp.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "/schedlab/workloads/"

/* Generated from traces.gresource.xml; named here so that the linker keeps it. */
GResource *traces_get_resource(void);

static const struct sl_workload_opts default_opts = { .dialect = SL_DIALECT_CURRENT };

/* A digest of bytes: eight at a time through the mixer of sim/base/rng.h. */
static uint64_t digest_bytes(uint64_t h, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i += 8) {
		uint64_t word = 0;

		for (size_t k = 0; k < 8 && i + k < len; k++)
			word |= (uint64_t)(unsigned char)p[i + k] << (8 * k);
		h = sl_rng_mix(h ^ word);
	}
	return sl_rng_mix(h ^ len);
}

static GBytes *library_bytes(const char *name)
{
	char *path = g_strconcat(LIBRARY, name, ".json", NULL);
	GBytes *bytes = g_resource_lookup_data(traces_get_resource(), path,
					       G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

	g_free(path);
	return bytes;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **sl_workload_library(void)
{
	char **names = g_resource_enumerate_children(traces_get_resource(), LIBRARY,
						     G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
	size_t n;

	if (!names)
		return g_new0(char *, 1);
	n = g_strv_length(names);
	for (size_t i = 0; i < n; i++)
		if (g_str_has_suffix(names[i], ".json"))
			names[i][strlen(names[i]) - strlen(".json")] = '\0';
	qsort(names, n, sizeof(*names), compare_names);
	return names;
}

static GBytes *read_stdin(GError **error)
{
	GByteArray *all = g_byte_array_new();
	guint8 block[65536];
	size_t got;

	while ((got = fread(block, 1, sizeof(block), stdin)) > 0)
		g_byte_array_append(all, block, (guint)got);
	if (ferror(stdin)) {
		g_set_error(error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE, "-: cannot read");
		g_byte_array_free(all, TRUE);
		return NULL;
	}
	return g_byte_array_free_to_bytes(all);
}

static GBytes *read_file(const char *path, GError **error)
{
	GError *why = NULL;
	char *data;
	gsize len;

	if (g_file_get_contents(path, &data, &len, &why))
		return g_bytes_new_take(data, len);
	g_set_error(error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE, "%s: %s", path, why->message);
	g_error_free(why);
	return NULL;
}

/* Neither a file nor in the library. */
static void fail_name(const char *name, GError **error)
{
	char **library = sl_workload_library();
	const char *near = sl_nearest(name, (const char *const *)library, g_strv_length(library));

	g_set_error(error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE,
		    "%s: no such file and no workload of the library%s%s%s (schedlab list "
		    "workloads)",
		    name, near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	g_strfreev(library);
}

static GBytes *find_text(const char *name, GError **error)
{
	GBytes *bytes;

	if (strcmp(name, "-") == 0)
		return read_stdin(error);
	if (!strpbrk(name, "/.")) {
		bytes = library_bytes(name);
		if (bytes)
			return bytes;
		if (!g_file_test(name, G_FILE_TEST_EXISTS)) {
			fail_name(name, error);
			return NULL;
		}
	}
	return read_file(name, error);
}

/* Splits spec into name and parameters (NULL when there are none). A file whose name
 * has a ':' is taken whole when it exists. */
static char *split_spec(const char *spec, const char **params)
{
	const char *colon = strchr(spec, ':');

	*params = NULL;
	if (!colon || g_file_test(spec, G_FILE_TEST_EXISTS))
		return g_strdup(spec);
	*params = colon + 1;
	return g_strndup(spec, (gsize)(colon - spec));
}

static struct sl_workload *compile(const char *text, size_t len, const char *name,
				   const char *params, const struct sl_workload_opts *opts,
				   GPtrArray *warnings, GPtrArray *findings, GError **error)
{
	const struct sl_workload_opts *o = opts ? opts : &default_opts;
	const char *file = strcmp(name, "-") == 0 ? "<stdin>" : name;
	struct sl_json_doc *doc = sl_json_parse(text, len, file, o->strict, warnings, error);
	struct sl_workload *w;
	uint64_t digest;

	if (!doc)
		return NULL;
	digest = digest_bytes(o->dialect, text, len);
	digest = digest_bytes(digest ^ o->ncpus, params ? params : "", params ? strlen(params) : 0);
	w = sl_rtapp_compile(doc, params, o, digest, warnings, findings, error);
	sl_json_doc_free(doc);
	return w;
}

static struct sl_workload *load(const char *spec, const struct sl_workload_opts *opts,
				GPtrArray *warnings, GPtrArray *findings, GError **error)
{
	const char *params;
	char *name = split_spec(spec, &params);
	GBytes *bytes = find_text(name, error);
	struct sl_workload *w = NULL;
	gsize len;
	const char *text;

	if (bytes) {
		text = g_bytes_get_data(bytes, &len);
		w = compile(text ? text : "", len, name, params, opts, warnings, findings, error);
		g_bytes_unref(bytes);
	}
	g_free(name);
	return w;
}

struct sl_workload *sl_workload_load(const char *spec, const struct sl_workload_opts *opts,
				     GPtrArray *warnings, GError **error)
{
	return load(spec, opts, warnings, NULL, error);
}

struct sl_workload *sl_workload_load_text(const char *text, size_t len, const char *name,
					  const char *params, const struct sl_workload_opts *opts,
					  GPtrArray *warnings, GError **error)
{
	return compile(text, len, name, params, opts, warnings, NULL, error);
}

bool sl_workload_lint(const char *spec, const struct sl_workload_opts *opts, GPtrArray *findings,
		      GError **error)
{
	struct sl_workload *w = load(spec, opts, findings, findings, error);

	if (!w)
		return false;
	sl_workload_free(w);
	return true;
}

bool sl_workload_lint_text(const char *text, size_t len, const char *name,
			   const struct sl_workload_opts *opts, GPtrArray *findings, GError **error)
{
	struct sl_workload *w = compile(text, len, name, NULL, opts, findings, findings, error);

	if (!w)
		return false;
	sl_workload_free(w);
	return true;
}

static struct sl_json_doc *library_doc(const char *name)
{
	GBytes *bytes = library_bytes(name);
	struct sl_json_doc *doc;
	gsize len;
	const char *text;

	if (!bytes)
		return NULL;
	text = g_bytes_get_data(bytes, &len);
	doc = sl_json_parse(text, len, name, FALSE, NULL, NULL);
	g_bytes_unref(bytes);
	return doc;
}

char *sl_workload_summary(const char *name)
{
	struct sl_json_doc *doc = library_doc(name);
	const struct sl_json *v = doc ? sl_json_get(sl_json_root(doc), "summary") : NULL;
	char *text = v && v->type == SL_JSON_STRING ? g_strdup(v->text) : NULL;

	sl_json_doc_free(doc);
	return text;
}

char *sl_workload_params(const char *name)
{
	struct sl_json_doc *doc = library_doc(name);
	const struct sl_json *params = doc ? sl_json_get(sl_json_root(doc), "params") : NULL;
	GString *out;

	if (!doc)
		return NULL;
	out = g_string_new(NULL);
	for (const struct sl_json *p = params ? params->child : NULL; p; p = p->next) {
		const struct sl_json *value = sl_json_get(p, "default");
		const struct sl_json *help = sl_json_get(p, "help");

		value = p->type == SL_JSON_OBJECT ? value : p;
		g_string_append_printf(
			out, "%s=%s%s%s\n", p->key, value && value->text ? value->text : "",
			help && help->text ? "  " : "", help && help->text ? help->text : "");
	}
	sl_json_doc_free(doc);
	return g_string_free(out, FALSE);
}
