/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Hashes of inputs: equal for equal content, different after any change. */
#include "sim/batch/digest.h"

#include "tests/sl_test.h"

static void topologies(void **state)
{
	struct sl_topo_cpu cpu[2] = { { .core = 0, .speed_permille = 1000 },
				      { .core = 1, .speed_permille = 1000 } };
	struct sl_topo t = { .name = "a", .ncpus = 2, .cpu = cpu };
	char *first = sl_digest_topo(&t), *again, *other;

	(void)state;
	assert_int_equal(strlen(first), SL_DIGEST_CHARS);
	t.name = "b"; /* spelling does not count */
	again = sl_digest_topo(&t);
	assert_string_equal(first, again);
	cpu[1].speed_permille = 999;
	other = sl_digest_topo(&t);
	assert_string_not_equal(first, other);
	g_free(first);
	g_free(again);
	g_free(other);
}

/* A bit of everything, so that every array has an element to change. */
struct sample {
	struct sl_op op[2];
	struct sl_task task[1];
	uint64_t quantile[2], mask[1];
	struct sl_workload w;
};

static void make(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	s->op[0] = (struct sl_op){ .kind = SL_OP_RUN, .dist = { .value = 5 } };
	s->op[1] = (struct sl_op){ .kind = SL_OP_EXIT };
	s->task[0] = (struct sl_task){ .name = "t", .instances = 1, .n_ops = 2, .bind_cpu = -1 };
	s->w = (struct sl_workload){ .name = "w",
				     .op = s->op,
				     .n_ops = 2,
				     .task = s->task,
				     .n_tasks = 1,
				     .quantile = s->quantile,
				     .n_quantiles = 2,
				     .mask = s->mask,
				     .n_masks = 1,
				     .mask_words = 1 };
}

static void workloads(void **state)
{
	struct sample s;
	GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	(void)state;
	for (int change = 0; change < 12; change++) {
		make(&s);
		switch (change) {
		case 1:
			s.op[0].dist.value++;
			break;
		case 2:
			s.op[1].obj++;
			break;
		case 3:
			s.op[0].value2 = -1;
			break;
		case 4:
			s.task[0].nice = -5;
			break;
		case 5:
			s.task[0].name = "u";
			break;
		case 6:
			s.task[0].bind_cpu = 0;
			break;
		case 7:
			s.quantile[1]++;
			break;
		case 8:
			s.mask[0]++;
			break;
		case 9:
			s.w.n_quantiles--;
			break;
		case 10:
			s.w.duration++;
			break;
		case 11:
			s.w.draw_seed++;
			break;
		}
		assert_true(g_hash_table_add(seen, sl_digest_workload(&s.w)));
	}
	make(&s);
	s.w.name = "another name";
	s.w.digest = 7;
	assert_false(g_hash_table_add(seen, sl_digest_workload(&s.w)));
	g_hash_table_unref(seen);
}

static void boundaries(void **state)
{
	struct sl_hasher h;
	char *a, *b, *c;

	(void)state;
	sl_hasher_init(&h, "x");
	sl_hasher_text(&h, "ab");
	sl_hasher_text(&h, "c");
	a = sl_hasher_end(&h);
	sl_hasher_init(&h, "x");
	sl_hasher_text(&h, "a");
	sl_hasher_text(&h, "bc");
	b = sl_hasher_end(&h);
	sl_hasher_init(&h, "x");
	sl_hasher_text(&h, NULL);
	sl_hasher_text(&h, "");
	c = sl_hasher_end(&h);
	assert_string_not_equal(a, b);
	assert_string_not_equal(a, c);
	g_free(a);
	g_free(b);
	g_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(topologies),
		cmocka_unit_test(workloads),
		cmocka_unit_test(boundaries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
