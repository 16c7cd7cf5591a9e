/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab sweep report: chooses sweep, cells, metrics and form.
 * Invariant: one pass over the table per metric; every form sees the same comparisons. */
#include "sim/cli/verb_sweep_report.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/gnuplot.h"
#include "sim/cli/out.h"

struct report_options {
	char *metric, *only, *sweep, *plots, *html;
	char **policies;
	gboolean csv, json, markdown, ministat, runs;
};

struct report {
	const struct sl_cli *cli;
	const struct report_options *o;
	struct sl_store *store;
	struct sl_sweep_table table;
	GString *page;
	GString *geomeans; /* --json: gathered beside the cells */
	bool began;	   /* something was printed */
	uint64_t missing;  /* samples that are not whole */
};

static void clear_options(struct report_options *o)
{
	char *texts[] = { o->metric, o->only, o->sweep, o->plots, o->html };

	for (size_t i = 0; i < SL_ARRAY_LEN(texts); i++)
		g_free(texts[i]);
	g_strfreev(o->policies);
}

/* The sweep asked for, or the only one in the file; NULL with an error. */
static char *choose_sweep(struct sl_store *store, const char *asked, GError **error)
{
	char **names = sl_store_sweeps(store, error), *all, *one = NULL;

	if (!names)
		return NULL;
	if (asked)
		one = g_strdup(asked);
	else if (g_strv_length(names) == 1)
		one = g_strdup(names[0]);
	else {
		all = g_strjoinv(", ", names);
		g_set_error(error, SL_CLI_ERROR, 0,
			    "%s: holds %u sweeps%s%s; choose one with --sweep",
			    sl_store_path(store), g_strv_length(names), *all ? ": " : "", all);
		g_free(all);
	}
	g_strfreev(names);
	return one;
}

/* --- Raw rows ------------------------------------------------------------------------------ */

struct raw {
	const struct sl_sweep_tcell *cell;
	struct sl_out *out;
};

static bool print_run(const struct sl_store_run *run, void *ctx)
{
	const struct raw *r = ctx;
	const struct sl_sweep_tcell *c = r->cell;
	const char *const text[] = { c->hash,	  c->topology, c->costs,    c->cpuset,
				     c->workload, c->policy,   run->outcome };

	if (run->run >= c->runs)
		return false;
	for (size_t i = 0; i < SL_ARRAY_LEN(text); i++) {
		sl_out_field(r->out, text[i]);
		sl_out_char(r->out, ',');
	}
	sl_out_printf(r->out, "%u,%" G_GUINT64_FORMAT ",%016" G_GINT64_MODIFIER "x", run->run,
		      (guint64)run->seed, (guint64)run->digest);
	for (int i = 0; i < SL_METRIC_DEFS; i++) {
		char number[G_ASCII_DTOSTR_BUF_SIZE];

		sl_out_char(r->out, ',');
		sl_out_text(r->out,
			    g_ascii_formatd(number, sizeof(number), "%.17g", run->value[i]));
	}
	sl_out_char(r->out, '\n');
	return true;
}

/* Every row of every cell, as CSV. */
static bool print_runs(struct report *r, GError **error)
{
	struct raw raw = { .out = sl_out_open("-", error) };
	bool ok = true;

	if (!raw.out)
		return false;
	sl_out_text(raw.out, "hash,topology,costs,cpuset,workload,policy,outcome,run,seed,digest");
	for (int i = 0; i < SL_METRIC_DEFS; i++)
		sl_out_printf(raw.out, ",%s", sl_metric_defs[i].name);
	sl_out_char(raw.out, '\n');
	for (guint i = 0; i < r->table.cell->len && ok; i++) {
		raw.cell = &g_array_index(r->table.cell, struct sl_sweep_tcell, i);
		ok = sl_store_each_run(r->store, raw.cell->id, 0, print_run, &raw, error);
	}
	return sl_out_close(raw.out, ok ? error : NULL) && ok;
}

/* --- Metrics ------------------------------------------------------------------------------- */

static void print_metric(struct report *r)
{
	const struct report_options *o = r->o;

	if (o->csv) {
		sl_sweep_print_csv(&r->table, !r->began);
	} else if (o->json) {
		sl_sweep_print_json(&r->table, !r->began);
		sl_sweep_json_geomeans(&r->table, r->geomeans);
	} else if (o->ministat) {
		sl_sweep_print_ministat(&r->table);
	} else {
		sl_sweep_print_text(&r->table, o->markdown);
	}
	r->began = true;
}

static bool do_metric(struct report *r, int metric, GError **error)
{
	if (!sl_sweep_table_fill(&r->table, r->store, metric, r->o->metric != NULL, error))
		return false;
	for (guint i = 0; i < r->table.cell->len; i++) {
		const struct sl_sweep_tcell *c =
			&g_array_index(r->table.cell, struct sl_sweep_tcell, i);

		r->missing += c->v && !c->whole;
	}
	if (r->o->plots && !sl_sweep_write_plots(r->cli, &r->table, r->o->plots, error))
		return false;
	if (r->page)
		sl_sweep_add_html(&r->table, r->page);
	if (!r->o->plots && !r->page)
		print_metric(r);
	return true;
}

