/* SPDX-License-Identifier: BSD-2-Clause
 *
 * sl_workload_check(): one broken field at a time in a sound workload, each refused with
 * its place; and draws from quantile tables. */
#include "sim/core/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_OPS = 12 };

/* A sound workload that uses every kind of object once. */
struct fixture {
	struct sl_workload w;
	struct sl_op op[N_OPS];
	struct sl_task task[2];
	uint64_t quantile[3], mask[2];
	struct sl_mutex_spec mutex[1];
	struct sl_named_spec cond[1], timer[1];
	struct sl_sem_spec sem[1];
	struct sl_barrier_spec barrier[1];
	struct sl_channel_spec channel[1];
	struct sl_disk_spec disk[1];
};

static void sound(struct fixture *f)
{
	static const uint8_t kinds[N_OPS] = {
		SL_OP_LOOP,	SL_OP_RUN,  SL_OP_LOCK,	   SL_OP_COND_WAIT,
		SL_OP_TIMER,	SL_OP_FORK, SL_OP_BARRIER, SL_OP_SETMASK,
		SL_OP_SETCLASS, SL_OP_READ, SL_OP_SETNICE, SL_OP_ENDLOOP,
	};

	memset(f, 0, sizeof(*f));
	for (int i = 0; i < N_OPS; i++)
		f->op[i] = (struct sl_op){ .kind = kinds[i], .target = SL_NONE };
	f->op[0].dist.value = UINT64_MAX;
	f->op[1].dist = (struct sl_dist){ .n = 2, .first = 0, .value = 20 };
	f->op[3].target = 0;
	f->op[5].target = 1;
	f->op[8].value = SL_CLASS_TIMESHARE;
	f->op[11].target = 0;
	f->task[0] = (struct sl_task){
		.name = "a", .instances = 1, .n_ops = N_OPS, .mask = 0, .bind_cpu = -1
	};
	f->task[1] =
		(struct sl_task){ .name = "t", .first_op = N_OPS, .mask = SL_NONE, .bind_cpu = -1 };
	f->quantile[0] = 10;
	f->quantile[1] = 20;
	f->quantile[2] = 30;
	f->mask[0] = 1;
	f->barrier[0].parties = 1;
	f->channel[0].capacity = 1;
	f->disk[0].servers = 1;
	f->w = (struct sl_workload){
		.name = "w",
		.op = f->op,
		.n_ops = N_OPS,
		.task = f->task,
		.n_tasks = 2,
		.quantile = f->quantile,
		.n_quantiles = 3,
		.mask = f->mask,
		.n_masks = 1,
		.mask_words = 1,
		.mutex = f->mutex,
		.n_mutexes = 1,
		.cond = f->cond,
		.n_conds = 1,
		.timer = f->timer,
		.n_timers = 1,
		.sem = f->sem,
		.n_sems = 1,
		.barrier = f->barrier,
		.n_barriers = 1,
		.channel = f->channel,
		.n_channels = 1,
		.disk = f->disk,
		.n_disks = 1,
	};
}

static const char *check(const struct fixture *f, uint32_t *where, bool *is_task)
{
	return sl_workload_check(&f->w, where, is_task);
}

static void test_sound(void **state)
{
	struct fixture f;
	uint32_t where;
	bool is_task;

	(void)state;
	sound(&f);
	assert_null(check(&f, &where, &is_task));
	memset(&f.w, 0, sizeof(f.w));
	assert_null(check(&f, &where, &is_task));
}

/* Each breaks one thing; its place is `where`. */
#define BREAK(name, statement)                                                                     \
	static void name(struct fixture *f)                                                        \
	{                                                                                          \
		statement;                                                                         \
	}

BREAK(bad_kind, f->op[1].kind = SL_OP_KIND_COUNT)
BREAK(bad_mutex, f->op[2].obj = 1)
BREAK(bad_cond_mutex, f->op[3].target = 1)
BREAK(bad_timer, f->op[4].obj = SL_NONE)
BREAK(bad_fork, f->op[5].target = 2)
BREAK(bad_template, f->op[5].flags = SL_OPF_TEMPLATE_ONCE)
BREAK(bad_mask_obj, f->op[7].obj = 1)
BREAK(bad_class, f->op[8].value = 7)
BREAK(bad_level, f->op[8].value2 = 32)
BREAK(bad_nice_target, f->op[10].target = 9)
BREAK(bad_nice, f->op[10].value = 21)
BREAK(bad_wprio, f->op[2].wprio = SL_WPRIO_COUNT)
BREAK(bad_table, f->op[1].dist.first = 1)
BREAK(bad_table_size, f->op[1].dist.n = UINT32_MAX)
BREAK(bad_order, f->quantile[1] = 40)
BREAK(bad_end, f->op[11].target = 1)
BREAK(no_end, f->op[11].kind = SL_OP_YIELD)
BREAK(bad_program, f->task[1].first_op = N_OPS + 1)
BREAK(bad_program_end, f->task[1].n_ops = 1)
BREAK(bad_task_mask, f->task[0].mask = 1)
BREAK(bad_task_nice, f->task[0].nice = -21)
BREAK(no_name, f->task[1].name = NULL)
BREAK(bad_cpu, f->task[1].bind_cpu = -2)
BREAK(empty_mask, f->mask[0] = 0)
BREAK(no_parties, f->barrier[0].parties = 0)
BREAK(no_capacity, f->channel[0].capacity = 0)
BREAK(no_servers, f->disk[0].servers = 0)
BREAK(bad_share, f->disk[0].warm_permille = 1001)

