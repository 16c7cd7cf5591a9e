/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: items come out in the order in which they are written, braces turning from
 * right to left as in a shell. */
#include "sim/batch/expand.h"

#include <string.h>

struct expansion {
	GPtrArray *item;
	size_t most, base; /* base: offset of the piece being read */
	struct sl_expand_fault *fault;
};

static bool fail(struct expansion *e, size_t offset, const char *why)
{
	e->fault->offset = e->base + offset;
	g_strlcpy(e->fault->why, why, sizeof(e->fault->why));
	return false;
}

static bool add(struct expansion *e, char *item)
{
	if (e->item->len >= e->most) {
		g_free(item);
		return fail(e, 0, "more items than a sweep may have");
	}
	g_ptr_array_add(e->item, item);
	return true;
}

/* "2..8", "0..100..25", "8..2": true with its numbers. */
static bool is_range(const char *text, int64_t *from, int64_t *to, int64_t *step)
{
	char **part = g_strsplit(text, "..", -1);
	guint n = g_strv_length(part);
	gint64 number[3] = { 0, 0, 0 };
	bool ok = n == 2 || n == 3;

	for (guint i = 0; i < n && ok; i++)
		ok = g_ascii_string_to_signed(part[i], 10, -1000000000000, 1000000000000,
					      &number[i], NULL);
	g_strfreev(part);
	*from = number[0];
	*to = number[1];
	*step = n == 3 ? number[2] : 1;
	return ok;
}

/* Adds prefix + each number + suffix. */
static bool add_range(struct expansion *e, const char *text, size_t offset,
		      bool (*put)(struct expansion *e, char *item, const void *ctx),
		      const void *ctx)
{
	int64_t from, to, step;

	if (!is_range(text, &from, &to, &step))
		return fail(e, offset, "expected a range of whole numbers, a..b or a..b..step");
	if (step <= 0)
		return fail(e, offset, "expected a step of 1 or more");
	if ((uint64_t)(from < to ? to - from : from - to) / (uint64_t)step >= e->most)
		return fail(e, offset, "more items than a sweep may have");
	for (int64_t v = from; from <= to ? v <= to : v >= to; v += from <= to ? step : -step)
		if (!put(e, g_strdup_printf("%" G_GINT64_FORMAT, (gint64)v), ctx))
			return false;
	return true;
}

static bool put_plain(struct expansion *e, char *item, const void *ctx)
{
	(void)ctx;
	return add(e, item);
}

static bool braces(struct expansion *e, const char *before, const char *text, size_t offset);

/* What surrounds one alternative of a brace. */
struct around {
	const char *before; /* expanded already */
	const char *after;
	size_t after_offset;
};

static bool put_between(struct expansion *e, char *item, const void *ctx)
{
	const struct around *a = ctx;
	char *before = g_strconcat(a->before, item, NULL);
	bool ok = braces(e, before, a->after, a->after_offset);

	g_free(before);
	g_free(item);
	return ok;
}

/* Adds `before` + every reading of text, whose first byte is at `offset`. */
static bool braces(struct expansion *e, const char *before, const char *text, size_t offset)
{
	const char *open = strchr(text, '{'), *shut = strchr(text, '}');
	struct around a;
	char *head, *inner, **word;
	bool ok = true;

	if (!open && !shut)
		return add(e, g_strconcat(before, text, NULL));
	if (!open || !shut || shut < open)
		return fail(e, offset + (size_t)((open && !shut ? open : shut) - text),
			    "a brace without its partner");
	head = g_strndup(text, (gsize)(open - text));
	inner = g_strndup(open + 1, (gsize)(shut - open - 1));
	a.before = g_strconcat(before, head, NULL);
	a.after = shut + 1;
	a.after_offset = offset + (size_t)(shut + 1 - text);
	word = g_strsplit(inner, ",", -1);
	for (char **w = word; *w && ok; w++) {
		g_strstrip(*w);
		if (strstr(*w, ".."))
			ok = add_range(e, *w, offset + (size_t)(open - text), put_between, &a);
		else
			ok = put_between(e, g_strdup(*w), &a);
	}
	g_strfreev(word);
	g_free((char *)(uintptr_t)a.before);
	g_free(inner);
	g_free(head);
	return ok;
}

static bool add_piece(struct expansion *e, const char *piece, bool commas)
{
	if (!*piece)
		return fail(e, 0, "an empty item; expected a value");
	if (commas && strstr(piece, "..") && !strchr(piece, '/'))
		return add_range(e, piece, 0, put_plain, NULL);
	if (commas)
		return add(e, g_strdup(piece));
	return braces(e, "", piece, 0);
}

static bool no_twins(struct expansion *e)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
	bool ok = true;

	for (guint i = 0; i < e->item->len && ok; i++)
		if (!g_hash_table_add(seen, e->item->pdata[i])) {
			char *why = g_strdup_printf("\"%.60s\" twice; expected each value once",
						    (char *)e->item->pdata[i]);

			e->base = 0;
			ok = fail(e, 0, why);
			g_free(why);
		}
	g_hash_table_unref(seen);
	return ok;
}

GPtrArray *sl_expand_list(const char *text, bool commas, size_t most, struct sl_expand_fault *fault)
{
	struct expansion e = { .most = most, .fault = fault };
	const char *at = text;
	bool ok = true;

	e.item = g_ptr_array_new_with_free_func(g_free);
	while (ok) {
		size_t n = strcspn(at, commas ? ";," : ";"), lead = strspn(at, " \t");
		char *piece = g_strstrip(g_strndup(at, n));

		e.base = (size_t)(at - text) + MIN(lead, n);
		/* A list may end in its separator, as GKeyFile writes them. */
		ok = (!*piece && !at[n] && e.item->len) || add_piece(&e, piece, commas);
		g_free(piece);
		if (!at[n])
			break;
		at += n + 1;
	}
	if (ok && no_twins(&e))
		return e.item;
	g_ptr_array_unref(e.item);
	return NULL;
}
