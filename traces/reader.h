/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines and bytes of a file, of standard input or of memory, decompressed on the way
 * (gzip, xz, zstd, found by content). Memory is bounded whatever the file holds: a
 * line longer than SL_LINE_MAX is handed over cut and its rest skipped. */
#ifndef SL_READER_H
#define SL_READER_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_LINE_MAX 65536u

struct sl_reader;

struct sl_line {
	const char *s; /* not NUL-terminated; without its "\n" or "\r\n" */
	size_t len;
	uint64_t number; /* from 1 */
	bool cut;	 /* longer than SL_LINE_MAX */
	bool open;	 /* last line of the file, without a newline */
};

/* path "-" is standard input. NULL and *err when it cannot be opened or its
 * compression is not built in. */
struct sl_reader *sl_reader_open(const char *path, GError **err);
/* The same of an open file or pipe, closed by sl_reader_free(), and on failure. */
struct sl_reader *sl_reader_open_fd(int fd, const char *name, GError **err);
/* Reads `len` bytes at `data`, borrowed until sl_reader_free(); `name` for messages. */
struct sl_reader *sl_reader_open_mem(const void *data, size_t len, const char *name, GError **err);
void sl_reader_free(struct sl_reader *r); /* NULL is fine */

/* The next line; it stays valid until the next call on r. False at the end and after an
 * error (see sl_reader_error). */
bool sl_reader_next(struct sl_reader *r, struct sl_line *line);

/* Up to `want` bytes (at most SL_LINE_MAX) that the next calls will return, without
 * taking them. */
const char *sl_reader_peek(struct sl_reader *r, size_t want, size_t *got);

/* Nothing more is handed out. */
void sl_reader_stop(struct sl_reader *r);

/* Takes up to `want` bytes; 0 at the end. */
size_t sl_reader_read(struct sl_reader *r, char *out, size_t want);

/* A file of all bytes, decompressed, from their start, for libraries that want to seek: the
 * file itself when it is a plain one, else an unlinked temporary one. The caller closes
 * it; r is of no use any more. -1 and *err on failure. */
int sl_reader_whole(struct sl_reader *r, GError **err);

/* From here on the bytes are a zlib stream (atrace -z). */
bool sl_reader_push_zlib(struct sl_reader *r);

/* NULL, or why reading stopped early: an I/O error or bytes the codec refuses. Borrowed. */
const GError *sl_reader_error(const struct sl_reader *r);
bool sl_reader_truncated(const struct sl_reader *r); /* the compressed stream has no end */
const char *sl_reader_name(const struct sl_reader *r);
uint64_t sl_reader_bytes(const struct sl_reader *r); /* decompressed bytes handed out */

#endif
