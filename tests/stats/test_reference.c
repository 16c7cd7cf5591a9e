/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Known answers: special functions against mpmath, tests against R, sums against the certified
 * values of NIST's Statistical Reference Datasets. The tables in data/ name the
 * programs and versions that made them; make_special.py and make_reference.R make them again. */
#include "tests/sl_test.h"

#include <math.h>

#include <glib.h>

#include "stats/diagnose.h"
#include "stats/family.h"
#include "stats/rank.h"
#include "stats/reader.h"
#include "stats/special.h"
#include "stats/summary.h"
#include "stats/ttest.h"

/* Agreement asked of every number, relative; 10 digits are promised. */
#define TEN_DIGITS 1e-10

static char **read_lines(const char *name)
{
	char *path = g_build_filename(SL_TEST_DIR, "data", name, NULL), *text = NULL, **lines;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		fail_msg("cannot read %s", path);
	lines = g_strsplit(text, "\n", -1);
	g_free(text);
	g_free(path);
	return lines;
}

static void assert_close(const char *line, double got, double wanted, double tolerance)
{
	/* ln gamma passes through 0: there the error is that of its terms, which are near 1. */
	double scale = fmax(fabs(wanted), strncmp(line, "log_", 4) == 0 ? 1.0 : 1e-300);

	if (!(fabs(got - wanted) <= tolerance * scale))
		fail_msg("%s: got %.17g, relative error %.2g", line, got,
			 fabs(got - wanted) / scale);
}

static double beta_part(double a, double b, double x)
{
	return sl_inc_beta(a, b, x, 1.0 - x);
}

static double one_log_gamma(double a, double b, double x)
{
	(void)b;
	(void)x;
	return sl_log_gamma(a);
}

static double two_log_beta(double a, double b, double x)
{
	(void)x;
	return sl_log_beta(a, b);
}

static double gamma_upper(double a, double b, double x)
{
	(void)b;
	return sl_inc_gamma_upper(a, x);
}

static double norm_tail(double a, double b, double x)
{
	(void)a;
	(void)b;
	return sl_norm_sf(x);
}

static double norm_point(double a, double b, double x)
{
	(void)a;
	(void)b;
	return sl_norm_quantile(x);
}

static double t_tail(double a, double b, double x)
{
	(void)b;
	return sl_t_sf(x, a);
}

static double t_point(double a, double b, double x)
{
	(void)b;
	return sl_t_quantile(x, a);
}

static double chi2_tail(double a, double b, double x)
{
	(void)b;
	return sl_chi2_sf(x, a);
}

static void test_special(void **state)
{
	static const struct {
		const char *name;
		double (*f)(double a, double b, double x);
		double tolerance;
	} functions[] = {
		{ "log_gamma", one_log_gamma, 1e-13 },
		{ "log_beta", two_log_beta, 1e-13 },
		{ "inc_beta", beta_part, 1e-12 },
		{ "inc_gamma_upper", gamma_upper, 1e-11 },
		{ "norm_sf", norm_tail, 1e-13 },
		{ "norm_quantile", norm_point, 1e-13 },
		{ "t_sf", t_tail, 1e-11 },
		{ "t_quantile", t_point, 1e-12 },
		{ "chi2_sf", chi2_tail, 1e-11 },
	};
	char **lines = read_lines("reference_special.txt");
	int compared = 0;

	(void)state;
	for (char **line = lines; *line != NULL; line++) {
		char **w = g_strsplit(*line, " ", -1);

		for (size_t i = 0; i < G_N_ELEMENTS(functions) && g_strv_length(w) == 5; i++) {
			if (strcmp(w[0], functions[i].name) != 0)
				continue;
			assert_close(*line,
				     functions[i].f(g_ascii_strtod(w[1], NULL),
						    g_ascii_strtod(w[2], NULL),
						    g_ascii_strtod(w[3], NULL)),
				     g_ascii_strtod(w[4], NULL), functions[i].tolerance);
			compared++;
		}
		g_strfreev(w);
	}
	assert_true(compared > 200);
	g_strfreev(lines);
}

