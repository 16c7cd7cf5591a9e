/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Heads of trace lines. The time stamp is found first and everything before it is read
 * backwards, because only the thread name, at the far left, can hold anything.
 * Invariant: no byte outside [line, line + len) is read. */
#include "traces/import_text.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}
static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

void sl_comm_copy(char out[SL_COMM_MAX], const char *s, size_t len)
{
	if (len > SL_COMM_MAX - 1)
		len = SL_COMM_MAX - 1;
	memcpy(out, s, len);
	memset(out + len, 0, SL_COMM_MAX - len);
}

static const uint32_t pow10_9[] = { 1000000000, 100000000, 10000000, 1000000, 100000,
				    10000,	1000,	   100,	     10,      1 };

/* Seconds that fit 63 bits of ns. */
#define SEC_MAX	   9000000000u
#define SEC_DIGITS 10

/* The whole seconds that end at `dot`; their start, and UINT64_MAX in *sec when they are
 * too many. */
static const char *back_seconds(const char *line, const char *dot, uint64_t *sec)
{
	uint64_t n = 0, unit = 1;
	const char *a = dot;

	for (; a > line && is_digit(a[-1]); a--) {
		if (dot - a < SEC_DIGITS)
			n += (uint64_t)(a[-1] - '0') * unit;
		else if (a[-1] != '0')
			n = UINT64_MAX / 2;
		unit *= 10;
	}
	*sec = n <= SEC_MAX ? n : UINT64_MAX;
	return a;
}

/* Finds "digits.digits:" behind a blank, from *from on. Sets *left to its start, *from
 * to the byte behind the colon. Every line passes here: digits are looked at once. */
static bool find_stamp(const char *line, const char *end, const char **from, const char **left,
		       uint64_t *at)
{
	const char *p = *from, *dot;

	while (p < end && (dot = memchr(p, '.', (size_t)(end - p)))) {
		const char *a, *b = dot + 1;
		uint64_t sec, frac = 0;

		for (; b < end && is_digit(*b); b++)
			if (b - dot <= 9)
				frac = frac * 10 + (uint64_t)(*b - '0');
		p = b;
		if (b == dot + 1 || b >= end || *b != ':')
			continue;
		a = back_seconds(line, dot, &sec);
		if (a == dot || sec == UINT64_MAX || (a > line && !is_blank(a[-1])))
			continue;
		*at = sec * 1000000000u + frac * pow10_9[b - dot - 1 < 9 ? b - dot - 1 : 9];
		*left = a;
		*from = b + 1;
		return true;
	}
	return false;
}

static const char *back_blanks(const char *line, const char *p)
{
	while (p > line && is_blank(p[-1]))
		p--;
	return p;
}

static const char *back_digits(const char *line, const char *p)
{
	while (p > line && is_digit(p[-1]))
		p--;
	return p;
}

/* The number that ends at *p; moves *p to its start. */
static bool back_number(const char *line, const char **p, uint64_t *out)
{
	uint64_t n = 0, unit = 1;
	const char *a = *p;

	for (; a > line && is_digit(a[-1]); a--, unit *= 10)
		n += (uint64_t)(a[-1] - '0') * unit;
	if (a == *p || *p - a > 18)
		return false;
	*p = a;
	*out = n;
	return true;
}

static bool back_cpu(const char *line, const char **p, uint32_t *cpu)
{
	const char *q = *p;
	uint64_t n;

	if (q == line || q[-1] != ']')
		return false;
	q--;
	if (!back_number(line, &q, &n) || q == line || q[-1] != '[' || n > SL_TRACE_CPU_MAX)
		return false;
	*p = q - 1;
	*cpu = (uint32_t)n;
	return true;
}

static bool back_tid(const char *line, const char **p, int32_t *tid)
{
	uint64_t n;

	if (!back_number(line, p, &n) || n > SL_TID_MAX)
		return false;
	*tid = (int32_t)n;
	return true;
}

/* Anything but blanks in front of `end`? */
static bool has_name(const char *line, const char *end)
{
	return back_blanks(line, end) > line;
}

#define COMM_COLUMN 16

