/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Payloads of the kernel's scheduler events. A thread name may hold the very words that
 * follow it, so each candidate for its end is tried, the longest name first, and the one
 * that lets the rest of the payload match wins.
 * Invariant: an event is filled only when its whole payload was understood. */
#include "traces/import_text.h"

#include <string.h>

/* Names are 15 bytes; a little more for other systems' text. */
#define NAME_WINDOW 32

struct payload {
	struct sl_scan s;
	struct sl_event *ev;
	const char *expected; /* at the furthest point reached */
	const char *where;
};

static bool want(struct payload *p, bool ok, const char *expected)
{
	if (!ok && p->s.p >= p->where) {
		p->where = p->s.p;
		p->expected = expected;
	}
	return ok;
}

#define WORD(p, literal) want(p, SL_SCAN_LIT(&(p)->s, literal), "" literal "")

static bool number(struct payload *p, int32_t *out)
{
	return want(p, sl_scan_i32(&p->s, out), "a number");
}

static bool prio(struct payload *p, int16_t *out)
{
	int32_t n;

	if (!number(p, &n))
		return false;
	*out = n >= -1 && n <= 140 ? (int16_t)n : -1;
	return true;
}

static bool tid(struct payload *p, int32_t *out)
{
	return number(p, out) && want(p, *out >= 0, "a thread number of 0 or more");
}

/* A name, then `sep`, then what `rest` takes. */
static inline bool name_of(struct payload *p, char out[SL_COMM_MAX], const char *sep,
			   size_t sep_len, bool (*rest)(struct payload *))
{
	const char *start = p->s.p;
	size_t left = (size_t)(p->s.end - start);
	size_t n = left < sep_len ? 0 : left - sep_len + 1;

	if (n > NAME_WINDOW)
		n = NAME_WINDOW;
	while (n-- > 0) {
		if (start[n] != sep[0] || memcmp(start + n, sep, sep_len) != 0)
			continue;
		p->s.p = start + n + sep_len;
		if (rest(p)) {
			sl_comm_copy(out, start, n);
			return true;
		}
	}
	p->s.p = start;
	return want(p, false, "a thread name and the fields of its event");
}

#define name(p, out, sep, rest) name_of(p, out, "" sep "", sizeof(sep) - 1, rest)

/* A name whose length differs from line to line, without a branch on the length. */
static inline void take_name(const struct payload *p, char out[SL_COMM_MAX], const char *s,
			     size_t n)
{
	static const uint8_t keep[2 * SL_COMM_MAX] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	};
	const uint8_t *mask = keep + SL_COMM_MAX - 1 - n;
	uint64_t a[2], m[2];
	uint32_t b, k;

	if (n >= SL_COMM_MAX || p->s.end - s < SL_COMM_MAX) {
		sl_comm_copy(out, s, n);
		return;
	}
	memcpy(a, s, sizeof(a));
	memcpy(&b, s + sizeof(a), sizeof(b));
	memcpy(m, mask, sizeof(m));
	memcpy(&k, mask + sizeof(m), sizeof(k));
	a[0] &= m[0];
	a[1] &= m[1];
	b &= k;
	memcpy(out, a, sizeof(a));
	memcpy(out + sizeof(a), &b, sizeof(b));
}

/* The first place in [from, end) of the start of `sep`, which ends in '='; `end` for none. */
static inline size_t find_key(const char *s, size_t from, size_t end, const char *sep,
			      size_t sep_len)
{
	while (from < end) {
		const char *last = memchr(s + from + sep_len - 1, '=', end - from);

		if (!last)
			break;
		from = (size_t)(last - s) - (sep_len - 1);
		if (memcmp(s + from, sep, sep_len) == 0)
			return from;
		from++;
	}
	return end;
}

/* The same, faster, for a `rest` that takes fixed words and numbers as far as the window
 * reaches: `sep` is no part of them, so the shortest name that lets them match is the longest
 * one too, if no `sep` follows in the window. */
