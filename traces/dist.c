/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A continuous distribution becomes TABLE intervals of equal probability: the inner
 * points are its quantiles, the two ends are chosen so that the first and the last interval
 * keep their own mean, and the whole is scaled to the mean that was asked for.
 * Invariant: a compiled table is ascending, and made of integer arithmetic only. */
#include "traces/dist.h"

#include "sim/base/fixmath.h"
#include "sim/base/nearest.h"

#include <string.h>

#define TABLE	    256
#define END_SAMPLES 256
#define VALUES_MAX  4096 /* intervals of an empirical table */
#define COUNT_STEPS 16

/* One distribution being compiled. */
struct shape {
	struct sl_rtapp *rt;
	const struct sl_scope *scope;
	const struct sl_json *v;
	bool count;
	uint64_t mean;
	sl_q48 sigma;	/* lognormal: of the logarithm, base 2 */
	sl_q48 alpha;	/* pareto */
	uint64_t scale; /* of the untabled quantiles; any, as the table is scaled to the mean */
};

static bool fail_shape(const struct shape *s, const char *what)
{
	return sl_json_fail(s->rt->doc, s->v, FALSE, s->rt->error, "%s", what);
}

static bool read_value(const struct shape *s, const char *key, uint64_t *out)
{
	const struct sl_json *m = sl_json_get(s->v, key);
	struct sl_dist d;

	if (!m)
		return sl_json_fail(s->rt->doc, s->v, FALSE, s->rt->error,
				    "distribution has no \"%s\"", key);
	if (m->type == SL_JSON_OBJECT)
		return sl_json_fail(s->rt->doc, m, FALSE, s->rt->error,
				    "distribution inside a distribution");
	if (!sl_rtapp_dist(s->rt, s->scope, m, s->count, &d))
		return false;
	*out = d.value;
	return true;
}

/* A number from 1e-6 to 64 in Q48. */
static bool read_ratio(const struct shape *s, const char *key, sl_q48 *out)
{
	const struct sl_json *m = sl_json_get(s->v, key);
	struct sl_quantity q;

	if (!m)
		return sl_json_fail(s->rt->doc, s->v, FALSE, s->rt->error,
				    "distribution has no \"%s\"", key);
	if (!sl_rtapp_quantity(s->rt, s->scope, m, &q))
		return false;
	if (q.is_time || q.v < 1000 || q.v > 64 * SL_QUANTITY_ONE)
		return sl_json_fail(s->rt->doc, m, FALSE, s->rt->error,
				    "%s is %s, expected a number from 0.000001 to 64", key,
				    m->text);
	*out = (sl_q48)(q.v * SL_Q48_ONE / SL_QUANTITY_ONE);
	return true;
}

/* Optional "min" and "max" cut the finished table. */
static bool cut(const struct shape *s, uint64_t *q, uint32_t n)
{
	uint64_t least = 0, most = UINT64_MAX;

	if (sl_json_get(s->v, "min") && !read_value(s, "min", &least))
		return false;
	if (sl_json_get(s->v, "max") && !read_value(s, "max", &most))
		return false;
	if (least > most)
		return fail_shape(s, "min is larger than max");
	for (uint32_t i = 0; i <= n; i++)
		q[i] = CLAMP(q[i], least, most);
	return true;
}

static uint64_t table_mean(const uint64_t *q, uint32_t n)
{
	sl_u128 twice = (sl_u128)q[0] + q[n];

	for (uint32_t i = 1; i < n; i++)
		twice += 2 * (sl_u128)q[i];
	return (uint64_t)(twice / (2 * (sl_u128)n));
}

static struct sl_dist finish(const struct shape *s, const uint64_t *q, uint32_t n)
{
	return sl_build_dist(s->rt->b, q, n, n ? table_mean(q, n) : q[0]);
}

/* Mean of the quantile function over [from, from + 1/TABLE), probabilities * 2^64. */
static uint64_t interval_mean(const struct shape *s, uint64_t from,
			      uint64_t (*quantile)(const struct shape *, uint64_t))
{
	uint64_t step = UINT64_MAX / ((uint64_t)TABLE * END_SAMPLES);
	sl_u128 sum = 0;

	for (uint64_t k = 0; k < END_SAMPLES; k++)
		sum += quantile(s, from + k * step + step / 2);
	return (uint64_t)(sum / END_SAMPLES);
}

/* scaled[i] = q[i] / mean * target / (2 TABLE), rounded. */
static void rescale(const uint64_t *q, uint64_t *scaled, uint64_t mean, sl_u128 target)
{
	for (uint32_t i = 0; i <= TABLE; i++) {
		/* In two parts, so that the products stay within 128 bits. */
		sl_u128 whole = target / (2 * TABLE), part = target % (2 * TABLE);
		sl_u128 v = mean ? (q[i] * whole + q[i] * part / (2 * TABLE) + mean / 2) / mean : 0;

		scaled[i] = v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
	}
}

