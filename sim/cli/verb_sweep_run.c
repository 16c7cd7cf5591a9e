/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab sweep run: workers that claim runs, do them, and commit their rows.
 * Invariant: everything of struct runner but `inputs` and `stop` is used under `lock`,
 * the result file included. A claimed run is in `chunk`, in a worker's hands or in
 * `row`; rows are committed together, at most FLUSH_US after the first of them was made. */
#define _POSIX_C_SOURCE 200809L

#include "sim/cli/verb_sweep_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/batch/pool.h"
#include "stats/sequential.h"

#define FLUSH_US   (G_TIME_SPAN_SECOND / 4)
#define RENEW_US   (8 * G_TIME_SPAN_SECOND)
#define CHUNK_US   (G_TIME_SPAN_SECOND / 2) /* work claimed at once, for each worker */
#define CHUNK_MOST 4096
#define LOOK_AHEAD 512

/* What stands between the runs of a cell and its interval: Welford's sums. */
struct cell {
	struct sl_sweep_task task;
	int64_t id;
	uint32_t place, block, runs, done; /* done: rows in the file, ours included */
	uint32_t n;			   /* of those, done here: the interval's sample */
	int metric;
	double mean, m2;
};

struct job {
	uint32_t cell, run;
};

struct row {
	struct job job;
	struct sl_sweep_result result;
};

struct runner {
	const struct sl_sweep_run *o;
	struct sl_sweep_inputs *inputs;
	struct sl_store *store;
	int64_t sweep;
	_Atomic bool stop; /* no further run */
	GMutex lock;
	GCond changed;
	GStringChunk *text;
	GArray *cell; /* of struct cell: those of this shard with runs missing */
	GPtrArray *block_metric;
	uint64_t cells_planned, cells_done, runs_planned, runs_done, runs_here, failed;
	uint32_t at_cell, at_run; /* next candidate */
	GArray *chunk;		  /* of struct job: claimed, nobody's yet */
	GArray *ahead;		  /* of struct job: candidates looked up and not asked for */
	GArray *waiting;	  /* of struct job: another runner's */
	GArray *row;		  /* of struct row: not committed yet */
	int64_t claimed_at, row_since, renewed_at, began_at, said_at, wait_until;
	double run_us; /* moving average */
	GError *error; /* the first one; ends everything */
	char *fault;   /* the first run that went wrong, in words */
};

/* --- Choosing cells ---------------------------------------------------------------------- */

struct pick {
	struct runner *r;
	GPtrArray *hash; /* of all cells, when there are shards */
	bool *part;
};

static bool note_block(const struct sl_store_block *b, void *ctx)
{
	struct runner *r = ctx;

	g_ptr_array_add(r->block_metric, g_strndup(b->metrics, strcspn(b->metrics, ",")));
	return true;
}

static bool note_hash(const struct sl_store_member *m, void *ctx)
{
	struct pick *p = ctx;

	g_ptr_array_add(p->hash, g_string_chunk_insert(p->r->text, m->cell.hash));
	return true;
}

static void count_cell(struct runner *r, const struct sl_store_member *m)
{
	r->cells_planned++;
	r->runs_planned += m->cell.runs;
	r->runs_done += m->done;
	r->failed += m->failed;
	r->cells_done += m->done == m->cell.runs;
}

static const char *keep(struct runner *r, const char *text)
{
	return g_string_chunk_insert_const(r->text, text);
}

static bool note_cell(const struct sl_store_member *m, void *ctx)
{
	struct pick *p = ctx;
	struct runner *r = p->r;
	struct cell c = { .id = m->id,
			  .place = m->place,
			  .block = m->cell.block,
			  .runs = m->cell.runs,
			  .done = m->done };

	if (p->part && !p->part[m->place])
		return true;
	count_cell(r, m);
	if (m->done == m->cell.runs && !r->o->until_ci)
		return true;
	for (int i = 0; i < SL_INPUT_KINDS; i++) {
		c.task.spec[i] = keep(r, m->cell.spec[i]);
		c.task.digest[i] = keep(r, m->cell.digest[i]);
	}
	c.task.cpuset = keep(r, m->cell.cpuset);
	c.task.until = keep(r, m->cell.until);
	c.task.seed = m->cell.seed;
	c.metric = sl_metric_find(r->block_metric->pdata[m->cell.block]);
	g_array_append_val(r->cell, c);
	return true;
}