static inline bool key_of(struct payload *p, char out[SL_COMM_MAX], const char *sep, size_t sep_len,
			  bool (*rest)(struct payload *))
{
	const char *start = p->s.p;
	size_t left = (size_t)(p->s.end - start);
	size_t end = left < sep_len ? 0 : MIN(left - sep_len + 1, NAME_WINDOW), n;

	n = find_key(start, 0, end, sep, sep_len);
	if (n < end) {
		p->s.p = start + n + sep_len;
		if (rest(p) &&
		    find_key(start, (size_t)(p->s.p - start), end, sep, sep_len) >= end) {
			take_name(p, out, start, n);
			return true;
		}
		p->s.p = start;
	}
	return name_of(p, out, sep, sep_len, rest);
}

#define key_name(p, out, sep, rest) key_of(p, out, "" sep "", sizeof(sep) - 1, rest)

/* ---- sched_switch ---- */

static bool next_kernel(struct payload *p)
{
	return tid(p, &p->ev->tid2) && WORD(p, " next_prio=") && prio(p, &p->ev->prio2);
}

static bool prev_kernel(struct payload *p)
{
	if (!tid(p, &p->ev->tid) || !WORD(p, " prev_prio=") || !prio(p, &p->ev->prio) ||
	    !WORD(p, " prev_state="))
		return false;
	p->ev->state = sl_state_parse(&p->s, &p->ev->raw_state);
	if (!SL_SCAN_LIT(&p->s, " ==> ") && !WORD(p, " "))
		return false;
	return WORD(p, "next_comm=") && key_name(p, p->ev->comm2, " next_pid=", next_kernel);
}

static bool next_plugin(struct payload *p)
{
	return tid(p, &p->ev->tid2) && WORD(p, " [") && prio(p, &p->ev->prio2) && WORD(p, "]");
}

static bool prev_plugin(struct payload *p)
{
	bool paren;

	if (!tid(p, &p->ev->tid) || !WORD(p, " [") || !prio(p, &p->ev->prio) || !WORD(p, "] "))
		return false;
	paren = SL_SCAN_LIT(&p->s, "(");
	p->ev->state = sl_state_parse(&p->s, &p->ev->raw_state);
	if (paren && !WORD(p, ")"))
		return false;
	return WORD(p, " ==> ") && name(p, p->ev->comm2, ":", next_plugin);
}

static bool parse_switch(struct payload *p)
{
	if (SL_SCAN_LIT(&p->s, "prev_comm="))
		return key_name(p, p->ev->comm, " prev_pid=", prev_kernel);
	(void)SL_SCAN_LIT(&p->s, "task ");
	return name(p, p->ev->comm, ":", prev_plugin);
}

/* ---- wake-ups ---- */

/* [success=N] and the CPU. A wake-up without success hit a runnable thread: no event. */
static bool wake_tail(struct payload *p)
{
	int32_t success = 1;
	uint64_t cpu;

	if (SL_SCAN_LIT(&p->s, " success=") && !number(p, &success))
		return false;
	if (!SL_SCAN_LIT(&p->s, " target_cpu=") && !SL_SCAN_LIT(&p->s, " CPU:") && !WORD(p, " ["))
		return false;
	if (!want(p, sl_scan_u64(&p->s, &cpu), "a number"))
		return false;
	p->ev->target_cpu = cpu <= INT16_MAX ? (int16_t)cpu : -1;
	if (!success)
		p->ev->kind = SL_EV_SEEN;
	return true;
}

static bool wake_kernel(struct payload *p)
{
	return tid(p, &p->ev->tid) && WORD(p, " prio=") && prio(p, &p->ev->prio) && wake_tail(p);
}

static bool wake_plugin(struct payload *p)
{
	return tid(p, &p->ev->tid) && WORD(p, " [") && prio(p, &p->ev->prio) && WORD(p, "]") &&
	       wake_tail(p);
}

