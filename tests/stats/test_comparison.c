/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whole comparisons: what is said in which case, and that JSON and CSV hold the same numbers. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "tests/sl_test.h"

#include <math.h>
#include <stdlib.h>

#include <json-glib/json-glib.h>

#include "sim/base/rng.h"
#include "stats/comparison.h"

enum { N = 30 };

static const struct sl_comparison_options plain = { .level = 0.95, .resamples = 999, .seed = 7 };

/* About normal: the sum of twelve uniform draws. */
static double draw(uint64_t entity)
{
	double sum = -6.0;

	for (uint64_t i = 0; i < 12; i++)
		sum += (double)(sl_rng_draw(5, SL_RNG_BOOT, entity, i) >> 11) * 0x1p-53;
	return sum;
}

/* The text of a comparison, and the warnings when `discarded` runs were left out. */
static char *text_of(const struct sl_comparison *c, uint32_t discarded)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	sl_comparison_print(f, c);
	sl_diagnosis_print(f, "\t", c->ref, discarded);
	sl_diagnosis_print(f, "# ", c->set, discarded);
	fclose(f);
	return text;
}

static void assert_says_of(const struct sl_comparison *c, uint32_t discarded, const char *what,
			   bool says)
{
	char *text = text_of(c, discarded);

	if ((strstr(text, what) != NULL) != says)
		fail_msg("\"%s\" %s:\n%s", what, says ? "is missing" : "should not be", text);
	free(text);
}

static void assert_says(const struct sl_comparison *c, const char *what, bool says)
{
	assert_says_of(c, 0, what, says);
}

static void test_identical(void **state)
{
	static const double v[] = { 1, 2, 3 }, same5[] = { 4, 4, 4, 4, 4 }, same3[] = { 4, 4, 4 };
	const struct sl_sample a = { "a", v, 3 }, b = { "b", v, 3 }, c5 = { "c", same5, 5 },
			       c3 = { "d", same3, 3 };
	struct sl_comparison c;

	(void)state;
	sl_comparison_make(&c, &a, &b, &plain);
	assert_true(c.identical && isnan(c.p) && isnan(c.rank.p) && isnan(c.welch.p));
	assert_says(&c, "identical: b has the values of a", true);
	assert_says(&c, "p =", false);
	sl_comparison_make(&c, &c5, &c3, &plain);
	assert_true(c.identical);
}

/* Without any spread a difference is certain, and the text has no p of a division by zero. */
static void test_no_spread(void **state)
{
	static const double x[] = { 4, 4, 4 }, y[] = { 5, 5, 5 }, z[] = { 5, 6, 8 };
	const struct sl_sample a = { "a", x, 3 }, b = { "b", y, 3 }, d = { "d", z, 3 };
	struct sl_comparison_options options = plain;
	struct sl_comparison c;

	(void)state;
	options.paired = true;
	sl_comparison_make(&c, &a, &b, &options);
	assert_false(c.identical);
	assert_true(c.welch.p == 0 && c.welch.low == 1 && c.welch.high == 1);
	assert_says(&c, "every run gave the same number, which is 1 (25%) off; no test", true);
	assert_says(&c, "p =", false);
	assert_says(&c, "nan", false);
	assert_float_equal(c.rank.p, 0.1, 1e-12);
	options.paired = false;
	sl_comparison_make(&c, &a, &b, &options);
	assert_says(&c, "every run gave the same number, which is 1 (25%) off; no test", true);
	assert_says(&c, "\ta: all 3 values are equal", true);
	assert_says(&c, "# b: all 3 values are equal", true);
	sl_comparison_make(&c, &a, &d, &options);
	assert_says(&c, "too few values to prove anything by ranks", true);
}

