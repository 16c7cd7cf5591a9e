/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 4BSD on the engine: whole runs whose outcome is known, and random programs under
 * the checker in every era. */
#include "policies/registry.h"
#include "sim/core/sim.h"
#include "tests/sl_test.h"

enum { MAX_OPS = 64, MAX_TASKS = 12, MAX_CPUS = 8, SEEDS = 40 };

struct scene {
	struct sl_op op[MAX_OPS];
	struct sl_task task[MAX_TASKS];
	struct sl_topo_cpu cpu[MAX_CPUS];
	struct sl_mutex_spec mutex[2];
	struct sl_sem_spec sem[2];
	uint64_t mask[4];
	struct sl_topo topo;
	struct sl_workload w;
};

/* What a run's switches add up to. */
struct tally {
	struct sl_rec first[16]; /* the first switches */
	uint32_t n;
	uint32_t direct; /* switches from one user thread to another */
	sl_time longest; /* turn of a user thread, interrupts included */
	uint32_t turns;
	sl_time since;
	uint32_t holder;
	uint32_t irq, back; /* interrupt threads run; their victim ran next */
	uint32_t victim;
};

static void tally_user(struct tally *t, const struct sl_rec *r)
{
	sl_time ran = r->at - t->since;

	t->direct += r->a != 0 && r->a != SL_REC_IDLE;
	if (r->b == t->holder)
		return;
	t->longest = ran > t->longest ? ran : t->longest;
	t->turns++;
	t->holder = r->b;
	t->since = r->at;
}

/* Thread 0 is the interrupt thread where there is one; ids of hogs follow. */
static void take(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct tally *t = ctx;

	for (uint32_t i = 0; i < n; i++) {
		const struct sl_rec *r = &rec[i];

		if (r->kind != SL_REC_SWITCH)
			continue;
		if (t->n < SL_ARRAY_LEN(t->first))
			t->first[t->n] = *r;
		t->n++;
		if (r->pri < 48) {
			t->irq++;
			t->victim = r->a;
			continue;
		}
		if (r->a == 0 && t->irq > 0)
			t->back += r->b == t->victim;
		tally_user(t, r);
	}
}

static void scene_machine(struct scene *s, uint32_t ncpus)
{
	for (uint32_t c = 0; c < MAX_CPUS; c++)
		s->cpu[c] = (struct sl_topo_cpu){ .core = (uint16_t)c,
						  .l1 = SL_TOPO_NONE,
						  .l2 = SL_TOPO_NONE,
						  .l3 = SL_TOPO_NONE,
						  .speed_permille = 1000 };
	for (int i = 0; i < 4; i++)
		s->mask[i] = 1;
	s->topo = (struct sl_topo){ .name = "scene",
				    .ncpus = ncpus > 0 ? ncpus : 1,
				    .uniprocessor = ncpus == 0,
				    .caches_unknown = true,
				    .cpu = s->cpu };
}

static void scene_seal(struct scene *s, uint32_t n_ops, uint32_t n_tasks, sl_time duration)
{
	uint32_t where;
	bool is_task;
	const char *why;

	s->w = (struct sl_workload){ .name = "scene",
				     .op = s->op,
				     .n_ops = n_ops,
				     .task = s->task,
				     .n_tasks = n_tasks,
				     .mutex = s->mutex,
				     .n_mutexes = 2,
				     .sem = s->sem,
				     .n_sems = 2,
				     .mask = s->mask,
				     .n_masks = 4,
				     .mask_words = 1,
				     .duration = duration };
	why = sl_workload_check(&s->w, &where, &is_task);
	if (why != NULL)
		fail_msg("%s (%u)", why, where);
}

static void run_scene(const struct scene *s, const char *era, struct tally *t, uint64_t seed)
{
	const struct sl_policy *policy = sl_policy_find("4bsd");
	struct sl_sink sink = { .take = take, .ctx = t };
	struct sl_sim_args args = { .topo = &s->topo,
				    .policy = policy,
				    .era = sl_policy_era(policy, era),
				    .workload = &s->w,
				    .check = true,
				    .seed = seed,
				    .sinks = &sink,
				    .n_sinks = 1 };
	char err[256];
	struct sl_sim *sim = sl_sim_new(&args, err, sizeof(err));
	enum sl_end end;

	if (sim == NULL)
		fail_msg("%s", err);
	*t = (struct tally){ .holder = SL_REC_IDLE };
	end = sl_sim_run(sim);
	if (end != SL_END_UNTIL && end != SL_END_DONE && end != SL_END_DEADLOCK)
		fail_msg("era %s seed %llu: end %d, %s", era, (unsigned long long)seed, (int)end,
			 sl_sim_fault(sim));
	sl_sim_free(sim);
}

