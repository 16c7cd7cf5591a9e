/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Topologies spelled in place: "1x6x2", "flat:4", "up", "pkg:1 l3:4 core:3 smt:2".
 * Invariant: levels come from the widest to the narrowest, so the domain of a CPU is
 * its number divided by the CPUs below that level; L1 and L2 are private to a core
 * unless a word names them, L3 exists only when named. */
#include "topologies/topo_read.h"

#include <string.h>

enum kind { PACKAGE, NODE, DIE, L3, L2, L1, L1I, CORE, SMT, KINDS };

/* Words of one kind; hwloc's names are among them. rank orders levels, equal ranks in
 * any order. */
static const struct {
	const char *name;
	enum kind kind;
} word[] = {
	{ "pkg", PACKAGE }, { "package", PACKAGE }, { "pack", PACKAGE },  { "socket", PACKAGE },
	{ "node", NODE },   { "numa", NODE },	    { "numanode", NODE }, { "die", DIE },
	{ "group", DIE },   { "l3", L3 },	    { "l3cache", L3 },	  { "l2", L2 },
	{ "l2cache", L2 },  { "l1", L1 },	    { "l1d", L1 },	  { "l1cache", L1 },
	{ "l1dcache", L1 }, { "l1i", L1I },	    { "l1icache", L1I },  { "core", CORE },
	{ "smt", SMT },	    { "pu", SMT },	    { "thread", SMT },
};

static const uint8_t rank[KINDS] = { 0, 0, 1, 2, 3, 4, 4, 5, 6 };

#define EXPECTED_WORDS "pkg, node, die, l3, l2, l1, core or smt"

struct shape {
	uint32_t count[KINDS]; /* 0: not named */
	uint32_t below[KINDS]; /* CPUs of one domain of the kind */
	uint32_t ncpus;
	bool l3_per_package;
};

struct scan {
	const struct sl_input *in;
	size_t at, end;
};

static char peek(const struct scan *s)
{
	return s->at < s->end ? s->in->text[s->at] : '\0';
}

static bool number(struct scan *s, uint32_t *value)
{
	size_t start = s->at;
	uint64_t v = 0;

	for (; g_ascii_isdigit(peek(s)); s->at++)
		if (v <= UINT32_MAX)
			v = v * 10 + (uint64_t)(s->in->text[s->at] - '0');
	*value = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
	return s->at > start;
}

static bool count(struct scan *s, const char *what, uint32_t *value, GError **error)
{
	size_t start = s->at;

	if (!number(s, value)) {
		sl_input_fail_at(s->in, start, error, "expected the number of %s", what);
		return false;
	}
	if (*value < 1 || *value > SL_TOPO_MAX_CPUS) {
		sl_input_fail_at(s->in, start, error, "%.*s %s; expected 1 to %d",
				 (int)MIN(s->at - start, 40), s->in->text + start, what,
				 SL_TOPO_MAX_CPUS);
		return false;
	}
	return true;
}

static bool at_end(const struct scan *s, const char *expected, GError **error)
{
	if (s->at == s->end)
		return true;
	sl_input_fail_at(s->in, s->at, error, "'%c' is not understood; expected %s", peek(s),
			 expected);
	return false;
}

/* Multiplies the levels up; false when there are too many CPUs. */
static bool measure(struct shape *sh, const enum kind *order, uint32_t n, const struct sl_input *in,
		    size_t start, GError **error)
{
	uint64_t cpus = 1;

	for (uint32_t i = n; i-- > 0;) {
		sh->below[order[i]] = (uint32_t)cpus;
		cpus *= sh->count[order[i]];
		if (cpus > SL_TOPO_MAX_CPUS) {
			sl_input_fail_at(in, start, error, "more than %d CPUs; expected 1 to %d",
					 SL_TOPO_MAX_CPUS, SL_TOPO_MAX_CPUS);
			return false;
		}
	}
	sh->ncpus = (uint32_t)cpus;
	return true;
}

static int64_t level_of(const struct shape *sh, enum kind k, uint32_t cpu)
{
	return sh->count[k] > 0 ? (int64_t)(cpu / sh->below[k]) : TOPO_UNKNOWN;
}

