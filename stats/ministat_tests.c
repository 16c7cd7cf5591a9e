/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: text, JSON and CSV show one and the same family of comparisons. */
#include "stats/ministat_tests.h"

#include <glib.h>

#include "stats/comparison.h"
#include "stats/json_text.h"

enum { RESAMPLES = 2000, SEED = 1 };

/* All sets against the first; free with g_free(). */
static struct sl_comparison *compare_all(const struct sl_sample *sets, int n, int level,
					 bool paired)
{
	const struct sl_comparison_options options = {
		.level = sl_levels[level] / 100.0,
		.paired = paired,
		.pairs_are = "line",
		.resamples = RESAMPLES,
		.seed = SEED,
	};
	struct sl_comparison *c = g_new(struct sl_comparison, n);

	sl_comparison_make_family(c, sets, n, &options);
	return c;
}

void sl_ministat_print_tests(FILE *out, const struct sl_sample *sets, int n, int level, bool paired)
{
	struct sl_comparison *c = compare_all(sets, n, level, paired);

	for (int i = 1; i < n; i++) {
		fprintf(out, "%s against %s\n", sets[i].name, sets[0].name);
		sl_comparison_print(out, &c[i - 1]);
	}
	for (int i = 0; i < n; i++)
		sl_diagnosis_print(out, "\t", &sets[i], 0);
	g_free(c);
}

void sl_ministat_print_csv(FILE *out, const struct sl_sample *sets, int n, int level, bool paired)
{
	struct sl_comparison *c = compare_all(sets, n, level, paired);

	sl_comparison_print_csv(out, c, (size_t)n - 1);
	g_free(c);
}

static void append_sample(GString *out, const struct sl_sample *s)
{
	const struct sl_summary_rules rules = { 0 };
	const struct sl_summary sum = sl_summarize(s->v, s->n, &rules);
	const struct {
		const char *name;
		double value;
	} fields[] = { { "min", sum.min },
		       { "max", sum.max },
		       { "median", sum.median },
		       { "mean", sum.avg },
		       { "stddev", sum.stddev } };

	g_string_append(out, "{\"name\": ");
	sl_json_append_string(out, s->name);
	g_string_append_printf(out, ", \"n\": %zu", s->n);
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
		g_string_append_printf(out, ", \"%s\": ", fields[i].name);
		sl_json_append_number(out, fields[i].value, "null");
	}
	g_string_append_c(out, '}');
}

void sl_ministat_print_json(FILE *out, const struct sl_sample *sets, int n, int level, bool paired)
{
	struct sl_comparison *c = compare_all(sets, n, level, paired);
	GString *text =
		g_string_new("{\n  \"schema\": \"schedlab-ministat/1\",\n  \"samples\": [\n");

	for (int i = 0; i < n; i++) {
		g_string_append(text, i > 0 ? ",\n" : "");
		append_sample(text, &sets[i]);
	}
	g_string_append(text, "],\n  \"comparisons\": [");
	for (int i = 1; i < n; i++) {
		g_string_append(text, i > 1 ? ",\n" : "\n");
		sl_comparison_to_json(&c[i - 1], text);
	}
	g_string_append(text, "]\n}\n");
	fwrite(text->str, 1, text->len, out);
	g_string_free(text, TRUE);
	g_free(c);
}
