/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a sweep that was returned has at least one cell, every list at least one
 * item, and discard < runs. GKeyFile keeps no positions, so lines are read here; the
 * syntax is its own. */
#include "sim/batch/sweep_file.h"

#include <string.h>

#include "sim/batch/expand.h"

/* Keys of axes, in enum sl_axis order. */
static const char *const axis_key[SL_AXES] = {
	"topologies", "costs", "cpusets", "workloads", "policies",
};

struct reader {
	struct sl_sweep *sweep;
	struct sl_input in;
	struct sl_sweep_block *defaults, *at; /* at: the group being read */
	GHashTable *seen;		      /* keys of the group being read */
	GHashTable *names;		      /* of groups */
	uint32_t line;
	GError **error;
};

static void list_clear(struct sl_sweep_list *list)
{
	if (list->item)
		g_ptr_array_unref(list->item);
	list->item = NULL;
}

static void free_param(gpointer data)
{
	struct sl_sweep_param *p = data;

	list_clear(&p->value);
	g_free(p->name);
	g_free(p);
}

static void free_block(gpointer data)
{
	struct sl_sweep_block *b = data;

	for (int i = 0; i < SL_AXES; i++)
		list_clear(&b->axis[i]);
	if (b->metric)
		g_ptr_array_unref(b->metric);
	g_ptr_array_unref(b->param);
	g_free(b->until);
	g_free(b->name);
	g_free(b);
}

/* Numbers that a group has not been given yet; runs: 0. */
#define UNSET_DISCARD UINT32_MAX
#define UNSET_SEED    UINT64_MAX

static struct sl_sweep_block *new_block(const char *name, uint32_t line)
{
	struct sl_sweep_block *b = g_new0(struct sl_sweep_block, 1);

	b->discard = UNSET_DISCARD;
	b->seed = UNSET_SEED;
	b->name = g_strdup(name);
	b->line = line;
	b->param = g_ptr_array_new_with_free_func(free_param);
	return b;
}

void sl_sweep_free(struct sl_sweep *sweep)
{
	if (!sweep)
		return;
	g_ptr_array_unref(sweep->block);
	g_free(sweep->name);
	g_free(sweep->path);
	g_free(sweep->text);
	g_free(sweep);
}

void sl_sweep_fail(const struct sl_sweep *sweep, uint32_t line, uint32_t col, GError **error,
		   const char *format, ...)
{
	const struct sl_input in = { .name = sweep->path };
	va_list args;
	char *text;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	sl_input_fail(&in, line, col, error, "%s", text);
	g_free(text);
}

static bool read_list(struct reader *r, struct sl_sweep_list *list, const char *value, uint32_t col,
		      bool commas)
{
	struct sl_expand_fault fault;

	list_clear(list);
	list->line = r->line;
	list->col = col;
	list->item = sl_expand_list(value, commas, SL_SWEEP_MOST_CELLS, &fault);
	if (list->item)
		return true;
	sl_sweep_fail(r->sweep, r->line, col + (uint32_t)fault.offset, r->error, "%s", fault.why);
	return false;
}

static bool read_number(struct reader *r, const char *key, const char *value, uint32_t col,
			uint64_t least, uint64_t most, uint64_t *to)
{
	guint64 number;

	if (g_ascii_string_to_unsigned(value, 10, least, most, &number, NULL)) {
		*to = number;
		return true;
	}
	sl_sweep_fail(r->sweep, r->line, col, r->error,
		      "%s is \"%.40s\"; expected a whole number from %" G_GUINT64_FORMAT
		      " to %" G_GUINT64_FORMAT,
		      key, value, (guint64)least, (guint64)most);
	return false;
}

static bool read_runs(struct reader *r, const char *value, uint32_t col)
{
	uint64_t n = 0;
	bool ok = read_number(r, "runs", value, col, 1, SL_SWEEP_MOST_RUNS, &n);

	r->at->runs = (uint32_t)n;
	return ok;
}

static bool read_discard(struct reader *r, const char *value, uint32_t col)
{
	uint64_t n = 0;
	bool ok = read_number(r, "discard", value, col, 0, SL_SWEEP_MOST_RUNS - 1, &n);

	r->at->discard = (uint32_t)n;
	return ok;
}

static bool read_seed(struct reader *r, const char *value, uint32_t col)
{
	return read_number(r, "seed", value, col, 0, INT64_MAX - SL_SWEEP_MOST_RUNS, &r->at->seed);
}

static bool read_until(struct reader *r, const char *value, uint32_t col)
{
	g_free(r->at->until);
	r->at->until = g_strdup(value);
	r->at->until_line = r->line;
	r->at->until_col = col;
	return true;
}

static bool read_metrics(struct reader *r, const char *value, uint32_t col)
{
	struct sl_sweep_list list = { 0 };
	bool ok = read_list(r, &list, value, col, true);

	if (r->at->metric)
		g_ptr_array_unref(r->at->metric);
	r->at->metric = list.item;
	r->at->metric_line = r->line;
	r->at->metric_col = col;
	return ok;
}

