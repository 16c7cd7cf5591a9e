/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a cut never parts a UTF-8 character, and what is put out is valid UTF-8. */
#include "sim/cli/shorten.h"

#include <glib.h>
#include <string.h>

/* Appends `len` bytes; those that a terminal would not print as they are, as \xNN. */
static void append_plain(GString *to, const char *from, size_t len)
{
	const char *end = from + len;

	while (from < end) {
		gunichar c = g_utf8_get_char_validated(from, end - from);
		const char *next = from + 1;

		if (c < (gunichar)-2)
			next = g_utf8_next_char(from);
		if (c >= (gunichar)-2 || (g_unichar_iscntrl(c) && !strchr("\n\t", (int)c)))
			for (const char *b = from; b < next; b++)
				g_string_append_printf(to, "\\x%02x", (unsigned char)*b);
		else
			g_string_append_len(to, from, next - from);
		from = next;
	}
}

/* The nearest place at or before text[at] where a character begins. */
static size_t boundary(const char *text, size_t at)
{
	size_t back = 0;

	while (back < 4 && back < at && ((unsigned char)text[at - back] & 0xc0) == 0x80)
		back++;
	return at - back;
}

static void append_cut(GString *to, const char *from, size_t len, size_t limit, size_t head,
		       size_t tail)
{
	size_t left, right;

	if (len <= limit) {
		append_plain(to, from, len);
		return;
	}
	left = boundary(from, head);
	right = boundary(from, len - tail);
	append_plain(to, from, left);
	g_string_append_printf(to, "[...%" G_GSIZE_FORMAT " bytes...]", len);
	append_plain(to, from + right, len - right);
}

static void append_word(GString *to, const char *from, size_t len)
{
	append_cut(to, from, len, SL_SHORT_LIMIT, SL_SHORT_HEAD, SL_SHORT_TAIL);
}

char *sl_shorten(const char *text)
{
	GString *words = g_string_new(NULL), *whole;

	while (*text) {
		const char *close = *text == '"' ? strchr(text + 1, '"') : NULL;
		size_t len = strcspn(text, " \t\n\"");

		if (close) {
			g_string_append_c(words, '"');
			append_word(words, text + 1, (size_t)(close - text) - 1);
			g_string_append_c(words, '"');
			text = close + 1;
		} else {
			len = MAX(len, 1);
			append_word(words, text, len);
			text += len;
		}
	}
	whole = g_string_new(NULL);
	append_cut(whole, words->str, words->len, SL_SHORT_MESSAGE, SL_SHORT_MESSAGE / 2,
		   SL_SHORT_MESSAGE / 4);
	g_string_free(words, TRUE);
	return g_string_free(whole, FALSE);
}
