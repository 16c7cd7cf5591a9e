/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: `p` never passes `end`, line and column are those of `p`, and the tree
 * owns copies only, so the text may go away after parsing. */
#include "traces/json.h"

#include <string.h>

/* Blocks double, so that a small file, read a million times by a sweep, clears little memory. */
#define NODES_FIRST 16
#define NODES_MOST  1024
#define FEW_MEMBERS 16

struct sl_json_doc {
	char *file;
	GStringChunk *strings;
	GPtrArray *blocks;   /* of arrays of struct sl_json */
	uint32_t used, size; /* of the last block */
	struct sl_json *root;
};

struct parser {
	struct sl_json_doc *doc;
	const char *p, *end;
	uint32_t line, col;
	uint32_t depth;
	gboolean strict;
	GPtrArray *warnings;
	GString *scratch;
	GError **error;
};

G_DEFINE_QUARK(sl - json - error - quark, sl_json_error)

static struct sl_json *node_new(struct sl_json_doc *doc)
{
	struct sl_json *block;

	if (doc->used == doc->size) {
		doc->size = CLAMP(2 * doc->size, NODES_FIRST, NODES_MOST);
		g_ptr_array_add(doc->blocks, g_new0(struct sl_json, doc->size));
		doc->used = 0;
	}
	block = g_ptr_array_index(doc->blocks, doc->blocks->len - 1);
	return &block[doc->used++];
}

static gboolean fail(struct parser *ps, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean fail(struct parser *ps, const char *format, ...)
{
	va_list args;
	char *what;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(ps->error, SL_JSON_ERROR, SL_JSON_ERROR_SYNTAX, "%s:%u:%u: %s", ps->doc->file,
		    ps->line, ps->col, what);
	g_free(what);
	return FALSE;
}

/* What stands at p, for messages: a quoted character, a byte or the end. */
static const char *here(const struct parser *ps, char buf[32])
{
	gunichar c;

	if (ps->p == ps->end)
		return "the end of the text";
	c = g_utf8_get_char_validated(ps->p, ps->end - ps->p);
	if (c == (gunichar)-1 || c == (gunichar)-2 || !g_unichar_isprint(c))
		g_snprintf(buf, 32, "byte 0x%02x", (unsigned char)*ps->p);
	else
		g_snprintf(buf, 32, "'%.*s'", (int)g_unichar_to_utf8(c, NULL), ps->p);
	return buf;
}

static void advance(struct parser *ps)
{
	if (*ps->p == '\n') {
		ps->line++;
		ps->col = 1;
	} else if ((*ps->p & 0xc0) != 0x80) {
		ps->col++;
	}
	ps->p++;
}

static gboolean skip_comment(struct parser *ps)
{
	uint32_t line = ps->line, col = ps->col;
	gboolean block;

	if (ps->strict)
		return fail(ps, "comment, but --strict allows none");
	if (ps->end - ps->p < 2 || (ps->p[1] != '*' && ps->p[1] != '/'))
		return fail(ps, "'/' begins neither // nor /* comment");
	block = ps->p[1] == '*';
	advance(ps);
	advance(ps);
	while (ps->p < ps->end) {
		if (block && *ps->p == '*' && ps->end - ps->p > 1 && ps->p[1] == '/') {
			advance(ps);
			advance(ps);
			return TRUE;
		}
		if (!block && *ps->p == '\n')
			return TRUE;
		advance(ps);
	}
	if (!block)
		return TRUE;
	ps->line = line;
	ps->col = col;
	return fail(ps, "comment without end, expected */");
}

static gboolean skip_space(struct parser *ps)
{
	while (ps->p < ps->end) {
		char c = *ps->p;

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			advance(ps);
		} else if (c == '/') {
			if (!skip_comment(ps))
				return FALSE;
		} else {
			break;
		}
	}
	return TRUE;
}

/* Four hexadecimal digits after \u; -1 when they are not. */
static int hex4(struct parser *ps)
{
	int v = 0;

	if (ps->end - ps->p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int d = g_ascii_xdigit_value(*ps->p);

		if (d < 0)
			return -1;
		v = v * 16 + d;
		advance(ps);
	}
	return v;
}

