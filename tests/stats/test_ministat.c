/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The ministat block: printed results of others reproduced, the generations told
 * apart, and the default plot held to its promises. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "tests/sl_test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <glib.h>

#include "stats/ministat.h"

/* Difference blocks of FreeBSD mailing-list messages of 2007 and 2017, with the lines they follow
 * from. */
static const struct printed {
	const char *what;
	size_t n0, n;
	double avg0, stddev0, avg, stddev;
	const char *diff, *percent, *pooled;
} printed[] = {
	{ "ffmpeg +", 5, 5, 93.746, 0.29686697, 98.042, 0.41924933, "4.296 +/- 0.529778",
	  "4.5826% +/- 0.565121%", "0.363249" },
	{ "ffmpeg *", 5, 5, 93.746, 0.29686697, 96.278, 0.42446437, "2.532 +/- 0.534176",
	  "2.70092% +/- 0.569812%", "0.366265" },
	{ "buildworld +", 5, 5, 808.976, 3.9655807, 825.248, 2.5607655, "16.272 +/- 4.86816",
	  "2.01143% +/- 0.601768%", "3.33791" },
	{ "buildworld *", 5, 3, 808.976, 3.9655807, 830.07, 1.1290704, "21.094 +/- 5.90231",
	  "2.60749% +/- 0.729603%", "3.30285" },
	{ "sysbench +", 5, 5, 2163.14, 8.1262968, 2296.89, 13.648515, "133.75 +/- 16.3813",
	  "6.18314% +/- 0.757294%", "11.2321" },
	{ "sysbench *", 5, 3, 2163.14, 8.1262968, 2314.69, 11.912951, "151.55 +/- 17.0782",
	  "7.00602% +/- 0.789509%", "9.5567" },
	{ "make -j8", 30, 30, 5455.8333, 27.752705, 5401.3667, 13.694911, "-54.4667 +/- 11.3118",
	  "-0.99832% +/- 0.207334%", "21.8834" },
	{ "make -j16", 30, 30, 4943.4667, 29.205259, 4881.1333, 18.63392, "-62.3333 +/- 12.6627",
	  "-1.26092% +/- 0.256149%", "24.4966" },
};

/* The number at *text, which is moved behind it, and what its last printed digit is worth. */
static double take_number(const char **text, double *unit)
{
	char *end;
	double x = g_ascii_strtod(*text, &end);
	const char *point = memchr(*text, '.', (size_t)(end - *text));

	*unit = 1;
	for (const char *p = point; p != NULL && p + 1 < end; p++)
		*unit /= 10;
	while (*end != '\0' && strchr("%+/- ", *end) != NULL && end[1] != '\0' &&
	       !g_ascii_isdigit(*end))
		end++;
	*text = end;
	return x;
}

/* x equals the next number of text to its printed digits; avg_error is what the rounding of
 * printed averages can move it by. */
static void assert_printed(const char *what, double x, const char **text, double avg_error)
{
	double unit, wanted = take_number(text, &unit);

	if (x - wanted > 0.5001 * unit + avg_error || wanted - x > 0.5001 * unit + avg_error)
		fail_msg("%s: %.9g, printed %.9g", what, x, wanted);
}

static void test_printed_blocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(printed); i++) {
		const struct printed *p = &printed[i];
		const struct sl_summary ref = { .n = p->n0,
						.avg = p->avg0,
						.var = p->stddev0 * p->stddev0 };
		const struct sl_summary s = { .n = p->n,
					      .avg = p->avg,
					      .var = p->stddev * p->stddev };
		struct sl_difference d = sl_summary_compare(&ref, &s, SL_LEVEL_95, false);
		const char *diff = p->diff, *percent = p->percent, *pooled = p->pooled;
		/* Averages are printed with 8 digits: each is off by half of the last. */
		const double off = p->avg0 > 1000 ? 1e-4 : 1e-6;

		assert_true(d.proven);
		assert_printed(p->what, d.diff, &diff, off);
		assert_printed(p->what, d.err, &diff, 0);
		assert_printed(p->what, d.percent, &percent, off * 100 / p->avg0);
		assert_printed(p->what, d.percent_err, &percent, 0);
		assert_printed(p->what, d.pooled_s, &pooled, 0);
	}
}