/* A difference to 0 has no percents, and what is not finite gets no tests. */
static void test_odd_references(void **state)
{
	static const double zero[] = { -1, 0, 1 }, y[] = { 5, 6, 8 }, odd[] = { 5, INFINITY, 8 };
	const struct sl_sample a = { "a", zero, 3 }, b = { "b", y, 3 }, d = { "d", odd, 3 };
	struct sl_comparison_options options = plain;
	struct sl_comparison c;

	(void)state;
	options.paired = true;
	options.pairs_are = "line";
	sl_comparison_make(&c, &a, &b, &options);
	assert_says(&c, "paired by line: 6.33333 +/- 1.43422, p = ", true);
	assert_says(&c, "inf", false);
	sl_comparison_make(&c, &b, &d, &options);
	assert_says(&c, "values that are not finite; no test is made", true);
	assert_says(&c, "nan", false);
	/* The median of differences -1 0 0 1 .. is 0 and not -0. */
	sl_comparison_make(&c, &a, &(struct sl_sample){ "e", (double[]){ 1, -1, 0 }, 3 }, &plain);
	assert_false(signbit(c.shift.shift));
}

/* A sum of equal values may round; that is no spread. */
static void test_rounded_sums(void **state)
{
	double x[11], y[11], z[11];
	const struct sl_sample a = { "a", x, 11 }, b = { "b", y, 11 }, d = { "d", z, 11 };
	const struct sl_summary_rules rules = { 0 };
	struct sl_comparison_options options = plain;
	struct sl_comparison c;

	(void)state;
	for (int i = 0; i < 11; i++) {
		x[i] = 2.2721725;
		y[i] = 5.3389397;
		z[i] = i;
	}
	assert_true(sl_summarize(x, 11, &rules).stddev == 0);
	options.paired = true;
	sl_comparison_make(&c, &a, &b, &options);
	assert_true(c.pairs.low == c.pairs.high && c.welch.low == c.welch.high);
	assert_true(c.pooled.stddev == 0 && c.pairs.diff == y[0] - x[0]);
	/* Pairs that all differ by the same amount have an interval of no width. */
	for (int i = 0; i < 11; i++)
		y[i] = z[i] + 8;
	sl_comparison_make(&c, &d, &b, &options);
	assert_true(c.pairs.diff == 8 && c.pairs.low == 8 && c.pairs.high == 8);
	assert_says(&c, "all pairs differ by the same amount", true);
	/* Also when they do so in decimal only: 5 ns each, in seconds. */
	for (int i = 0; i < 11; i++) {
		z[i] = (100000000 + 7654321 * i) / 1e9;
		y[i] = (100000005 + 7654321 * i) / 1e9;
	}
	sl_comparison_make(&c, &d, &b, &options);
	assert_true(c.pairs.low == c.pairs.high && c.pairs.stddev == 0);
}

static char *line_of(const struct sl_comparison *c)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	sl_comparison_print_line(f, c);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void test_line(void **state)
{
	static const double x[] = { 10, 12, 14, 16 }, y[] = { 11, 13, 15, 18 };
	const struct sl_sample a = { "a", x, 4 }, b = { "b", y, 4 };
	struct sl_comparison_options options = plain;
	struct sl_comparison c;
	char *line;

	(void)state;
	options.paired = true;
	sl_comparison_make(&c, &a, &b, &options);
	/* Differences 1 1 1 2: mean 1.25, s 0.5, t(3) 3.1824463, half width 0.79561. */
	line = line_of(&c);
	assert_non_null(strstr(line,
			       "# b against a: paired by seed 1.25 +/- 0.795612 (9.61538% "
			       "+/- 6.12009%), p = 0.015; unpaired, the same certainty takes "));
	free(line);
	c.stein = sl_stein_plan((double[]){ 1, 1, 2 }, 3, 1, 0.95);
	/* Pilot: s 0.57735, t(2) 4.3026527; over 4 runs 1.24207. */
	line = line_of(&c);
	assert_non_null(strstr(line,
			       "# b against a: 1.25 +/- 1.24207 (9.61538% +/- 9.55438%), "
			       "proven at 95%, by a pilot of 3 runs (Stein's rule); unpaired"));
	free(line);
	sl_comparison_make(&c, &a, &a, &options);
	line = line_of(&c);
	assert_string_equal(line, "# a against a: identical\n");
	free(line);
	sl_comparison_make(&c, &a, &b, &plain);
	line = line_of(&c);
	assert_string_equal(line, "");
	free(line);
}

