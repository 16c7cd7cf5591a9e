/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The data files inside the program. */
#ifndef SL_TOPO_EMBEDDED_H
#define SL_TOPO_EMBEDDED_H

#include "topologies/input.h"

/* Content of data/<name><suffix>, NULL when there is none. Free with g_bytes_unref(). */
GBytes *sl_embedded(const char *name, const char *suffix);

/* Names (without suffix) of all data files with a suffix, ascending; NULL-terminated,
 * free with g_strfreev(). */
char **sl_embedded_names(const char *suffix);

#endif
