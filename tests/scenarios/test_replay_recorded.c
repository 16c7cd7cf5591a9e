/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The shipped recordings on the engine: CPU time to the nanosecond under any policy, the
 * recorded makespan on as many CPUs, and an export that reads back as the same run. */
#include <string.h>

#include <glib/gstdio.h>

#include "policies/registry.h"
#include "sim/core/sim.h"
#include "tests/sl_test.h"
#include "tests/traces/test_import_check.h"
#include "topologies/topo_load.h"
#include "traces/export.h"
#include "traces/import.h"

#define RECORDED SL_SOURCE_DIR "/traces/recorded/"

static const struct {
	const char *name, *topo;
	unsigned percent; /* bound of the makespan's error: 3 on one CPU, 6 on two */
} recordings[] = {
	{ "make-hello-j4", "flat:2", 6 },
	{ "pbzip2-p4", "flat:2", 6 },
	{ "pbzip2-p2", "flat:2", 6 },
	{ "pbzip2-p2-1cpu", "flat:1", 3 },
};

struct run {
	struct sl_topo *topo;
	struct sl_sim *sim;
	struct sl_totals totals;
};

/* `recorded`: with the wake-up latency of idle CPUs that the recording shows. */
static struct run run_costs(const struct sl_workload *w, const char *topo, const char *policy,
			    const struct sl_sink *sink, bool recorded)
{
	struct sl_costs costs = { .idle_exit_ns = (uint32_t)MIN(w->wake_latency, SL_NS_PER_MS) };
	const struct sl_policy *p = sl_policy_find(policy);
	struct run r = { sl_topo_load(topo, NULL), NULL, { 0 } };
	struct sl_sim_args args = { .topo = r.topo,
				    .policy = p,
				    .era = sl_policy_era(p, NULL),
				    .workload = w,
				    .costs = recorded ? &costs : NULL,
				    .seed = 1,
				    .check = true,
				    .sinks = sink,
				    .n_sinks = sink != NULL };
	char err[256] = "";

	r.sim = sl_sim_new(&args, err, sizeof(err));
	if (!r.sim)
		fail_msg("%s", err);
	if (sl_sim_run(r.sim) != SL_END_DONE)
		fail_msg("%s", sl_sim_fault(r.sim));
	sl_sim_totals(r.sim, &r.totals);
	return r;
}

static struct run run(const struct sl_workload *w, const char *topo, const char *policy,
		      const struct sl_sink *sink)
{
	return run_costs(w, topo, policy, sink, false);
}

static void run_free(struct run *r)
{
	sl_sim_free(r->sim);
	sl_topo_free(r->topo);
}

static struct sl_workload *load(const char *name, const char *suffix,
				struct sl_import_report *report)
{
	char *path = g_strconcat(RECORDED, name, suffix, NULL);
	GError *error = NULL;
	struct sl_workload *w = sl_trace_import(path, NULL, report, &error);

	if (!w)
		fail_msg("%s", error->message);
	g_free(path);
	return w;
}

/* Each thread got exactly the CPU time of its program. */
static void check_cpu_time(const struct sl_workload *w, const struct run *r)
{
	uint64_t *got = g_new0(uint64_t, w->n_tasks), total = 0;
	struct sl_thread_result t;

	for (uint32_t i = 0; sl_sim_thread(r->sim, i, &t); i++)
		got[t.task] += t.user_ns + t.sys_ns;
	for (uint32_t i = 0; i < w->n_tasks; i++) {
		if (got[i] != import_check_run(w, i))
			fail_msg("%s: %" G_GUINT64_FORMAT " ns, program %" G_GUINT64_FORMAT,
				 w->task[i].name, got[i], import_check_run(w, i));
		total += got[i];
	}
	assert_true(r->totals.user_ns + r->totals.sys_ns == total);
	g_free(got);
}

/* The same CPU time under all these policies on all these machines; both lists end with NULL. */
static void check_everywhere(const struct sl_workload *w, const char *const *policies,
			     const char *const *topos)
{
	for (; *policies; policies++) {
		for (const char *const *topo = topos; *topo; topo++) {
			struct run r = run(w, *topo, *policies, NULL);

			check_cpu_time(w, &r);
			run_free(&r);
		}
	}
}

static void test_cpu_time(void **state)
{
	static const char *const policies[] = { "4bsd", "ule", "ule-1ppq", "rr", "fifo", NULL };
	static const char *const topos[] = { "flat:1", "flat:2", "1x2x2", NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct sl_workload *w = load(recordings[i].name, ".slr", NULL);

		check_everywhere(w, policies, topos);
		sl_import_workload_free(w);
	}
}

