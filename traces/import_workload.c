/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Frozen workloads made by importers.
 * Invariant: the workload is the first member of what is allocated, so its address frees
 * it; the digest covers every byte that decides a simulation and nothing else. */
#include "traces/import_workload.h"

#include <string.h>

struct owned {
	struct sl_workload w;
	GArray *ops, *tasks, *sems;
	GStringChunk *names;
};

/* The file's name without its folders, which are nobody's business, and without what says
 * how it is written. */
static char *short_name(const char *path)
{
	static const char *const suffixes[] = { ".gz",	 ".xz",	  ".zst",    ".txt",
						".perf", ".slr",  ".script", ".asc",
						".html", ".json", ".ftrace", ".dat" };
	char *name = g_path_get_basename(path);

	for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
		size_t n = strlen(name), k = strlen(suffixes[i]);

		if (n > k && strcmp(name + n - k, suffixes[i]) == 0)
			name[n - k] = '\0';
	}
	return name;
}

struct sl_import_builder *sl_import_builder_new(const char *path)
{
	struct sl_import_builder *b = g_new0(struct sl_import_builder, 1);
	char *name = short_name(path);

	b->ops = g_array_new(FALSE, FALSE, sizeof(struct sl_op));
	b->tasks = g_array_new(FALSE, FALSE, sizeof(struct sl_task));
	b->sems = g_array_new(FALSE, FALSE, sizeof(struct sl_sem_spec));
	b->names = g_string_chunk_new(4096);
	b->path = g_string_chunk_insert(b->names, path);
	b->name = g_string_chunk_insert(b->names, name);
	g_free(name);
	return b;
}

void sl_import_builder_free(struct sl_import_builder *b)
{
	if (!b)
		return;
	g_array_free(b->ops, TRUE);
	g_array_free(b->tasks, TRUE);
	g_array_free(b->sems, TRUE);
	g_string_chunk_free(b->names);
	g_free(b);
}

const char *sl_import_builder_name(struct sl_import_builder *b, const char *s)
{
	return g_string_chunk_insert_const(b->names, s);
}

void sl_import_builder_task(struct sl_import_builder *b, const char *name,
			    const struct sl_task *task)
{
	struct sl_task t = *task;

	t.name = sl_import_builder_name(b, name);
	t.first_op = b->ops->len;
	t.n_ops = 0;
	g_array_append_val(b->tasks, t);
}

void sl_import_builder_op(struct sl_import_builder *b, const struct sl_op *op)
{
	g_array_append_vals(b->ops, op, 1);
	g_array_index(b->tasks, struct sl_task, b->tasks->len - 1).n_ops++;
}

uint32_t sl_import_builder_sem(struct sl_import_builder *b, const char *name, uint32_t initial)
{
	struct sl_sem_spec sem = { sl_import_builder_name(b, name), initial };

	g_array_append_val(b->sems, sem);
	return b->sems->len - 1;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t digest(const struct sl_workload *w)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (uint32_t i = 0; i < w->n_tasks; i++) {
		const struct sl_task *t = &w->task[i];

		for (const char *c = t->name; *c; c++)
			h = mix(h, (uint8_t)*c);
		h = mix(h, t->instances);
		h = mix(h, t->n_ops);
		h = mix(h, (uint64_t)(uint8_t)t->nice | (uint64_t)t->pri_class << 8 |
				   (uint64_t)t->level << 16 | (uint64_t)t->background << 24);
		h = mix(h, t->proc_group);
	}
	for (uint32_t i = 0; i < w->n_ops; i++) {
		const struct sl_op *o = &w->op[i];

		h = mix(h, o->kind | (uint64_t)o->flags << 8 | (uint64_t)o->wprio << 16);
		h = mix(h, (uint64_t)o->obj << 32 | o->target);
		h = mix(h, (uint64_t)(uint32_t)o->value);
		h = mix(h, o->dist.value);
	}
	for (uint32_t i = 0; i < w->n_sems; i++)
		h = mix(h, w->sem[i].initial);
	return mix(h, w->wake_latency);
}

struct sl_workload *sl_import_builder_finish(struct sl_import_builder *b, GError **err)
{
	struct owned *o;

	if (b->tasks->len == 0) {
		g_set_error(
			err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_EMPTY,
			"%s: no thread is left to replay; expected scheduler events of at least "
			"one user thread (--all and --kernel replay more threads)",
			b->name);
		sl_import_builder_free(b);
		return NULL;
	}
	o = g_new0(struct owned, 1);
	o->ops = b->ops;
	o->tasks = b->tasks;
	o->sems = b->sems;
	o->names = b->names;
	o->w.name = b->name;
	o->w.op = (const struct sl_op *)(void *)b->ops->data;
	o->w.n_ops = b->ops->len;
	o->w.task = (const struct sl_task *)(void *)b->tasks->data;
	o->w.n_tasks = b->tasks->len;
	o->w.sem = (const struct sl_sem_spec *)(void *)b->sems->data;
	o->w.n_sems = b->sems->len;
	o->w.n_edges = b->n_edges;
	o->w.wake_latency = b->wake_latency;
	o->w.recorded = b->recorded;
	o->w.digest = digest(&o->w);
	g_free(b);
	return &o->w;
}

void sl_import_workload_free(struct sl_workload *w)
{
	struct owned *o = (struct owned *)(void *)w;

	if (!w)
		return;
	g_array_free(o->ops, TRUE);
	g_array_free(o->tasks, TRUE);
	g_array_free(o->sems, TRUE);
	g_string_chunk_free(o->names);
	g_free(o);
}
