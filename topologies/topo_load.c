/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Which reader a spelling or a file belongs to.
 * Invariant: the choice depends on the spelling first and on a file's first telling
 * line otherwise, never on its name. */
#include "topologies/topo_load.h"

#include <string.h>

#include "topologies/embedded.h"
#include "topologies/topo_read.h"

typedef bool (*reader)(struct topo_build *b, GError **error);

static struct sl_topo *run(const struct sl_input *in, reader read, GError **error)
{
	struct topo_build b;

	topo_build_init(&b, in);
	if (!read(&b, error)) {
		topo_build_clear(&b);
		return NULL;
	}
	return topo_build_finish(&b, error);
}

/* The first line from `at` on that is neither blank, a comment, nor a ``` fence; NULL
 * when there is none. */
static const char *telling_line(const char *at)
{
	while (*at != '\0') {
		const char *c = at;

		while (*c == ' ' || *c == '\t' || *c == '\r')
			c++;
		if (*c != '\0' && *c != '\n' && *c != '#' && strncmp(c, "```", 3) != 0)
			return c;
		at = strchr(c, '\n');
		if (at == NULL)
			return NULL;
		at++;
	}
	return NULL;
}

/* FreeBSD XML as people paste it: "kern.sched.topology_spec:" in front, fences and
 * shell prompts around. What is not between <groups> and </groups> becomes blanks, so
 * that positions stay true. */
static struct sl_topo *parse_pasted(const struct sl_input *in, const char *start, GError **error)
{
	g_autofree char *copy = g_memdup2(in->text, in->len + 1);
	struct sl_input cut = { in->name, copy, in->len };
	const char *last = g_strrstr(in->text, "</groups>");
	size_t from = (size_t)(start - in->text);
	size_t to = last != NULL ? (size_t)(last - in->text) + strlen("</groups>") : in->len;

	for (size_t i = 0; i < in->len; i++)
		if ((i < from || i >= to) && copy[i] != '\n')
			copy[i] = ' ';
	return run(&cut, topo_read_freebsd, error);
}

/* What may stand in front of <groups>: names of sysctls, prompts, fences. A document of
 * another kind has its own element there. */
static const char *find_groups(const char *text)
{
	const char *groups = strstr(text, "<groups");
	const char *first = strchr(text, '<');

	if (groups != NULL && first != NULL && first < groups && first[1] == '?')
		first = strchr(first + 1, '<');
	return first == groups ? groups : NULL;
}

static struct sl_topo *parse_text(const struct sl_input *in, GError **error)
{
	const char *text = in->text, *groups = find_groups(text), *line;

	if (!sl_input_check_text(in, error))
		return NULL;
	if (groups != NULL)
		return parse_pasted(in, groups, error);
	line = telling_line(text);
	if (line != NULL && *line == '<')
		return run(in, topo_read_hwloc, error);
	if (line != NULL && *line == '[')
		return run(in, topo_read_keyfile, error);
	if (line != NULL && g_ascii_isdigit(*line))
		return run(in, topo_read_lscpu, error);
	sl_input_fail_at(in, line != NULL ? (size_t)(line - text) : 0, error,
			 "no topology; expected FreeBSD's topology_spec (<groups>), hwloc's XML "
			 "(<topology>), lscpu -p (lines such as 0,0,0,0) or a .topo file "
			 "([topology])");
	return NULL;
}

struct sl_topo *sl_topo_parse(const char *name, const char *text, size_t len, GError **error)
{
	/* Readers stop at a NUL: the text needs one, wherever it came from. */
	g_autofree char *copy = g_malloc(len + 1);
	size_t bom = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	struct sl_input in = { name, copy + bom, len - bom };

	memcpy(copy, text, len);
	copy[len] = '\0';
	return parse_text(&in, error);
}

struct sl_topo *sl_topo_spell(const char *spec, GError **error)
{
	struct sl_input in = { spec, spec, strlen(spec) };
	struct topo_build b;

	if (!sl_input_check_text(&in, error))
		return NULL;
	topo_build_init(&b, &in);
	b.name = g_strdup(spec);
	in.name = "topology";
	if (!topo_read_words(&b, error)) {
		topo_build_clear(&b);
		return NULL;
	}
	return topo_build_finish(&b, error);
}

static struct sl_topo *load_host(GError **error)
{
	size_t len = 0;
	g_autofree char *xml = topo_host_xml(&len), *flat = NULL;

	if (xml != NULL)
		return sl_topo_parse("host", xml, len, error);
	flat = g_strdup_printf("flat:%u", topo_host_cpus());
	return sl_topo_spell(flat, error);
}

static struct sl_topo *unknown(const char *spec, GError **error)
{
	g_auto(GStrv) names = sl_embedded_names(".topo");
	g_autofree char *hint =
		sl_did_you_mean(spec, (const char *const *)names, g_strv_length(names));

	g_set_error(error, SL_TOPO_ERROR, SL_TOPO_ERROR_UNKNOWN,
		    "topology:1:1: no machine and no file '%s'%s; expected PxCxT as in 1x6x2, "
		    "flat:N, up, host, named levels as in pkg:1 core:4 smt:2, a file, or a name "
		    "(list topologies)",
		    spec, hint);
	return NULL;
}

struct sl_topo *sl_topo_load(const char *spec, GError **error)
{
	g_autofree char *text = NULL;
	g_autoptr(GBytes) embedded = NULL;
	size_t len;

	if (strcmp(spec, "host") == 0)
		return load_host(error);
	embedded = sl_embedded(spec, ".topo");
	if (embedded != NULL) {
		const char *data = g_bytes_get_data(embedded, &len);

		return sl_topo_parse(spec, data, len, error);
	}
	if (topo_is_words(spec) && strchr(spec, '/') == NULL &&
	    !(strchr(spec, ' ') != NULL && g_file_test(spec, G_FILE_TEST_EXISTS)))
		return sl_topo_spell(spec, error);
	if (strcmp(spec, "-") != 0 && strchr(spec, '/') == NULL &&
	    !g_file_test(spec, G_FILE_TEST_EXISTS))
		return unknown(spec, error);
	text = sl_input_read(spec, &len, error);
	return text != NULL ? sl_topo_parse(spec, text, len, error) : NULL;
}

void sl_topo_free(struct sl_topo *t)
{
	topo_build_free(t);
}

const char *sl_topo_costs(const struct sl_topo *t)
{
	return topo_build_costs(t);
}

GPtrArray *sl_topo_list(void)
{
	g_auto(GStrv) names = sl_embedded_names(".topo");
	GPtrArray *list = sl_named_array_new();

	for (size_t i = 0; names[i] != NULL; i++) {
		struct sl_topo *t = sl_topo_load(names[i], NULL);

		SL_ASSERT(t != NULL); /* ours, and tested */
		sl_named_array_add(list, names[i], t->summary);
		sl_topo_free(t);
	}
	return list;
}
