/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pass 3: what was recorded becomes a program that makes sense elsewhere.
 * Invariant: the sum of a thread's RUNs does not change after rp_trim(); every WAIT left
 * has its WAKE in another selected thread, and every WAKE its WAIT. */
#include "traces/replay.h"

#include <string.h>

/* Two time-outs are equal within a clock tick (250 Hz) or 5 %, whichever is less. */
#define TICK_NS 4000000u
/* A thread that only looks whether its wait is over runs less than this. */
#define LOOK_NS 100000u
/* Lengths of time-outs remembered per thread. */
#define KNOWN_MAX    8
#define PERIODIC_MIN 8u

/* ---- the part of the program behind the start ---- */

static uint32_t find_cut(const struct rp_thread *t, uint32_t root)
{
	for (uint32_t i = t->n_ops; root != RP_NONE && i-- > 0;)
		if (rp_kind(t->ops[i]) == RP_CUT && rp_ns(t->ops[i]) == root)
			return i;
	return RP_NONE;
}

/* A wait that began `gone` ns before the start. */
static struct rp_op shorten(struct rp_op op, uint64_t gone)
{
	rp_set_ns(&op, rp_ns(op) > gone ? rp_ns(op) - gone : 0);
	return op;
}

static void append(struct rp_thread *t, uint32_t *n, struct rp_op op)
{
	switch (rp_kind(op)) {
	case RP_NOP:
	case RP_CUT:
	case RP_BLOCK: /* still open at the end: the program ends here */
		return;
	case RP_SLEEP: /* it was there and ready at the start */
		if (rp_ns(op) == 0 && (rp_flags(op) & RPF_START))
			return;
		break;
	case RP_RUN:
		if (rp_ns(op) == 0)
			return;
		if (*n > 0 && rp_kind(t->ops[*n - 1]) == RP_RUN) {
			rp_set_ns(&t->ops[*n - 1], rp_ns(t->ops[*n - 1]) + rp_ns(op));
			return;
		}
		break;
	default:
		break;
	}
	t->ops[(*n)++] = op;
}

/* Drops what came before the start, joins RUNs. */
static void trim(const struct sl_replay *b, struct rp_thread *t)
{
	uint32_t cut = find_cut(t, b->chosen), begin = 0, n = 0;

	rp_flush_run(t);
	if (cut != RP_NONE) {
		begin = cut + 1;
		if (rp_flags(t->ops[cut]) & RPF_OPEN) {
			uint32_t wait = cut;

			while (rp_kind(t->ops[wait]) == RP_CUT)
				wait--;
			append(t, &n, shorten(t->ops[wait], t->ops[cut].arg));
		}
	} else if (t->n_ops > 0 && (rp_flags(t->ops[0]) & RPF_START)) {
		t->ops[0] = shorten(t->ops[0], b->start - b->t0);
	}
	/* n <= begin: append never overtakes what it reads. */
	for (uint32_t i = begin; i < t->n_ops; i++)
		append(t, &n, t->ops[i]);
	t->n_ops = n;
}

static void squeeze(struct rp_thread *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_ops; i++)
		append(t, &n, t->ops[i]);
	t->n_ops = n;
}

/* ---- edges ---- */

static bool bit(const uint8_t *bits, uint32_t i)
{
	return bits[i >> 3] >> (i & 7) & 1;
}
static void set_bit(uint8_t *bits, uint32_t i)
{
	bits[i >> 3] |= (uint8_t)(1u << (i & 7));
}

static void mark_edges(const struct sl_replay *b, uint8_t *waits, uint8_t *wakes)
{
	for (uint32_t i = 0; i < b->n_threads; i++) {
		const struct rp_thread *t = &b->threads[i];

		for (uint32_t k = 0; t->selected && k < t->n_ops; k++) {
			if (rp_kind(t->ops[k]) == RP_WAIT)
				set_bit(waits, rp_edge(t->ops[k]));
			else if (rp_kind(t->ops[k]) == RP_WAKE)
				set_bit(wakes, rp_edge(t->ops[k]));
		}
	}
}

