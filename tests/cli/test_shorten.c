/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Messages stay short and printable, whatever they quote. */
#include "tests/sl_test.h"

#include <glib.h>
#include <string.h>

#include "sim/base/base.h"
#include "sim/cli/shorten.h"

static void assert_shortened(const char *from, const char *to)
{
	char *got = sl_shorten(from);

	assert_string_equal(got, to);
	g_free(got);
}

static void short_messages_stay(void **state)
{
	(void)state;
	assert_shortened("", "");
	assert_shortened("a.json:1:2: \"x y\", and \"", "a.json:1:2: \"x y\", and \"");
	assert_shortened("two\n\tlines \xc3\xa4", "two\n\tlines \xc3\xa4");
}

static void control_bytes_are_spelled(void **state)
{
	(void)state;
	assert_shortened("a\x1b[2Jb\x7f\r", "a\\x1b[2Jb\\x7f\\x0d");
	assert_shortened("\xff\xc3", "\\xff\\xc3");
	assert_shortened("\xc2\x9b", "\\xc2\\x9b"); /* a control character in UTF-8 */
}

static void long_words_are_cut(void **state)
{
	char *digits = g_strnfill(1000, '7'), *head = g_strnfill(SL_SHORT_HEAD, '7');
	char *tail = g_strnfill(SL_SHORT_TAIL, '7');
	char *message = g_strdup_printf("f:1:2: %s: too large", digits);
	char *wanted = g_strdup_printf("f:1:2: %s[...1001 bytes...]%.*s: too large", head,
				       SL_SHORT_TAIL - 1, tail);

	(void)state;
	assert_shortened(message, wanted);
	g_free(message);
	g_free(wanted);
	memset(digits, ' ', 1000);
	message = g_strdup_printf("name \"%s\": unknown", digits);
	wanted = g_strdup_printf("name \"%*s[...1000 bytes...]%*s\": unknown", SL_SHORT_HEAD, "",
				 SL_SHORT_TAIL, "");
	assert_shortened(message, wanted);
	g_free(message);
	g_free(wanted);
	g_free(digits);
	g_free(head);
	g_free(tail);
}

/* Every offset of the cut against characters of two, three and four bytes. */
static void cuts_keep_characters_whole(void **state)
{
	static const char *const letters[] = { "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };

	(void)state;
	for (size_t l = 0; l < SL_ARRAY_LEN(letters); l++)
		for (size_t shift = 0; shift < 8; shift++) {
			GString *text = g_string_new(NULL);
			char *got;

			for (size_t i = 0; i < shift; i++)
				g_string_append_c(text, 'x');
			while (text->len < 400)
				g_string_append(text, letters[l]);
			got = sl_shorten(text->str);
			assert_true(g_utf8_validate(got, -1, NULL));
			assert_null(strstr(got, "\\x"));
			assert_true(strlen(got) < SL_SHORT_LIMIT);
			g_free(got);
			g_string_free(text, TRUE);
		}
}

static void whole_messages_are_cut(void **state)
{
	GString *text = g_string_new(NULL);
	char *got;

	(void)state;
	for (int i = 0; i < 100000; i++)
		g_string_append(text, "word ");
	got = sl_shorten(text->str);
	assert_true(strlen(got) < SL_SHORT_MESSAGE);
	assert_non_null(strstr(got, "[...500000 bytes...]"));
	g_free(got);
	g_string_free(text, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_messages_stay),
		cmocka_unit_test(control_bytes_are_spelled),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(cuts_keep_characters_whole),
		cmocka_unit_test(whole_messages_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
