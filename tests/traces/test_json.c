/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The JSON reader: what is accepted, what is refused and where, and what survives. */
#include "traces/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Prints a tree compactly, duplicates and order included. */
static void print(const struct sl_json *v, GString *out)
{
	const char *open = v->type == SL_JSON_OBJECT ? "{" : "[";
	const char *close = v->type == SL_JSON_OBJECT ? "}" : "]";

	if (v->key)
		g_string_append_printf(out, "%s:", v->key);
	if (v->type == SL_JSON_STRING)
		g_string_append_printf(out, "'%s'", v->text);
	else if (v->type == SL_JSON_BARE)
		g_string_append(out, "-");
	else if (v->type < SL_JSON_ARRAY)
		g_string_append(out, v->text);
	if (v->type != SL_JSON_ARRAY && v->type != SL_JSON_OBJECT)
		return;
	g_string_append(out, open);
	for (const struct sl_json *c = v->child; c; c = c->next) {
		print(c, out);
		if (c->next)
			g_string_append_c(out, ',');
	}
	g_string_append(out, close);
}

static char *parsed(const char *text, gboolean strict)
{
	GError *error = NULL;
	struct sl_json_doc *doc = sl_json_parse(text, strlen(text), "f", strict, NULL, &error);
	GString *out = g_string_new(NULL);

	if (doc) {
		assert_null(error);
		print(sl_json_root(doc), out);
		sl_json_doc_free(doc);
	} else {
		assert_non_null(error);
		g_string_assign(out, error->message);
		g_error_free(error);
	}
	return g_string_free(out, FALSE);
}

struct row {
	const char *text, *expected;
};

static void check(const struct row *rows, size_t n, gboolean strict)
{
	for (size_t i = 0; i < n; i++) {
		char *got = parsed(rows[i].text, strict);

		if (strcmp(got, rows[i].expected) != 0)
			fail_msg("%s\n  gives   %s\n  expected %s", rows[i].text, got,
				 rows[i].expected);
		g_free(got);
	}
}

static void test_lenient(void **state)
{
	static const struct row rows[] = {
		{ "{}", "{}" },
		{ "\xef\xbb\xbf[]", "[]" },
		{ "[1,-2.5e3,true,False,NULL,\"x\"]", "[1,-2.5e3,true,false,null,'x']" },
		{ "{\"run\":1,\"sleep\":2,\"run\":3}", "{run:1,sleep:2,run:3}" },
		{ "{ /* a */ \"a\" : 1, // b\n \"b\" : [1,2,], }", "{a:1,b:[1,2]}" },
		{ "{\"suspend\",\"run\":1,\"suspend\"}", "{suspend:-,run:1,suspend:-}" },
		{ "{'a':'it\\'s'}", "{a:'it's'}" },
		{ "\"\\u00e9\\ud83d\\ude00\\n\"", "'\xc3\xa9\xf0\x9f\x98\x80\n'" },
		{ "[007,+5]", "[007,+5]" },
		{ "{} rest", "{}" },
		{ "[\"a\tb\"]", "['a\tb']" },
	};

	(void)state;
	check(rows, G_N_ELEMENTS(rows), FALSE);
}

static void test_strict(void **state)
{
	static const struct row rows[] = {
		{ "{\"a\":[1,2],\"b\":{}}", "{a:[1,2],b:{}}" },
		{ "{\"a\":1,\"a\":2}",
		  "f:1:8: the key \"a\" occurs twice, but --strict allows it once" },
		{ "[1,]", "f:1:4: comma before ']', but --strict allows none" },
		{ "/* */ 1", "f:1:1: comment, but --strict allows none" },
		{ "['a']", "f:1:2: ''', expected a value" },
		{ "{\"a\"}", "f:1:5: '}' after the key \"a\", expected ':'" },
		{ "[01]", "f:1:4: leading + or 0 in a number, but --strict allows none" },
		{ "True", "f:1:1: unknown word 'True', expected a value" },
		{ "1 2", "f:1:3: '2' after the end of the document" },
	};

	(void)state;
	check(rows, G_N_ELEMENTS(rows), TRUE);
}

