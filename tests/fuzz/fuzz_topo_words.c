/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Spellings on the command line: topologies and CPU lists. A list that was understood
 * is printed and read back as the same set. */
#include <string.h>

#include "sim/base/bits.h"
#include "topologies/cpuset.h"
#include "topologies/topo_load.h"

#define NCPUS 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size), *printed = NULL;
	g_autoptr(GError) error = NULL, cpuset_error = NULL;
	uint64_t set[SL_BITS_WORDS(NCPUS)], again[SL_BITS_WORDS(NCPUS)];
	struct sl_topo *t = sl_topo_spell(text, &error);
	bool ok;

	SL_ASSERT((t == NULL) == (error != NULL));
	SL_ASSERT(t == NULL || (t->ncpus >= 1 && t->ncpus <= SL_TOPO_MAX_CPUS));
	sl_topo_free(t);
	ok = sl_cpuset_parse(text, NCPUS, set, &cpuset_error);
	SL_ASSERT(ok == (cpuset_error == NULL));
	if (!ok)
		return 0;
	printed = sl_cpuset_print(set, NCPUS);
	SL_ASSERT(sl_cpuset_parse(printed, NCPUS, again, NULL));
	SL_ASSERT(sl_bits_equal(set, again, SL_BITS_WORDS(NCPUS)));
	return 0;
}