static bool count_again(const struct sl_store_member *m, void *ctx)
{
	struct pick *p = ctx;

	if (!p->part || p->part[m->place])
		count_cell(p->r, m);
	return true;
}

/* Visits the cells of the shard, with the numbers of their rows. */
static bool each_cell(struct runner *r, bool (*visit)(const struct sl_store_member *m, void *ctx),
		      GError **error)
{
	struct pick p = { .r = r };
	bool ok = true;

	if (r->o->shard.count > 1) {
		p.hash = g_ptr_array_new();
		ok = sl_store_each_member(r->store, r->sweep, false, note_hash, &p, error);
		p.part = g_new0(bool, p.hash->len + 1);
		sl_shard_deal(&r->o->shard, (const char *const *)p.hash->pdata, p.hash->len,
			      p.part);
		g_ptr_array_unref(p.hash);
	}
	ok = ok && sl_store_each_member(r->store, r->sweep, true, visit, &p, error);
	g_free(p.part);
	return ok;
}

/* Other runners' rows are not counted while they come: asks the file. */
static bool recount(struct runner *r, GError **error)
{
	r->cells_planned = r->cells_done = r->runs_planned = r->runs_done = r->failed = 0;
	return each_cell(r, count_again, error);
}

/* --- Claiming ---------------------------------------------------------------------------- */

/* The next candidate in order: cell after cell, or with a budget run after run of all cells, so
 * that what is cut off is the last runs and not the last cells. */
static bool next_candidate(struct runner *r, struct job *job)
{
	bool across = r->o->budget_us > 0;

	for (;;) {
		const struct cell *c;

		if (r->at_cell == r->cell->len) {
			uint32_t most = 0;

			for (guint i = 0; across && i < r->cell->len; i++)
				most = MAX(most, g_array_index(r->cell, struct cell, i).runs);
			if (r->at_run + 1 >= most)
				return false;
			r->at_cell = 0;
			r->at_run++;
		}
		c = &g_array_index(r->cell, struct cell, r->at_cell);
		*job = (struct job){ r->at_cell, r->at_run };
		if (across) {
			r->at_cell++;
		} else if (++r->at_run >= c->runs) {
			r->at_cell++;
			r->at_run = 0;
		}
		if (job->run < c->runs && c->done < c->runs)
			return true;
	}
}

static uint32_t chunk_size(const struct runner *r)
{
	double n = r->run_us > 0 ? (double)CHUNK_US / r->run_us * r->o->jobs : r->o->jobs;

	return (uint32_t)CLAMP(n, r->o->jobs, CHUNK_MOST);
}

static void note_done(struct runner *r, struct cell *c)
{
	c->done++;
	r->runs_done++;
	r->cells_done += c->done == c->runs;
}

static struct sl_store_job *as_asked(const struct runner *r, const struct job *job, uint32_t n)
{
	struct sl_store_job *ask = g_new(struct sl_store_job, n + 1);

	for (uint32_t i = 0; i < n; i++)
		ask[i] = (struct sl_store_job){ g_array_index(r->cell, struct cell, job[i].cell).id,
						job[i].run };
	return ask;
}

