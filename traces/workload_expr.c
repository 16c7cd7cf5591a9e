/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: every arithmetic step is checked for overflow, and recursion is bounded
 * by DEPTH_MAX, so any text ends in a quantity or a sentence. */
#include "traces/workload_expr.h"

#include <string.h>

#define DEPTH_MAX 64
#define LIMIT	  ((sl_i128)1 << 120)

struct eval {
	const struct sl_scope *scope;
	const char *start, *p;
	int depth;
	char **why;
};

static const struct {
	const char *name;
	int64_t ns;
} units[] = {
	{ "ns", 1 },	     { "us", 1000 },	     { "\xc2\xb5s", 1000 },  { "ms", 1000000 },
	{ "s", 1000000000 }, { "min", 60000000000 }, { "h", 3600000000000 },
};

static bool fail(struct eval *ev, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool fail(struct eval *ev, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*ev->why = g_strdup_vprintf(format, args);
	va_end(args);
	return false;
}

const struct sl_scope *sl_scope_find(const struct sl_scope *scope, const char *name, size_t len)
{
	while (scope && (strlen(scope->name) != len || strncmp(scope->name, name, len) != 0))
		scope = scope->outer;
	return scope;
}

static void skip_space(struct eval *ev)
{
	while (*ev->p == ' ' || *ev->p == '\t')
		ev->p++;
}

static bool in_range(struct eval *ev, sl_i128 v)
{
	return (v < LIMIT && v > -LIMIT) || fail(ev, "result too large");
}

/* a * b / 1e9, rounded towards zero. */
static bool multiply(struct eval *ev, sl_i128 a, sl_i128 b, sl_i128 *out)
{
	sl_i128 whole = a / SL_QUANTITY_ONE, rest = a % SL_QUANTITY_ONE, x, y;

	if (__builtin_mul_overflow(whole, b, &x) || __builtin_mul_overflow(rest, b, &y))
		return fail(ev, "result too large");
	*out = x + y / SL_QUANTITY_ONE;
	return in_range(ev, *out);
}

static bool divide(struct eval *ev, sl_i128 a, sl_i128 b, sl_i128 *out)
{
	sl_i128 whole, rest;

	if (b == 0)
		return fail(ev, "division by zero");
	whole = a / b;
	rest = a % b;
	if (__builtin_mul_overflow(whole, SL_QUANTITY_ONE, out) ||
	    __builtin_mul_overflow(rest, SL_QUANTITY_ONE, &rest))
		return fail(ev, "result too large");
	*out += rest / b;
	return in_range(ev, *out);
}

static bool parse_sum(struct eval *ev, struct sl_quantity *out);
static bool parse_comparison(struct eval *ev, struct sl_quantity *out);

static bool parse_literal(struct eval *ev, struct sl_quantity *out)
{
	sl_i128 v = 0, place = SL_QUANTITY_ONE;
	size_t len = 0;

	for (; g_ascii_isdigit(*ev->p); ev->p++) {
		v = v * 10 + (*ev->p - '0') * SL_QUANTITY_ONE;
		if (!in_range(ev, v))
			return false;
	}
	if (*ev->p == '.') {
		for (ev->p++; g_ascii_isdigit(*ev->p); ev->p++) {
			place /= 10;
			v += (*ev->p - '0') * place;
		}
	}
	while (g_ascii_isalpha(ev->p[len]) || (unsigned char)ev->p[len] >= 0x80)
		len++;
	*out = (struct sl_quantity){ .v = v };
	if (len == 0)
		return true;
	for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
		if (strlen(units[i].name) != len || strncmp(units[i].name, ev->p, len) != 0)
			continue;
		ev->p += len;
		out->is_time = true;
		if (__builtin_mul_overflow(v, (sl_i128)units[i].ns, &out->v))
			return fail(ev, "result too large");
		return in_range(ev, out->v);
	}
	return fail(ev, "unknown unit '%.*s', expected ns, us, ms, s, min or h", (int)MIN(len, 20),
		    ev->p);
}

