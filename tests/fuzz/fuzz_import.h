/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as a trace: an error with a reason, or a workload that passes every check an
 * import must pass. `head` steers the choice of the reader. */
#ifndef SL_FUZZ_IMPORT_H
#define SL_FUZZ_IMPORT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/traces/test_import_check.h"
#include "traces/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* `loose`: the file itself says what the programs are, so they need not end. */
static inline void fuzz_import(const char *head, const uint8_t *data, size_t size, bool loose)
{
	size_t head_len = strlen(head);
	char *text = g_malloc(head_len + size + 1);
	struct sl_import_opts opts = { .force = true };
	struct sl_import_report report;
	struct sl_workload *w;
	GError *error = NULL;

	if (size > 0) {
		opts.all = data[0] & 1;
		opts.keep_kernel = data[0] & 2;
		opts.servers = data[0] & 4;
		opts.from = data[0] & 8 ? 1000 : 0;
	}
	memcpy(text, head, head_len);
	memcpy(text + head_len, data, size);
	w = sl_trace_import_mem(text, head_len + size, "fuzz", &opts, &report, &error);
	if ((w != NULL) == (error != NULL))
		abort();
	if (w && !loose && import_check(w))
		abort();
	sl_import_workload_free(w);
	g_clear_error(&error);
	g_free(text);
}

#endif