/* Claims up to `want` of n candidates; returns how many it looked at, 0 after an error. */
static uint32_t claim(struct runner *r, const struct job *job, uint32_t n, uint32_t want)
{
	struct sl_store_job *ask = g_new(struct sl_store_job, n);
	enum sl_claim *what = g_new(enum sl_claim, n);
	uint32_t seen;

	for (uint32_t i = 0; i < n; i++)
		ask[i] = (struct sl_store_job){ g_array_index(r->cell, struct cell, job[i].cell).id,
						job[i].run };
	seen = sl_store_claim(r->store, ask, n, want, what, &r->error);
	for (uint32_t i = 0; i < seen; i++) {
		if (what[i] == SL_CLAIM_MINE)
			g_array_append_val(r->chunk, job[i]);
		else if (what[i] == SL_CLAIM_OTHERS)
			g_array_append_val(r->waiting, job[i]);
	}
	g_free(ask);
	g_free(what);
	return seen;
}

/* New candidates until some are ours. A few more than wanted are looked at, to get past
 * what other runners have; those left over come first the next time. */
static void claim_new(struct runner *r, uint32_t want)
{
	struct job job;

	while (r->chunk->len == 0 && !r->error && !r->stop) {
		uint32_t seen;

		while (r->ahead->len < want + LOOK_AHEAD && next_candidate(r, &job))
			g_array_append_val(r->ahead, job);
		if (r->ahead->len == 0)
			break;
		seen = claim(r, (const struct job *)(void *)r->ahead->data, r->ahead->len, want);
		if (seen)
			g_array_remove_range(r->ahead, 0, seen);
	}
}

/* What others had: they may have finished, or died. */
static void claim_waiting(struct runner *r, uint32_t want)
{
	GArray *old = r->waiting;
	uint32_t at = 0, seen = 1;

	r->waiting = g_array_new(FALSE, FALSE, sizeof(struct job));
	while (at < old->len && r->chunk->len < want && seen) {
		seen = claim(r, &g_array_index(old, struct job, at), MIN(old->len - at, CHUNK_MOST),
			     want);
		at += seen;
	}
	g_array_append_vals(r->waiting, &g_array_index(old, struct job, at), old->len - at);
	g_array_unref(old);
	if (r->chunk->len == 0)
		r->wait_until = g_get_monotonic_time() + G_TIME_SPAN_SECOND / 2;
}

/* Claims were too many when the runs before were shorter: others may have them. */
static void give_back(struct runner *r)
{
	struct sl_store_job *jobs =
		as_asked(r, (const struct job *)(void *)r->chunk->data, r->chunk->len);

	if (!sl_store_release(r->store, jobs, r->chunk->len, &r->error))
		r->stop = true;
	g_array_prepend_vals(r->ahead, r->chunk->data, r->chunk->len);
	g_array_set_size(r->chunk, 0);
	g_free(jobs);
}

/* Fills the chunk. False: nothing is left to claim now. */
static bool refill(struct runner *r)
{
	uint32_t want = chunk_size(r);

	claim_new(r, want);
	if (r->chunk->len == 0 && r->waiting->len && !r->error && !r->stop &&
	    g_get_monotonic_time() >= r->wait_until)
		claim_waiting(r, want);
	r->claimed_at = g_get_monotonic_time();
	return r->chunk->len > 0;
}

/* --- Rows -------------------------------------------------------------------------------- */

/* Rows that could not be committed were not done. */
static void uncount_rows(struct runner *r)
{
	for (guint i = 0; i < r->row->len; i++) {
		const struct row *row = &g_array_index(r->row, struct row, i);
		struct cell *c = &g_array_index(r->cell, struct cell, row->job.cell);

		r->cells_done -= c->done == c->runs;
		c->done--;
		r->runs_done--;
		r->runs_here--;
		r->failed -= row->result.fault != NULL;
	}
}

static void flush(struct runner *r)
{
	struct sl_store_run *out = g_new0(struct sl_store_run, r->row->len + 1);

	for (guint i = 0; i < r->row->len; i++) {
		struct row *row = &g_array_index(r->row, struct row, i);
		const struct cell *c = &g_array_index(r->cell, struct cell, row->job.cell);

		out[i] = (struct sl_store_run){
			.cell = c->id,
			.run = row->job.run,
			.seed = c->task.seed + row->job.run,
			.outcome = sl_sweep_outcome(row->result.end),
			.fault = row->result.fault,
			.digest = row->result.digest,
			.value = row->result.value,
		};
	}
	if (r->row->len && !sl_store_add(r->store, out, r->row->len, r->error ? NULL : &r->error)) {
		r->stop = true;
		uncount_rows(r);
	}
	for (guint i = 0; i < r->row->len; i++)
		g_free(g_array_index(r->row, struct row, i).result.fault);
	g_array_set_size(r->row, 0);
	g_free(out);
}