static gboolean parse_unicode_escape(struct parser *ps)
{
	int v = hex4(ps);
	gunichar c = (gunichar)v;

	if (v >= 0xd800 && v < 0xdc00 && ps->end - ps->p >= 2 && ps->p[0] == '\\' &&
	    ps->p[1] == 'u') {
		int low;

		advance(ps);
		advance(ps);
		low = hex4(ps);
		if (low < 0xdc00 || low > 0xdfff)
			return fail(ps, "high surrogate without a low one");
		c = 0x10000 + ((gunichar)(v - 0xd800) << 10) + (gunichar)(low - 0xdc00);
	}
	if (v <= 0 || (c >= 0xd800 && c < 0xe000))
		return fail(ps, "\\u needs four hexadecimal digits of a character but NUL");
	g_string_append_unichar(ps->scratch, c);
	return TRUE;
}

static gboolean parse_escape(struct parser *ps)
{
	static const char from[] = "\"\\/bfnrt'";
	static const char to[] = "\"\\/\b\f\n\r\t'";
	const char *at;

	advance(ps);
	if (ps->p == ps->end)
		return fail(ps, "the text ends inside a string");
	if (*ps->p == 'u') {
		advance(ps);
		return parse_unicode_escape(ps);
	}
	at = *ps->p ? strchr(from, *ps->p) : NULL;
	if (!at || (ps->strict && *at == '\''))
		return fail(
			ps,
			"unknown escape, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
	g_string_append_c(ps->scratch, to[at - from]);
	advance(ps);
	return TRUE;
}

/* At an opening quote. The result belongs to the document. */
static const char *parse_string(struct parser *ps)
{
	char quote = *ps->p;
	uint32_t line = ps->line, col = ps->col;

	g_string_truncate(ps->scratch, 0);
	advance(ps);
	for (;;) {
		if (ps->p == ps->end) {
			ps->line = line;
			ps->col = col;
			fail(ps, "string without end, expected %c", quote);
			return NULL;
		}
		if (*ps->p == quote)
			break;
		if (*ps->p == '\\') {
			if (!parse_escape(ps))
				return NULL;
			continue;
		}
		if (*ps->p == '\0' || (ps->strict && (unsigned char)*ps->p < 0x20)) {
			fail(ps, "control character in a string, expected an escape");
			return NULL;
		}
		g_string_append_c(ps->scratch, *ps->p);
		advance(ps);
	}
	if (!g_utf8_validate(ps->scratch->str, (gssize)ps->scratch->len, NULL)) {
		ps->line = line;
		ps->col = col;
		fail(ps, "string is not UTF-8");
		return NULL;
	}
	advance(ps);
	return g_string_chunk_insert_len(ps->doc->strings, ps->scratch->str,
					 (gssize)ps->scratch->len);
}

static size_t skip_digits(struct parser *ps)
{
	const char *start = ps->p;

	while (ps->p < ps->end && g_ascii_isdigit(*ps->p))
		advance(ps);
	return (size_t)(ps->p - start);
}

static gboolean parse_number(struct parser *ps, struct sl_json *v)
{
	const char *start = ps->p, *digits;

	if (*ps->p == '-' || *ps->p == '+')
		advance(ps);
	digits = ps->p;
	if (skip_digits(ps) == 0)
		return fail(ps, "number without digits");
	if (ps->strict && (*start == '+' || (*digits == '0' && ps->p - digits > 1)))
		return fail(ps, "leading + or 0 in a number, but --strict allows none");
	if (ps->p < ps->end && *ps->p == '.') {
		advance(ps);
		if (skip_digits(ps) == 0)
			return fail(ps, "number without digits after the point");
	}
	if (ps->p < ps->end && (*ps->p == 'e' || *ps->p == 'E')) {
		advance(ps);
		if (ps->p < ps->end && (*ps->p == '-' || *ps->p == '+'))
			advance(ps);
		if (skip_digits(ps) == 0)
			return fail(ps, "number without digits in the exponent");
	}
	v->type = SL_JSON_NUMBER;
	v->text = g_string_chunk_insert_len(ps->doc->strings, start, ps->p - start);
	return TRUE;
}

static gboolean parse_word(struct parser *ps, struct sl_json *v)
{
	static const struct {
		const char *word;
		uint8_t type;
	} words[] = {
		{ "true", SL_JSON_BOOL },
		{ "false", SL_JSON_BOOL },
		{ "null", SL_JSON_NULL },
	};
	const char *start = ps->p;
	uint32_t line = ps->line, col = ps->col;
	char buf[32];
	size_t len = 0;

	while (start + len < ps->end && (g_ascii_isalnum(start[len]) || start[len] == '_'))
		len++;
	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		int differ = ps->strict ? strncmp(start, words[i].word, len)
					: g_ascii_strncasecmp(start, words[i].word, len);

		if (len != strlen(words[i].word) || differ)
			continue;
		v->type = words[i].type;
		v->text = words[i].word;
		for (size_t k = 0; k < len; k++)
			advance(ps);
		return TRUE;
	}
	if (!ps->strict && len > 4 && strncmp(start, "__", 2) == 0 &&
	    strncmp(start + len - 2, "__", 2) == 0) {
		v->type = SL_JSON_PLACEHOLDER;
		v->text = g_string_chunk_insert_len(ps->doc->strings, start, (gssize)len);
		for (size_t k = 0; k < len; k++)
			advance(ps);
		return TRUE;
	}
	ps->line = line;
	ps->col = col;
	if (len > 0)
		return fail(ps, "unknown word '%.*s', expected a value", (int)MIN(len, 60), start);
	return fail(ps, "%s, expected a value", here(ps, buf));
}

