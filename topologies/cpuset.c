/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a list is either understood to its last byte or refused. */
#include "topologies/cpuset.h"

#include <string.h>

#include "sim/base/bits.h"
#include "topologies/input.h"

struct scan {
	const char *at, *end;
};

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && g_ascii_isspace(*s->at))
		s->at++;
}

static bool number(struct scan *s, uint32_t *value)
{
	const char *start = s->at;
	uint64_t v = 0;

	while (s->at < s->end && g_ascii_isdigit(*s->at) && v <= UINT32_MAX)
		v = v * 10 + (uint64_t)(*s->at++ - '0');
	*value = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
	return s->at > start;
}

static bool refuse(struct sl_cpuset_fault *f, const char *list, const char *at, const char *format,
		   ...) G_GNUC_PRINTF(4, 5);

static bool refuse(struct sl_cpuset_fault *f, const char *list, const char *at, const char *format,
		   ...)
{
	va_list args;

	f->offset = (size_t)(at - list);
	va_start(args, format);
	g_vsnprintf(f->why, sizeof(f->why), format, args);
	va_end(args);
	return false;
}

/* One number or range. */
static bool item(struct scan *s, const char *list, uint32_t ncpus, uint64_t *words,
		 struct sl_cpuset_fault *f)
{
	const char *start = s->at;
	uint32_t from, to;

	if (!number(s, &from))
		return refuse(f, list, s->at, "expected a CPU number such as 3 or a range 4-7");
	to = from;
	skip_blanks(s);
	if (s->at < s->end && *s->at == '-') {
		s->at++;
		skip_blanks(s);
		if (!number(s, &to))
			return refuse(f, list, s->at, "expected the last CPU of the range");
		skip_blanks(s);
	}
	if (to < from)
		return refuse(f, list, start, "range %u-%u runs backwards; expected %u-%u", from,
			      to, to, from);
	if (to >= ncpus)
		return refuse(f, list, start, "no CPU %u; expected 0 to %u", to, ncpus - 1);
	for (uint32_t i = from; i <= to; i++) {
		if (sl_bit_test(words, i))
			return refuse(f, list, start, "CPU %u is named twice", i);
		sl_bit_set(words, i);
	}
	return true;
}

bool sl_cpuset_scan(const char *list, size_t len, uint32_t ncpus, uint64_t *words,
		    struct sl_cpuset_fault *fault)
{
	struct scan s = { list, list + len };

	memset(words, 0, SL_BITS_WORDS(ncpus) * sizeof(*words));
	for (;;) {
		skip_blanks(&s);
		if (!item(&s, list, ncpus, words, fault))
			return false;
		if (s.at == s.end)
			return true;
		if (*s.at != ',')
			return refuse(fault, list, s.at, "expected a comma or the end of the list");
		s.at++;
	}
}

bool sl_cpuset_parse(const char *list, uint32_t ncpus, uint64_t *words, GError **error)
{
	const struct sl_input in = { "cpuset", list, strlen(list) };
	struct sl_cpuset_fault fault;

	if (sl_cpuset_scan(list, in.len, ncpus, words, &fault))
		return true;
	sl_input_fail_at(&in, fault.offset, error, "%s", fault.why);
	return false;
}

char *sl_cpuset_print(const uint64_t *words, uint32_t ncpus)
{
	uint32_t n = SL_BITS_WORDS(ncpus);
	GString *out = g_string_new(NULL);

	for (uint32_t i = sl_bits_next(words, n, 0); i < ncpus; i = sl_bits_next(words, n, i + 1)) {
		uint32_t last = i;

		while (last + 1 < ncpus && sl_bit_test(words, last + 1))
			last++;
		g_string_append_printf(out, "%s%u", out->len > 0 ? "," : "", i);
		if (last > i)
			g_string_append_printf(out, "-%u", last);
		i = last;
	}
	return g_string_free(out, FALSE);
}
