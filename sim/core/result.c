/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a run says when it is over: totals, per-thread and per-CPU figures, names, and
 * who waits for what in a deadlock. */
#include "sim/core/engine.h"

#include <stdio.h>
#include <string.h>

sl_time sl_latency_low(uint32_t bucket)
{
	uint32_t octave;

	if (bucket < 16)
		return bucket;
	octave = bucket / 16 + 3;
	return (sl_time)(16 + bucket % 16) << (octave - 4);
}

/* Time of threads that have not ended counts too. */
static void add_living(const struct sl_sim *s, struct sl_totals *out)
{
	for (uint32_t i = 0; i < s->threads.used; i++) {
		const struct ethread *t = ethread_at(s, i);

		if (t->task == SL_NONE || t->td.state == SL_TS_DEAD || t->started == SL_TIME_MAX ||
		    !t->td.proc || sl_link_idle(&t->td.in_proc))
			continue;
		out->user_ns += t->user_ns;
		out->sys_ns += t->sys_ns;
		out->wait_ns += t->wait_ns;
	}
}

void sl_sim_totals(const struct sl_sim *s, struct sl_totals *out)
{
	*out = s->total;
	out->end_ns = s->pol.now;
	if (s->living > 0)
		out->real_ns = s->pol.now;
	add_living(s, out);
	for (uint32_t c = 0; c < s->pol.ncpus; c++)
		out->ticks += s->ecpu[c].ticks;
	if (s->ops->metric) {
		int64_t steals = s->ops->metric(&s->pol, NULL, SL_METRIC_STEALS);

		out->steals = steals > 0 ? (uint64_t)steals : 0;
	}
	/* CPUs outside the cpuset are idle but not ours. */
	for (uint32_t c = 0; c < s->pol.ncpus; c++)
		if (!sl_bit_test(s->usable, c))
			out->idle_ns -= s->pol.now - s->ecpu[c].busy_ns;
	out->digest = s->digest;
	out->memory_bytes = s->memory + s->timeouts.cap * sizeof(struct sl_ev) +
			    s->threads.cap_free * sizeof(uint32_t);
}

uint32_t sl_sim_thread_count(const struct sl_sim *s)
{
	return s->n_static;
}

bool sl_sim_thread(const struct sl_sim *s, uint32_t index, struct sl_thread_result *out)
{
	const struct ethread *t;

	if (index >= s->n_static)
		return false;
	t = s->by_id[index];
	*out = (struct sl_thread_result){
		.id = t->td.id,
		.task = t->task,
		.instance = t->instance,
		.started = t->started,
		.ended = t->ended,
		.user_ns = t->user_ns,
		.sys_ns = t->sys_ns,
		.wait_ns = t->wait_ns,
		.switches = t->switches,
		.voluntary = t->voluntary,
		.involuntary = t->involuntary,
		.migrations = t->migrations,
		.wakeups = t->wakeups,
		.bursts = t->bursts,
		.user_pri = t->td.user_pri,
		.nice = t->td.proc && t->td.state != SL_TS_DEAD ? t->td.proc->nice
								: s->w->task[t->task].nice,
		.exited = t->td.state == SL_TS_DEAD,
	};
	return true;
}

void sl_sim_cpu(const struct sl_sim *s, uint32_t cpu, struct sl_cpu_result *out)
{
	const struct ecpu *c = &s->ecpu[cpu];

	*out = (struct sl_cpu_result){ .busy_ns = c->busy_ns,
				       .idle_ns = s->pol.now - c->busy_ns,
				       .switches = c->switches,
				       .ticks = c->ticks };
}

const char *sl_sim_thread_name(const struct sl_sim *s, uint32_t tid, char *buf, size_t len)
{
	if (tid >= s->next_id)
		snprintf(buf, len, "idle");
	else
		snprintf(buf, len, "%s-%u", s->w->task[s->task_of[tid]].name, tid);
	return buf;
}

/* What an object is called, by the operation that waits for it. */
static const char *object_name(const struct sl_sim *s, const struct ethread *t)
{
	uint32_t i = t->blocked_on;

	if (i == SL_NONE)
		return "";
	switch ((enum sl_op_kind)t->waits_for) {
	case SL_OP_LOCK:
		return s->w->mutex[i].name;
	case SL_OP_COND_WAIT:
	case SL_OP_COND_SYNC:
		return s->w->cond[i].name;
	case SL_OP_SEM_WAIT:
		return s->w->sem[i].name;
	case SL_OP_BARRIER:
		return s->w->barrier[i].name;
	case SL_OP_SEND:
	case SL_OP_RECV:
		return s->w->channel[i].name;
	default:
		return "";
	}
}

