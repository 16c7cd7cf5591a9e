/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reader of "lscpu -p" (any choice of columns): one CPU per line, equal numbers in a
 * column mean a shared thing.
 * Invariant: every line that is no comment is a CPU with as many fields as the header
 * names, or the file is refused. */
#include "topologies/topo_read.h"

#include <string.h>

enum column_kind { IGNORED, CPU, DOMAIN, MAXMHZ, ONLINE };

static const struct {
	const char *name;
	enum column_kind kind;
	enum topo_domain domain;
} column_table[] = {
	{ "CPU", CPU, TOPO_DOMAINS },	    { "Core", DOMAIN, TOPO_CORE },
	{ "Socket", DOMAIN, TOPO_PACKAGE }, { "Node", DOMAIN, TOPO_NODE },
	{ "L1d", DOMAIN, TOPO_L1 },	    { "L2", DOMAIN, TOPO_L2 },
	{ "L3", DOMAIN, TOPO_L3 },	    { "MAXMHZ", MAXMHZ, TOPO_DOMAINS },
	{ "Online", ONLINE, TOPO_DOMAINS },
};

/* What lscpu -p prints when nothing was asked for. */
#define DEFAULT_HEADER "CPU,Core,Socket,Node,,L1d,L1i,L2,L3"

#define MOST_COLUMNS   64

struct reader {
	struct topo_build *b;
	int column[MOST_COLUMNS]; /* index into column_table, -1: ignored */
	uint32_t n_columns;
	bool has_cache, has_speed;
	GArray *mhz; /* of uint32_t, one per row */
};

/* A column's name; -1 for columns that say nothing about the shape. */
static int find_column(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(column_table); i++)
		if (g_ascii_strcasecmp(name, column_table[i].name) == 0)
			return (int)i;
	return -1;
}

static bool read_header(struct reader *r, const char *header, uint32_t line, GError **error)
{
	/* "-p=CPU,CACHE" joins the caches by colons, in header and rows alike. */
	g_auto(GStrv) name = g_strsplit_set(header, ",:", -1);
	bool has_cpu = false;

	r->n_columns = 0;
	for (uint32_t i = 0; name[i] != NULL; i++) {
		int k = find_column(g_strstrip(name[i]));

		if (i == MOST_COLUMNS) {
			sl_input_fail(r->b->in, line, 1, error, "more than %d columns",
				      MOST_COLUMNS);
			return false;
		}
		r->column[r->n_columns++] = k;
		has_cpu = has_cpu || (k >= 0 && column_table[k].kind == CPU);
		if (k >= 0 && column_table[k].kind == DOMAIN)
			r->has_cache = r->has_cache || (column_table[k].domain >= TOPO_L3 &&
							column_table[k].domain <= TOPO_L1);
	}
	if (!has_cpu)
		sl_input_fail(r->b->in, line, 1, error,
			      "no CPU column in the header; expected columns as in "
			      "# " DEFAULT_HEADER);
	return has_cpu;
}

/* "2400.0000" as whole MHz, 0 for anything else. */
static uint32_t read_mhz(const char *field)
{
	double v = g_ascii_strtod(field, NULL);

	return v >= 1 && v < 1e6 ? (uint32_t)(v + 0.5) : 0;
}

static bool read_field(struct reader *r, int column, const char *field, struct topo_row *row,
		       bool *skip, GError **error)
{
	const char *name = column_table[column].name;
	guint64 v;

	if (column_table[column].kind == ONLINE) {
		*skip = g_ascii_strcasecmp(field, "N") == 0 || g_ascii_strcasecmp(field, "no") == 0;
		return true;
	}
	if (*field == '\0' || strcmp(field, "-") == 0)
		v = UINT64_MAX;
	else if (column_table[column].kind == MAXMHZ)
		v = read_mhz(field);
	else if (!g_ascii_string_to_unsigned(field, 10, 0, INT32_MAX, &v, NULL)) {
		sl_input_fail(r->b->in, row->line, row->col, error,
			      "'%.40s' in column %s; expected a number", field, name);
		return false;
	}
	if (column_table[column].kind == CPU && v == UINT64_MAX) {
		sl_input_fail(r->b->in, row->line, row->col, error, "no CPU number; expected one");
		return false;
	}
	if (column_table[column].kind == CPU)
		row->cpu = (uint32_t)v;
	else if (column_table[column].kind == MAXMHZ)
		row->speed_permille = v == UINT64_MAX ? 0 : (uint32_t)v;
	else
		row->domain[column_table[column].domain] =
			v == UINT64_MAX ? TOPO_UNKNOWN : (int64_t)v;
	return true;
}

