/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: one table says what keys exist; reading, the list of keys in complaints
 * and `list costs` are made from it. */
#include "topologies/costs_load.h"

#include <string.h>

#include "topologies/embedded.h"
#include "topologies/keyfile.h"

enum kind { TEXT, BASE, U16, U32, SMT };

#define FIELD(f)  offsetof(struct sl_costs, f)
#define REFILL(d) (FIELD(refill_ns_per_kib) + (d) * sizeof(uint32_t))

#define MOST_NS	  1000000000u

static const struct key {
	const char *name, *unit, *help;
	enum kind kind;
	size_t offset;
	uint32_t most;
} key_table[] = {
	{ "name", "", "", TEXT, 0, 0 },
	{ "summary", "", "", TEXT, 0, 0 },
	{ "base", "", "", BASE, 0, 0 },
	{ "switch_ns", "ns", "context switch, charged to the incoming thread", U32,
	  FIELD(switch_ns), MOST_NS },
	{ "wake_ns", "ns", "the waker's kernel work per wake-up", U32, FIELD(wake_ns), MOST_NS },
	{ "tick_ns", "ns", "clock interrupt on a busy CPU", U32, FIELD(tick_ns), MOST_NS },
	{ "ipi_ns", "ns", "flight of an interrupt between CPUs", U32, FIELD(ipi_ns), MOST_NS },
	{ "idle_exit_ns", "ns", "from interrupt to running code on a halted CPU", U32,
	  FIELD(idle_exit_ns), MOST_NS },
	{ "syscall_ns", "ns", "kernel entry", U32, FIELD(syscall_ns), MOST_NS },
	{ "smt_permille", "1/1000", "speed of a thread with 1;2;... busy siblings", SMT,
	  FIELD(smt_permille), 1000 },
	{ "refill_core", "ns/KiB", "working set, moved inside a core or L1", U32,
	  REFILL(SL_SHARED_CORE), MOST_NS },
	{ "refill_l2", "ns/KiB", "working set, moved inside an L2", U32, REFILL(SL_SHARED_L2),
	  MOST_NS },
	{ "refill_l3", "ns/KiB", "working set, moved inside an L3 or evicted on its CPU", U32,
	  REFILL(SL_SHARED_L3), MOST_NS },
	{ "refill_package", "ns/KiB", "working set, moved inside a package, no common cache", U32,
	  REFILL(SL_SHARED_PACKAGE), MOST_NS },
	{ "refill_node", "ns/KiB", "working set, moved inside a NUMA node", U32,
	  REFILL(SL_SHARED_NODE), MOST_NS },
	{ "refill_remote", "ns/KiB", "working set, moved to another node, or a first run", U32,
	  REFILL(SL_SHARED_NOTHING), MOST_NS },
	{ "footprint_kib", "KiB", "working set of a thread whose workload names none", U32,
	  FIELD(footprint_kib), 1u << 20 },
	{ "evict_us", "us", "foreign run time that evicts a whole working set", U32,
	  FIELD(evict_us), 1000000000u },
	{ "noise_permille", "1/1000", "standard deviation of a run's speed", U16,
	  FIELD(noise_permille), 200 },
};

struct owned {
	struct sl_costs pub; /* first: freed through it */
	char *name;
};

static void key_names(const char **names)
{
	for (size_t i = 0; i < G_N_ELEMENTS(key_table); i++)
		names[i] = key_table[i].name;
}

static GKeyFile *parse(const struct sl_input *in, GError **error)
{
	const char *names[G_N_ELEMENTS(key_table)];
	struct sl_key_schema schema = { "costs", names, G_N_ELEMENTS(names) };

	key_names(names);
	return sl_keyfile_parse(in, &schema, error);
}