static gboolean parse_value(struct parser *ps, struct sl_json *v);

/* After a key: ':' and the value, or nothing (a bare key). */
static gboolean parse_member_value(struct parser *ps, struct sl_json *v)
{
	char buf[32];

	if (!skip_space(ps))
		return FALSE;
	if (ps->p < ps->end && *ps->p == ':') {
		advance(ps);
		return skip_space(ps) && parse_value(ps, v);
	}
	if (!ps->strict && ps->p < ps->end && (*ps->p == ',' || *ps->p == '}')) {
		v->type = SL_JSON_BARE;
		v->line = v->key_line;
		v->col = v->key_col;
		return TRUE;
	}
	return fail(ps, "%s after the key \"%s\", expected ':'", here(ps, buf), v->key);
}

static gboolean parse_member(struct parser *ps, struct sl_json *v)
{
	char buf[32];

	v->key_line = ps->line;
	v->key_col = ps->col;
	if (ps->p == ps->end || (*ps->p != '"' && (*ps->p != '\'' || ps->strict)))
		return fail(ps, "%s, expected a quoted key or '}'", here(ps, buf));
	v->key = parse_string(ps);
	return v->key && parse_member_value(ps, v);
}

/* At '[' or '{'. */
static gboolean parse_list(struct parser *ps, struct sl_json *v)
{
	gboolean object = *ps->p == '{';
	char close = object ? '}' : ']', buf[32];
	struct sl_json **tail = &v->child;

	v->type = object ? SL_JSON_OBJECT : SL_JSON_ARRAY;
	if (ps->depth == SL_JSON_DEPTH_MAX)
		return fail(ps, "nested deeper than %d", SL_JSON_DEPTH_MAX);
	ps->depth++;
	advance(ps);
	for (;;) {
		struct sl_json *item;

		if (!skip_space(ps))
			return FALSE;
		if (ps->p < ps->end && *ps->p == close) {
			if (ps->strict && v->n > 0)
				return fail(ps, "comma before '%c', but --strict allows none",
					    close);
			break;
		}
		item = node_new(ps->doc);
		if (!(object ? parse_member(ps, item) : parse_value(ps, item)))
			return FALSE;
		*tail = item;
		tail = &item->next;
		v->n++;
		if (!skip_space(ps))
			return FALSE;
		if (ps->p < ps->end && *ps->p == close)
			break;
		if (ps->p == ps->end || *ps->p != ',')
			return fail(ps, "%s, expected ',' or '%c'", here(ps, buf), close);
		advance(ps);
	}
	advance(ps);
	ps->depth--;
	return TRUE;
}

