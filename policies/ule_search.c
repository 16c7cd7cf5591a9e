/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Search for the least or most loaded CPU in the tree of groups (ule.md 16, 22.2).
 * Groups are compared by total load, forbidden CPUs included, so the answer is the
 * best CPU on the best path and not always the best CPU. A pseudo-random jitter
 * breaks ties.
 * Invariant: jitter is drawn from the generator of the CPU that searches, in the
 * order of the kernel's visits; one draw more or less would shift every later tie.
 * u->sum[] agrees with the CPUs' load and transferable; u->worst[] of a group is no
 * better than the lowpri of any CPU in it, and no better than u->worst[] of its parts.
 *
 * The kernel visits every CPU of the group. Here the sums of the groups say where the
 * answer can be, and since the kernel's draws are known in advance (one per visit up
 * to 12; the n-th state of a linear congruential generator has a closed form), the
 * rest of the tree need not be visited. */
#include "policies/ule.h"

#include <limits.h>
#include <string.h>

/* A load of one thread in the unit of the comparisons. */
#define LOAD_UNIT  256

#define JITTER_MAX 31 /* up to 12 */

/* Best candidate so far. */
struct best {
	int32_t cpu; /* -1: none yet */
	int32_t load, tie;
};

static const struct best nothing = { -1, 0, 0 };

void ule_search_init(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	u->lcg_mul[0] = 1;
	u->lcg_add[0] = 0;
	for (uint32_t n = 0; n < p->ncpus; n++) {
		u->lcg_mul[n + 1] = u->lcg_mul[n] * 69069u;
		u->lcg_add[n + 1] = u->lcg_add[n] * 69069u + 5u;
	}
	SL_ASSERT(p->tree->ngroups <= ULE_MAX_GROUPS);
	memset(u->worst, UINT8_MAX, p->tree->ngroups);
	/* Breadth first: a parent comes before its children. Last child first. */
	for (uint32_t id = 0; id < p->tree->ngroups; id++) {
		const struct sl_cpu_group *g = &p->tree->group[id];
		uint32_t before = u->visit[id];

		for (uint32_t i = g->nchildren; i-- > 0;) {
			u->visit[g->child[i].id] = before;
			before += g->child[i].count;
		}
	}
}

/* -1 is beyond every group. */
static inline bool holds_preferred(const struct ule_query *query, const struct sl_cpu_group *g)
{
	uint32_t prefer = (uint32_t)query->prefer;

	return prefer >= g->first && prefer <= g->last && sl_bit_test(g->mask, prefer);
}

/* Is a CPU of g among those that may be the answer? */
static inline bool overlaps(const struct ule_query *query, const struct sl_cpu_group *g)
{
	for (uint32_t w = g->first / 64; w <= g->last / 64; w++)
		if (g->mask[w] & query->mask[w])
			return true;
	return false;
}

/* A search has looked at all of g, whose children's bounds are true: so is their worst. */
static void tighten(struct ule *u, const struct sl_cpu_group *g)
{
	uint8_t worst = 0;

	for (uint32_t i = 0; i < g->nchildren; i++)
		if (u->worst[g->child[i].id] > worst)
			worst = u->worst[g->child[i].id];
	u->worst[g->id] = worst;
}

/* --- 10.x to 12: CPUs ascending, a draw per visit --- */

/* A search in progress. */
struct search {
	struct sl_pol *p;
	struct ule *u;
	const struct ule_query *query;
	uint32_t before; /* visits before the group that is searched */
	uint32_t state;	 /* of the generator at the start */
	int32_t (*jitter)(uint32_t state);
};

/* Arithmetic shift of the state as a signed number: -32 .. 31. */
static int32_t jitter_10(uint32_t state)
{
	return (int32_t)(state >> 26) - ((state >> 31) != 0 ? 64 : 0);
}

static int32_t jitter_11(uint32_t state)
{
	return (int32_t)((state >> 16) % 32);
}

static struct search begin_11(struct sl_pol *p, const struct sl_cpu_group *g,
			      const struct ule_query *query, int32_t (*jitter)(uint32_t state))
{
	struct ule *u = ule_of(p);
	struct ule_cpu *self = ule_cpu_of(p, sl_pol_self(p));
	struct search s = { p, u, query, u->visit[g->id], self->random, jitter };

	self->random = u->lcg_mul[g->count] * self->random + u->lcg_add[g->count];
	return s;
}

/* What the visit number n of the whole tree draws. */
static inline int32_t jitter_at(const struct search *s, uint32_t n)
{
	uint32_t draws = n - s->before + 1;

	return s->jitter(s->u->lcg_mul[draws] * s->state + s->u->lcg_add[draws]);
}

