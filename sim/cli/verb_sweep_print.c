/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables as text, Markdown, CSV and JSON; ministat's blocks.
 * Invariant: numbers are formatted without regard to the locale. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/verb_sweep_curve.h"
#include "sim/cli/verb_sweep_report.h"
#include "stats/ministat.h"

static const struct sl_sweep_tcell *cell_at(const struct sl_sweep_table *t, guint i)
{
	return &g_array_index(t->cell, struct sl_sweep_tcell, i);
}

/* --- Text and Markdown --------------------------------------------------------------------- */

/* What stands in a row for one policy. */
static char *cell_text(const struct sl_sweep_tcell *c)
{
	double percent = 100 / fabs(c->sum.avg - c->diff);
	GString *text = g_string_new(NULL);

	if (c->n == 0)
		return g_string_free(g_string_append(text, "-"), FALSE);
	g_string_append_printf(text, "%.6g", c->sum.avg);
	if (c->n > 1)
		g_string_append_printf(text, " (s %.2g)", c->sum.stddev);
	if (c->compared && c->identical)
		g_string_append(text, " identical");
	else if (c->compared && isfinite(percent))
		g_string_append_printf(text, " %+.2f%% [%+.2f, %+.2f] %s", c->diff * percent,
				       c->low * percent, c->high * percent,
				       sl_sweep_table_verdict(c));
	else if (c->compared)
		g_string_append_printf(text, " %+.4g [%+.4g, %+.4g] %s", c->diff, c->low, c->high,
				       sl_sweep_table_verdict(c));
	if (!c->whole)
		g_string_append_printf(text, " n=%u", (unsigned)c->n);
	return g_string_free(text, FALSE);
}

struct grid {
	GPtrArray *row; /* of GPtrArray * of char * */
	size_t width[64];
};

static void free_row(gpointer row)
{
	g_ptr_array_unref(row);
}

static void add_text(struct grid *g, char *text)
{
	GPtrArray *row = g->row->pdata[g->row->len - 1];
	guint column = row->len;

	g_ptr_array_add(row, text);
	if (column < SL_ARRAY_LEN(g->width))
		g->width[column] = MAX(g->width[column], strlen(text));
}

static void add_row(struct grid *g)
{
	g_ptr_array_add(g->row, g_ptr_array_new_with_free_func(g_free));
}

static void print_grid(const struct grid *g, bool markdown)
{
	for (guint i = 0; i < g->row->len; i++) {
		const GPtrArray *row = g->row->pdata[i];

		fputs(markdown ? "|" : "", stdout);
		for (guint k = 0; k < row->len; k++) {
			const char *text = row->pdata[k];
			size_t width = k < SL_ARRAY_LEN(g->width) ? g->width[k] : strlen(text);
			bool last = k + 1 == row->len;

			if (markdown)
				printf(" %s |", text);
			else
				printf("%-*s%s", last ? 0 : (int)width, text, last ? "" : "  ");
		}
		putchar('\n');
		if (markdown && i == 0) {
			putchar('|');
			for (guint k = 0; k < row->len; k++)
				fputs(" --- |", stdout);
			putchar('\n');
		}
	}
}

/* The last row of the block of cells `from` .. `end` - 1. */
static void add_geomeans(struct grid *g, const struct sl_sweep_table *t, guint from, guint end)
{
	guint columns = sl_sweep_table_group_end(t, from) - from;

	add_row(g);
	add_text(g, g_strdup("geometric mean of ratios"));
	add_text(g, g_strdup("1"));
	for (guint k = 1; k < columns; k++) {
		struct sl_geomean mean = sl_sweep_table_geomean(t, from, end, k);

		add_text(g, sl_sweep_geomean_text(&mean));
	}
}

