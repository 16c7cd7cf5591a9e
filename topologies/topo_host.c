/* SPDX-License-Identifier: BSD-2-Clause
 *
 * This computer as a topology. hwloc, where it was found at build time, is only asked
 * for its XML, which the project's own reader takes like any other file.
 * Invariant: without hwloc the answer is still a valid machine, with caches unknown. */
#include "topologies/topo_read.h"

#include <unistd.h>

#ifdef SL_HAVE_HWLOC
#include <hwloc.h>

char *topo_host_xml(size_t *len)
{
	hwloc_topology_t topology;
	char *xml = NULL, *copy = NULL;
	int n = 0;

	if (hwloc_topology_init(&topology) != 0)
		return NULL;
	if (hwloc_topology_load(topology) == 0 &&
	    hwloc_topology_export_xmlbuffer(topology, &xml, &n, 0) == 0 && n > 0) {
		/* n counts the NUL at the end. */
		copy = g_strndup(xml, (gsize)n - 1);
		*len = (size_t)n - 1;
		hwloc_free_xmlbuffer(topology, xml);
	}
	hwloc_topology_destroy(topology);
	return copy;
}
#else
char *topo_host_xml(size_t *len)
{
	(void)len;
	return NULL;
}
#endif

uint32_t topo_host_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return (uint32_t)CLAMP(n, 1, SL_TOPO_MAX_CPUS);
}
