/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines out of plain and compressed bytes, whole, cut and damaged. */
#include "traces/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

static GByteArray *gzip(const char *text, size_t len)
{
	GByteArray *out = g_byte_array_new();
	z_stream z = { 0 };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	g_byte_array_set_size(out, (guint)deflateBound(&z, (uLong)len));
	z.next_in = (Bytef *)(uintptr_t)text;
	z.avail_in = (uInt)len;
	z.next_out = out->data;
	z.avail_out = out->len;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	g_byte_array_set_size(out, (guint)z.total_out);
	deflateEnd(&z);
	return out;
}

/* All lines joined by '|'. */
static char *lines_of(const void *data, size_t len, bool *truncated, bool *failed)
{
	struct sl_reader *r = sl_reader_open_mem(data, len, "mem", NULL);
	GString *s = g_string_new(NULL);
	struct sl_line line;
	uint64_t number = 0;

	assert_non_null(r);
	while (sl_reader_next(r, &line)) {
		assert_int_equal(line.number, ++number);
		g_string_append_len(s, line.s, (gssize)line.len);
		g_string_append_c(s, line.open ? '$' : '|');
	}
	*truncated = sl_reader_truncated(r);
	*failed = sl_reader_error(r) != NULL;
	sl_reader_free(r);
	return g_string_free(s, FALSE);
}

static void check_lines(const void *data, size_t len, const char *expected)
{
	bool truncated, failed;
	char *got = lines_of(data, len, &truncated, &failed);

	assert_string_equal(got, expected);
	assert_false(truncated);
	assert_false(failed);
	g_free(got);
}

static void test_plain(void **state)
{
	(void)state;
	check_lines("", 0, "");
	check_lines("a\n\nb\r\nc", 7, "a||b|c$");
	check_lines("\n", 1, "|");
}

static void test_gzip(void **state)
{
	GByteArray *a = gzip("one\ntwo\n", 8), *b = gzip("three\n", 6);

	(void)state;
	check_lines(a->data, a->len, "one|two|");
	/* Several members are one file. */
	g_byte_array_append(a, b->data, b->len);
	check_lines(a->data, a->len, "one|two|three|");
	g_byte_array_free(a, TRUE);
	g_byte_array_free(b, TRUE);
}

/* Cut anywhere: what is there is read, and the cut is noticed. */
static void test_gzip_cut(void **state)
{
	char text[4000];
	GByteArray *z;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 40 == 39 ? '\n' : (char)('a' + (i * i / 7) % 26);
	z = gzip(text, sizeof(text));
	for (guint n = 7; n < z->len; n++) {
		bool truncated, failed;
		char *got = lines_of(z->data, n, &truncated, &failed);

		assert_true(truncated);
		assert_false(failed);
		for (char *c = got; *c; c++)
			if (*c == '|')
				*c = '\n';
		if (*got)
			assert_memory_equal(got, text, strlen(got) - 1);
		g_free(got);
	}
	g_byte_array_free(z, TRUE);
}

static void test_gzip_damaged(void **state)
{
	char text[4000];
	bool truncated, failed;
	GByteArray *z;
	char *got;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + (i * i / 7) % 26);
	z = gzip(text, sizeof(text));
	z->data[z->len / 2] ^= 0xff;
	got = lines_of(z->data, z->len, &truncated, &failed);
	assert_true(failed);
	g_free(got);
	g_byte_array_free(z, TRUE);
}

/* A line without an end neither fills memory nor hides the lines behind it. */
static void test_long_line(void **state)
{
	size_t len = 3000000;
	char *text = g_malloc(len);
	struct sl_reader *r;
	struct sl_line line;

	(void)state;
	memset(text, 'x', len);
	memcpy(text, "first\n", 6);
	memcpy(text + len - 6, "\nlast\n", 6);
	r = sl_reader_open_mem(text, len, "mem", NULL);
	assert_true(sl_reader_next(r, &line));
	assert_int_equal(line.len, 5);
	assert_true(sl_reader_next(r, &line));
	assert_true(line.cut);
	assert_int_equal(line.len, SL_LINE_MAX);
	assert_int_equal(line.number, 2);
	assert_true(sl_reader_next(r, &line));
	assert_false(line.cut);
	assert_int_equal(line.number, 3);
	assert_memory_equal(line.s, "last", 4);
	assert_false(sl_reader_next(r, &line));
	assert_true(sl_reader_bytes(r) == len);
	sl_reader_free(r);
	g_free(text);
}

/* Lines across every buffer boundary. */
static void test_many_lines(void **state)
{
	GString *text = g_string_new(NULL);
	struct sl_reader *r;
	struct sl_line line;
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < 200000; i++)
		g_string_append_printf(text, "%u %.*s\n", i, (int)(i % 23),
				       "abcdefghijklmnopqrstuvw");
	r = sl_reader_open_mem(text->str, text->len, "mem", NULL);
	while (sl_reader_next(r, &line)) {
		char expected[64];
		int len = g_snprintf(expected, sizeof(expected), "%u %.*s", n, (int)(n % 23),
				     "abcdefghijklmnopqrstuvw");

		assert_int_equal(line.len, len);
		assert_memory_equal(line.s, expected, (size_t)len);
		n++;
	}
	assert_int_equal(n, 200000);
	sl_reader_free(r);
	g_string_free(text, TRUE);
}

static void test_peek_then_read(void **state)
{
	GByteArray *z = gzip("hello\nworld\n", 12);
	struct sl_reader *r = sl_reader_open_mem(z->data, z->len, "mem", NULL);
	struct sl_line line;
	char rest[16];
	size_t got;

	(void)state;
	assert_memory_equal(sl_reader_peek(r, 100, &got), "hello\nworld\n", 12);
	assert_int_equal(got, 12);
	assert_true(sl_reader_next(r, &line));
	assert_int_equal(line.len, 5);
	assert_int_equal(sl_reader_read(r, rest, sizeof(rest)), 6);
	assert_memory_equal(rest, "world\n", 6);
	assert_int_equal(sl_reader_read(r, rest, sizeof(rest)), 0);
	sl_reader_free(r);
	g_byte_array_free(z, TRUE);
}

static void test_missing_file(void **state)
{
	GError *error = NULL;

	(void)state;
	assert_null(sl_reader_open(SL_TEST_DIR "/no-such-file", &error));
	assert_non_null(strstr(error->message, "no-such-file: "));
	g_error_free(error);
	error = NULL;
	/* A folder opens, but cannot be read. */
	assert_null(sl_reader_open(SL_TEST_DIR, &error));
	assert_non_null(error);
	g_error_free(error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	       cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_gzip_cut),       cmocka_unit_test(test_gzip_damaged),
		cmocka_unit_test(test_long_line),      cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_peek_then_read), cmocka_unit_test(test_missing_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