/* The block's rows: cells from *i on; *i moves to the next block. */
static void print_block(const struct sl_sweep_table *t, guint *i, bool markdown)
{
	const struct sl_sweep_tblock *b = t->block->pdata[cell_at(t, *i)->block];
	const struct sl_metric_def *m = &sl_metric_defs[t->metric];
	uint32_t block = cell_at(t, *i)->block;
	struct grid g = { .row = g_ptr_array_new_with_free_func(free_row) };
	const guint from = *i;

	add_row(&g);
	add_text(&g, g_strdup("cell"));
	for (guint k = *i, end = sl_sweep_table_group_end(t, *i); k < end; k++)
		add_text(&g, g_strdup(cell_at(t, k)->policy));
	while (*i < t->cell->len && cell_at(t, *i)->block == block) {
		guint end = sl_sweep_table_group_end(t, *i);

		add_row(&g);
		add_text(&g, sl_sweep_table_label(cell_at(t, *i)));
		for (; *i < end; (*i)++)
			add_text(&g, cell_text(cell_at(t, *i)));
	}
	if (sl_sweep_table_has_geomean(t, from, *i))
		add_geomeans(&g, t, from, *i);
	printf("%s%s: %s%s%s, %s is better; first %u run%s of each left out\n%s",
	       markdown ? "### " : "", b->name, m->name, *m->unit ? " in " : "", m->unit,
	       m->larger_is_better ? "larger" : "smaller", b->discard, b->discard == 1 ? "" : "s",
	       markdown ? "\n" : "");
	print_grid(&g, markdown);
	putchar('\n');
	g_ptr_array_unref(g.row);
}

static bool wanted(const struct sl_sweep_table *t, guint i)
{
	return cell_at(t, i)->v != NULL;
}

void sl_sweep_print_text(const struct sl_sweep_table *t, bool markdown)
{
	guint i = 0;

	while (i < t->cell->len) {
		if (wanted(t, i))
			print_block(t, &i, markdown);
		else
			i++;
	}
}

/* --- CSV, JSON ----------------------------------------------------------------------------- */

static void print_field(const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

/* A number, or nothing (JSON: null) when there is none. */
static void add_number(GString *to, double value, const char *none)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append(to, isfinite(value) ? g_ascii_formatd(text, sizeof(text), "%.17g", value)
					    : none);
}

static void print_number(double value, const char *none)
{
	GString *text = g_string_new(NULL);

	add_number(text, value, none);
	fputs(text->str, stdout);
	g_string_free(text, TRUE);
}

static const char *const number_names[] = {
	"mean", "stddev", "median", "min", "max", "diff", "low", "high", "p", "p_holm",
};
#define NUMBERS SL_ARRAY_LEN(number_names)

static void numbers_of(const struct sl_sweep_tcell *c, double number[NUMBERS])
{
	const double all[NUMBERS] = {
		c->sum.avg,
		c->sum.stddev,
		c->sum.median,
		c->sum.min,
		c->sum.max,
		c->compared ? c->diff : NAN,
		c->compared ? c->low : NAN,
		c->compared ? c->high : NAN,
		c->compared ? c->p : NAN,
		c->compared ? c->p_holm : NAN,
	};

	for (size_t i = 0; i < NUMBERS; i++)
		number[i] = c->n ? all[i] : NAN;
}

/* Texts of a cell, in the order of text_names. */
static const char *const text_names[] = {
	"block", "hash",   "topology", "costs", "cpuset",  "workload",
	"param", "policy", "metric",   "unit",	"verdict",
};
#define TEXTS SL_ARRAY_LEN(text_names)

static void texts_of(const struct sl_sweep_table *t, const struct sl_sweep_tcell *c,
		     const char *text[TEXTS])
{
	const struct sl_sweep_tblock *b = t->block->pdata[c->block];
	const struct sl_metric_def *m = &sl_metric_defs[t->metric];
	const char *const all[TEXTS] = {
		b->name,
		c->hash,
		c->topology,
		c->costs,
		c->cpuset,
		c->workload,
		c->param,
		c->policy,
		m->name,
		m->unit,
		sl_sweep_table_verdict(c),
	};

	memcpy(text, all, sizeof(all));
}

void sl_sweep_print_csv(const struct sl_sweep_table *t, bool heading)
{
	const char *text[TEXTS];
	double number[NUMBERS];

	if (heading) {
		fputs("schema,", stdout);
		for (size_t k = 0; k < TEXTS; k++)
			printf("%s,", text_names[k]);
		fputs("runs,n", stdout);
		for (size_t k = 0; k < NUMBERS; k++)
			printf(",%s", number_names[k]);
		putchar('\n');
	}
	for (guint i = 0; i < t->cell->len; i++) {
		const struct sl_sweep_tcell *c = cell_at(t, i);

		if (!wanted(t, i))
			continue;
		texts_of(t, c, text);
		numbers_of(c, number);
		fputs(SL_SWEEP_REPORT_SCHEMA ",", stdout);
		for (size_t k = 0; k < TEXTS; k++) {
			print_field(text[k]);
			putchar(',');
		}
		printf("%u,%u", c->runs, (unsigned)c->n);
		for (size_t k = 0; k < NUMBERS; k++) {
			putchar(',');
			print_number(number[k], "");
		}
		putchar('\n');
	}
}

