/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines of ktrdump -ct, of KTR_ALQ files and of schedgraph.d.
 * Invariant: no byte outside the line is read; nothing is allocated. */
#include "traces/ktr.h"

#include <string.h>

#include "traces/import_text.h"

/* Inhibit bits of mi_switch in the old grammar; 0: it yields. */
#define OLD_INHIBIT_NONE 0u

/* ---- new grammar ---- */

/* word:"value" or word:value up to a comma. */
static bool quoted(struct sl_scan *s, struct sl_scan *value)
{
	const char *end;

	if (SL_SCAN_LIT(s, "\"")) {
		end = memchr(s->p, '"', (size_t)(s->end - s->p));
		if (!end)
			return false;
		*value = (struct sl_scan){ s->p, end };
		s->p = end + 1;
		return true;
	}
	end = memchr(s->p, ',', (size_t)(s->end - s->p));
	*value = (struct sl_scan){ s->p, end ? end : s->end };
	s->p = value->end;
	return true;
}

static bool value_is(const struct sl_scan *v, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(v->end - v->p) == n && memcmp(v->p, word, n) == 0;
}

static bool starts(const struct sl_scan *v, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(v->end - v->p) >= n && memcmp(v->p, word, n) == 0;
}

/* "NAME tid N": the number is the thread; idle threads are 0 on every CPU. */
static bool thread_id(struct sl_scan v, uint64_t *thread, char comm[SL_COMM_MAX])
{
	struct sl_scan digits = { v.end, v.end };

	while (digits.p > v.p && digits.p[-1] >= '0' && digits.p[-1] <= '9')
		digits.p--;
	if (digits.p - v.p < 5 || memcmp(digits.p - 5, " tid ", 5) != 0 ||
	    !sl_scan_u64(&digits, thread))
		return false;
	v.end = digits.end;
	while (v.end > v.p && v.end[-1] != ' ')
		v.end--;
	v.end -= 5; /* " tid " */
	if (starts(&v, "idle"))
		*thread = 0;
	if (comm) {
		/* schedgraph.d writes PROC/NAME. */
		const char *slash = memchr(v.p, '/', (size_t)(v.end - v.p));

		if (slash && v.end - v.p >= SL_COMM_MAX)
			v.p = slash + 1;
		sl_comm_copy(comm, v.p, (size_t)(v.end - v.p));
	}
	return true;
}

static const struct {
	const char *word;
	uint8_t kind, state;
} new_states[] = {
	{ "running", KTR_IN, 0 },
	{ "sleep", KTR_OUT, SL_EVS_SLEEP },
	{ "yielding", KTR_OUT, SL_EVS_RUNNABLE },
	{ "preempted", KTR_OUT, SL_EVS_RUNNABLE },
	{ "blocked", KTR_OUT, SL_EVS_SLEEP },
	{ "lock", KTR_OUT, SL_EVS_SLEEP },
	{ "suspended", KTR_OUT, SL_EVS_SLEEP },
	{ "swapped", KTR_OUT, SL_EVS_SLEEP },
	{ "iwait", KTR_OUT, SL_EVS_SLEEP },
	{ "exit", KTR_OUT, SL_EVS_DEAD },
	{ "proc exit", KTR_OUT, SL_EVS_DEAD },
	{ "idle", KTR_OUT, SL_EVS_RUNNABLE }, /* the idle thread goes off */
	{ "runq add", KTR_ADD, 0 },
};

/* The value of `name` among the attributes. */
static bool attribute(struct sl_scan s, const char *name, struct sl_scan *value)
{
	while (s.p < s.end) {
		const char *colon = memchr(s.p, ':', (size_t)(s.end - s.p));
		struct sl_scan key;

		if (!colon)
			return false;
		key = (struct sl_scan){ s.p, colon };
		s.p = colon + 1;
		if (!quoted(&s, value))
			return false;
		if (value_is(&key, name))
			return true;
		if (!SL_SCAN_LIT(&s, ","))
			return false;
		sl_scan_blanks(&s);
	}
	return false;
}

static void new_attributes(struct sl_scan s, struct ktr_record *r)
{
	struct sl_scan v;
	uint64_t n;

	if (attribute(s, "prio", &v) && sl_scan_u64(&v, &n) && n < 256)
		r->prio = (int16_t)n;
	if (attribute(s, "stathz", &v) && sl_scan_u64(&v, &n) && n > 0 && n < 100000)
		r->hz = (uint32_t)n;
	if (attribute(s, "linkedto", &v))
		thread_id(v, &r->by, NULL);
	if (attribute(s, "edge", &v))
		sl_scan_u64(&v, &r->edge);
	if (attribute(s, "wait", &v))
		r->wait = value_is(&v, "1");
	if (attribute(s, "wmesg", &v))
		r->wprio = (uint8_t)sl_wprio_of(v.p, (size_t)(v.end - v.p));
}

static bool new_grammar(struct sl_scan s, struct ktr_record *r)
{
	struct sl_scan group, id, data;
	bool state;

	if (!SL_SCAN_LIT(&s, "KTRGRAPH group:") || !quoted(&s, &group) ||
	    !SL_SCAN_LIT(&s, ", id:") || !quoted(&s, &id) || !SL_SCAN_LIT(&s, ", "))
		return false;
	r->kind = KTR_NONE;
	state = SL_SCAN_LIT(&s, "state:");
	if (!value_is(&group, "thread") || (!state && !SL_SCAN_LIT(&s, "point:")))
		return true;
	if (!quoted(&s, &data) || !SL_SCAN_LIT(&s, ", attributes: "))
		return false;
	if (!thread_id(id, &r->thread, r->comm))
		return true;
	if (!state) {
		if (value_is(&data, "statclock"))
			r->kind = KTR_STAT;
		else if (value_is(&data, "fork"))
			r->kind = KTR_FORK;
		else if (value_is(&data, "edge"))
			r->kind = KTR_EDGE;
	} else {
		for (size_t i = 0; i < sizeof(new_states) / sizeof(new_states[0]); i++) {
			if (!value_is(&data, new_states[i].word))
				continue;
			r->kind = new_states[i].kind;
			r->state = new_states[i].state;
			r->process = value_is(&data, "proc exit");
		}
	}
	if (r->kind != KTR_NONE)
		new_attributes(s, r);
	return true;
}

