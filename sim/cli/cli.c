/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the verb, parses options, and is the one place where errors are printed.
 * Invariant: a message on stderr goes with every exit code but 0 and 1. */
#define _POSIX_C_SOURCE 200809L

#include "sim/cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/nearest.h"

GQuark sl_cli_error_quark(void)
{
	return g_quark_from_static_string("sl-cli-error-quark");
}

/* The one piece of process-wide state: a signal has no other way to speak. */
static _Atomic bool interrupted;
static _Atomic time_t interrupted_at;

enum { IMPATIENCE = 2 }; /* seconds */

/* The first signal asks for an end with what there is, a later one ends at once. Those that come
 * with the first are one request still: timeout(1) sends two, and a key reaches a whole
 * pipeline, whose members pass it on. */
static void on_signal(int number)
{
	time_t now = time(NULL);

	if (!interrupted) {
		interrupted_at = now;
		interrupted = true;
	} else if (now - interrupted_at >= IMPATIENCE) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

const _Atomic bool *sl_cli_catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	interrupted = false;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return &interrupted;
}

char *sl_cli_did_you_mean(const char *word, const char *const *names, uint32_t n)
{
	const char *near = sl_nearest(word, names, n);

	return near ? g_strdup_printf(" (did you mean \"%s\"?)", near) : g_strdup("");
}

void sl_cli_note(const struct sl_cli *cli, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	fprintf(stderr, "schedlab %s: %s\n", cli->verb->name, text);
	g_free(text);
}

int sl_cli_fail(const struct sl_cli *cli, GError *error, enum sl_exit code)
{
	sl_cli_note(cli, "%s", error->message);
	g_error_free(error);
	return (int)code;
}

int sl_cli_no_sim(const struct sl_cli *cli, const char *why)
{
	return sl_cli_complain(cli, interrupted ? SL_EXIT_INTERRUPTED : SL_EXIT_INPUT, "%s", why);
}

int sl_cli_complain(const struct sl_cli *cli, enum sl_exit code, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	sl_cli_note(cli, "%s", text);
	if (code == SL_EXIT_USAGE)
		fprintf(stderr, "Try \"schedlab %s --help\".\n", cli->verb->name);
	g_free(text);
	return (int)code;
}

bool sl_cli_flush(GError **error)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	g_set_error(error, SL_CLI_ERROR, errno, "standard output: %s", g_strerror(errno));
	return false;
}

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

/* The entry of an option word, with *exact false when a value is joined on (-j2). */
static const GOptionEntry *find_entry(const char *word, const GOptionEntry *const *groups,
				      uint32_t n, bool *exact)
{
	bool is_long = word[0] == '-' && word[1] == '-';

	*exact = true;
	for (uint32_t i = 0; i < n && word[0] == '-' && word[1]; i++)
		for (const GOptionEntry *e = groups[i]; e->long_name; e++) {
			if (is_long && strcmp(word + 2, e->long_name) == 0)
				return e;
			if (!is_long && word[1] == e->short_name) {
				*exact = !word[2];
				return e;
			}
		}
	return NULL;
}

/* GOption does not know "-j2": makes it "-j" "2". */
static void split_joined(const struct sl_cli *cli, int *argc, char ***argv,
			 const GOptionEntry *const *groups, uint32_t n)
{
	char **old = *argv, **new = g_new0(char *, 2 * (gsize)*argc + 1);
	int to = 0;

	g_ptr_array_add(cli->scratch, new);
	for (int i = 0; i < *argc; i++) {
		bool exact;
		const GOptionEntry *e = i ? find_entry(old[i], groups, n, &exact) : NULL;

		if (!e || e->arg == G_OPTION_ARG_NONE) {
			new[to++] = old[i];
		} else if (exact) {
			new[to++] = old[i];
			if (i + 1 < *argc)
				new[to++] = old[++i];
		} else {
			char *option = g_strndup(old[i], 2);

			g_ptr_array_add(cli->scratch, option);
			new[to++] = option;
			new[to++] = old[i] + 2;
		}
		if (i && strcmp(old[i], "--") == 0)
			while (++i < *argc)
				new[to++] = old[i];
	}
	*argc = to;
	*argv = new;
}

