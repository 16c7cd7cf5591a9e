/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: `finished` counts pieces that were looked at, `done` those that ran; the
 * caller leaves when finished == n. They are atomic besides being changed under the
 * lock, so that whoever has read them may read the results. */
#include "sim/batch/pool.h"

struct pool {
	const struct sl_pool_work *work;
	GMutex lock;
	GCond changed;
	_Atomic uint32_t finished, done;
};

static void run_piece(gpointer piece, gpointer data)
{
	struct pool *pool = data;
	const struct sl_pool_work *work = pool->work;
	bool go = !work->stop || !*work->stop;

	/* GThreadPool cannot carry a NULL, hence the shift by one. */
	if (go)
		work->one(work->ctx, GPOINTER_TO_UINT(piece) - 1);
	g_mutex_lock(&pool->lock);
	pool->finished++;
	pool->done += go;
	g_cond_signal(&pool->changed);
	g_mutex_unlock(&pool->lock);
}

/* Tells what is done until all is; the last word comes after the last piece, also when that
 * was done before the first look. */
static void watch(struct pool *pool, uint32_t n)
{
	const struct sl_pool_work *work = pool->work;
	uint32_t finished = 0;

	while (finished < n) {
		g_mutex_lock(&pool->lock);
		if (pool->finished < n)
			g_cond_wait_until(&pool->changed, &pool->lock,
					  g_get_monotonic_time() + G_TIME_SPAN_SECOND);
		finished = pool->finished;
		g_mutex_unlock(&pool->lock);
		if (work->progress)
			work->progress(work->ctx, pool->done, n);
	}
}

uint32_t sl_pool_run(const struct sl_pool_work *work, uint32_t first, uint32_t n, uint32_t jobs,
		     GError **error)
{
	struct pool pool = { .work = work };
	GThreadPool *threads;

	if (jobs == 0)
		jobs = g_get_num_processors();
	g_mutex_init(&pool.lock);
	g_cond_init(&pool.changed);
	threads = g_thread_pool_new(run_piece, &pool, (int)MIN(jobs, MAX(n, 1)), TRUE, error);
	if (threads) {
		for (uint32_t i = 0; i < n; i++)
			g_thread_pool_push(threads, GUINT_TO_POINTER(first + i + 1), NULL);
		watch(&pool, n);
		g_thread_pool_free(threads, FALSE, TRUE);
	}
	g_cond_clear(&pool.changed);
	g_mutex_clear(&pool.lock);
	return pool.done;
}
