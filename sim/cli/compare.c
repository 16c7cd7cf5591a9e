/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: what is written depends on the trials alone, never on the order in which
 * they were done. */
#include "sim/cli/compare.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "sim/cli/compare_latency.h"
#include "sim/cli/out.h"
#include "sim/cli/until.h"
#include "stats/comparison.h"
#include "stats/json_text.h"

#define RESAMPLES 2000

void sl_compare_gather(struct sl_compare_sets *sets, const struct sl_trials *t,
		       const struct sl_compare_options *o)
{
	const struct sl_summary_rules rules = { 0 };

	sets->n = (int)t->policies;
	sets->least = SIZE_MAX;
	for (int p = 0; p < sets->n; p++) {
		const struct sl_policy_spec *spec = t->setup->policies->pdata[p];
		struct sl_sample *s = &sets->sample[p];

		s->name = spec->text;
		s->v = sl_trials_values(t, (uint32_t)p, o->which, (uint32_t)o->dropped, &s->n);
		if (s->n)
			sets->summary[p] = sl_summarize(s->v, s->n, &rules);
		sets->least = MIN(sets->least, s->n);
	}
}

void sl_compare_drop(struct sl_compare_sets *sets)
{
	for (int p = 0; p < sets->n; p++)
		g_free((void *)(uintptr_t)sets->sample[p].v);
}

/* A digest over the digests of all whole runs, in order. */
static uint64_t digest_all(const struct sl_trials *t)
{
	const guint rows = sl_trials_whole(t) * t->policies;
	uint64_t digest = 0;

	for (guint i = 0; i < rows; i++)
		digest = sl_rng_mix(digest ^ g_array_index(t->row, struct sl_trial, i).digest);
	return digest;
}

void sl_compare_print_head(const struct sl_trials *t, const struct sl_compare_options *o)
{
	const struct sl_setup *s = t->setup;
	const struct sl_metric_def *m = &sl_metric_defs[o->which];

	printf("# schedlab " SL_VERSION ": %s\n", t->cli->command_line);
	printf("# topology %s, digest %016" G_GINT64_MODIFIER "x; costs %s\n", s->topo->name,
	       (guint64)s->topo_digest, s->costs->name);
	printf("# workload %s, digest %016" G_GINT64_MODIFIER "x\n", s->work.workload->name,
	       (guint64)s->work.workload->digest);
	printf("# %s in %s, %s is better; %u runs, first %u discarded; seeds from "
	       "%" G_GUINT64_FORMAT "; digest %016" G_GINT64_MODIFIER "x\n",
	       m->name, *m->unit ? m->unit : "counts", m->larger_is_better ? "larger" : "smaller",
	       sl_trials_whole(t), (unsigned)o->dropped, (guint64)s->seed, (guint64)digest_all(t));
	if (*t->stop)
		printf("# PARTIAL: interrupted; the first %u runs, which every policy has done, "
		       "are "
		       "here\n",
		       sl_trials_whole(t));
}

void sl_compare_print_times(const struct sl_trials *t, const struct sl_compare_options *o)
{
	const int real = sl_metric_find("real"), user = sl_metric_find("user"),
		  sys = sl_metric_find("sys");

	for (uint32_t p = 0; p < t->policies; p++) {
		const struct sl_policy_spec *spec = t->setup->policies->pdata[p];

		printf("# times of %s\n", spec->text);
		for (uint32_t run = (uint32_t)o->dropped; run < sl_trials_whole(t); run++) {
			const double *v = sl_trials_at(t, p, run)->value;

			printf("%12.2f real %12.2f user %12.2f sys\n", v[real], v[user], v[sys]);
		}
	}
}

/* Every policy but the first against the first, as one family; all zero when an interrupt has left
 * too little. */
static struct sl_comparison *make_comparisons(const struct sl_trials *t,
					      const struct sl_compare_options *o,
					      const struct sl_compare_sets *sets, size_t resamples)
{
	const struct sl_comparison_options options = {
		.level = 0.95,
		.paired = true,
		.larger_is_better = sl_metric_defs[o->which].larger_is_better,
		.resamples = resamples,
		.seed = t->setup->seed,
	};
	struct sl_comparison *c = g_new0(struct sl_comparison, sets->n);

	if (sets->least < MINISTAT_LEAST)
		return c;
	sl_comparison_make_family(c, sets->sample, sets->n, &options);
	for (int p = 1; p < sets->n && sets->until; p++)
		c[p - 1].stein = sets->until->plan[p - 1];
	return c;
}

