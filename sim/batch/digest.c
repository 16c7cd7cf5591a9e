/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: every field of a struct that a loader fills and the engine reads is hashed,
 * with lengths before arrays, so that no two inputs run together. Names are hashed too:
 * they appear in logs. */
#include "sim/batch/digest.h"

#include <string.h>

static void drain(struct sl_hasher *h)
{
	g_checksum_update(h->sum, h->buffer, (gssize)h->used);
	h->used = 0;
}

void sl_hasher_init(struct sl_hasher *h, const char *what)
{
	h->sum = g_checksum_new(G_CHECKSUM_SHA256);
	h->used = 0;
	sl_hasher_text(h, what);
}

void sl_hasher_bytes(struct sl_hasher *h, const void *bytes, size_t n)
{
	const guchar *from = bytes;

	while (n > 0) {
		size_t part = MIN(n, sizeof(h->buffer) - h->used);

		memcpy(h->buffer + h->used, from, part);
		h->used += (uint32_t)part;
		from += part;
		n -= part;
		if (h->used == sizeof(h->buffer))
			drain(h);
	}
}

void sl_hasher_u64(struct sl_hasher *h, uint64_t value)
{
	value = GUINT64_TO_LE(value);
	sl_hasher_bytes(h, &value, sizeof(value));
}

void sl_hasher_text(struct sl_hasher *h, const char *text)
{
	sl_hasher_u64(h, text ? strlen(text) : UINT64_MAX);
	if (text)
		sl_hasher_bytes(h, text, strlen(text));
}

char *sl_hasher_end(struct sl_hasher *h)
{
	char *text;

	drain(h);
	text = g_strndup(g_checksum_get_string(h->sum), SL_DIGEST_CHARS);
	g_checksum_free(h->sum);
	h->sum = NULL;
	return text;
}

char *sl_digest_topo(const struct sl_topo *t)
{
	struct sl_hasher h;

	sl_hasher_init(&h, "topology/1");
	sl_hasher_u64(&h, t->ncpus);
	sl_hasher_u64(&h, t->uniprocessor);
	sl_hasher_u64(&h, t->caches_unknown);
	for (uint32_t i = 0; i < t->ncpus; i++) {
		const struct sl_topo_cpu *c = &t->cpu[i];
		const uint64_t field[] = { c->package, c->node, c->core, c->thread,
					   c->l1,      c->l2,	c->l3,	 c->speed_permille };

		for (size_t k = 0; k < SL_ARRAY_LEN(field); k++)
			sl_hasher_u64(&h, field[k]);
	}
	return sl_hasher_end(&h);
}

char *sl_digest_costs(const struct sl_costs *c)
{
	const uint64_t field[] = { c->switch_ns,     c->tick_ns,      c->wake_ns,
				   c->ipi_ns,	     c->idle_exit_ns, c->syscall_ns,
				   c->footprint_kib, c->evict_us,     c->noise_permille };
	struct sl_hasher h;

	sl_hasher_init(&h, "costs/1");
	for (size_t i = 0; i < SL_ARRAY_LEN(field); i++)
		sl_hasher_u64(&h, field[i]);
	for (size_t i = 0; i < SL_ARRAY_LEN(c->smt_permille); i++)
		sl_hasher_u64(&h, c->smt_permille[i]);
	for (size_t i = 0; i < SL_ARRAY_LEN(c->refill_ns_per_kib); i++)
		sl_hasher_u64(&h, c->refill_ns_per_kib[i]);
	return sl_hasher_end(&h);
}

static void add_ops(struct sl_hasher *h, const struct sl_workload *w)
{
	sl_hasher_u64(h, w->n_ops);
	for (uint32_t i = 0; i < w->n_ops; i++) {
		const struct sl_op *op = &w->op[i];
		const uint64_t field[] = {
			op->kind,
			op->flags,
			op->wprio,
			(uint64_t)(int64_t)op->value2,
			op->obj,
			op->target,
			(uint64_t)(int64_t)op->value,
			op->dist.n,
			op->dist.first,
			op->dist.value,
		};

		for (size_t k = 0; k < SL_ARRAY_LEN(field); k++)
			sl_hasher_u64(h, field[k]);
	}
}

