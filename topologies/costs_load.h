/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost overlays: what a machine charges for switches, interrupts, cold caches and busy
 * siblings, as key files (.costs). Every value of an embedded overlay has its source
 * in the comment above it. Nothing in an overlay can depend on a policy.
 *
 *   [costs]
 *   name=, summary=        text
 *   base=NAME              start from an embedded overlay instead of from zero
 *   switch_ns=1900         whole numbers, in the unit of the key
 *   smt_permille=625       speed with 1;2;... siblings busy, the last one repeats
 *   refill_l3=65           ns per KiB of footprint; _core _l2 _l3 _package _node
 *                          _remote: nearest thing shared with the last CPU */
#ifndef SL_COSTS_LOAD_H
#define SL_COSTS_LOAD_H

#include <glib.h>

#include "sim/core/sim.h"

/* An embedded overlay by name ("none" is the ideal machine), else a file ("-": standard
 * input). NULL with error in domain SL_TOPO_ERROR. Free with sl_costs_free(). */
struct sl_costs *sl_costs_load(const char *name_or_file, GError **error);

/* The content of a file; name is for messages. */
struct sl_costs *sl_costs_parse(const char *name, const char *text, size_t len, GError **error);

void sl_costs_free(struct sl_costs *c); /* NULL is fine */

/* Embedded overlays, ascending: an array of struct sl_named * (topologies/input.h), to
 * be freed by g_ptr_array_unref(). */
GPtrArray *sl_costs_list(void);

/* The text of `list costs`: overlays, then every key with its unit, meaning, and the
 * value and source in the default overlay. Free with g_free(). */
char *sl_costs_table(void);

#endif