static void note_fault(struct runner *r, const struct cell *c, const struct row *row)
{
	r->failed++;
	if (!r->fault)
		r->fault = g_strdup_printf(
			"%s on %s under %s, run %u (seed %" G_GUINT64_FORMAT "): %s",
			c->task.spec[SL_INPUT_WORKLOAD], c->task.spec[SL_INPUT_TOPOLOGY],
			c->task.spec[SL_INPUT_POLICY], row->job.run + 1,
			(guint64)(c->task.seed + row->job.run), row->result.fault);
}

static void take_row(struct runner *r, const struct row *row, int64_t us)
{
	struct cell *c = &g_array_index(r->cell, struct cell, row->job.cell);
	double delta = row->result.value[c->metric] - c->mean;

	r->run_us = r->run_us > 0 ? 0.9 * r->run_us + 0.1 * (double)us : (double)us;
	if (row->result.fault) {
		note_fault(r, c, row);
	} else {
		c->n++;
		c->mean += delta / c->n;
		c->m2 += delta * (row->result.value[c->metric] - c->mean);
	}
	if (r->row->len == 0)
		r->row_since = g_get_monotonic_time();
	g_array_append_val(r->row, *row);
	r->runs_here++;
	note_done(r, c);
}

static void keep_house(struct runner *r)
{
	int64_t now = g_get_monotonic_time();

	if (r->row->len && now - r->row_since >= FLUSH_US)
		flush(r);
	if (r->chunk->len && now - r->claimed_at >= 2 * CHUNK_US && !r->error)
		give_back(r);
	if (now - r->renewed_at >= RENEW_US && !r->error) {
		r->renewed_at = now;
		if (!sl_store_renew(r->store, &r->error))
			r->stop = true;
	}
	if (r->o->budget_us && now - r->began_at >= r->o->budget_us)
		r->stop = true;
	if (*r->o->interrupted || r->error)
		r->stop = true;
}

/* --- Workers ----------------------------------------------------------------------------- */

/* Done with the lock held; let go while the run is on. */
static void do_job(struct runner *r, struct job job)
{
	const struct sl_sweep_task task = g_array_index(r->cell, struct cell, job.cell).task;
	struct row row = { .job = job };
	int64_t began = g_get_monotonic_time();
	GError *error = NULL;
	bool ok;

	g_mutex_unlock(&r->lock);
	ok = sl_sweep_do(r->inputs, &task, job.run, r->o->check, r->o->interrupted, &row.result,
			 &error);
	g_mutex_lock(&r->lock);
	if (ok) {
		take_row(r, &row, g_get_monotonic_time() - began);
		return;
	}
	r->stop = true;
	/* A run that was stopped by a signal is no error. */
	if (row.result.end == SL_END_STOPPED || r->error)
		g_error_free(error);
	else
		r->error = error;
}

static void work(void *ctx, uint32_t index)
{
	struct runner *r = ctx;

	(void)index;
	g_mutex_lock(&r->lock);
	for (;;) {
		keep_house(r);
		if (r->stop)
			break;
		if (r->chunk->len || refill(r)) {
			struct job job = g_array_index(r->chunk, struct job, 0);

			g_array_remove_index(r->chunk, 0);
			do_job(r, job);
		} else if (r->waiting->len && !r->error) {
			g_cond_wait_until(&r->changed, &r->lock,
					  g_get_monotonic_time() + G_TIME_SPAN_SECOND / 5);
		} else {
			break;
		}
	}
	g_cond_broadcast(&r->changed);
	g_mutex_unlock(&r->lock);
}

