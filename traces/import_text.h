/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The grammar that perf script, ftrace, trace-cmd and systrace share: a line's head
 * (who, where, when) and the payloads of the kernel's scheduler events in all their
 * historical forms. Pure functions of bytes; no allocation. O(length). */
#ifndef SL_IMPORT_TEXT_H
#define SL_IMPORT_TEXT_H

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

/* Unsigned decimal; false without digits or beyond 18 of them. */
static inline bool sl_scan_u64(struct sl_scan *s, uint64_t *out)
{
	const char *p = s->p, *first = p;
	uint64_t n = 0;

	while (p < s->end && *p >= '0' && *p <= '9')
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (p == s->p)
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
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

struct sl_head {
	const char *event; /* behind the time stamp: event name */
	const char *comm;  /* not NUL-terminated; trimmed on the left */
	size_t comm_len;
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

void sl_comm_copy(char out[SL_COMM_MAX], const char *s, size_t len);

#endif
