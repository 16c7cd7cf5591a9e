/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The grammar that perf script, ftrace, trace-cmd and systrace share: a line's head
 * (who, where, when) and the payloads of the kernel's scheduler events in all their
 * historical forms. Pure functions of bytes; no allocation. O(length). */
#ifndef SL_IMPORT_TEXT_H
#define SL_IMPORT_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/core/policy.h"
#include "traces/import_event.h"

/* A cursor over a line. */
struct sl_scan {
	const char *p, *end;
};

/* In the header: every byte of a trace passes through these. */

/* The digits at p, as many of its eight readable bytes as are ones, from the first on: their
 * number in *n, their value returned. All bytes at once: a loop over the digits took a third of
 * the time of an import. */
static inline uint32_t sl_digits8(const char *p, unsigned *n)
{
	uint64_t v, other;

	memcpy(&v, p, 8);
	/* The first byte is the lowest; a digit becomes its value, all else 10 or more. */
	v = GUINT64_FROM_LE(v) ^ UINT64_C(0x3030303030303030);
	other = ((v + UINT64_C(0x7676767676767676)) | v) & UINT64_C(0x8080808080808080);
	*n = 8;
	if (other) {
		*n = (unsigned)__builtin_ctzll(other) / 8;
		if (*n == 0)
			return 0;
		/* Leading zeros take the place of what is none. */
		v <<= 64 - 8 * *n;
	}
	/* Pairs, then fours, then all eight. */
	v = v * 10 + (v >> 8);
	v = (v & UINT64_C(0x00ff00ff00ff00ff)) * 100 + (v >> 16 & UINT64_C(0x00ff00ff00ff00ff));
	v = (v & UINT64_C(0x0000ffff0000ffff)) * 10000 + (v >> 32 & UINT64_C(0x0000ffff));
	return (uint32_t)v;
}

/* How many of the eight readable bytes at p are blanks, from the first on. How many there are
 * differs from line to line, which a loop pays with a wrong guess of the processor's. */
static inline unsigned sl_blanks8(const char *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	v = GUINT64_FROM_LE(v) ^ UINT64_C(0x2020202020202020);
	return v ? (unsigned)__builtin_ctzll(v) / 8 : 8;
}

/* Unsigned decimal; false without digits or beyond 18 of them. */
static inline bool sl_scan_u64(struct sl_scan *s, uint64_t *out)
{
	const char *p = s->p, *first = p;
	uint64_t n = 0;
	unsigned len;

	if (s->end - p >= 8) {
		n = sl_digits8(p, &len);
		p += len;
		if (len < 8) {
			s->p = p;
			*out = n;
			return len > 0;
		}
	}
	while (p < s->end && *p >= '0' && *p <= '9')
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (p == first)
		return false;
	/* 18 digits always fit; more only when the first ones are zeros. */
	while (p - first > 18)
		if (*first++ != '0')
			return false;
	s->p = p;
	*out = n;
	return true;
}

/* Signed decimal within int32. */
static inline bool sl_scan_i32(struct sl_scan *s, int32_t *out)
{
	struct sl_scan t = *s;
	bool negative = t.p < t.end && *t.p == '-';
	uint64_t n;

	t.p += negative;
	if (!sl_scan_u64(&t, &n) || n > INT32_MAX)
		return false;
	*out = negative ? -(int32_t)n : (int32_t)n;
	s->p = t.p;
	return true;
}

/* Takes `word` when it comes next. */
static inline bool sl_scan_word(struct sl_scan *s, const char *word, size_t len)
{
	if ((size_t)(s->end - s->p) < len || memcmp(s->p, word, len) != 0)
		return false;
	s->p += len;
	return true;
}
#define SL_SCAN_LIT(s, literal) sl_scan_word(s, "" literal "", sizeof(literal) - 1)

static inline void sl_scan_blanks(struct sl_scan *s)
{
	if (s->end - s->p >= 8)
		s->p += sl_blanks8(s->p);
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

struct sl_head {
	const char *event; /* behind the time stamp: event name */
	int32_t tid, tgid;
	uint32_t cpu;
	uint8_t ctx;
	bool has_cpu;
	uint64_t at;
};

/* perf script: comm tid[/tid] [cpu] sec.frac: ... and the -L and old renderings. */
bool sl_head_perf(const char *line, size_t len, struct sl_head *h);
/* ftrace: comm-tid [(tgid)] [cpu] flags sec.frac: ... and the latency renderings. */
bool sl_head_ftrace(const char *line, size_t len, struct sl_head *h);

enum sl_payload {
	SL_PAYLOAD_OTHER, /* not one of the scheduler events that count */
	SL_PAYLOAD_OK,
	SL_PAYLOAD_BAD, /* a scheduler event whose payload is not understood */
};

/* Parses event name and payload at s->p into ev->kind and the fields that kind has
 * (ev's head fields are left alone). On BAD s->p is where it went wrong and *expected
 * says what should be there. */
enum sl_payload sl_payload_parse(struct sl_scan *s, struct sl_event *ev, const char **expected);

/* The state a letter string or number means; `raw` gets the first letter (letters) or
 * the low bits (numbers) for sl_state_unshift(). */
uint8_t sl_state_parse(struct sl_scan *s, uint8_t *raw);
/* The state on a kernel that printed every letter one bit too high (4.14 .. 4.20-rc). */
uint8_t sl_state_unshift(uint8_t state, uint8_t raw);

/* The priority a sleep has on FreeBSD (enum sl_wprio), as exports write it: PWAIT. NULL for
 * one that no sleep has; SL_WPRIO_COUNT for a name that is none. */
const char *sl_wprio_name(uint32_t wprio);
unsigned sl_wprio_of(const char *s, size_t len);

/* A name of len bytes; out is filled up with NULs. */
void sl_comm_copy(char out[SL_COMM_MAX], const char *s, size_t len);

#endif
