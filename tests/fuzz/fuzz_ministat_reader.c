/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The number reader on any bytes: no crash, no reading out of bounds, and every value equal to
 * strtod's. The first three bytes choose column, delimiters and cutting. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "stats/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The whole input as one number, by the reader's parser and by the library's. */
static void compare_with_strtod(const char *text, size_t size)
{
	char *copy = g_malloc(size + 1), *end;
	double wanted, got = 0;
	bool ok;

	memcpy(copy, text, size);
	copy[size] = '\0';
	wanted = g_ascii_strtod(copy, &end);
	ok = size > 0 && end == copy + size;
	if (sl_parse_double(text, text + size, &got) != ok)
		abort();
	if (ok && memcmp(&got, &wanted, sizeof(got)) != 0 && !(isnan(got) && isnan(wanted)))
		abort();
	g_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const delims[] = { " \t", ",", ";.", "-1", "\n", "#" };
	struct sl_reader_options opt;
	struct sl_numbers got = { .n = 0 };
	char *text;

	if (size < 3)
		return 0;
	opt = (struct sl_reader_options){ .column = 1 + data[0] % 4,
					  .delims = delims[data[1] % G_N_ELEMENTS(delims)],
					  .cut = data[2] % 4 == 0 ? 16 : 0 };
	size -= 3;
	/* Its own block, so that a byte too far is seen. */
	text = g_malloc(size == 0 ? 1 : size);
	memcpy(text, data + 3, size);
	if (sl_read_text(&got, text, size, &opt) == SL_READ_DATA && (got.line == 0 || got.col == 0))
		abort();
	if (size < 400)
		compare_with_strtod(text, size);
	sl_numbers_clear(&got);
	g_free(text);
	return 0;
}