/* Intervals that are not flat: there a drawn count, rounded down, loses half a unit. */
static uint32_t rises(const uint64_t *q)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < TABLE; i++)
		n += q[i + 1] > q[i];
	return n;
}

static bool tabulate(const struct shape *s, uint64_t (*quantile)(const struct shape *, uint64_t),
		     struct sl_dist *out)
{
	uint64_t q[TABLE + 1], scaled[TABLE + 1], ends, mean;
	uint64_t step = UINT64_C(1) << 56; /* 2^64 / TABLE */

	for (uint64_t i = 1; i < TABLE; i++)
		q[i] = quantile(s, i * step);
	ends = interval_mean(s, 0, quantile);
	q[0] = ends * 2 > q[1] ? ends * 2 - q[1] : 0;
	q[0] = MIN(q[0], q[1]);
	ends = interval_mean(s, (TABLE - 1) * step, quantile);
	q[TABLE] = MAX(ends > UINT64_MAX / 2 ? UINT64_MAX : ends * 2 - MIN(q[TABLE - 1], ends),
		       q[TABLE - 1]);
	mean = table_mean(q, TABLE);
	rescale(q, scaled, mean, 2 * (sl_u128)s->mean * TABLE);
	if (s->count)
		rescale(q, scaled, mean, 2 * (sl_u128)s->mean * TABLE + rises(scaled));
	memcpy(q, scaled, sizeof(q));
	if (!cut(s, q, TABLE))
		return false;
	*out = finish(s, q, TABLE);
	return true;
}

static bool constant(struct shape *s, struct sl_dist *out)
{
	uint64_t value;

	if (!read_value(s, "value", &value))
		return false;
	*out = sl_build_constant(value);
	return true;
}

static bool uniform(struct shape *s, struct sl_dist *out)
{
	uint64_t q[2];

	if (!read_value(s, "min", &q[0]) || !read_value(s, "max", &q[1]))
		return false;
	if (q[0] > q[1])
		return fail_shape(s, "min is larger than max");
	q[1] += s->count && q[0] < q[1]; /* counts are rounded down; max itself is drawn */
	*out = finish(s, q, 1);
	return true;
}

/* -ln(1 - p) = log2(1 / (1-p)) * ln 2; the constant goes into the scaling. */
static uint64_t exponential_quantile(const struct shape *s, uint64_t p)
{
	sl_u128 v = (sl_u128)s->scale * (uint64_t)(-sl_fix_log2_fraction(0 - p));

	return (uint64_t)(v >> 48);
}

static bool exponential(struct shape *s, struct sl_dist *out)
{
	return read_value(s, "mean", &s->mean) && tabulate(s, exponential_quantile, out);
}

static uint64_t lognormal_quantile(const struct shape *s, uint64_t p)
{
	return sl_fix_scale_exp2(s->scale, sl_fix_mul(s->sigma, sl_fix_normal_quantile(p)));
}

static bool lognormal(struct shape *s, struct sl_dist *out)
{
	const sl_q48 log2_e = 406082553034800; /* log2(e) * 2^48 */
	sl_q48 sigma;

	if (!read_value(s, "mean", &s->mean) || !read_ratio(s, "sigma", &sigma))
		return false;
	s->sigma = sl_fix_mul(sigma, log2_e);
	if (sigma > 4 * SL_Q48_ONE)
		return fail_shape(s, "sigma above 4");
	return tabulate(s, lognormal_quantile, out);
}

static uint64_t pareto_quantile(const struct shape *s, uint64_t p)
{
	sl_q48 log2_tail = sl_fix_log2_fraction(0 - p);

	return sl_fix_scale_exp2(s->scale, (sl_q48)((sl_i128)-log2_tail * SL_Q48_ONE / s->alpha));
}

static bool pareto(struct shape *s, struct sl_dist *out)
{
	if (!read_value(s, "mean", &s->mean) || !read_ratio(s, "alpha", &s->alpha))
		return false;
	if (s->alpha <= SL_Q48_ONE)
		return fail_shape(s, "alpha is at most 1, for which there is no mean");
	return tabulate(s, pareto_quantile, out);
}

