/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lists in sweep files. "a; b{1,2}c; {2..8}" stands for a, b1c, b2c, 2, 3 ... 8. */
#ifndef SL_EXPAND_H
#define SL_EXPAND_H

#include <glib.h>

#include "sim/base/base.h"

struct sl_expand_fault {
	size_t offset; /* byte in the text */
	char why[120]; /* what, and what was expected */
};

/* Items are separated by ';', with `commas` also by ','. Then a..b and a..b..step are ranges of
 * whole numbers; without, they are ranges within braces only, and {x,y} stands for each.
 * Returns an array of char * that frees its items, or NULL with *fault: an
 * empty item, a range that is none, more than `most` items, braces that do not pair,
 * or the same item twice. */
GPtrArray *sl_expand_list(const char *text, bool commas, size_t most,
			  struct sl_expand_fault *fault);

#endif
