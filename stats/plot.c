/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a plot is a table of counts, count[set][column]; every value of a
 * set is in exactly one of its columns, and rows are made from the counts when printed, so a
 * plot of any height costs the memory of one row. */
#include "stats/plot.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <glib.h>

struct plot {
	double min, max;
	double left, step; /* value at the left edge of column 0, range of a column */
	size_t width, sets;
	size_t stride; /* width, but at least 1: with no width a set still has one pile */
	size_t *count; /* [set * stride + column] */
};

/* The original starts its extremes at -+1e99, so that range has to include those values. */
#define ORIGINAL_EXTREME 1e99

static void include(struct plot *p, double x)
{
	if (x < p->min)
		p->min = x;
	if (x > p->max)
		p->max = x;
}

static void set_range(struct plot *p, const struct sl_summary *sums, bool original)
{
	p->min = original ? ORIGINAL_EXTREME : DBL_MAX;
	p->max = original ? -ORIGINAL_EXTREME : -DBL_MAX;
	for (size_t i = 0; i < p->sets; i++) {
		include(p, sums[i].avg - sums[i].stddev);
		include(p, sums[i].avg + sums[i].stddev);
		include(p, sums[i].min);
		include(p, sums[i].max);
	}
	p->step = (p->max - p->min) / ((double)p->width - 1.0);
	p->left = p->min - 0.5 * p->step;
}

static size_t column(const struct plot *p, double x)
{
	double at = (x - p->left) / p->step;

	if (!(at >= 1.0))
		return 0;
	return at >= (double)p->stride ? p->stride - 1 : (size_t)at;
}

static void count_points(struct plot *p, const struct sl_sample *sets)
{
	for (size_t i = 0; i < p->sets; i++)
		for (size_t k = 0; k < sets[i].n; k++)
			p->count[i * p->stride + column(p, sets[i].v[k])]++;
}

static size_t height_of(const struct plot *p, size_t set)
{
	size_t height = 0;

	for (size_t c = 0; c < p->stride; c++)
		height = MAX(height, p->count[set * p->stride + c]);
	return height;
}

/* What the original loses: it grows or shrinks the plot to the height of each
 * set in turn, so a set keeps no more rows than any later one has. */
static void lose_points(struct plot *p)
{
	size_t limit = SIZE_MAX;

	for (size_t i = p->sets; i-- > 0;) {
		size_t height = height_of(p, i);

		for (size_t c = 0; c < p->stride; c++)
			p->count[i * p->stride + c] = MIN(p->count[i * p->stride + c], limit);
		limit = MIN(limit, height);
	}
}

static void print_border(FILE *out, char *line, size_t width)
{
	memset(line + 1, '-', width);
	line[0] = line[width + 1] = '+';
	fwrite(line, 1, width + 3, out);
	line[0] = line[width + 1] = '|';
}

/* The sign for a mask-like sum of sets: `or` of their numbers, how many they are. */
static char glyph(const struct plot *p, unsigned or, unsigned sets, bool original)
{
	if (!original && sets > 1 && p->sets > 2)
		return SL_OVERLAP;
	return SL_SYMBOLS[or];
}

/* The cells of the row that only counts above `row` reach. */
static void fill_row(const struct plot *p, char *cells, size_t row, bool original)
{
	for (size_t c = 0; c < p->width; c++) {
		unsigned or = 0, sets = 0;

		for (unsigned i = 0; i < p->sets; i++) {
			if (p->count[i * p->stride + c] > row) {
				or |= i + 1;
				sets++;
			}
		}
		cells[c] = glyph(p, or, sets, original);
	}
}

/* Rows differ only where a pile ends: a row is made once for all its equals. */
static void print_points(FILE *out, const struct plot *p, char *line, size_t height, bool original)
{
	while (height > 0) {
		size_t below = 0; /* the highest pile that does not reach the row */

		for (size_t k = 0; k < p->sets * p->stride; k++)
			if (p->count[k] < height)
				below = MAX(below, p->count[k]);
		fill_row(p, line + 1, height - 1, original);
		for (; height > below; height--)
			fwrite(line, 1, p->width + 3, out);
	}
}

/* Adds the bar of one set to a line of blanks and earlier bars. */
static void add_bar(const struct plot *p, const struct sl_summary *s, char *cells)
{
	if (p->width == 0)
		return;
	if (!isnan(s->stddev)) {
		size_t left = column(p, s->avg - s->stddev), right = column(p, s->avg + s->stddev);

		for (size_t c = left + 1; c < right; c++)
			if (cells[c] == ' ')
				cells[c] = '_';
		cells[left] = cells[right] = '|';
	}
	cells[column(p, s->median)] = 'M';
	cells[column(p, s->avg)] = 'A';
}

static void print_bars(FILE *out, const struct plot *p, const struct sl_summary *sums, char *line,
		       bool separate)
{
	memset(line + 1, ' ', p->width);
	for (size_t i = 0; i < p->sets; i++) {
		add_bar(p, &sums[i], line + 1);
		if (!separate && i + 1 < p->sets)
			continue;
		fwrite(line, 1, p->width + 3, out);
		memset(line + 1, ' ', p->width);
	}
}

static bool all_finite(const struct sl_summary *sums, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(sums[i].min) || !isfinite(sums[i].max) || !isfinite(sums[i].avg))
			return false;
	return true;
}

void sl_plot(FILE *out, const struct sl_sample *sets, const struct sl_summary *sums, int n,
	     const struct sl_plot_options *opt)
{
	struct plot p = { .width = (size_t)opt->width, .sets = (size_t)n };
	size_t height = 0;
	char *line;
	bool finite;

	p.stride = MAX(p.width, 1);
	set_range(&p, sums, opt->original);
	finite = isfinite(p.max - p.min) && all_finite(sums, p.sets);
	/* The original looks at the width alone, and where that is not 0 ends by a signal. */
	if (p.min == p.max && (finite || opt->original)) {
		fputs("[no plot, span is zero width]\n", out);
		return;
	}
	if (!finite) {
		fputs("[no plot, span is not finite]\n", out);
		return;
	}
	p.count = g_new0(size_t, p.sets * p.stride);
	line = g_malloc(p.width + 3);
	line[p.width + 2] = '\n';
	count_points(&p, sets);
	if (opt->original)
		lose_points(&p);
	for (size_t i = 0; i < p.sets; i++)
		height = MAX(height, height_of(&p, i));
	print_border(out, line, p.width);
	print_points(out, &p, line, height, opt->original);
	print_bars(out, &p, sums, line, opt->separate_bars);
	print_border(out, line, p.width);
	g_free(line);
	g_free(p.count);
}
