/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Result files that exist only when they are whole: written under a temporary name
 * beside the target and renamed at the end. Formatting is by hand and buffered, for
 * logs of many million lines. */
#ifndef SL_OUT_H
#define SL_OUT_H

#include <glib.h>

#include "sim/base/base.h"

struct sl_out;

/* Pipes, terminals and devices are written in place: there is nothing to rename. */
bool sl_out_in_place(const char *path);

/* Whether `path` is stdout by one of its names: "-", /dev/stdout, the file it is redirected to. */
bool sl_out_is_stdout(const char *path);

/* The place that `path` names, links followed, so that two names of one file are equal. Freed by
 * the caller. */
char *sl_out_target(const char *path);

/* Opens `path`; stdout is never renamed, and of a link the file it points to is written. NULL with
 * an error "path: reason". */
struct sl_out *sl_out_open(const char *path, GError **error);

/* All of these remember the first failure, which sl_out_close() reports. */
void sl_out_write(struct sl_out *o, const char *bytes, size_t n);
void sl_out_text(struct sl_out *o, const char *text);
void sl_out_char(struct sl_out *o, char c);
void sl_out_u64(struct sl_out *o, uint64_t value);
void sl_out_i64(struct sl_out *o, int64_t value);
/* A CSV field: quoted (RFC 4180) when it holds a comma, a quote or a line end. */
void sl_out_field(struct sl_out *o, const char *text);
void sl_out_printf(struct sl_out *o, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Writes what is buffered, renames and frees. On any failure (disk full) the temporary
 * file is removed, the target stays as it was, and the result is false. */
bool sl_out_close(struct sl_out *o, GError **error);
/* The same for a result that is not whole: the file is called `path`.partial. */
bool sl_out_close_partial(struct sl_out *o, GError **error);
/* Removes the temporary file and frees; NULL is fine. */
void sl_out_abandon(struct sl_out *o);

#endif
