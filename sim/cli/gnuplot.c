/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: gnuplot is started in the script's folder, for scripts name their data without a
 * path; what it says is an error only when it fails. */
#include "sim/cli/gnuplot.h"

#include <string.h>

static const struct {
	const char *suffix, *format;
} formats[] = {
	{ ".svg", "svg" },  { ".png", "png" },	   { ".pdf", "pdf" },
	{ ".txt", "dumb" }, { ".sixel", "sixel" }, { ".gp", "" },
};

const char *sl_gnuplot_format(const char *path)
{
	for (size_t i = 0; i < SL_ARRAY_LEN(formats); i++)
		if (g_str_has_suffix(path, formats[i].suffix))
			return formats[i].format;
	return NULL;
}

bool sl_gnuplot_is_here(void)
{
	char *program = g_find_program_in_path("gnuplot");
	bool here = program != NULL;

	g_free(program);
	return here;
}

bool sl_gnuplot_run(const struct sl_cli *cli, const char *dir, const char *script,
		    const char *format, GError **error)
{
	char *program = g_find_program_in_path("gnuplot");
	char *set = g_strdup_printf("format=\"%s\"", format), *said = NULL;
	char *argv[] = { program, (char *)(uintptr_t) "-e", set, (char *)(uintptr_t)script, NULL };
	int status = 0;
	bool ok = true;

	if (!program) {
		sl_cli_note(cli,
			    "gnuplot is not installed: %s/%s is written, with its data, and "
			    "makes the picture where gnuplot is",
			    dir, script);
	} else if (!g_spawn_sync(dir, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
				 &said, &status, error)) {
		ok = false;
	} else if (status != 0) {
		g_set_error(error, SL_CLI_ERROR, 0, "%s/%s: gnuplot failed: %s", dir, script,
			    g_strstrip(said));
		ok = false;
	}
	g_free(said);
	g_free(set);
	g_free(program);
	return ok;
}

char *sl_gnuplot_quote(const char *text)
{
	GString *out = g_string_new("\"");

	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, g_ascii_iscntrl(*text) ? ' ' : *text);
	}
	g_string_append_c(out, '"');
	return g_string_free(out, FALSE);
}
