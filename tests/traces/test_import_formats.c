/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One recording in many clothes: every rendering gives the same programs. Wrappers, other
 * systems' formats, and what is refused. */
#include "traces/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/traces/test_import_check.h"
#include "traces/reader.h"

#define RECORDED SL_SOURCE_DIR "/traces/recorded/"

static char *read_text(const char *path)
{
	struct sl_reader *r = sl_reader_open(path, NULL);
	GString *s = g_string_new(NULL);
	char chunk[4096];
	size_t n;

	assert_non_null(r);
	while ((n = sl_reader_read(r, chunk, sizeof(chunk))) > 0)
		g_string_append_len(s, chunk, (gssize)n);
	sl_reader_free(r);
	return g_string_free(s, FALSE);
}

static struct sl_workload *import(const char *text, struct sl_import_report *report)
{
	GError *error = NULL;
	struct sl_workload *w = sl_trace_import_mem(text, strlen(text), "t", NULL, report, &error);

	if (!w)
		fail_msg("%s", error->message);
	return w;
}

static void check_digest(const char *text, const char *format, uint64_t digest)
{
	struct sl_import_report report;
	struct sl_workload *w = import(text, &report);

	assert_string_equal(report.format, format);
	if (w->digest != digest)
		fail_msg("%s: another program", format);
	sl_import_workload_free(w);
}

/* The perf line's parts: comm, tid, "[cpu]", "sec.frac", the rest behind "sched:". */
struct parts {
	char *comm, *rest;
	int tid;
	char cpu[16], at[32];
};

static struct parts split(const char *line)
{
	struct parts p = { .comm = NULL };
	const char *bracket = strstr(line + 16, " ["), *tid = bracket, *rest;
	char *comm;

	while (g_ascii_isdigit(tid[-1]) || tid[-1] == '-')
		tid--;
	comm = g_strndup(line, (gsize)(tid - line));
	p.comm = g_strdup(g_strstrip(comm));
	g_free(comm);
	p.tid = atoi(tid);
	rest = strstr(bracket, "sched:");
	p.rest = g_strdup(rest + 6);
	/* A thread that is exiting has no number any more for perf; ftrace still knows it. */
	if (p.tid < 0)
		p.tid = atoi(strstr(p.rest, "pid=") + 4);
	assert_int_equal(sscanf(bracket, " [%15[0-9]] %31[0-9.]:", p.cpu, p.at), 2);
	return p;
}

/* Renders perf text with `render` line by line. */
static char *rewrite(const char *text, const char *head,
		     void (*render)(GString *out, const struct parts *p))
{
	char **lines = g_strsplit(text, "\n", -1);
	GString *out = g_string_new(head);

	for (char **line = lines; *line && **line; line++) {
		struct parts p = split(*line);

		render(out, &p);
		g_free(p.comm);
		g_free(p.rest);
	}
	g_strfreev(lines);
	return g_string_free(out, FALSE);
}

static void as_ftrace(GString *out, const struct parts *p)
{
	g_string_append_printf(out, "%16s-%-7d [%s]  %s: %s\n", p->comm, p->tid, p->cpu, p->at,
			       p->rest);
}

static void as_tgid(GString *out, const struct parts *p)
{
	g_string_append_printf(out, "%16s-%-7d (-----) [%s] ..... %s: %s\n", p->comm, p->tid,
			       p->cpu, p->at, p->rest);
}

static void as_latency(GString *out, const struct parts *p)
{
	g_string_append_printf(out, "%8.8s-%-7d %4d..... %s: %s\n", p->comm, p->tid, atoi(p->cpu),
			       p->at, p->rest);
}

static void as_pid_tid(GString *out, const struct parts *p)
{
	g_string_append_printf(out, "%16s    -1/%-7d [%s] %s:    1 sched:%s\n", p->comm, p->tid,
			       p->cpu, p->at, p->rest);
}

static void as_old_perf(GString *out, const struct parts *p)
{
	g_string_append_printf(out, "%16s %5d [%s] %s: %s\n\tffffffffa95c44ac f ([kernel])\n\n",
			       p->comm, p->tid, p->cpu, p->at, p->rest);
}

static void as_html(GString *out, const struct parts *p)
{
	g_string_append_printf(out, "%16s-%-7d [%s] %s: %s\\n\\\n", p->comm, p->tid, p->cpu, p->at,
			       p->rest);
}