static bool parse_wake(struct payload *p)
{
	if (SL_SCAN_LIT(&p->s, "comm="))
		return key_name(p, p->ev->comm, " pid=", wake_kernel);
	(void)SL_SCAN_LIT(&p->s, "task ");
	return name(p, p->ev->comm, ":", wake_plugin);
}

/* ---- life and time ---- */

static bool fork_child(struct payload *p)
{
	return tid(p, &p->ev->tid2);
}

static bool fork_parent(struct payload *p)
{
	return tid(p, &p->ev->tid) && WORD(p, " child_comm=") &&
	       name(p, p->ev->comm2, " child_pid=", fork_child);
}

static bool fork_parent_old(struct payload *p)
{
	return tid(p, &p->ev->tid) && WORD(p, "  child ") && name(p, p->ev->comm2, ":", fork_child);
}

static bool parse_fork(struct payload *p)
{
	if (SL_SCAN_LIT(&p->s, "parent_comm="))
		return name(p, p->ev->comm, " parent_pid=", fork_parent);
	if (SL_SCAN_LIT(&p->s, "parent "))
		return name(p, p->ev->comm, ":", fork_parent_old);
	return WORD(p, "comm=") && name(p, p->ev->comm, " pid=", fork_parent);
}

static bool parse_exec(struct payload *p)
{
	const char *start, *base;
	bool found = false;

	if (!WORD(p, "filename="))
		return false;
	start = base = p->s.p;
	/* A file name has no bound, and may hold " pid=": the last one counts. */
	for (const char *q = p->s.end; q > start && !found; q--) {
		struct payload t = *p;

		if (p->s.end - q < 5 || memcmp(q, " pid=", 5) != 0)
			continue;
		t.s.p = q + 5;
		if (!tid(&t, &p->ev->tid) || !WORD(&t, " old_pid=") || !tid(&t, &p->ev->tid2))
			continue;
		for (const char *c = start; c < q; c++)
			if (*c == '/')
				base = c + 1;
		sl_comm_copy(p->ev->comm, base, (size_t)(q - base) < 15 ? (size_t)(q - base) : 15);
		found = true;
	}
	return want(p, found, "a file name, pid= and old_pid=");
}

static bool exit_rest(struct payload *p)
{
	if (!tid(p, &p->ev->tid) || !WORD(p, " prio=") || !prio(p, &p->ev->prio))
		return false;
	p->ev->value = SL_SCAN_LIT(&p->s, " group_dead=false");
	return true;
}

static bool parse_exit(struct payload *p)
{
	if (SL_SCAN_LIT(&p->s, "comm="))
		return key_name(p, p->ev->comm, " pid=", exit_rest);
	return false;
}

static bool runtime_rest(struct payload *p)
{
	return tid(p, &p->ev->tid) && WORD(p, " runtime=") &&
	       want(p, sl_scan_u64(&p->s, &p->ev->value), "a number");
}

/* 2.6.3x: task: comm:pid runtime: N [ns], vruntime: N [ns] */
static bool runtime_rest_old(struct payload *p)
{
	return tid(p, &p->ev->tid) && WORD(p, " runtime: ") &&
	       want(p, sl_scan_u64(&p->s, &p->ev->value), "a number");
}

static bool parse_runtime(struct payload *p)
{
	if (SL_SCAN_LIT(&p->s, "task: "))
		return name(p, p->ev->comm, ":", runtime_rest_old);
	return WORD(p, "comm=") && key_name(p, p->ev->comm, " pid=", runtime_rest);
}

/* Android's reason of a wait; the caller is a sleep priority in our own exports. */
static bool parse_reason(struct payload *p)
{
	uint64_t iowait;

	if (!WORD(p, "pid=") || !tid(p, &p->ev->tid) || !WORD(p, " iowait=") ||
	    !want(p, sl_scan_u64(&p->s, &iowait), "a number"))
		return false;
	p->ev->value = SL_WPRIO_COUNT;
	if (SL_SCAN_LIT(&p->s, " caller="))
		p->ev->value = sl_wprio_of(p->s.p, (size_t)(p->s.end - p->s.p));
	return true;
}