static inline int32_t bonus_11(const struct search *s, uint32_t cpu)
{
	return (int32_t)cpu == s->query->prefer ? LOAD_UNIT / 4 : 0;
}

/* A group's total for the search for the lowest, the bonus taken off. */
static inline int32_t total_11(const struct search *s, const struct sl_cpu_group *g)
{
	int32_t total = s->u->sum[g->id].load * LOAD_UNIT;

	return holds_preferred(s->query, g) ? total - LOAD_UNIT / 4 : total;
}

static struct best lowest_in_leaf_11(const struct search *s, const struct sl_cpu_group *g)
{
	struct best best = nothing;
	uint32_t n = s->u->visit[g->id];
	uint8_t worst = 0;

	for (uint32_t c = g->first; c <= g->last; c++) {
		const struct ule_cpu *q = ule_cpu_of(s->p, c);
		int32_t load, tie;

		if (!sl_bit_test(g->mask, c))
			continue;
		n++;
		worst = q->lowpri > worst ? q->lowpri : worst;
		if (q->lowpri <= s->query->minpri || q->load > s->query->load ||
		    !sl_bit_test(s->query->mask, c))
			continue;
		load = q->load * LOAD_UNIT - bonus_11(s, c);
		if (best.cpu >= 0 && load > best.load)
			continue;
		tie = load - jitter_at(s, n - 1);
		if (best.cpu < 0 || load < best.load || tie < best.tie)
			best = (struct best){ (int32_t)c, load, tie };
	}
	s->u->worst[g->id] = worst;
	return best;
}

/* Can g, no heavier than the best so far, still beat it? Of equal groups the lesser tie
 * wins, which is an idle CPU's at the least. */
static inline bool may_be_lower(const struct search *s, const struct sl_cpu_group *g,
				const struct best *best)
{
	int32_t least;

	if (s->u->worst[g->id] <= s->query->minpri || !overlaps(s->query, g))
		return false;
	least = -JITTER_MAX - (holds_preferred(s->query, g) ? LOAD_UNIT / 4 : 0);

	return best->cpu < 0 || best->tie > least;
}

/* Lightest child of g that may hold a candidate and is heavier than `above`; INT_MAX: none.
 * Children have consecutive ids. */
static inline int32_t next_total_11(const struct search *s, const struct sl_cpu_group *g,
				    int32_t above)
{
	const struct ule_sum *sum = &s->u->sum[g->child[0].id];
	const uint8_t *worst = &s->u->worst[g->child[0].id];
	int32_t least = INT_MAX;

	for (uint32_t i = 0; i < g->nchildren; i++) {
		int32_t total = sum[i].load * LOAD_UNIT;
		bool fits;

		if (holds_preferred(s->query, &g->child[i]))
			total -= LOAD_UNIT / 4;
		/* Loads are as good as random: no branch. */
		fits = (worst[i] > s->query->minpri) & (total > above) & (total < least);
		least = fits ? total : least;
	}
	return least;
}

static struct best lowest_in_11(const struct search *s, const struct sl_cpu_group *g)
{
	struct best best = nothing;
	int32_t least = INT_MIN;

	if (g->nchildren == 0)
		return lowest_in_leaf_11(s, g);
	/* From the lightest on; the kernel's order, last child first, among equals. */
	while (best.cpu < 0 && (least = next_total_11(s, g, least)) != INT_MAX) {
		for (uint32_t i = g->nchildren; i-- > 0;) {
			const struct sl_cpu_group *child = &g->child[i];
			struct best b;

			if (total_11(s, child) != least || !may_be_lower(s, child, &best))
				continue;
			b = lowest_in_11(s, child);
			if (b.cpu >= 0 && (best.cpu < 0 || b.tie < best.tie))
				best = (struct best){ b.cpu, least, b.tie };
		}
	}
	if (best.cpu < 0)
		tighten(s->u, g);
	return best;
}

static struct best highest_in_leaf_11(const struct search *s, const struct sl_cpu_group *g)
{
	struct best best = nothing;
	uint32_t n = s->u->visit[g->id];

	for (uint32_t c = g->first; c <= g->last; c++) {
		const struct ule_cpu *q = ule_cpu_of(s->p, c);
		int32_t load, tie;

		if (!sl_bit_test(g->mask, c))
			continue;
		n++;
		if (q->load < s->query->load || q->transferable == 0 ||
		    !sl_bit_test(s->query->mask, c))
			continue;
		load = q->load * LOAD_UNIT;
		if (best.cpu >= 0 && load < best.load)
			continue;
		tie = load - jitter_at(s, n - 1);
		if (best.cpu < 0 || load > best.load || tie > best.tie)
			best = (struct best){ (int32_t)c, load, tie };
	}
	return best;
}

