/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: names live in one string chunk that moves to the frozen workload, so
 * every name a workload points to lives as long as it does. */
#include "traces/workload_build.h"

#include <string.h>

/* Unbounded: nothing blocks on a channel that was not declared with a capacity. */
#define DEFAULT_CAPACITY UINT64_MAX

struct sl_build {
	GArray *ops, *tasks, *quantiles;
	GArray *resources[SL_RES_COUNT];
	GHashTable *by_name[SL_RES_COUNT]; /* name -> index + 1 */
	GPtrArray *masks;		   /* GBytes */
	GHashTable *mask_index;		   /* GBytes -> index + 1 */
	GHashTable *table_index;	   /* GBytes -> first + 1 */
	GStringChunk *names;
	uint32_t open_task, first_op;
};

/* What a frozen workload keeps alive. */
struct owned {
	struct sl_workload w;
	GStringChunk *names;
	char *name;
};

static const size_t resource_size[SL_RES_COUNT] = {
	[SL_RES_MUTEX] = sizeof(struct sl_mutex_spec),
	[SL_RES_COND] = sizeof(struct sl_named_spec),
	[SL_RES_TIMER] = sizeof(struct sl_named_spec),
	[SL_RES_SEM] = sizeof(struct sl_sem_spec),
	[SL_RES_BARRIER] = sizeof(struct sl_barrier_spec),
	[SL_RES_CHANNEL] = sizeof(struct sl_channel_spec),
	[SL_RES_DISK] = sizeof(struct sl_disk_spec),
};

struct sl_build *sl_build_new(void)
{
	struct sl_build *b = g_new0(struct sl_build, 1);

	b->ops = g_array_new(FALSE, TRUE, sizeof(struct sl_op));
	b->tasks = g_array_new(FALSE, TRUE, sizeof(struct sl_task));
	b->quantiles = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	for (int k = 0; k < SL_RES_COUNT; k++) {
		b->resources[k] = g_array_new(FALSE, TRUE, (guint)resource_size[k]);
		b->by_name[k] = g_hash_table_new(g_str_hash, g_str_equal);
	}
	b->masks = g_ptr_array_new();
	b->mask_index = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
					      (GDestroyNotify)g_bytes_unref, NULL);
	b->table_index = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
					       (GDestroyNotify)g_bytes_unref, NULL);
	b->names = g_string_chunk_new(1024);
	b->open_task = SL_NONE;
	return b;
}

void sl_build_free(struct sl_build *b)
{
	if (!b)
		return;
	g_array_free(b->ops, TRUE);
	g_array_free(b->tasks, TRUE);
	g_array_free(b->quantiles, TRUE);
	for (int k = 0; k < SL_RES_COUNT; k++) {
		g_array_free(b->resources[k], TRUE);
		g_hash_table_destroy(b->by_name[k]);
	}
	g_ptr_array_free(b->masks, TRUE);
	g_hash_table_destroy(b->mask_index);
	g_hash_table_destroy(b->table_index);
	if (b->names)
		g_string_chunk_free(b->names);
	g_free(b);
}

/* Every description begins with its name. */
static const char *name_at(const GArray *a, size_t size, uint32_t index)
{
	const char *name;

	memcpy(&name, a->data + size * index, sizeof(name));
	return name;
}

uint32_t sl_build_resource(struct sl_build *b, enum sl_resource kind, const char *name)
{
	GArray *a = b->resources[kind];
	uint32_t found = GPOINTER_TO_UINT(g_hash_table_lookup(b->by_name[kind], name));
	const char *copy;

	if (found)
		return found - 1;
	copy = g_string_chunk_insert(b->names, name);
	g_array_set_size(a, a->len + 1);
	memcpy(a->data + resource_size[kind] * (a->len - 1), &copy, sizeof(copy));
	g_hash_table_insert(b->by_name[kind], (gpointer)copy, GUINT_TO_POINTER(a->len));
	if (kind == SL_RES_CHANNEL)
		sl_build_channel(b, a->len - 1)->capacity = DEFAULT_CAPACITY;
	if (kind == SL_RES_DISK)
		*sl_build_disk(b, a->len - 1) = (struct sl_disk_spec){
			.name = copy, .servers = 1, .cold_permille = 1000, .warm_permille = 0
		};
	return a->len - 1;
}

