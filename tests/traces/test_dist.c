/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Distributions: shape against published values, the mean that was asked for, and the
 * same bits everywhere (values printed once and kept). */
#include "sim/core/workload.h"
#include "traces/workload_load.h"

#include <glib/gstdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A task that runs for a drawn length; its first operation is that run. */
static struct sl_workload *load(const char *dist, GError **error)
{
	char *text = g_strdup_printf("{'tasks':{'a':{'loop':1,'run':%s}}}", dist);
	struct sl_workload *w =
		sl_workload_load_text(text, strlen(text), "f", NULL, NULL, NULL, error);

	g_free(text);
	return w;
}

/* Quantile at p permille. */
static uint64_t quantile(const struct sl_workload *w, uint64_t permille)
{
	return sl_dist_draw(w, &w->op[0].dist, UINT64_MAX / 1000 * permille);
}

static void near_value(uint64_t got, uint64_t expected, uint64_t permille)
{
	uint64_t slack = expected * permille / 1000;

	if (got + slack < expected || got > expected + slack)
		fail_msg("%" G_GUINT64_FORMAT ", expected %" G_GUINT64_FORMAT, got, expected);
}

static void test_shapes(void **state)
{
	/* Expected quantiles in ns: closed forms, mean 10 ms. */
	static const struct {
		const char *dist;
		uint64_t p100, p500, p900, p990;
		uint64_t permille; /* tolerance: the ends are averaged, inner points exact */
	} rows[] = {
		{ "{'dist':'constant','value':'10ms'}", 10000000, 10000000, 10000000, 10000000, 0 },
		{ "{'dist':'uniform','min':'5ms','max':'15ms'}", 6000000, 10000000, 14000000,
		  14900000, 1 },
		/* -ln(1-p) */
		{ "{'dist':'exponential','mean':'10ms'}", 1053605, 6931472, 23025851, 46051702, 8 },
		/* exp(z - 1/2), z = -1.281552, 0, 1.281552, 2.326348 */
		{ "{'dist':'lognormal','mean':'10ms','sigma':1}", 1683818, 6065307, 21847722,
		  62104094, 12 },
		/* x_m (1-p)^(-1/3), x_m = 2/3 of the mean */
		{ "{'dist':'pareto','mean':'10ms','alpha':3}", 6904960, 8399474, 14362898, 30943930,
		  12 },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		GError *error = NULL;
		struct sl_workload *w = load(rows[i].dist, &error);

		assert_null(error);
		near_value(quantile(w, 100), rows[i].p100, rows[i].permille);
		near_value(quantile(w, 500), rows[i].p500, rows[i].permille);
		near_value(quantile(w, 900), rows[i].p900, rows[i].permille);
		near_value(quantile(w, 990), rows[i].p990, rows[i].permille);
		sl_workload_free(w);
	}
}

static void test_mean_of_draws(void **state)
{
	static const char *const dists[] = {
		"{'dist':'exponential','mean':'10ms'}",
		"{'dist':'lognormal','mean':'10ms','sigma':0.7}",
		"{'dist':'lognormal','mean':'10ms','sigma':1.5}",
		"{'dist':'pareto','mean':'10ms','alpha':2.5}",
		"{'dist':'empirical','values':['5ms','15ms']}",
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(dists); i++) {
		struct sl_workload *w = load(dists[i], NULL);
		uint64_t sum = 0;

		/* 2^16 equally spaced probabilities. */
		for (uint64_t k = 0; k < 65536; k++)
			sum += sl_dist_draw(w, &w->op[0].dist, k << 48 | UINT64_C(1) << 47);
		near_value(sum / 65536, 10000000, 1);
		near_value(w->op[0].dist.value, 10000000, 1);
		sl_workload_free(w);
	}
}

/* Counts keep their mean although draws are rounded down, and reach both ends. */
static void test_counts(void **state)
{
	static const struct {
		const char *loop;
		uint64_t mean1000, least, most;
	} rows[] = {
		{ "{'dist':'uniform','min':1,'max':3}", 2000, 1, 3 },
		{ "{'dist':'exponential','mean':5}", 5000, 0, 46 },
		{ "{'dist':'lognormal','mean':20,'sigma':0.7,'min':1}", 20000, 2, 195 },
		{ "{'dist':'empirical','values':[1,1,5]}", 2333, 1, 5 },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *text = g_strdup_printf("{'tasks':{'a':{'loop':%s,'run':1}}}", rows[i].loop);
		struct sl_workload *w =
			sl_workload_load_text(text, strlen(text), "f", NULL, NULL, NULL, NULL);
		uint64_t sum = 0, least = UINT64_MAX, most = 0;

		for (uint64_t k = 0; k < 65536; k++) {
			uint64_t v = sl_dist_draw(w, &w->op[0].dist, k << 48 | UINT64_C(1) << 47);

			sum += v;
			least = MIN(least, v);
			most = MAX(most, v);
		}
		near_value(sum * 1000 / 65536, rows[i].mean1000, 20);
		assert_int_equal(least, rows[i].least);
		near_value(most, rows[i].most, 250);
		sl_workload_free(w);
		g_free(text);
	}
}

