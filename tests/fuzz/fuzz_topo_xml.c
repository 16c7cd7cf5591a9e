/* SPDX-License-Identifier: BSD-2-Clause
 *
 * XML readers: FreeBSD's topology_spec and hwloc. Exactly one of result and error;
 * what was read can be drawn, and a written spec reads back as the same tree. */
#include <string.h>

#include "topologies/topo_draw.h"
#include "topologies/topo_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *first = NULL, *second = NULL, *drawing = NULL;
	struct sl_topo *t, *again;

	if (size == 0 || data[0] != '<')
		return -1;
	t = sl_topo_parse("fuzz", (const char *)data, size, &error);
	SL_ASSERT((t == NULL) == (error != NULL));
	if (t == NULL)
		return 0;
	drawing = sl_topo_draw(t, SL_CG_RULE_UNIFORM);
	first = sl_topo_to_xml(t, SL_CG_RULE_CACHE, 0);
	again = sl_topo_parse("again", first, strlen(first), &error);
	SL_ASSERT(again != NULL);
	second = sl_topo_to_xml(again, SL_CG_RULE_CACHE, 0);
	SL_ASSERT(strcmp(first, second) == 0);
	sl_topo_free(t);
	sl_topo_free(again);
	return 0;
}
