/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Text that came from outside, and complaints about it that name the place. */
#ifndef SL_TOPO_INPUT_H
#define SL_TOPO_INPUT_H

#include <glib.h>

#include "sim/base/base.h"

#define SL_TOPO_ERROR (sl_topo_error_quark())
GQuark sl_topo_error_quark(void);

enum sl_topo_error {
	SL_TOPO_ERROR_INPUT,   /* malformed, impossible, or contradicts itself */
	SL_TOPO_ERROR_UNKNOWN, /* no machine, overlay or file of that name */
	SL_TOPO_ERROR_READ,    /* the file cannot be read */
};

/* A file's content. text is NUL-terminated behind len bytes; both borrowed. */
struct sl_input {
	const char *name; /* as the user wrote it, for messages */
	const char *text;
	size_t len;
};

/* Largest file any loader takes, in bytes: an XML export of 8192 CPUs is 8 MiB. */
#define SL_INPUT_MOST ((size_t)32 << 20)

/* Reads a whole file ("-": standard input); NULL with error when it cannot be read or
 * is larger than SL_INPUT_MOST. Free with g_free(). */
char *sl_input_read(const char *path, size_t *len, GError **error);

/* Sets "name:line:col: sentence"; bytes that are not printable UTF-8 are replaced. */
void sl_input_fail(const struct sl_input *in, uint32_t line, uint32_t col, GError **error,
		   const char *format, ...) G_GNUC_PRINTF(5, 6);

/* The same at a byte offset of in->text. O(offset). */
void sl_input_fail_at(const struct sl_input *in, size_t offset, GError **error, const char *format,
		      ...) G_GNUC_PRINTF(4, 5);

/* Line and column (from 1, in bytes) of a byte offset. O(offset). */
void sl_input_where(const struct sl_input *in, size_t offset, uint32_t *line, uint32_t *col);

/* False with an error at the first byte that is NUL or not UTF-8. */
bool sl_input_check_text(const struct sl_input *in, GError **error);

/* " (did you mean 'x'?)" or "", for the end of a complaint about `word`. Free with
 * g_free(). */
char *sl_did_you_mean(const char *word, const char *const *names, size_t n);

/* A name and a line about it. Both owned. */
struct sl_named {
	char *name, *summary;
};

/* An array of struct sl_named * that frees its elements. */
GPtrArray *sl_named_array_new(void);
void sl_named_array_add(GPtrArray *array, const char *name, const char *summary);

#endif