static void test_makespan(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct sl_import_report report;
		struct sl_workload *w = load(recordings[i].name, ".perf.gz", &report);
		struct run r = run(w, recordings[i].topo, "4bsd", NULL);
		uint64_t real = r.totals.real_ns, recorded = report.makespan;
		uint64_t gap = real > recorded ? real - recorded : recorded - real;

		if (gap * 100 > recorded * recordings[i].percent)
			fail_msg("%s: replayed %" G_GUINT64_FORMAT
				 " ns, recorded %" G_GUINT64_FORMAT,
				 recordings[i].name, real, recorded);
		run_free(&r);
		sl_import_workload_free(w);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* CPU times of all tasks, ascending: another policy forks them in another order. */
static uint64_t *sorted_runs(const struct sl_workload *w)
{
	uint64_t *sum = g_new(uint64_t, w->n_tasks);

	for (uint32_t i = 0; i < w->n_tasks; i++)
		sum[i] = import_check_run(w, i);
	qsort(sum, w->n_tasks, sizeof(sum[0]), by_value);
	return sum;
}

/* A run exported and imported again has the same threads, and replays in the same time
 * when they were first seen in the same order (else they have other numbers). */
static void round_trip(const char *name, const char *format, const char *topo, const char *policy,
		       bool same_order)
{
	const struct sl_import_opts all = { .all = true, .keep_timeouts = true };
	char *path = g_strconcat(SL_BINARY_DIR, "/test_replay_recorded.txt", NULL);
	struct sl_workload *w = load(name, ".slr", NULL), *again;
	FILE *out = fopen(path, "w");
	struct sl_export *x = sl_export_new(format, w, out, NULL, NULL);
	struct sl_sink sink = sl_export_sink(x);
	struct run first = run(w, topo, policy, &sink), second;
	GError *error = NULL;
	uint64_t *before, *after;

	assert_true(sl_export_finish(x, first.totals.end_ns, NULL));
	fclose(out);
	again = sl_trace_import(path, &all, NULL, &error);
	if (!again)
		fail_msg("%s", error->message);
	assert_null(import_check(again));
	assert_int_equal(again->n_tasks, w->n_tasks);
	before = sorted_runs(w);
	after = sorted_runs(again);
	assert_memory_equal(before, after, w->n_tasks * sizeof(before[0]));
	g_free(before);
	g_free(after);
	second = run(again, topo, policy, NULL);
	if (same_order)
		assert_true(second.totals.real_ns == first.totals.real_ns);
	run_free(&first);
	run_free(&second);
	sl_import_workload_free(w);
	sl_import_workload_free(again);
	g_unlink(path);
	g_free(path);
}

static void test_round_trip(void **state)
{
	static const struct {
		const char *name;
		bool exact; /* does not look at sleep priorities, which trace text lacks */
	} policies[] = { { "ule", true }, { "rr", true }, { "4bsd", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		const char *name = policies[i].name;
		bool exact = policies[i].exact;

		round_trip("pbzip2-p2", "ftrace", "flat:2", name, exact);
		round_trip("pbzip2-p4", "ftrace", "flat:2", name, exact);
		round_trip("pbzip2-p4", "perf", "flat:2", name, exact);
		round_trip("pbzip2-p2-1cpu", "ftrace", "flat:1", name, exact);
		round_trip("make-hello-j4", "ftrace", "flat:2", name, false);
	}
}

/* ---- other recordings, where somebody has some ---- */

/* A run takes as long as it was recorded; `path` says on how many CPUs that was. */
static void check_sampled_makespan(const char *path)
{
	bool one = strstr(path, ".1cpu.") != NULL;
	struct sl_import_report report;
	struct sl_workload *w = sl_trace_import(path, NULL, &report, NULL);
	uint64_t bound = one ? 3 : 6, real, gap;
	struct run r;

	if (!w)
		return;
	r = run_costs(w, one ? "flat:1" : "flat:2", "4bsd", NULL, true);
	real = r.totals.real_ns;
	gap = real > report.makespan ? real - report.makespan : report.makespan - real;
	/* In short runs one burst decides. */
	if (report.makespan > 300 * SL_NS_PER_MS && gap * 100 > report.makespan * bound)
		fail_msg("%s: replayed %.3f s, recorded %.3f s", path, (double)real / 1e9,
			 (double)report.makespan / 1e9);
	run_free(&r);
	sl_import_workload_free(w);
}

static bool check_sample(const char *path)
{
	static const char *const policies[] = { "4bsd", "ule", "rr", NULL };
	static const char *const topos[] = { "flat:1", "flat:2", NULL };
	const struct sl_import_opts all = { .all = true };
	struct sl_workload *w = sl_trace_import(path, &all, NULL, NULL);
	const char *fault;

	if (!w)
		return false;
	fault = import_check(w);
	if (fault)
		fail_msg("%s: %s", path, fault);
	check_everywhere(w, policies, topos);
	sl_import_workload_free(w);
	return true;
}

/* SL_SAMPLES: a folder whose MANIFEST.tsv has a file name in the first column of each line. */
static void test_samples(void **state)
{
	const char *folder = g_getenv("SL_SAMPLES");
	char *list, *text = NULL, **lines;
	unsigned replayed = 0;

	(void)state;
	if (!folder)
		skip();
	list = g_build_filename(folder, "MANIFEST.tsv", NULL);
	if (!g_file_get_contents(list, &text, NULL, NULL))
		fail_msg("%s cannot be read", list);
	lines = g_strsplit(text, "\n", -1);
	for (char **l = lines + 1; *l && **l; l++) {
		char *name = g_strndup(*l, strcspn(*l, "\t"));
		char *path = g_build_filename(folder, name, NULL);

		replayed += check_sample(path);
		if (strstr(name, "cpu.ftrace.gz"))
			check_sampled_makespan(path);
		g_free(path);
		g_free(name);
	}
	print_message("%u recordings replayed\n", replayed);
	assert_true(replayed > 0);
	g_strfreev(lines);
	g_free(text);
	g_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_time),
		cmocka_unit_test(test_makespan),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_samples),
	};

	return sl_test_exit(cmocka_run_group_tests(tests, NULL, NULL), !g_getenv("SL_SAMPLES"));
}
