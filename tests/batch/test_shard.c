/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Parts cover a sweep once and evenly; launchers' variables are read. */
#include "sim/batch/shard.h"

#include <glib/gstdio.h>

#include "tests/sl_test.h"

/* The environment of a test: name, value, ... */
static const char *const *environment;

static const char *get(const char *name)
{
	for (const char *const *e = environment; e && *e; e += 2)
		if (strcmp(e[0], name) == 0)
			return e[1];
	return NULL;
}

static void check(const char *text, const char *const *env, uint32_t index, uint32_t count)
{
	struct sl_shard shard;
	GError *error = NULL;

	environment = env;
	if (!sl_shard_parse(text, get, &shard, &error))
		fail_msg("%s: %s", text ? text : "(none)", error->message);
	assert_int_equal(shard.index, index);
	assert_int_equal(shard.count, count);
}

static void refuse(const char *text, const char *const *env)
{
	struct sl_shard shard;
	GError *error = NULL;

	environment = env;
	assert_false(sl_shard_parse(text, get, &shard, &error));
	assert_non_null(strstr(error->message, "expected i/N"));
	g_error_free(error);
}

static void launchers(void **state)
{
	const char *const slurm[] = { "SLURM_ARRAY_TASK_ID",
				      "14",
				      "SLURM_ARRAY_TASK_MIN",
				      "10",
				      "SLURM_ARRAY_TASK_STEP",
				      "2",
				      "SLURM_ARRAY_TASK_COUNT",
				      "4",
				      NULL };
	const char *const mpi[] = { "OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "3",
				    NULL };
	const char *const seq[] = { "PARALLEL_SEQ", "5", NULL };

	(void)state;
	check(NULL, NULL, 1, 1);
	check("2/3", NULL, 2, 3);
	check("2/3", slurm, 2, 3);
	check(NULL, slurm, 3, 4);
	check("auto", slurm, 3, 4);
	check(NULL, mpi, 1, 3);
	check(NULL, seq, 1, 1);
	check("auto/8", seq, 5, 8);
	refuse("auto", seq);
	refuse("auto/4", seq);
	refuse("auto", NULL);
	refuse("0/3", NULL);
	refuse("4/3", NULL);
	refuse("1/0", NULL);
	refuse("1", NULL);
	refuse("a/b", NULL);
	refuse("1/999999999", NULL);
}

static void condor(void **state)
{
	char *path = NULL;
	int fd = g_file_open_tmp("job-ad-XXXXXX", &path, NULL);
	const char *const env[] = { "_CONDOR_JOB_AD", path, NULL };

	(void)state;
	assert_true(fd >= 0);
	g_close(fd, NULL);
	assert_true(g_file_set_contents(path, "ClusterId = 7\nProcId = 2\nTotalSubmitProcs = 5\n",
					-1, NULL));
	check(NULL, env, 3, 5);
	g_unlink(path);
	g_free(path);
}

static void parts(void **state)
{
	enum { CELLS = 1000, PARTS = 7 };
	char *hash[CELLS];
	uint32_t seen[CELLS] = { 0 };

	(void)state;
	for (int i = 0; i < CELLS; i++)
		hash[i] = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)&i,
						      sizeof(i));
	for (uint32_t p = 1; p <= PARTS; p++) {
		const struct sl_shard shard = { p, PARTS, NULL };
		bool part[CELLS];
		uint32_t n = 0;

		sl_shard_deal(&shard, (const char *const *)hash, CELLS, part);
		for (int i = 0; i < CELLS; i++) {
			seen[i] += part[i];
			n += part[i];
		}
		assert_in_range(n, CELLS / PARTS, CELLS / PARTS + 1);
	}
	for (int i = 0; i < CELLS; i++) {
		assert_int_equal(seen[i], 1);
		g_free(hash[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launchers),
		cmocka_unit_test(condor),
		cmocka_unit_test(parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
