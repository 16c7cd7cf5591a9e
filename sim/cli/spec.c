/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Durations and numbers of the command line. Durations are exact: integers
 * only, no rounding through floating point. */
#include "sim/cli/spec.h"

#include <math.h>
#include <string.h>

#include "sim/cli/cli.h"

static const struct {
	const char *name;
	sl_time ns;
} units[] = {
	{ "ns", 1 },	      { "us", SL_NS_PER_US },	   { "ms", SL_NS_PER_MS },
	{ "s", SL_NS_PER_S }, { "min", 60 * SL_NS_PER_S }, { "h", 3600 * SL_NS_PER_S },
};

static bool duration_error(const char *text, const char *why, GError **error)
{
	g_set_error(error, SL_CLI_ERROR, 0,
		    "\"%s\": %s; expected a duration with a unit (ns, us, ms, s, min, h), "
		    "for example 10ms",
		    text, why);
	return false;
}

static sl_time unit_ns(const char *name)
{
	for (size_t i = 0; i < SL_ARRAY_LEN(units); i++)
		if (strcmp(units[i].name, name) == 0)
			return units[i].ns;
	return 0;
}

/* Digits after the point, in units of `scale` ns; digits below a nanosecond count as 0. */
static sl_time fraction(const char *digits, size_t n, sl_time scale)
{
	sl_u128 sum = 0, power = 1;

	for (size_t i = 0; i < n && i < 18; i++) {
		sum = sum * 10 + (unsigned)(digits[i] - '0');
		power *= 10;
	}
	return (sl_time)(sum * scale / power);
}

bool sl_spec_duration(const char *text, sl_time *ns, GError **error)
{
	size_t whole = strspn(text, "0123456789"), part = 0;
	const char *unit = text + whole;
	sl_u128 total = 0;
	sl_time scale;

	if (*unit == '.') {
		part = strspn(unit + 1, "0123456789");
		unit += 1 + part;
	}
	if (whole + part == 0)
		return duration_error(text, "not a number", error);
	if (!*unit)
		return duration_error(text, "no unit", error);
	scale = unit_ns(unit);
	if (!scale)
		return duration_error(text, "unknown unit", error);
	for (size_t i = 0; i < whole; i++) {
		total = total * 10 + (unsigned)(text[i] - '0');
		if (total > SL_TIME_MAX)
			return duration_error(text, "too long", error);
	}
	total = total * scale + fraction(text + whole + 1, part, scale);
	if (total > INT64_MAX)
		return duration_error(text, "too long (292 years at most)", error);
	*ns = (sl_time)total;
	return true;
}

bool sl_spec_once(char *const *pairs, const char *repeatable, GError **error)
{
	for (char *const *later = pairs; *later; later++) {
		size_t len = strcspn(*later, "=");

		if (repeatable && strlen(repeatable) == len && !strncmp(*later, repeatable, len))
			continue;
		for (char *const *p = pairs; p < later; p++)
			if (strcspn(*p, "=") == len && strncmp(*p, *later, len) == 0) {
				g_set_error(error, SL_CLI_ERROR, 0,
					    "%.*s is given twice; expected one", (int)len, *later);
				return false;
			}
	}
	return true;
}

bool sl_spec_number(const char *what, const char *text, uint64_t least, uint64_t most,
		    uint64_t *value, GError **error)
{
	GError *why = NULL;
	guint64 number;

	if (g_ascii_string_to_unsigned(text, 10, least, most, &number, &why)) {
		*value = number;
		return true;
	}
	g_error_free(why);
	g_set_error(error, SL_CLI_ERROR, 0,
		    "%s \"%s\": expected a whole number from %" G_GUINT64_FORMAT
		    " to %" G_GUINT64_FORMAT,
		    what, text, (guint64)least, (guint64)most);
	return false;
}

bool sl_spec_real(const char *what, const char *text, double least, bool percent, double *value,
		  GError **error)
{
	char *end;
	double number = g_ascii_strtod(text, &end);

	if (percent && *end == '%' && end > text)
		end++;
	if (end > text && !*end && isfinite(number) && number > least) {
		*value = number;
		return true;
	}
	g_set_error(error, SL_CLI_ERROR, 0, "%s \"%s\": expected a number greater than %g", what,
		    text, least);
	return false;
}