/* Our own: a wake-up that came before the wait for it. */
static bool parse_edge(struct payload *p)
{
	uint64_t wait;

	if (!WORD(p, "edge=") || !want(p, sl_scan_u64(&p->s, &p->ev->value), "a number") ||
	    !WORD(p, " wait=") || !want(p, sl_scan_u64(&p->s, &wait), "a number") ||
	    !WORD(p, " caller="))
		return false;
	p->ev->tid2 = wait != 0;
	p->ev->state = (uint8_t)sl_wprio_of(p->s.p, (size_t)(p->s.end - p->s.p));
	return true;
}

static bool parse_seen(struct payload *p)
{
	(void)p;
	return true;
}

#define EVENT(name) name, sizeof(name) - 1

static const struct {
	const char *event;
	size_t len;
	uint8_t kind;
	bool (*parse)(struct payload *p);
} events[] = {
	{ EVENT("sched_switch:"), SL_EV_SWITCH, parse_switch },
	{ EVENT("sched_waking:"), SL_EV_WAKING, parse_wake },
	{ EVENT("sched_wakeup:"), SL_EV_WAKEUP, parse_wake },
	{ EVENT("sched_stat_runtime:"), SL_EV_RUNTIME, parse_runtime },
	{ EVENT("sched_wakeup_new:"), SL_EV_WAKEUP_NEW, parse_wake },
	{ EVENT("sched_process_fork:"), SL_EV_FORK, parse_fork },
	{ EVENT("sched_process_exec:"), SL_EV_EXEC, parse_exec },
	{ EVENT("sched_process_exit:"), SL_EV_EXIT, parse_exit },
	{ EVENT("sched_migrate_task:"), SL_EV_SEEN, parse_seen },
	{ EVENT("sched_process_wait:"), SL_EV_SEEN, parse_seen },
	{ EVENT("sched_process_free:"), SL_EV_SEEN, parse_seen },
	{ EVENT("sched_wait_task:"), SL_EV_SEEN, parse_seen },
	{ EVENT("sched_pi_setprio:"), SL_EV_SEEN, parse_seen },
	{ EVENT("sched_blocked_reason:"), SL_EV_WPRIO, parse_reason },
	{ EVENT("sched_edge:"), SL_EV_EDGE, parse_edge },
	{ EVENT("sched_stat_"), SL_EV_SEEN, parse_seen }, /* wait, sleep, iowait, blocked */
};

enum sl_payload sl_payload_parse(struct sl_scan *s, struct sl_event *ev, const char **expected)
{
	sl_scan_blanks(s);
	(void)SL_SCAN_LIT(s, "sched:");
	if (s->end - s->p < 10 || memcmp(s->p, "sched_", 6) != 0)
		return SL_PAYLOAD_OTHER;
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct payload p = { *s, ev, "an event payload", s->p };

		/* Bytes 7 to 10 tell most names apart at the cost of one compare. */
		if (memcmp(events[i].event + 6, s->p + 6, 4) != 0 ||
		    !sl_scan_word(&p.s, events[i].event, events[i].len))
			continue;
		sl_scan_blanks(&p.s);
		ev->kind = events[i].kind;
		ev->tid = ev->tid2 = SL_TID_UNKNOWN;
		ev->prio = ev->prio2 = ev->target_cpu = -1;
		ev->comm[0] = ev->comm2[0] = '\0';
		ev->value = 0;
		if (events[i].parse(&p)) {
			s->p = p.s.p;
			return SL_PAYLOAD_OK;
		}
		s->p = p.where;
		*expected = p.expected;
		return SL_PAYLOAD_BAD;
	}
	return SL_PAYLOAD_OTHER;
}

/* ---- sleep priorities ---- */

