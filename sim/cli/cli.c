/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the verb, and is the one place where errors are printed.
 * Invariant: a message on stderr goes with every exit code but 0 and 1. */
#define _POSIX_C_SOURCE 200809L

#include "sim/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/nearest.h"
#include "sim/cli/shorten.h"

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
	char *whole, *text;

	va_start(args, format);
	whole = g_strdup_vprintf(format, args);
	va_end(args);
	text = sl_shorten(whole);
	fprintf(stderr, "schedlab%s%s: %s\n", cli ? " " : "", cli ? cli->verb->name : "", text);
	g_free(text);
	g_free(whole);
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
	int why = errno ? errno : EIO; /* that of an earlier failure */

	if (fflush(stdout) != 0)
		why = errno;
	else if (!ferror(stdout))
		return true;
	g_set_error(error, SL_CLI_ERROR, why, "standard output: %s", g_strerror(why));
	return false;
}

int sl_cli_finish(const struct sl_cli *cli, int code)
{
	GError *error = NULL;

	if (sl_cli_flush(&error))
		return code;
	/* A reader that has seen enough, as head(1), is not told so. */
	if (g_error_matches(error, SL_CLI_ERROR, EPIPE)) {
		g_error_free(error);
		return SL_EXIT_INPUT;
	}
	return sl_cli_fail(cli, error, SL_EXIT_INPUT);
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
	sl_cli_note(NULL, "unknown %s \"%s\"%s\nTry \"schedlab --help\".",
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
	int code = verb->run(&cli, argc, argv);

	g_ptr_array_unref(cli.scratch);
	return verb->own_output ? code : sl_cli_finish(&cli, code);
}

/* A program may be started without standard streams. The first file it opens would then become
 * one, and a report end in the middle of a log: closed ones are opened the wrong way round, so
 * that reading and writing them fail as they did. */
static void occupy_standard_streams(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDWR };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", modes[fd]) != fd)
			_exit(SL_EXIT_INPUT);
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

	occupy_standard_streams();
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
			return sl_cli_finish(NULL, SL_EXIT_OK);
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