static bool parse_variable(struct eval *ev, struct sl_quantity *out)
{
	const struct sl_scope *found;
	size_t len = 0;

	ev->p++;
	while (g_ascii_isalnum(ev->p[len]) || ev->p[len] == '_')
		len++;
	found = sl_scope_find(ev->scope, ev->p, len);
	if (!found)
		return fail(ev, "unknown parameter '$%.*s'", (int)MIN(len, 60), ev->p);
	*out = found->value;
	ev->p += len;
	return true;
}

static sl_i128 floor_of(sl_i128 v)
{
	sl_i128 rest = v % SL_QUANTITY_ONE;

	return v - rest - (rest < 0 ? SL_QUANTITY_ONE : 0);
}

enum function { FN_MIN, FN_MAX, FN_FLOOR, FN_CEIL, FN_ROUND, FN_IF, FN_COUNT };

static const struct {
	const char *name;
	int arguments;
} functions[FN_COUNT] = {
	[FN_MIN] = { "min", 2 },   [FN_MAX] = { "max", 2 },	[FN_FLOOR] = { "floor", 1 },
	[FN_CEIL] = { "ceil", 1 }, [FN_ROUND] = { "round", 1 }, [FN_IF] = { "if", 3 },
};

static bool apply(struct eval *ev, enum function fn, const struct sl_quantity *a,
		  struct sl_quantity *out)
{
	int pair = fn == FN_IF ? 1 : 0;

	if (functions[fn].arguments > 1 && a[pair].is_time != a[pair + 1].is_time)
		return fail(ev, "%s() of a time and a number", functions[fn].name);
	*out = a[0];
	switch (fn) {
	case FN_MIN:
		out->v = MIN(a[0].v, a[1].v);
		break;
	case FN_MAX:
		out->v = MAX(a[0].v, a[1].v);
		break;
	case FN_FLOOR:
		out->v = floor_of(a[0].v);
		break;
	case FN_CEIL:
		out->v = -floor_of(-a[0].v);
		break;
	case FN_ROUND:
		out->v = floor_of(a[0].v + SL_QUANTITY_ONE / 2);
		break;
	case FN_IF:
		*out = a[0].v != 0 ? a[1] : a[2];
		break;
	case FN_COUNT:
		break;
	}
	return true;
}

/* pick(i, a, b, ...): the i-th of the values, from 0. After the name. */
static bool parse_pick(struct eval *ev, struct sl_quantity *out)
{
	struct sl_quantity index = { 0 }, v;
	sl_i128 n = -1;
	bool found = false;

	for (;; n++) {
		skip_space(ev);
		if (*ev->p == ')' && n > 0)
			break;
		if (*ev->p != (n < 0 ? '(' : ','))
			return fail(ev, "pick() takes an index and values");
		ev->p++;
		if (!parse_comparison(ev, n < 0 ? &index : &v))
			return false;
		if (n >= 0 && index.v == n * SL_QUANTITY_ONE) {
			*out = v;
			found = true;
		}
	}
	ev->p++;
	if (!found || index.is_time)
		return fail(ev, "the index of pick() is no whole number from 0 to %d", (int)n - 1);
	return true;
}

static bool parse_call(struct eval *ev, struct sl_quantity *out)
{
	struct sl_quantity argument[3] = { { 0 } };
	size_t len = 0;
	int fn;

	while (g_ascii_isalpha(ev->p[len]))
		len++;
	if (len == 4 && strncmp(ev->p, "pick", 4) == 0) {
		ev->p += 4;
		return parse_pick(ev, out);
	}
	for (fn = 0; fn < FN_COUNT; fn++)
		if (strlen(functions[fn].name) == len &&
		    strncmp(functions[fn].name, ev->p, len) == 0)
			break;
	if (fn == FN_COUNT)
		return fail(ev,
			    "unknown word '%.*s', expected a number, $name or one of min max "
			    "floor ceil round if pick",
			    (int)MIN(len, 40), ev->p);
	ev->p += len;
	for (int i = 0; i < functions[fn].arguments; i++) {
		skip_space(ev);
		if (*ev->p != (i == 0 ? '(' : ','))
			return fail(ev, "%s() takes %d argument%s", functions[fn].name,
				    functions[fn].arguments,
				    functions[fn].arguments > 1 ? "s" : "");
		ev->p++;
		if (!parse_comparison(ev, &argument[i]))
			return false;
	}
	skip_space(ev);
	if (*ev->p != ')')
		return fail(ev, "expected ')' after the arguments of %s", functions[fn].name);
	ev->p++;
	return apply(ev, (enum function)fn, argument, out);
}

