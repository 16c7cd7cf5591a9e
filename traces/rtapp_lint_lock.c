/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Mutexes that are used wrongly: unlocked without being held, locked twice, still held at the
 * end, waited with but not held, and taken in an order that can deadlock.
 * Method: each program is walked once with the set of mutexes it holds; a loop that changes
 * the set is wrong in its second turn. Pairs "taken while held" of all tasks make a graph;
 * a circle in it is an order that can deadlock. Its strongly connected parts (Tarjan 1972) hold all
 * circles: no other pair is looked at.
 * Invariant: cost is linear in operations and pairs; held sets, circles looked at in a part and
 * hops named are cut at fixed sizes. */
#include "traces/rtapp.h"

#define HELD_MAX    16 /* mutexes held at once; a program with more is not followed */
#define DEPTH_MAX   9  /* loops, and the program itself */
#define CIRCLES_MAX 20 /* pairs of a strongly connected part that are looked at */
#define HOPS_MAX    8  /* pairs of a circle that are named */

struct held {
	uint32_t mutex[HELD_MAX];
	uint32_t at[HELD_MAX]; /* index of the operation that took it */
	uint32_t n;
};

/* `second` is taken while `first` is held. */
struct pair {
	uint32_t first, second;
	const struct sl_json *at;
	uint32_t task;
	bool shared; /* by several threads */
	bool told;
};

struct walk {
	struct sl_rtapp *rt;
	const struct sl_workload *w;
	const struct sl_task *task;
	uint32_t index; /* of the task */
	bool report;	/* findings of this task: the first of a foreach */
	GArray *pairs;
	GHashTable *known; /* first << 32 | second -> index + 1 in pairs */
	struct held held;
};

static const struct sl_json *place(const struct walk *k, uint32_t op)
{
	return g_array_index(k->rt->op_at, const struct sl_json *, k->task->first_op + op);
}

static void find(struct walk *k, uint32_t op, uint32_t mutex, const char *what)
{
	const struct sl_json *at = place(k, op);

	if (k->report)
		sl_json_warn(k->rt->doc, at, TRUE, k->rt->findings, "%s \"%s\": %s",
			     at->key ? at->key : "here", k->w->mutex[mutex].name, what);
}

static uint32_t holds(const struct held *h, uint32_t mutex)
{
	for (uint32_t i = 0; i < h->n; i++)
		if (h->mutex[i] == mutex)
			return i;
	return SL_NONE;
}

/* Of a pair of indexes. Neighbours are common, and g_int64_hash() folds them onto each other. */
static guint hash_pair(gconstpointer key)
{
	return (guint)((*(const guint64 *)key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)) >> 32);
}

static void note_pair(struct walk *k, uint32_t first, uint32_t second, uint32_t op)
{
	struct pair p = { .first = first, .second = second, .at = place(k, op), .task = k->index };
	gint64 key = (gint64)(((uint64_t)first << 32) | second);
	guint found = GPOINTER_TO_UINT(g_hash_table_lookup(k->known, &key));

	p.shared = k->task->instances != 1;
	if (found) {
		struct pair *old = &g_array_index(k->pairs, struct pair, found - 1);

		old->shared |= p.shared || old->task != k->index;
		return;
	}
	g_array_append_val(k->pairs, p);
	g_hash_table_insert(k->known, g_memdup2(&key, sizeof(key)),
			    GUINT_TO_POINTER(k->pairs->len));
}

static void take(struct walk *k, uint32_t mutex, uint32_t op)
{
	struct held *h = &k->held;

	if (holds(h, mutex) != SL_NONE) {
		find(k, op, mutex, "locked twice; the task waits for itself");
		return;
	}
	for (uint32_t i = 0; i < h->n; i++)
		note_pair(k, h->mutex[i], mutex, op);
	if (h->n == HELD_MAX)
		return;
	h->mutex[h->n] = mutex;
	h->at[h->n++] = op;
}

static void give(struct walk *k, uint32_t mutex, uint32_t op)
{
	struct held *h = &k->held;
	uint32_t i = holds(h, mutex);

	if (i == SL_NONE) {
		find(k, op, mutex, "unlocked, but the task does not hold it");
		return;
	}
	h->n--;
	for (; i < h->n; i++) {
		h->mutex[i] = h->mutex[i + 1];
		h->at[i] = h->at[i + 1];
	}
}

/* What a further turn of a loop finds: taken again, or given without being held. */
static void compare_turns(struct walk *k, const struct held *begin, uint32_t end)
{
	struct held kept = { .n = 0 };

	for (uint32_t i = 0; i < k->held.n; i++) {
		if (holds(begin, k->held.mutex[i]) == SL_NONE) {
			find(k, k->held.at[i], k->held.mutex[i],
			     "still held at the end of the loop, whose next turn locks it again");
			continue;
		}
		kept.mutex[kept.n] = k->held.mutex[i];
		kept.at[kept.n++] = k->held.at[i];
	}
	for (uint32_t i = 0; i < begin->n; i++)
		if (holds(&k->held, begin->mutex[i]) == SL_NONE)
			find(k, end, begin->mutex[i],
			     "unlocked in the loop, whose next turn unlocks it again");
	k->held = kept; /* each is told once */
}

