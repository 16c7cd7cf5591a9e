/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The number reader: one column of numbers out of text, as ministat(1) reads
 * it. Columns are separated by runs of delimiters, a field that starts with `#`
 * ends the line, blank and short lines are skipped, a field that is no number
 * (in strtod's C-locale grammar: also hex, inf, nan) is an error.
 * Values are those of strtod to the last bit. */
#ifndef SL_STATS_READER_H
#define SL_STATS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sl_read_status {
	SL_READ_OK,
	SL_READ_OPEN, /* error: errno of open(2) */
	SL_READ_IO,   /* error: errno of read(2); values holds what came before */
	SL_READ_DATA, /* not a number at line, col */
	SL_READ_LONG, /* a line longer than SL_READ_LINE_MAX at line */
};

/* Longest line, bytes. */
#define SL_READ_LINE_MAX ((size_t)64 << 20)

struct sl_reader_options {
	unsigned column;    /* from 1 */
	const char *delims; /* not empty */
	/* Cut lines as the original does, into lines of at most this many bytes with
	 * their newline; 0: lines are lines. */
	size_t cut;
};

struct sl_numbers {
	double *v; /* owned; free with sl_numbers_clear() */
	size_t n, room;
	uint64_t line; /* lines read; at an error the line in fault, from 1 */
	size_t col;    /* at SL_READ_DATA the byte in the line, from 1 */
	int error;     /* errno */
};

/* Reads the file name, "-" being standard input, appending to *out (zeroed
 * before first use). Memory: the values and a buffer of 256 KiB or the longest line. */
enum sl_read_status sl_read_file(struct sl_numbers *out, const char *name,
				 const struct sl_reader_options *opt);

/* The same from size bytes at text. */
enum sl_read_status sl_read_text(struct sl_numbers *out, const char *text, size_t size,
				 const struct sl_reader_options *opt);

void sl_numbers_clear(struct sl_numbers *n);

/* The number in the bytes [s, end), which must be all of them; false when they
 * are no number. Exact: short decimal numbers by one rounding of exact factors
 * (Clinger 1990), others by g_ascii_strtod. */
bool sl_parse_double(const char *s, const char *end, double *value);

#endif
