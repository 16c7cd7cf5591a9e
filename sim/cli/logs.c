/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: every log sees every record in order and keeps the kinds it knows. */
#include "sim/cli/logs.h"

#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/names.h"
#include "sim/cli/out.h"
#include "sim/cli/spec.h"
#include "sim/cli/why_text.h"

struct log {
	const struct log_kind *kind;
	struct sl_logs *all;
	struct sl_out *out;
	struct sl_explain_filter filter; /* narrative only */
	bool json;
	bool seen; /* a record passed the filter's thread */
	bool told; /* a record passed the whole filter */
};

struct sl_logs {
	GPtrArray *logs; /* of struct log */
	GArray *sinks;	 /* of struct sl_sink, one per log */
	struct sl_names names;
};

#define MAX_COLUMNS 8

struct log_kind {
	const char *name;
	const char *column[MAX_COLUMNS]; /* the header of CSV, the keys of JSON */
	void (*format)(struct log *log, const struct sl_rec *rec);
	bool sample, explain; /* what the simulation must emit for it */
};

/* What stands before the value of a column. */
static void put_key(struct log *log, unsigned column)
{
	if (!log->json) {
		if (column > 0)
			sl_out_char(log->out, ',');
		return;
	}
	sl_out_text(log->out, column > 0 ? ",\"" : "{\"");
	sl_out_text(log->out, log->kind->column[column]);
	sl_out_text(log->out, "\":");
}

static void put_u64(struct log *log, unsigned column, uint64_t value)
{
	put_key(log, column);
	sl_out_u64(log->out, value);
}

static void put_i64(struct log *log, unsigned column, int64_t value)
{
	put_key(log, column);
	sl_out_i64(log->out, value);
}

/* A recorded name may be any bytes, JSON is UTF-8. */
static void json_string(struct sl_out *out, const char *name)
{
	char *mended = g_utf8_validate(name, -1, NULL) ? NULL : g_utf8_make_valid(name, -1);
	const char *text = mended ? mended : name;

	sl_out_char(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			sl_out_char(out, '\\');
		if (c < 0x20)
			sl_out_printf(out, "\\u%04x", c);
		else
			sl_out_char(out, (char)c);
	}
	sl_out_char(out, '"');
	g_free(mended);
}

static void put_text(struct log *log, unsigned column, const char *text)
{
	put_key(log, column);
	if (log->json)
		json_string(log->out, text);
	else
		sl_out_field(log->out, text);
}

static void put_thread(struct log *log, unsigned column, uint32_t tid)
{
	put_text(log, column, sl_names_get(&log->all->names, tid));
}

static void end_line(struct log *log)
{
	sl_out_text(log->out, log->json ? "}\n" : "\n");
}

static void format_switch(struct log *log, const struct sl_rec *rec)
{
	if (rec->kind != SL_REC_SWITCH || rec->a == rec->b)
		return;
	put_u64(log, 0, rec->at);
	put_u64(log, 1, rec->cpu);
	put_thread(log, 2, rec->a);
	put_thread(log, 3, rec->b);
	put_u64(log, 4, rec->pri);
	end_line(log);
}

static void format_sample(struct log *log, const struct sl_rec *rec)
{
	if (rec->kind != SL_REC_SAMPLE)
		return;
	put_u64(log, 0, rec->at / SL_NS_PER_S);
	put_i64(log, 1, (int32_t)(rec->aux >> 32));
	put_i64(log, 2, (int32_t)rec->aux);
	put_thread(log, 3, rec->a);
	put_i64(log, 4, (int32_t)rec->b);
	put_u64(log, 5, rec->cpu);
	put_u64(log, 6, rec->pri);
	put_i64(log, 7, (int32_t)rec->c);
	end_line(log);
}

static void format_decision(struct log *log, const struct sl_rec *rec)
{
	if (rec->kind != SL_REC_WHY)
		return;
	put_u64(log, 0, rec->at);
	put_u64(log, 1, rec->cpu);
	put_thread(log, 2, rec->a);
	put_text(log, 3, sl_why_name((enum sl_why)rec->pri));
	put_i64(log, 4, (int32_t)rec->b);
	put_i64(log, 5, (int32_t)rec->c);
	put_i64(log, 6, (int64_t)rec->aux);
	end_line(log);
}

static bool concerns(struct log *log, const struct sl_rec *rec)
{
	const char *wanted = log->filter.thread;

	if (!wanted)
		return true;
	if (sl_names_match(wanted, sl_names_get(&log->all->names, rec->a)))
		return true;
	return rec->kind == SL_REC_SWITCH &&
	       sl_names_match(wanted, sl_names_get(&log->all->names, rec->b));
}