static void test_errors(void **state)
{
	static const struct row rows[] = {
		{ "", "f:1:1: the end of the text, expected a value" },
		{ "{\n  \"a\": 1\n  \"b\": 2 }", "f:3:3: '\"', expected ',' or '}'" },
		{ "{\"a\": }", "f:1:7: '}', expected a value" },
		{ "[1 2]", "f:1:4: '2', expected ',' or ']'" },
		{ "[1", "f:1:3: the end of the text, expected ',' or ']'" },
		{ "{\"a\" 1}", "f:1:6: '1' after the key \"a\", expected ':'" },
		{ "{a:1}", "f:1:2: 'a', expected a quoted key or '}'" },
		{ "\"abc", "f:1:1: string without end, expected \"" },
		{ "\"\\q\"", "f:1:3: unknown escape, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r "
			     "\\t \\u" },
		{ "\"\\u12\"", "f:1:4: \\u needs four hexadecimal digits of a character but NUL" },
		{ "\"\\u0000\"",
		  "f:1:8: \\u needs four hexadecimal digits of a character but NUL" },
		{ "\"\\ud800x\"",
		  "f:1:8: \\u needs four hexadecimal digits of a character but NUL" },
		{ "  /* no end", "f:1:3: comment without end, expected */" },
		{ "1.", "f:1:3: number without digits after the point" },
		{ "1e+", "f:1:4: number without digits in the exponent" },
		{ "-", "f:1:2: number without digits" },
		{ "{\"duration\": __DURATION}",
		  "f:1:14: unknown word '__DURATION', expected a value" },
		{ "\"\xff\"", "f:1:1: string is not UTF-8" },
		{ "[\xc3\xa9 1]", "f:1:2: '\xc3\xa9', expected a value" },
		{ "\x01", "f:1:1: byte 0x01, expected a value" },
	};

	(void)state;
	check(rows, G_N_ELEMENTS(rows), FALSE);
}

static void test_depth(void **state)
{
	GString *deep = g_string_new(NULL);
	char *got;

	(void)state;
	for (int i = 0; i < SL_JSON_DEPTH_MAX; i++)
		g_string_append_c(deep, '[');
	g_string_append(deep, "1");
	for (int i = 0; i < SL_JSON_DEPTH_MAX; i++)
		g_string_append_c(deep, ']');
	got = parsed(deep->str, FALSE);
	assert_memory_equal(got, "[[[[", 4);
	g_free(got);
	g_string_prepend(deep, "[");
	got = parsed(deep->str, FALSE);
	assert_string_equal(got, "f:1:65: nested deeper than 64");
	g_free(got);
	g_string_free(deep, TRUE);
}

static gboolean is_run(const char *key)
{
	return g_str_has_prefix(key, "run");
}

static void test_number_duplicates(void **state)
{
	const char *text = "{\"run\":1,\"loop\":5,\"run\":2,\"run1\":3,\"run\":4,\"loop\":6}";
	struct sl_json_doc *doc = sl_json_parse(text, strlen(text), "f", FALSE, NULL, NULL);
	GString *out = g_string_new(NULL);

	(void)state;
	assert_non_null(doc);
	sl_json_number_duplicates(doc, sl_json_root(doc), is_run);
	print(sl_json_root(doc), out);
	assert_string_equal(out->str, "{run:1,loop:5,run2:2,run1:3,run3:4,loop:6}");
	assert_string_equal(sl_json_duplicate(sl_json_root(doc))->key, "loop");
	assert_string_equal(sl_json_get(sl_json_root(doc), "loop")->text, "5");
	g_string_free(out, TRUE);
	sl_json_doc_free(doc);
}

static void test_trailing_text_warns(void **state)
{
	GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);
	struct sl_json_doc *doc = sl_json_parse("{}\n}", 4, "f", FALSE, warnings, NULL);

	(void)state;
	assert_non_null(doc);
	assert_int_equal(warnings->len, 1);
	assert_non_null(strstr(warnings->pdata[0], "f:2:1: warning: '}'"));
	sl_json_doc_free(doc);
	g_ptr_array_free(warnings, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lenient),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_number_duplicates),
		cmocka_unit_test(test_trailing_text_warns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
