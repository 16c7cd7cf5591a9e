/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: two cells are on one curve when they differ in the swept parameter only. */
#include "sim/cli/verb_sweep_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/special.h"

guint sl_sweep_block_end(const struct sl_sweep_table *t, guint i)
{
	uint32_t block = g_array_index(t->cell, struct sl_sweep_tcell, i).block;

	while (i < t->cell->len && g_array_index(t->cell, struct sl_sweep_tcell, i).block == block)
		i++;
	return i;
}

double sl_sweep_half_width(const struct sl_sweep_tcell *c)
{
	if (c->n < 2)
		return 0;
	return sl_t_quantile(0.975, (double)c->n - 1) * c->sum.stddev / sqrt((double)c->n);
}

/* The value of a parameter in "a=1,b=2" as a number; false when it is none. */
static bool param_number(const char *list, const char *name, double *value)
{
	size_t n = strlen(name);
	const char *at = list;

	while (at) {
		if (strncmp(at, name, n) == 0 && at[n] == '=') {
			char *end;

			*value = g_ascii_strtod(at + n + 1, &end);
			return end != at + n + 1 && (*end == ',' || *end == 0);
		}
		at = strchr(at, ',');
		at = at ? at + 1 : NULL;
	}
	return false;
}

/* --- What a cell is called -------------------------------------------------------------------- */

/* Program, its parameters, topology, CPUs, costs; owned by the array. */
static GPtrArray *words_of(const struct sl_sweep_tcell *c)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
	gsize base = strcspn(c->workload, ":");
	char **part = g_strsplit(c->workload + base + (c->workload[base] != 0), ",", -1);

	g_ptr_array_add(words, g_strndup(c->workload, base));
	for (char **p = part; *p; p++)
		g_ptr_array_add(words, g_strdup(*p));
	g_strfreev(part);
	g_ptr_array_add(words, g_strconcat("on ", c->topology, NULL));
	if (strcmp(c->cpuset, SL_SWEEP_ALL) != 0)
		g_ptr_array_add(words, g_strconcat("CPUs ", c->cpuset, NULL));
	if (strcmp(c->costs, SL_SWEEP_AUTO) != 0)
		g_ptr_array_add(words, g_strconcat("costs ", c->costs, NULL));
	return words;
}

static bool holds(const GPtrArray *words, const char *word)
{
	for (guint i = 0; i < words->len; i++)
		if (strcmp(words->pdata[i], word) == 0)
			return true;
	return false;
}

GPtrArray *sl_sweep_common(const struct sl_sweep_table *t, guint from)
{
	GPtrArray *common = words_of(&g_array_index(t->cell, struct sl_sweep_tcell, from));

	for (guint i = from; i < sl_sweep_block_end(t, from); i++) {
		GPtrArray *words = words_of(&g_array_index(t->cell, struct sl_sweep_tcell, i));

		for (guint k = common->len; k-- > 0;)
			if (!holds(words, common->pdata[k]))
				g_ptr_array_remove_index(common, k);
		g_ptr_array_unref(words);
	}
	return common;
}

char *sl_sweep_words(const GPtrArray *words)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < words->len; i++) {
		const char *word = words->pdata[i];
		const char *before = i == 0 ? "" : g_str_has_prefix(word, "on ") ? " " : ", ";

		g_string_append_printf(text, "%s%s", before, word);
	}
	return g_string_free(text, FALSE);
}

char *sl_sweep_short(const struct sl_sweep_tcell *c, const GPtrArray *common, const char *param)
{
	GPtrArray *words = words_of(c);
	gsize n = param ? strlen(param) : 0;
	char *text;

	for (guint k = words->len; k-- > 0;) {
		const char *word = words->pdata[k];

		if (holds(common, word) ||
		    (param && strncmp(word, param, n) == 0 && word[n] == '='))
			g_ptr_array_remove_index(words, k);
	}
	text = sl_sweep_words(words);
	g_ptr_array_unref(words);
	return text;
}

/* --- Curves ------------------------------------------------------------------------------------
 */

static bool is_swept(const struct sl_sweep_table *t, guint from, guint to, const char *name)
{
	double first = 0, value;
	bool varies = false;

	for (guint i = from; i < to; i++) {
		const struct sl_sweep_tcell *c = &g_array_index(t->cell, struct sl_sweep_tcell, i);

		if (!param_number(c->param, name, &value))
			return false;
		if (i == from)
			first = value;
		varies |= value != first;
	}
	return varies;
}

static void free_curve(gpointer data)
{
	struct sl_sweep_curve *c = data;

	g_array_unref(c->point);
	g_free(c->where);
	g_free(c);
}

static struct sl_sweep_curve *find_curve(GPtrArray *curves, const char *policy, const char *where)
{
	struct sl_sweep_curve *c;

	for (guint i = 0; i < curves->len; i++) {
		c = curves->pdata[i];
		if (strcmp(c->policy, policy) == 0 && strcmp(c->where, where) == 0)
			return c;
	}
	c = g_new0(struct sl_sweep_curve, 1);
	c->policy = policy;
	c->where = g_strdup(where);
	c->point = g_array_new(FALSE, FALSE, sizeof(struct sl_sweep_point));
	g_ptr_array_add(curves, c);
	return c;
}

GPtrArray *sl_sweep_curves(const struct sl_sweep_table *t, guint i, const char **param)
{
	const struct sl_sweep_tcell *first = &g_array_index(t->cell, struct sl_sweep_tcell, i);
	const struct sl_sweep_tblock *b = t->block->pdata[first->block];
	GPtrArray *curves = g_ptr_array_new_with_free_func(free_curve);
	GPtrArray *common = sl_sweep_common(t, i);
	guint end = sl_sweep_block_end(t, i);

	*param = NULL;
	for (char **p = b->params; *p && !*param; p++)
		if (**p && is_swept(t, i, end, *p))
			*param = *p;
	for (; *param && i < end; i++) {
		const struct sl_sweep_tcell *c = &g_array_index(t->cell, struct sl_sweep_tcell, i);
		struct sl_sweep_point at = { .mean = c->sum.avg, .half = sl_sweep_half_width(c) };
		char *where;

		if (c->n == 0 || !param_number(c->param, *param, &at.x))
			continue;
		where = sl_sweep_short(c, common, *param);
		g_array_append_val(find_curve(curves, c->policy, where)->point, at);
		g_free(where);
	}
	g_ptr_array_unref(common);
	return curves;
}