static void as_json(GString *out, const struct parts *p)
{
	char *comm = g_strescape(p->comm, NULL), *rest = g_strescape(p->rest, NULL);

	g_string_append_printf(out, "%16s-%-7d [%s] %s: %s\\n", comm, p->tid, p->cpu, p->at, rest);
	g_free(comm);
	g_free(rest);
}

/* trace-cmd's default: switches by libtraceevent's plugin. */
static void as_plugin(GString *out, const struct parts *p)
{
	char prev[32], next[32], state[8];
	int prev_pid, prev_prio, next_pid, next_prio;

	if (sscanf(p->rest,
		   "sched_switch: prev_comm=%31s prev_pid=%d prev_prio=%d prev_state=%7s ==> "
		   "next_comm=%31s next_pid=%d next_prio=%d",
		   prev, &prev_pid, &prev_prio, state, next, &next_pid, &next_prio) == 7)
		g_string_append_printf(out,
				       "%16s-%-5d [%s] %s: sched_switch:         %s:%d [%d] %c "
				       "==> %s:%d [%d]\n",
				       p->comm, p->tid, p->cpu, p->at, prev, prev_pid, prev_prio,
				       state[0], next, next_pid, next_prio);
	else
		g_string_append_printf(out, "%16s-%-5d [%s] %s: %s\n", p->comm, p->tid, p->cpu,
				       p->at, p->rest);
}

static char *backwards(const char *text)
{
	char **lines = g_strsplit(text, "\n", -1);
	guint n = g_strv_length(lines);
	GString *out = g_string_new(NULL);

	while (n-- > 0)
		if (*lines[n])
			g_string_append_printf(out, "%s\n", lines[n]);
	g_strfreev(lines);
	return g_string_free(out, FALSE);
}

static void test_renderings(void **state)
{
	static const struct {
		const char *format, *head;
		void (*render)(GString *out, const struct parts *p);
	} clothes[] = {
		{ "ftrace", "# tracer: nop\n#\n", as_ftrace },
		{ "ftrace", "", as_tgid },
		{ "ftrace", "cpus=2\n", as_latency },
		{ "ftrace", "cpus=2\n", as_plugin },
		{ "perf", "", as_pid_tid },
		{ "perf", "# ========\n# captured on : today\n# ========\n#\n", as_old_perf },
		{ "systrace-html", "<!DOCTYPE html>\n<script>\n  var linuxPerfData = \"\\\n",
		  as_html },
		{ "chrome-json", "{\"traceEvents\":[],\"systemTraceEvents\" : \"# tracer: nop\\n",
		  as_json },
	};
	char *text = read_text(RECORDED "pbzip2-p2.perf.gz"), *other;
	struct sl_import_report report;
	struct sl_workload *w = import(text, &report);

	(void)state;
	assert_string_equal(report.format, "perf");
	for (size_t i = 0; i < sizeof(clothes) / sizeof(clothes[0]); i++) {
		other = rewrite(text, clothes[i].head, clothes[i].render);
		check_digest(other, clothes[i].format, w->digest);
		g_free(other);
	}
	other = backwards(text);
	check_digest(other, "perf", w->digest);
	g_free(other);
	sl_import_workload_free(w);
	g_free(text);
}

/* What the switches say agrees with the kernel's own account; the report adds up. */
static void test_shipped(void **state)
{
	static const char *const names[] = { "make-hello-j4", "pbzip2-p4", "pbzip2-p2",
					     "pbzip2-p2-1cpu" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = g_strconcat(RECORDED, names[i], ".perf.gz", NULL);
		struct sl_import_report r;
		struct sl_workload *w = sl_trace_import(path, NULL, &r, NULL);
		uint64_t run = 0, waits = 0;

		assert_non_null(w);
		assert_null(import_check(w));
		for (uint32_t t = 0; t < w->n_tasks; t++)
			run += import_check_run(w, t);
		assert_true(run == r.selected_cpu);
		assert_true(run <= r.cpu_time);
		assert_true(r.cpu_time <= r.cpus * r.span);
		assert_true(llabs((long long)r.cpu_time - (long long)r.runtime_sum) * 100 <
			    (long long)r.runtime_sum);
		for (uint32_t k = 0; k < w->n_ops; k++)
			waits += w->op[k].kind == SL_OP_EDGE_WAIT;
		assert_true(waits == r.edges && waits == w->n_edges);
		assert_true(r.healed * 100 < r.switches);
		assert_int_equal(r.bad_lines, 0);
		sl_import_workload_free(w);
		g_free(path);
	}
}