static gboolean parse_value(struct parser *ps, struct sl_json *v)
{
	char c = ps->p < ps->end ? *ps->p : '\0';

	v->line = ps->line;
	v->col = ps->col;
	if (c == '{' || c == '[')
		return parse_list(ps, v);
	if (c == '"' || (c == '\'' && !ps->strict)) {
		v->type = SL_JSON_STRING;
		v->text = parse_string(ps);
		return v->text != NULL;
	}
	if (g_ascii_isdigit(c) || c == '-' || (c == '+' && !ps->strict))
		return parse_number(ps, v);
	return parse_word(ps, v);
}

/* Walks the whole tree; recursion is bounded by SL_JSON_DEPTH_MAX. */
static gboolean refuse_duplicates(struct sl_json_doc *doc, struct sl_json *v, GError **error)
{
	const struct sl_json *twice = sl_json_duplicate(v);

	if (twice)
		return sl_json_fail(doc, twice, TRUE, error,
				    "the key \"%s\" occurs twice, but --strict allows it once",
				    twice->key);
	for (struct sl_json *c = v->child; c; c = c->next)
		if (!refuse_duplicates(doc, c, error))
			return FALSE;
	return TRUE;
}

static gboolean parse_document(struct parser *ps)
{
	char buf[32];

	if (ps->end - ps->p >= 3 && memcmp(ps->p, "\xef\xbb\xbf", 3) == 0)
		ps->p += 3;
	if (!skip_space(ps))
		return FALSE;
	ps->doc->root = node_new(ps->doc);
	if (!parse_value(ps, ps->doc->root) || !skip_space(ps))
		return FALSE;
	if (ps->p == ps->end)
		return !ps->strict || refuse_duplicates(ps->doc, ps->doc->root, ps->error);
	if (ps->strict)
		return fail(ps, "%s after the end of the document", here(ps, buf));
	if (ps->warnings)
		g_ptr_array_add(
			ps->warnings,
			g_strdup_printf("%s:%u:%u: warning: %s and what follows comes after "
					"the end of the document and is ignored",
					ps->doc->file, ps->line, ps->col, here(ps, buf)));
	return TRUE;
}

struct sl_json_doc *sl_json_parse(const char *text, gsize len, const char *file, gboolean strict,
				  GPtrArray *warnings, GError **error)
{
	struct sl_json_doc *doc = g_new0(struct sl_json_doc, 1);
	struct parser ps = {
		.doc = doc,
		.p = text,
		.end = text + len,
		.line = 1,
		.col = 1,
		.strict = strict,
		.warnings = warnings,
		.error = error,
	};
	gboolean good;

	doc->file = g_strdup(file);
	doc->strings = g_string_chunk_new(4096);
	doc->blocks = g_ptr_array_new_with_free_func(g_free);
	ps.scratch = g_string_new(NULL);
	good = parse_document(&ps);
	g_string_free(ps.scratch, TRUE);
	if (good)
		return doc;
	sl_json_doc_free(doc);
	return NULL;
}

void sl_json_doc_free(struct sl_json_doc *doc)
{
	if (!doc)
		return;
	g_ptr_array_free(doc->blocks, TRUE);
	g_string_chunk_free(doc->strings);
	g_free(doc->file);
	g_free(doc);
}

struct sl_json *sl_json_root(const struct sl_json_doc *doc)
{
	return doc->root;
}

const char *sl_json_file(const struct sl_json_doc *doc)
{
	return doc->file;
}

const struct sl_json *sl_json_get(const struct sl_json *obj, const char *key)
{
	if (!obj || obj->type != SL_JSON_OBJECT)
		return NULL;
	for (const struct sl_json *v = obj->child; v; v = v->next)
		if (strcmp(v->key, key) == 0)
			return v;
	return NULL;
}

/* Comparing all pairs is cheaper than a table for the usual small object. */
static const struct sl_json *duplicate_of_few(const struct sl_json *obj)
{
	for (const struct sl_json *v = obj->child; v; v = v->next)
		for (const struct sl_json *u = obj->child; u != v; u = u->next)
			if (*u->key == *v->key && strcmp(u->key, v->key) == 0)
				return v;
	return NULL;
}