static void test_pairs_and_what_they_save(void **state)
{
	double x[N], y[N];
	const struct sl_sample a = { "base", x, N }, b = { "new", y, N };
	struct sl_comparison_options options = plain;
	struct sl_comparison c;
	double half, unpaired;

	(void)state;
	for (uint64_t i = 0; i < N; i++) {
		x[i] = 1000 + 20 * draw(i);
		y[i] = x[i] - 5 + draw(1000 + i);
	}
	options.paired = true;
	sl_comparison_make(&c, &a, &b, &options);
	assert_true(c.p < 1e-10 && c.p == c.pairs.p);
	assert_true(c.welch.p > 0.05);
	half = (c.pairs.high - c.pairs.low) / 2;
	/* The number it names gives at most that width, one run less does not. */
	for (int less = 0; less < 2; less++) {
		double n = (double)c.unpaired_runs - less;
		unpaired = c.pooled.stddev * sqrt(2 / n);
		assert_true(less ? 1.96 * unpaired > half * 0.99 : 1.95 * unpaired <= half);
	}
	assert_true(c.unpaired_runs > 20 * N);
	assert_says(&c, "paired by seed: -", true);
	assert_says(&c, "unpaired runs needed for the same interval: ", true);
	/* Samples of unequal size cannot be pairs. */
	sl_comparison_make(&c, &a, &(struct sl_sample){ "new", y, N - 1 }, &options);
	assert_true(!c.options.paired && isnan(c.pairs.p) && c.p == c.welch.p);
}

static void test_warnings(void **state)
{
	double x[N], y[N], far[N], drift[N], two[N], skew[N];
	const struct sl_sample a = { "ref", x, N };
	const struct {
		const double *v;
		const char *says;
	} cases[] = { { far, "set: 1 far out, kept: run 1 (2000); a first run is often" },
		      { drift, "set: values drift over the runs" },
		      { two, "set: two groups, 15 values near " },
		      { skew, "set: not normal (Shapiro-Wilk" } };
	struct sl_comparison c;

	(void)state;
	for (uint64_t i = 0; i < N; i++) {
		x[i] = 1000 + 10 * draw(i);
		y[i] = 1000 + 10 * draw(100 + i);
		far[i] = i == 0 ? 2000 : y[i];
		drift[i] = y[i] + 3 * (double)i;
		two[i] = y[i] + (i % 2 != 0 ? 100 : 0);
		skew[i] = 1000 * exp(draw(200 + i));
	}
	sl_comparison_make(&c, &a, &(struct sl_sample){ "set", y, N }, &plain);
	assert_says(&c, "ref: ", false);
	assert_says(&c, "set: ", false);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		sl_comparison_make(&c, &a, &(struct sl_sample){ "set", cases[i].v, N }, &plain);
		assert_int_equal(c.set_sum.n, N);
		assert_says(&c, cases[i].says, true);
	}
	sl_comparison_make(&c, &a, &(struct sl_sample){ "set", y, 4 }, &plain);
	assert_says(&c, "set: only 4 values; shape", true);
	/* Runs that were left out are counted; not all of many are named. */
	far[3] = 3000;
	sl_comparison_make(&c, &a, &(struct sl_sample){ "set", far, N }, &plain);
	assert_says_of(&c, 1, "set: 2 far out, kept: run 2 (2000), run 5 (3000)\n", true);
	for (int i = 3; i < 8; i++)
		far[i] = -1000 * i;
	sl_comparison_make(&c, &a, &(struct sl_sample){ "set", far, N }, &plain);
	assert_says_of(&c, 1, "run 6 (-4000), run 7 (-5000), run 8 (-6000) and more\n", true);
}

