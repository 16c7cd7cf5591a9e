/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reader of .topo key files: a shape, then lists that say otherwise where the machine
 * is not regular. Format: schedlab-topology(5).
 * Invariant: every list names CPUs the machine has, and no CPU twice. */
#include "topologies/topo_read.h"

#include <string.h>

#include "sim/base/bits.h"
#include "topologies/cpuset.h"
#include "topologies/keyfile.h"

#define MOST_TEXT 255 /* bytes of a name */

static const char *const key_name[] = { "name",	   "summary", "costs",	      "shape", "cpus",
					"package", "node",    "l3",	      "l2",    "l1",
					"core",	   "speed",   "uniprocessor", "caches" };

/* Keys that list domains: sets separated by semicolons, one per domain. */
static const struct {
	const char *key;
	enum topo_domain domain;
} domain_key[] = {
	{ "package", TOPO_PACKAGE }, { "node", TOPO_NODE }, { "l3", TOPO_L3 },
	{ "l2", TOPO_L2 },	     { "l1", TOPO_L1 },	    { "core", TOPO_CORE },
};

struct reader {
	struct topo_build *b;
	GKeyFile *file;
	uint64_t *set; /* scratch: a CPU set */
};

static bool has(const struct reader *r, const char *key)
{
	return g_key_file_has_key(r->file, "topology", key, NULL);
}

static char *text_of(const struct reader *r, const char *key)
{
	size_t len, at = sl_keyfile_value(r->b->in, key, &len);

	return has(r, key) && len > 0 ? g_strndup(r->b->in->text + at, len) : NULL;
}

/* Names and the like go to terminals and into tables. */
static bool read_line(const struct reader *r, const char *key, char **text, GError **error)
{
	size_t len, at = sl_keyfile_value(r->b->in, key, &len);

	*text = text_of(r, key);
	for (const char *c = *text; c != NULL && *c != '\0'; c++)
		if (g_ascii_iscntrl(*c)) {
			sl_input_fail_at(r->b->in, at + (size_t)(c - *text), error,
					 "%s with control character 0x%02x; expected text", key,
					 (unsigned char)*c);
			return false;
		}
	if (*text != NULL && len > MOST_TEXT) {
		sl_input_fail_at(r->b->in, at, error, "%s of %u bytes; expected %d at most", key,
				 (unsigned)len, MOST_TEXT);
		return false;
	}
	return true;
}

static bool read_yes(const struct reader *r, const char *key, const char *yes, const char *no,
		     bool *value, GError **error)
{
	g_autofree char *text = text_of(r, key);
	size_t len;

	*value = false;
	if (!has(r, key))
		return true;
	if (text != NULL && strcmp(text, yes) == 0)
		return *value = true;
	if (text != NULL && strcmp(text, no) == 0)
		return true;
	sl_input_fail_at(r->b->in, sl_keyfile_value(r->b->in, key, &len), error,
			 "%s=%.40s; expected %s or %s", key, text != NULL ? text : "", yes, no);
	return false;
}

/* Reads one set at an offset into r->set. */
static bool read_set(struct reader *r, size_t at, size_t len, GError **error)
{
	struct sl_cpuset_fault fault;

	if (sl_cpuset_scan(r->b->in->text + at, len, r->b->rows->len, r->set, &fault))
		return true;
	sl_input_fail_at(r->b->in, at + fault.offset, error, "%s", fault.why);
	return false;
}

static struct topo_row *row_of(struct reader *r, uint32_t cpu)
{
	return &g_array_index(r->b->rows, struct topo_row, cpu);
}

/* Length of the list item at `at`, up to a semicolon or end. */
static size_t item_length(const struct sl_input *in, size_t at, size_t end)
{
	const char *semicolon = memchr(in->text + at, ';', end - at);

	return semicolon != NULL ? (size_t)(semicolon - in->text) - at : end - at;
}

/* l3=0-3;4-7 replaces what the shape says of that domain. CPUs in no set have none
 * (caches) or one of their own (cores). */
static bool read_domain(struct reader *r, const char *key, enum topo_domain d, GError **error)
{
	uint32_t n = r->b->rows->len, words = SL_BITS_WORDS(n), line, col;
	size_t len, at = sl_keyfile_value(r->b->in, key, &len), end = at + len;
	int64_t number = 0;

	sl_input_where(r->b->in, at, &line, &col);
	for (uint32_t i = 0; i < n; i++)
		row_of(r, i)->domain[d] = TOPO_UNKNOWN;
	for (;; number++) {
		size_t item = item_length(r->b->in, at, end);

		if (!read_set(r, at, item, error))
			return false;
		for (uint32_t i = sl_bits_next(r->set, words, 0); i < n;
		     i = sl_bits_next(r->set, words, i + 1)) {
			struct topo_row *row = row_of(r, i);

			if (row->domain[d] != TOPO_UNKNOWN) {
				sl_input_fail_at(r->b->in, at, error,
						 "CPU %u is in two sets of %s; expected it in one",
						 i, key);
				return false;
			}
			row->domain[d] = number;
			row->line = line;
			row->col = col;
		}
		at += item;
		if (at == end)
			return true;
		at++;
	}
}