static void emit(struct topo_build *b, const struct shape *sh, size_t start)
{
	uint32_t line, col;

	sl_input_where(b->in, start, &line, &col);
	for (uint32_t i = 0; i < sh->ncpus; i++) {
		struct topo_row *r = topo_build_add(b, i, line, col);
		int64_t *d = r->domain;

		d[TOPO_PACKAGE] = level_of(sh, PACKAGE, i);
		d[TOPO_NODE] = level_of(sh, NODE, i);
		d[TOPO_CORE] = level_of(sh, CORE, i);
		d[TOPO_L3] = sh->l3_per_package ? d[TOPO_PACKAGE] : level_of(sh, L3, i);
		d[TOPO_L1] = sh->count[L1] > 0 ? level_of(sh, L1, i) : d[TOPO_CORE];
		d[TOPO_L2] = sh->count[L2] > 0 ? level_of(sh, L2, i) : d[TOPO_L1];
	}
}

/* PxCxT: one L3 per package, unless a package has a single core (old Xeons). */
static bool read_cross(struct topo_build *b, struct scan *s, GError **error)
{
	static const enum kind order[] = { PACKAGE, CORE, SMT };
	static const char *const what[] = { "packages", "cores", "threads" };
	struct shape sh = { .ncpus = 0 };
	size_t start = s->at;

	for (uint32_t i = 0; i < 3; i++) {
		if (i > 0 && peek(s) != 'x' && peek(s) != 'X') {
			sl_input_fail_at(s->in, s->at, error,
					 "expected x and the number of %s, as in 1x6x2 (packages x "
					 "cores x threads)",
					 what[i]);
			return false;
		}
		s->at += i > 0;
		if (!count(s, what[i], &sh.count[order[i]], error))
			return false;
	}
	if (!at_end(s, "three numbers; with more levels name them, as in pkg:1 l3:4 core:3 smt:2",
		    error) ||
	    !measure(&sh, order, 3, s->in, start, error))
		return false;
	sh.l3_per_package = sh.count[CORE] > 1;
	emit(b, &sh, start);
	return true;
}

/* Reads a level's name; KINDS when it is none. */
static enum kind read_name(struct scan *s, GError **error)
{
	const char *names[G_N_ELEMENTS(word)];
	size_t start = s->at;
	g_autofree char *name = NULL, *hint = NULL;

	while (g_ascii_isalnum(peek(s)))
		s->at++;
	name = g_strndup(s->in->text + start, s->at - start);
	for (size_t i = 0; i < G_N_ELEMENTS(word); i++) {
		if (g_ascii_strcasecmp(name, word[i].name) == 0)
			return word[i].kind;
		names[i] = word[i].name;
	}
	hint = sl_did_you_mean(name, names, G_N_ELEMENTS(names));
	if (g_ascii_isdigit(name[0]))
		sl_input_fail_at(
			s->in, start, error,
			"a count without a level; expected level:count with " EXPECTED_WORDS);
	else
		sl_input_fail_at(s->in, start, error,
				 "unknown level '%s'%s; expected " EXPECTED_WORDS, name, hint);
	return KINDS;
}

/* Skips "(size=32MB memory=4GB)"; other attributes would change the machine. */
static bool skip_attributes(struct scan *s, GError **error)
{
	if (peek(s) != '(')
		return true;
	s->at++;
	while (peek(s) != ')') {
		size_t start = s->at;
		const char *text = s->in->text;

		while (s->at < s->end && peek(s) != ' ' && peek(s) != ')')
			s->at++;
		if (s->at == s->end) {
			sl_input_fail_at(s->in, start, error, "expected ) after the attributes");
			return false;
		}
		if (strncmp(text + start, "size=", 5) != 0 &&
		    strncmp(text + start, "memory=", 7) != 0) {
			sl_input_fail_at(s->in, start, error,
					 "unknown attribute; expected size= or memory= (both "
					 "without effect here)");
			return false;
		}
		while (peek(s) == ' ')
			s->at++;
	}
	s->at++;
	return true;
}