static void test_family(void **state)
{
	double x[N], y[3][N];
	const struct sl_sample a = { "ref", x, N };
	struct sl_sample sets[3];
	struct sl_comparison c[3];

	(void)state;
	for (uint64_t i = 0; i < N; i++)
		x[i] = 1000 + 10 * draw(i);
	for (uint64_t k = 0; k < 3; k++) {
		for (uint64_t i = 0; i < N; i++)
			y[k][i] = 1000 + 10 * draw(100 * (k + 1) + i) + 3 * (double)k;
		sets[k] = (struct sl_sample){ "set", y[k], N };
		sl_comparison_make(&c[k], &a, &sets[k], &plain);
	}
	sl_comparison_adjust(c, 3);
	for (int k = 0; k < 3; k++)
		assert_true(c[k].p_holm >= c[k].p && c[k].p_holm <= 3 * c[k].p);
	assert_says(&c[2], "p after Holm's correction", true);
}

/* The CSV cells of one line, quotes taken off. */
static char **cells(const char *line)
{
	char **w = g_strsplit(line, ",", -1);

	for (char **p = w; *p != NULL; p++) {
		g_strchomp(*p);
		if (**p == '"') {
			memmove(*p, *p + 1, strlen(*p));
			(*p)[strlen(*p) - 1] = '\0';
		}
	}
	return w;
}

static void test_json_and_csv(void **state)
{
	double x[N], y[N];
	const struct sl_sample a = { "ule \"A\"\n\x01\\", x, N }, b = { "1ppq", y, N };
	GString *json = g_string_new(NULL), *header = g_string_new(NULL), *csv = g_string_new(NULL);
	struct sl_comparison c;
	JsonParser *parser = json_parser_new();
	JsonObject *object;
	char **names, **values;

	(void)state;
	for (uint64_t i = 0; i < N; i++) {
		x[i] = 1000 + 10 * draw(i);
		y[i] = 1000 + 10 * draw(100 + i);
	}
	sl_comparison_make(&c, &a, &b, &plain);
	sl_comparison_to_json(&c, json);
	assert_true(json_parser_load_from_data(parser, json->str, -1, NULL));
	object = json_node_get_object(json_parser_get_root(parser));
	assert_string_equal(json_object_get_string_member(object, "schema"), SL_COMPARISON_SCHEMA);
	assert_string_equal(json_object_get_string_member(object, "ref"), a.name);
	assert_true(json_object_get_double_member(object, "welch_p") == c.welch.p);
	assert_true(json_object_get_null_member(object, "paired_p"));
	assert_false(json_object_get_boolean_member(object, "identical"));
	sl_comparison_make(&c, &b, &b, &plain);
	g_string_truncate(json, 0);
	sl_comparison_to_json(&c, json);
	sl_comparison_csv_header(header);
	sl_comparison_to_csv(&c, csv);
	assert_true(json_parser_load_from_data(parser, json->str, -1, NULL));
	object = json_node_get_object(json_parser_get_root(parser));
	assert_true(json_object_get_boolean_member(object, "identical"));
	names = cells(header->str);
	values = cells(csv->str);
	assert_int_equal(g_strv_length(names), g_strv_length(values));
	assert_int_equal(g_strv_length(names), json_object_get_size(object));
	for (size_t i = 4; names[i] != NULL; i++) {
		JsonNode *node = json_object_get_member(object, names[i]);

		assert_non_null(node);
		if (JSON_NODE_HOLDS_NULL(node))
			assert_string_equal(values[i], "");
		else if (json_node_get_value_type(node) != G_TYPE_BOOLEAN)
			assert_true(json_node_get_double(node) == g_ascii_strtod(values[i], NULL));
	}
	g_strfreev(names);
	g_strfreev(values);
	g_object_unref(parser);
	g_string_free(json, TRUE);
	g_string_free(header, TRUE);
	g_string_free(csv, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identical),
		cmocka_unit_test(test_no_spread),
		cmocka_unit_test(test_odd_references),
		cmocka_unit_test(test_rounded_sums),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_pairs_and_what_they_save),
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_family),
		cmocka_unit_test(test_json_and_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