/* Waits for threads left out keep their length; wake-ups of such threads go. */
static void match_edges(struct sl_replay *b)
{
	uint8_t *waits = g_malloc0(b->n_edges / 8 + 1), *wakes = g_malloc0(b->n_edges / 8 + 1);

	mark_edges(b, waits, wakes);
	for (uint32_t i = 0; i < b->n_threads; i++) {
		struct rp_thread *t = &b->threads[i];

		for (uint32_t k = 0; t->selected && k < t->n_ops; k++) {
			struct rp_op *op = &t->ops[k];

			if (rp_kind(*op) == RP_WAIT && !bit(wakes, rp_edge(*op))) {
				*op = rp_make(RP_SLEEP | rp_flags(*op), rp_ns(*op), 0);
				b->report->edges_cut++;
			} else if (rp_kind(*op) == RP_WAKE && !bit(waits, rp_edge(*op))) {
				*op = rp_make(RP_NOP, 0, 0);
			} else if (rp_kind(*op) == RP_FORK) {
				struct rp_thread *child = &b->threads[rp_peer(*op)];

				if (child->selected)
					child->forked_here = true;
				else
					*op = rp_make(RP_NOP, 0, 0);
			}
		}
		if (t->selected)
			squeeze(t);
	}
	g_free(waits);
	g_free(wakes);
}

/* ---- time-outs ---- */

static bool same_timeout(uint64_t a, uint64_t b)
{
	uint64_t tolerance = MIN(a / 20, TICK_NS);

	return a > b ? a - b <= tolerance : b - a <= tolerance;
}

static bool is_sleep(const struct rp_thread *t, uint32_t i)
{
	return i < t->n_ops && rp_kind(t->ops[i]) == RP_SLEEP && rp_ns(t->ops[i]) > 0 &&
	       !(rp_flags(t->ops[i]) & (RPF_START | RPF_DISK));
}

/* Passes a short RUN, if one is at i. */
static uint32_t after_look(const struct rp_thread *t, uint32_t i)
{
	if (i < t->n_ops && rp_kind(t->ops[i]) == RP_RUN && rp_ns(t->ops[i]) < LOOK_NS)
		return i + 1;
	return i;
}

/* Equal SLEEPs from i on, with only looks between: the index behind the last look and how
 * many. */
static uint32_t sleep_chain(const struct rp_thread *t, uint32_t i, uint32_t *count)
{
	uint64_t first = rp_ns(t->ops[i]);

	*count = 1;
	i = after_look(t, i + 1);
	while (is_sleep(t, i) && same_timeout(first, rp_ns(t->ops[i]))) {
		(*count)++;
		i = after_look(t, i + 1);
	}
	return i;
}

struct known {
	uint64_t ns[KNOWN_MAX];
	uint32_t n;
};

static bool is_known(const struct known *known, uint64_t ns)
{
	for (uint32_t i = 0; i < known->n; i++)
		if (same_timeout(known->ns[i], ns))
			return true;
	return false;
}

/* Folds time-outs into the wait they belong to; `least`: how many in a row prove one. */
static void fold_timeouts(struct sl_replay *b, struct rp_thread *t, struct known *known,
			  uint32_t least)
{
	for (uint32_t i = 0; i < t->n_ops; i++) {
		uint32_t count, end;
		uint64_t ns;

		if (!is_sleep(t, i))
			continue;
		ns = rp_ns(t->ops[i]);
		end = sleep_chain(t, i, &count);
		if (end < t->n_ops && rp_kind(t->ops[end]) == RP_WAIT &&
		    (count >= least || is_known(known, ns))) {
			if (!is_known(known, ns) && known->n < KNOWN_MAX)
				known->ns[known->n++] = ns;
			for (uint32_t k = i; k < end; k++)
				if (rp_kind(t->ops[k]) == RP_SLEEP)
					t->ops[k] = rp_make(RP_NOP, 0, 0);
			b->report->timeouts += count;
		}
		i = end - 1;
	}
	squeeze(t);
}

static void collapse(struct sl_replay *b, struct rp_thread *t)
{
	struct known known = { { 0 }, 0 };

	fold_timeouts(b, t, &known, 2);
	/* Now that the lengths are known, single ones are folded too. */
	if (known.n > 0)
		fold_timeouts(b, t, &known, UINT32_MAX);
}

/* ---- periodic threads ---- */

/* The next timed sleep at or behind i with no other wait before it; RP_NONE at the end of
 * the row. */