static bool read_name(struct reader *r, const char *value, uint32_t col)
{
	(void)col;
	if (r->at == r->defaults) {
		g_free(r->sweep->name);
		r->sweep->name = g_strdup(value);
		return true;
	}
	sl_sweep_fail(r->sweep, r->line, 1, r->error,
		      "a group of cells is named in its heading, [cells NAME]");
	return false;
}

static const struct {
	const char *key;
	bool (*read)(struct reader *r, const char *value, uint32_t col);
} scalars[] = {
	{ "name", read_name }, { "runs", read_runs },	{ "discard", read_discard },
	{ "seed", read_seed }, { "until", read_until }, { "metrics", read_metrics },
};

static bool read_param(struct reader *r, const char *key, const char *value, uint32_t col)
{
	const char *known[SL_AXES + SL_ARRAY_LEN(scalars)];
	struct sl_sweep_param *p;
	char *hint;

	for (size_t i = 0; i < SL_ARRAY_LEN(known); i++)
		known[i] = i < SL_AXES ? axis_key[i] : scalars[i - SL_AXES].key;
	if (r->at == r->defaults) {
		hint = sl_did_you_mean(key, known, SL_ARRAY_LEN(known));
		sl_sweep_fail(
			r->sweep, r->line, 1, r->error,
			"unknown key \"%.40s\"%s; expected name, topologies, costs, cpusets, "
			"workloads, policies, runs, discard, seed, until or metrics (workload "
			"parameters belong into [cells ...])",
			key, hint);
		g_free(hint);
		return false;
	}
	p = g_new0(struct sl_sweep_param, 1);
	p->name = g_strdup(key);
	g_ptr_array_add(r->at->param, p);
	return read_list(r, &p->value, value, col, true);
}

static bool read_key(struct reader *r, const char *key, const char *value, uint32_t col)
{
	if (!*key) {
		sl_sweep_fail(r->sweep, r->line, 1, r->error, "expected a key before \"=\"");
		return false;
	}
	if (!g_hash_table_add(r->seen, g_strdup(key))) {
		sl_sweep_fail(r->sweep, r->line, 1, r->error,
			      "key \"%.40s\" again; expected it once in a group", key);
		return false;
	}
	if (!*value) {
		sl_sweep_fail(r->sweep, r->line, col, r->error, "%.40s is empty; expected a value",
			      key);
		return false;
	}
	for (size_t i = 0; i < SL_ARRAY_LEN(scalars); i++)
		if (strcmp(key, scalars[i].key) == 0)
			return scalars[i].read(r, value, col);
	for (int i = 0; i < SL_AXES; i++)
		if (strcmp(key, axis_key[i]) == 0)
			return read_list(r, &r->at->axis[i], value, col, false);
	return read_param(r, key, value, col);
}

static bool read_group(struct reader *r, const char *line)
{
	size_t n = strlen(line);
	char *name;

	g_hash_table_remove_all(r->seen);
	if (strcmp(line, "[sweep]") == 0) {
		if (r->sweep->block->len || g_hash_table_contains(r->names, "")) {
			sl_sweep_fail(r->sweep, r->line, 1, r->error,
				      "[sweep] again or late; expected it once, before the cells");
			return false;
		}
		g_hash_table_add(r->names, g_strdup(""));
		r->at = r->defaults;
		return true;
	}
	if (!g_str_has_prefix(line, "[cells ") || line[n - 1] != ']' || n < 9) {
		sl_sweep_fail(r->sweep, r->line, 1, r->error,
			      "group %.40s; expected [sweep] or [cells NAME]", line);
		return false;
	}
	name = g_strstrip(g_strndup(line + 7, n - 8));
	if (!*name || !g_hash_table_add(r->names, g_strdup(name))) {
		sl_sweep_fail(r->sweep, r->line, 1, r->error,
			      "[cells %.40s]: expected a name that no other group has", name);
		g_free(name);
		return false;
	}
	r->at = new_block(name, r->line);
	g_ptr_array_add(r->sweep->block, r->at);
	g_free(name);
	return true;
}

static bool read_line(struct reader *r, char *line)
{
	char *equals, *value;
	uint32_t indent = (uint32_t)strspn(line, " \t");
	char *text = line + indent;

	g_strchomp(text);
	if (!*text || *text == '#')
		return true;
	if (*text == '[')
		return read_group(r, text);
	equals = strchr(text, '=');
	if (!equals || !r->at) {
		sl_sweep_fail(r->sweep, r->line, indent + 1, r->error,
			      r->at ? "expected key = value, [cells NAME] or a comment (#)"
				    : "expected [sweep] or [cells NAME] first");
		return false;
	}
	*equals = 0;
	value = equals + 1;
	value += strspn(value, " \t");
	g_strchomp(text);
	return read_key(r, text, value, (uint32_t)(value - line) + 1);
}

static GPtrArray *one_word(const char *word)
{
	GPtrArray *a = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(a, g_strdup(word));
	return a;
}