static struct sl_op op(enum sl_op_kind kind, uint64_t value)
{
	return (struct sl_op){
		.kind = (uint8_t)kind, .obj = SL_NONE, .target = SL_NONE, .dist = { .value = value }
	};
}

/* Ops `first` .. `first + n` of a program that repeats `body` for ever. */
static uint32_t repeat(struct scene *s, uint32_t first, const struct sl_op *body, uint32_t n)
{
	s->op[first] = op(SL_OP_LOOP, UINT64_MAX);
	memcpy(&s->op[first + 1], body, n * sizeof(*body));
	s->op[first + 1 + n] = op(SL_OP_ENDLOOP, 0);
	s->op[first + 1 + n].target = 0;
	return n + 2;
}

static struct sl_task task(const char *name, uint32_t instances, uint32_t first, uint32_t n)
{
	return (struct sl_task){ .name = name,
				 .instances = instances,
				 .first_op = first,
				 .n_ops = n,
				 .mask = SL_NONE,
				 .proc_group = SL_NONE,
				 .bind_cpu = -1 };
}

/* Two hogs on one CPU; with every != 0 an interrupt thread that runs 0.5 ms so often. */
static void two_hogs(struct scene *s, sl_time every, sl_time duration)
{
	struct sl_op run = op(SL_OP_RUN, SL_NS_PER_S);
	struct sl_op irq[2] = { op(SL_OP_KRUN, SL_NS_PER_MS / 2),
				op(SL_OP_SLEEP, every - SL_NS_PER_MS / 2) };
	uint32_t n = 0, tasks = 0;

	memset(s, 0, sizeof(*s));
	scene_machine(s, 0);
	if (every != 0) {
		n = repeat(s, 0, irq, 2);
		s->task[tasks] = task("irq", 1, 0, n);
		s->task[tasks].ithread = SL_WPRIO_PI_NET;
		s->task[tasks++].delay = every / 2;
	}
	s->task[tasks++] = task("hog", 2, n, 3);
	n += repeat(s, n, &run, 1);
	scene_seal(s, n, tasks, duration);
}

static sl_time tick(uint64_t k)
{
	return k * SL_NS_PER_S / 127;
}

/* D1: a newcomer loses the CPU at its first tick, later each 12th. */
static void slices_alternate(void **state)
{
	static const uint64_t at[] = { 1, 2, 14, 26, 38, 50 };
	static const char *const eras[] = { "9", "10.1", "2017", "14", "15" };
	struct scene s;

	(void)state;
	two_hogs(&s, 0, 500 * SL_NS_PER_MS);
	for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++) {
		struct tally t;

		run_scene(&s, eras[e], &t, 1);
		for (size_t i = 0; i < SL_ARRAY_LEN(at); i++) {
			assert_int_equal(t.first[i + 1].at, tick(at[i]));
			assert_int_equal(t.first[i + 1].a, i % 2);
			assert_int_equal(t.first[i + 1].b, 1 - i % 2);
		}
	}
}

/* D2: an interrupt thread every 50 ms keeps the quantum of 7.3 from ever ending: a hog
 * runs on for up to 550 ms until its own ticks push it into a worse list, and loses the
 * CPU only when an interrupt thread blocks. */
static void interrupts_starve_the_quantum(void **state)
{
	struct scene s;
	struct tally t;

	(void)state;
	two_hogs(&s, 50 * SL_NS_PER_MS, 30 * SL_NS_PER_S);
	run_scene(&s, "7.3", &t, 1);
	assert_int_equal(t.irq, 600);
	assert_int_equal(t.direct, 0);
	assert_int_equal(t.longest, 550 * SL_NS_PER_MS);
	assert_in_range(t.turns, 55, 75); /* 400 .. 550 ms on average */
}

