/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Defaults are not copied anywhere: they are read from a policy that was started on a
 * small machine, so that what is listed is what runs. */
#include "sim/cli/tunables.h"

#include <string.h>

#include "sim/cli/cli.h"

/* Machine settings that read like tunables. */
static const struct {
	const char *name;
	size_t offset;
	const char *help;
} clocks[] = {
	{ "kern.hz", offsetof(struct sl_machine, hz), "hard clock ticks per second" },
	{ "kern.stathz", offsetof(struct sl_machine, stathz), "statistics ticks per second" },
};
#define CLOCK_LEAST 10
#define CLOCK_MOST  100000

static uint32_t *clock_field(struct sl_machine *machine, size_t which)
{
	return (uint32_t *)(void *)((char *)machine + clocks[which].offset);
}

static const struct {
	const char *name;
	uint64_t ns;
} time_units[] = {
	{ "ns", 1 },
	{ "us", SL_NS_PER_US },
	{ "ms", SL_NS_PER_MS },
	{ "s", SL_NS_PER_S },
};

static uint64_t time_unit(const char *name)
{
	for (size_t i = 0; name && i < SL_ARRAY_LEN(time_units); i++)
		if (strcmp(time_units[i].name, name) == 0)
			return time_units[i].ns;
	return 0;
}

/* `text` in units of `unit`. */
static bool parse_value(const char *text, const char *unit, int64_t *value)
{
	uint64_t scale = time_unit(unit);
	char *end;
	sl_time ns;

	*value = g_ascii_strtoll(text, &end, 10);
	if (end > text && !*end)
		return *value != G_MAXINT64 && *value != G_MININT64;
	if (!scale || !sl_spec_duration(text, &ns, NULL) || ns % scale)
		return false;
	*value = (int64_t)(ns / scale);
	return true;
}

static bool check_value(const char *name, const char *text, const char *unit, int64_t least,
			int64_t most, int64_t *value, GError **error)
{
	if (parse_value(text, unit, value) && *value >= least && *value <= most)
		return true;
	g_set_error(error, SL_CLI_ERROR, 0,
		    "%s=%s: expected a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
		    "%s%s",
		    name, text, (gint64)least, (gint64)most, unit && *unit ? " " : "",
		    unit ? unit : "");
	return false;
}

static bool unknown_tunable(const struct sl_policy *ops, const char *name, GError **error)
{
	GPtrArray *names = g_ptr_array_new();
	char *hint;

	for (size_t i = 0; i < SL_ARRAY_LEN(clocks); i++)
		g_ptr_array_add(names, (void *)(uintptr_t)clocks[i].name);
	for (uint32_t i = 0; i < ops->n_tunables; i++)
		g_ptr_array_add(names, (void *)(uintptr_t)ops->tunables[i].name);
	hint = sl_cli_did_you_mean(name, (const char *const *)names->pdata, names->len);
	g_set_error(error, SL_CLI_ERROR, 0,
		    "policy %s has no tunable \"%s\"%s; \"schedlab show policy %s\" lists them",
		    ops->name, name, hint, ops->name);
	g_free(hint);
	g_ptr_array_unref(names);
	return false;
}

static bool assign_own(struct sl_policy_spec *spec, const char *name, const char *text,
		       GError **error)
{
	const struct sl_policy *ops = sl_policy_spec_ops(spec);
	const struct sl_tunable *t = NULL;
	struct sl_override *o;
	int64_t value;

	for (uint32_t i = 0; i < ops->n_tunables && !t; i++)
		if (strcmp(ops->tunables[i].name, name) == 0)
			t = &ops->tunables[i];
	if (!t)
		return unknown_tunable(ops, name, error);
	if (t->read_only) {
		g_set_error(error, SL_CLI_ERROR, 0, "%s: this tunable is read-only", name);
		return false;
	}
	if (!check_value(name, text, t->unit, t->least, t->most, &value, error))
		return false;
	o = &spec->override[spec->n_overrides++];
	o->tunable = t;
	o->value = value;
	return true;
}