/* Fills what a group does not say from [sweep], and what that does not say. */
static bool complete(struct reader *r, struct sl_sweep_block *b)
{
	static const char *const standard[SL_AXES] = { NULL, SL_SWEEP_AUTO, SL_SWEEP_ALL, NULL,
						       NULL };
	const struct sl_sweep_block *d = r->defaults;

	for (int i = 0; i < SL_AXES; i++) {
		struct sl_sweep_list *list = &b->axis[i];

		if (list->item)
			continue;
		if (d->axis[i].item) {
			*list = d->axis[i];
			g_ptr_array_ref(list->item);
		} else if (standard[i]) {
			list->item = one_word(standard[i]);
			list->line = b->line;
			list->col = 1;
		} else {
			sl_sweep_fail(r->sweep, b->line, 1, r->error,
				      "[cells %s] has no %s, nor has [sweep]", b->name,
				      axis_key[i]);
			return false;
		}
	}
	if (!b->metric && d->metric) {
		b->metric = g_ptr_array_ref(d->metric);
		b->metric_line = d->metric_line;
		b->metric_col = d->metric_col;
	} else if (!b->metric) {
		b->metric = one_word("real");
	}
	if (!b->until && d->until) {
		b->until = g_strdup(d->until);
		b->until_line = d->until_line;
		b->until_col = d->until_col;
	}
	if (b->discard < b->runs)
		return true;
	sl_sweep_fail(
		r->sweep, b->line, 1, r->error,
		"[cells %s]: %u runs of which %u are discarded; expected at least one to stay",
		b->name, b->runs, b->discard);
	return false;
}

/* Lines are cut in a copy; the sweep keeps the text as it was. */
static bool read_lines(struct reader *r)
{
	char *copy = g_strdup(r->sweep->text), *line = copy;
	bool ok = true;

	while (ok && line) {
		char *end = strchr(line, '\n');

		if (end)
			*end++ = 0;
		r->line++;
		ok = read_line(r, line);
		line = end;
	}
	g_free(copy);
	return ok;
}

static void inherit_numbers(struct sl_sweep_block *b, const struct sl_sweep_block *d)
{
	if (b->runs == 0)
		b->runs = d->runs;
	if (b->discard == UNSET_DISCARD)
		b->discard = d->discard;
	if (b->seed == UNSET_SEED)
		b->seed = d->seed;
}

static bool read_all(struct reader *r)
{
	struct sl_sweep *s = r->sweep;

	if (!sl_input_check_text(&r->in, r->error) || !read_lines(r))
		return false;
	if (s->block->len == 0) {
		sl_sweep_fail(s, r->line, 1, r->error, "expected at least one group [cells NAME]");
		return false;
	}
	for (guint i = 0; i < s->block->len; i++) {
		inherit_numbers(s->block->pdata[i], r->defaults);
		if (!complete(r, s->block->pdata[i]))
			return false;
	}
	return sl_sweep_count(s, r->error) > 0;
}

struct sl_sweep *sl_sweep_parse(const char *path, const char *text, size_t len, GError **error)
{
	struct reader r = { .in = { .name = path, .text = text, .len = len }, .error = error };
	struct sl_sweep *s = g_new0(struct sl_sweep, 1);
	bool ok;

	s->path = g_strdup(path);
	s->name = g_path_get_basename(path);
	if (g_str_has_suffix(s->name, ".sweep"))
		s->name[strlen(s->name) - strlen(".sweep")] = 0;
	s->text = g_strndup(text, len);
	s->block = g_ptr_array_new_with_free_func(free_block);
	r.sweep = s;
	r.defaults = new_block("", 1);
	r.defaults->runs = 31;
	r.defaults->discard = 1;
	r.defaults->seed = 1;
	r.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	r.names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	ok = read_all(&r);
	g_hash_table_unref(r.names);
	g_hash_table_unref(r.seen);
	free_block(r.defaults);
	if (ok)
		return s;
	sl_sweep_free(s);
	return NULL;
}

struct sl_sweep *sl_sweep_load(const char *path, GError **error)
{
	struct sl_sweep *s;
	size_t len;
	char *text = sl_input_read(path, &len, error);

	if (!text)
		return NULL;
	s = sl_sweep_parse(path, text, len, error);
	g_free(text);
	return s;
}

uint64_t sl_sweep_count(const struct sl_sweep *sweep, GError **error)
{
	uint64_t all = 0;

	for (guint i = 0; i < sweep->block->len; i++) {
		const struct sl_sweep_block *b = sweep->block->pdata[i];
		uint64_t n = 1;

		for (int k = 0; k < SL_AXES && n <= SL_SWEEP_MOST_CELLS; k++)
			n *= b->axis[k].item->len;
		for (guint k = 0; k < b->param->len && n <= SL_SWEEP_MOST_CELLS; k++)
			n *= ((const struct sl_sweep_param *)b->param->pdata[k])->value.item->len;
		all += n;
		if (n > SL_SWEEP_MOST_CELLS || all > SL_SWEEP_MOST_CELLS) {
			sl_sweep_fail(sweep, b->line, 1, error,
				      "[cells %s] makes more than %d cells in all", b->name,
				      SL_SWEEP_MOST_CELLS);
			return 0;
		}
	}
	return all;
}