uint32_t sl_build_count(const struct sl_build *b, enum sl_resource kind)
{
	return b->resources[kind]->len;
}

const char *sl_build_resource_name(const struct sl_build *b, enum sl_resource kind, uint32_t index)
{
	return name_at(b->resources[kind], resource_size[kind], index);
}

struct sl_mutex_spec *sl_build_mutex(struct sl_build *b, uint32_t index)
{
	return &g_array_index(b->resources[SL_RES_MUTEX], struct sl_mutex_spec, index);
}

struct sl_sem_spec *sl_build_sem(struct sl_build *b, uint32_t index)
{
	return &g_array_index(b->resources[SL_RES_SEM], struct sl_sem_spec, index);
}

struct sl_barrier_spec *sl_build_barrier(struct sl_build *b, uint32_t index)
{
	return &g_array_index(b->resources[SL_RES_BARRIER], struct sl_barrier_spec, index);
}

struct sl_channel_spec *sl_build_channel(struct sl_build *b, uint32_t index)
{
	return &g_array_index(b->resources[SL_RES_CHANNEL], struct sl_channel_spec, index);
}

struct sl_disk_spec *sl_build_disk(struct sl_build *b, uint32_t index)
{
	return &g_array_index(b->resources[SL_RES_DISK], struct sl_disk_spec, index);
}

uint32_t sl_build_task(struct sl_build *b, const char *name)
{
	struct sl_task task = {
		.name = g_string_chunk_insert(b->names, name),
		.instances = 1,
		.mask = SL_NONE,
		.proc_group = SL_NONE,
		.bind_cpu = -1,
	};

	g_array_append_val(b->tasks, task);
	return b->tasks->len - 1;
}

struct sl_task *sl_build_task_at(struct sl_build *b, uint32_t index)
{
	return &g_array_index(b->tasks, struct sl_task, index);
}

uint32_t sl_build_tasks(const struct sl_build *b)
{
	return b->tasks->len;
}

void sl_build_begin(struct sl_build *b, uint32_t task)
{
	SL_ASSERT(b->open_task == SL_NONE);
	b->open_task = task;
	b->first_op = b->ops->len;
}

void sl_build_end(struct sl_build *b)
{
	struct sl_task *task = sl_build_task_at(b, b->open_task);

	task->first_op = b->first_op;
	task->n_ops = b->ops->len - b->first_op;
	b->open_task = SL_NONE;
}

struct sl_op *sl_build_op(struct sl_build *b, enum sl_op_kind kind)
{
	struct sl_op op = { .kind = (uint8_t)kind, .obj = SL_NONE, .target = SL_NONE };

	g_array_append_val(b->ops, op);
	return &g_array_index(b->ops, struct sl_op, b->ops->len - 1);
}

uint32_t sl_build_here(const struct sl_build *b)
{
	return b->ops->len - b->first_op;
}

struct sl_op *sl_build_op_at(struct sl_build *b, uint32_t relative)
{
	return &g_array_index(b->ops, struct sl_op, b->first_op + relative);
}

uint32_t sl_build_loop(struct sl_build *b, struct sl_dist count)
{
	uint32_t at = sl_build_here(b);

	sl_build_op(b, SL_OP_LOOP)->dist = count;
	return at;
}

void sl_build_end_loop(struct sl_build *b, uint32_t loop)
{
	sl_build_op(b, SL_OP_ENDLOOP)->target = loop;
}

/* Index of `bytes` in `index`, inserted as `next` when new; takes the reference. */
static uint32_t intern(GHashTable *index, GBytes *bytes, uint32_t next)
{
	uint32_t found = GPOINTER_TO_UINT(g_hash_table_lookup(index, bytes));

	if (found) {
		g_bytes_unref(bytes);
		return found - 1;
	}
	g_hash_table_insert(index, bytes, GUINT_TO_POINTER(next + 1));
	return next;
}