/* The same integers with any compiler and level of optimisation. */
static void test_same_bits(void **state)
{
	static const struct {
		const char *dist;
		uint64_t sum;
	} rows[] = {
		{ "{'dist':'exponential','mean':'10ms'}", UINT64_C(0x80f0f3e4f5a67fd6) },
		{ "{'dist':'lognormal','mean':'10ms','sigma':0.7}", UINT64_C(0xf77cfcadca953e45) },
		{ "{'dist':'pareto','mean':'10ms','alpha':2.5}", UINT64_C(0x576643bb9a80d107) },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct sl_workload *w = load(rows[i].dist, NULL);
		uint64_t sum = 0;

		assert_int_equal(w->op[0].dist.n, 256);
		for (uint32_t k = 0; k <= 256; k++)
			sum = sl_rng_mix(sum ^ w->quantile[w->op[0].dist.first + k]);
		if (sum != rows[i].sum)
			fail_msg("%s: UINT64_C(0x%016" G_GINT64_MODIFIER "x)", rows[i].dist, sum);
		sl_workload_free(w);
	}
}

static void test_cut_and_shared(void **state)
{
	const char *text = "{'tasks':{'a':{'loop':1,"
			   "'run':{'dist':'exponential','mean':'10ms','min':'1ms','max':'20ms'},"
			   "'run':{'dist':'exponential','mean':'10ms','min':'1ms','max':'20ms'}}}}";
	struct sl_workload *w =
		sl_workload_load_text(text, strlen(text), "f", NULL, NULL, NULL, NULL);
	const struct sl_dist *d = &w->op[0].dist;

	(void)state;
	assert_int_equal(w->quantile[d->first], 1000000);
	assert_int_equal(w->quantile[d->first + d->n], 20000000);
	/* Equal tables are stored once. */
	assert_int_equal(w->op[1].dist.first, d->first);
	assert_int_equal(w->n_quantiles, 257);
	sl_workload_free(w);
}

static void test_file(void **state)
{
	char *dir = g_dir_make_tmp("schedlab-dist-XXXXXX", NULL);
	char *values = g_build_filename(dir, "v.txt", NULL);
	char *json = g_build_filename(dir, "w.json", NULL), *broken;
	GError *error = NULL;
	struct sl_workload *w;

	(void)state;
	assert_true(g_file_set_contents(values, "# us\n3000\n1ms\n\n2ms # two\n", -1, NULL));
	assert_true(g_file_set_contents(
		json, "{'tasks':{'a':{'loop':1,'run':{'dist':'empirical','file':'v.txt'}}}}", -1,
		NULL));
	w = sl_workload_load(json, NULL, NULL, &error);
	assert_null(error);
	assert_int_equal(w->op[0].dist.n, 2);
	assert_int_equal(w->quantile[0], 1000000);
	assert_int_equal(w->quantile[1], 2000000);
	assert_int_equal(w->quantile[2], 3000000);
	sl_workload_free(w);
	assert_true(g_file_set_contents(values, "1\nx\n", -1, NULL));
	assert_null(sl_workload_load(json, NULL, NULL, &error));
	broken = g_strconcat(values, ":2:1: ", NULL);
	assert_true(g_str_has_prefix(error->message, broken));
	g_error_free(error);
	g_free(broken);
	g_unlink(values);
	g_unlink(json);
	g_rmdir(dir);
	g_free(values);
	g_free(json);
	g_free(dir);
}

static void test_refused(void **state)
{
	static const struct {
		const char *dist, *message;
	} rows[] = {
		{ "{}", "f:1:31: expected {\"dist\": \"lognormal\"" },
		{ "{'dist':'lognormal','mean':1}", "f:1:31: distribution has no \"sigma\"" },
		{ "{'dist':'lognormal','mean':1,'sigma':5}", "f:1:31: sigma above 4" },
		{ "{'dist':'lognormal','mean':1,'sigma':0}", "f:1:68: sigma is 0, expected" },
		{ "{'dist':'pareto','mean':1,'alpha':1}", "f:1:31: alpha is at most 1" },
		{ "{'dist':'uniform','min':2,'max':1}", "f:1:31: min is larger than max" },
		{ "{'dist':'empirical','values':[]}", "f:1:31: no values" },
		{ "{'dist':'empirical','file':'/dev/zero'}", "f:1:58: /dev/zero is no regular" },
		{ "{'dist':'uniform','min':1,'max':{'dist':'constant','value':1}}",
		  "f:1:63: distribution inside a distribution" },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		GError *error = NULL;

		assert_null(load(rows[i].dist, &error));
		if (!g_str_has_prefix(error->message, rows[i].message))
			fail_msg("%s\n gives %s\n expected %s", rows[i].dist, error->message,
				 rows[i].message);
		g_error_free(error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),	       cmocka_unit_test(test_mean_of_draws),
		cmocka_unit_test(test_counts),	       cmocka_unit_test(test_same_bits),
		cmocka_unit_test(test_cut_and_shared), cmocka_unit_test(test_file),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
