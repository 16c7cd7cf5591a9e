/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The command line of ministat(1). Invariant: nothing is printed on out before
 * every file has been read without error. Options are taken as GNU getopt(3)
 * takes them (mixed with files, unless POSIXLY_CORRECT), by a parser without its globals. */
#include "stats/ministat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "stats/ministat_tests.h"
#include "stats/reader.h"

enum { EXIT_OPEN = 1, EXIT_BAD = 2, CUT_2015 = 8191 };

struct command {
	const char *name;    /* argv[0] */
	const char *message; /* why the options are bad */
	FILE *err;
	struct sl_ministat_options block;
	struct sl_reader_options reader;
	bool width_given, level_given, help;
	bool tests, paired, json, csv;
	const char *files[SL_MAX_SETS + 1];
	int n_files; /* may be more than fit: too many */
};

static void set_column(struct command *c, const char *arg)
{
	char *end;
	int column = (int)strtol(arg, &end, 10);

	if (*end != '\0')
		c->message = "Invalid column number.";
	else if (column <= 0)
		c->message = "Column number should be positive.";
	c->reader.column = (unsigned)column;
}

static void set_level(struct command *c, const char *arg)
{
	char *end;
	int level = sl_level_index(g_ascii_strtod(arg, &end));

	/* The original takes a level it does not know for an error only when no
	 * earlier -c gave one it knows. */
	if (*end != '\0')
		c->message = "Not a floating point number";
	else if (level < 0 && !(c->level_given && c->block.rules->original))
		c->message = "No support for confidence level";
	else if (level >= 0)
		c->block.level = level;
	c->level_given |= level >= 0;
}

static void set_delimiters(struct command *c, const char *arg)
{
	if (*arg == '\0')
		c->message = "Can't use empty delimiter string";
	c->reader.delims = arg;
}

static void set_width(struct command *c, const char *arg)
{
	char *end;

	c->block.width = (int)strtol(arg, &end, 10);
	c->width_given = true;
	if (*end != '\0')
		c->message = "Invalid width, not a number.";
	else if (c->block.width < 0)
		c->message = "Unable to move beyond left margin.";
}

/* Sets what the letter says; false for a letter that takes an argument. */
static void set_flag(struct command *c, char letter)
{
	c->block.no_plot |= letter == 'A';
	c->block.only_numbers |= letter == 'n';
	c->block.population |= letter == 'P';
	c->block.quiet |= letter == 'q';
	c->block.separate_bars |= letter == 's';
}

static void set_argument(struct command *c, char letter, const char *arg)
{
	static const struct {
		char letter;
		void (*set)(struct command *c, const char *arg);
	} setters[] = {
		{ 'C', set_column }, { 'c', set_level }, { 'd', set_delimiters }, { 'w', set_width }
	};

	for (size_t i = 0; i < G_N_ELEMENTS(setters); i++)
		if (setters[i].letter == letter)
			setters[i].set(c, arg);
}

/* The letters of argv[*i], from the second byte on. */
static void take_letters(struct command *c, int argc, char **argv, int *i)
{
	for (const char *p = argv[*i] + 1; *p != '\0' && c->message == NULL; p++) {
		const char *known = *p == ':' ? NULL : strchr(c->block.rules->flags, *p);

		if (known == NULL) {
			fprintf(c->err, "%s: invalid option -- '%c'\n", c->name, *p);
			c->message = "Unknown option";
		} else if (known[1] != ':') {
			set_flag(c, *p);
		} else if (p[1] != '\0' || *i + 1 < argc) {
			set_argument(c, *p, p[1] != '\0' ? p + 1 : argv[++*i]);
			return;
		} else {
			fprintf(c->err, "%s: option requires an argument -- '%c'\n", c->name, *p);
			c->message = "Unknown option";
		}
	}
}

static void take_file(struct command *c, const char *name)
{
	if (c->n_files <= SL_MAX_SETS)
		c->files[c->n_files] = name;
	c->n_files++;
}