static bool read_number(const struct sl_input *in, size_t at, size_t len, const struct key *k,
			uint32_t *value, GError **error)
{
	g_autofree char *text = g_strstrip(g_strndup(in->text + at, len));
	guint64 v;

	if (g_ascii_string_to_unsigned(text, 10, k->kind == SMT, k->most, &v, NULL)) {
		*value = (uint32_t)v;
		return true;
	}
	sl_input_fail_at(in, at, error, "%s=%.40s; expected a whole number of %s from %d to %u",
			 k->name, text, k->unit, k->kind == SMT, k->most);
	return false;
}

/* speed;speed;... for 1, 2, ... busy siblings. */
static bool read_smt(const struct sl_input *in, size_t at, size_t len, const struct key *k,
		     uint16_t *smt, GError **error)
{
	size_t end = at + len, most = G_N_ELEMENTS(((struct sl_costs *)NULL)->smt_permille);
	uint32_t value = 1000;

	smt[0] = 1000;
	for (size_t i = 1; i < most; i++) {
		const char *semicolon;
		size_t item;

		if (at < end || i == 1) {
			semicolon = memchr(in->text + at, ';', end - at);
			item = semicolon != NULL ? (size_t)(semicolon - in->text) - at : end - at;
			if (!read_number(in, at, item, k, &value, error))
				return false;
			at += item + (semicolon != NULL);
		}
		smt[i] = (uint16_t)value;
	}
	if (at < end)
		sl_input_fail_at(in, at, error, "more than %d values", (int)most - 1);
	return at >= end;
}

static bool read_key(const struct sl_input *in, const struct key *k, struct owned *o,
		     GError **error)
{
	size_t len, at = sl_keyfile_value(in, k->name, &len);
	void *field = (char *)&o->pub + k->offset;
	uint32_t value;

	if (k->kind == TEXT || k->kind == BASE)
		return true;
	if (k->kind == SMT)
		return read_smt(in, at, len, k, field, error);
	if (!read_number(in, at, len, k, &value, error))
		return false;
	if (k->kind == U16)
		*(uint16_t *)field = (uint16_t)value;
	else
		*(uint32_t *)field = value;
	return true;
}

static struct sl_costs *load_embedded(const char *name, GError **error)
{
	g_autoptr(GBytes) bytes = sl_embedded(name, ".costs");
	const char *data;
	size_t len;

	if (bytes == NULL)
		return NULL;
	data = g_bytes_get_data(bytes, &len);
	return sl_costs_parse(name, data, len, error);
}

static char *hint_for(const char *name)
{
	g_auto(GStrv) names = sl_embedded_names(".costs");

	return sl_did_you_mean(name, (const char *const *)names, g_strv_length(names));
}

/* base= starts from an embedded overlay. Embedded ones have none themselves. */
static bool apply_base(const struct sl_input *in, GKeyFile *file, struct owned *o, GError **error)
{
	g_autofree char *base = g_key_file_get_value(file, "costs", "base", NULL), *hint = NULL;
	struct sl_costs *from = base != NULL ? load_embedded(base, NULL) : NULL;
	size_t len;

	if (base == NULL)
		return true;
	if (from == NULL) {
		hint = hint_for(base);
		sl_input_fail_at(in, sl_keyfile_value(in, "base", &len), error,
				 "unknown overlay '%.40s'%s; expected one of `list costs`", base,
				 hint);
		return false;
	}
	o->pub = *from;
	sl_costs_free(from);
	return true;
}

static struct sl_costs *read_all(const struct sl_input *in, GKeyFile *file, GError **error)
{
	struct owned *o = g_new0(struct owned, 1);
	bool ok = apply_base(in, file, o, error);

	for (size_t i = 0; ok && i < G_N_ELEMENTS(key_table); i++)
		if (g_key_file_has_key(file, "costs", key_table[i].name, NULL))
			ok = read_key(in, &key_table[i], o, error);
	o->name = g_key_file_get_value(file, "costs", "name", NULL);
	if (o->name == NULL)
		o->name = g_strdup(in->name);
	o->pub.name = o->name;
	if (ok)
		return &o->pub;
	sl_costs_free(&o->pub);
	return NULL;
}

