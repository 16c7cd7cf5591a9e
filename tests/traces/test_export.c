/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Exports of a small run written by hand: the exact text, the rules of the viewers'
 * importers, filters, and our own readers on the result. */
#include "traces/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "sim/core/policy.h"
#include "tests/traces/test_import_check.h"
#include "traces/import.h"

static const struct sl_op ops[] = {
	{ .kind = SL_OP_EXIT, .obj = SL_NONE, .target = SL_NONE },
	{ .kind = SL_OP_EXIT, .obj = SL_NONE, .target = SL_NONE },
};

static const struct sl_task tasks[] = {
	{ .name = "a b=c", .instances = 1, .n_ops = 1 },
	{ .name = "worker", .instances = 1, .first_op = 1, .n_ops = 1, .nice = 5 },
};

static const struct sl_workload workload = {
	.name = "w", .op = ops, .n_ops = 2, .task = tasks, .n_tasks = 2
};

#define IDLE SL_REC_IDLE

/* Two threads, two CPUs: 0 sleeps, 1 wakes it, both end. */
static const struct sl_rec records[] = {
	{ .at = 0, .kind = SL_REC_START, .a = 0, .b = IDLE, .aux = 0 },
	{ .at = 0, .kind = SL_REC_START, .a = 1, .b = IDLE, .aux = (uint64_t)1 << 32 },
	{ .at = 0, .kind = SL_REC_SWITCH, .cpu = 0, .a = IDLE, .b = 0 },
	{ .at = 0, .kind = SL_REC_SWITCH, .cpu = 1, .a = IDLE, .b = 1 },
	{ .at = 1500, .kind = SL_REC_SWITCH, .cpu = 0, .a = 0, .b = IDLE, .aux = SL_TS_SLEEP },
	{ .at = 2500, .kind = SL_REC_WAKE, .cpu = 1, .a = 0, .b = 1, .aux = 0 },
	{ .at = 2500, .kind = SL_REC_SWITCH, .cpu = 0, .a = IDLE, .b = 0 },
	{ .at = 3000, .kind = SL_REC_EXIT, .cpu = 1, .a = 1 },
	{ .at = 3000, .kind = SL_REC_SWITCH, .cpu = 1, .a = 1, .b = IDLE, .aux = SL_TS_DEAD },
	{ .at = 4000001234, .kind = SL_REC_EXIT, .cpu = 0, .a = 0 },
	{ .at = 4000001234, .kind = SL_REC_SWITCH, .cpu = 0, .a = 0, .b = IDLE, .aux = SL_TS_DEAD },
};

#define N_RECORDS (sizeof(records) / sizeof(records[0]))

static char *export(const char *format, const struct sl_export_opts *opts, gsize *len)
{
	char *path = g_strconcat(SL_BINARY_DIR, "/test_export.out", NULL), *text;
	FILE *out = fopen(path, "wb");
	struct sl_export *x = sl_export_new(format, &workload, out, opts, NULL);
	struct sl_sink sink;

	assert_non_null(x);
	sink = sl_export_sink(x);
	sink.take(sink.ctx, records, 4);
	sink.take(sink.ctx, records + 4, (uint32_t)N_RECORDS - 4);
	assert_true(sl_export_finish(x, 4000001234, NULL));
	fclose(out);
	assert_true(g_file_get_contents(path, &text, len, NULL));
	g_unlink(path);
	g_free(path);
	return text;
}