/* Groups without a transferable thread have no candidate. */
static struct best highest_in_11(const struct search *s, const struct sl_cpu_group *g)
{
	struct best best = nothing;

	if (g->nchildren == 0)
		return highest_in_leaf_11(s, g);
	for (uint32_t i = g->nchildren; i-- > 0;) {
		const struct ule_sum *sum = &s->u->sum[g->child[i].id];
		int32_t total = sum->load * LOAD_UNIT;
		struct best b;

		if (sum->transferable == 0 || (best.cpu >= 0 && total < best.load) ||
		    !overlaps(s->query, &g->child[i]))
			continue;
		b = highest_in_11(s, &g->child[i]);
		if (b.cpu >= 0 && (best.cpu < 0 || total > best.load || b.tie > best.tie))
			best = (struct best){ b.cpu, total, b.tie };
	}
	return best;
}

static int32_t lowest_10(struct sl_pol *p, const struct sl_cpu_group *g,
			 const struct ule_query *query, int32_t *total)
{
	struct search s = begin_11(p, g, query, jitter_10);

	if (total != NULL)
		*total = total_11(&s, g);
	return lowest_in_11(&s, g).cpu;
}

static int32_t highest_10(struct sl_pol *p, const struct sl_cpu_group *g,
			  const struct ule_query *query, int32_t *total)
{
	struct search s = begin_11(p, g, query, jitter_10);

	if (total != NULL)
		*total = s.u->sum[g->id].load * LOAD_UNIT;
	return s.u->sum[g->id].transferable > 0 ? highest_in_11(&s, g).cpu : -1;
}

static int32_t lowest_11(struct sl_pol *p, const struct sl_cpu_group *g,
			 const struct ule_query *query, int32_t *total)
{
	struct search s = begin_11(p, g, query, jitter_11);

	if (total != NULL)
		*total = total_11(&s, g);
	return lowest_in_11(&s, g).cpu;
}

static int32_t highest_11(struct sl_pol *p, const struct sl_cpu_group *g,
			  const struct ule_query *query, int32_t *total)
{
	struct search s = begin_11(p, g, query, jitter_11);

	if (total != NULL)
		*total = s.u->sum[g->id].load * LOAD_UNIT;
	return s.u->sum[g->id].transferable > 0 ? highest_in_11(&s, g).cpu : -1;
}

/* Each level draws once per CPU of its group. */
static void in_vain_11(struct sl_pol *p, uint32_t cpu)
{
	const struct ule *u = ule_of(p);
	struct ule_cpu *self = ule_cpu_of(p, cpu);

	for (const struct sl_cpu_group *g = p->tree->leaf[cpu]; g != NULL; g = g->parent)
		self->random = u->lcg_mul[g->count] * self->random + u->lcg_add[g->count];
}

static uint32_t seed_zero(uint32_t cpu)
{
	(void)cpu;
	return 0;
}

const struct ule_search ule_search_10 = { "CPUs ascending, jitter -32..31 per visit", lowest_10,
					  highest_10, seed_zero, in_vain_11 };
const struct ule_search ule_search_11 = { "CPUs ascending, jitter 0..31 per visit", lowest_11,
					  highest_11, seed_zero, in_vain_11 };

/* --- 13 and later: CPUs descending, a draw per eligible CPU, bonus of half a thread --- */

#define BONUS (LOAD_UNIT / 2)

static inline void visit_low_13(struct sl_pol *p, uint32_t cpu, const struct ule_query *query,
				struct ule_cpu *self, struct best *best)
{
	const struct ule_cpu *q = ule_cpu_of(p, cpu);
	bool preferred = (int32_t)cpu == query->prefer;
	bool at_home = preferred && query->running;
	int32_t n = q->load - (at_home ? 1 : 0);
	int32_t bonus = preferred ? BONUS : 0;
	int32_t load;

	if (n > query->load || !(q->lowpri > query->minpri || at_home) ||
	    !sl_bit_test(query->mask, cpu))
		return;
	if (query->running && n > 0)
		bonus = 0;
	load = n * LOAD_UNIT - (int32_t)(ule_random(self) % BONUS);
	if (best->load > load - bonus)
		*best = (struct best){ (int32_t)cpu, load - bonus, load };
}

