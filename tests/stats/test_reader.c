/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The number reader: its grammar line by line, and its values against strtod. */
#include "tests/sl_test.h"

#include <math.h>
#include <stdlib.h>

#include <glib.h>

#include "sim/base/rng.h"
#include "stats/reader.h"

enum { CUT = 8191 };

static void test_lines(void **state)
{
	static const struct {
		const char *text;
		size_t size; /* 0: strlen */
		unsigned column;
		const char *delims;
		size_t n;
		double last;
		uint64_t bad_line; /* 0: none */
		size_t bad_col;
	} cases[] = {
		{ "1\n2\n3\n", 0, 1, " \t", 3, 3, 0, 0 },
		{ "1\n2\n3", 0, 1, " \t", 3, 3, 0, 0 },
		{ "", 0, 1, " \t", 0, 0, 0, 0 },
		{ "\n \n\t\n\f\n1\n", 0, 1, " \t", 1, 1, 0, 0 },
		{ "# 1\n  # 2\n3 # 4\n", 0, 1, " \t", 1, 3, 0, 0 },
		{ "1\r\n2\r\n", 0, 1, " \t", 2, 2, 0, 0 },
		{ "a 5\nb\nc # 6\nd 7 8\n", 0, 2, " \t", 2, 7, 0, 0 },
		{ "1,2\n,3,4\n5,,6\n7, 8\n", 0, 2, ",", 4, 8, 0, 0 },
		{ "1\n2#3\n", 0, 1, " \t", 1, 1, 2, 1 },
		{ "1\n\n  x\n", 0, 1, " \t", 1, 1, 3, 3 },
		{ "1 2 3x\n", 0, 3, " \t", 0, 0, 1, 5 },
		{ "1,2\n", 0, 1, " \t", 0, 0, 1, 1 },
		{ "-\n", 0, 1, " \t", 0, 0, 1, 1 },
		{ "1e\n", 0, 1, " \t", 0, 0, 1, 1 },
		{ " ,5\n", 0, 1, ",", 0, 0, 1, 1 },
		{ "1-2-3\n", 0, 2, "-", 1, 2, 0, 0 },
		{ "1.5 2\n", 0, 1, ". ", 1, 1, 0, 0 },
		{ "0x10\n", 0, 1, " \t", 1, 16, 0, 0 },
		{ "\f5\n", 0, 1, " \t", 1, 5, 0, 0 },
		{ "5\v\0 junk\n6\n", 11, 1, " \t", 2, 6, 0, 0 },
		{ "\0 7\n", 4, 1, " \t", 0, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct sl_reader_options opt = { .column = cases[i].column,
						       .delims = cases[i].delims };
		struct sl_numbers got = { .n = 0 };
		size_t size = cases[i].size != 0 ? cases[i].size : strlen(cases[i].text);
		enum sl_read_status status = sl_read_text(&got, cases[i].text, size, &opt);

		if (status != (cases[i].bad_line != 0 ? SL_READ_DATA : SL_READ_OK) ||
		    got.n != cases[i].n || (got.n > 0 && got.v[got.n - 1] != cases[i].last))
			fail_msg("case %zu: status %d, %zu values", i, (int)status, got.n);
		if (status == SL_READ_DATA) {
			assert_int_equal(got.line, cases[i].bad_line);
			assert_int_equal(got.col, cases[i].bad_col);
		}
		sl_numbers_clear(&got);
	}
}

/* A line of n times '0' and a 7, read whole and cut as the original does. */
static void test_long_lines(void **state)
{
	(void)state;
	for (size_t zeros = CUT - 3; zeros < CUT + 3; zeros++) {
		struct sl_reader_options opt = { .column = 1, .delims = " \t" };
		struct sl_numbers got = { .n = 0 };
		char *text = g_malloc(zeros + 2);

		memset(text, '0', zeros);
		memcpy(text + zeros, "7\n", 2);
		assert_int_equal(sl_read_text(&got, text, zeros + 2, &opt), SL_READ_OK);
		assert_int_equal(got.n, 1);
		assert_true(got.v[0] == 7);
		opt.cut = CUT;
		assert_int_equal(sl_read_text(&got, text, zeros + 2, &opt), SL_READ_OK);
		assert_int_equal(got.n, zeros + 1 > CUT ? 3 : 2);
		assert_true(got.v[1] == (zeros >= CUT ? 0 : 7));
		g_free(text);
		sl_numbers_clear(&got);
	}
}

static bool same(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

static void assert_as_strtod(const char *text)
{
	char *end, *shut = g_strdup_printf("%s7777777777", text);
	double wanted = g_ascii_strtod(text, &end), got = 0;
	size_t len = strlen(text);
	bool ok = end != text && *end == '\0';

	/* What follows the field in memory must not matter. */
	if (sl_parse_double(shut, shut + len, &got) != ok || (ok && !same(got, wanted)))
		fail_msg("\"%s\": %.17g, strtod %.17g", text, got, wanted);
	g_free(shut);
}

static void test_values(void **state)
{
	static const char *const fixed[] = {
		"0",
		"-0",
		"+0",
		"1",
		"-1",
		"0.1",
		"123456789012345",
		"1234567890123456",
		"9007199254740992",
		"9007199254740993",
		"9007199254740994",
		"99999999999999999999",
		"0.3",
		"0.000000000000000001",
		"0.0000000000000000001",
		"1234567.1234567",
		"12345678.12345678",
		"00000000000000000000000001",
		"1.",
		".1",
		".",
		"",
		"+",
		"-",
		"+-1",
		"1..2",
		"1e5",
		"1e-5",
		"1e400",
		"-1e400",
		"1e-400",
		"4.9e-324",
		"inf",
		"-inf",
		"infinity",
		"nan",
		"nan(1)",
		"0x1.8p1",
		"0x",
		"1x",
		" 1",
		"1 ",
		"1,5",
		"1'000",
		"2.2250738585072011e-308",
		"179769313486231570000000000000000000000000000000e261",
		"3.14159265358979323846264338327950288",
		"/",
		":",
		"1/",
		"1:",
		"12345678",
		"123456789",
		"1234567/",
		"12345678:",
		"12345678.",
		"1234567.8",
	};
	uint64_t n = 0;

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
		assert_as_strtod(fixed[i]);
	for (uint64_t i = 0; i < 200000; i++) {
		static const char bytes[] = "0123456789012345678901234567890123456789..-+eE";
		char text[32];
		size_t len = 1 + sl_rng_draw(1, SL_RNG_BOOT, i, n++) % 24;

		for (size_t k = 0; k < len; k++)
			text[k] = bytes[sl_rng_draw(1, SL_RNG_BOOT, i, n++) % (i % 2 ? 42 : 46)];
		text[len] = '\0';
		assert_as_strtod(text);
	}
}

/* All decimals of one length: the borders of the fast path in full. */
static void test_round_trips(void **state)
{
	char text[64];

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t bits = sl_rng_draw(2, SL_RNG_BOOT, (uint64_t)i, 0) & ~(UINT64_C(1) << 62);
		double x, got;

		memcpy(&x, &bits, sizeof(x));
		g_ascii_dtostr(text, sizeof(text), x);
		assert_true(sl_parse_double(text, text + strlen(text), &got));
		assert_true(same(got, x));
	}
}

/* `whole` digits, and with part >= 0 a point and so many more, the n-th such number. */
static void write_short(char *text, unsigned whole, int part, uint64_t n)
{
	for (unsigned k = 0; k < whole; k++)
		*text++ = (char)('0' + sl_rng_draw(3, SL_RNG_BOOT, n, k) % 10);
	if (part >= 0)
		*text++ = '.';
	for (int k = 0; k < part; k++)
		*text++ = (char)('0' + sl_rng_draw(3, SL_RNG_BOOT, n, 100 + (uint64_t)k) % 10);
	*text = '\0';
}

/* Short numbers alone on their lines, which are read without looking at a field: every length on
 * both sides of the point, at each distance from the end of the text, and after cuts. */
static void test_short_lines(void **state)
{
	struct sl_reader_options opt = { .column = 1, .delims = " \t" };
	uint64_t n = 0;

	(void)state;
	for (unsigned whole = 1; whole <= 10; whole++) {
		for (int part = -1; part <= 9; part++) {
			for (size_t behind = 0; behind <= 20; behind++, n++) {
				char line[32], text[64];
				struct sl_numbers got = { .n = 0 };
				size_t len;

				write_short(line, whole, part, n);
				/* Blanks behind: no values, but room for reads ahead. */
				len = (size_t)g_snprintf(text, sizeof(text), "%s\n%*s", line,
							 (int)behind, "");
				opt.cut = 0;
				assert_int_equal(sl_read_text(&got, text, len, &opt), SL_READ_OK);
				assert_int_equal(got.n, 1);
				assert_true(same(got.v[0], g_ascii_strtod(line, NULL)));
				/* The newline counts: a line as long as the cut is whole. */
				opt.cut = strlen(line) + 1;
				assert_int_equal(sl_read_text(&got, text, strlen(line) + 1, &opt),
						 SL_READ_OK);
				assert_int_equal(got.n, 2);
				assert_true(same(got.v[1], got.v[0]));
				sl_numbers_clear(&got);
			}
		}
	}
}

static void test_files(void **state)
{
	const struct sl_reader_options opt = { .column = 1, .delims = " \t" };
	struct sl_numbers got = { .n = 0 };
	GString *text = g_string_new(NULL);
	char *name = NULL;
	int fd = g_file_open_tmp("sl-reader-XXXXXX", &name, NULL);

	(void)state;
	assert_true(fd >= 0);
	/* More than one block, and a line longer than a block. */
	for (int i = 0; i < 100000; i++)
		g_string_append_printf(text, "%d.%d\n", i, i % 10);
	for (int i = 0; i < 700000; i++)
		g_string_append_c(text, '\t');
	g_string_append(text, "8\n9");
	assert_true(g_file_set_contents(name, text->str, (gssize)text->len, NULL));
	assert_int_equal(sl_read_file(&got, name, &opt), SL_READ_OK);
	assert_int_equal(got.n, 100002);
	assert_int_equal(got.line, 100002);
	assert_true(got.v[99999] == 99999.9 && got.v[100000] == 8 && got.v[100001] == 9);
	sl_numbers_clear(&got);
	assert_int_equal(sl_read_file(&got, "/nonexistent", &opt), SL_READ_OPEN);
	assert_int_not_equal(got.error, 0);
	sl_numbers_clear(&got);
	assert_int_equal(sl_read_file(&got, "/", &opt), SL_READ_IO);
	sl_numbers_clear(&got);
	g_string_free(text, TRUE);
	remove(name);
	g_free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	    cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_values),	    cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_short_lines), cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
