/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Search for the least or most loaded CPU in the tree of groups (ule.md 16, 22.2).
 * Groups are compared by total load, forbidden CPUs included, so the answer is the
 * best CPU on the best path and not always the best CPU. A pseudo-random jitter
 * breaks ties.
 * Invariant: jitter is drawn from the generator of the CPU that searches, in the
 * order of the visits; one draw more or less would shift every later tie.
 * Cost: proportional to the CPUs of the group. */
#include "policies/ule.h"

#include <limits.h>

/* A load of one thread in the unit of the comparisons. */
#define LOAD_UNIT 256

/* Best candidate so far. */
struct best {
	int32_t cpu; /* -1: none yet */
	int32_t load, tie;
};

/* --- 10.x to 12: CPUs ascending, a draw per visit --- */

typedef int32_t (*jitter_fn)(struct ule_cpu *self);

static inline int32_t jitter_10(struct ule_cpu *self)
{
	(void)ule_random(self);
	/* Arithmetic shift of the state as a signed number: -32 .. 31. */
	return (int32_t)(self->random >> 26) - ((self->random >> 31) != 0 ? 64 : 0);
}

static inline int32_t jitter_11(struct ule_cpu *self)
{
	return (int32_t)(ule_random(self) % 32);
}

static inline void take_lower(struct best *best, int32_t cpu, int32_t load, int32_t tie)
{
	if (best->cpu < 0 || load < best->load || (load == best->load && tie < best->tie))
		*best = (struct best){ cpu, load, tie };
}

static inline void take_higher(struct best *best, int32_t cpu, int32_t load, int32_t tie)
{
	if (best->cpu < 0 || load > best->load || (load == best->load && tie > best->tie))
		*best = (struct best){ cpu, load, tie };
}

static inline int32_t visit_low_11(struct sl_pol *p, uint32_t cpu, const struct ule_query *query,
				   int32_t jitter, struct best *best)
{
	const struct ule_cpu *q = ule_cpu_of(p, cpu);
	int32_t load = q->load * LOAD_UNIT;

	if ((int32_t)cpu == query->prefer)
		load -= LOAD_UNIT / 4;
	if (q->lowpri > query->minpri && q->load <= query->load && sl_bit_test(query->mask, cpu))
		take_lower(best, (int32_t)cpu, load, load - jitter);
	return load;
}

static inline int32_t visit_high_11(struct sl_pol *p, uint32_t cpu, const struct ule_query *query,
				    int32_t jitter, struct best *best)
{
	const struct ule_cpu *q = ule_cpu_of(p, cpu);
	int32_t load = q->load * LOAD_UNIT;

	if (q->load >= query->load && q->transferable > 0 && sl_bit_test(query->mask, cpu))
		take_higher(best, (int32_t)cpu, load, load - jitter);
	return load;
}

/* The walk of both searches: groups last to first, CPUs lowest first. A macro, so that
 * each search gets its own copy of jitter and visit inline. */
#define WALK_11(name, again, visit, take, jitter)                                                  \
	static struct best again(struct sl_pol *p, const struct sl_cpu_group *g,                   \
				 const struct ule_query *query, struct ule_cpu *self,              \
				 int32_t *total)                                                   \
	{                                                                                          \
		struct best best = { -1, 0, 0 };                                                   \
                                                                                                   \
		*total = 0;                                                                        \
		for (uint32_t i = g->nchildren; i-- > 0;) {                                        \
			int32_t sum;                                                               \
			struct best b = again(p, &g->child[i], query, self, &sum);                 \
                                                                                                   \
			*total += sum;                                                             \
			if (b.cpu >= 0)                                                            \
				take(&best, b.cpu, sum, b.tie);                                    \
		}                                                                                  \
		if (g->nchildren > 0)                                                              \
			return best;                                                               \
		for (uint32_t c = g->first; c <= g->last; c++)                                     \
			if (sl_bit_test(g->mask, c))                                               \
				*total += visit(p, c, query, jitter(self), &best);                 \
		return best;                                                                       \
	}                                                                                          \
	static int32_t name(struct sl_pol *p, const struct sl_cpu_group *g,                        \
			    const struct ule_query *query, int32_t *total)                         \
	{                                                                                          \
		int32_t sum;                                                                       \
		struct best best = again(p, g, query, ule_cpu_of(p, sl_pol_self(p)), &sum);        \
                                                                                                   \
		if (total != NULL)                                                                 \
			*total = sum;                                                              \
		return best.cpu;                                                                   \
	}

WALK_11(lowest_10, walk_lowest_10, visit_low_11, take_lower, jitter_10)
WALK_11(highest_10, walk_highest_10, visit_high_11, take_higher, jitter_10)
WALK_11(lowest_11, walk_lowest_11, visit_low_11, take_lower, jitter_11)
WALK_11(highest_11, walk_highest_11, visit_high_11, take_higher, jitter_11)

static uint32_t seed_zero(uint32_t cpu)
{
	(void)cpu;
	return 0;
}