static const char *const wprio_names[] = {
	[SL_WPRIO_NONE] = "NONE",   [SL_WPRIO_PSWP] = "PSWP",	  [SL_WPRIO_PVM] = "PVM",
	[SL_WPRIO_PINOD] = "PINOD", [SL_WPRIO_PRIBIO] = "PRIBIO", [SL_WPRIO_PVFS] = "PVFS",
	[SL_WPRIO_PZERO] = "PZERO", [SL_WPRIO_PSOCK] = "PSOCK",	  [SL_WPRIO_PWAIT] = "PWAIT",
	[SL_WPRIO_PLOCK] = "PLOCK", [SL_WPRIO_PPAUSE] = "PPAUSE",
};

const char *sl_wprio_name(uint32_t wprio)
{
	return wprio < SL_ARRAY_LEN(wprio_names) ? wprio_names[wprio] : NULL;
}

unsigned sl_wprio_of(const char *s, size_t len)
{
	for (unsigned i = 0; i < SL_ARRAY_LEN(wprio_names); i++)
		if (strlen(wprio_names[i]) == len && memcmp(wprio_names[i], s, len) == 0)
			return i;
	return SL_WPRIO_COUNT;
}

/* ---- states ---- */

#define RAW_NUMBER 0x80

static uint8_t state_of_bit(unsigned bit)
{
	static const uint8_t states[] = { SL_EVS_SLEEP,	   SL_EVS_DISK,	 SL_EVS_SLEEP, SL_EVS_SLEEP,
					  SL_EVS_DEAD,	   SL_EVS_DEAD,	 SL_EVS_DEAD,  SL_EVS_IDLE,
					  SL_EVS_RUNNABLE, SL_EVS_PARKED };

	return bit < sizeof(states) ? states[bit] : SL_EVS_RUNNABLE;
}

static uint8_t state_of_letter(char c)
{
	switch (c) {
	case 'R':
	case 'W': /* waking */
		return SL_EVS_RUNNABLE;
	case 'D':
		return SL_EVS_DISK;
	case 'X':
	case 'Z':
	case 'x':
		return SL_EVS_DEAD;
	case 'I':
		return SL_EVS_IDLE;
	case 'P':
		return SL_EVS_PARKED;
	default: /* S, T, t, K, N */
		return SL_EVS_SLEEP;
	}
}

uint8_t sl_state_parse(struct sl_scan *s, uint8_t *raw)
{
	const char *start = s->p;
	uint64_t n;

	if (sl_scan_u64(s, &n)) {
		unsigned bit = 0;

		*raw = RAW_NUMBER;
		if (n == 0)
			return SL_EVS_RUNNABLE;
		while (!(n >> bit & 1))
			bit++;
		*raw = (uint8_t)(RAW_NUMBER | (bit + 1));
		return state_of_bit(bit);
	}
	while (s->p < s->end && *s->p != ' ' && *s->p != ')')
		s->p++;
	*raw = s->p > start ? (uint8_t)(*start & 0x7f) : 0;
	/* The shifted kernels print nothing for an idle kernel thread. */
	return s->p > start ? state_of_letter(*start) : SL_EVS_IDLE;
}

uint8_t sl_state_unshift(uint8_t state, uint8_t raw)
{
	static const char shown[] = "SDTtXZPI";
	static const uint8_t meant[] = {
		SL_EVS_RUNNABLE, SL_EVS_SLEEP, SL_EVS_DISK, SL_EVS_SLEEP,
		SL_EVS_SLEEP,	 SL_EVS_DEAD,  SL_EVS_DEAD, SL_EVS_PARKED
	};
	const char *at;

	if (raw == 0)
		return SL_EVS_IDLE;
	if (raw & RAW_NUMBER) {
		unsigned bit = raw & 0x7f;

		if (bit <= 1)
			return SL_EVS_RUNNABLE;
		/* 256 is I (128) one too high. */
		return state_of_bit(bit - 2);
	}
	at = strchr(shown, raw);
	return at ? meant[at - shown] : state;
}