/* What the visits of all CPUs of g add up to. */
static inline int32_t total_13(const struct ule *u, const struct sl_cpu_group *g,
			       const struct ule_query *query)
{
	int32_t total = u->sum[g->id].load * LOAD_UNIT;

	if (holds_preferred(query, g))
		total -= BONUS + (query->running ? LOAD_UNIT : 0);
	return total;
}

/* Groups without a candidate draw nothing and need no visit. */
static inline bool may_hold_13(const struct ule *u, const struct sl_cpu_group *g,
			       const struct ule_query *query)
{
	return overlaps(query, g) &&
	       (u->worst[g->id] > query->minpri || (query->running && holds_preferred(query, g)));
}

static struct best walk_lowest_13(struct sl_pol *p, const struct sl_cpu_group *g,
				  const struct ule_query *query, struct ule_cpu *self)
{
	struct ule *u = ule_of(p);
	struct best best = { -1, INT_MAX, INT_MAX };
	uint8_t worst = 0;

	for (uint32_t i = g->nchildren; i-- > 0;) {
		const struct sl_cpu_group *child = &g->child[i];
		int32_t total = total_13(u, child, query);
		struct best b;

		if (!may_hold_13(u, child, query))
			continue;
		b = walk_lowest_13(p, child, query, self);
		/* A sibling at work weighs half a thread for one that could move away. */
		if (query->running && (child->flags & SL_CG_THREAD) && total >= BONUS &&
		    (total & BONUS))
			total += BONUS;
		if (b.cpu >= 0 && (total < best.load || (total == best.load && b.tie < best.tie)))
			best = (struct best){ b.cpu, total, b.tie };
	}
	if (g->nchildren > 0) {
		tighten(u, g);
		return best;
	}
	for (uint32_t c = g->last + 1; c-- > g->first;)
		if (sl_bit_test(g->mask, c)) {
			const struct ule_cpu *q = ule_cpu_of(p, c);

			worst = q->lowpri > worst ? q->lowpri : worst;
			visit_low_13(p, c, query, self, &best);
		}
	u->worst[g->id] = worst;
	return best;
}

static inline void visit_high_13(struct sl_pol *p, uint32_t cpu, const struct ule_query *query,
				 struct ule_cpu *self, struct best *best)
{
	const struct ule_cpu *q = ule_cpu_of(p, cpu);
	int32_t load;

	if (q->load < query->load || q->transferable < query->mintrans ||
	    !sl_bit_test(query->mask, cpu))
		return;
	load = q->load * LOAD_UNIT - (int32_t)(ule_random(self) % LOAD_UNIT);
	if (load > best->load)
		*best = (struct best){ (int32_t)cpu, load, load };
}

/* Groups without a candidate draw nothing and need no visit. */
static struct best walk_highest_13(struct sl_pol *p, const struct sl_cpu_group *g,
				   const struct ule_query *query, struct ule_cpu *self)
{
	const struct ule *u = ule_of(p);
	struct best best = { -1, INT_MIN, INT_MIN };

	if (u->sum[g->id].load < query->load || u->sum[g->id].transferable < query->mintrans)
		return best;
	for (uint32_t i = g->nchildren; i-- > 0;) {
		int32_t sum = u->sum[g->child[i].id].load;
		struct best b = walk_highest_13(p, &g->child[i], query, self);

		if (b.cpu >= 0 && (sum > best.load || (sum == best.load && b.tie > best.tie)))
			best = (struct best){ b.cpu, sum, b.tie };
	}
	if (g->nchildren > 0)
		return best;
	for (uint32_t c = g->last + 1; c-- > g->first;)
		if (sl_bit_test(g->mask, c))
			visit_high_13(p, c, query, self, &best);
	return best;
}

static int32_t lowest_13(struct sl_pol *p, const struct sl_cpu_group *g,
			 const struct ule_query *query, int32_t *total)
{
	if (total != NULL)
		*total = total_13(ule_of(p), g, query);
	return walk_lowest_13(p, g, query, ule_cpu_of(p, sl_pol_self(p))).cpu;
}

static int32_t highest_13(struct sl_pol *p, const struct sl_cpu_group *g,
			  const struct ule_query *query, int32_t *total)
{
	if (total != NULL)
		*total = ule_of(p)->sum[g->id].load * LOAD_UNIT;
	return walk_highest_13(p, g, query, ule_cpu_of(p, sl_pol_self(p))).cpu;
}

static uint32_t seed_by_cpu(uint32_t cpu)
{
	return cpu * 69069u + 5u;
}

const struct ule_search ule_search_13 = {
	"CPUs descending, jitter below half (lowest) or one thread (highest) if eligible",
	lowest_13, highest_13, seed_by_cpu, NULL
};