static bool told(struct log *log, const struct sl_rec *rec)
{
	const struct sl_explain_filter *f = &log->filter;

	if (!concerns(log, rec))
		return false;
	log->seen = true;
	if (rec->at < f->from || rec->at > f->to || (f->cpu >= 0 && rec->cpu != f->cpu))
		return false;
	log->told = true;
	return true;
}

static void tell(GString *line, struct sl_logs *logs, const struct sl_rec *rec)
{
	const char *name = sl_names_get(&logs->names, rec->a);

	switch ((enum sl_rec_kind)rec->kind) {
	case SL_REC_SWITCH:
		g_string_append_printf(line, "%s -> ", name);
		g_string_append_printf(line, "%s (priority %u)", sl_names_get(&logs->names, rec->b),
				       rec->pri);
		break;
	case SL_REC_WAKE:
		g_string_append_printf(line, "%s: woken by %s, queued ", name,
				       rec->b == SL_REC_IDLE ? "an interrupt"
							     : sl_names_get(&logs->names, rec->b));
		if (rec->aux == UINT32_MAX)
			g_string_append(line, "for any CPU");
		else
			g_string_append_printf(line, "on CPU %u", (unsigned)rec->aux);
		break;
	case SL_REC_START:
		g_string_append_printf(line, "%s: starts", name);
		break;
	case SL_REC_EXIT:
		g_string_append_printf(line, "%s: exits", name);
		break;
	case SL_REC_SLEEP:
		g_string_append_printf(line, "%s: sleeps", name);
		break;
	case SL_REC_NICE:
		g_string_append_printf(line, "%s: nice %d", name, (int)(int64_t)rec->aux);
		break;
	case SL_REC_WHY:
		g_string_append_printf(line, "  %s: ", name);
		sl_why_sentence(line, (enum sl_why)rec->pri, (int32_t)rec->b, (int32_t)rec->c,
				(int64_t)rec->aux);
		break;
	default:
		break;
	}
}

static void format_story(struct log *log, const struct sl_rec *rec)
{
	GString *line;

	if (rec->kind == SL_REC_SAMPLE || rec->kind == SL_REC_MARK || !told(log, rec))
		return;
	line = g_string_new(NULL);
	g_string_append_printf(line, "%12.6f ms  CPU %3u  ", (double)rec->at / 1e6, rec->cpu);
	tell(line, log->all, rec);
	g_string_append_c(line, '\n');
	sl_out_write(log->out, line->str, line->len);
	g_string_free(line, TRUE);
}

static const struct log_kind kinds[] = {
	{ .name = "switches",
	  .column = { "t_ns", "cpu", "prev", "next", "next_pri" },
	  .format = format_switch },
	{ .name = "samples",
	  .column = { "t_s", "ldavg0", "nrun", "thread", "estcpu", "user_pri", "pri", "slptime" },
	  .format = format_sample,
	  .sample = true },
	{ .name = "decisions",
	  .column = { "t_ns", "cpu", "thread", "why", "a", "b", "c" },
	  .format = format_decision,
	  .explain = true },
};

static const struct log_kind story = { .name = "explain", .format = format_story, .explain = true };

static void take(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct log *log = ctx;

	for (uint32_t i = 0; i < n; i++)
		log->kind->format(log, &rec[i]);
}

struct sl_logs *sl_logs_new(void)
{
	struct sl_logs *logs = g_new0(struct sl_logs, 1);

	logs->logs = g_ptr_array_new();
	logs->sinks = g_array_new(FALSE, FALSE, sizeof(struct sl_sink));
	sl_names_init(&logs->names);
	return logs;
}

static struct log *add(struct sl_logs *logs, const struct log_kind *kind, struct sl_out *out)
{
	struct log *log = g_new0(struct log, 1);
	struct sl_sink sink = { .take = take, .ctx = log };

	log->kind = kind;
	log->all = logs;
	log->out = out;
	g_ptr_array_add(logs->logs, log);
	g_array_append_val(logs->sinks, sink);
	return log;
}

static const struct log_kind *find_kind(const char *spec, size_t len, GError **error)
{
	const char *names[SL_ARRAY_LEN(kinds)];
	char *word, *hint;

	for (size_t i = 0; i < SL_ARRAY_LEN(kinds); i++) {
		names[i] = kinds[i].name;
		if (strlen(names[i]) == len && strncmp(names[i], spec, len) == 0)
			return &kinds[i];
	}
	word = g_strndup(spec, len);
	hint = sl_cli_did_you_mean(word, names, SL_ARRAY_LEN(kinds));
	g_set_error(error, SL_CLI_ERROR, 0,
		    "--log %s: expected switches=FILE, samples=FILE or decisions=FILE%s", spec,
		    hint);
	g_free(hint);
	g_free(word);
	return NULL;
}