static void add_tasks(struct sl_hasher *h, const struct sl_workload *w)
{
	sl_hasher_u64(h, w->n_tasks);
	for (uint32_t i = 0; i < w->n_tasks; i++) {
		const struct sl_task *t = &w->task[i];
		const uint64_t field[] = {
			t->instances,
			t->first_op,
			t->n_ops,
			t->delay,
			t->mask,
			t->proc_group,
			(uint64_t)(int64_t)t->nice,
			t->pri_class,
			t->level,
			t->ithread,
			(uint64_t)(int64_t)t->irq_cpu,
			(uint64_t)(int64_t)t->bind_cpu,
			t->pin,
			t->background,
			t->template_once,
			t->footprint_kib,
		};

		sl_hasher_text(h, t->name);
		for (size_t k = 0; k < SL_ARRAY_LEN(field); k++)
			sl_hasher_u64(h, field[k]);
	}
}

static void add_numbers(struct sl_hasher *h, const uint64_t *number, uint64_t n)
{
	sl_hasher_u64(h, n);
	for (uint64_t i = 0; i < n; i++)
		sl_hasher_u64(h, number[i]);
}

static void add_objects(struct sl_hasher *h, const struct sl_workload *w)
{
	sl_hasher_u64(h, w->n_mutexes);
	for (uint32_t i = 0; i < w->n_mutexes; i++) {
		sl_hasher_text(h, w->mutex[i].name);
		sl_hasher_u64(h, w->mutex[i].kind);
	}
	sl_hasher_u64(h, w->n_conds);
	for (uint32_t i = 0; i < w->n_conds; i++)
		sl_hasher_text(h, w->cond[i].name);
	sl_hasher_u64(h, w->n_timers);
	for (uint32_t i = 0; i < w->n_timers; i++)
		sl_hasher_text(h, w->timer[i].name);
	sl_hasher_u64(h, w->n_sems);
	for (uint32_t i = 0; i < w->n_sems; i++) {
		sl_hasher_text(h, w->sem[i].name);
		sl_hasher_u64(h, w->sem[i].initial);
	}
	sl_hasher_u64(h, w->n_barriers);
	for (uint32_t i = 0; i < w->n_barriers; i++) {
		sl_hasher_text(h, w->barrier[i].name);
		sl_hasher_u64(h, w->barrier[i].parties);
	}
	sl_hasher_u64(h, w->n_channels);
	for (uint32_t i = 0; i < w->n_channels; i++) {
		sl_hasher_text(h, w->channel[i].name);
		sl_hasher_u64(h, w->channel[i].capacity);
	}
	sl_hasher_u64(h, w->n_disks);
	for (uint32_t i = 0; i < w->n_disks; i++) {
		sl_hasher_text(h, w->disk[i].name);
		sl_hasher_u64(h, w->disk[i].servers);
		sl_hasher_u64(h, w->disk[i].cold_permille);
		sl_hasher_u64(h, w->disk[i].warm_permille);
	}
}

char *sl_digest_workload(const struct sl_workload *w)
{
	struct sl_hasher h;

	sl_hasher_init(&h, "workload/1");
	add_ops(&h, w);
	add_tasks(&h, w);
	add_numbers(&h, w->quantile, w->n_quantiles);
	sl_hasher_u64(&h, w->mask_words);
	add_numbers(&h, w->mask, (uint64_t)w->n_masks * w->mask_words);
	add_objects(&h, w);
	sl_hasher_u64(&h, w->n_edges);
	sl_hasher_u64(&h, w->duration);
	sl_hasher_u64(&h, w->wake_latency);
	sl_hasher_u64(&h, w->draw_seed);
	sl_hasher_u64(&h, w->jitter_permille);
	return sl_hasher_end(&h);
}