/* Cut at any line or byte: no crash, sound programs, never more work than in the whole. */
static void test_truncated(void **state)
{
	char *text = read_text(RECORDED "pbzip2-p2.perf.gz");
	const struct sl_import_opts all = { .all = true, .keep_timeouts = true };
	size_t len = strlen(text);
	struct sl_workload *whole = sl_trace_import_mem(text, len, "t", &all, NULL, NULL);
	unsigned imported = 0;

	(void)state;
	assert_non_null(whole);
	for (size_t n = 0; n < len; n += 997) {
		struct sl_import_report r;
		GError *error = NULL;
		struct sl_workload *w = sl_trace_import_mem(text, n, "t", &all, &r, &error);

		assert_true((w != NULL) != (error != NULL));
		if (error) {
			g_error_free(error);
			continue;
		}
		imported++;
		assert_null(import_check(w));
		assert_true(w->n_tasks <= whole->n_tasks);
		assert_true(r.truncated || text[n - 1] == '\n');
		sl_import_workload_free(w);
	}
	assert_true(imported > 250);
	sl_import_workload_free(whole);
	g_free(text);
}

static void check_refused(const char *text, const struct sl_import_opts *opts, const char *expected)
{
	GError *error = NULL;
	struct sl_workload *w = sl_trace_import_mem(text, strlen(text), "t", opts, NULL, &error);

	assert_null(w);
	assert_string_equal(error->message, expected);
	g_error_free(error);
}

static void test_refused(void **state)
{
	const struct sl_import_opts strict = { .strict = true };

	(void)state;
	check_refused(
		"hello\nworld\n", NULL,
		"t:1:1: not a trace that is known here; expected perf script or ftrace text, "
		"systrace HTML, Chrome JSON with systemTraceEvents, ktrdump text, a ninja log "
		"or a schedlab recording");
	check_refused("  a 1 [000] 1.000000: cpu-clock: x\n", NULL,
		      "t: no scheduler events in 1 lines of perf text; expected sched_switch and "
		      "sched_waking events (perf sched record)");
	check_refused(
		"  a 1 1.000000: sched:sched_waking: comm=b pid=2 prio=120 target_cpu=000\n", NULL,
		"t:1:1: no CPU column; expected \"comm tid [cpu] seconds: event: ...\" (record "
		"all CPUs: perf sched record, or perf record -a)");
	check_refused("  a 1 [000] 1.000000: sched:sched_waking: comm=b pid=2 prio=12x\n", NULL,
		      "t:1:63: scheduler event not understood; expected  [ (1 such lines beside 0 "
		      "events)");
	check_refused("{\"traceEvents\":[{\"ph\":\"X\"}]}", NULL,
		      "t:1:1: this Chrome JSON holds spans of work but no scheduling; expected a "
		      "systemTraceEvents string");
	check_refused("  a 1 [000] 1.0: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
		      "prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n"
		      "  a 1 [000] 1.1: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
		      "prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n",
		      &strict,
		      "t:2:1: a switch is missing from a CPU's chain, at 1.100000000 s; expected a "
		      "complete trace (--strict)");
	check_refused(
		"CPU:0 [LOST 91 EVENTS]\n"
		"  a-1 [000] d..2 1.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
		"prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n",
		&strict,
		"t:1:1: events are lost, at 0.000000000 s; expected a complete trace (--strict)");
	check_refused(
		"# tracer: nop\n"
		"  a-1 [000] d..2 1.000000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
		"prev_state=R ==> next_comm=b next_pid=2 next_prio=120\n"
		"  b-2 [000] d..2 2.000000: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 "
		"prev_state=R ==> next_comm=a next_pid=1 next_prio=120\n"
		"  a-1 [000] d..2 1.500000: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
		"prev_state=R ==> next_comm=b next_pid=2 next_prio=120\n",
		&strict,
		"t:4:1: time runs backwards, at 1.500000000 s; expected a complete trace "
		"(--strict)");
	check_refused("CPU     ID                    FUNCTION:NAME\n  0  61543     :off-cpu \n",
		      NULL,
		      "t:1:1: this is what DTrace prints unasked, without times; expected the "
		      "output of schedlab.d, see docs/recording.md");
	check_refused(
		"\n\002ab\n\001c\n\002de", NULL,
		"t:1:1: this is Perfetto's protobuf; expected its text: traceconv systrace t");
	check_refused("# ninja log v5\nx\t5\t0\to\tff\n", NULL,
		      "t:2:1: not a line of a ninja log; expected the start of a job in ms and a "
		      "TAB");
	check_refused("# ninja log v5\n", NULL,
		      "t: a ninja log without jobs; expected at least one");
}