static void put_header(struct log *log)
{
	for (unsigned i = 0; i < MAX_COLUMNS && log->kind->column[i]; i++)
		put_text(log, i, log->kind->column[i]);
	end_line(log);
}

bool sl_logs_add(struct sl_logs *logs, const char *spec, GError **error)
{
	size_t len = strcspn(spec, "=");
	const struct log_kind *kind = find_kind(spec, len, error);
	struct sl_out *out;
	struct log *log;

	if (!kind)
		return false;
	if (!spec[len] || !spec[len + 1]) {
		g_set_error(error, SL_CLI_ERROR, 0, "--log %s: expected %s=FILE", spec, kind->name);
		return false;
	}
	out = sl_out_open(spec + len + 1, error);
	if (!out)
		return false;
	log = add(logs, kind, out);
	log->json = g_str_has_suffix(spec, ".jsonl") || g_str_has_suffix(spec, ".ndjson") ||
		    g_str_has_suffix(spec, ".json");
	if (!log->json)
		put_header(log);
	return true;
}

void sl_logs_add_narrative(struct sl_logs *logs, const struct sl_explain_filter *filter)
{
	struct log *log = add(logs, &story, sl_out_open("-", NULL));

	log->filter = *filter;
}

static bool given_twice(const char *what, GError **error)
{
	g_set_error(error, SL_CLI_ERROR, 0, "--explain %s= is given twice; expected one", what);
	return false;
}

bool sl_explain_filter_parse(struct sl_explain_filter *filter, const char *text, GError **error)
{
	uint64_t cpu;

	if (!*text)
		return true;
	if (g_str_has_prefix(text, "thread=") && text[7]) {
		if (filter->thread)
			return given_twice("thread", error);
		filter->thread = g_strdup(text + 7);
		return true;
	}
	if (g_str_has_prefix(text, "cpu=")) {
		if (filter->cpu >= 0)
			return given_twice("cpu", error);
		if (!sl_spec_number("--explain cpu", text + 4, 0, SL_TOPO_MAX_CPUS - 1, &cpu,
				    error))
			return false;
		filter->cpu = (int32_t)cpu;
		return true;
	}
	g_set_error(error, SL_CLI_ERROR, 0, "--explain=%s: expected thread=NAME or cpu=N", text);
	return false;
}

void sl_logs_also(struct sl_logs *logs, struct sl_sink sink)
{
	g_array_append_val(logs->sinks, sink);
}

void sl_logs_attach(struct sl_logs *logs, struct sl_sim_args *args)
{
	for (guint i = 0; i < logs->logs->len; i++) {
		const struct log *log = logs->logs->pdata[i];

		args->sample |= log->kind->sample;
		args->explain |= log->kind->explain;
	}
	args->sinks = (const struct sl_sink *)(const void *)logs->sinks->data;
	args->n_sinks = logs->sinks->len;
}

void sl_logs_bind(struct sl_logs *logs, const struct sl_sim *sim)
{
	logs->names.sim = sim;
}

static bool unknown_thread(const struct sl_logs *logs, const char *thread, GError **error)
{
	char *hint = sl_names_hint(&logs->names, thread);

	g_set_error(error, SL_CLI_ERROR, 0,
		    "--explain thread=%s: no such thread was seen; expected <task>-<id> or a "
		    "task's name%s",
		    thread, hint);
	g_free(hint);
	return false;
}

bool sl_logs_silent(const struct sl_logs *logs)
{
	for (guint i = 0; i < logs->logs->len; i++) {
		const struct log *log = logs->logs->pdata[i];

		if (log->kind == &story && !log->told)
			return true;
	}
	return false;
}

bool sl_logs_close(struct sl_logs *logs, bool partial, GError **error)
{
	bool ok = true;

	for (guint i = 0; i < logs->logs->len; i++) {
		struct log *log = logs->logs->pdata[i];

		if (partial)
			ok &= sl_out_close_partial(log->out, ok ? error : NULL);
		else
			ok &= sl_out_close(log->out, ok ? error : NULL);
		log->out = NULL;
		if (ok && !partial && log->filter.thread && !log->seen)
			ok = unknown_thread(logs, log->filter.thread, error);
	}
	return ok;
}

void sl_logs_free(struct sl_logs *logs)
{
	if (!logs)
		return;
	for (guint i = 0; i < logs->logs->len; i++) {
		struct log *log = logs->logs->pdata[i];

		sl_out_abandon(log->out);
		g_free(log->filter.thread);
		g_free(log);
	}
	g_ptr_array_unref(logs->logs);
	g_array_unref(logs->sinks);
	sl_names_clear(&logs->names);
	g_free(logs);
}
