/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as a workload: an error with a place, or a workload that passes the check, can be
 * listed and looked at by lint. The first byte chooses dialect, strictness and machine. */
#include "traces/workload_load.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_workload_opts opts = { 0 };
	GPtrArray *warnings;
	GError *error = NULL;
	struct sl_workload *w;
	GString *out;

	if (size == 0 || size > 100000)
		return 0;
	opts.dialect = data[0] & 1 ? SL_DIALECT_1_0 : SL_DIALECT_CURRENT;
	opts.strict = data[0] & 2;
	opts.ncpus = data[0] & 4 ? 4 : 0;
	warnings = g_ptr_array_new_with_free_func(g_free);
	w = sl_workload_load_text((const char *)data + 1, size - 1, "fuzz", NULL, &opts, warnings,
				  &error);
	if ((w != NULL) == (error != NULL))
		abort();
	if (w) {
		out = g_string_new(NULL);
		sl_workload_show(w, out);
		g_string_free(out, TRUE);
		if (!sl_workload_lint_text((const char *)data + 1, size - 1, "fuzz", &opts,
					   warnings, NULL))
			abort();
	}
	g_clear_error(&error);
	sl_workload_free(w);
	g_ptr_array_free(warnings, TRUE);
	return 0;
}