/* One "name:count(attributes)" or hwloc's "[NUMANode(...)]". */
static bool read_level(struct scan *s, enum kind *kind, uint32_t *n, GError **error)
{
	bool memory = peek(s) == '[';
	size_t start = s->at;

	s->at += memory;
	*kind = read_name(s, error);
	if (*kind == KINDS)
		return false;
	*n = 1;
	if (memory && *kind != NODE) {
		sl_input_fail_at(s->in, start, error, "expected [NUMANode(...)]");
		return false;
	}
	if (!memory) {
		if (peek(s) != ':') {
			sl_input_fail_at(s->in, s->at, error, "expected : and a count");
			return false;
		}
		s->at++;
		if (!count(s, "of these", n, error))
			return false;
	}
	if (!skip_attributes(s, error))
		return false;
	if (memory && peek(s) != ']') {
		sl_input_fail_at(s->in, s->at, error, "expected ]");
		return false;
	}
	s->at += memory;
	return true;
}

static bool read_levels(struct topo_build *b, struct scan *s, GError **error)
{
	enum kind order[KINDS];
	struct shape sh = { .ncpus = 0 };
	size_t start = s->at;
	uint32_t n = 0;

	while (s->at < s->end) {
		size_t here = s->at;
		enum kind kind;
		uint32_t number_of;

		if (!read_level(s, &kind, &number_of, error))
			return false;
		if (sh.count[kind] > 0 || (n > 0 && rank[kind] < rank[order[n - 1]])) {
			sl_input_fail_at(s->in, here, error,
					 "this level is out of place; expected each level once, in "
					 "the order pkg and node, die, l3, l2, l1, core, smt");
			return false;
		}
		order[n++] = kind;
		sh.count[kind] = number_of;
		if (s->at < s->end && !g_ascii_isspace(peek(s))) {
			sl_input_fail_at(s->in, s->at, error, "expected a space between levels");
			return false;
		}
		while (g_ascii_isspace(peek(s)))
			s->at++;
	}
	if (sh.count[CORE] == 0) {
		sl_input_fail_at(s->in, s->end, error, "no cores; expected core:N before smt:N");
		return false;
	}
	if (!measure(&sh, order, n, s->in, start, error))
		return false;
	emit(b, &sh, start);
	return true;
}

bool topo_read_shape(struct topo_build *b, size_t offset, size_t len, GError **error)
{
	struct scan s = { b->in, offset, offset + len };
	size_t i = offset;

	while (s.at < s.end && g_ascii_isspace(peek(&s)))
		s.at++;
	while (s.end > s.at && g_ascii_isspace(s.in->text[s.end - 1]))
		s.end--;
	for (i = s.at; i < s.end; i++)
		if (!g_ascii_isdigit(s.in->text[i]) && s.in->text[i] != 'x' && s.in->text[i] != 'X')
			break;
	return i == s.end ? read_cross(b, &s, error) : read_levels(b, &s, error);
}

static bool read_flat(struct topo_build *b, GError **error)
{
	struct scan s = { b->in, strlen("flat:"), b->in->len };
	uint32_t n;

	if (!count(&s, "CPUs", &n, error) || !at_end(&s, "flat:N", error))
		return false;
	for (uint32_t i = 0; i < n; i++)
		topo_build_add(b, i, 1, 1);
	b->caches_unknown = true;
	b->summary = g_strdup_printf("%u CPU%s, nothing known of caches", n, n > 1 ? "s" : "");
	return true;
}

bool topo_is_words(const char *spec)
{
	const char *c = spec;

	if (strcmp(spec, "up") == 0 || g_str_has_prefix(spec, "flat:") || strchr(spec, ' ') != NULL)
		return true;
	if (g_ascii_isdigit(*c))
		return spec[strspn(spec, "0123456789xX")] == '\0';
	while (g_ascii_isalnum(*c))
		c++;
	return *c == ':';
}

bool topo_read_words(struct topo_build *b, GError **error)
{
	if (strcmp(b->in->text, "up") == 0) {
		topo_build_add(b, 0, 1, 1);
		b->uniprocessor = b->caches_unknown = true;
		b->summary = g_strdup("one CPU, uniprocessor kernel");
		return true;
	}
	if (g_str_has_prefix(b->in->text, "flat:"))
		return read_flat(b, error);
	return topo_read_shape(b, 0, b->in->len, error);
}
