/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: what is appended is a complete JSON value, whatever the input. */
#include "stats/json_text.h"

#include <math.h>

void sl_json_append_number(GString *out, double x, const char *none)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (isfinite(x))
		g_string_append(out, g_ascii_formatd(text, sizeof(text), "%.17g", x));
	else
		g_string_append(out, none);
}

void sl_json_append_string(GString *out, const char *s)
{
	char *valid = g_utf8_make_valid(s, -1);

	g_string_append_c(out, '"');
	for (const char *p = valid; *p != '\0'; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x20 || c == 0x7f)
			g_string_append_printf(out, "\\u%04x", (unsigned)c);
		else if (c == '"' || c == '\\')
			g_string_append_printf(out, "\\%c", c);
		else
			g_string_append_c(out, *p);
	}
	g_string_append_c(out, '"');
	g_free(valid);
}
