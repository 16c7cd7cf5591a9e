/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Quantities of the workload language: numbers and times, exact to 1e-9 of a unit,
 * and arithmetic over them with parameters ($name). A time and a number never mix
 * by accident: 10ms + 1 is an error, 10ms * 3 a time, 10ms / 1ms a number. */
#ifndef SL_WORKLOAD_EXPR_H
#define SL_WORKLOAD_EXPR_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 sl_i128;

#define SL_QUANTITY_ONE ((sl_i128)1000000000)

struct sl_quantity {
	sl_i128 v; /* number * 1e9, or nanoseconds * 1e9 */
	bool is_time;
};

/* Variables in sight, innermost first. The creator owns the memory. */
struct sl_scope {
	const struct sl_scope *outer;
	const char *name;
	struct sl_quantity value;
};

const struct sl_scope *sl_scope_find(const struct sl_scope *scope, const char *name, size_t len);

/* Evaluates text: literals (3, 0.5, 10ms; units ns us ms s min h), $name, + - * / %,
 * comparisons (1 or 0), parentheses, min max floor ceil round if(c, a, b)
 * pick(i, v0, v1, ...). On failure
 * false and a sentence in *why (g_free). */
bool sl_expr_eval(const struct sl_scope *scope, const char *text, struct sl_quantity *out,
		  char **why);

/* Replaces $name and ${expression} in a name by their integer values. NULL and *why on
 * failure. */
char *sl_expr_expand(const struct sl_scope *scope, const char *text, char **why);

/* The quantity in words a file could hold: "10ms", "0.25". Appends to out. */
void sl_quantity_print(const struct sl_quantity *q, GString *out);

/* Nanoseconds in the shortest exact spelling: "10ms", "1500us", "3ns". */
void sl_time_print(uint64_t ns, GString *out);

#endif