static void test_ninja(void **state)
{
	struct sl_import_report r;
	struct sl_workload *w = import("# ninja log v5\n"
				       "0\t900\t1\told\taa\n" /* an earlier run of ninja */
				       "0\t100\t1\tsub dir/a.o\t11\n"
				       "0\t300\t1\tb.o\t22\n"
				       "0\t300\t1\tb.d\t22\n" /* second output of the same job */
				       "100\t350\t1\tc.o\t33\n"
				       "350\t350\t1\tphony\t44\n"
				       "350\t4",
				       &r);

	(void)state;
	assert_string_equal(r.format, "ninja-log");
	assert_true(r.truncated);
	assert_int_equal(w->n_tasks, 5);
	assert_string_equal(w->task[0].name, "ninja");
	assert_string_equal(w->task[1].name, "a.o");
	assert_true(import_check_run(w, 1) == 100 * SL_NS_PER_MS);
	assert_string_equal(w->task[3].name, "c.o");
	assert_true(import_check_run(w, 3) == 250 * SL_NS_PER_MS);
	assert_true(import_check_run(w, 4) == 0);
	/* Two ran at one time. */
	assert_int_equal(w->n_sems, 1);
	assert_int_equal(w->sem[0].initial, 2);
	sl_import_workload_free(w);
}

/* Both grammars of KTR, newest first, and schedgraph.d, say the same. */
static void test_ktr(void **state)
{
	static const char new_text[] =
		"index  cpu timestamp        trace\n"
		"------ --- ---------------- -----\n"
		"     9   0             9000 KTRGRAPH group:\"thread\", id:\"idle: cpu0 tid "
		"100003\", "
		"state:\"running\", attributes: prio:255\n"
		"     8   0             9000 KTRGRAPH group:\"thread\", id:\"a b tid 100101\", "
		"state:\"exit\", attributes: prio:120\n"
		"     7   0             7000 KTRGRAPH group:\"thread\", id:\"a b tid 100101\", "
		"state:\"running\", attributes: prio:120\n"
		"     6   0             7000 KTRGRAPH group:\"thread\", id:\"c tid 100102\", "
		"state:\"exit\", attributes: prio:120\n"
		"     5   0             6000 KTRGRAPH group:\"load\", id:\"CPU 0 load\", "
		"counter:2, "
		"attributes: none\n"
		"     4   0             6000 KTRGRAPH group:\"thread\", id:\"c tid 100102\", "
		"point:\"wokeup\", attributes: linkedto:\"a b tid 100101\"\n"
		"     3   0             6000 KTRGRAPH group:\"thread\", id:\"a b tid 100101\", "
		"state:\"runq add\", attributes: prio:120, linkedto:\"c tid 100102\"\n"
		"     2   0             4000 KTRGRAPH group:\"thread\", id:\"c tid 100102\", "
		"state:\"running\", attributes: prio:120\n"
		"     1   0             4000 KTRGRAPH group:\"thread\", id:\"a b tid 100101\", "
		"state:\"sleep\", attributes: prio:120, wmesg:\"uwait, x\", lockname:\"(null)\"\n"
		"     0   0             1000 KTRGRAPH group:\"thread\", id:\"a b tid 100101\", "
		"state:\"running\", attributes: prio:120\n";
	static const char old_text[] =
		"     9   0             9000 mi_switch: running 0xc1(idle: cpu0) prio 255\n"
		"     8   0             9000 sched_exit: 0xc5(a b) prio 120\n"
		"     7   0             7000 mi_switch: running 0xc5(a b) prio 120\n"
		"     6   0             7000 sched_exit_thread: 0xc6(c) prio 120\n"
		"     5   0             6000 load: 2\n"
		"     3   0             6000 sched_add: 0xc5(a b) prio 120 by 0xc6(c)\n"
		"     2   0             4000 mi_switch: running 0xc6(c) prio 120\n"
		"     1   0             4000 mi_switch: 0xc5(a b) prio 120 inhibit 2 wmesg uwait "
		"lock "
		"(null)\n"
		"     0   0             1000 mi_switch: running 0xc5(a b) prio 120\n";
	struct sl_import_report r;
	struct sl_workload *w = import(new_text, &r);

	(void)state;
	assert_string_equal(r.format, "ktr");
	assert_int_equal(w->n_tasks, 2);
	assert_string_equal(w->task[0].name, "a b");
	assert_int_equal(w->n_edges, 1);
	assert_true(import_check_run(w, 0) == 5000);
	assert_true(import_check_run(w, 1) == 3000);
	check_digest(old_text, "ktr", w->digest);
	sl_import_workload_free(w);
}