static void take_options(struct command *c, int argc, char **argv)
{
	const bool mixed = getenv("POSIXLY_CORRECT") == NULL;
	bool options = true;

	for (int i = 1; i < argc && c->message == NULL; i++) {
		const char *arg = argv[i];

		if (!options || arg[0] != '-' || arg[1] == '\0') {
			take_file(c, arg);
			options &= mixed;
		} else if (strcmp(arg, "--") == 0) {
			options = false;
		} else {
			take_letters(c, argc, argv, &i);
		}
	}
	if (c->message == NULL && c->n_files > SL_MAX_SETS)
		c->message = "Too many datasets.";
	if (c->n_files == 0)
		take_file(c, "-");
}

/* Takes --compat and --help, which the original does not have, out of argv wherever
 * options may stand; returns the new argc, or -1 after a message. */
static int take_long_options(struct command *c, int argc, char **argv)
{
	int kept = 1;

	for (int i = 1; i < argc; i++) {
		const char *value = NULL;

		if (strcmp(argv[i], "--") == 0) {
			while (i < argc)
				argv[kept++] = argv[i++];
			break;
		}
		if (strncmp(argv[i], "--compat=", 9) == 0)
			value = argv[i] + 9;
		else if (strcmp(argv[i], "--compat") == 0)
			value = i + 1 < argc ? argv[++i] : "";
		else if (strcmp(argv[i], "--help") == 0)
			c->help = true;
		if (value == NULL) {
			argv[kept++] = argv[i];
			continue;
		}
		c->block.rules = sl_ministat_find_rules(value);
		if (c->block.rules == NULL) {
			fprintf(c->err,
				"%s: no generation \"%s\" of ministat; known are 2015, 2016 "
				"and current\n",
				c->name, value);
			return -1;
		}
	}
	return kept;
}

/* Takes out of argv what only the product's own rules have; returns the new argc. */
static int take_own_options(struct command *c, int argc, char **argv)
{
	const struct {
		const char *name;
		bool *flag;
	} own[] = { { "--tests", &c->tests },
		    { "--paired", &c->paired },
		    { "--json", &c->json },
		    { "--csv", &c->csv } };
	bool options = true;
	int kept = 1;

	for (int i = 1; i < argc; i++) {
		size_t k = 0;

		options &= strcmp(argv[i], "--") != 0;
		while (k < G_N_ELEMENTS(own) && strcmp(argv[i], own[k].name) != 0)
			k++;
		if (options && k < G_N_ELEMENTS(own))
			*own[k].flag = true;
		else
			argv[kept++] = argv[i];
	}
	c->tests |= c->paired;
	return kept;
}

/* What does not go together. */
static void check_own_options(struct command *c)
{
	const bool compares = c->tests || c->json || c->csv;

	if (c->message != NULL)
		return;
	if (c->json && c->csv)
		c->message = "--json and --csv are two forms; choose one.";
	else if (compares && (c->block.only_numbers || c->block.population))
		c->message = "-n and -P make no comparisons: not with --tests, --json or --csv.";
	else if ((c->csv || c->paired) && c->n_files < 2)
		c->message = "--csv and --paired need two files to compare.";
}

static const char *short_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash != NULL ? slash + 1 : name;
}

/* Reports a file that cannot be read or is too short; returns the exit status. */
static int check_set(const struct command *c, const char *name, enum sl_read_status status,
		     const struct sl_numbers *numbers)
{
	const char *program = short_name(c->name);

	if (status == SL_READ_IO && c->block.rules->original)
		status = SL_READ_OK; /* the original takes a read error for the end */
	if (status == SL_READ_OPEN) {
		fprintf(c->err, "%s: Cannot open %s: %s\n", program, name,
			g_strerror(numbers->error));
		return EXIT_OPEN;
	}
	if (status == SL_READ_IO)
		fprintf(c->err, "%s: Cannot read %s: %s\n", program, name,
			g_strerror(numbers->error));
	else if (status == SL_READ_LONG)
		fprintf(c->err, "%s: Line %" G_GUINT64_FORMAT " in %s is longer than %zu bytes\n",
			program, numbers->line, name, SL_READ_LINE_MAX);
	else if (status == SL_READ_DATA)
		fprintf(c->err, "%s: Invalid data on line %" G_GUINT64_FORMAT " in %s\n", program,
			numbers->line, name);
	else if (numbers->n < 3)
		fprintf(c->err, "Dataset %s must contain at least 3 data points\n", name);
	else
		return 0;
	return EXIT_BAD;
}

