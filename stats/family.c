/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: results are in the order of the input, whatever order the work takes. */
#include "stats/family.h"

#include <math.h>
#include <stdlib.h>

#include <glib.h>

struct cell {
	double p;
	size_t at;
};

static int by_p(const void *pa, const void *pb)
{
	const struct cell *a = pa, *b = pb;

	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

void sl_holm(const double *p, size_t n, double *adjusted)
{
	struct cell *cells = g_new(struct cell, n + 1);
	size_t tests = 0;
	double least = 0.0;

	for (size_t i = 0; i < n; i++) {
		adjusted[i] = p[i];
		if (!isnan(p[i]))
			cells[tests++] = (struct cell){ p[i], i };
	}
	qsort(cells, tests, sizeof(*cells), by_p);
	for (size_t k = 0; k < tests; k++) {
		least = fmax(least, fmin(1.0, cells[k].p * (double)(tests - k)));
		adjusted[cells[k].at] = least;
	}
	g_free(cells);
}

double sl_family_level(double level, size_t n)
{
	return n > 1 ? 1.0 - (1.0 - level) / (double)n : level;
}

struct sl_geomean sl_geomean_ratio(const double *a, const double *b, size_t n)
{
	struct sl_geomean r = { .ratio = NAN };
	double sum = 0.0;

	for (size_t i = 0; i < n; i++) {
		if (!(a[i] > 0.0 && b[i] > 0.0 && isfinite(a[i]) && isfinite(b[i]))) {
			r.left_out++;
			continue;
		}
		sum += log(b[i] / a[i]);
		r.used++;
	}
	if (r.used > 0)
		r.ratio = exp(sum / (double)r.used);
	return r;
}
