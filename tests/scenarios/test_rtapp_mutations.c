/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 10,000 random mutations of the files Debian's package rt-app ships: each is refused with its
 * place, or loads, goes through lint and runs for a while under one of the policies. Skipped
 * when the package is absent. */
#include "policies/registry.h"
#include "sim/base/rng.h"
#include "sim/core/sim.h"
#include "topologies/topo_load.h"
#include "traces/workload_load.h"

#include "tests/sl_test.h"

#include <glib.h>

#define DOC	  "/usr/share/doc/rt-app"
#define MUTATIONS 10000
#define RUN	  (30 * SL_NS_PER_MS)

/* A mutation may ask for ten million threads; that is legal, and no test. */
#define THREADS_MOST 200
#define OPS_MOST     100000

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the paths of all *.json below a folder. */
static void collect(const char *folder, GPtrArray *paths)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_DIR))
			collect(path, paths);
		if (g_str_has_suffix(name, ".json"))
			g_ptr_array_add(paths, path);
		else
			g_free(path);
	}
	if (dir)
		g_dir_close(dir);
}

/* One to four bytes replaced, removed or doubled, by draws. */
static gsize mutate(char *text, gsize len, uint64_t seed)
{
	static const char salt[] = "{}[]\",:0-9e/*\\ runloop$\n\x80";
	uint64_t n = 1 + sl_rng_draw(seed, SL_RNG_BOOT, 0, 0) % 4;

	for (uint64_t k = 1; k <= n && len > 1; k++) {
		gsize at = sl_rng_draw(seed, SL_RNG_BOOT, 1, k) % len;
		uint64_t how = sl_rng_draw(seed, SL_RNG_BOOT, 2, k);

		if (how % 3 == 0) {
			text[at] = salt[(how >> 8) % (sizeof(salt) - 1)];
		} else if (how % 3 == 1) {
			memmove(text + at, text + at + 1, len - at - 1);
			len--;
		} else {
			memmove(text + at + 1, text + at, len - at);
			len++;
		}
	}
	return len;
}

static uint64_t threads_of(const struct sl_workload *w)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < w->n_tasks; i++)
		n += w->task[i].instances;
	return n;
}

/* Under ule, 4bsd and rr in turn. Any end will do. */
static void run(const struct sl_workload *w, const struct sl_topo *topo, uint64_t i)
{
	static const char *const policies[] = { "ule", "4bsd", "rr" };
	const struct sl_policy *policy = sl_policy_find(policies[i % SL_ARRAY_LEN(policies)]);
	struct sl_sim_args args = { .topo = topo,
				    .policy = policy,
				    .era = sl_policy_era(policy, NULL),
				    .workload = w,
				    .seed = i,
				    .until = RUN };
	struct sl_totals totals;
	char err[256];
	struct sl_sim *s = sl_sim_new(&args, err, sizeof err);

	if (!s) {
		assert_true(*err);
		return;
	}
	sl_sim_run(s);
	sl_sim_totals(s, &totals);
	assert_true(totals.end_ns <= RUN);
	sl_sim_free(s);
}

/* True when the mutant loads. */
static bool try_mutant(const char *text, gsize len, const struct sl_topo *topo, uint64_t i)
{
	const struct sl_workload_opts opts = { .ncpus = topo->ncpus };
	GPtrArray *findings = g_ptr_array_new_with_free_func(g_free);
	GError *error = NULL, *again = NULL;
	struct sl_workload *w =
		sl_workload_load_text(text, len, "mutant", NULL, &opts, NULL, &error);
	bool loads = w != NULL;

	assert_true(loads == (error == NULL));
	if (error && !g_str_has_prefix(error->message, "mutant:"))
		fail_msg("no place in: %s", error->message);
	assert_true(sl_workload_lint_text(text, len, "mutant", &opts, findings, &again) == loads);
	if (w && threads_of(w) <= THREADS_MOST && w->n_ops <= OPS_MOST)
		run(w, topo, i);
	g_clear_error(&error);
	g_clear_error(&again);
	sl_workload_free(w);
	g_ptr_array_free(findings, TRUE);
	return loads;
}

static void test_mutations(void **state)
{
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	struct sl_topo *topo;
	size_t loaded = 0;

	(void)state;
	collect(DOC, paths);
	g_ptr_array_sort(paths, by_name);
	if (paths->len == 0) {
		print_message("SKIP: package rt-app is not installed\n");
		g_ptr_array_free(paths, TRUE);
		skip();
	}
	topo = sl_topo_load("1x2x1", NULL);
	for (uint64_t i = 0; i < MUTATIONS; i++) {
		gsize len;
		char *text;

		assert_true(g_file_get_contents(paths->pdata[i % paths->len], &text, &len, NULL));
		text = g_realloc(text, len + 8);
		len = mutate(text, len, i);
		loaded += try_mutant(text, len, topo, i);
		g_free(text);
	}
	/* Both happen: the mutations are neither harmless nor all fatal. */
	assert_in_range(loaded, MUTATIONS / 20, MUTATIONS - MUTATIONS / 20);
	print_message("%zu of %d mutants load\n", loaded, MUTATIONS);
	sl_topo_free(topo);
	g_ptr_array_free(paths, TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_mutations) };

	return sl_test_exit(cmocka_run_group_tests(tests, NULL, NULL),
			    !g_file_test(DOC "/taskset.json", G_FILE_TEST_EXISTS));
}
