/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Comparisons as JSON and CSV. Invariant: both forms are made from one table of fields, so
 * none has a number the other lacks. */
#include <math.h>
#include <string.h>

#include "stats/comparison.h"
#include "stats/json_text.h"

struct field {
	const char *name;
	double value;
	bool flag; /* true or false in JSON, 1 or 0 in CSV */
};

enum { FIELDS = 54 };

struct fields {
	struct field at[FIELDS];
};

/* All numbers of a comparison. */
static struct fields list_fields(const struct sl_comparison *c)
{
	const struct sl_diagnosis *d = c->diagnosis;

	return (struct fields){ {
		{ "level", c->options.level, false },
		{ "identical", c->identical, true },
		{ "paired", c->options.paired, true },
		{ "larger_is_better", c->options.larger_is_better, true },
		{ "ref_n", (double)c->ref_sum.n, false },
		{ "ref_min", c->ref_sum.min, false },
		{ "ref_max", c->ref_sum.max, false },
		{ "ref_median", c->ref_sum.median, false },
		{ "ref_mean", c->ref_sum.avg, false },
		{ "ref_stddev", c->ref_sum.stddev, false },
		{ "set_n", (double)c->set_sum.n, false },
		{ "set_min", c->set_sum.min, false },
		{ "set_max", c->set_sum.max, false },
		{ "set_median", c->set_sum.median, false },
		{ "set_mean", c->set_sum.avg, false },
		{ "set_stddev", c->set_sum.stddev, false },
		{ "p", c->p, false },
		{ "p_holm", c->p_holm, false },
		{ "pooled_diff", c->pooled.diff, false },
		{ "pooled_low", c->pooled.low, false },
		{ "pooled_high", c->pooled.high, false },
		{ "pooled_p", c->pooled.p, false },
		{ "pooled_s", c->pooled.stddev, false },
		{ "welch_low", c->welch.low, false },
		{ "welch_high", c->welch.high, false },
		{ "welch_df", c->welch.df, false },
		{ "welch_p", c->welch.p, false },
		{ "paired_diff", c->pairs.diff, false },
		{ "paired_low", c->pairs.low, false },
		{ "paired_high", c->pairs.high, false },
		{ "paired_p", c->pairs.p, false },
		{ "unpaired_runs", c->unpaired_runs < SIZE_MAX ? (double)c->unpaired_runs : NAN,
		  false },
		{ "stein_pilot", (double)c->stein.pilot, false },
		{ "stein_half_width",
		  c->stein.pilot > 0 ? sl_stein_half_width(&c->stein, c->ref->n) : NAN, false },
		{ "rank_u", c->rank.u, false },
		{ "rank_p", c->rank.p, false },
		{ "rank_exact", c->rank.exact, true },
		{ "superiority", c->superiority, false },
		{ "shift", c->shift.shift, false },
		{ "shift_low", c->shift.low, false },
		{ "shift_high", c->shift.high, false },
		{ "median_ratio", c->ratio.ratio, false },
		{ "median_ratio_low", c->ratio.low, false },
		{ "median_ratio_high", c->ratio.high, false },
		{ "resamples", (double)c->ratio.resamples, false },
		{ "hedges_g", c->hedges_g, false },
		{ "ref_shapiro_p", d[0].normality.p, false },
		{ "ref_outliers", (double)d[0].fences.n_out, false },
		{ "ref_two_groups", d[0].split.two_groups, true },
		{ "ref_trend_p", d[0].trend_p, false },
		{ "set_shapiro_p", d[1].normality.p, false },
		{ "set_outliers", (double)d[1].fences.n_out, false },
		{ "set_two_groups", d[1].split.two_groups, true },
		{ "set_trend_p", d[1].trend_p, false },
	} };
}

static void append_csv_string(GString *out, const char *s)
{
	g_string_append_c(out, '"');
	for (; *s != '\0'; s++) {
		if (*s == '"')
			g_string_append_c(out, '"');
		g_string_append_c(out, *s);
	}
	g_string_append_c(out, '"');
}

void sl_comparison_to_json(const struct sl_comparison *c, GString *out)
{
	const struct fields f = list_fields(c);

	g_string_append(out, "{\"schema\": \"" SL_COMPARISON_SCHEMA "\", \"ref\": ");
	sl_json_append_string(out, c->ref->name);
	g_string_append(out, ", \"set\": ");
	sl_json_append_string(out, c->set->name);
	g_string_append_printf(out, ", \"seed\": %" G_GUINT64_FORMAT, (guint64)c->options.seed);
	for (size_t i = 0; i < FIELDS; i++) {
		g_string_append_printf(out, ", \"%s\": ", f.at[i].name);
		if (f.at[i].flag)
			g_string_append(out, f.at[i].value != 0.0 ? "true" : "false");
		else
			sl_json_append_number(out, f.at[i].value, "null");
	}
	g_string_append_c(out, '}');
}

void sl_comparison_csv_header(GString *out)
{
	const double nothing = 0.0;
	const struct sl_sample none = { "", &nothing, 1 };
	const struct sl_comparison c = { .ref = &none, .set = &none };
	const struct fields f = list_fields(&c);

	g_string_append(out, "schema,ref,set,seed");
	for (size_t i = 0; i < FIELDS; i++)
		g_string_append_printf(out, ",%s", f.at[i].name);
	g_string_append_c(out, '\n');
}

void sl_comparison_to_csv(const struct sl_comparison *c, GString *out)
{
	const struct fields f = list_fields(c);

	g_string_append(out, SL_COMPARISON_SCHEMA ",");
	append_csv_string(out, c->ref->name);
	g_string_append_c(out, ',');
	append_csv_string(out, c->set->name);
	g_string_append_printf(out, ",%" G_GUINT64_FORMAT, (guint64)c->options.seed);
	for (size_t i = 0; i < FIELDS; i++) {
		g_string_append_c(out, ',');
		sl_json_append_number(out, f.at[i].value, "");
	}
	g_string_append_c(out, '\n');
}

void sl_comparison_print_csv(FILE *out, const struct sl_comparison *c, size_t n)
{
	GString *text = g_string_new(NULL);

	sl_comparison_csv_header(text);
	for (size_t i = 0; i < n; i++)
		sl_comparison_to_csv(&c[i], text);
	fwrite(text->str, 1, text->len, out);
	g_string_free(text, TRUE);
}