const struct sl_json *sl_json_duplicate(const struct sl_json *obj)
{
	const struct sl_json *found = NULL;
	GHashTable *seen;

	if (!obj || obj->type != SL_JSON_OBJECT || obj->n < 2)
		return NULL;
	if (obj->n <= FEW_MEMBERS)
		return duplicate_of_few(obj);
	seen = g_hash_table_new(g_str_hash, g_str_equal);
	for (const struct sl_json *v = obj->child; v && !found; v = v->next)
		if (!g_hash_table_add(seen, (gpointer)v->key))
			found = v;
	g_hash_table_destroy(seen);
	return found;
}

void sl_json_number_duplicates(struct sl_json_doc *doc, struct sl_json *obj,
			       gboolean (*which)(const char *key))
{
	GHashTable *seen, *next;

	if (!sl_json_duplicate(obj))
		return;
	seen = g_hash_table_new(g_str_hash, g_str_equal);
	next = g_hash_table_new(g_str_hash, g_str_equal);
	for (struct sl_json *v = obj->child; v; v = v->next)
		g_hash_table_add(seen, (gpointer)v->key);
	for (struct sl_json *v = obj->child; v; v = v->next) {
		guint number = GPOINTER_TO_UINT(g_hash_table_lookup(next, v->key));
		char *name = NULL;

		if (number == 0 || !which(v->key)) {
			g_hash_table_insert(next, (gpointer)v->key, GUINT_TO_POINTER(1));
			continue;
		}
		do {
			g_free(name);
			name = g_strdup_printf("%s%u", v->key, number++);
		} while (g_hash_table_contains(seen, name));
		g_hash_table_insert(next, (gpointer)v->key, GUINT_TO_POINTER(number));
		v->key = g_string_chunk_insert(doc->strings, name);
		g_hash_table_add(seen, (gpointer)v->key);
		g_free(name);
	}
	g_hash_table_destroy(seen);
	g_hash_table_destroy(next);
}

const char *sl_json_type_name(const struct sl_json *v)
{
	static const char *const names[] = {
		[SL_JSON_NULL] = "null",       [SL_JSON_BOOL] = "true or false",
		[SL_JSON_NUMBER] = "a number", [SL_JSON_STRING] = "a string",
		[SL_JSON_ARRAY] = "a list",    [SL_JSON_OBJECT] = "an object",
		[SL_JSON_BARE] = "no value",   [SL_JSON_PLACEHOLDER] = "a template's placeholder",
	};

	return names[v->type];
}

static char *message(const struct sl_json_doc *doc, const struct sl_json *at, gboolean at_key,
		     const char *kind, const char *format, va_list args) G_GNUC_PRINTF(5, 0);

static char *message(const struct sl_json_doc *doc, const struct sl_json *at, gboolean at_key,
		     const char *kind, const char *format, va_list args)
{
	gboolean key = at_key && at->key;
	char *what = g_strdup_vprintf(format, args);
	char *line = g_strdup_printf("%s:%u:%u: %s%s", doc->file, key ? at->key_line : at->line,
				     key ? at->key_col : at->col, kind, what);

	g_free(what);
	return line;
}

gboolean sl_json_fail(const struct sl_json_doc *doc, const struct sl_json *at, gboolean at_key,
		      GError **error, const char *format, ...)
{
	va_list args;
	char *line;

	va_start(args, format);
	line = message(doc, at, at_key, "", format, args);
	va_end(args);
	g_set_error_literal(error, SL_JSON_ERROR, SL_JSON_ERROR_VALUE, line);
	g_free(line);
	return FALSE;
}

void sl_json_warn(const struct sl_json_doc *doc, const struct sl_json *at, gboolean at_key,
		  GPtrArray *warnings, const char *format, ...)
{
	va_list args;

	if (!warnings)
		return;
	va_start(args, format);
	g_ptr_array_add(warnings, message(doc, at, at_key, "warning: ", format, args));
	va_end(args);
}