bool sl_tunable_assign(struct sl_policy_spec *spec, const char *pair, GError **error)
{
	const char *equals = strchr(pair, '=');
	char *name;
	bool ok = false, found = false;

	if (!equals || equals == pair || !equals[1]) {
		g_set_error(error, SL_CLI_ERROR, 0,
			    "\"%s\": expected tunable=value, for example kern.sched.slice=6", pair);
		return false;
	}
	name = g_strndup(pair, (gsize)(equals - pair));
	for (size_t i = 0; i < SL_ARRAY_LEN(clocks) && !found; i++) {
		int64_t value;

		if (strcmp(clocks[i].name, name) != 0)
			continue;
		found = true;
		ok = check_value(name, equals + 1, "Hz", CLOCK_LEAST, CLOCK_MOST, &value, error);
		if (ok) {
			*clock_field(&spec->machine, i) = (uint32_t)value;
			spec->machine_changed = true;
		}
	}
	if (!found)
		ok = assign_own(spec, name, equals + 1, error);
	g_free(name);
	return ok;
}

int64_t sl_tunable_read(const struct sl_pol *p, const struct sl_tunable *t)
{
	if (t->get)
		return t->get(p);
	return *(const int32_t *)(const void *)((const char *)p->priv + t->offset);
}

/* The smallest machine on which every policy starts: two CPUs, a thread that exits. */
static struct sl_sim *small_sim(const struct sl_policy_spec *spec, GError **error)
{
	static const struct sl_topo_cpu cpus[2] = {
		{ .core = 0, .l1 = 0, .l2 = 0, .l3 = 0, .speed_permille = 1000 },
		{ .core = 1, .l1 = 1, .l2 = 1, .l3 = 0, .speed_permille = 1000 },
	};
	static const struct sl_topo topo = { .name = "small", .ncpus = 2, .cpu = cpus };
	static const struct sl_op ops[] = {
		{ .kind = SL_OP_EXIT, .obj = SL_NONE, .target = SL_NONE },
	};
	static const struct sl_task task = {
		.name = "t",
		.instances = 1,
		.n_ops = 1,
		.mask = SL_NONE,
		.proc_group = SL_NONE,
		.irq_cpu = 0,
		.bind_cpu = -1,
	};
	static const struct sl_workload workload = {
		.name = "small",
		.op = ops,
		.n_ops = 1,
		.task = &task,
		.n_tasks = 1,
		.mask_words = 1,
	};
	const struct sl_sim_args args = {
		.topo = &topo,
		.policy = spec->ops,
		.era = spec->era,
		.override = spec->override,
		.n_overrides = spec->n_overrides,
		.machine = &spec->machine,
		.workload = &workload,
	};
	char why[256];
	struct sl_sim *sim = sl_sim_new(&args, why, sizeof(why));

	if (!sim)
		g_set_error(error, SL_CLI_ERROR, 0, "policy %s cannot be started: %s", spec->text,
			    why);
	return sim;
}

static void view_clocks(const struct sl_policy_spec *spec,
			void (*f)(const struct sl_tunable_view *, void *), void *ctx)
{
	struct sl_machine now = spec->machine, era = *sl_policy_spec_era_machine(spec);

	for (size_t i = 0; i < SL_ARRAY_LEN(clocks); i++) {
		struct sl_tunable_view view = {
			.name = clocks[i].name,
			.unit = "Hz",
			.help = clocks[i].help,
			.least = CLOCK_LEAST,
			.most = CLOCK_MOST,
			.value = *clock_field(&now, i),
			.changed = *clock_field(&now, i) != *clock_field(&era, i),
		};

		f(&view, ctx);
	}
}

static bool overridden(const struct sl_policy_spec *spec, const struct sl_tunable *t)
{
	for (uint32_t i = 0; i < spec->n_overrides; i++)
		if (spec->override[i].tunable == t)
			return true;
	return false;
}

bool sl_tunables_each(const struct sl_policy_spec *spec, struct sl_sim *running,
		      void (*f)(const struct sl_tunable_view *view, void *ctx), void *ctx,
		      GError **error)
{
	const struct sl_policy *ops = sl_policy_spec_ops(spec);
	struct sl_sim *own = running ? NULL : small_sim(spec, error);

	if (!running && !own)
		return false;
	view_clocks(spec, f, ctx);
	for (uint32_t i = 0; i < ops->n_tunables; i++) {
		const struct sl_tunable *t = &ops->tunables[i];
		struct sl_tunable_view view = {
			.name = t->name,
			.unit = t->unit,
			.help = t->help,
			.least = t->least,
			.most = t->most,
			.value = sl_tunable_read(sl_sim_pol(running ? running : own), t),
			.read_only = t->read_only,
			.changed = overridden(spec, t),
		};

		f(&view, ctx);
	}
	sl_sim_free(own);
	return true;
}
