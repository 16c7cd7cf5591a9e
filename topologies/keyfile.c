/* SPDX-License-Identifier: BSD-2-Clause
 *
 * GKeyFile knows no positions, so the lines are looked at here first; GKeyFile then
 * only sees files of which each line is known to be good.
 * Invariant: a file that passes has exactly the groups and keys of its schema. */
#include "topologies/keyfile.h"

#include <string.h>

struct line {
	size_t start, end; /* without blanks around */
	size_t equals;	   /* offset of '=', or end */
};

/* The line at *at, and *at moved behind it; false at the end of the text. */
static bool next_line(const struct sl_input *in, size_t *at, struct line *l)
{
	const char *newline;

	if (*at >= in->len)
		return false;
	newline = memchr(in->text + *at, '\n', in->len - *at);
	l->start = *at;
	l->end = newline != NULL ? (size_t)(newline - in->text) : in->len;
	*at = l->end + 1;
	while (l->start < l->end && g_ascii_isspace(in->text[l->start]))
		l->start++;
	while (l->end > l->start && g_ascii_isspace(in->text[l->end - 1]))
		l->end--;
	l->equals = l->start;
	while (l->equals < l->end && in->text[l->equals] != '=')
		l->equals++;
	return true;
}

static char *key_of(const struct sl_input *in, const struct line *l)
{
	return g_strchomp(g_strndup(in->text + l->start, l->equals - l->start));
}

static bool check_group(const struct sl_input *in, const struct line *l,
			const struct sl_key_schema *schema, bool again, GError **error)
{
	size_t n = strlen(schema->group);
	const char *text = in->text + l->start;

	if (l->end - l->start == n + 2 && text[n + 1] == ']' &&
	    strncmp(text + 1, schema->group, n) == 0) {
		if (again)
			sl_input_fail_at(in, l->start, error, "group [%s] again; expected it once",
					 schema->group);
		return !again;
	}
	sl_input_fail_at(in, l->start, error, "group %.*s; expected [%s]",
			 (int)MIN(l->end - l->start, 40), text, schema->group);
	return false;
}

static bool check_key(const struct sl_input *in, const struct line *l,
		      const struct sl_key_schema *schema, GHashTable *seen, GError **error)
{
	g_autofree char *key = key_of(in, l), *hint = NULL, *all = NULL;
	bool known = false;

	if (l->equals == l->end) {
		sl_input_fail_at(in, l->start, error, "expected key=value, [%s] or a comment (#)",
				 schema->group);
		return false;
	}
	for (size_t i = 0; i < schema->n_keys; i++)
		known = known || strcmp(key, schema->key[i]) == 0;
	if (!known) {
		GString *list = g_string_new(NULL);

		for (size_t i = 0; i < schema->n_keys; i++)
			g_string_append_printf(list, "%s%s", i > 0 ? ", " : "", schema->key[i]);
		all = g_string_free(list, FALSE);
		hint = sl_did_you_mean(key, schema->key, schema->n_keys);
		sl_input_fail_at(in, l->start, error, "unknown key '%.40s'%s; expected one of %s",
				 key, hint, all);
		return false;
	}
	if (!g_hash_table_add(seen, g_steal_pointer(&key))) {
		sl_input_fail_at(in, l->start, error, "a key is given twice; expected it once");
		return false;
	}
	return true;
}

static bool check_lines(const struct sl_input *in, const struct sl_key_schema *schema,
			GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	bool in_group = false;
	struct line l;
	size_t at = 0;

	while (next_line(in, &at, &l)) {
		if (l.start == l.end || in->text[l.start] == '#')
			continue;
		if (in->text[l.start] == '[') {
			if (!check_group(in, &l, schema, in_group, error))
				return false;
			in_group = true;
		} else if (!in_group) {
			sl_input_fail_at(in, l.start, error, "expected the group [%s] first",
					 schema->group);
			return false;
		} else if (!check_key(in, &l, schema, seen, error)) {
			return false;
		}
	}
	if (!in_group)
		sl_input_fail_at(in, in->len, error, "expected the group [%s]", schema->group);
	return in_group;
}

GKeyFile *sl_keyfile_parse(const struct sl_input *in, const struct sl_key_schema *schema,
			   GError **error)
{
	g_autoptr(GKeyFile) file = g_key_file_new();
	g_autoptr(GError) own = NULL;

	if (!sl_input_check_text(in, error) || !check_lines(in, schema, error))
		return NULL;
	if (!g_key_file_load_from_data(file, in->text, in->len, G_KEY_FILE_KEEP_COMMENTS, &own)) {
		sl_input_fail(in, 1, 1, error, "%s", own->message);
		return NULL;
	}
	return g_steal_pointer(&file);
}

size_t sl_keyfile_value(const struct sl_input *in, const char *key, size_t *len)
{
	struct line l;
	size_t at = 0, value;

	while (next_line(in, &at, &l)) {
		g_autofree char *name = key_of(in, &l);

		if (in->text[l.start] == '#' || l.equals == l.end || strcmp(name, key) != 0)
			continue;
		value = l.equals + 1;
		while (value < l.end && g_ascii_isspace(in->text[value]))
			value++;
		*len = l.end - value;
		return value;
	}
	*len = 0;
	return 0;
}
