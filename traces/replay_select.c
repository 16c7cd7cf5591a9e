/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pass 2: which command was recorded, and which threads belong to the replay.
 * Invariant: idle, the recorder and (unless asked for) kernel threads are never selected;
 * b->start is the time the workload calls 0. */
#include "traces/replay.h"

#include <stdlib.h>
#include <string.h>

/* Fewer wake-ups each way may be interrupts that hit a bystander. */
#define SERVER_EXCHANGES 16u

static const char *const kernel_names[] = {
	"kworker/", "ksoftirqd/", "migration/",	 "rcu",	     "watchdog",  "cpuhp/",
	"kthreadd", "kswapd",	  "kcompactd",	 "khuge",    "jbd2/",	  "irq/",
	"kblockd",  "kauditd",	  "khungtaskd",	 "oom_reap", "writeback", "kdevtmpfs",
	"scsi_eh_", "mmcqd/",	  "idle_inject", "ksmd",     "md",	  "posixcputmr",
};

static const char *const recorder_names[] = { "perf",	  "perf-exec", "trace-cmd", "atrace",
					      "bpftrace", "ktrdump",   "dtrace" };

bool rp_is_kernel_name(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(kernel_names); i++) {
		size_t n = strlen(kernel_names[i]);

		if (strncmp(name, kernel_names[i], n) != 0)
			continue;
		/* "md" and "rcu" start users' names too: md0_raid1, rcu_sched, rcuop/3. */
		if (n > 3 || name[n] == '_' || name[n] == 'o' || name[n] == 'b' || name[n] == 'c' ||
		    (n == 2 && g_ascii_isdigit(name[n])))
			return true;
	}
	return false;
}

bool rp_is_recorder_name(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(recorder_names); i++)
		if (strcmp(name, recorder_names[i]) == 0)
			return true;
	return false;
}

/* CPU time of everything each root's exec started. */
static void root_times(const struct sl_replay *b, uint64_t sum[RP_ROOTS_MAX])
{
	memset(sum, 0, RP_ROOTS_MAX * sizeof(sum[0]));
	for (uint32_t i = 0; i < b->n_threads; i++)
		if (b->threads[i].ran)
			sum[b->threads[i].ran - 1] += b->threads[i].cpu_ns;
}

static uint32_t choose_root(const struct sl_replay *b)
{
	uint64_t sum[RP_ROOTS_MAX];
	uint32_t best = RP_NONE;

	root_times(b, sum);
	for (uint32_t i = 0; i < b->n_roots; i++) {
		const struct rp_root *r = &b->root[i];

		if (b->opts->command && !r->sure)
			continue;
		if (best == RP_NONE || (r->sure && !b->root[best].sure) ||
		    (r->sure == b->root[best].sure && sum[i] > sum[best]))
			best = i;
	}
	return best;
}

static bool asked_for(const struct sl_replay *b, const struct rp_thread *t)
{
	for (const char *const *s = b->opts->select; s && *s; s++) {
		char *end;
		long pid = strtol(*s, &end, 10);

		if (strcmp(*s, t->name) == 0 || (end != *s && *end == '\0' && pid == t->pid))
			return true;
	}
	return false;
}

static bool may_select(const struct sl_replay *b, const struct rp_thread *t)
{
	if (t->elsewhere)
		return false;
	/* A child that has not run yet is one all the same. */
	if ((t->n_ops == 0 && t->run == 0 && t->parent == RP_NONE) || t->died < b->start)
		return false;
	/* What a recorded exec started may well bear a recorder's name. */
	return (!t->kernel || b->opts->keep_kernel) && (t->ran || !rp_is_recorder_name(t->name));
}

/* How often t and selected threads wake each other, the rarer way. */
static uint32_t exchange(const struct sl_replay *b, const struct rp_thread *t)
{
	uint32_t wakes = 0, woken = 0;

	for (uint32_t k = 0; k < t->n_ops; k++) {
		struct rp_op op = t->ops[k];

		if (rp_kind(op) == RP_WAKE)
			wakes += b->threads[rp_peer(op)].selected;
		else if (rp_kind(op) == RP_WAIT)
			woken += b->threads[rp_peer(op)].selected;
	}
	return MIN(wakes, woken);
}

/* Threads that serve the selected ones (a database server), until none is added. They are
 * not what the run waits for. */
static void add_servers(struct sl_replay *b)
{
	uint32_t least = b->opts->servers ? 1 : SERVER_EXCHANGES;
	bool again = true;

	while (again) {
		again = false;
		for (uint32_t i = 0; i < b->n_threads; i++) {
			struct rp_thread *t = &b->threads[i];

			if (t->selected || !may_select(b, t) || exchange(b, t) < least)
				continue;
			t->selected = t->background = true;
			again = true;
		}
	}
}

void rp_select(struct sl_replay *b)
{
	bool by_root;

	b->start = b->t0;
	if (b->opts->from && b->window_cut)
		b->chosen = 0;
	else if (!b->opts->all && !b->opts->select)
		b->chosen = choose_root(b);
	if (b->chosen != RP_NONE)
		b->start = b->root[b->chosen].at;
	by_root = b->chosen != RP_NONE && b->root[b->chosen].thread != RP_NONE;
	/* A child is found after its parent in the table, so one pass closes under fork. */
	for (uint32_t i = 0; i < b->n_threads; i++) {
		struct rp_thread *t = &b->threads[i];

		if (!may_select(b, t))
			continue;
		if (b->opts->select)
			t->selected = asked_for(b, t) ||
				      (t->parent != RP_NONE && b->threads[t->parent].selected);
		else
			t->selected = !by_root || t->ran == b->chosen + 1;
	}
	if (!b->opts->alone)
		add_servers(b);
}