/* The clock's rate from statclock ticks: here 2 ticks of the counter are 1 ns. */
static void test_ktr_rate(void **state)
{
	static const char thread[] = "KTRGRAPH group:\"thread\", id:";
	GString *s = g_string_new(NULL);
	struct sl_workload *w;

	(void)state;
	g_string_append_printf(s, "0 0 0 %s\"b tid 8\", state:\"running\", attributes: prio:1\n",
			       thread);
	for (int i = 0; i < 6; i++)
		g_string_append_printf(s,
				       "%d 0 %d %s\"b tid 8\", point:\"statclock\", "
				       "attributes: prio:1, stathz:100\n",
				       i + 1, 5000 + i * 20000000, thread);
	g_string_append_printf(s,
			       "8 0 110000000 %s\"b tid 8\", state:\"sleep\", attributes: prio:1\n"
			       "9 0 110000000 %s\"a tid 7\", state:\"running\", attributes: "
			       "prio:1\n"
			       "10 0 210000000 %s\"a tid 7\", state:\"exit\", attributes: prio:td\n"
			       "11 0 210000000 %s\"idle: cpu0 tid 3\", state:\"running\", "
			       "attributes: prio:255\n",
			       thread, thread, thread, thread);
	w = import(s->str, NULL);
	assert_int_equal(w->n_tasks, 2);
	assert_string_equal(w->task[0].name, "a");
	assert_true(import_check_run(w, 0) == 50 * SL_NS_PER_MS);
	/* Who runs first on a CPU runs since that record. */
	assert_string_equal(w->task[1].name, "b");
	assert_true(import_check_run(w, 1) == 55 * SL_NS_PER_MS);
	sl_import_workload_free(w);
	g_string_free(s, TRUE);
}

static void check_kind(const char *text, enum sl_trace_kind kind)
{
	char *path = g_strconcat(SL_BINARY_DIR, "/test_import_sniff", NULL);

	assert_true(g_file_set_contents(path, text, -1, NULL));
	assert_int_equal(sl_trace_sniff(path), kind);
	g_free(path);
}

/* ---- DTrace: what the script of docs/recording.md prints ---- */

enum d_clause { D_ON, D_OFF, D_ENQUEUE, D_CLAUSES };

/* The formats of a clause's printf()s in one, escapes undone, from the script itself. */
static char *d_format(const char *script, const char *probe)
{
	const char *at = strstr(script, probe), *end;
	GString *format = g_string_new(NULL);

	assert_non_null(at);
	end = strstr(at, "\n}");
	assert_non_null(end);
	while ((at = strstr(at, "printf(\"")) && at < end) {
		const char *from = at + strlen("printf(\""), *to = from;
		char *quoted, *plain;

		for (; *to != '"'; to++)
			to += *to == '\\';
		quoted = g_strndup(from, (gsize)(to - from));
		plain = g_strcompress(quoted);
		g_string_append(format, plain);
		g_free(plain);
		g_free(quoted);
		at = to;
	}
	return g_string_free(format, FALSE);
}

/* printf with every argument given as text. */
static void d_print(GString *out, const char *format, const char *const *arg)
{
	for (; *format; format++) {
		if (*format != '%') {
			g_string_append_c(out, *format);
			continue;
		}
		format++;
		assert_true(*format == 'd' || *format == 's');
		assert_non_null(*arg);
		g_string_append(out, *arg++);
	}
	assert_null(*arg);
}