static uint32_t next_in_row(const struct rp_thread *t, uint32_t i)
{
	for (; i < t->n_ops; i++) {
		switch (rp_kind(t->ops[i])) {
		case RP_SLEEP:
			if (t->ops[i].arg == 0 ||
			    (rp_flags(t->ops[i]) & (RPF_UNSEEN | RPF_DISK | RPF_START)))
				return RP_NONE;
			return i;
		case RP_WAIT:
		case RP_UNTIL:
			return RP_NONE;
		default:
			break;
		}
	}
	return RP_NONE;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Median distance of the first wake times of a row. */
static uint64_t guess_period(const struct rp_thread *t, uint32_t first)
{
	uint64_t d[PERIODIC_MIN];
	uint32_t i = first;

	for (uint32_t k = 0; k < PERIODIC_MIN; k++) {
		uint32_t j = next_in_row(t, i + 1);

		if (j == RP_NONE)
			return 0;
		d[k] = t->ops[j].arg - t->ops[i].arg;
		i = j;
	}
	qsort(d, PERIODIC_MIN, sizeof(d[0]), by_value);
	return d[PERIODIC_MIN / 2];
}

struct row {
	uint32_t n, last;	    /* sleeps, index of the last */
	uint64_t worst;		    /* largest distance of a wake time from the grid */
	uint64_t shortest, longest; /* sleeps */
};

/* How far the wake times from `first` on keep to a grid of `period`. */
static struct row follow_grid(const struct rp_thread *t, uint32_t first, uint64_t period)
{
	uint64_t base = t->ops[first].arg, ns = rp_ns(t->ops[first]);
	struct row r = { 1, first, 0, ns, ns };

	for (uint32_t i = next_in_row(t, first + 1); i != RP_NONE; i = next_in_row(t, i + 1)) {
		uint64_t phase = (t->ops[i].arg - base) % period;
		uint64_t off = MIN(phase, period - phase);

		if (off >= period / 20)
			break;
		r.worst = MAX(r.worst, off);
		r.shortest = MIN(r.shortest, rp_ns(t->ops[i]));
		r.longest = MAX(r.longest, rp_ns(t->ops[i]));
		r.last = i;
		r.n++;
	}
	return r;
}

/* Sleeps that end on a grid while their lengths vary more than the ends do were waits for
 * absolute times: a slower replay must not shift the later ones. */
static void find_periodic(struct sl_replay *b, struct rp_thread *t)
{
	for (uint32_t i = next_in_row(t, 0); i < t->n_ops;) {
		uint64_t period = guess_period(t, i);
		struct row r = { 0 };

		if (period >= 20)
			r = follow_grid(t, i, period);
		if (r.n > PERIODIC_MIN && r.longest - r.shortest > r.worst) {
			for (uint32_t k = i; k <= r.last; k++) {
				struct rp_op *op = &t->ops[k];

				if (rp_kind(*op) != RP_SLEEP || op->arg < b->start)
					continue;
				*op = rp_make(RP_UNTIL | rp_flags(*op), 0, op->arg - b->start);
				b->report->periodic++;
			}
			i = r.last;
		}
		/* Behind this sleep, or behind the wait that ended its row. */
		do {
			i++;
		} while (i < t->n_ops && next_in_row(t, i) == RP_NONE);
		if (i < t->n_ops)
			i = next_in_row(t, i);
	}
}

/* Timed waits end at the time they did, however late they begin. */
static void make_absolute(struct sl_replay *b, struct rp_thread *t)
{
	for (uint32_t k = 0; k < t->n_ops; k++) {
		struct rp_op *op = &t->ops[k];

		if (rp_kind(*op) != RP_SLEEP || op->arg < b->start || op->arg == 0)
			continue;
		*op = rp_make(RP_UNTIL | rp_flags(*op), 0, op->arg - b->start);
		b->report->periodic++;
	}
}

void rp_clean(struct sl_replay *b)
{
	for (uint32_t i = 0; i < b->n_threads; i++)
		if (b->threads[i].selected)
			trim(b, &b->threads[i]);
	match_edges(b);
	for (uint32_t i = 0; i < b->n_threads; i++) {
		struct rp_thread *t = &b->threads[i];

		if (!t->selected)
			continue;
		if (!b->opts->keep_timeouts)
			collapse(b, t);
		find_periodic(b, t);
		if (b->opts->absolute)
			make_absolute(b, t);
	}
}