struct sample {
	char *name;
	double v[256];
	size_t n;
};

static struct sample samples[32];
static size_t n_samples;

static int load_samples(void **state)
{
	char **lines = read_lines("samples.txt");

	(void)state;
	for (char **line = lines; *line != NULL && **line != '\0'; line++) {
		char **w = g_strsplit(*line, " ", -1);
		struct sample *s = &samples[n_samples++];

		s->name = g_strdup(w[0]);
		for (char **x = w + 1; *x != NULL; x++)
			s->v[s->n++] = g_ascii_strtod(*x, NULL);
		g_strfreev(w);
	}
	g_strfreev(lines);
	return 0;
}

static int drop_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_samples; i++)
		g_free(samples[i].name);
	return 0;
}

static const struct sample *find_sample(const char *name)
{
	static const struct sample none;

	for (size_t i = 0; i < n_samples; i++)
		if (strcmp(samples[i].name, name) == 0)
			return &samples[i];
	return &none;
}

/* The quantity by its name in the table; *known is false for another name. */
static double quantity(const char *name, const struct sample *a, const struct sample *b,
		       bool *known)
{
	const struct sl_summary_rules rules = { 0 };
	const struct sl_t_test welch = sl_welch_t(a->v, a->n, b->v, b->n, 0.95);
	const struct sl_t_test pooled = sl_pooled_t(a->v, a->n, b->v, b->n, 0.95);
	const struct sl_t_test paired = sl_paired_t(a->v, b->v, MIN(a->n, b->n), 0.99);
	const struct sl_shift shift =
		b->n > 0 ? sl_hodges_lehmann(a->v, a->n, b->v, b->n, 0.95) : (struct sl_shift){ 0 };
	const struct sl_rank_test rank =
		b->n > 0 ? sl_mann_whitney(a->v, a->n, b->v, b->n) : (struct sl_rank_test){ 0 };
	const struct sl_summary s = sl_summarize(a->v, a->n, &rules);
	const struct sl_normality sw = sl_shapiro_wilk(a->v, a->n);
	const struct {
		const char *name;
		double value;
	} table[] = {
		{ "welch.t", welch.t },
		{ "welch.df", welch.df },
		{ "welch.p", welch.p },
		{ "welch.low", welch.low },
		{ "welch.high", welch.high },
		{ "pooled.t", pooled.t },
		{ "pooled.df", pooled.df },
		{ "pooled.p", pooled.p },
		{ "pooled.low", pooled.low },
		{ "pooled.high", pooled.high },
		{ "paired99.t", paired.t },
		{ "paired99.p", paired.p },
		{ "paired99.low", paired.low },
		{ "paired99.high", paired.high },
		{ "rank.u", rank.u },
		{ "rank.p", rank.p },
		{ "shift", shift.shift },
		{ "shift.low", shift.low },
		{ "shift.high", shift.high },
		{ "hedges.g", sl_hedges_g(a->v, a->n, b->v, b->n) },
		{ "mean", s.avg },
		{ "sd", s.stddev },
		{ "median", s.median },
		{ "quantile.1", sl_quantile(a->v, a->n, 0.1) },
		{ "shapiro.w", sw.w },
		{ "shapiro.p", sw.p },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return table[i].value;
	*known = false;
	return 0;
}

static void compare_holm(char **w)
{
	char **p = g_strsplit(w[1], ",", -1), **wanted = g_strsplit(w[2], ",", -1);
	double v[16];
	size_t n = g_strv_length(p);

	for (size_t i = 0; i < n; i++)
		v[i] = g_ascii_strtod(p[i], NULL);
	sl_holm(v, n, v);
	for (size_t i = 0; i < n; i++)
		assert_close("holm", v[i], g_ascii_strtod(wanted[i], NULL), TEN_DIGITS);
	g_strfreev(p);
	g_strfreev(wanted);
}

static void test_against_r(void **state)
{
	char **lines = read_lines("reference_r.txt");
	int compared = 0;

	(void)state;
	for (char **line = lines; *line != NULL; line++) {
		char **w = g_strsplit(*line, " ", -1);
		bool known = g_strv_length(w) == 4;

		if (strcmp(w[0] != NULL ? w[0] : "", "holm") == 0) {
			compare_holm(w);
			compared++;
		} else if (g_strv_length(w) == 5 && strcmp(w[0], "pwilcox") == 0) {
			assert_close(*line,
				     sl_mann_whitney_cdf(g_ascii_strtod(w[3], NULL),
							 (size_t)g_ascii_strtoull(w[1], NULL, 10),
							 (size_t)g_ascii_strtoull(w[2], NULL, 10)),
				     g_ascii_strtod(w[4], NULL), TEN_DIGITS);
			compared++;
		} else if (known) {
			double got = quantity(w[0], find_sample(w[1]), find_sample(w[2]), &known);

			if (!known)
				fail_msg("no such quantity: %s", *line);
			/* R adds up uncentred values in W: it keeps 9 digits at 10^6. */
			assert_close(*line, got, g_ascii_strtod(w[3], NULL),
				     strcmp(w[0], "shapiro.p") == 0 ? 1e-9 : TEN_DIGITS);
			compared++;
		}
		g_strfreev(w);
	}
	assert_true(compared > 250);
	g_strfreev(lines);
}

static void assert_certified(const char *name, const double *v, size_t n, double mean, double sd,
			     double sd_digits)
{
	const struct sl_summary_rules rules = { 0 };
	struct sl_summary s = sl_summarize(v, n, &rules);

	assert_close(name, s.avg, mean, 1e-14);
	assert_close(name, s.stddev, sd, sd_digits);
}

/* Observed sets, from files; the header of each states the certified values, too. */
static void test_nist_observed(void **state)
{
	static const struct {
		const char *name;
		size_t n;
		double mean, sd;
	} sets[] = { { "lew", 200, -177.435, 277.332168044316 },
		     { "lottery", 218, 518.958715596330, 291.699727470969 },
		     { "mavro", 50, 2.001856, 0.000429123454003053 },
		     { "michelso", 100, 299.8524, 0.0790105478190518 },
		     { "pidigits", 5000, 4.5348, 2.86733906028871 } };

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) {
		const struct sl_reader_options opt = { .column = 1, .delims = " \t" };
		char *path = g_strdup_printf(SL_TEST_DIR "/data/nist_%s.txt", sets[i].name);
		struct sl_numbers got = { .n = 0 };

		assert_int_equal(sl_read_file(&got, path, &opt), SL_READ_OK);
		assert_int_equal(got.n, sets[i].n);
		assert_certified(sets[i].name, got.v, got.n, sets[i].mean, sets[i].sd, 2e-12);
		sl_numbers_clear(&got);
		g_free(path);
	}
}