static void at_end(struct walk *k)
{
	for (uint32_t i = 0; i < k->held.n; i++)
		find(k, k->held.at[i], k->held.mutex[i], "never unlocked: the task ends with it");
	k->held.n = 0;
}

static bool is_constant(const struct sl_op *op, uint64_t n)
{
	return op->dist.n == 0 && op->dist.value == n;
}

/* The operation after the loop that begins at `op`. */
static uint32_t behind_loop(const struct walk *k, uint32_t op)
{
	uint32_t depth = 0;

	for (; op < k->task->n_ops; op++) {
		uint8_t kind = k->w->op[k->task->first_op + op].kind;

		depth += kind == SL_OP_LOOP;
		depth -= kind == SL_OP_ENDLOOP;
		if (depth == 0)
			return op + 1;
	}
	return op;
}

static void walk_task(struct walk *k)
{
	struct held begin[DEPTH_MAX];
	uint32_t depth = 0;

	k->held.n = 0;
	for (uint32_t i = 0; i < k->task->n_ops; i++) {
		const struct sl_op *op = &k->w->op[k->task->first_op + i];

		if (op->kind == SL_OP_LOCK) {
			take(k, op->obj, i);
		} else if (op->kind == SL_OP_UNLOCK) {
			give(k, op->obj, i);
		} else if ((op->kind == SL_OP_COND_WAIT || op->kind == SL_OP_COND_SYNC) &&
			   op->target != SL_NONE && holds(&k->held, op->target) == SL_NONE) {
			find(k, i, op->target, "this mutex is not held, and waiting gives it up");
		} else if (op->kind == SL_OP_EXIT) {
			at_end(k);
			return;
		} else if (op->kind == SL_OP_LOOP && is_constant(op, 0)) {
			i = behind_loop(k, i) - 1;
		} else if (op->kind == SL_OP_LOOP && depth < DEPTH_MAX) {
			begin[depth++] = k->held;
		} else if (op->kind == SL_OP_ENDLOOP && depth > 0) {
			const struct sl_op *loop = &k->w->op[k->task->first_op + op->target];

			depth--;
			if (!is_constant(loop, 1))
				compare_turns(k, &begin[depth], i);
			if (is_constant(loop, UINT64_MAX))
				return;
		}
		if (k->held.n == HELD_MAX)
			return;
	}
	at_end(k);
}

static int by_first(const void *a, const void *b, void *pairs)
{
	const struct pair *p = &g_array_index((GArray *)pairs, struct pair, *(const uint32_t *)a);
	const struct pair *q = &g_array_index((GArray *)pairs, struct pair, *(const uint32_t *)b);

	return p->first < q->first ? -1 : p->first > q->first;
}

/* Pairs grouped by their first mutex: start[m] .. start[m + 1] in order. */
struct graph {
	GArray *pairs;
	uint32_t *order, *start;
	uint32_t *via;	/* via[m]: the pair by which m was reached, + 1; 0 between searches */
	uint32_t *part; /* strongly connected part of each mutex, from 1 */
	uint32_t *open; /* mutexes reached by a search, in order; a stack of part() */
	uint32_t n;
};

static struct pair *pair_at(const struct graph *g, uint32_t i)
{
	return &g_array_index(g->pairs, struct pair, g->order[i]);
}

static void graph_init(struct graph *g, GArray *pairs, uint32_t n_mutexes)
{
	uint32_t at = 0;

	*g = (struct graph){ .pairs = pairs, .n = n_mutexes };
	g->order = g_new(uint32_t, pairs->len + 1);
	g->start = g_new(uint32_t, n_mutexes + 1);
	g->via = g_new0(uint32_t, n_mutexes + 1);
	g->part = g_new0(uint32_t, n_mutexes + 1);
	g->open = g_new(uint32_t, n_mutexes + 1);
	for (uint32_t i = 0; i < pairs->len; i++)
		g->order[i] = i;
	g_qsort_with_data(g->order, (gint)pairs->len, sizeof(*g->order), by_first, pairs);
	for (uint32_t m = 0; m <= n_mutexes; m++) {
		while (at < pairs->len && pair_at(g, at)->first < m)
			at++;
		g->start[m] = at;
	}
}

static void graph_clear(struct graph *g)
{
	g_free(g->order);
	g_free(g->start);
	g_free(g->via);
	g_free(g->part);
	g_free(g->open);
}

/* Tarjan's search without recursion: a chain of locks may be as long as the file. */
struct tarjan {
	uint32_t *index, *low; /* order of first visits from 1; lowest one that can be reached */
	uint32_t *next;	       /* pair to be followed next */
	uint32_t *call;	       /* the mutexes of the path being followed */
	uint32_t calls, open, visits, parts;
};

static void enter(const struct graph *g, struct tarjan *t, uint32_t m)
{
	t->index[m] = t->low[m] = ++t->visits;
	t->next[m] = g->start[m];
	t->call[t->calls++] = m;
	g->open[t->open++] = m;
}