/* --- Progress ---------------------------------------------------------------------------- */

/* Half widths at 95 % of the cells' means, in percent: of the widest among cells with 3 runs. */
static double widest(const struct runner *r)
{
	double most = 0;

	for (guint i = 0; i < r->cell->len && i < 10000; i++) {
		const struct cell *c = &g_array_index(r->cell, struct cell, i);

		if (c->n >= 3 && c->mean != 0)
			most = MAX(most, 196 * sqrt(c->m2 / (c->n - 1) / c->n) / fabs(c->mean));
	}
	return most;
}

static void say_progress(struct runner *r, int64_t now, bool terminal)
{
	double seconds = (double)(now - r->began_at) / G_TIME_SPAN_SECOND;
	double rate = seconds > 0 ? (double)r->runs_here / seconds : 0;
	uint64_t left = r->runs_planned - MIN(r->runs_done, r->runs_planned);
	char eta[32] = "?";

	if (rate > 0)
		g_snprintf(eta, sizeof(eta), "%.0f s", (double)left / rate);
	fprintf(stderr,
		"%s%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " cells, %" G_GUINT64_FORMAT
		" of %" G_GUINT64_FORMAT " runs, %.3g runs/s, %s left, widest interval +- %.2g%%%s",
		terminal ? "\r" : "", (guint64)r->cells_done, (guint64)r->cells_planned,
		(guint64)r->runs_done, (guint64)r->runs_planned, rate, eta, widest(r),
		terminal ? "\033[K" : "\n");
}

static void watch(void *ctx, uint32_t done, uint32_t total)
{
	struct runner *r = ctx;
	bool terminal = isatty(STDERR_FILENO);
	int64_t now;

	g_mutex_lock(&r->lock);
	keep_house(r);
	now = g_get_monotonic_time();
	if (now - r->said_at >= (terminal ? G_TIME_SPAN_SECOND : 10 * G_TIME_SPAN_SECOND)) {
		r->said_at = now;
		say_progress(r, now, terminal);
	}
	if (terminal && done == total)
		fputs("\r\033[K", stderr);
	g_mutex_unlock(&r->lock);
}

/* --- The whole --------------------------------------------------------------------------- */

static void run_pass(struct runner *r)
{
	const struct sl_pool_work pool = { .one = work, .progress = watch, .ctx = r };
	GError *error = NULL;

	r->at_cell = r->at_run = 0;
	sl_pool_run(&pool, 0, r->o->jobs, r->o->jobs, &error);
	if (error && !r->error)
		r->error = error;
	flush(r);
}

struct pilot {
	double *v;
	uint32_t n, runs, first;
	int metric;
};

static bool note_value(const struct sl_store_run *run, void *ctx)
{
	struct pilot *p = ctx;

	if (run->run < p->runs && run->run >= p->first && sl_store_outcome_good(run->outcome))
		p->v[p->n++] = run->value[p->metric];
	return true;
}

/* Runs a cell needs by Stein's rule, its planned runs being the pilot. */
static bool extend_cell(struct runner *r, struct cell *c)
{
	const struct sl_sweep_block *b = r->o->sweep->block->pdata[c->block];
	struct pilot p = { .v = g_new(double, b->runs + 1),
			   .runs = b->runs,
			   .first = b->discard,
			   .metric = c->metric };
	size_t wanted = c->runs;
	double mean = 0;
	bool ok;

	ok = sl_store_each_run(r->store, c->id, 0, note_value, &p, &r->error);
	for (uint32_t i = 0; i < p.n; i++)
		mean += p.v[i] / p.n;
	if (ok && p.n >= 2)
		wanted = sl_stein_plan(p.v, p.n, r->o->until_ci / 100 * fabs(mean), 0.95).runs;
	wanted = MIN(wanted > r->o->most ? r->o->most : wanted + p.first, r->o->most);
	if (ok && wanted > c->runs) {
		r->runs_planned += wanted - c->runs;
		r->cells_done -= c->done == c->runs;
		c->runs = (uint32_t)wanted;
		ok = sl_store_set_runs(r->store, r->sweep, c->place, c->runs, &r->error);
	}
	g_free(p.v);
	return ok;
}