static void test_ftrace_text(void **state)
{
	char *text = export("ftrace", NULL, NULL);

	(void)state;
	assert_string_equal(
		text,
		"# tracer: nop\n#\n"
		"#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n"
		"#              | |         |   ||||      |         |\n"
		"          <idle>-0       [000] d.h3     0.000000000: sched_wakeup_new: comm=a_b_c "
		"pid=1 prio=120 target_cpu=000\n"
		"          <idle>-0       [000] ....     0.000000000: tracing_mark_write: "
		"C|1|waiting|1\n"
		"          <idle>-0       [000] ....     0.000000000: tracing_mark_write: "
		"C|1|migrations|0\n"
		"          <idle>-0       [000] d.h3     0.000000000: sched_wakeup_new: "
		"comm=worker "
		"pid=2 prio=125 target_cpu=000\n"
		"          <idle>-0       [000] ....     0.000000000: tracing_mark_write: "
		"C|1|waiting|2\n"
		"          <idle>-0       [000] d..2     0.000000000: sched_switch: "
		"prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a_b_c "
		"next_pid=1 next_prio=120\n"
		"           a_b_c-1       [000] ....     0.000000000: tracing_mark_write: "
		"C|1|waiting|1\n"
		"          <idle>-0       [001] d..2     0.000000000: sched_switch: "
		"prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker "
		"next_pid=2 next_prio=125\n"
		"          worker-2       [001] ....     0.000000000: tracing_mark_write: "
		"C|1|waiting|0\n"
		"           a_b_c-1       [000] d..2     0.000001500: sched_switch: "
		"prev_comm=a_b_c "
		"prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 "
		"next_prio=120\n"
		"          worker-2       [001] d..3     0.000002500: sched_waking: comm=a_b_c "
		"pid=1 "
		"prio=120 target_cpu=000\n"
		"          worker-2       [001] d..3     0.000002500: sched_wakeup: comm=a_b_c "
		"pid=1 "
		"prio=120 target_cpu=000\n"
		"          worker-2       [001] ....     0.000002500: tracing_mark_write: "
		"C|1|waiting|1\n"
		"          <idle>-0       [000] d..2     0.000002500: sched_switch: "
		"prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a_b_c "
		"next_pid=1 next_prio=120\n"
		"           a_b_c-1       [000] ....     0.000002500: tracing_mark_write: "
		"C|1|waiting|0\n"
		"          worker-2       [001] ....     0.000003000: sched_process_exit: "
		"comm=worker "
		"pid=2 prio=125\n"
		"          worker-2       [001] d..2     0.000003000: sched_switch: "
		"prev_comm=worker "
		"prev_pid=2 prev_prio=125 prev_state=Z ==> next_comm=swapper/1 next_pid=0 "
		"next_prio=120\n"
		"           a_b_c-1       [000] ....     4.000001234: sched_process_exit: "
		"comm=a_b_c "
		"pid=1 prio=120\n"
		"           a_b_c-1       [000] d..2     4.000001234: sched_switch: "
		"prev_comm=a_b_c "
		"prev_pid=1 prev_prio=120 prev_state=Z ==> next_comm=swapper/0 next_pid=0 "
		"next_prio=120\n");
	g_free(text);
}

/* Perfetto's tokenizer: task-pid [cpu] at most four flags seconds.fraction: event: ... */
static void test_ftrace_rules(void **state)
{
	GRegex *line = g_regex_new("^ *[^ ]+-[0-9]+ +(\\([ 0-9-]+\\) )?\\[[0-9]+\\] "
				   "[a-zA-Z0-9.]{4} +[0-9]+\\.[0-9]+: "
				   "([a-z_]+: ([a-z_]+=[^ =]+ ?|==> )+|"
				   "tracing_mark_write: C\\|[0-9]+\\|[a-z]+\\|[0-9]+)$",
				   0, 0, NULL);
	char *text = export("ftrace", NULL, NULL);
	char **lines = g_strsplit(text, "\n", -1);
	unsigned n = 0;

	(void)state;
	assert_true(g_str_has_prefix(text, "# tracer"));
	for (char **l = lines; *l; l++) {
		if (**l == '\0' || **l == '#')
			continue;
		if (!g_regex_match(line, *l, 0, NULL))
			fail_msg("%s", *l);
		n++;
	}
	/* One record becomes two lines, and counters change seven times. */
	assert_int_equal(n, N_RECORDS + 1 + 7);
	g_strfreev(lines);
	g_free(text);
	g_regex_unref(line);
}

/* What is exported reads back as the run it was. */
static void test_read_back(void **state)
{
	static const char *const formats[] = { "ftrace", "perf", "ktr" };

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct sl_import_report r;
		GError *error = NULL;
		gsize len;
		char *text = export(formats[i], NULL, &len);
		struct sl_workload *w = sl_trace_import_mem(text, len, "x", NULL, &r, &error);

		if (!w)
			fail_msg("%s: %s", formats[i], error->message);
		assert_null(import_check(w));
		assert_string_equal(r.format, formats[i]);
		assert_int_equal(w->n_tasks, 2);
		assert_int_equal(w->n_edges, 1);
		assert_int_equal(r.healed, 0);
		assert_int_equal(r.bad_lines, 0);
		assert_true(r.cpu_time == 1500 + 3000 + 4000001234 - 2500);
		sl_import_workload_free(w);
		g_free(text);
	}
}

static void test_ktr_order(void **state)
{
	char *text = export("ktr", NULL, NULL);
	char **lines = g_strsplit(text, "\n", -1);
	guint64 last = G_MAXUINT64;
	GRegex *line = g_regex_new("^ *([0-9]+) +([0-9]+) +([0-9]+) KTRGRAPH group:\"[^\"]*\", "
				   "id:\"[^\"]*\", [^:]+:(\"[^\"]*\"|[^,]+), attributes: .+$",
				   0, 0, NULL);

	(void)state;
	assert_true(g_str_has_prefix(lines[0], "index  cpu timestamp"));
	for (char **l = lines + 2; *l && **l; l++) {
		GMatchInfo *m;
		char *at;

		if (!g_regex_match(line, *l, 0, &m))
			fail_msg("%s", *l);
		at = g_match_info_fetch(m, 3);
		assert_true(g_ascii_strtoull(at, NULL, 10) <= last);
		last = g_ascii_strtoull(at, NULL, 10);
		g_free(at);
		g_match_info_free(m);
	}
	assert_true(last == 0);
	g_regex_unref(line);
	g_strfreev(lines);
	g_free(text);
}