/* comm tid[/tid] [cpu] in front of the stamp at p. */
static bool perf_left(const char *line, const char *p, struct sl_head *h)
{
	uint64_t n;

	p = back_blanks(line, p);
	h->has_cpu = back_cpu(line, &p, &h->cpu);
	p = back_blanks(line, p);
	if (!back_tid(line, &p, &h->tid))
		return false;
	if (!h->has_cpu && p > line && is_blank(p[-1])) {
		/* perf script -L: the CPU without brackets, so two numbers. */
		const char *q = back_blanks(line, p);
		int32_t tid;

		if (back_tid(line, &q, &tid) && q > line && is_blank(q[-1]) &&
		    h->tid <= (int32_t)SL_TRACE_CPU_MAX) {
			h->cpu = (uint32_t)h->tid;
			h->tid = tid;
			h->has_cpu = true;
			p = q;
		}
	}
	h->tgid = SL_TID_UNKNOWN;
	/* A thread that perf could not name has number -1. */
	if (h->tid == 1 && p - line > 1 && p[-1] == '-' && (is_blank(p[-2]) || p[-2] == '/')) {
		h->tid = SL_TID_UNKNOWN;
		p--;
	}
	if (p > line && p[-1] == '/') {
		p--;
		if (!back_number(line, &p, &n) || n > SL_TID_MAX)
			return false;
		h->tgid = (int32_t)n;
		if (n == 1 && p > line && p[-1] == '-') {
			h->tgid = SL_TID_UNKNOWN;
			p--;
		}
	}
	if (p == line || !is_blank(p[-1]))
		return false;
	/* A thread may have no name at all; perf keeps its column. */
	return has_name(line, p) || p - line >= COMM_COLUMN;
}

/* What the fixed part of a line takes behind the name at the most: blanks, tid, CPU, time. */
#define COLUMNS_MAX 64

/* Up to nine digits at *p, as the fraction of a second has; 0 when there are none or more. */
static inline unsigned nine_digits(const char **p, uint64_t *out)
{
	unsigned n;

	*out = sl_digits8(*p, &n);
	*p += n;
	if (n == 8 && is_digit(**p)) {
		*out = *out * 10 + (uint64_t)(*(*p)++ - '0');
		n++;
	}
	return is_digit(**p) ? 0 : n;
}

/* The line as perf script writes it unasked: the name in 16 columns, then "tid [cpu] sec.frac:".
 * Nearly all lines are such; what does not fit is for the search below, which finds the same
 * in them unless the name itself looks like a head. */
static bool perf_columns(const char *line, size_t len, struct sl_head *h)
{
	const char *p = line + COMM_COLUMN;
	uint64_t tid, cpu, sec, frac;
	unsigned n;

	/* So far no bound needs a look: no field below takes more than nine bytes. */
	if (len < COMM_COLUMN + COLUMNS_MAX || *p != ' ')
		return false;
	p += sl_blanks8(p);
	if (!nine_digits(&p, &tid) || p[0] != ' ' || p[1] != '[')
		return false;
	p += 2;
	if (!nine_digits(&p, &cpu) || cpu > SL_TRACE_CPU_MAX || p[0] != ']' || p[1] != ' ')
		return false;
	p++;
	p += sl_blanks8(p);
	if (!nine_digits(&p, &sec) || *p++ != '.')
		return false;
	n = nine_digits(&p, &frac);
	if (n == 0 || *p != ':')
		return false;
	h->at = sec * 1000000000u + frac * pow10_9[n];
	h->event = p + 1;
	h->tid = (int32_t)tid;
	h->tgid = SL_TID_UNKNOWN;
	h->cpu = (uint32_t)cpu;
	h->has_cpu = true;
	h->ctx = SL_CTX_UNKNOWN;
	return true;
}

bool sl_head_perf(const char *line, size_t len, struct sl_head *h)
{
	const char *from = line, *end = line + len, *left;

	if (perf_columns(line, len, h))
		return true;
	while (find_stamp(line, end, &from, &left, &h->at)) {
		if (perf_left(line, left, h)) {
			h->ctx = SL_CTX_UNKNOWN;
			h->event = from;
			return true;
		}
	}
	return false;
}

static bool is_flag(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
	       c == '#';
}