static bool parse_primary(struct eval *ev, struct sl_quantity *out)
{
	skip_space(ev);
	if (*ev->p == '(') {
		ev->p++;
		if (!parse_comparison(ev, out))
			return false;
		skip_space(ev);
		if (*ev->p != ')')
			return fail(ev, "expected ')'");
		ev->p++;
		return true;
	}
	if (*ev->p == '-') {
		ev->p++;
		if (++ev->depth > DEPTH_MAX)
			return fail(ev, "nested deeper than %d", DEPTH_MAX);
		if (!parse_primary(ev, out))
			return false;
		ev->depth--;
		out->v = -out->v;
		return true;
	}
	if (*ev->p == '$')
		return parse_variable(ev, out);
	if (g_ascii_isdigit(*ev->p) || *ev->p == '.')
		return parse_literal(ev, out);
	if (g_ascii_isalpha(*ev->p))
		return parse_call(ev, out);
	if (*ev->p == '\0')
		return fail(ev, "the text ends where a number, a time or $name was expected");
	return fail(ev, "unexpected '%s', expected a number, a time or $name", ev->p);
}

static bool parse_product(struct eval *ev, struct sl_quantity *out)
{
	if (!parse_primary(ev, out))
		return false;
	for (;;) {
		struct sl_quantity b;
		char op;

		skip_space(ev);
		op = *ev->p;
		if (op != '*' && op != '/' && op != '%')
			return true;
		ev->p++;
		if (!parse_primary(ev, &b))
			return false;
		if (op == '*') {
			if (out->is_time && b.is_time)
				return fail(ev, "product of two times");
			if (!multiply(ev, out->v, b.v, &out->v))
				return false;
			out->is_time |= b.is_time;
		} else if (op == '/') {
			if (!out->is_time && b.is_time)
				return fail(ev, "number divided by a time");
			if (!divide(ev, out->v, b.v, &out->v))
				return false;
			out->is_time = out->is_time && !b.is_time;
		} else {
			if (out->is_time != b.is_time || b.v == 0)
				return fail(ev,
					    "%% needs two numbers or two times, the second not 0");
			out->v %= b.v;
		}
	}
}

static bool parse_sum(struct eval *ev, struct sl_quantity *out)
{
	if (!parse_product(ev, out))
		return false;
	for (;;) {
		struct sl_quantity b;
		char op;

		skip_space(ev);
		op = *ev->p;
		if (op != '+' && op != '-')
			return true;
		ev->p++;
		if (!parse_product(ev, &b))
			return false;
		if (out->is_time != b.is_time)
			return fail(ev, "sum of a time and a number");
		out->v += op == '+' ? b.v : -b.v;
		if (!in_range(ev, out->v))
			return false;
	}
}

