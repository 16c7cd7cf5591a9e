/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The block on any values: the input is up to three samples of raw doubles. */
#include <stdint.h>
#include <string.h>

#include <glib.h>

#include "stats/ministat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_ministat_options opt = { .level = SL_LEVEL_95 };
	struct sl_sample sets[3];
	size_t n = size < 3 ? 0 : (size - 3) / sizeof(double), each, used = 0;
	double *v = g_new(double, n + 1);
	int count;
	char *text;

	if (n >= 3) {
		count = 1 + data[0] % 3;
		opt.rules = &sl_ministat_rules[data[1] % 4];
		opt.width = data[2] % 128;
		opt.separate_bars = data[2] >= 128;
		memcpy(v, data + 3, n * sizeof(*v));
		while (count > 1 && n / (size_t)count < 3)
			count--;
		each = n / (size_t)count;
		for (int i = 0; i < count; i++, used += each)
			sets[i] = (struct sl_sample){ .name = "s", .v = v + used, .n = each };
		text = sl_ministat_text(sets, count, &opt);
		g_free(text);
	}
	g_free(v);
	return 0;
}