/* Flag characters: 4 to 6, with real-time kernels' lazy ones 7. */
#define FLAGS_MIN 4
#define FLAGS_MAX 8

static uint8_t flag_ctx(char c)
{
	static const char irq[] = "hHzZ";

	if (c != '\0' && strchr(irq, c))
		return SL_CTX_IRQ;
	return c == 's' ? SL_CTX_SOFT : SL_CTX_TASK;
}

/* The third flag; the fourth where a lazy one stands before it. */
static uint8_t flags_ctx(const char *flags, size_t n)
{
	uint8_t ctx = flag_ctx(flags[2]);

	return ctx == SL_CTX_TASK && n > 5 ? flag_ctx(flags[3]) : ctx;
}

/* Flags, alone or glued behind a CPU number (latency format). */
static bool back_flags(const char *line, const char **p, struct sl_head *h)
{
	const char *end = *p, *q = end;
	uint64_t n;

	while (q > line && is_flag(q[-1]) && end - q < FLAGS_MAX + 6)
		q--;
	if (end - q < FLAGS_MIN || (q > line && !is_blank(q[-1])))
		return false;
	if (end - q <= FLAGS_MAX) {
		const char *left = back_blanks(line, q);

		if (back_cpu(line, &left, &h->cpu)) {
			h->ctx = flags_ctx(q, (size_t)(end - q));
			*p = left;
			return true;
		}
	}
	struct sl_scan s = { q, end };

	if (!sl_scan_u64(&s, &n) || n > SL_TRACE_CPU_MAX || end - s.p < FLAGS_MIN ||
	    end - s.p > FLAGS_MAX)
		return false;
	h->cpu = (uint32_t)n;
	h->ctx = flags_ctx(s.p, (size_t)(end - s.p));
	*p = q;
	return true;
}

static bool back_tgid(const char *line, const char **p, int32_t *tgid)
{
	const char *q = *p;

	*tgid = SL_TID_UNKNOWN;
	if (q == line || q[-1] != ')')
		return true;
	q--;
	if (q > line && q[-1] == '-') {
		while (q > line && q[-1] == '-')
			q--;
	} else if (!back_tid(line, &q, tgid)) {
		return false;
	}
	q = back_blanks(line, q);
	if (q == line || q[-1] != '(')
		return false;
	*p = back_blanks(line, q - 1);
	return true;
}

static bool ftrace_left(const char *line, const char *p, struct sl_head *h)
{
	p = back_blanks(line, p);
	h->ctx = SL_CTX_UNKNOWN;
	if (!back_cpu(line, &p, &h->cpu) && !back_flags(line, &p, h))
		return false;
	p = back_blanks(line, p);
	if (!back_tgid(line, &p, &h->tgid) || !back_tid(line, &p, &h->tid))
		return false;
	if (p == line || p[-1] != '-')
		return false;
	h->has_cpu = true;
	return true;
}

/* "18977us+: event": the stamp of latency format, in us since the start. */
static bool find_us(const char *line, const char *end, const char **from, const char **left,
		    uint64_t *at)
{
	const char *p = *from, *u;

	while (p < end && (u = memchr(p, 'u', (size_t)(end - p)))) {
		const char *a = back_digits(line, u), *b = u + 2;
		struct sl_scan s = { a, u };
		uint64_t us;

		p = u + 1;
		if (a == u || b + 1 >= end || u[1] != 's' || !is_blank(a == line ? ' ' : a[-1]))
			continue;
		b += *b != ':';
		if (*b != ':' || !sl_scan_u64(&s, &us) || us > INT64_MAX / 1000)
			continue;
		*at = us * 1000;
		*left = a;
		*from = b + 1;
		return true;
	}
	return false;
}

bool sl_head_ftrace(const char *line, size_t len, struct sl_head *h)
{
	const char *from = line, *end = line + len, *left;

	while (find_stamp(line, end, &from, &left, &h->at)) {
		if (ftrace_left(line, left, h)) {
			h->event = from;
			return true;
		}
	}
	from = line;
	while (find_us(line, end, &from, &left, &h->at)) {
		if (ftrace_left(line, left, h)) {
			h->event = from;
			return true;
		}
	}
	return false;
}
