/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a line is judged from its own bytes only, [start, end) without
 * the newline; what follows the first NUL in it is not looked at, as in C strings. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "stats/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

enum { BLOCK = 256 * 1024, SMALL_FIELD = 128, MAX_DIGITS = 19 };

struct scanner {
	const struct sl_reader_options *opt;
	struct sl_numbers *out;
	bool delim[256];
	bool plain; /* first column, and no delimiter can be part of a number */
};

static void scanner_init(struct scanner *s, struct sl_numbers *out,
			 const struct sl_reader_options *opt)
{
	memset(s, 0, sizeof(*s));
	s->opt = opt;
	s->out = out;
	for (const unsigned char *d = (const unsigned char *)opt->delims; *d != 0; d++)
		s->delim[*d] = true;
	s->plain = opt->column == 1 && strpbrk(opt->delims, "+-.0123456789") == NULL;
}

void sl_numbers_clear(struct sl_numbers *n)
{
	g_free(n->v);
	memset(n, 0, sizeof(*n));
}

/* Large blocks are moved by the C library without being copied or touched, so
 * the room beyond n costs address space, not memory. */
static inline void append(struct sl_numbers *n, double x)
{
	if (n->n == n->room) {
		n->room = n->room == 0 ? 1024 : n->room * 2;
		n->v = g_renew(double, n->v, n->room);
	}
	n->v[n->n++] = x;
}

/* Any grammar strtod knows. */
static bool parse_slowly(const char *s, const char *end, double *value)
{
	char small[SMALL_FIELD];
	size_t len = (size_t)(end - s);
	char *copy = len < sizeof(small) ? small : g_malloc(len + 1), *stop;

	memcpy(copy, s, len);
	copy[len] = '\0';
	*value = g_ascii_strtod(copy, &stop);
	len = (size_t)(stop - copy);
	if (copy != small)
		g_free(copy);
	return len > 0 && s + len == end;
}

/* The digits at the start of the 8 bytes at s: their number, 0 to 8, and value,
 * all bytes at once: a byte is a digit when 0x30 xored leaves 0 to 9, and neighbours are
 * joined into pairs, fours and eights. For little-endian machines. */
static inline unsigned eight_digits(const char *s, uint32_t *value)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	uint64_t x, other;
	unsigned n;

	memcpy(&x, s, sizeof(x));
	x ^= UINT64_C(0x3030303030303030);
	other = ((x & ~high) + UINT64_C(0x7676767676767676)) | x;
	other &= high;
	n = other != 0 ? (unsigned)__builtin_ctzll(other) / 8 : 8;
	if (n == 0)
		return 0;
	x <<= 64 - 8 * n;
	x = (x & UINT64_C(0x0f000f000f000f00)) / 256 + (x & UINT64_C(0x000f000f000f000f)) * 10;
	x = (x & UINT64_C(0x00ff000000ff0000)) / 65536 + (x & UINT64_C(0x000000ff000000ff)) * 100;
	*value = (uint32_t)(x >> 32) + (uint32_t)x * 10000;
	return n;
}

/* Adds the decimal digits at s to *mantissa. */
static inline const char *take_digits(const char *s, const char *end, uint64_t *mantissa)
{
	static const uint64_t scale[9] = { 1,	   10,	    100,      1000,	10000,
					   100000, 1000000, 10000000, 100000000 };

	while (G_BYTE_ORDER == G_LITTLE_ENDIAN && end - s >= 8) {
		uint32_t value = 0;
		unsigned n = eight_digits(s, &value);

		*mantissa = *mantissa * scale[n] + value;
		s += n;
		if (n < 8)
			return s;
	}
	for (; s < end && (unsigned char)(*s - '0') < 10; s++)
		*mantissa = *mantissa * 10 + (uint64_t)(*s - '0');
	return s;
}

/* Takes [+-]digits[.digits] from s if that can be done with one exact division;
 * returns where it ends, or NULL. At most 19 digits cannot overflow the mantissa, and up to
 * 2^53 it and the power of ten are exact doubles. */
static inline const char *take_decimal(const char *s, const char *end, double *value)
{
	static const double pow10[MAX_DIGITS + 1] = { 1e0,  1e1,  1e2,	1e3,  1e4,  1e5,  1e6,
						      1e7,  1e8,  1e9,	1e10, 1e11, 1e12, 1e13,
						      1e14, 1e15, 1e16, 1e17, 1e18, 1e19 };
	const bool minus = s < end && *s == '-';
	const char *whole = s + (minus || (s < end && *s == '+')), *point, *p;
	uint64_t mantissa = 0;
	ptrdiff_t fraction = 0;
	double x;

	p = point = take_digits(whole, end, &mantissa);
	if (p == whole || FLT_EVAL_METHOD != 0)
		return NULL;
	if (p < end && *p == '.') {
		p = take_digits(p + 1, end, &mantissa);
		fraction = p - point - 1;
	}
	if (point - whole + fraction > MAX_DIGITS || mantissa > UINT64_C(1) << DBL_MANT_DIG)
		return NULL;
	x = (double)mantissa;
	if (fraction > 0)
		x /= pow10[fraction];
	*value = minus ? -x : x;
	return p;
}

