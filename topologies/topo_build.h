/* SPDX-License-Identifier: BSD-2-Clause
 *
 * From rows, one per CPU, in whatever numbering a source uses, to a checked and frozen
 * struct sl_topo. Every reader ends here, so every reader refuses the same things. */
#ifndef SL_TOPO_BUILD_H
#define SL_TOPO_BUILD_H

#include "sim/core/topo.h"
#include "topologies/input.h"

enum topo_domain { TOPO_PACKAGE, TOPO_NODE, TOPO_L3, TOPO_L2, TOPO_L1, TOPO_CORE, TOPO_DOMAINS };

#define TOPO_UNKNOWN ((int64_t)-1)

/* One CPU as the source has it. Equal domain numbers mean a shared domain. Unknown
 * package or node: the same one for all such CPUs; unknown cache: none; unknown
 * core: one of its own. */
struct topo_row {
	uint32_t cpu;	    /* the source's number */
	uint32_t line, col; /* where the source says so */
	int64_t domain[TOPO_DOMAINS];
	uint32_t speed_permille;
};

struct topo_build {
	const struct sl_input *in;
	GArray *rows; /* of struct topo_row */
	char *name, *summary;
	char *costs; /* overlay meant for this machine; NULL: default */
	bool uniprocessor, caches_unknown;
};

/* in is borrowed until topo_build_finish(). */
void topo_build_init(struct topo_build *b, const struct sl_input *in);
void topo_build_clear(struct topo_build *b);

/* Appends a row with everything unknown and nominal speed. */
struct topo_row *topo_build_add(struct topo_build *b, uint32_t cpu, uint32_t line, uint32_t col);

/* For sources that know cores but no caches: L1 and L2 private to each core. Without
 * cores either, nothing is known of caches. */
void topo_build_private_caches(struct topo_build *b);

/* Numbers CPUs 0.. in ascending order of the source's numbers (a note in the summary
 * says so when that changes them) and domains by their first CPU; refuses no CPU, more
 * than SL_TOPO_MAX_CPUS, a CPU listed twice, domains that do not nest, speeds of 0 or
 * above 10000. Clears b in any case. Free the result with sl_topo_free(). */
struct sl_topo *topo_build_finish(struct topo_build *b, GError **error);

/* The costs key of a topology made here, "default" when its source named none. */
const char *topo_build_costs(const struct sl_topo *t);

void topo_build_free(struct sl_topo *t);

#endif