/* Values of the published table the original carries, three decimals and one misprint. */
static void test_t_table(void **state)
{
	static const struct {
		size_t df;
		double t[SL_LEVELS];
	} rows[] = {
		{ 4, { 1.533, 2.132, 2.776, 3.747, 4.604, 7.173 } },
		{ 10, { 1.372, 1.812, 2.228, 2.764, 3.169, 4.143 } },
		{ 30, { 1.310, 1.697, 2.042, 2.457, 2.750, 3.385 } },
		{ 100, { 1.290, 1.660, 1.984, 2.364, 2.626, 3.174 } },
		{ 101, { 1.282, 1.645, 1.960, 2.326, 2.576, 3.090 } },
		{ 100000, { 1.282, 1.645, 1.960, 2.326, 2.576, 3.090 } },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		for (int level = 0; level < SL_LEVELS; level++)
			assert_true(sl_ministat_t(rows[i].df, level) == rows[i].t[level]);
}

static const double iguana[] = { 50, 200, 150, 400, 750, 400, 150 };
static const double chameleon[] = { 150, 400, 720, 500, 930 };
static const double low[] = { 1, 1, 1, 1, 2, 3 };
static const double mid[] = { 1, 2, 2, 4 };
static const double top[] = { 4, 5, 6 };

#define SET(name_, values)                                                                         \
	{                                                                                          \
		.name = name_, .v = values, .n = G_N_ELEMENTS(values)                              \
	}

static void assert_block(const struct sl_sample *sets, int n,
			 const struct sl_ministat_options *options, const char *expected)
{
	char *text = sl_ministat_text(sets, n, options);

	assert_string_equal(text, expected);
	g_free(text);
}

/* The example of the manual of ministat(1), at both levels it shows. */
static void test_manual_example(void **state)
{
	static const struct sl_sample sets[] = { SET("iguana", iguana),
						 SET("chameleon", chameleon) };
	struct sl_ministat_options options = { .rules = sl_ministat_find_rules("2015"),
					       .level = SL_LEVEL_95,
					       .width = 60,
					       .separate_bars = true };

	(void)state;
	assert_block(sets, 2, &options,
		     "x iguana\n"
		     "+ chameleon\n"
		     "+------------------------------------------------------------+\n"
		     "|x      *  x            *      +              + x           +|\n"
		     "| |________M______A_______________|                          |\n"
		     "|             |________________M__A___________________|      |\n"
		     "+------------------------------------------------------------+\n"
		     "    N           Min           Max        Median           Avg        Stddev\n"
		     "x   7            50           750           200           300     238.04761\n"
		     "+   5           150           930           500           540     299.08193\n"
		     "No difference proven at 95.0% confidence\n");
	options.level = sl_level_index(80);
	options.no_plot = true;
	assert_block(sets, 2, &options,
		     "x iguana\n"
		     "+ chameleon\n"
		     "    N           Min           Max        Median           Avg        Stddev\n"
		     "x   7            50           750           200           300     238.04761\n"
		     "+   5           150           930           500           540     299.08193\n"
		     "Difference at 80.0% confidence\n"
		     "\t240 +/- 212.215\n"
		     "\t80% +/- 70.7384%\n"
		     "\t(Student's t, pooled s = 264.159)\n");
}

/* Where the generations differ, on one input. */
static void test_generations(void **state)
{
	static const double offset[] = { 1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4 };
	static const double other[] = { 2e9 + 1, 2e9 + 3, 2e9 + 5, 2e9 + 7 };
	static const struct {
		const char *name;
		double median, stddev;
	} expected[] = { { "2015", 1e9 + 3, 0 },
			 { "2016", 1e9 + 2.5, 1.2909944487358056 },
			 { "current", 1e9 + 2.5, 1.2909944487358056 } };
	struct sl_summary a, b;
	struct sl_difference plain, ratio;

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
		const struct sl_ministat_rules *r = sl_ministat_find_rules(expected[i].name);

		a = sl_summarize(offset, 4, &r->summary);
		assert_true(a.median == expected[i].median);
		assert_float_equal(a.stddev, expected[i].stddev, 1e-12);
	}
	assert_null(sl_ministat_find_rules("2014"));
	b = sl_summarize(other, 4, &sl_ministat_rules[0].summary);
	plain = sl_summary_compare(&a, &b, SL_LEVEL_95, false);
	ratio = sl_summary_compare(&a, &b, SL_LEVEL_95, true);
	assert_true(plain.err == ratio.err && plain.diff == ratio.diff);
	assert_float_equal(plain.percent_err, plain.err * 100 / a.avg, 1e-15);
	/* t * sqrt((3 * 20/3 + 3 * 5/3 * 4) * 8 / (16 * 6)) * 100 / avg, the means' ratio being 2
	 */
	assert_float_equal(ratio.percent_err, 2.447 * 1.8257418583505538 * 100 / 1e9, 1e-14);
}

/* The highest pile is in the first set; a plot as high as the last set would lose it. */
static void test_default_plot(void **state)
{
	static const struct sl_sample sets[] = { SET("low", low), SET("mid", mid),
						 SET("top", top) };
	struct sl_ministat_options options = { .level = SL_LEVEL_95, .width = 21 };

	(void)state;
	assert_block(sets, 3, &options,
		     "x low\n"
		     "+ mid\n"
		     "* top\n"
		     "+---------------------+\n"
		     "| x                   |\n"
		     "| x                   |\n"
		     "| x   +               |\n"
		     "| &   &   x   &  *   *|\n"
		     "|||_A_MA____| |__A___||\n"
		     "+---------------------+\n"
		     "    N           Min           Max        Median           Avg        Stddev\n"
		     "x   6             1             3             1           1.5    0.83666003\n"
		     "+   4             1             4             2          2.25     1.2583057\n"
		     "No difference proven at 95.0% confidence\n"
		     "*   3             4             6             5             5             1\n"
		     "Difference at 95.0% confidence\n"
		     "\t3.5 +/- 1.48234\n"
		     "\t233.333% +/- 269.45%\n"
		     "\t(Student's t, pooled s = 0.886405)\n");
}

