/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab map: one column per CPU with a two-character code of who runs, a line per
 * change, in perf sched map's layout. '*' marks the CPU that changed, '.' is idle. */
#include "sim/cli/verbs.h"

#include "sim/cli/view.h"

#define CODES (26u * 36u)

struct map {
	uint32_t *now; /* [ncpus]: thread id */
	GArray *code;  /* uint16_t by thread id: code + 1, 0 = none yet */
	uint32_t used;
};

static void begin(struct sl_view *view)
{
	struct map *m = view->state;

	m->now = g_new(uint32_t, view->ncpus);
	for (uint32_t c = 0; c < view->ncpus; c++)
		m->now[c] = SL_REC_IDLE;
	m->code = g_array_new(FALSE, TRUE, sizeof(uint16_t));
}

/* The code of a thread, *fresh when it was made just now. Codes are used again after
 * 936 threads. */
static unsigned code_of(struct map *m, uint32_t tid, bool *fresh)
{
	uint16_t *code;

	if (m->code->len <= tid)
		g_array_set_size(m->code, tid + 1);
	code = &g_array_index(m->code, uint16_t, tid);
	*fresh = *code == 0;
	if (*fresh)
		*code = (uint16_t)(m->used++ % CODES + 1);
	return *code - 1u;
}

static void put_code(struct sl_out *out, unsigned code)
{
	static const char second[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	sl_out_char(out, (char)('A' + code % 26));
	sl_out_char(out, second[code / 26]);
}

static void put_line(struct sl_view *view, struct map *m, const struct sl_rec *rec)
{
	bool fresh = false, any;

	if (rec->b != SL_REC_IDLE)
		code_of(m, rec->b, &fresh);
	for (uint32_t c = 0; c < view->ncpus; c++) {
		sl_out_char(view->out, c == rec->cpu ? '*' : ' ');
		if (m->now[c] == SL_REC_IDLE)
			sl_out_text(view->out, ". ");
		else
			put_code(view->out, code_of(m, m->now[c], &any));
		sl_out_char(view->out, ' ');
	}
	sl_out_printf(view->out, " %" G_GUINT64_FORMAT ".%06u secs",
		      (guint64)(rec->at / SL_NS_PER_S),
		      (unsigned)(rec->at % SL_NS_PER_S / SL_NS_PER_US));
	if (fresh) {
		sl_out_char(view->out, ' ');
		put_code(view->out, code_of(m, rec->b, &any));
		sl_out_printf(view->out, " => %s:%u", sl_names_get(&view->names, rec->b), rec->b);
	}
	sl_out_char(view->out, '\n');
}

static void record(struct sl_view *view, const struct sl_rec *rec)
{
	struct map *m = view->state;

	if (rec->kind != SL_REC_SWITCH || rec->a == rec->b)
		return;
	m->now[rec->cpu] = rec->b;
	if (rec->at >= view->from && rec->at <= view->to)
		put_line(view, m, rec);
}

static void end(struct sl_view *view)
{
	struct map *m = view->state;

	g_array_unref(m->code);
	g_free(m->now);
}

int sl_verb_map(const struct sl_cli *cli, int argc, char **argv)
{
	static const struct sl_view_kind kind = {
		.state_size = sizeof(struct map),
		.begin = begin,
		.record = record,
		.end = end,
	};

	return sl_view_run(cli, argc, argv, &kind);
}