/* One CPU. MHz travel in speed_permille until scale_speeds(). */
static bool read_row(struct reader *r, const char *text, uint32_t line, GError **error)
{
	g_auto(GStrv) field = g_strsplit_set(text, ",:", -1);
	struct topo_row *row = topo_build_add(r->b, 0, line, 1);
	bool skip = false;
	uint32_t n = g_strv_length(field);

	if (n != r->n_columns) {
		sl_input_fail(r->b->in, line, 1, error, "%u fields; expected %u as in the header",
			      n, r->n_columns);
		return false;
	}
	row->speed_permille = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t width = (uint32_t)strlen(field[i]) + 1;

		if (r->column[i] >= 0 &&
		    !read_field(r, r->column[i], g_strstrip(field[i]), row, &skip, error))
			return false;
		row->col += width;
	}
	row->col = 1;
	if (skip)
		g_array_set_size(r->b->rows, r->b->rows->len - 1);
	return true;
}

static int descending(gconstpointer a, gconstpointer b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? 1 : *x > *y ? -1 : 0;
}

/* MHz to permille of the fastest CPU. Speeds within 5 % of a faster one count as equal
 * to it: firmware reports such differences between CPUs of one kind. */
static void scale_speeds(struct topo_build *b)
{
	g_autoptr(GArray) mhz = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t fastest;

	for (uint32_t i = 0; i < b->rows->len; i++)
		g_array_append_val(mhz, g_array_index(b->rows, struct topo_row, i).speed_permille);
	g_array_sort(mhz, descending);
	fastest = mhz->len > 0 ? g_array_index(mhz, uint32_t, 0) : 0;
	for (uint32_t i = 0; i < b->rows->len; i++) {
		struct topo_row *row = &g_array_index(b->rows, struct topo_row, i);
		uint32_t leader = fastest;

		for (uint32_t k = 0; k < mhz->len && row->speed_permille > 0; k++) {
			uint32_t v = g_array_index(mhz, uint32_t, k);

			if ((uint64_t)v * 100 < (uint64_t)leader * 95)
				leader = v;
			if (v <= row->speed_permille)
				break;
		}
		row->speed_permille = fastest == 0 || row->speed_permille == 0
					      ? 1000
					      : (uint32_t)MAX((uint64_t)leader * 1000 / fastest, 1);
	}
}

bool topo_read_lscpu(struct topo_build *b, GError **error)
{
	g_auto(GStrv) line = g_strsplit(b->in->text, "\n", -1);
	struct reader r = { .b = b };
	uint32_t header = UINT32_MAX;
	bool started = false;

	for (uint32_t i = 0; line[i] != NULL; i++) {
		char *text = g_strstrip(line[i]);

		if (*text == '\0')
			continue;
		if (*text == '#') {
			/* The last comment before the first CPU names the columns. */
			header = started ? header : i;
			continue;
		}
		if (!started && !read_header(&r,
					     header != UINT32_MAX ? g_strchug(line[header] + 1)
								  : DEFAULT_HEADER,
					     header != UINT32_MAX ? header + 1 : i + 1, error))
			return false;
		started = true;
		if (!read_row(&r, text, i + 1, error))
			return false;
	}
	if (!r.has_cache)
		topo_build_private_caches(b);
	scale_speeds(b);
	b->summary = g_strdup("lscpu -p");
	return true;
}