static void test_plot_of_two_and_original(void **state)
{
	static const struct sl_sample sets[] = { SET("low", low), SET("mid", mid) };
	static const char *const generations[] = { "2015", "2016", "current" };
	struct sl_ministat_options options = { .level = SL_LEVEL_95, .width = 21 };
	char *text;

	(void)state;
	text = sl_ministat_text(sets, 2, &options);
	/* Two sets: the original's sign, and all four points of the first pile. */
	assert_non_null(strstr(text, "-+\n|  x                  |\n|  x                  |\n"
				     "|  x     +            |\n|  *     *     x     +|\n"));
	g_free(text);
	for (size_t i = 0; i < G_N_ELEMENTS(generations); i++) {
		options.rules = sl_ministat_find_rules(generations[i]);
		text = sl_ministat_text(sets, 2, &options);
		assert_non_null(
			strstr(text, "-+\n|  x     +            |\n|  *     *     x     +|\n"));
		g_free(text);
	}
}

static void test_no_plot(void **state)
{
	static const double same[] = { 5, 5, 5 }, bad[] = { 1, 2, 3, (double)INFINITY };
	static const struct sl_sample equal = SET("same", same), wide = SET("wide", bad);
	const struct sl_ministat_options options = { .level = SL_LEVEL_95, .width = 21 };
	char *text;

	(void)state;
	text = sl_ministat_text(&equal, 1, &options);
	assert_non_null(strstr(text, "\n[no plot, span is zero width]\n"));
	g_free(text);
	text = sl_ministat_text(&wide, 1, &options);
	assert_non_null(strstr(text, "\n[no plot, span is not finite]\n"));
	g_free(text);
}

struct result {
	int status;
	char *out, *err;
};

/* Runs ministat with the words and a file with the text. */
static struct result run_main(const char *text, const char *words)
{
	char *out = NULL, *err = NULL, *name = NULL, *line, **argv;
	size_t out_size, err_size;
	FILE *fo = open_memstream(&out, &out_size), *fe = open_memstream(&err, &err_size);
	int fd = g_file_open_tmp("sl-ministat-XXXXXX", &name, NULL);
	struct result r;

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	line = g_strconcat("ministat ", words, " ", name, NULL);
	argv = g_strsplit(line, " ", -1);
	r.status = sl_ministat_main((int)g_strv_length(argv), argv, fo, fe);
	fclose(fo);
	fclose(fe);
	unlink(name);
	g_free(name);
	g_free(line);
	g_strfreev(argv);
	r.out = out;
	r.err = err;
	return r;
}

static void test_command_line(void **state)
{
	static const struct {
		const char *words;
		int status;
		const char *out, *err; /* how they begin */
	} cases[] = {
		{ "-nq", 0, "x   4             1             4           2.5", "" },
		{ "-nqP", 0,
		  "x   4             1             4           2.5           2.5      1.118034\n",
		  "" },
		{ "-nP --compat=2015", 2, "", "ministat: invalid option -- 'P'\nUnknown" },
		{ "--compat 2016 -q", 2, "", "ministat: invalid option -- 'q'\nUnknown" },
		{ "--compat=1999", 2, "", "ministat: no generation \"1999\" of ministat; known" },
		{ "-c 33", 2, "", "No support for confidence level\nUsage: ministat" },
		{ "-c 99 -c 33", 2, "", "No support for confidence level\n" },
		{ "-C 0", 2, "", "Column number should be positive.\nUsage" },
		{ "-C 3", 2, "", "Dataset " },
		{ "-d 4", 2, "", "ministat: Invalid data on line 1 in /" },
		{ "-w x", 2, "", "Invalid width, not a number.\n" },
		{ "/nonexistent/file", 1, "", "ministat: Cannot open /nonexistent/file: No such" },
		{ "/", 2, "", "ministat: Cannot read /: Is a directory" },
		{ "/ --compat=2015", 2, "", "Dataset / must contain at least 3 data points\n" },
		{ "--help", 0, "Usage: ministat [-C column]", "" },
		{ "--help --compat=2015", 2, "", "ministat: invalid option -- '-'\n" },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct result r = run_main("1 x\n2\n3\n4\n", cases[i].words);

		assert_int_equal(r.status, cases[i].status);
		if (strncmp(r.out, cases[i].out, strlen(cases[i].out)) != 0 ||
		    strncmp(r.err, cases[i].err, strlen(cases[i].err)) != 0 ||
		    (*cases[i].out == '\0' && *r.out != '\0') ||
		    (*cases[i].err == '\0' && *r.err != '\0'))
			fail_msg("case %zu: out \"%s\", err \"%s\"", i, r.out, r.err);
		free(r.out);
		free(r.err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printed_blocks),
		cmocka_unit_test(test_t_table),
		cmocka_unit_test(test_manual_example),
		cmocka_unit_test(test_generations),
		cmocka_unit_test(test_default_plot),
		cmocka_unit_test(test_plot_of_two_and_original),
		cmocka_unit_test(test_no_plot),
		cmocka_unit_test(test_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
