/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: the answer depends on the words and their order only, and work per
 * name is bounded by MOST^2 steps. */
#include "sim/base/nearest.h"

#include <string.h>

#define MOST 63 /* longest word compared */

static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Edits from a to b, swaps of neighbours included (optimal string alignment:
 * Damerau 1964 without overlapping swaps). */
static uint32_t distance(const char *a, uint32_t na, const char *b, uint32_t nb)
{
	uint32_t row[3][MOST + 1];

	for (uint32_t j = 0; j <= nb; j++)
		row[0][j] = j;
	for (uint32_t i = 1; i <= na; i++) {
		uint32_t *now = row[i % 3];
		const uint32_t *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];

		now[0] = i;
		for (uint32_t j = 1; j <= nb; j++) {
			unsigned char x = lower(a[i - 1]), y = lower(b[j - 1]);

			now[j] = least(least(now[j - 1], up[j]) + 1, up[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
				now[j] = least(now[j], up2[j - 2] + 1);
		}
	}
	return row[na % 3][nb];
}

static bool starts(const char *name, const char *word, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (lower(name[i]) != lower(word[i]))
			return false;
	return true;
}

const char *sl_nearest(const char *word, const char *const *names, size_t n)
{
	size_t length = strlen(word);
	const char *best = NULL, *longer = NULL;
	uint32_t limit;

	if (length == 0 || length > MOST)
		return NULL;
	limit = length < 6 ? 1 : (uint32_t)length / 3;
	for (size_t i = 0; i < n; i++) {
		size_t other = names[i] != NULL ? strlen(names[i]) : 0;
		uint32_t d;

		if (other == 0 || other > MOST)
			continue;
		if (longer == NULL && length >= 3 && other > length &&
		    starts(names[i], word, (uint32_t)length))
			longer = names[i];
		d = distance(word, (uint32_t)length, names[i], (uint32_t)other);
		if (best == NULL ? d <= limit : d < limit) {
			best = names[i];
			limit = d;
		}
	}
	return best != NULL ? best : longer;
}