static void test_dtrace(void **state)
{
	static const char *const probes[] = { "\nsched:::on-cpu\n", "\nsched:::off-cpu\n",
					      "\nsched:::enqueue\n" };
	/* Buffer by buffer, as DTrace writes them: first CPU 1, then CPU 0, which began before. */
	static const struct {
		enum d_clause clause;
		const char *arg[10];
	} lines[] = {
		{ D_ON, { "1", "5000000001200", "idle", "idle: cpu1", "100004", "255" } },
		{ D_OFF,
		  { "1", "5000000006100", "idle", "idle: cpu1", "100004", "yielding", "255" } },
		{ D_ON, { "1", "5000000006100", "make", "a b", "100101", "120" } },
		{ D_OFF, { "1", "5000000008100", "make", "a b", "100101", "exit", "120" } },
		{ D_ON, { "1", "5000000008100", "idle", "idle: cpu1", "100004", "255" } },
		{ D_ON, { "0", "5000000001000", "make", "a b", "100101", "120" } },
		{ D_OFF, { "0", "5000000004000", "make", "a b", "100101", "sleep", "120" } },
		{ D_ON, { "0", "5000000004000", "cc", "cc", "100102", "121" } },
		{ D_ENQUEUE,
		  { "0", "5000000006000", "make", "a b", "100101", "120", "cc", "cc", "100102" } },
		{ D_OFF, { "0", "5000000009000", "cc", "cc", "100102", "exit", "121" } },
		{ D_ON, { "0", "5000000009000", "idle", "idle: cpu0", "100003", "255" } },
	};
	char *page, *script, *formats[D_CLAUSES];
	GString *text = g_string_new(NULL);
	struct sl_import_report r;
	struct sl_workload *w;

	(void)state;
	assert_true(g_file_get_contents(SL_SOURCE_DIR "/docs/recording.md", &page, NULL, NULL));
	script = strstr(page, "```d\n");
	assert_non_null(script);
	*strstr(script + 3, "\n```") = '\0';
	/* The states a line below may have. */
	assert_non_null(strstr(script, "? \"sleep\" : self->gone ? \"exit\" : \"yielding\""));
	for (unsigned i = 0; i < D_CLAUSES; i++)
		formats[i] = d_format(script, probes[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
		d_print(text, formats[lines[i].clause], lines[i].arg);
	w = import(text->str, &r);
	assert_string_equal(r.format, "ktr");
	assert_int_equal(r.bad_lines, 0);
	assert_int_equal(r.healed + r.unseen_wakes + r.revived, 0);
	assert_int_equal(w->n_tasks, 2);
	assert_string_equal(w->task[0].name, "make/a b");
	assert_string_equal(w->task[1].name, "cc/cc");
	assert_int_equal(w->n_edges, 1);
	assert_true(import_check_run(w, 0) == 5000);
	assert_true(import_check_run(w, 1) == 5000);
	sl_import_workload_free(w);
	for (unsigned i = 0; i < D_CLAUSES; i++)
		g_free(formats[i]);
	g_string_free(text, TRUE);
	g_free(page);
}

static void test_sniff(void **state)
{
	(void)state;
	assert_int_equal(sl_trace_sniff(RECORDED "pbzip2-p2.slr"), SL_TRACE_RECORDING);
	assert_int_equal(sl_trace_sniff(RECORDED "pbzip2-p2.perf.gz"), SL_TRACE_EVENTS);
	assert_int_equal(sl_trace_sniff(RECORDED "no-such-file"), SL_TRACE_UNKNOWN);
	assert_int_equal(sl_trace_sniff("-"), SL_TRACE_UNKNOWN);
	check_kind("{ \"tasks\": {} }", SL_TRACE_JSON);
	check_kind("{\"traceEvents\":[]}", SL_TRACE_EVENTS);
	check_kind("# ninja log v7\n", SL_TRACE_EVENTS);
	check_kind("hello", SL_TRACE_UNKNOWN);
	check_kind("", SL_TRACE_UNKNOWN);
}

/* Memory does not grow for ever: the line that goes too far is named. */
static void test_too_many_threads(void **state)
{
	const struct sl_import_opts opts = { .all = true, .threads_max = 3000 };
	GString *text = g_string_new(NULL);
	struct sl_import_report r;
	GError *error = NULL;

	(void)state;
	for (unsigned i = 1; i < 20000; i++)
		g_string_append_printf(text,
				       "a %u [000] %u.5: sched:sched_switch: prev_comm=a "
				       "prev_pid=%u prev_prio=120 prev_state=X ==> next_comm=a "
				       "next_pid=%u next_prio=120\n",
				       i, i, i, i + 1);
	assert_null(sl_trace_import_mem(text->str, text->len, "x", &opts, &r, &error));
	/* The window in which lines are put in order is read ahead. */
	assert_string_equal(error->message, "x:4024:1: more than 3000 threads; expected a trace of "
					    "fewer (--to ends it before)");
	assert_int_equal(r.lines, 4024);
	g_clear_error(&error);
	g_string_free(text, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_too_many_threads),
		cmocka_unit_test(test_renderings),
		cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_ninja),
		cmocka_unit_test(test_ktr),
		cmocka_unit_test(test_ktr_rate),
		cmocka_unit_test(test_dtrace),
		cmocka_unit_test(test_sniff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
