/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of any kind: lscpu -p, .topo, pasted XML. Exactly one of result and error; the
 * tree of every rule can be built. */
#include "topologies/topo_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	struct sl_topo *t = sl_topo_parse("fuzz", (const char *)data, size, &error);

	SL_ASSERT((t == NULL) == (error != NULL));
	for (int rule = SL_CG_RULE_CACHE; t != NULL && rule <= SL_CG_RULE_FLAT; rule++) {
		struct sl_cpu_tree *tree = sl_cpu_tree_new(t, (enum sl_cg_rule)rule);

		SL_ASSERT(tree != NULL && tree->top->count == t->ncpus);
		for (uint32_t i = 0; i < t->ncpus; i++)
			SL_ASSERT(tree->leaf[i] != NULL && tree->leaf[i]->nchildren == 0);
		sl_cpu_tree_free(tree);
	}
	sl_topo_free(t);
	return 0;
}