static bool parse_comparison(struct eval *ev, struct sl_quantity *out)
{
	static const char *const ops[] = { "<=", ">=", "==", "!=", "<", ">" };
	struct sl_quantity b;
	size_t i;
	bool held;

	if (++ev->depth > DEPTH_MAX)
		return fail(ev, "nested deeper than %d", DEPTH_MAX);
	if (!parse_sum(ev, out))
		return false;
	ev->depth--;
	skip_space(ev);
	for (i = 0; i < G_N_ELEMENTS(ops); i++)
		if (g_str_has_prefix(ev->p, ops[i]))
			break;
	if (i == G_N_ELEMENTS(ops))
		return true;
	ev->p += strlen(ops[i]);
	if (!parse_sum(ev, &b))
		return false;
	if (out->is_time != b.is_time)
		return fail(ev, "comparison of a time and a number");
	held = i == 0	? out->v <= b.v
	       : i == 1 ? out->v >= b.v
	       : i == 2 ? out->v == b.v
	       : i == 3 ? out->v != b.v
	       : i == 4 ? out->v < b.v
			: out->v > b.v;
	*out = (struct sl_quantity){ .v = held ? SL_QUANTITY_ONE : 0 };
	return true;
}

bool sl_expr_eval(const struct sl_scope *scope, const char *text, struct sl_quantity *out,
		  char **why)
{
	struct eval ev = { .scope = scope, .start = text, .p = text, .why = why };

	if (!parse_comparison(&ev, out))
		return false;
	skip_space(&ev);
	if (*ev.p != '\0')
		return fail(&ev, "unexpected '%s' after the expression", ev.p);
	return true;
}

/* Appends the integer value of expression text[0..len). */
static bool expand_one(const struct sl_scope *scope, const char *text, size_t len, GString *out,
		       char **why)
{
	char *expr = g_strndup(text, len);
	struct sl_quantity q;
	bool good = sl_expr_eval(scope, expr, &q, why);

	if (good && (q.is_time || q.v % SL_QUANTITY_ONE != 0)) {
		*why = g_strdup_printf("'%s' in a name must be a whole number", expr);
		good = false;
	}
	if (good)
		g_string_append_printf(out, "%" G_GINT64_FORMAT, (gint64)(q.v / SL_QUANTITY_ONE));
	g_free(expr);
	return good;
}

char *sl_expr_expand(const struct sl_scope *scope, const char *text, char **why)
{
	GString *out = g_string_new(NULL);

	while (*text) {
		size_t len = 0;
		bool good;

		if (*text != '$') {
			g_string_append_c(out, *text++);
			continue;
		}
		if (text[1] == '{') {
			const char *close = strchr(text, '}');

			if (!close) {
				*why = g_strdup("${ without }");
				break;
			}
			good = expand_one(scope, text + 2, (size_t)(close - text - 2), out, why);
			text = close + 1;
		} else {
			for (len = 1; g_ascii_isalnum(text[len]) || text[len] == '_';)
				len++;
			good = expand_one(scope, text, len, out, why);
			text += len;
		}
		if (!good)
			break;
	}
	if (*why) {
		g_string_free(out, TRUE);
		return NULL;
	}
	return g_string_free(out, FALSE);
}

void sl_time_print(uint64_t ns, GString *out)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} scale[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
	size_t i = 0;

	while (scale[i].ns > 1 && (ns == 0 || ns % scale[i].ns != 0))
		i++;
	if (ns == 0)
		i = 2;
	g_string_append_printf(out, "%" G_GUINT64_FORMAT "%s", ns / scale[i].ns, scale[i].unit);
}

void sl_quantity_print(const struct sl_quantity *q, GString *out)
{
	sl_i128 v = q->v < 0 ? -q->v : q->v;
	gint64 whole = (gint64)(v / SL_QUANTITY_ONE);
	int places = 9;
	gint64 part = (gint64)(v % SL_QUANTITY_ONE);

	if (q->v < 0)
		g_string_append_c(out, '-');
	if (q->is_time && part == 0) {
		sl_time_print((uint64_t)whole, out);
		return;
	}
	g_string_append_printf(out, "%" G_GINT64_FORMAT, whole);
	while (part != 0 && part % 10 == 0) {
		part /= 10;
		places--;
	}
	if (part != 0)
		g_string_append_printf(out, ".%0*" G_GINT64_FORMAT, places, part);
	if (q->is_time)
		g_string_append(out, "ns");
}