uint32_t sl_build_mask(struct sl_build *b, const uint64_t *set, uint32_t words)
{
	GBytes *bytes;
	uint32_t at;

	while (words > 0 && set[words - 1] == 0)
		words--;
	bytes = g_bytes_new(set, words * sizeof(*set));
	at = intern(b->mask_index, bytes, b->masks->len);
	if (at == b->masks->len)
		g_ptr_array_add(b->masks, bytes);
	return at;
}

struct sl_dist sl_build_constant(uint64_t value)
{
	return (struct sl_dist){ .value = value };
}

struct sl_dist sl_build_dist(struct sl_build *b, const uint64_t *quantile, uint32_t n,
			     uint64_t mean)
{
	uint32_t next = b->quantiles->len, first;

	if (n == 0 || quantile[0] == quantile[n])
		return sl_build_constant(quantile[0]);
	first = intern(b->table_index, g_bytes_new(quantile, (n + 1) * sizeof(*quantile)), next);
	if (first == next)
		g_array_append_vals(b->quantiles, quantile, n + 1);
	return (struct sl_dist){ .n = n, .first = first, .value = mean };
}

/* Hands the array's memory over; *n is its length. */
static void *steal(GArray **a, uint32_t *n)
{
	void *data;

	*n = (*a)->len;
	data = g_array_free(*a, FALSE);
	*a = g_array_new(FALSE, TRUE, 1);
	return data;
}

static uint64_t *flatten_masks(const struct sl_build *b, uint32_t words)
{
	uint64_t *flat = g_new0(uint64_t, (gsize)b->masks->len * words);

	for (guint i = 0; i < b->masks->len; i++) {
		gsize size;
		const void *data = g_bytes_get_data(g_ptr_array_index(b->masks, i), &size);

		SL_ASSERT(size <= words * sizeof(*flat));
		if (size > 0)
			memcpy(flat + (gsize)i * words, data, size);
	}
	return flat;
}

struct sl_workload *sl_build_freeze(struct sl_build *b, const char *name, uint32_t mask_words,
				    sl_time duration, uint64_t digest)
{
	struct owned *o = g_new0(struct owned, 1);
	struct sl_workload *w = &o->w;

	o->name = g_strdup(name);
	w->name = o->name;
	w->mask = flatten_masks(b, mask_words);
	w->n_masks = b->masks->len;
	w->mask_words = mask_words;
	w->op = steal(&b->ops, &w->n_ops);
	w->task = steal(&b->tasks, &w->n_tasks);
	w->quantile = steal(&b->quantiles, &w->n_quantiles);
	w->mutex = steal(&b->resources[SL_RES_MUTEX], &w->n_mutexes);
	w->cond = steal(&b->resources[SL_RES_COND], &w->n_conds);
	w->timer = steal(&b->resources[SL_RES_TIMER], &w->n_timers);
	w->sem = steal(&b->resources[SL_RES_SEM], &w->n_sems);
	w->barrier = steal(&b->resources[SL_RES_BARRIER], &w->n_barriers);
	w->channel = steal(&b->resources[SL_RES_CHANNEL], &w->n_channels);
	w->disk = steal(&b->resources[SL_RES_DISK], &w->n_disks);
	w->duration = duration;
	w->digest = digest;
	o->names = b->names;
	b->names = NULL;
	return w;
}

void sl_workload_free(struct sl_workload *w)
{
	struct owned *o;

	if (!w)
		return;
	o = SL_OF(w, struct owned, w);
	g_free((void *)w->mask);
	g_free((void *)w->op);
	g_free((void *)w->task);
	g_free((void *)w->quantile);
	g_free((void *)w->mutex);
	g_free((void *)w->cond);
	g_free((void *)w->timer);
	g_free((void *)w->sem);
	g_free((void *)w->barrier);
	g_free((void *)w->channel);
	g_free((void *)w->disk);
	g_string_chunk_free(o->names);
	g_free(o->name);
	g_free(o);
}