const struct ule_search ule_search_10 = { "CPUs ascending, jitter -32..31 per visit", lowest_10,
					  highest_10, seed_zero };
const struct ule_search ule_search_11 = { "CPUs ascending, jitter 0..31 per visit", lowest_11,
					  highest_11, seed_zero };

/* --- 13 and later: CPUs descending, a draw per eligible CPU, bonus of half a thread --- */

#define BONUS (LOAD_UNIT / 2)

static inline int32_t visit_low_13(struct sl_pol *p, uint32_t cpu, const struct ule_query *query,
				   struct ule_cpu *self, struct best *best)
{
	const struct ule_cpu *q = ule_cpu_of(p, cpu);
	bool preferred = (int32_t)cpu == query->prefer;
	bool at_home = preferred && query->running;
	int32_t n = q->load - (at_home ? 1 : 0);
	int32_t bonus = preferred ? BONUS : 0;
	int32_t load = n * LOAD_UNIT;
	int32_t counted = load - bonus;

	if (n > query->load || !(q->lowpri > query->minpri || at_home) ||
	    !sl_bit_test(query->mask, cpu))
		return counted;
	if (query->running && n > 0)
		bonus = 0;
	load -= (int32_t)(ule_random(self) % BONUS);
	if (best->load > load - bonus)
		*best = (struct best){ (int32_t)cpu, load - bonus, load };
	return counted;
}

static struct best walk_lowest_13(struct sl_pol *p, const struct sl_cpu_group *g,
				  const struct ule_query *query, struct ule_cpu *self,
				  int32_t *total)
{
	struct best best = { -1, INT_MAX, INT_MAX };

	*total = 0;
	for (uint32_t i = g->nchildren; i-- > 0;) {
		int32_t sum;
		struct best b = walk_lowest_13(p, &g->child[i], query, self, &sum);

		*total += sum;
		/* A sibling at work weighs half a thread for one that could move away. */
		if (query->running && (g->child[i].flags & SL_CG_THREAD) && sum >= BONUS &&
		    (sum & BONUS))
			sum += BONUS;
		if (b.cpu >= 0 && (sum < best.load || (sum == best.load && b.tie < best.tie)))
			best = (struct best){ b.cpu, sum, b.tie };
	}
	if (g->nchildren > 0)
		return best;
	for (uint32_t c = g->last + 1; c-- > g->first;)
		if (sl_bit_test(g->mask, c))
			*total += visit_low_13(p, c, query, self, &best);
	return best;
}

static inline int32_t visit_high_13(struct sl_pol *p, uint32_t cpu, const struct ule_query *query,
				    struct ule_cpu *self, struct best *best)
{
	const struct ule_cpu *q = ule_cpu_of(p, cpu);
	int32_t load = q->load * LOAD_UNIT, jittered;

	if (q->load < query->load || q->transferable < query->mintrans ||
	    !sl_bit_test(query->mask, cpu))
		return load;
	jittered = load - (int32_t)(ule_random(self) % LOAD_UNIT);
	if (jittered > best->load)
		*best = (struct best){ (int32_t)cpu, jittered, jittered };
	return load;
}

static struct best walk_highest_13(struct sl_pol *p, const struct sl_cpu_group *g,
				   const struct ule_query *query, struct ule_cpu *self,
				   int32_t *total)
{
	struct best best = { -1, INT_MIN, INT_MIN };

	*total = 0;
	for (uint32_t i = g->nchildren; i-- > 0;) {
		int32_t sum;
		struct best b = walk_highest_13(p, &g->child[i], query, self, &sum);

		*total += sum;
		if (b.cpu >= 0 && (sum > best.load || (sum == best.load && b.tie > best.tie)))
			best = (struct best){ b.cpu, sum, b.tie };
	}
	if (g->nchildren > 0)
		return best;
	for (uint32_t c = g->last + 1; c-- > g->first;)
		if (sl_bit_test(g->mask, c))
			*total += visit_high_13(p, c, query, self, &best);
	return best;
}

static int32_t lowest_13(struct sl_pol *p, const struct sl_cpu_group *g,
			 const struct ule_query *query, int32_t *total)
{
	int32_t sum;
	struct best best = walk_lowest_13(p, g, query, ule_cpu_of(p, sl_pol_self(p)), &sum);

	if (total != NULL)
		*total = sum;
	return best.cpu;
}

static int32_t highest_13(struct sl_pol *p, const struct sl_cpu_group *g,
			  const struct ule_query *query, int32_t *total)
{
	int32_t sum;
	struct best best = walk_highest_13(p, g, query, ule_cpu_of(p, sl_pol_self(p)), &sum);

	if (total != NULL)
		*total = sum;
	return best.cpu;
}

static uint32_t seed_by_cpu(uint32_t cpu)
{
	return cpu * 69069u + 5u;
}

const struct ule_search ule_search_13 = {
	"CPUs descending, jitter below half (lowest) or one thread (highest) if eligible",
	lowest_13, highest_13, seed_by_cpu
};