/* D3, W4: the slice of 2017 survives interrupts, which put the victim back at the head;
 * in 10.1 each of them rotates the list. */
static void interrupts_and_slices(void **state)
{
	struct scene s;
	struct tally t;

	(void)state;
	two_hogs(&s, 50 * SL_NS_PER_MS, 30 * SL_NS_PER_S);
	run_scene(&s, "2017", &t, 1);
	assert_int_equal(t.back, 572);
	run_scene(&s, "10.1", &t, 1);
	assert_int_equal(t.back, 36);
}

/* T9: sched_yield() of 9 is nearly useless among equals. */
static void yields(void **state)
{
	static const struct {
		const char *era;
		uint32_t switches;
	} row[] = { { "9", 406 }, { "2017", 3283 } };
	struct scene s = { 0 };
	struct sl_op body[2] = { op(SL_OP_RUN, 10 * SL_NS_PER_MS), op(SL_OP_YIELD, 0) };
	uint32_t n = repeat(&s, 0, body, 2);

	(void)state;
	scene_machine(&s, 0);
	s.task[0] = task("y", 3, 0, n);
	s.task[1] = task("z", 1, 0, n);
	s.task[1].nice = 2;
	scene_seal(&s, n, 2, 30 * SL_NS_PER_S);
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct tally t;

		run_scene(&s, row[i].era, &t, 1);
		assert_int_equal(t.n, row[i].switches);
	}
}

/* Round robin: 100 ms (7.3, and the beat of 2005), 12 ticks of 1/127 s later. */
static void round_robin_interval(void **state)
{
	static const struct {
		const char *era;
		sl_time least, most;
	} row[] = { { "2005", 99 * SL_NS_PER_MS, 101 * SL_NS_PER_MS },
		    { "7.3", 100 * SL_NS_PER_MS, 108 * SL_NS_PER_MS },
		    { "9.0", 100 * SL_NS_PER_MS, 108 * SL_NS_PER_MS },
		    { "9", 94 * SL_NS_PER_MS, 95 * SL_NS_PER_MS },
		    { "2017", 94 * SL_NS_PER_MS, 95 * SL_NS_PER_MS },
		    { "14", 94 * SL_NS_PER_MS, 95 * SL_NS_PER_MS } };
	struct scene s;

	(void)state;
	two_hogs(&s, 0, 4 * SL_NS_PER_S);
	for (size_t i = 0; i < SL_ARRAY_LEN(row); i++) {
		struct tally t;

		run_scene(&s, row[i].era, &t, 1);
		assert_in_range(t.first[8].at - t.first[7].at, row[i].least, row[i].most);
		assert_in_range(t.first[12].at - t.first[11].at, row[i].least, row[i].most);
	}
}

static uint32_t draw(uint64_t seed, uint64_t *n, uint32_t bound)
{
	return (uint32_t)sl_rng_scale(sl_rng_draw(seed, SL_RNG_BOOT, 4, (*n)++), bound);
}

/* One operation of a random program. */
static struct sl_op random_op(uint64_t seed, uint64_t *n, const struct scene *s, uint32_t n_tasks)
{
	static const uint8_t classes[] = { SL_CLASS_TIMESHARE, SL_CLASS_REALTIME, SL_CLASS_IDLE,
					   SL_CLASS_TIMESHARE };
	static const uint8_t prios[] = { SL_WPRIO_NONE, SL_WPRIO_PRIBIO, SL_WPRIO_PSOCK,
					 SL_WPRIO_PWAIT };
	struct sl_op o = op(SL_OP_RUN, draw(seed, n, 30000) * SL_NS_PER_US);