bool sl_cli_parse(const struct sl_cli *cli, int *argc, char ***argv,
		  const GOptionEntry *const *groups, uint32_t n_groups)
{
	GOptionContext *context = g_option_context_new(cli->verb->arguments);
	GError *error = NULL;
	bool ok;

	split_joined(cli, argc, argv, groups, n_groups);
	for (uint32_t i = 0; i < n_groups; i++)
		g_option_context_add_main_entries(context, groups[i], NULL);
	g_option_context_set_summary(context, cli->verb->summary);
	{
		char *name = g_strconcat("schedlab ", cli->verb->name, NULL);

		g_set_prgname(name);
		g_free(name);
	}
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

static void print_usage(FILE *to)
{
	fputs("Usage: schedlab VERB [OPTION...] [ARGUMENT...]\n"
	      "A laboratory for kernel CPU schedulers.\n\nVerbs:\n",
	      to);
	for (const struct sl_verb *v = sl_verbs; v->name; v++)
		fprintf(to, "  %-10s %s\n", v->name, v->summary);
	fputs("\n\"schedlab VERB --help\" lists a verb's options; \"schedlab --version\" the "
	      "version.\n",
	      to);
}

static const struct sl_verb *find_verb(const char *name)
{
	for (const struct sl_verb *v = sl_verbs; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

static int unknown_verb(const char *name)
{
	GPtrArray *names = g_ptr_array_new();
	char *hint;

	for (const struct sl_verb *v = sl_verbs; v->name; v++)
		g_ptr_array_add(names, (void *)(uintptr_t)v->name);
	hint = sl_cli_did_you_mean(name, (const char *const *)names->pdata, names->len);
	fprintf(stderr, "schedlab: unknown %s \"%s\"%s\nTry \"schedlab --help\".\n",
		name[0] == '-' ? "option" : "verb", name, hint);
	g_free(hint);
	g_ptr_array_unref(names);
	return SL_EXIT_USAGE;
}

static char *quote_command_line(const struct sl_verb *verb, int argc, char **argv)
{
	GString *line = g_string_new("schedlab ");

	g_string_append(line, verb->name);
	for (int i = 1; i < argc; i++) {
		bool plain = argv[i][0] != 0;

		for (const char *c = argv[i]; *c; c++)
			plain &= g_ascii_isalnum(*c) || strchr("-_./:=,@+%", *c);
		g_string_append_c(line, ' ');
		if (plain) {
			g_string_append(line, argv[i]);
		} else {
			char *quoted = g_shell_quote(argv[i]);

			g_string_append(line, quoted);
			g_free(quoted);
		}
	}
	return g_string_free(line, FALSE);
}

static int run_verb(const struct sl_verb *verb, int argc, char **argv, const char *command_line)
{
	struct sl_cli cli = {
		.command_line = command_line,
		.verb = verb,
		.scratch = g_ptr_array_new_with_free_func(g_free),
	};
	GError *error = NULL;
	int code = verb->run(&cli, argc, argv);

	g_ptr_array_unref(cli.scratch);

	if (verb->own_output || sl_cli_flush(&error))
		return code;
	/* A reader that has seen enough, as head(1), is not told so. */
	if (g_error_matches(error, SL_CLI_ERROR, EPIPE)) {
		g_error_free(error);
		return SL_EXIT_INPUT;
	}
	return sl_cli_fail(&cli, error, SL_EXIT_INPUT);
}

/* --help and --version of the program itself; false: `word` is neither. */
static bool answer_about_program(const char *word)
{
	if (strcmp(word, "--version") == 0) {
		puts("schedlab " SL_VERSION);
		return true;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
		print_usage(stdout);
		return true;
	}
	return false;
}

int sl_cli_main(int argc, char **argv)
{
	const struct sl_verb *verb;
	char *line, *base;
	int code;

	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error to report, not a death */
	base = g_path_get_basename(argc > 0 ? argv[0] : "schedlab");
	verb = strcmp(base, "ministat") == 0 ? find_verb(base) : NULL;
	g_free(base);
	if (!verb) {
		if (argc < 2) {
			print_usage(stderr);
			return SL_EXIT_USAGE;
		}
		if (answer_about_program(argv[1]))
			return SL_EXIT_OK;
		verb = find_verb(argv[1]);
		if (!verb)
			return unknown_verb(argv[1]);
		argc--;
		argv++;
	}
	line = quote_command_line(verb, argc, argv);
	code = run_verb(verb, argc, argv, line);
	g_free(line);
	return code;
}