static void test_chrome(void **state)
{
	char *text = export("chrome", NULL, NULL);

	(void)state;
	assert_true(g_str_has_prefix(text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["));
	assert_non_null(strstr(text, "{\"ph\":\"X\",\"name\":\"a_b_c-1\",\"pid\":1,\"tid\":0,"
				     "\"ts\":0.000,\"dur\":1.500}"));
	assert_non_null(strstr(text, "{\"ph\":\"X\",\"name\":\"cpu 0\",\"pid\":2,\"tid\":1,"
				     "\"ts\":2.500,\"dur\":3999998.734}"));
	assert_non_null(strstr(text, "{\"ph\":\"C\",\"name\":\"runnable\",\"pid\":1,\"tid\":0,"
				     "\"ts\":3.000,\"args\":{\"threads\":1}}"));
	assert_true(g_str_has_suffix(text, "\n]}\n"));
	g_free(text);
}

/* Enough of protobuf to walk a trace. */
static uint64_t varint(const uint8_t **p)
{
	uint64_t n = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = *(*p)++;

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
}

struct found {
	unsigned packets, switches, wakings, counters, tracks;
	uint64_t last_at;
};

static void walk_event(const uint8_t *p, const uint8_t *end, struct found *f)
{
	while (p < end) {
		uint64_t key = varint(&p), n = varint(&p);

		if (key == (1 << 3))
			f->last_at = n;
		f->switches += key == (4 << 3 | 2);
		f->wakings += key == (20 << 3 | 2);
		if ((key & 7) == 2)
			p += n;
	}
	assert_ptr_equal(p, end);
}

static void walk_bundle(const uint8_t *p, const uint8_t *end, struct found *f)
{
	uint64_t last = 0;

	while (p < end) {
		uint64_t key = varint(&p), n = varint(&p);

		if (key == (2 << 3 | 2)) {
			walk_event(p, p + n, f);
			assert_true(f->last_at >= last);
			last = f->last_at;
			p += n;
		} else {
			assert_int_equal(key, 1 << 3);
		}
	}
	assert_ptr_equal(p, end);
}

static void test_perfetto(void **state)
{
	gsize len;
	char *bytes = export("perfetto", NULL, &len);
	const uint8_t *p = (const uint8_t *)bytes, *end = p + len;
	struct found f = { 0 };

	(void)state;
	while (p < end) {
		const uint8_t *packet_end;
		uint64_t n;

		assert_int_equal(varint(&p), 1 << 3 | 2);
		n = varint(&p);
		packet_end = p + n;
		f.packets++;
		while (p < packet_end) {
			uint64_t key = varint(&p);

			n = varint(&p);
			if (key == (1 << 3 | 2))
				walk_bundle(p, p + n, &f);
			f.counters += key == (11 << 3 | 2);
			f.tracks += key == (60 << 3 | 2);
			if (key == 10 << 3)
				assert_int_equal(n, 1);
			if ((key & 7) == 2)
				p += n;
		}
		assert_ptr_equal(p, packet_end);
	}
	assert_ptr_equal(p, end);
	assert_int_equal(f.tracks, 2);
	assert_int_equal(f.counters, 7);
	assert_int_equal(f.packets, 2 + 2 + 7);
	assert_int_equal(f.switches, 6);
	assert_int_equal(f.wakings, 3);
	g_free(bytes);
}

static unsigned count_lines(const struct sl_export_opts *opts)
{
	char *text = export("perf", opts, NULL);
	unsigned n = 0;

	for (const char *c = text; *c; c++)
		n += *c == '\n';
	g_free(text);
	return n;
}

static void test_filters(void **state)
{
	const uint64_t cpu1 = 2;
	const struct sl_export_opts window = { .from = 2000, .to = 2600 };
	const struct sl_export_opts thread = { .thread = "worker" };
	const struct sl_export_opts cpu = { .cpus = &cpu1, .cpu_words = 1 };

	(void)state;
	assert_int_equal(count_lines(NULL), N_RECORDS + 1);
	assert_int_equal(count_lines(&window), 3);
	assert_int_equal(count_lines(&thread), 4);
	assert_int_equal(count_lines(&cpu), 5);
}

static void test_unknown_format(void **state)
{
	GError *error = NULL;

	(void)state;
	assert_null(sl_export_new("svg", &workload, stdout, NULL, &error));
	assert_string_equal(error->message, "unknown export format 'svg'; expected one of ftrace, "
					    "perf, ktr, chrome, perfetto, trace.dat");
	g_error_free(error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ftrace_text), cmocka_unit_test(test_ftrace_rules),
		cmocka_unit_test(test_read_back),   cmocka_unit_test(test_ktr_order),
		cmocka_unit_test(test_chrome),	    cmocka_unit_test(test_perfetto),
		cmocka_unit_test(test_filters),	    cmocka_unit_test(test_unknown_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
