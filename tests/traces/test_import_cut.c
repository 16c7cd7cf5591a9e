/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A trace cut off anywhere: what its threads do is the beginning of what they do in the
 * whole trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <gio/gio.h>

#include "tests/traces/test_import_check.h"
#include "traces/import.h"

#define RECORDED SL_SOURCE_DIR "/traces/recorded/"
/* Operations next to the cut that may differ: a wake-up that later events would have shown
 * to be void with the burst before it, a burst not yet over, the exit that ends every
 * program. */
#define OPEN_END 4u

static char *unpack(const char *name, gsize *len)
{
	char *path = g_strconcat(RECORDED, name, NULL);
	GFile *file = g_file_new_for_path(path);
	GInputStream *raw = G_INPUT_STREAM(g_file_read(file, NULL, NULL));
	GZlibDecompressor *gz = g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP);
	GInputStream *in = g_converter_input_stream_new(raw, G_CONVERTER(gz));
	GOutputStream *out = g_memory_output_stream_new_resizable();
	char *text;

	assert_true(g_output_stream_splice(out, in, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL,
					   NULL) > 0);
	*len = g_memory_output_stream_get_data_size(G_MEMORY_OUTPUT_STREAM(out));
	text = g_memory_output_stream_steal_data(G_MEMORY_OUTPUT_STREAM(out));
	g_object_unref(out);
	g_object_unref(in);
	g_object_unref(gz);
	g_object_unref(raw);
	g_object_unref(file);
	g_free(path);
	return text;
}

static struct sl_workload *import(const char *text, gsize len)
{
	/* All threads: which belong to the kernel may only be seen behind the cut. */
	const struct sl_import_opts opts = {
		.all = true, .keep_kernel = true, .keep_timeouts = true, .force = true
	};
	struct sl_workload *w = sl_trace_import_mem(text, len, "cut", &opts, NULL, NULL);

	if (w)
		assert_null(import_check(w));
	return w;
}

static bool same_op(const struct sl_op *a, const struct sl_op *b)
{
	if (a->kind == SL_OP_UNTIL || b->kind == SL_OP_UNTIL)
		return true; /* a row of sleeps long enough to be periodic */
	return a->kind == b->kind &&
	       ((a->kind != SL_OP_RUN && a->kind != SL_OP_SLEEP) || a->dist.value == b->dist.value);
}

static bool is_prefix(const struct sl_workload *cut, const struct sl_task *a,
		      const struct sl_workload *full, const struct sl_task *b)
{
	uint32_t n = a->n_ops > OPEN_END ? a->n_ops - OPEN_END : 0;

	if (n > b->n_ops)
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (!same_op(&cut->op[a->first_op + k], &full->op[b->first_op + k]))
			return false;
	return true;
}

/* Threads without a program yet are no tasks of the cut one; the rest keep their order. */
static void check_prefixes(const struct sl_workload *cut, const struct sl_workload *full, gsize at)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < cut->n_tasks; i++) {
		while (next < full->n_tasks &&
		       !is_prefix(cut, &cut->task[i], full, &full->task[next]))
			next++;
		if (next++ == full->n_tasks)
			fail_msg("cut at byte %zu: task %u (%s) is no beginning of one in the "
				 "whole trace",
				 (size_t)at, i, cut->task[i].name);
	}
}

static void check_file(const char *name, unsigned cuts)
{
	gsize len;
	char *text = unpack(name, &len);
	struct sl_workload *full = import(text, len);
	unsigned good = 0;

	assert_non_null(full);
	for (unsigned i = 1; i < cuts; i++) {
		gsize at = len / cuts * i + i * 7919 % 100;
		struct sl_workload *cut = import(text, at);

		if (!cut)
			continue;
		check_prefixes(cut, full, at);
		sl_import_workload_free(cut);
		good++;
	}
	/* Only the first cuts may hold nothing. */
	assert_true(good + 3 >= cuts);
	sl_import_workload_free(full);
	g_free(text);
}

static void test_pbzip2(void **state)
{
	(void)state;
	check_file("pbzip2-p4.perf.gz", 100);
}

static void test_make(void **state)
{
	(void)state;
	check_file("make-hello-j4.perf.gz", 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pbzip2),
		cmocka_unit_test(test_make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