static void run_more(struct runner *r)
{
	bool ok = true;

	for (guint i = 0; i < r->cell->len && ok; i++)
		ok = extend_cell(r, &g_array_index(r->cell, struct cell, i));
	if (ok)
		run_pass(r);
}

static void clear(struct runner *r)
{
	g_array_unref(r->chunk);
	g_array_unref(r->ahead);
	g_array_unref(r->waiting);
	g_array_unref(r->row);
	g_array_unref(r->cell);
	g_ptr_array_unref(r->block_metric);
	g_string_chunk_free(r->text);
	g_cond_clear(&r->changed);
	g_mutex_clear(&r->lock);
	g_free(r->fault);
}

static int judge(const struct sl_cli *cli, struct runner *r)
{
	if (r->error)
		return sl_sweep_fail_with(cli, g_steal_pointer(&r->error));
	if (*r->o->interrupted) {
		sl_cli_note(cli, "interrupted; start again to go on");
		return SL_EXIT_INTERRUPTED;
	}
	if (r->fault)
		sl_cli_note(cli, "%s", r->fault);
	if (r->runs_done < r->runs_planned) {
		sl_cli_note(cli, "%" G_GUINT64_FORMAT " runs are missing; start again to go on",
			    (guint64)(r->runs_planned - r->runs_done));
		return SL_EXIT_PARTIAL;
	}
	return r->failed ? SL_EXIT_FAULT : SL_EXIT_OK;
}

static void print_summary(struct runner *r)
{
	printf("%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " cells, %" G_GUINT64_FORMAT
	       " of %" G_GUINT64_FORMAT " runs, %" G_GUINT64_FORMAT " new in %.1f s",
	       sl_store_path(r->store), (guint64)r->cells_done, (guint64)r->cells_planned,
	       (guint64)r->runs_done, (guint64)r->runs_planned, (guint64)r->runs_here,
	       (double)(g_get_monotonic_time() - r->began_at) / G_TIME_SPAN_SECOND);
	if (r->failed)
		printf(", %" G_GUINT64_FORMAT " FAILED", (guint64)r->failed);
	putchar('\n');
}

int sl_sweep_run(const struct sl_cli *cli, const struct sl_sweep_run *o,
		 struct sl_sweep_inputs *inputs, struct sl_store *store, int64_t sweep)
{
	struct runner r = { .o = o, .inputs = inputs, .store = store, .sweep = sweep };
	int code;

	g_mutex_init(&r.lock);
	g_cond_init(&r.changed);
	r.text = g_string_chunk_new(1 << 16);
	r.cell = g_array_new(FALSE, FALSE, sizeof(struct cell));
	r.block_metric = g_ptr_array_new_with_free_func(g_free);
	r.chunk = g_array_new(FALSE, FALSE, sizeof(struct job));
	r.ahead = g_array_new(FALSE, FALSE, sizeof(struct job));
	r.waiting = g_array_new(FALSE, FALSE, sizeof(struct job));
	r.row = g_array_new(FALSE, FALSE, sizeof(struct row));
	r.began_at = r.renewed_at = r.said_at = g_get_monotonic_time();
	if (sl_store_join(store, SL_VERSION, cli->command_line, &r.error) &&
	    sl_store_each_block(store, sweep, note_block, &r, &r.error) &&
	    each_cell(&r, note_cell, &r.error)) {
		run_pass(&r);
		if (o->until_ci > 0 && !r.stop && !r.error)
			run_more(&r);
		if (r.runs_done < r.runs_planned && !r.error)
			recount(&r, &r.error);
		sl_store_leave(store, r.error ? NULL : &r.error);
	}
	print_summary(&r);
	code = judge(cli, &r);
	clear(&r);
	return code;
}