static const char *const wait_words[SL_OP_KIND_COUNT] = {
	[SL_OP_LOCK] = "mutex",
	[SL_OP_COND_WAIT] = "condition",
	[SL_OP_COND_SYNC] = "condition",
	[SL_OP_BARRIER] = "barrier",
	[SL_OP_SEM_WAIT] = "semaphore",
	[SL_OP_SEND] = "room in channel",
	[SL_OP_RECV] = "data in channel",
	[SL_OP_WAIT_CHILD] = "a child to end",
	[SL_OP_EDGE_WAIT] = "a recorded wake-up by another thread",
};

/* "waits for mutex "m" held by a-1". */
static void describe_wait(const struct sl_sim *s, const struct ethread *t, char *buf, size_t len)
{
	char owner[64] = "";
	const char *what = t->waits_for < SL_OP_KIND_COUNT ? wait_words[t->waits_for] : NULL;

	if (t->waits_for == SL_OP_LOCK && s->mutex[t->blocked_on].owner) {
		char holder[48];

		sl_sim_thread_name(s, s->mutex[t->blocked_on].owner->td.id, holder, sizeof holder);
		snprintf(owner, sizeof owner, " held by %s", holder);
	}
	snprintf(buf, len, "waits for %s%s%s%s%s", what ? what : "an event",
		 t->blocked_on != SL_NONE && object_name(s, t)[0] ? " \"" : "", object_name(s, t),
		 object_name(s, t)[0] ? "\"" : "", owner);
}

static int describe(const struct sl_sim *s, const struct ethread *t, char *buf, size_t len)
{
	char name[64], wait[320];

	describe_wait(s, t, wait, sizeof wait);
	return snprintf(buf, len, "; %s %s", sl_sim_thread_name(s, t->td.id, name, sizeof name),
			wait);
}

bool sl_sim_waits_for(const struct sl_sim *s, uint32_t tid, char *buf, size_t len)
{
	for (uint32_t i = 0; i < s->threads.used; i++) {
		const struct ethread *t = ethread_at(s, i);

		if (t->task == SL_NONE || t->td.id != tid ||
		    (t->td.state != SL_TS_SLEEP && t->td.state != SL_TS_BLOCKED) ||
		    t->waits_for >= SL_OP_KIND_COUNT || !wait_words[t->waits_for])
			continue;
		describe_wait(s, t, buf, len);
		return true;
	}
	return false;
}

void sl_result_deadlock(struct sl_sim *s)
{
	char text[1800];
	size_t at = 0;
	uint32_t shown = 0;

	if (s->fault[0])
		return;
	text[0] = '\0';
	for (uint32_t i = 0; i < s->threads.used && shown < 20; i++) {
		const struct ethread *t = ethread_at(s, i);
		int n;

		if (t->task == SL_NONE || t->background ||
		    (t->td.state != SL_TS_SLEEP && t->td.state != SL_TS_BLOCKED))
			continue;
		n = describe(s, t, text + at, sizeof text - at);
		if (n < 0 || (size_t)n >= sizeof text - at)
			break;
		at += (size_t)n;
		shown++;
	}
	snprintf(s->fault, sizeof s->fault,
		 "deadlock at %llu ns: %u threads can never run again%s%s",
		 (unsigned long long)s->pol.now, s->living, text,
		 s->living > shown ? "; and others" : "");
	/* A run with a time limit goes on to it, as its log must; the fault stays to be read. */
	if (s->bounded)
		return;
	s->ended = true;
	s->end = SL_END_DEADLOCK;
}

void sl_result_program(struct sl_sim *s, const struct ethread *t, const char *what,
		       const char *name)
{
	char thread[64];

	sl_sim_fail(s, SL_END_PROGRAM,
		    "program fault at %llu ns: %s %s \"%s\" (operation %u of %u of task %s)",
		    (unsigned long long)s->pol.now,
		    sl_sim_thread_name(s, t->td.id, thread, sizeof thread), what, name,
		    t->pc < s->w->task[t->task].n_ops ? t->pc + 1 : s->w->task[t->task].n_ops,
		    s->w->task[t->task].n_ops, s->w->task[t->task].name);
}