static bool do_metrics(struct report *r, GError **error)
{
	for (int m = 0; m < SL_METRIC_DEFS; m++) {
		bool wanted = false;

		for (guint b = 0; b < r->table.block->len && !r->o->metric; b++)
			wanted |= sl_sweep_table_wants(r->table.block->pdata[b], m);
		if (r->o->metric)
			wanted = sl_metric_find(r->o->metric) == m;
		if (wanted && !do_metric(r, m, error))
			return false;
	}
	return true;
}

static void print_head(const struct report *r)
{
	const char *mark = r->o->markdown ? "" : "# ";

	if (r->o->json) {
		printf("{\n  \"schema\": \"" SL_SWEEP_REPORT_SCHEMA "\", \"version\": \"" SL_VERSION
		       "\",\n  \"cells\": [");
		return;
	}
	if (r->o->csv || r->o->runs || r->o->plots || r->page)
		return;
	printf("%ssweep %s\n", r->o->markdown ? "## " : mark, r->table.sweep);
	if (!r->o->ministat)
		printf("%s%sMean (standard deviation), difference to the first policy with its 95 "
		       "%% "
		       "interval;\n%sa verdict needs p < 0.05 after Holm's correction over all "
		       "comparisons of a metric.\n\n",
		       r->o->markdown ? "\n" : "", mark, mark);
}

static bool write_page(struct report *r, GError **error)
{
	struct sl_out *out = sl_out_open(r->o->html, error);

	if (!out)
		return false;
	sl_out_write(out, r->page->str, r->page->len);
	sl_out_text(out, "</main></body></html>\n");
	return sl_out_close(out, error);
}

static void begin_page(struct report *r, const char *sweep_file)
{
	char *name = g_markup_escape_text(r->table.sweep, -1);
	char *file = g_markup_escape_text(sweep_file, -1);
	char *line = g_markup_escape_text(r->cli->command_line, -1);

	r->page = g_string_new("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
			       "<meta name=\"viewport\" content=\"width=device-width, "
			       "initial-scale=1\">\n");
	g_string_append_printf(
		r->page,
		"<title>Sweep %s</title><style>\n"
		"body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1a1a1a;background:#fff}\n"
		"main{max-width:68rem;margin:auto;padding:1rem}\n"
		".wide{overflow-x:auto}table{border-collapse:collapse;margin:1rem 0}\n"
		"th,td{border:1px solid #bbb;padding:.3rem .6rem;text-align:left;"
		"vertical-align:top;font-variant-numeric:tabular-nums}\n"
		"td{white-space:nowrap}th{background:#f2f2f2}.better{background:#e3f4e3}.worse{"
		"background:#fbe5e1}\n"
		"pre{overflow-x:auto;background:#f6f6f6;padding:.6rem}\n"
		".plot{max-width:100%%;height:auto;font-size:12px}\n"
		".legend{list-style:none;margin:.3rem 0;padding:0;display:flex;"
		"flex-wrap:wrap;gap:0 1.5rem}\n"
		/* Narrow: the picture shrinks to the screen, its figures less so. */
		"@media(max-width:40rem){.plot{font-size:18px}"
		"table{font-size:.8rem}th,td{padding:.2rem .3rem}}\n"
		/* Paper cannot be scrolled or unfolded. */
		"@media print{main{max-width:none}body{font-size:10pt}.wide{overflow:visible}"
		"table{font-size:8pt}td{white-space:normal}th,td{overflow-wrap:anywhere}"
		"pre{white-space:pre-wrap;overflow-wrap:anywhere}"
		"tr,.plot,.legend{break-inside:avoid}h2,h2+p{break-after:avoid}"
		"details::details-content{content-visibility:visible;display:block}}\n"
		"</style></head><body><main>\n<h1>Sweep %s</h1>\n"
		"<p>schedlab " SL_VERSION
		"; page made by <code>%s</code>. Each cell shows the mean, "
		"the standard deviation, and the difference to the first policy with its 95 %% "
		"interval. A verdict needs p &lt; 0.05 after Holm&#8217;s correction over all "
		"comparisons of a metric.</p>\n"
		"<details><summary>The sweep file</summary><pre>%s</pre></details>\n",
		name, name, line, file);
	g_free(name);
	g_free(file);
	g_free(line);
}

static bool make(struct report *r, GError **error)
{
	char *file = NULL;
	bool ok;

	if (r->o->html) {
		if (sl_store_find_sweep(r->store, r->table.sweep, &file, error) < 0)
			return false;
		begin_page(r, file);
		g_free(file);
	}
	r->geomeans = g_string_new(NULL);
	print_head(r);
	ok = r->o->runs ? print_runs(r, error) : do_metrics(r, error);
	if (ok && r->o->plots)
		ok = sl_sweep_write_watched(r->cli, &r->table, r->store, r->o->plots, error);
	if (ok && r->page)
		ok = write_page(r, error);
	if (r->o->json)
		printf("\n  ],\n  \"geometric_means\": [%s\n  ]\n}\n", r->geomeans->str);
	g_string_free(r->geomeans, TRUE);
	if (r->page)
		g_string_free(r->page, TRUE);
	return ok;
}