static void add_string(GString *to, const char *text)
{
	g_string_append_c(to, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			g_string_append_printf(to, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			g_string_append_printf(to, "\\u%04x", c);
		else
			g_string_append_c(to, (char)c);
	}
	g_string_append_c(to, '"');
}

static void add_pair(GString *to, const char *key, const char *value, const char *before)
{
	g_string_append_printf(to, "%s\"%s\": ", before, key);
	add_string(to, value);
}

static void print_pair(const char *key, const char *value, const char *before)
{
	GString *text = g_string_new(NULL);

	add_pair(text, key, value, before);
	fputs(text->str, stdout);
	g_string_free(text, TRUE);
}

void sl_sweep_print_json(const struct sl_sweep_table *t, bool first)
{
	const char *text[TEXTS];
	double number[NUMBERS];

	for (guint i = 0; i < t->cell->len; i++) {
		const struct sl_sweep_tcell *c = cell_at(t, i);

		if (!wanted(t, i))
			continue;
		texts_of(t, c, text);
		numbers_of(c, number);
		fputs(first ? "\n    {" : ",\n    {", stdout);
		first = false;
		for (size_t k = 0; k < TEXTS; k++)
			print_pair(text_names[k], text[k], k ? ", " : "");
		printf(", \"runs\": %u, \"n\": %u, \"paired\": %s", c->runs, (unsigned)c->n,
		       c->paired ? "true" : "false");
		for (size_t k = 0; k < NUMBERS; k++) {
			printf(", \"%s\": ", number_names[k]);
			print_number(number[k], "null");
		}
		fputs(", \"values\": [", stdout);
		for (size_t k = 0; k < c->n; k++) {
			fputs(k ? ", " : "", stdout);
			print_number(c->v[k], "null");
		}
		fputs("]}", stdout);
	}
}

void sl_sweep_json_geomeans(const struct sl_sweep_table *t, GString *to)
{
	for (guint i = 0, end; i < t->cell->len; i = end) {
		const struct sl_sweep_tblock *b = t->block->pdata[cell_at(t, i)->block];
		guint columns = sl_sweep_table_group_end(t, i) - i;

		end = sl_sweep_block_end(t, i);
		if (!wanted(t, i) || !sl_sweep_table_has_geomean(t, i, end))
			continue;
		for (guint k = 1; k < columns; k++) {
			struct sl_geomean mean = sl_sweep_table_geomean(t, i, end, k);

			g_string_append(to, to->len ? ",\n    {" : "\n    {");
			add_pair(to, "block", b->name, "");
			add_pair(to, "metric", sl_metric_defs[t->metric].name, ", ");
			add_pair(to, "reference", cell_at(t, i)->policy, ", ");
			add_pair(to, "policy", cell_at(t, i + k)->policy, ", ");
			g_string_append(to, ", \"ratio\": ");
			add_number(to, mean.ratio, "null");
			g_string_append_printf(to, ", \"used\": %zu, \"left_out\": %zu}", mean.used,
					       mean.left_out);
		}
	}
}

/* --- ministat ------------------------------------------------------------------------------ */

void sl_sweep_print_ministat(const struct sl_sweep_table *t)
{
	const struct sl_ministat_options look = { .level = SL_LEVEL_95, .width = SL_PLOT_WIDTH };

	for (guint i = 0; i < t->cell->len; i = sl_sweep_table_group_end(t, i)) {
		guint end = MIN(sl_sweep_table_group_end(t, i), i + SL_MAX_SETS);
		struct sl_sample sample[SL_MAX_SETS];
		char *label = sl_sweep_table_label(cell_at(t, i));
		int n = 0;

		for (guint k = i; k < end && wanted(t, i); k++)
			if (cell_at(t, k)->n >= 3)
				sample[n++] =
					(struct sl_sample){ cell_at(t, k)->policy, cell_at(t, k)->v,
							    cell_at(t, k)->n };
		if (n) {
			printf("# %s, %s\n", label, sl_metric_defs[t->metric].name);
			sl_ministat_print(stdout, sample, n, &look);
			putchar('\n');
		}
		g_free(label);
	}
}
