/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: the block depends on values, names and options only; the formats
 * are those of ministat(1) and programs parse them. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* struct winsize; BSDs show it without asking */
#endif
#include "stats/ministat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <glib.h>

#define USAGE_TAIL                                                                                 \
	"\tconfidence = {80%, 90%, 95%, 98%, 99%, 99.5%}\n"                                        \
	"\t-A : print statistics only. suppress the graph.\n"                                      \
	"\t-C : column number to extract (starts and defaults to 1)\n"                             \
	"\t-d : delimiter(s) string, default to \" \\t\"\n"                                        \
	"\t-n : print summary statistics only, no graph/test\n"
#define USAGE_END                                                                                  \
	"\t-s : print avg/median/stddev bars on separate lines\n"                                  \
	"\t-w : width of graph/test output (default 74 or terminal width)\n"

#define USAGE_POPULATION                                                                           \
	"\t-P : standard deviation of a whole population, no test\n"                               \
	"\t-q : no names and no headings\n"
#define USAGE_COMPAT "\t--compat : print and draw like that generation of ministat(1)\n"

static const char usage_2015[] =
	"Usage: ministat [-C column] [-c confidence] [-d delimiter(s)] [-Ans] [-w width] "
	"[file [file ...]]\n" USAGE_TAIL USAGE_END;

static const char usage_own[] =
	"Usage: ministat [-C column] [-c confidence] [-d delimiter(s)] [-AnPqs] [-w width] "
	"[--compat=2015|2016|current] [--tests] [--paired] [--json|--csv] "
	"[file [file ...]]\n" USAGE_TAIL USAGE_POPULATION USAGE_END USAGE_COMPAT
	"\t--tests : what other tests say, and warnings about the sets\n"
	"\t--paired : the same; line i of every file belongs together\n"
	"\t--json, --csv : numbers and tests for programs, instead of the rest\n";

static const char usage_current[] =
	"Usage: ministat [-C column] [-c confidence] [-d delimiter(s)] [-AnPqs] [-w width] "
	"[--compat=2015|2016|current] [file [file ...]]\n" USAGE_TAIL USAGE_POPULATION USAGE_END
		USAGE_COMPAT;

const struct sl_ministat_rules sl_ministat_rules[] = {
	{ .name = "default", .ratio_error = true, .flags = "AC:c:d:nPqsw:", .usage = usage_own },
	{ .name = "current",
	  .summary = { .libc_nan = true, .rounded_mean = true },
	  .ratio_error = true,
	  .original = true,
	  .flags = "AC:c:d:nPqsw:",
	  .usage = usage_current },
	{ .name = "2016",
	  .summary = { .libc_nan = true, .rounded_mean = true },
	  .original = true,
	  .flags = "AC:c:d:nsw:",
	  .usage = usage_2015 },
	{ .name = "2015",
	  .summary = { .median_upper = true,
		       .one_pass = true,
		       .libc_nan = true,
		       .rounded_mean = true },
	  .original = true,
	  .flags = "AC:c:d:nsw:",
	  .usage = usage_2015 },
	{ .name = NULL },
};

const struct sl_ministat_rules *sl_ministat_find_rules(const char *name)
{
	for (const struct sl_ministat_rules *r = sl_ministat_rules; r->name != NULL; r++)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}

/* Which sign a NaN made by arithmetic has depends on the machine, and printf shows it. */
static double tidy(double x)
{
	return isnan(x) ? fabs(x) : x;
}

static void tidy_summary(struct sl_summary *s)
{
	s->min = tidy(s->min);
	s->max = tidy(s->max);
	s->median = tidy(s->median);
	s->avg = tidy(s->avg);
	s->stddev = tidy(s->stddev);
}

static void tidy_difference(struct sl_difference *d)
{
	d->diff = tidy(d->diff);
	d->err = tidy(d->err);
	d->percent = tidy(d->percent);
	d->percent_err = tidy(d->percent_err);
	d->pooled_s = tidy(d->pooled_s);
}

static void print_line(FILE *out, char symbol, const struct sl_summary *s)
{
	fprintf(out, "%c %3zu %13.8g %13.8g %13.8g %13.8g %13.8g\n", symbol, s->n, s->min, s->max,
		s->median, s->avg, s->stddev);
}

void sl_ministat_print_difference(FILE *out, const struct sl_difference *d, int level)
{
	if (!d->proven) {
		fprintf(out, "No difference proven at %.1f%% confidence\n", sl_levels[level]);
		return;
	}
	fprintf(out, "Difference at %.1f%% confidence\n", sl_levels[level]);
	fprintf(out, "\t%g +/- %g\n", d->diff, d->err);
	fprintf(out, "\t%g%% +/- %g%%\n", d->percent, d->percent_err);
	fprintf(out, "\t(Student's t, pooled s = %g)\n", d->pooled_s);
}

void sl_ministat_print(FILE *out, const struct sl_sample *sets, int n,
		       const struct sl_ministat_options *opt)
{
	const struct sl_ministat_rules *rules = opt->rules != NULL ? opt->rules : sl_ministat_rules;
	struct sl_summary_rules arithmetic = rules->summary;
	struct sl_summary sums[SL_MAX_SETS];
	const struct sl_plot_options plot = { .width = opt->width,
					      .separate_bars = opt->separate_bars,
					      .original = rules->original };

	arithmetic.population = opt->population;
	for (int i = 0; i < n; i++) {
		sums[i] = sl_summarize(sets[i].v, sets[i].n, &arithmetic);
		if (!rules->original)
			tidy_summary(&sums[i]);
		if (!opt->quiet)
			fprintf(out, "%c %s\n", SL_SYMBOLS[i + 1], sets[i].name);
	}
	if (!opt->no_plot && !opt->only_numbers)
		sl_plot(out, sets, sums, n, &plot);
	if (!opt->quiet)
		fprintf(out, "    N %13s %13s %13s %13s %13s\n", "Min", "Max", "Median", "Avg",
			"Stddev");
	for (int i = 0; i < n; i++) {
		print_line(out, SL_SYMBOLS[i + 1], &sums[i]);
		if (i > 0 && !opt->only_numbers && !opt->population) {
			struct sl_difference d = sl_summary_compare(&sums[0], &sums[i], opt->level,
								    rules->ratio_error);

			if (!rules->original)
				tidy_difference(&d);
			sl_ministat_print_difference(out, &d, opt->level);
		}
	}
}

char *sl_ministat_text(const struct sl_sample *sets, int n, const struct sl_ministat_options *opt)
{
	char *text = NULL, *copy;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		g_error("out of memory");
	sl_ministat_print(f, sets, n, opt);
	if (fclose(f) != 0)
		g_error("out of memory");
	copy = g_strdup(text);
	free(text);
	return copy;
}

int sl_ministat_width(FILE *out)
{
	const char *columns;
	struct winsize size;

	if (!isatty(fileno(out)))
		return SL_PLOT_WIDTH;
	columns = getenv("COLUMNS");
	if (columns != NULL && *columns != '\0')
		return (int)strtol(columns, NULL, 10);
	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return (int)size.ws_col - 2;
	return SL_PLOT_WIDTH;
}
