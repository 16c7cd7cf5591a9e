/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A topology as text: for people, and as FreeBSD's topology_spec. */
#ifndef SL_TOPO_DRAW_H
#define SL_TOPO_DRAW_H

#include <glib.h>

#include "sim/core/topo.h"

/* The name of a rule as `show topology` prints it, e.g. "11.x, cache tree". */
const char *sl_cg_rule_name(enum sl_cg_rule rule);

/* `show topology`: the hardware (packages, caches, cores, threads), then the groups
 * that the scheduler sees under a rule, one line per group with level, flags, number
 * and list of CPUs. Ends in a newline. Free with g_free(). */
char *sl_topo_draw(const struct sl_topo *t, enum sl_cg_rule rule);

/* kern.sched.topology_spec of a kernel of that rule, byte for byte in the kernel's
 * layout. mask_words: 64-bit words per mask, 4 up to FreeBSD 13, 16 from 14 on; 0: 16.
 * More are written when the machine needs them. Free with g_free(). */
char *sl_topo_to_xml(const struct sl_topo *t, enum sl_cg_rule rule, uint32_t mask_words);

#endif