static void leave(const struct graph *g, struct tarjan *t, uint32_t m)
{
	t->calls--;
	if (t->calls > 0)
		t->low[t->call[t->calls - 1]] = MIN(t->low[t->call[t->calls - 1]], t->low[m]);
	if (t->low[m] != t->index[m])
		return;
	t->parts++;
	do {
		g->part[g->open[--t->open]] = t->parts;
	} while (g->open[t->open] != m);
}

static uint32_t find_parts(struct graph *g)
{
	struct tarjan t = {
		.index = g_new0(uint32_t, g->n + 1),
		.low = g_new(uint32_t, g->n + 1),
		.next = g_new(uint32_t, g->n + 1),
		.call = g_new(uint32_t, g->n + 1),
	};

	for (uint32_t root = 0; root < g->n; root++) {
		if (t.index[root] == 0)
			enter(g, &t, root);
		while (t.calls > 0) {
			uint32_t m = t.call[t.calls - 1], to;

			if (t.next[m] == g->start[m + 1]) {
				leave(g, &t, m);
				continue;
			}
			to = pair_at(g, t.next[m]++)->second;
			if (t.index[to] == 0)
				enter(g, &t, to);
			else if (g->part[to] == 0)
				t.low[m] = MIN(t.low[m], t.index[to]);
		}
	}
	g_free(t.index);
	g_free(t.low);
	g_free(t.next);
	g_free(t.call);
	return t.parts;
}

/* Breadth first inside the part, from the pair's second mutex until its first one is reached, which
 * both being in it makes sure of. Returns how many mutexes must be forgotten afterwards. */
static uint32_t circle(struct graph *g, const struct pair *p)
{
	uint32_t n = 0;

	g->open[n++] = p->second;
	for (uint32_t head = 0; head < n && g->via[p->first] == 0; head++) {
		uint32_t m = g->open[head];

		for (uint32_t i = g->start[m]; i < g->start[m + 1]; i++) {
			uint32_t to = pair_at(g, i)->second;

			if (to == p->second || g->via[to] != 0 || g->part[to] != g->part[m])
				continue;
			g->via[to] = g->order[i] + 1;
			g->open[n++] = to;
		}
	}
	return n;
}

/* Tells of the circle through p that circle() found, unless one thread makes all of it. */
static void tell_circle(struct sl_rtapp *rt, const struct sl_workload *w, struct graph *g,
			struct pair *p)
{
	GString *rest = g_string_new(NULL);
	bool several = p->shared;
	uint32_t hops = 0;

	for (uint32_t m = p->first; m != p->second; hops++) {
		struct pair *q = &g_array_index(g->pairs, struct pair, g->via[m] - 1);
		char *hop;

		several |= q->shared || q->task != p->task;
		q->told = true;
		m = q->first;
		if (hops >= HOPS_MAX)
			continue;
		hop = g_strdup_printf("; at %u:%u \"%s\" while \"%s\" is held", q->at->key_line,
				      q->at->key_col, w->mutex[q->second].name,
				      w->mutex[q->first].name);
		g_string_prepend(rest, hop);
		g_free(hop);
	}
	if (hops > HOPS_MAX)
		g_string_prepend(rest, "; and so on");
	p->told = true;
	if (several)
		sl_json_warn(rt->doc, p->at, TRUE, rt->findings,
			     "%s \"%s\": taken while \"%s\" is held%s: the tasks can wait for "
			     "each other for ever",
			     p->at->key ? p->at->key : "here", w->mutex[p->second].name,
			     w->mutex[p->first].name, rest->str);
	g_string_free(rest, TRUE);
}

static void lint_order(struct sl_rtapp *rt, const struct sl_workload *w, GArray *pairs)
{
	struct graph g;
	uint8_t *looked; /* pairs looked at, by part */

	graph_init(&g, pairs, w->n_mutexes);
	looked = g_new0(uint8_t, find_parts(&g) + 1);
	for (uint32_t i = 0; i < pairs->len; i++) {
		struct pair *p = &g_array_index(pairs, struct pair, i);
		uint32_t part = g.part[p->first], n;

		if (p->told || part != g.part[p->second] || looked[part] == CIRCLES_MAX)
			continue;
		looked[part]++;
		n = circle(&g, p);
		tell_circle(rt, w, &g, p);
		while (n > 0)
			g.via[g.open[--n]] = 0;
	}
	g_free(looked);
	graph_clear(&g);
}

void sl_rtapp_lint_locks(struct sl_rtapp *rt, const struct sl_workload *w)
{
	struct walk k = {
		.rt = rt,
		.w = w,
		.pairs = g_array_new(FALSE, FALSE, sizeof(struct pair)),
		.known = g_hash_table_new_full(hash_pair, g_int64_equal, g_free, NULL),
	};

	for (uint32_t i = 0; w->n_mutexes > 0 && i < w->n_tasks; i++) {
		k.index = i;
		k.task = &w->task[i];
		k.report = g_array_index(rt->items, struct sl_rtapp_item, i).turn == 0;
		walk_task(&k);
	}
	lint_order(rt, w, k.pairs);
	g_array_free(k.pairs, TRUE);
	g_hash_table_destroy(k.known);
}