static void test_broken(void **state)
{
	static const struct {
		void (*breaks)(struct fixture *f);
		uint32_t where;
		bool is_task;
		const char *why;
	} rows[] = {
		{ bad_kind, 1, false, "unknown operation" },
		{ bad_mutex, 2, false, "object out of bounds" },
		{ bad_cond_mutex, 3, false, "unknown mutex" },
		{ bad_timer, 4, false, "object out of bounds" },
		{ bad_fork, 5, false, "fork of an unknown task" },
		{ bad_template, 5, false, "fork of a template that has no id of its own" },
		{ bad_mask_obj, 7, false, "object out of bounds" },
		{ bad_class, 8, false, "unknown scheduling class" },
		{ bad_level, 8, false, "class level beyond 0 to 31" },
		{ bad_nice_target, 10, false, "unknown target task" },
		{ bad_nice, 10, false, "nice beyond -20 to 20" },
		{ bad_wprio, 2, false, "unknown sleep priority" },
		{ bad_table, 1, false, "quantile table out of bounds" },
		{ bad_table_size, 1, false, "quantile table out of bounds" },
		{ bad_order, 1, false, "quantile table not ascending" },
		{ bad_end, 11, false, "loops cross" },
		{ no_end, 11, false, "loop without end" },
		{ bad_program, 1, true, "program out of bounds" },
		{ bad_program_end, 1, true, "program out of bounds" },
		{ bad_task_mask, 0, true, "mask out of bounds" },
		{ bad_task_nice, 0, true, "nice beyond -20 to 20" },
		{ no_name, 1, true, "task without a name" },
		{ bad_cpu, 1, true, "negative CPU" },
		{ empty_mask, 0, true, "empty CPU mask" },
		{ no_parties, 0, true, "barrier without parties" },
		{ no_capacity, 0, true, "channel without capacity" },
		{ no_servers, 0, true, "disk without servers, or a share beyond 1000 permille" },
		{ bad_share, 0, true, "disk without servers, or a share beyond 1000 permille" },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++) {
		struct fixture f;
		uint32_t where = 99;
		bool is_task = false;
		const char *why;

		sound(&f);
		rows[i].breaks(&f);
		why = check(&f, &where, &is_task);
		assert_non_null(why);
		assert_string_equal(why, rows[i].why);
		assert_int_equal(where, rows[i].where);
		assert_int_equal(is_task, rows[i].is_task);
	}
}

/* Loops: {LOOP a {LOOP b {op} }} with the verdict. */
static void test_empty_loops(void **state)
{
	static const struct {
		uint64_t outer, inner;
		uint8_t kind;
		uint64_t length;
		bool good;
	} rows[] = {
		{ UINT64_MAX, 2, SL_OP_RUN, 5, true },
		{ UINT64_MAX, 2, SL_OP_RUN, 0, false },
		{ UINT64_MAX, 2, SL_OP_YIELD, 0, false },
		{ UINT64_MAX, 2, SL_OP_SEM_WAIT, 0, true },
		{ UINT64_MAX, 2, SL_OP_SEM_POST, 0, false },
		{ 1000, 1000, SL_OP_YIELD, 0, true },
		{ 1001, 1000, SL_OP_YIELD, 0, false },
		{ UINT64_MAX, UINT64_MAX, SL_OP_SLEEP, 1, true },
		{ UINT64_MAX, 1, SL_OP_EXIT, 0, true },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++) {
		struct fixture f;
		uint32_t where;
		bool is_task;
		const char *why;

		sound(&f);
		memset(f.op, 0, sizeof(f.op));
		f.op[0] = (struct sl_op){ .kind = SL_OP_LOOP, .dist.value = rows[i].outer };
		f.op[1] = (struct sl_op){ .kind = SL_OP_LOOP, .dist.value = rows[i].inner };
		f.op[2] = (struct sl_op){ .kind = rows[i].kind, .dist.value = rows[i].length };
		f.op[3] = (struct sl_op){ .kind = SL_OP_ENDLOOP, .target = 1 };
		f.op[4] = (struct sl_op){ .kind = SL_OP_ENDLOOP, .target = 0 };
		f.task[0].n_ops = 5;
		why = check(&f, &where, &is_task);
		if (rows[i].good)
			assert_null(why);
		else
			assert_string_equal(why, "endless loop in which no time can pass");
	}
}

static void test_depth(void **state)
{
	struct fixture f;
	uint32_t where;
	bool is_task;

	(void)state;
	sound(&f);
	memset(f.op, 0, sizeof(f.op));
	for (uint32_t i = 0; i < 9; i++)
		f.op[i] = (struct sl_op){ .kind = SL_OP_LOOP, .dist.value = 1 };
	assert_string_equal(check(&f, &where, &is_task), "loops nested deeper than 8");
	assert_int_equal(where, 8);
}

static void test_draw(void **state)
{
	struct fixture f;
	const struct sl_dist constant = { .value = 7 };

	(void)state;
	sound(&f);
	assert_int_equal(sl_dist_draw(&f.w, &constant, 123), 7);
	assert_int_equal(sl_dist_draw(&f.w, &f.op[1].dist, 0), 10);
	assert_int_equal(sl_dist_draw(&f.w, &f.op[1].dist, UINT64_C(1) << 62), 15);
	assert_int_equal(sl_dist_draw(&f.w, &f.op[1].dist, UINT64_C(1) << 63), 20);
	assert_int_equal(sl_dist_draw(&f.w, &f.op[1].dist, UINT64_MAX), 29);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound),	    cmocka_unit_test(test_broken),
		cmocka_unit_test(test_empty_loops), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_draw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
