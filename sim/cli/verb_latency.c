/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab latency: run time and delay of each task, in perf sched latency's layout.
 * Threads of one task are merged, their number in brackets. */
#include "sim/cli/verbs.h"

#include <string.h>

#include "sim/cli/view.h"

struct latency {
	struct sl_view_threads threads;
	bool begun; /* --from is past */
};

struct row {
	char *task;
	uint32_t threads;
	struct sl_view_thread sum;
};

static void begin(struct sl_view *view)
{
	struct latency *l = view->state;

	sl_view_threads_init(&l->threads);
}

static void record(struct sl_view *view, const struct sl_rec *rec)
{
	struct latency *l = view->state;
	sl_time run;

	if (!l->begun && rec->at >= view->from) {
		sl_view_restart(&l->threads, view->from);
		l->begun = true;
	}
	if (rec->at <= view->to)
		sl_view_follow(&l->threads, rec, &run);
}

static void merge(struct row *row, const struct sl_view_thread *t)
{
	row->threads++;
	row->sum.turns += t->turns;
	row->sum.run_sum += t->run_sum;
	row->sum.delay_sum += t->delay_sum;
	if (t->delay_most >= row->sum.delay_most) {
		row->sum.delay_most = t->delay_most;
		row->sum.delay_from = t->delay_from;
		row->sum.delay_to = t->delay_to;
	}
}

static void free_row(gpointer data)
{
	struct row *row = data;

	g_free(row->task);
	g_free(row);
}

/* Rows in the order in which tasks first ran. */
static GPtrArray *make_rows(struct sl_view *view, struct latency *l)
{
	GPtrArray *rows = g_ptr_array_new_with_free_func(free_row);
	GHashTable *by_task = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint tid = 0; tid < l->threads.of->len; tid++) {
		const struct sl_view_thread *t = sl_view_thread_at(&l->threads, tid);
		char *task = g_strdup(sl_names_get(&view->names, tid)), *dash = strrchr(task, '-');
		struct row *row;

		if (dash)
			*dash = 0;
		row = t->turns ? g_hash_table_lookup(by_task, task) : NULL;
		if (t->turns && !row) {
			row = g_new0(struct row, 1);
			row->task = g_strdup(task);
			g_hash_table_insert(by_task, row->task, row);
			g_ptr_array_add(rows, row);
		}
		if (row)
			merge(row, t);
		g_free(task);
	}
	g_hash_table_unref(by_task);
	return rows;
}

/* Largest average delay first, as perf sorts; equal ones as they came. */
static gint by_delay(gconstpointer a, gconstpointer b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
	double dx = (double)x->sum.delay_sum / (double)x->sum.turns;
	double dy = (double)y->sum.delay_sum / (double)y->sum.turns;

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strcmp(x->task, y->task);
}

static void end(struct sl_view *view)
{
	static const char rule[] =
		" ---------------------------------------------------------------------------------"
		"----------------------------------------------------------\n";
	struct latency *l = view->state;
	GPtrArray *rows;

	sl_view_finish(&l->threads, MIN(view->now, view->to));
	rows = make_rows(view, l);
	g_ptr_array_sort(rows, by_delay);
	sl_out_text(view->out, rule);
	sl_out_text(view->out,
		    "  Task                  |   Runtime ms  | Switches | Avg delay ms    "
		    "| Max delay ms    | Max delay start           | Max delay end    "
		    "      |\n");
	sl_out_text(view->out, rule);
	for (guint i = 0; i < rows->len; i++) {
		const struct row *row = rows->pdata[i];
		char name[256];

		if (row->threads > 1)
			g_snprintf(name, sizeof(name), "%s:(%u)", row->task, row->threads);
		else
			g_snprintf(name, sizeof(name), "%s", row->task);
		sl_out_printf(view->out,
			      "  %-21s |%11.3f ms |%9" G_GUINT64_FORMAT
			      " | avg:%8.3f ms | max:%8.3f ms | max start:%12.6f s | max "
			      "end:%12.6f s\n",
			      name, (double)row->sum.run_sum / 1e6, (guint64)row->sum.turns,
			      (double)row->sum.delay_sum / (double)row->sum.turns / 1e6,
			      (double)row->sum.delay_most / 1e6, (double)row->sum.delay_from / 1e9,
			      (double)row->sum.delay_to / 1e9);
	}
	sl_out_text(view->out, rule);
	g_ptr_array_unref(rows);
	g_array_unref(l->threads.of);
}

int sl_verb_latency(const struct sl_cli *cli, int argc, char **argv)
{
	static const struct sl_view_kind kind = {
		.state_size = sizeof(struct latency),
		.begin = begin,
		.record = record,
		.end = end,
	};

	return sl_view_run(cli, argc, argv, &kind);
}
