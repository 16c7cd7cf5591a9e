/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Topologies by any of their spellings (schedlab-topology(5)):
 *   1x6x2                       packages x cores x threads
 *   pkg:1 l3:4 core:3 smt:2     named levels, widest first; hwloc's synthetic form
 *   flat:4                      CPUs, nothing known of caches
 *   up                          one CPU, uniprocessor kernel
 *   e5-2420                     a named machine, see sl_topo_list()
 *   host                        this computer
 *   FILE, -                     FreeBSD topology_spec, hwloc XML, lscpu -p, .topo
 * Bad input is refused with "where:line:col: what; what was expected" in domain
 * SL_TOPO_ERROR (topologies/input.h). */
#ifndef SL_TOPO_LOAD_H
#define SL_TOPO_LOAD_H

#include <glib.h>

#include "sim/core/topo.h"

/* A frozen topology to be freed by sl_topo_free(), or NULL with error set. A spelling
 * wins over a file of the same name; write ./1x6x2 for the file. */
struct sl_topo *sl_topo_load(const char *spec, GError **error);

/* The content of a file; name is for messages and becomes the topology's name unless
 * the content has one (its last part, for a path). */
struct sl_topo *sl_topo_parse(const char *name, const char *text, size_t len, GError **error);

/* A spelling that needs no file: PxCxT, words, flat:N, up. */
struct sl_topo *sl_topo_spell(const char *spec, GError **error);

void sl_topo_free(struct sl_topo *t); /* NULL is fine */

/* Name of the cost overlay meant for a topology loaded here; "default" when its source
 * names none. Lives as long as t. */
const char *sl_topo_costs(const struct sl_topo *t);

/* Named machines, ascending: an array of struct sl_named * (topologies/input.h), to be
 * freed by g_ptr_array_unref(). */
GPtrArray *sl_topo_list(void);

#endif