/* Constructed sets that defeat one-pass formulas. A standard deviation of 0.1 at 10^7 cannot have
 * more digits than the inputs, whose rounding to double is 1e-9 of 0.1. */
static void test_nist_constructed(void **state)
{
	static const double acc1[] = { 10000001, 10000003, 10000002 };
	static const struct {
		const char *name;
		double middle, low, high, digits;
	} sets[] = { { "NumAcc2", 1.2, 1.1, 1.3, 1e-13 },
		     { "NumAcc3", 1000000.2, 1000000.1, 1000000.3, 1e-9 },
		     { "NumAcc4", 10000000.2, 10000000.1, 10000000.3, 1e-7 } };
	double v[1001];

	(void)state;
	assert_certified("NumAcc1", acc1, 3, 10000002, 1, 1e-15);
	for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) {
		v[0] = sets[i].middle;
		for (size_t k = 1; k < 1001; k++)
			v[k] = k % 2 != 0 ? sets[i].low : sets[i].high;
		assert_certified(sets[i].name, v, 1001, sets[i].middle, 0.1, sets[i].digits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_special),
		cmocka_unit_test(test_against_r),
		cmocka_unit_test(test_nist_observed),
		cmocka_unit_test(test_nist_constructed),
	};

	return cmocka_run_group_tests(tests, load_samples, drop_samples);
}
