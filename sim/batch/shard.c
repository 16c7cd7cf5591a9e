/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a shard that was returned has 1 <= index <= count <= SL_SHARD_MOST. */
#include "sim/batch/shard.h"

#include <string.h>

GQuark sl_shard_error_quark(void)
{
	return g_quark_from_static_string("sl-shard-error-quark");
}

/* Launchers that number their tasks by the environment. count NULL: they do not say how
 * many there are. */
static const struct {
	const char *launcher, *id, *first, *step, *count;
} launchers[] = {
	{ "Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP",
	  "SLURM_ARRAY_TASK_COUNT" },
	{ "Open MPI", "OMPI_COMM_WORLD_RANK", NULL, NULL, "OMPI_COMM_WORLD_SIZE" },
	{ "MPI", "PMI_RANK", NULL, NULL, "PMI_SIZE" },
	{ "GNU parallel", "PARALLEL_SEQ", NULL, NULL, NULL },
};

/* What a launcher said: task `id`, where ids run from `first` in steps of `step`. */
struct told {
	const char *launcher;
	uint64_t id, first, step, count; /* count 0: not told */
};

static bool number(const char *text, uint64_t *value)
{
	guint64 n;

	if (!text || !g_ascii_string_to_unsigned(text, 10, 0, SL_SHARD_MOST * 1000u, &n, NULL))
		return false;
	*value = n;
	return true;
}

static bool ask_environment(const char *(*get)(const char *name), struct told *t)
{
	for (size_t i = 0; i < SL_ARRAY_LEN(launchers); i++) {
		memset(t, 0, sizeof(*t));
		t->step = 1;
		if (!number(get(launchers[i].id), &t->id))
			continue;
		t->launcher = launchers[i].launcher;
		if (launchers[i].first && !number(get(launchers[i].first), &t->first))
			t->first = 0;
		if (launchers[i].step && !number(get(launchers[i].step), &t->step))
			t->step = 1;
		if (!launchers[i].count) {
			t->first = 1;
			return true;
		}
		if (number(get(launchers[i].count), &t->count) && t->count && t->step)
			return true;
	}
	return false;
}

/* "ProcId = 3" in HTCondor's job description. */
static bool attribute(const char *ad, const char *name, uint64_t *value)
{
	char **lines = g_strsplit(ad, "\n", -1);
	size_t n = strlen(name);
	bool found = false;

	for (char **line = lines; *line && !found; line++) {
		char *at = *line;

		if (strncmp(at, name, n) != 0)
			continue;
		at += n;
		at += strspn(at, " \t");
		found = *at == '=' && number(g_strstrip(at + 1), value);
	}
	g_strfreev(lines);
	return found;
}

static bool ask_condor(const char *(*get)(const char *name), struct told *t)
{
	const char *path = get("_CONDOR_JOB_AD");
	char *ad;
	bool ok;

	if (!path || !g_file_get_contents(path, &ad, NULL, NULL))
		return false;
	memset(t, 0, sizeof(*t));
	t->launcher = "HTCondor";
	t->step = 1;
	ok = attribute(ad, "ProcId", &t->id);
	if (ok && !attribute(ad, "TotalSubmitProcs", &t->count))
		t->count = 0;
	g_free(ad);
	return ok;
}

static bool fail(const char *text, const char *why, GError **error)
{
	g_set_error(error, SL_SHARD_ERROR, 0,
		    "--shard %s: %s; expected i/N with 1 <= i <= N, auto, or auto/N", text, why);
	return false;
}

static bool from_launcher(const char *text, uint64_t given, const char *(*get)(const char *name),
			  struct sl_shard *shard, GError **error)
{
	struct told t = { 0 };
	uint64_t index;

	if (!ask_environment(get, &t) && !ask_condor(get, &t)) {
		if (text)
			return fail(text, "no launcher has numbered this process", error);
		return true;
	}
	if (given)
		t.count = given;
	if (t.count == 0 && !text)
		return true; /* e.g. any command under GNU parallel */
	if (t.count == 0)
		return fail(text, "the launcher does not say how many there are, say auto/N",
			    error);
	index = (t.id - t.first) / t.step + 1;
	if (t.id < t.first || index > t.count || t.count > SL_SHARD_MOST)
		return fail(text ? text : "auto", "the launcher's number is out of range", error);
	shard->index = (uint32_t)index;
	shard->count = (uint32_t)t.count;
	shard->launcher = t.launcher;
	return true;
}

bool sl_shard_parse(const char *text, const char *(*get)(const char *name), struct sl_shard *shard,
		    GError **error)
{
	uint64_t index, count = 0;
	char **part;
	bool ok;

	*shard = (struct sl_shard){ 1, 1, NULL };
	if (!text || strcmp(text, "auto") == 0)
		return from_launcher(text, 0, get, shard, error);
	part = g_strsplit(text, "/", 2);
	ok = part[0] && part[1] && number(part[1], &count) && count && count <= SL_SHARD_MOST;
	if (ok && strcmp(part[0], "auto") == 0) {
		g_strfreev(part);
		return from_launcher(text, count, get, shard, error);
	}
	ok = ok && number(part[0], &index) && index >= 1 && index <= count;
	g_strfreev(part);
	if (!ok)
		return fail(text, "not a part of a whole", error);
	shard->index = (uint32_t)index;
	shard->count = (uint32_t)count;
	return true;
}

struct dealt {
	const char *hash;
	size_t place;
};

static int by_hash(const void *a, const void *b)
{
	const struct dealt *x = a, *y = b;
	int order = strcmp(x->hash, y->hash);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

void sl_shard_deal(const struct sl_shard *shard, const char *const *hash, size_t n, bool *part)
{
	struct dealt *d = g_new(struct dealt, n + 1);

	for (size_t i = 0; i < n; i++)
		d[i] = (struct dealt){ hash[i], i };
	qsort(d, n, sizeof(*d), by_hash);
	for (size_t i = 0; i < n; i++)
		part[d[i].place] = i % shard->count == shard->index - 1;
	g_free(d);
}