/* Pairs need partners; returns the exit status. */
static int check_pairs(const struct command *c, const struct sl_sample *sets)
{
	for (int i = 1; i < c->n_files && c->paired; i++) {
		if (sets[i].n == sets[0].n)
			continue;
		fprintf(c->err, "%s: --paired: %s has %zu values, %s has %zu\n",
			short_name(c->name), sets[0].name, sets[0].n, sets[i].name, sets[i].n);
		return EXIT_BAD;
	}
	return 0;
}

static void print_sets(const struct command *c, const struct sl_sample *sets, FILE *out)
{
	const int n = c->n_files, level = c->block.level;

	if (c->json)
		sl_ministat_print_json(out, sets, n, level, c->paired);
	else if (c->csv)
		sl_ministat_print_csv(out, sets, n, level, c->paired);
	else
		sl_ministat_print(out, sets, n, &c->block);
	if (c->tests && !c->json && !c->csv)
		sl_ministat_print_tests(out, sets, n, level, c->paired);
}

static int flush_result(const struct command *c, FILE *out)
{
	if (fflush(out) == 0)
		return 0;
	if (errno != EPIPE) /* a reader that has seen enough needs no message */
		fprintf(c->err, "%s: Cannot write the result: %s\n", short_name(c->name),
			g_strerror(errno));
	return EXIT_OPEN;
}

static int read_and_print(struct command *c, FILE *out)
{
	struct sl_numbers numbers[SL_MAX_SETS] = { { .n = 0 } };
	struct sl_sample sets[SL_MAX_SETS];
	int status = 0;

	for (int i = 0; i < c->n_files && status == 0; i++) {
		const char *name = strcmp(c->files[i], "-") == 0 ? "<stdin>" : c->files[i];

		status = check_set(c, name, sl_read_file(&numbers[i], c->files[i], &c->reader),
				   &numbers[i]);
		sets[i] = (struct sl_sample){ .name = name, .v = numbers[i].v, .n = numbers[i].n };
	}
	if (status == 0)
		status = check_pairs(c, sets);
	if (status == 0)
		print_sets(c, sets, out);
	for (int i = 0; i < SL_MAX_SETS; i++)
		sl_numbers_clear(&numbers[i]);
	return status != 0 || c->block.rules->original ? status : flush_result(c, out);
}

int sl_ministat_main(int argc, char **argv, FILE *out, FILE *err)
{
	struct command c = { .name = argc > 0 ? argv[0] : "ministat",
			     .err = err,
			     .block = { .rules = sl_ministat_rules, .level = SL_LEVEL_95 },
			     .reader = { .column = 1, .delims = " \t" } };
	char **args = g_memdup2(argv, (gsize)argc * sizeof(*argv));
	int status = EXIT_BAD;

	argc = take_long_options(&c, argc, args);
	if (argc >= 0) {
		c.reader.cut = c.block.rules->original ? CUT_2015 : 0;
		if (c.help && !c.block.rules->original) {
			fputs(c.block.rules->usage, out);
			g_free(args);
			return flush_result(&c, out);
		}
		if (!c.block.rules->original)
			argc = take_own_options(&c, argc, args);
		take_options(&c, argc, args);
		check_own_options(&c);
		if (!c.width_given)
			c.block.width = MAX(sl_ministat_width(out), 0);
		if (c.message != NULL)
			fprintf(err, "%s\n%s", c.message, c.block.rules->usage);
		else
			status = read_and_print(&c, out);
	}
	g_free(args);
	return status;
}