/* ---- old grammar ---- */

/* 0xc1234567(name) */
static bool old_thread(struct sl_scan *s, uint64_t *thread, char comm[SL_COMM_MAX])
{
	const char *close;
	uint64_t n = 0;

	if (!SL_SCAN_LIT(s, "0x"))
		return false;
	while (s->p < s->end && *s->p != '(') {
		char c = *s->p++;
		unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
						      : (unsigned)((c | 32) - 'a') + 10;

		if (digit > 15)
			return false;
		n = n << 4 | digit;
	}
	if (!SL_SCAN_LIT(s, "("))
		return false;
	close = memchr(s->p, ')', (size_t)(s->end - s->p));
	if (!close || n == 0)
		return false;
	*thread = n;
	if (close - s->p >= 4 && memcmp(s->p, "idle", 4) == 0)
		*thread = 0;
	if (comm)
		sl_comm_copy(comm, s->p, (size_t)(close - s->p));
	s->p = close + 1;
	return true;
}

static bool old_prio(struct sl_scan *s, struct ktr_record *r)
{
	uint64_t n;

	if (!SL_SCAN_LIT(s, " prio ") || !sl_scan_u64(s, &n))
		return false;
	r->prio = n < 256 ? (int16_t)n : -1;
	return true;
}

static bool old_switch(struct sl_scan s, struct ktr_record *r)
{
	uint64_t inhibit;

	if (SL_SCAN_LIT(&s, "running ")) {
		r->kind = KTR_IN;
		return old_thread(&s, &r->thread, r->comm) && old_prio(&s, r);
	}
	if (!old_thread(&s, &r->thread, r->comm) || !old_prio(&s, r))
		return false;
	r->kind = KTR_OUT;
	r->state = SL_EVS_RUNNABLE;
	if (SL_SCAN_LIT(&s, " inhibit ")) {
		if (!sl_scan_u64(&s, &inhibit))
			return false;
		if (inhibit != OLD_INHIBIT_NONE)
			r->state = SL_EVS_SLEEP;
		return true;
	}
	return SL_SCAN_LIT(&s, " preempted by ") || SL_SCAN_LIT(&s, " idle");
}

static bool old_add(struct sl_scan s, struct ktr_record *r)
{
	r->kind = KTR_ADD;
	if (!old_thread(&s, &r->thread, r->comm) || !old_prio(&s, r))
		return false;
	if (SL_SCAN_LIT(&s, " by "))
		old_thread(&s, &r->by, NULL);
	return true;
}

static bool old_exit(struct sl_scan s, struct ktr_record *r)
{
	r->kind = KTR_OUT;
	r->state = SL_EVS_DEAD;
	return old_thread(&s, &r->thread, r->comm);
}

static bool old_stat(struct sl_scan s, struct ktr_record *r)
{
	uint64_t n;

	r->kind = KTR_STAT;
	if (!old_thread(&s, &r->thread, r->comm) || !old_prio(&s, r))
		return false;
	if (SL_SCAN_LIT(&s, " stathz ") && sl_scan_u64(&s, &n) && n < 100000)
		r->hz = (uint32_t)n;
	return true;
}

static bool old_other(struct sl_scan s, struct ktr_record *r)
{
	(void)s;
	r->kind = KTR_NONE;
	return true;
}

static const struct {
	const char *word;
	bool (*parse)(struct sl_scan s, struct ktr_record *r);
} old_lines[] = {
	{ "mi_switch: ", old_switch },	  { "sched_add: ", old_add },
	{ "setrunqueue: ", old_add },	  { "sched_exit_thread: ", old_exit },
	{ "sched_exit: ", old_exit },	  { "statclock: ", old_stat },
	{ "sched_rem: ", old_other },	  { "sched_prio: ", old_other },
	{ "load: ", old_other },	  { "cpu ", old_other },
	{ "global load: ", old_other },	  { "critical_", old_other },
	{ "kseq_transfer: ", old_other },
};

static bool old_grammar(struct sl_scan s, struct ktr_record *r)
{
	for (size_t i = 0; i < sizeof(old_lines) / sizeof(old_lines[0]); i++)
		if (sl_scan_word(&s, old_lines[i].word, strlen(old_lines[i].word)))
			return old_lines[i].parse(s, r);
	return false;
}

/* ---- both ---- */

bool ktr_parse(const struct sl_line *line, struct ktr_record *r)
{
	struct sl_scan s = { line->s, line->s + line->len };
	uint64_t n[3];
	unsigned count = 0;

	*r = (struct ktr_record){ .prio = -1, .by = UINT64_MAX, .wprio = SL_WPRIO_COUNT };
	sl_scan_blanks(&s);
	while (count < 3 && sl_scan_u64(&s, &n[count])) {
		const char *before = s.p;

		count++;
		sl_scan_blanks(&s);
		if (s.p == before)
			return false;
	}
	if (count < 2 || n[count - 2] > SL_TRACE_CPU_MAX)
		return false;
	r->ns = count == 2;
	r->cpu = (uint32_t)n[count - 2];
	r->at = n[count - 1];
	r->graph = new_grammar(s, r);
	return r->graph || old_grammar(s, r);
}