void sl_compare_print_tests(const struct sl_trials *t, const struct sl_compare_options *o,
			    const struct sl_compare_sets *sets)
{
	struct sl_comparison *c = make_comparisons(t, o, sets, RESAMPLES);

	for (int p = 1; p < sets->n; p++) {
		printf("%s against %s\n", sets->sample[p].name, sets->sample[0].name);
		sl_comparison_print(stdout, &c[p - 1]);
	}
	g_free(c);
}

void sl_compare_print_lines(const struct sl_trials *t, const struct sl_compare_options *o,
			    const struct sl_compare_sets *sets)
{
	struct sl_comparison *c = make_comparisons(t, o, sets, 0);

	for (int p = 1; p < sets->n; p++)
		sl_comparison_print_line(stdout, &c[p - 1]);
	g_free(c);
}

void sl_compare_print_warnings(const struct sl_compare_options *o,
			       const struct sl_compare_sets *sets)
{
	for (int p = 0; p < sets->n; p++)
		sl_diagnosis_print(stdout, o->tests ? "\t" : "# ", &sets->sample[p],
				   (uint32_t)o->dropped);
}

void sl_compare_print_csv(const struct sl_trials *t, const struct sl_compare_options *o,
			  const struct sl_compare_sets *sets)
{
	struct sl_comparison *c = make_comparisons(t, o, sets, RESAMPLES);

	sl_comparison_print_csv(stdout, c, sets->least >= MINISTAT_LEAST ? (size_t)sets->n - 1 : 0);
	g_free(c);
}

static void add_text(GString *out, const char *key, const char *text)
{
	g_string_append_printf(out, "  \"%s\": ", key);
	sl_json_append_string(out, text);
	g_string_append(out, ",\n");
}

static void add_samples(GString *out, const struct sl_compare_sets *sets)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append(out, "  \"samples\": [");
	for (int p = 0; p < sets->n; p++) {
		g_string_append(out, p ? ", {\n  " : "{\n  ");
		add_text(out, "policy", sets->sample[p].name);
		g_string_append(out, "    \"values\": [");
		for (size_t i = 0; i < sets->sample[p].n; i++)
			g_string_append_printf(out, "%s%s", i ? ", " : "",
					       g_ascii_formatd(number, sizeof(number), "%.17g",
							       sets->sample[p].v[i]));
		g_string_append(out, "]\n  }");
	}
	g_string_append(out, "],\n");
}

/* What the pilot decided, and the intervals that keep the level, all of the family at once: of each
 * difference to the reference in order, or of the only policy's mean. */
static void add_until(GString *out, const struct sl_compare_sets *sets)
{
	const struct sl_until *u = sets->until;
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append_printf(out,
			       "  \"until\": {\"pilot\": %zu, \"reached\": %s, "
			       "\"family\": %zu, \"half_widths\": [",
			       u->plan[0].pilot, sl_until_reached(u, sets) ? "true" : "false",
			       u->plan[0].family);
	for (int i = 0; i < u->n; i++)
		g_string_append_printf(
			out, "%s%s", i ? ", " : "",
			g_ascii_formatd(number, sizeof(number), "%.17g",
					sl_stein_half_width(&u->plan[i], sets->least)));
	g_string_append(out, "]},\n");
}