bool sl_parse_double(const char *s, const char *end, double *value)
{
	return take_decimal(s, end, value) == end || parse_slowly(s, end, value);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* One line [p, end): appends its value if it has one; false: not a number. */
static bool take_line(struct scanner *s, const char *p, const char *end)
{
	const char *start = p, *field, *nul = NULL;
	double x;

	s->out->line++;
	while (end > p && is_space(end[-1]))
		end--;
	/* A NUL makes another end, and whatever blanks precede it go, too. */
	if (end > p && (nul = memchr(p, '\0', (size_t)(end - p))) != NULL)
		for (end = nul; end > p && is_space(end[-1]);)
			end--;
	for (unsigned column = 1;; column++) {
		while (p < end && s->delim[(unsigned char)*p])
			p++;
		if (p == end || *p == '#')
			return true;
		for (field = p; p < end && !s->delim[(unsigned char)*p];)
			p++;
		if (column == s->opt->column)
			break;
	}
	if (!sl_parse_double(field, p, &x)) {
		s->out->col = (size_t)(field - start) + 1;
		return false;
	}
	append(s->out, x);
	return true;
}

/* Takes digits[.digits] before a newline, at most eight digits, with a point seven on each side:
 * then the value is what take_decimal() makes of it, by fewer steps. NULL for all else. */
static inline const char *take_short(const char *s, const char *end, double *value)
{
	static const struct {
		uint32_t whole;
		double real;
	} scale[8] = { { 1, 1e0 },     { 10, 1e1 },	{ 100, 1e2 },	  { 1000, 1e3 },
		       { 10000, 1e4 }, { 100000, 1e5 }, { 1000000, 1e6 }, { 10000000, 1e7 } };
	uint32_t whole = 0, part = 0;
	unsigned n;

	if (G_BYTE_ORDER != G_LITTLE_ENDIAN || FLT_EVAL_METHOD != 0 || end - s < 17)
		return NULL;
	n = eight_digits(s, &whole);
	if (n == 0)
		return NULL;
	s += n;
	if (*s == '\n') {
		*value = whole;
		return s;
	}
	if (*s != '.' || n == 8)
		return NULL;
	n = eight_digits(++s, &part);
	if (n == 8 || s[n] != '\n')
		return NULL;
	*value = (double)((uint64_t)whole * scale[n].whole + part) / scale[n].real;
	return s + n;
}

/* A line that is a short decimal number and its newline: the common case, read
 * in one pass. Returns what follows, or NULL for any other line. */
static inline const char *take_plain_line(struct scanner *s, const char *p, const char *end)
{
	const char *start = p;
	double x;

	p = take_short(start, end, &x);
	if (p == NULL) {
		for (p = start; p < end && s->delim[(unsigned char)*p];)
			p++;
		p = take_decimal(p, end, &x);
	}
	if (p == NULL || p == end || *p != '\n')
		return NULL;
	if (s->opt->cut != 0 && (size_t)(p + 1 - start) > s->opt->cut)
		return NULL;
	s->out->line++;
	append(s->out, x);
	return p + 1;
}

/* Takes all whole lines of text, and with `last` also an unfinished one.
 * Sets *used to the bytes taken. */
static enum sl_read_status take_text(struct scanner *s, const char *text, size_t size, bool last,
				     size_t *used)
{
	const char *p = text, *end = text + size;
	const size_t cut = s->opt->cut;

	while (p < end) {
		const char *plain = s->plain ? take_plain_line(s, p, end) : NULL;

		if (plain != NULL) {
			p = plain;
			continue;
		}
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl != NULL ? nl : end, *next = nl != NULL ? nl + 1 : end;

		if (cut != 0 && (size_t)(next - p) > cut)
			stop = next = p + cut;
		else if (nl == NULL && !last)
			break;
		if (!take_line(s, p, stop))
			return SL_READ_DATA;
		p = next;
	}
	*used = (size_t)(p - text);
	return SL_READ_OK;
}

enum sl_read_status sl_read_text(struct sl_numbers *out, const char *text, size_t size,
				 const struct sl_reader_options *opt)
{
	struct scanner s;
	size_t used;

	scanner_init(&s, out, opt);
	return take_text(&s, text, size, true, &used);
}

/* Fills buf from *have up to room; false at end of file or error. */
static bool fill(int fd, char *buf, size_t *have, size_t room, int *error)
{
	while (*have < room) {
		ssize_t got = read(fd, buf + *have, room - *have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			*error = got < 0 ? errno : 0;
			return false;
		}
		*have += (size_t)got;
	}
	return true;
}

static enum sl_read_status read_all(struct scanner *s, int fd)
{
	size_t room = BLOCK, have = 0, used = 0;
	char *buf = g_malloc(room);
	enum sl_read_status status = SL_READ_OK;
	bool more = true;

	while (more && status == SL_READ_OK) {
		if (have == room && room >= SL_READ_LINE_MAX) {
			s->out->line++;
			status = SL_READ_LONG;
			break;
		}
		if (have == room)
			buf = g_realloc(buf, room *= 2);
		more = fill(fd, buf, &have, room, &s->out->error);
		status = take_text(s, buf, have, !more, &used);
		if (status == SL_READ_OK) {
			memmove(buf, buf + used, have - used);
			have -= used;
		}
	}
	g_free(buf);
	return status == SL_READ_OK && s->out->error != 0 ? SL_READ_IO : status;
}

enum sl_read_status sl_read_file(struct sl_numbers *out, const char *name,
				 const struct sl_reader_options *opt)
{
	bool standard = strcmp(name, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	enum sl_read_status status;
	struct scanner s;

	if (fd < 0) {
		out->error = errno;
		return SL_READ_OPEN;
	}
	scanner_init(&s, out, opt);
	status = read_all(&s, fd);
	if (!standard)
		close(fd);
	return status;
}