static int compare_values(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts the values into a table; many are thinned to VALUES_MAX intervals. A count lies
 * between two of the values only in 1 of COUNT_STEPS draws, not half the time. */
static bool from_values(const struct shape *s, GArray *values, struct sl_dist *out)
{
	uint64_t q[VALUES_MAX + 1];
	uint64_t *v = (uint64_t *)(void *)values->data, len = values->len;
	uint64_t steps = s->count && len > 1 ? CLAMP(VALUES_MAX / len, 1, COUNT_STEPS) : 1;
	uint32_t n = (uint32_t)MIN(len * steps - 1, VALUES_MAX);

	if (len == 0)
		return fail_shape(s, "no values");
	qsort(v, len, sizeof(*v), compare_values);
	for (uint32_t i = 0; i <= n; i++)
		q[i] = v[n == 0 ? 0 : (uint64_t)i * (len * steps - 1) / n / steps];
	if (!cut(s, q, n))
		return false;
	*out = finish(s, q, n);
	return true;
}

/* One line of a file of values: a number of us with or without unit, or a count. */
static bool parse_line(const struct shape *s, const char *path, int number, const char *line,
		       GArray *values)
{
	struct sl_quantity q;
	char *why = NULL;
	uint64_t value;
	bool good = sl_expr_eval(NULL, line, &q, &why);

	if (good && !q.is_time && !s->count)
		q.v *= 1000;
	if (!good || q.v < 0 || (s->count && (q.is_time || q.v % SL_QUANTITY_ONE != 0))) {
		g_set_error(s->rt->error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE,
			    "%s:%d:1: %s, expected %s", path, number, why ? why : "unusable value",
			    s->count ? "a whole number" : "a time such as 10ms, or microseconds");
		g_free(why);
		return false;
	}
	value = (uint64_t)(q.v / SL_QUANTITY_ONE);
	g_array_append_val(values, value);
	return true;
}

static bool parse_lines(const struct shape *s, const char *path, char *text, GArray *values)
{
	int number = 0;

	while (text) {
		char *line = text, *end = strchr(text, '\n'), *hash;

		number++;
		text = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		hash = strchr(line, '#');
		if (hash)
			*hash = '\0';
		g_strstrip(line);
		if (*line && !parse_line(s, path, number, line, values))
			return false;
	}
	return true;
}

static bool read_values_file(const struct shape *s, const struct sl_json *file, GArray *values)
{
	char *dir = g_path_get_dirname(sl_json_file(s->rt->doc)), *path, *text = NULL;
	GError *why = NULL;
	bool good = false;

	path = g_path_is_absolute(file->text) ? g_strdup(file->text)
					      : g_build_filename(dir, file->text, NULL);
	/* A device could deliver for ever. */
	if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
		sl_json_fail(s->rt->doc, file, FALSE, s->rt->error, "%s is no regular file", path);
	else if (!g_file_get_contents(path, &text, NULL, &why))
		sl_json_fail(s->rt->doc, file, FALSE, s->rt->error, "%s", why->message);
	else
		good = parse_lines(s, path, text, values);
	g_clear_error(&why);
	g_free(text);
	g_free(path);
	g_free(dir);
	return good;
}

static bool collect(const struct shape *s, const struct sl_json *list, GArray *values)
{
	struct sl_dist d;

	for (const struct sl_json *m = list->child; m; m = m->next) {
		if (m->type == SL_JSON_OBJECT)
			return sl_json_fail(s->rt->doc, m, FALSE, s->rt->error,
					    "distribution inside a distribution");
		if (!sl_rtapp_dist(s->rt, s->scope, m, s->count, &d))
			return false;
		g_array_append_val(values, d.value);
	}
	return true;
}

static bool empirical(struct shape *s, struct sl_dist *out)
{
	const struct sl_json *list = sl_json_get(s->v, "values");
	const struct sl_json *file = sl_json_get(s->v, "file");
	GArray *values = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	bool good;

	if (list && list->type == SL_JSON_ARRAY)
		good = collect(s, list, values);
	else if (file && file->type == SL_JSON_STRING && *file->text)
		good = read_values_file(s, file, values);
	else
		good = fail_shape(s, "empirical needs \"values\": [...] or \"file\": \"name\"");
	good = good && from_values(s, values, out);
	g_array_free(values, TRUE);
	return good;
}

static const struct {
	const char *name;
	bool (*compile)(struct shape *s, struct sl_dist *out);
	const char *keys[7];
} kinds[] = {
	{ "constant", constant, { "dist", "value" } },
	{ "uniform", uniform, { "dist", "min", "max" } },
	{ "exponential", exponential, { "dist", "mean", "min", "max" } },
	{ "lognormal", lognormal, { "dist", "mean", "sigma", "min", "max" } },
	{ "pareto", pareto, { "dist", "mean", "alpha", "min", "max" } },
	{ "empirical", empirical, { "dist", "values", "file", "min", "max" } },
};

bool sl_dist_compile(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		     bool count, struct sl_dist *out)
{
	struct shape s = {
		.rt = rt, .scope = scope, .v = v, .count = count, .scale = UINT64_C(1) << 30
	};
	const struct sl_json *name = sl_json_get(v, "dist");
	const char *names[G_N_ELEMENTS(kinds)], *near;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		names[i] = kinds[i].name;
		if (!name || !name->text || strcmp(kinds[i].name, name->text) != 0)
			continue;
		for (const struct sl_json *m = v->child; m; m = m->next)
			if (!g_strv_contains(kinds[i].keys, m->key))
				sl_rtapp_unknown_key(rt, m, name->text, kinds[i].keys);
		return kinds[i].compile(&s, out);
	}
	near = name && name->text ? sl_nearest(name->text, names, G_N_ELEMENTS(names)) : NULL;
	return sl_json_fail(rt->doc, name ? name : v, FALSE, rt->error,
			    "expected {\"dist\": \"%s\", ...}; there are constant, uniform, "
			    "exponential, lognormal, pareto, empirical",
			    near ? near : "lognormal");
}
