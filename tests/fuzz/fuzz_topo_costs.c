/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost overlays. Exactly one of result and error; bounds hold. */
#include "topologies/costs_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GError) error = NULL;
	struct sl_costs *c = sl_costs_parse("fuzz", text, size, &error);

	SL_ASSERT((c == NULL) == (error != NULL));
	for (size_t k = 0; c != NULL && k < G_N_ELEMENTS(c->smt_permille); k++)
		SL_ASSERT(c->smt_permille[k] <= 1000);
	SL_ASSERT(c == NULL || c->switch_ns <= 1000000000);
	sl_costs_free(c);
	return 0;
}
