/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The product of a sweep's axes. Invariant: the policy turns fastest, so that the cells
 * of a group are neighbours; then the parameters from last to first, then the axes. */
#include "sim/batch/sweep_file.h"

#include <string.h>

struct walk {
	const struct sl_sweep_block *block;
	struct sl_sweep_cell cell;
	const char **param;
	bool (*visit)(const struct sl_sweep_cell *cell, void *ctx);
	void *ctx;
};

/* "pbzip2" or "pbzip2:file=1" and the block's parameters as one WORKLOAD. */
static char *spell_workload(const struct walk *w, const char *item)
{
	GString *text = g_string_new(item);
	char separator = strchr(item, ':') ? ',' : ':';

	for (guint i = 0; i < w->block->param->len; i++) {
		const struct sl_sweep_param *p = w->block->param->pdata[i];

		g_string_append_printf(text, "%c%s=%s", separator, p->name, w->param[i]);
		separator = ',';
	}
	return g_string_free(text, FALSE);
}

static bool visit_policies(struct walk *w, const char *workload)
{
	const GPtrArray *policy = w->block->axis[SL_AXIS_POLICY].item;
	char *text = spell_workload(w, workload);
	bool ok = true;

	w->cell.axis[SL_AXIS_WORKLOAD] = text;
	for (guint i = 0; i < policy->len && ok; i++) {
		w->cell.axis[SL_AXIS_POLICY] = policy->pdata[i];
		ok = w->visit(&w->cell, w->ctx);
	}
	w->cell.group++;
	g_free(text);
	return ok;
}

static bool visit_params(struct walk *w, const char *workload, guint which)
{
	const struct sl_sweep_param *p;

	if (which == w->block->param->len)
		return visit_policies(w, workload);
	p = w->block->param->pdata[which];
	for (guint i = 0; i < p->value.item->len; i++) {
		w->param[which] = p->value.item->pdata[i];
		if (!visit_params(w, workload, which + 1))
			return false;
	}
	return true;
}

static bool visit_axis(struct walk *w, int axis)
{
	const GPtrArray *item = w->block->axis[axis].item;

	for (guint i = 0; i < item->len; i++) {
		w->cell.axis[axis] = item->pdata[i];
		if (axis == SL_AXIS_WORKLOAD ? !visit_params(w, item->pdata[i], 0)
					     : !visit_axis(w, axis + 1))
			return false;
	}
	return true;
}

bool sl_sweep_each(const struct sl_sweep *sweep,
		   bool (*visit)(const struct sl_sweep_cell *cell, void *ctx), void *ctx)
{
	struct walk w = { .visit = visit, .ctx = ctx };
	bool ok = true;

	for (guint i = 0; i < sweep->block->len && ok; i++) {
		w.block = sweep->block->pdata[i];
		w.cell.block = w.block;
		w.cell.block_index = i;
		w.param = g_new0(const char *, w.block->param->len + 1);
		w.cell.param = w.param;
		ok = visit_axis(&w, 0);
		g_free(w.param);
	}
	return ok;
}
