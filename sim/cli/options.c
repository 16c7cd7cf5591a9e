/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a command line that GOption gets to see names no option twice whose value would
 * replace the first one, and asks for no help. Which options may be repeated is read from their
 * entries, the one table there is: those that gather an array. A flag says nothing new the second
 * time and may be repeated, too. */
#include "sim/cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
	const GOptionEntry *const *groups;
	uint32_t n_groups;
	char **old, **new;
	int n_old, n_new;
	GPtrArray *once; /* entries seen that may come once only */
	const GOptionEntry *twice;
	bool help;
};

/* GOption says "Unknown option --sed"; add the nearest one. */
static char *explain_option(const char *message, const GOptionEntry *const *groups, uint32_t n)
{
	const char *dashes = strstr(message, " --");
	GPtrArray *names;
	char *text;

	if (!dashes)
		return g_strdup(message);
	names = g_ptr_array_new_with_free_func(g_free);
	for (uint32_t i = 0; i < n; i++)
		for (const GOptionEntry *e = groups[i]; e->long_name; e++)
			if (e->long_name[0])
				g_ptr_array_add(names, g_strdup_printf("--%s", e->long_name));
	{
		char *word = g_strndup(dashes + 1, strcspn(dashes + 1, "= "));
		char *hint =
			sl_cli_did_you_mean(word, (const char *const *)names->pdata, names->len);

		text = g_strconcat(message, hint, NULL);
		g_free(hint);
		g_free(word);
	}
	g_ptr_array_unref(names);
	return text;
}

static const GOptionEntry *find_long(const struct words *w, const char *name, size_t len)
{
	for (uint32_t i = 0; i < w->n_groups; i++)
		for (const GOptionEntry *e = w->groups[i]; e->long_name; e++)
			if (strlen(e->long_name) == len && strncmp(e->long_name, name, len) == 0)
				return e;
	return NULL;
}

static const GOptionEntry *find_short(const struct words *w, char name)
{
	for (uint32_t i = 0; i < w->n_groups; i++)
		for (const GOptionEntry *e = w->groups[i]; e->long_name; e++)
			if (e->short_name == name)
				return e;
	return NULL;
}

static void note_use(struct words *w, const GOptionEntry *e)
{
	if (e->arg == G_OPTION_ARG_NONE || e->arg == G_OPTION_ARG_FILENAME_ARRAY ||
	    e->arg == G_OPTION_ARG_STRING_ARRAY)
		return;
	if (g_ptr_array_find(w->once, e, NULL))
		w->twice = e;
	else
		g_ptr_array_add(w->once, (gpointer)(uintptr_t)e);
}

static void keep(struct words *w, char *word)
{
	w->new[w->n_new++] = word;
}

/* The word after an option is its value, whatever it looks like. */
static void keep_value(struct words *w, int *at)
{
	if (*at + 1 < w->n_old)
		keep(w, w->old[++*at]);
}

static void take_long(struct words *w, int *at)
{
	char *word = w->old[*at];
	size_t len = strcspn(word + 2, "=");
	const GOptionEntry *e = find_long(w, word + 2, len);

	keep(w, word);
	if (!e) {
		w->help |= g_str_has_prefix(word, "--help");
		return;
	}
	note_use(w, e);
	if (e->arg != G_OPTION_ARG_NONE && !word[2 + len])
		keep_value(w, at);
}

/* Flags, then at most one option with a value: GOption does not know "-j2", which becomes "-j" "2".
 */
static void take_short(const struct sl_cli *cli, struct words *w, int *at)
{
	char *word = w->old[*at];

	for (size_t i = 1; word[i]; i++) {
		const GOptionEntry *e = find_short(w, word[i]);
		char *option;

		w->help |= !e && strchr("h?", word[i]);
		if (!e)
			break;
		note_use(w, e);
		if (e->arg == G_OPTION_ARG_NONE)
			continue;
		option = g_strndup(word, i + 1);
		g_ptr_array_add(cli->scratch, option);
		keep(w, option);
		if (word[i + 1])
			keep(w, word + i + 1);
		else
			keep_value(w, at);
		return;
	}
	keep(w, word);
}

/* Walks the words as GOption will. */
static void take_words(const struct sl_cli *cli, struct words *w)
{
	w->new = g_new0(char *, 2 * (gsize)w->n_old + 1);
	g_ptr_array_add(cli->scratch, w->new);
	keep(w, w->old[0]);
	for (int i = 1; i < w->n_old; i++) {
		char *word = w->old[i];

		if (strcmp(word, "--") == 0) {
			while (i < w->n_old)
				keep(w, w->old[i++]);
		} else if (g_str_has_prefix(word, "--")) {
			take_long(w, &i);
		} else if (word[0] == '-' && word[1]) {
			take_short(cli, w, &i);
		} else {
			keep(w, word);
		}
	}
}

/* What GOption's own --help does, but it is an error when nobody can read it. */
static _Noreturn void answer_help(const struct sl_cli *cli, GOptionContext *context)
{
	char *text = g_option_context_get_help(context, TRUE, NULL);

	fputs(text, stdout);
	g_free(text);
	g_option_context_free(context);
	exit(sl_cli_finish(cli, SL_EXIT_OK));
}

static _Noreturn void refuse_twice(const struct sl_cli *cli, const GOptionEntry *e,
				   GOptionContext *context)
{
	char short_name[] = { '-', e->short_name, ',', ' ', 0 };

	g_option_context_free(context);
	exit(sl_cli_complain(cli, SL_EXIT_INPUT, "%s--%s is given twice; expected one %s",
			     e->short_name ? short_name : "", e->long_name, e->arg_description));
}

static GOptionContext *new_context(const struct sl_cli *cli, const GOptionEntry *const *groups,
				   uint32_t n_groups)
{
	GOptionContext *context = g_option_context_new(cli->verb->arguments);
	char *name = g_strconcat("schedlab ", cli->verb->name, NULL);

	for (uint32_t i = 0; i < n_groups; i++)
		g_option_context_add_main_entries(context, groups[i], NULL);
	g_option_context_set_summary(context, cli->verb->summary);
	g_set_prgname(name);
	g_free(name);
	return context;
}

bool sl_cli_parse(const struct sl_cli *cli, int *argc, char ***argv,
		  const GOptionEntry *const *groups, uint32_t n_groups)
{
	struct words w = { .groups = groups, .n_groups = n_groups, .old = *argv, .n_old = *argc };
	GOptionContext *context = new_context(cli, groups, n_groups);
	GError *error = NULL;
	bool ok;

	w.once = g_ptr_array_new();
	take_words(cli, &w);
	g_ptr_array_unref(w.once);
	if (w.help)
		answer_help(cli, context);
	if (w.twice)
		refuse_twice(cli, w.twice, context);
	*argc = w.n_new;
	*argv = w.new;
	ok = g_option_context_parse(context, argc, argv, &error);
	if (!ok) {
		char *text = explain_option(error->message, groups, n_groups);

		sl_cli_complain(cli, SL_EXIT_USAGE, "%s", text);
		g_free(text);
		g_error_free(error);
	}
	g_option_context_free(context);
	return ok;
}
