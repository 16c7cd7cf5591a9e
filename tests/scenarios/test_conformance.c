/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Switch logs and samples against those of the real kernels (tests/golden/conformance).
 * With arguments POLICY SCENARIO [samples] it prints that log instead. */
#include "policies/registry.h"
#include "sim/core/sim.h"
#include "topologies/topo_load.h"
#include "traces/workload_load.h"

#include "tests/sl_test.h"

#include <glib.h>
#include <stdlib.h>

#define GOLDEN SL_SOURCE_DIR "/tests/golden/conformance/"

struct log {
	GString *switches, *samples;
	struct sl_sim *sim;
	GPtrArray *names;
	uint64_t lines;
};

static const char *name_of(struct log *log, uint32_t tid)
{
	char buf[128];

	if (tid == SL_REC_IDLE)
		return "idle";
	while (log->names->len <= tid)
		g_ptr_array_add(log->names, NULL);
	if (!log->names->pdata[tid])
		log->names->pdata[tid] =
			g_strdup(sl_sim_thread_name(log->sim, tid, buf, sizeof buf));
	return log->names->pdata[tid];
}

static void take(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct log *log = ctx;

	for (uint32_t i = 0; i < n; i++) {
		const struct sl_rec *r = &rec[i];

		if (r->kind == SL_REC_SWITCH) {
			log->lines++;
			g_string_append_printf(log->switches, "%llu,%u,%s,%s,%u\n",
					       (unsigned long long)r->at, r->cpu,
					       name_of(log, r->a), name_of(log, r->b), r->pri);
		} else if (r->kind == SL_REC_SAMPLE) {
			g_string_append_printf(log->samples, "%llu,%u,%u,%s,%u,%u,%u,%u\n",
					       (unsigned long long)(r->at / SL_NS_PER_S),
					       (uint32_t)(r->aux >> 32), (uint32_t)r->aux,
					       name_of(log, r->a), r->b, r->cpu, r->pri, r->c);
		}
	}
}

static void simulate(const char *policy, const char *scenario, const char *topology,
		     unsigned seconds, struct log *log)
{
	g_auto(GStrv) part = g_strsplit(policy, "@", 2);
	const struct sl_policy *ops = sl_policy_find(part[0]);
	const struct sl_era *era = ops ? sl_policy_era(ops, part[1]) : NULL;
	g_autofree char *path = g_strdup_printf(GOLDEN "%s.json", scenario);
	g_autoptr(GError) error = NULL;
	struct sl_topo *topo = sl_topo_load(topology, &error);
	struct sl_workload_opts opts = { .ncpus = topo ? topo->ncpus : 1 };
	struct sl_workload *w = topo ? sl_workload_load(path, &opts, NULL, &error) : NULL;
	struct sl_sink sink = { .take = take, .ctx = log };
	struct sl_sim_args args = { .topo = topo,
				    .policy = ops,
				    .era = era,
				    .workload = w,
				    .seed = 1,
				    .until = seconds * SL_NS_PER_S,
				    .check = true,
				    .sample = true,
				    .sinks = &sink,
				    .n_sinks = 1 };
	char err[512] = "";

	if (!w)
		fail_msg("%s", error->message);
	log->switches = g_string_new("t_ns,cpu,prev,next,next_pri\n");
	log->samples = g_string_new("t_s,ldavg0,nrun,thread,estcpu,user_pri,pri,slptime\n");
	log->names = g_ptr_array_new_with_free_func(g_free);
	log->lines = 1;
	if (!ops || !era) {
		print_message("no policy %s\n", policy);
		sl_workload_free(w);
		sl_topo_free(topo);
		return;
	}
	log->sim = sl_sim_new(&args, err, sizeof err);
	if (!log->sim)
		fail_msg("%s", err);
	sl_sim_run(log->sim);
	if (sl_sim_fault(log->sim)[0])
		print_message("%s %s: %s\n", policy, scenario, sl_sim_fault(log->sim));
	sl_sim_free(log->sim);
	sl_workload_free(w);
	sl_topo_free(topo);
}

static void log_free(struct log *log)
{
	g_string_free(log->switches, TRUE);
	g_string_free(log->samples, TRUE);
	g_ptr_array_free(log->names, TRUE);
}

static char **index_rows(void)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents(GOLDEN "index.tsv", &text, NULL, NULL))
		fail_msg("no index of golden logs");
	return g_strsplit(text, "\n", -1);
}

static bool same(const GString *text, const char *digest)
{
	g_autofree char *sum = NULL;

	if (strcmp(digest, "-") == 0)
		return true;
	sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text->str, text->len);
	return strcmp(sum, digest) == 0;
}

static void logs_equal_the_kernels(void **state)
{
	g_auto(GStrv) rows = index_rows();
	unsigned bad = 0, good = 0;

	(void)state;
	for (char **row = rows; *row; row++) {
		g_auto(GStrv) f = g_strsplit(*row, "\t", -1);
		struct log log = { 0 };
		bool ok;

		if (row[0][0] == '#' || g_strv_length(f) < 7)
			continue;
		simulate(f[0], f[1], f[2], (unsigned)atoi(f[3]), &log);
		ok = same(log.switches, f[5]) && same(log.samples, f[6]);
		good += ok;
		bad += !ok;
		if (!ok)
			print_message("differs: %s %s on %s: %llu lines of %s%s\n", f[0], f[1],
				      f[2], (unsigned long long)log.lines, f[4],
				      same(log.switches, f[5]) ? " (samples only)" : "");
		log_free(&log);
	}
	print_message("%u logs equal, %u differ\n", good, bad);
	assert_int_equal(bad, 0);
	assert_true(good > 300);
}

static int print_one(const char *policy, const char *scenario, bool samples)
{
	g_auto(GStrv) rows = index_rows();

	for (char **row = rows; *row; row++) {
		g_auto(GStrv) f = g_strsplit(*row, "\t", -1);
		struct log log = { 0 };

		if (g_strv_length(f) < 7 || strcmp(f[0], policy) || strcmp(f[1], scenario))
			continue;
		simulate(f[0], f[1], f[2], (unsigned)atoi(f[3]), &log);
		fputs((samples ? log.samples : log.switches)->str, stdout);
		log_free(&log);
		return 0;
	}
	return 2;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_equal_the_kernels),
	};

	if (argc > 2)
		return print_one(argv[1], argv[2], argc > 3);
	return cmocka_run_group_tests_name("conformance", tests, NULL, NULL);
}
