/* SPDX-License-Identifier: BSD-2-Clause
 *
 * POLICY and durations of the command line: any text is read or refused with a reason. */
#include "sim/cli/spec.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = g_strndup((const char *)data, size);
	GError *error = NULL;
	sl_time ns;

	SL_ASSERT(sl_spec_duration(text, &ns, &error) == (error == NULL));
	g_clear_error(&error);
	/* Modules are code: never load what a fuzzer names. */
	if (!strchr(text, '/') && !strstr(text, ".so")) {
		struct sl_policy_spec *spec = sl_policy_spec_new(text, &error);

		SL_ASSERT((spec == NULL) == (error != NULL));
		g_clear_error(&error);
		sl_policy_spec_free(spec);
	}
	g_free(text);
	return 0;
}