struct sl_costs *sl_costs_parse(const char *name, const char *text, size_t len, GError **error)
{
	struct sl_input in = { name, text, len };
	g_autoptr(GKeyFile) file = parse(&in, error);

	return file != NULL ? read_all(&in, file, error) : NULL;
}

struct sl_costs *sl_costs_load(const char *name_or_file, GError **error)
{
	g_autoptr(GError) own = NULL;
	g_autofree char *text = NULL, *hint = NULL;
	struct sl_costs *c = load_embedded(name_or_file, &own);
	size_t len;

	if (c != NULL)
		return c;
	if (strchr(name_or_file, '/') == NULL && strcmp(name_or_file, "-") != 0 &&
	    !g_file_test(name_or_file, G_FILE_TEST_EXISTS)) {
		hint = hint_for(name_or_file);
		g_set_error(error, SL_TOPO_ERROR, SL_TOPO_ERROR_UNKNOWN,
			    "costs:1:1: no overlay and no file '%s'%s; expected a file or one of "
			    "`list costs`",
			    name_or_file, hint);
		return NULL;
	}
	text = sl_input_read(name_or_file, &len, error);
	return text != NULL ? sl_costs_parse(name_or_file, text, len, error) : NULL;
}

void sl_costs_free(struct sl_costs *c)
{
	struct owned *o = (struct owned *)(void *)c;

	if (o == NULL)
		return;
	g_free(o->name);
	g_free(o);
}

/* The key file of an embedded overlay. */
static GKeyFile *embedded_file(const char *name)
{
	g_autoptr(GBytes) bytes = sl_embedded(name, ".costs");
	struct sl_input in = { .name = name };
	GKeyFile *file;

	SL_ASSERT(bytes != NULL);
	in.text = g_bytes_get_data(bytes, &in.len);
	file = parse(&in, NULL);
	SL_ASSERT(file != NULL); /* ours, and tested */
	return file;
}

GPtrArray *sl_costs_list(void)
{
	g_auto(GStrv) names = sl_embedded_names(".costs");
	GPtrArray *list = sl_named_array_new();

	for (size_t i = 0; names[i] != NULL; i++) {
		g_autoptr(GKeyFile) file = embedded_file(names[i]);
		g_autofree char *summary = g_key_file_get_value(file, "costs", "summary", NULL);

		sl_named_array_add(list, names[i], summary);
	}
	return list;
}

/* The comment above a key, in one line. */
static char *source_of(GKeyFile *file, const char *key)
{
	g_autofree char *comment = g_key_file_get_comment(file, "costs", key, NULL);
	g_auto(GStrv) line = g_strsplit(comment != NULL ? comment : "", "\n", -1);

	for (size_t i = 0; line[i] != NULL; i++)
		g_strstrip(line[i]);
	return g_strstrip(g_strjoinv(" ", line));
}

char *sl_costs_table(void)
{
	g_autoptr(GPtrArray) list = sl_costs_list();
	g_autoptr(GKeyFile) file = embedded_file("default");
	GString *out = g_string_new("Overlays:\n");

	for (size_t i = 0; i < list->len; i++) {
		const struct sl_named *n = g_ptr_array_index(list, i);

		g_string_append_printf(out, "  %-14s %s\n", n->name, n->summary);
	}
	g_string_append(out, "\nKeys, with value and source in the overlay 'default':\n");
	for (size_t i = 0; i < G_N_ELEMENTS(key_table); i++) {
		const struct key *k = &key_table[i];
		g_autofree char *value = g_key_file_get_value(file, "costs", k->name, NULL);
		g_autofree char *source = source_of(file, k->name);

		if (k->kind == TEXT || k->kind == BASE)
			continue;
		g_string_append_printf(out, "  %-14s %6s %-6s  %s\n", k->name,
				       value != NULL ? value : "0", k->unit, k->help);
		if (*source != '\0')
			g_string_append_printf(out, "%33s%s\n", "", source);
	}
	return g_string_free(out, FALSE);
}