static int report(const struct sl_cli *cli, const struct report_options *o, const char *path)
{
	struct report r = { .cli = cli, .o = o };
	const struct sl_sweep_choice choice = { o->policies, o->only };
	GError *error = NULL;
	char *sweep = NULL;
	int code = SL_EXIT_OK;

	r.store = sl_sweep_open(path, SL_STORE_READ, &error);
	if (!r.store || !sl_store_check(r.store, &error) ||
	    !(sweep = choose_sweep(r.store, o->sweep, &error))) {
		sl_store_close(r.store);
		return sl_sweep_fail_with(cli, error);
	}
	if (!sl_sweep_table_load(&r.table, r.store, sweep, &choice, &error) || !make(&r, &error))
		code = sl_sweep_fail_with(cli, error);
	else if (r.table.cell->len == 0)
		code = sl_cli_complain(cli, SL_EXIT_INPUT, "no cell of sweep %s was chosen", sweep);
	else if (r.missing)
		code = sl_cli_complain(cli, SL_EXIT_PARTIAL,
				       "%" G_GUINT64_FORMAT
				       " samples are not whole: runs are missing "
				       "or have failed",
				       (guint64)r.missing);
	if (code == SL_EXIT_OK && o->plots && !sl_gnuplot_is_here())
		sl_cli_note(cli, "gnuplot is not installed: %s holds scripts and their data only",
			    o->plots);
	sl_sweep_table_clear(&r.table);
	sl_store_close(r.store);
	g_free(sweep);
	return code;
}

static int check_options(const struct sl_cli *cli, const struct report_options *o)
{
	const char *names[SL_METRIC_DEFS];
	char *hint;
	int code;

	if (o->csv + o->json + o->markdown + o->ministat + o->runs > 1)
		return sl_cli_complain(cli, SL_EXIT_USAGE,
				       "one of --csv, --json, --markdown, --ministat and --runs");
	if ((o->html || o->plots) && o->csv + o->json + o->markdown + o->ministat + o->runs > 0)
		return sl_cli_complain(cli, SL_EXIT_USAGE,
				       "--html and --plots write files instead of --csv, --json, "
				       "--markdown, --ministat or --runs; expected two commands");
	if (!o->metric || sl_metric_find(o->metric) >= 0)
		return SL_EXIT_OK;
	for (int i = 0; i < SL_METRIC_DEFS; i++)
		names[i] = sl_metric_defs[i].name;
	hint = sl_cli_did_you_mean(o->metric, names, SL_METRIC_DEFS);
	code = sl_cli_complain(cli, SL_EXIT_INPUT, "unknown metric \"%s\"%s", o->metric, hint);
	g_free(hint);
	return code;
}

int sl_sweep_verb_report(const struct sl_cli *cli, int argc, char **argv)
{
	struct report_options o = { 0 };
	const GOptionEntry own[] = {
		{ "metric", 0, 0, G_OPTION_ARG_FILENAME, &o.metric,
		  "This metric (default: those of the sweep file)", "NAME" },
		{ "policy", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &o.policies,
		  "Only this policy, may be repeated; the first is the reference", "POLICY" },
		{ "only", 0, 0, G_OPTION_ARG_FILENAME, &o.only,
		  "Only cells whose name or group contains TEXT", "TEXT" },
		{ "sweep", 0, 0, G_OPTION_ARG_FILENAME, &o.sweep,
		  "This sweep, when the file holds several", "NAME" },
		{ "csv", 0, 0, G_OPTION_ARG_NONE, &o.csv, "A line per cell and metric", NULL },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &o.json, "As JSON, with all values", NULL },
		{ "markdown", 0, 0, G_OPTION_ARG_NONE, &o.markdown, "Tables in Markdown", NULL },
		{ "ministat", 0, 0, G_OPTION_ARG_NONE, &o.ministat,
		  "ministat's block for each cell (see --only and -p)", NULL },
		{ "runs", 0, 0, G_OPTION_ARG_NONE, &o.runs, "Every run with all metrics, CSV",
		  NULL },
		{ "plots", 0, 0, G_OPTION_ARG_FILENAME, &o.plots,
		  "Draw into a folder, with data and gnuplot scripts", "DIR" },
		{ "html", 0, 0, G_OPTION_ARG_FILENAME, &o.html, "Write one page with everything",
		  "FILE" },
		{ 0 },
	};
	const char *file;
	char *path;
	int code = SL_EXIT_USAGE;

	if ((file = sl_sweep_file_argument(cli, argc, argv, own)) != NULL &&
	    (code = check_options(cli, &o)) == SL_EXIT_OK) {
		path = sl_sweep_result_path(file, 1, 1);
		code = report(cli, &o, path);
		g_free(path);
	}
	clear_options(&o);
	return code;
}