void sl_compare_print_json(const struct sl_trials *t, const struct sl_compare_options *o,
			   const struct sl_compare_sets *sets)
{
	struct sl_comparison *c = make_comparisons(t, o, sets, RESAMPLES);
	const struct sl_setup *s = t->setup;
	GString *out = g_string_new("{\n");

	add_text(out, "schema", "schedlab-compare/1");
	add_text(out, "version", SL_VERSION);
	add_text(out, "command", t->cli->command_line);
	add_text(out, "topology", s->topo->name);
	add_text(out, "workload", s->work.workload->name);
	add_text(out, "costs", s->costs->name);
	add_text(out, "metric", sl_metric_defs[o->which].name);
	add_text(out, "unit", sl_metric_defs[o->which].unit);
	g_string_append_printf(out,
			       "  \"partial\": %s,\n  \"runs\": %u,\n  \"discarded\": %u,\n"
			       "  \"seed\": \"%" G_GUINT64_FORMAT "\",\n"
			       "  \"digest\": \"%016" G_GINT64_MODIFIER "x\",\n",
			       *t->stop ? "true" : "false", sl_trials_whole(t),
			       (unsigned)o->dropped, (guint64)s->seed, (guint64)digest_all(t));
	if (sets->until)
		add_until(out, sets);
	if (sl_compare_of_latency(o->which))
		sl_compare_add_latency(out, t, o, sets);
	add_samples(out, sets);
	g_string_append(out, "  \"comparisons\": [");
	for (int p = 1; p < sets->n && sets->least >= MINISTAT_LEAST; p++) {
		g_string_append(out, p > 1 ? ",\n" : "\n");
		sl_comparison_to_json(&c[p - 1], out);
	}
	g_string_append(out, "]\n}\n");
	fwrite(out->str, 1, out->len, stdout);
	g_string_free(out, TRUE);
	g_free(c);
}

/* Characters that may not stand in a file's name everywhere. */
static bool reserved(char c)
{
	return !g_ascii_isalnum(c) && !strchr("@.=,+-_", c);
}

static bool close_file(const struct sl_trials *t, struct sl_out *out, GError **error)
{
	return *t->stop ? sl_out_close_partial(out, error) : sl_out_close(out, error);
}

/* Two policies whose texts differ get files whose names differ: the number makes sure. */
static bool write_raw_file(const struct sl_trials *t, const struct sl_compare_options *o,
			   const struct sl_compare_sets *sets, int p, GError **error)
{
	char *base = g_strdup(sets->sample[p].name), *name, *path;
	struct sl_out *out;

	for (char *c = base; *c; c++)
		if (reserved(*c))
			*c = '_';
	name = g_strdup_printf("%d-%s.txt", p + 1, base);
	path = g_build_filename(o->raw, name, NULL);
	out = sl_out_open(path, error);
	if (out) {
		sl_out_printf(out,
			      "# schedlab " SL_VERSION ": %s\n# %s of %s, seeds from "
			      "%" G_GUINT64_FORMAT "\n",
			      t->cli->command_line, sl_metric_defs[o->which].name,
			      sets->sample[p].name, (guint64)(t->setup->seed + o->dropped));
		for (size_t i = 0; i < sets->sample[p].n; i++)
			sl_out_printf(out, "%.17g\n", sets->sample[p].v[i]);
	}
	g_free(path);
	g_free(name);
	g_free(base);
	return out && close_file(t, out, error);
}

/* The folder o->raw itself is made when there is none; that its parent is missing is more often a
 * slip of the pen than a wish. */
static bool make_raw_folder(const struct sl_compare_options *o, GError **error)
{
	if (g_mkdir(o->raw, 0777) == 0 || g_file_test(o->raw, G_FILE_TEST_IS_DIR))
		return true;
	g_set_error(error, SL_CLI_ERROR, 0, "--raw %s: cannot make this folder: %s", o->raw,
		    g_strerror(errno));
	return false;
}

/* Opens and forgets: a path that cannot be written is better known before the runs than after. */
static bool try_file(const char *path, GError **error)
{
	struct sl_out *out = sl_out_in_place(path) ? NULL : sl_out_open(path, error);
	bool good = out || sl_out_in_place(path);

	sl_out_abandon(out);
	return good;
}

bool sl_compare_prepare(const struct sl_compare_options *o, GError **error)
{
	return (!o->raw || make_raw_folder(o, error)) && (!o->plot || try_file(o->plot, error));
}

bool sl_compare_write_raw(const struct sl_trials *t, const struct sl_compare_options *o,
			  const struct sl_compare_sets *sets, GError **error)
{
	for (int p = 0; p < sets->n; p++)
		if (!write_raw_file(t, o, sets, p, error))
			return false;
	return true;
}