	switch (draw(seed, n, 10)) {
	case 0:
	case 1:
		o = op(SL_OP_SLEEP, draw(seed, n, 20000) * SL_NS_PER_US);
		o.wprio = prios[draw(seed, n, 4)];
		break;
	case 2:
		o = op(SL_OP_YIELD, 0);
		break;
	case 3:
		o = op(SL_OP_SEM_POST, 0);
		o.obj = draw(seed, n, 2);
		break;
	case 4:
		o = op(SL_OP_SETNICE, 0);
		o.target = draw(seed, n, n_tasks);
		o.value = (int32_t)draw(seed, n, 41) - 20;
		break;
	case 5:
		o = op(SL_OP_SETCLASS, 0);
		o.value = classes[draw(seed, n, 4)];
		o.value2 = o.value == SL_CLASS_TIMESHARE ? 0 : (int8_t)draw(seed, n, 32);
		break;
	case 6:
		o = op(SL_OP_SETMASK, 0);
		o.target = draw(seed, n, n_tasks);
		o.obj = draw(seed, n, 4);
		break;
	case 7:
		o = op(SL_OP_BIND, 0);
		o.value = (int32_t)draw(seed, n, s->topo.ncpus + 1) - 1;
		break;
	default:
		break;
	}
	return o;
}

/* Tasks whose programs run, sleep, lock, post, and change their own and each other's
 * nice, class, mask; task 0 is an interrupt thread, tasks 1 and 2 share a process. */
static void random_scene(struct scene *s, uint64_t seed)
{
	uint64_t n = 0;
	uint32_t first = 0, n_tasks = 5, full;
	struct sl_op irq[2] = { op(SL_OP_KRUN, 300 * SL_NS_PER_US),
				op(SL_OP_SLEEP, 9 * SL_NS_PER_MS) };

	memset(s, 0, sizeof(*s));
	scene_machine(s, draw(seed, &n, 5));
	full = (1u << s->topo.ncpus) - 1;
	s->mutex[0] = (struct sl_mutex_spec){ "m", SL_MUTEX_KERNEL };
	s->mutex[1] = (struct sl_mutex_spec){ "u", SL_MUTEX_USER_PI };
	s->sem[0].name = s->sem[1].name = "s";
	for (int i = 0; i < 4; i++)
		s->mask[i] = 1 + draw(seed, &n, full);
	s->mask[3] = full;
	s->task[0] = task("irq", 1, 0, repeat(s, 0, irq, 2));
	s->task[0].ithread = SL_WPRIO_PI_DISK;
	s->task[0].irq_cpu = (int32_t)draw(seed, &n, s->topo.ncpus);
	first = s->task[0].n_ops;
	for (uint32_t t = 1; t < n_tasks; t++) {
		struct sl_op body[10];

		for (int i = 0; i < 10; i++)
			body[i] = random_op(seed, &n, s, n_tasks);
		body[0] = op(SL_OP_RUN, SL_NS_PER_MS);
		body[3] = op(SL_OP_LOCK, 0);
		body[4] = op(SL_OP_RUN, draw(seed, &n, 5000) * SL_NS_PER_US);
		body[5] = op(SL_OP_UNLOCK, 0);
		body[3].obj = body[5].obj = draw(seed, &n, 2);
		if (t == 4) {
			body[1] = op(SL_OP_SEM_WAIT, 0);
			body[1].obj = draw(seed, &n, 2);
		}
		s->task[t] = task("t", 1 + draw(seed, &n, 3), first, 12);
		first += repeat(s, first, body, 10);
		s->task[t].delay = draw(seed, &n, 40) * SL_NS_PER_MS;
		s->task[t].nice = (int8_t)((int)draw(seed, &n, 41) - 20);
		s->task[t].mask = draw(seed, &n, 2) ? SL_NONE : draw(seed, &n, 4);
		s->task[t].pin = draw(seed, &n, 8) == 0;
		if (t < 3)
			s->task[t].proc_group = 0;
	}
	scene_seal(s, first, n_tasks, 1200 * SL_NS_PER_MS);
}

static void random_programs_keep_the_rules(void **state)
{
	static const char *const eras[] = { "2005", "7.0",  "7.3", "9.0", "9",
					    "10.1", "2017", "14",  "15" };

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct scene s;

		random_scene(&s, seed);
		for (size_t e = 0; e < SL_ARRAY_LEN(eras); e++) {
			struct tally t;

			run_scene(&s, eras[e], &t, seed);
			assert_true(t.n > 10);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_alternate),
		cmocka_unit_test(interrupts_starve_the_quantum),
		cmocka_unit_test(interrupts_and_slices),
		cmocka_unit_test(yields),
		cmocka_unit_test(round_robin_interval),
		cmocka_unit_test(random_programs_keep_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