/* speed=0-3:1000;4-7:600, permille of nominal speed. */
static bool read_speed(struct reader *r, GError **error)
{
	uint32_t n = r->b->rows->len, words = SL_BITS_WORDS(n);
	size_t len, at = sl_keyfile_value(r->b->in, "speed", &len), end = at + len;

	for (;;) {
		size_t item = item_length(r->b->in, at, end);
		const char *text = r->b->in->text + at, *colon = memchr(text, ':', item);
		g_autofree char *number = NULL;
		guint64 speed;

		number = colon != NULL ? g_strstrip(g_strndup(colon + 1,
							      item - (size_t)(colon + 1 - text)))
				       : g_strdup("");
		if (!g_ascii_string_to_unsigned(number, 10, 1, 10000, &speed, NULL)) {
			sl_input_fail_at(r->b->in, at, error,
					 "expected CPUs:permille with 1 to 10000, as in 0-3:1000");
			return false;
		}
		if (!read_set(r, at, (size_t)(colon - text), error))
			return false;
		for (uint32_t i = sl_bits_next(r->set, words, 0); i < n;
		     i = sl_bits_next(r->set, words, i + 1))
			row_of(r, i)->speed_permille = (uint32_t)speed;
		at += item;
		if (at == end)
			return true;
		at++;
	}
}

/* cpus=N: CPUs of which only the lists say more. */
static bool read_cpus(struct reader *r, GError **error)
{
	size_t len, at = sl_keyfile_value(r->b->in, "cpus", &len);
	g_autofree char *text = text_of(r, "cpus");
	uint32_t line, col;
	guint64 n;

	if (!g_ascii_string_to_unsigned(text != NULL ? text : "", 10, 1, SL_TOPO_MAX_CPUS, &n,
					NULL)) {
		sl_input_fail_at(r->b->in, at, error, "cpus=%.40s; expected 1 to %d",
				 text != NULL ? text : "", SL_TOPO_MAX_CPUS);
		return false;
	}
	sl_input_where(r->b->in, at, &line, &col);
	for (uint32_t i = 0; i < n; i++)
		topo_build_add(r->b, i, line, col);
	return true;
}

static bool read_rows(struct reader *r, GError **error)
{
	size_t len, at;

	if (has(r, "shape") == has(r, "cpus")) {
		sl_input_fail(r->b->in, 1, 1, error,
			      "expected either shape= (as in shape=1x6x2) or cpus= (a number)");
		return false;
	}
	if (has(r, "cpus"))
		return read_cpus(r, error);
	at = sl_keyfile_value(r->b->in, "shape", &len);
	return topo_read_shape(r->b, at, len, error);
}

static bool read_all(struct reader *r, GError **error)
{
	bool unknown;

	if (!read_rows(r, error) ||
	    !read_yes(r, "uniprocessor", "yes", "no", &r->b->uniprocessor, error) ||
	    !read_yes(r, "caches", "unknown", "known", &unknown, error))
		return false;
	r->b->caches_unknown = unknown;
	r->set = g_new0(uint64_t, SL_BITS_WORDS(r->b->rows->len));
	for (size_t i = 0; i < G_N_ELEMENTS(domain_key); i++)
		if (has(r, domain_key[i].key) &&
		    !read_domain(r, domain_key[i].key, domain_key[i].domain, error))
			return false;
	if (has(r, "speed") && !read_speed(r, error))
		return false;
	if (r->b->uniprocessor && r->b->rows->len != 1) {
		sl_input_fail(r->b->in, 1, 1, error,
			      "a uniprocessor kernel with %u CPUs; expected one", r->b->rows->len);
		return false;
	}
	return read_line(r, "name", &r->b->name, error) &&
	       read_line(r, "summary", &r->b->summary, error) &&
	       read_line(r, "costs", &r->b->costs, error);
}

bool topo_read_keyfile(struct topo_build *b, GError **error)
{
	static const struct sl_key_schema schema = { "topology", key_name, G_N_ELEMENTS(key_name) };
	struct reader r = { .b = b };
	bool ok;

	r.file = sl_keyfile_parse(b->in, &schema, error);
	if (r.file == NULL)
		return false;
	ok = read_all(&r, error);
	g_free(r.set);
	g_key_file_unref(r.file);
	return ok;
}
