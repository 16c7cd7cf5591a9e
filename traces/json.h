/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON as people write it for rt-app: a tree that keeps the order of members and
 * every duplicate, with the position of each key and value.
 * Lenient form, beyond RFC 8259: block and line comments, trailing commas, single
 * quotes, leading zeros, raw control characters in strings, any case of
 * true/false/null, a key without a value, a template's __NAME__ as a value, text after the
 * end (with a warning).
 * Strict form: RFC 8259, and a duplicate key is an error.
 * Cost: linear in the text; a node is 56 bytes. */
#ifndef SL_JSON_H
#define SL_JSON_H

#include <glib.h>
#include <stdint.h>

#define SL_JSON_DEPTH_MAX 64

#define SL_JSON_ERROR	  (sl_json_error_quark())
GQuark sl_json_error_quark(void);
enum { SL_JSON_ERROR_SYNTAX, SL_JSON_ERROR_VALUE };

enum sl_json_type {
	SL_JSON_NULL,
	SL_JSON_BOOL,	/* text "true" or "false" */
	SL_JSON_NUMBER, /* text as written */
	SL_JSON_STRING, /* text unescaped, valid UTF-8 without NUL */
	SL_JSON_ARRAY,
	SL_JSON_OBJECT,
	SL_JSON_BARE,	     /* a key without a value */
	SL_JSON_PLACEHOLDER, /* __NAME__ of a template that was not filled in; text as written */
};

/* Owned by its document. */
struct sl_json {
	struct sl_json *next;  /* sibling */
	struct sl_json *child; /* first element or member */
	const char *key;       /* NULL in arrays and at the root */
	const char *text;      /* scalars; NULL otherwise */
	uint32_t line, col;    /* of the value, from 1; columns count characters */
	uint32_t key_line, key_col;
	uint32_t n; /* elements or members */
	uint8_t type;
};

struct sl_json_doc;

/* `file` names the text in messages. Warnings (char *, owned by the array; NULL: not
 * wanted) are complete lines. On failure NULL and `file:line:col: ...`. */
struct sl_json_doc *sl_json_parse(const char *text, gsize len, const char *file, gboolean strict,
				  GPtrArray *warnings, GError **error);
void sl_json_doc_free(struct sl_json_doc *doc);
struct sl_json *sl_json_root(const struct sl_json_doc *doc);
const char *sl_json_file(const struct sl_json_doc *doc);

/* First member of that name; NULL when there is none or obj is no object. */
const struct sl_json *sl_json_get(const struct sl_json *obj, const char *key);

/* Second member with the key of an earlier one, or NULL. O(members). */
const struct sl_json *sl_json_duplicate(const struct sl_json *obj);

/* workgen's rule: a repeated key gets the next free number appended (run, run1,
 * run2); only keys for which `which` says so. O(members). */
void sl_json_number_duplicates(struct sl_json_doc *doc, struct sl_json *obj,
			       gboolean (*which)(const char *key));

/* "an object", "a string", ... for messages. */
const char *sl_json_type_name(const struct sl_json *v);

/* Sets `file:line:col: message`. at: a value; its key when at_key. Returns FALSE. */
gboolean sl_json_fail(const struct sl_json_doc *doc, const struct sl_json *at, gboolean at_key,
		      GError **error, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Adds `file:line:col: warning: message`; warnings may be NULL. */
void sl_json_warn(const struct sl_json_doc *doc, const struct sl_json *at, gboolean at_key,
		  GPtrArray *warnings, const char *format, ...) G_GNUC_PRINTF(5, 6);

#endif
