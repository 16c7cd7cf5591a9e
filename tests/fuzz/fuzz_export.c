/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Any names and any lawful order of records, exported: what our own readers read comes back
 * without a line that is not understood, and with all of its CPU time. */
#define _POSIX_C_SOURCE 200809L

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/policy.h"
#include "tests/traces/test_import_check.h"
#include "traces/export.h"
#include "traces/import.h"

#define CPUS	    3u
#define THREADS	    4u
#define NAME_MAX_   18u
#define RECORDS_MAX 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum state { NEW, ASLEEP, READY, RUNNING, GONE };

struct world {
	struct sl_rec rec[RECORDS_MAX];
	uint32_t n;
	sl_time now;
	uint32_t on[CPUS]; /* thread, or SL_REC_IDLE */
	enum state state[THREADS];
	sl_time since[THREADS], cpu_ns;
};

static void emit(struct world *w, struct sl_rec rec)
{
	rec.at = w->now;
	w->rec[w->n++] = rec;
}

/* Thread `next` (or idle) takes the CPU; the one there leaves in `as`. */
static void put_on(struct world *w, uint32_t cpu, uint32_t next, enum state as)
{
	static const uint64_t tstate[] = {
		[ASLEEP] = SL_TS_SLEEP, [READY] = SL_TS_RUNQ, [GONE] = SL_TS_DEAD
	};
	uint32_t prev = w->on[cpu];

	if (prev != SL_REC_IDLE) {
		w->cpu_ns += w->now - w->since[prev];
		w->state[prev] = as;
		if (as == GONE)
			emit(w, (struct sl_rec){
					.kind = SL_REC_EXIT, .cpu = (uint16_t)cpu, .a = prev });
		if (as == ASLEEP)
			emit(w, (struct sl_rec){ .kind = SL_REC_SLEEP,
						 .cpu = (uint16_t)cpu,
						 .a = prev,
						 .c = SL_WPRIO_PSOCK });
	}
	emit(w, (struct sl_rec){ .kind = SL_REC_SWITCH,
				 .cpu = (uint16_t)cpu,
				 .a = prev,
				 .b = next,
				 .aux = prev == SL_REC_IDLE ? 0 : tstate[as] });
	w->on[cpu] = next;
	if (next == SL_REC_IDLE)
		return;
	w->state[next] = RUNNING;
	w->since[next] = w->now;
}

static void step(struct world *w, uint8_t byte)
{
	uint32_t cpu = byte % CPUS, tid = byte / CPUS % THREADS;
	uint32_t cur = w->on[cpu];

	w->now += (sl_time)(byte >> 5) * 1000;
	switch (byte / CPUS / THREADS % 5) {
	case 0: /* somebody new, or woken */
		if (w->state[tid] == NEW)
			emit(w, (struct sl_rec){ .kind = SL_REC_START,
						 .cpu = (uint16_t)cpu,
						 .a = tid,
						 .b = cur,
						 .aux = (uint64_t)tid << 32 });
		else if (w->state[tid] == ASLEEP)
			emit(w, (struct sl_rec){ .kind = SL_REC_WAKE,
						 .cpu = (uint16_t)cpu,
						 .a = tid,
						 .b = byte & 1 ? SL_REC_IDLE : cur,
						 .aux = cpu });
		else
			break;
		w->state[tid] = READY;
		break;
	case 1:
		if (w->state[tid] == READY)
			put_on(w, cpu, tid, READY);
		break;
	case 2:
		if (cur != SL_REC_IDLE)
			put_on(w, cpu, SL_REC_IDLE, ASLEEP);
		break;
	case 3:
		if (cur != SL_REC_IDLE && byte & 1)
			put_on(w, cpu, SL_REC_IDLE, GONE);
		break;
	default:
		if (cur != SL_REC_IDLE)
			put_on(w, cpu, w->state[tid] == READY ? tid : SL_REC_IDLE, READY);
		break;
	}
}

static void read_back(const char *text, size_t len, const struct world *w)
{
	const struct sl_import_opts opts = { .all = true, .keep_kernel = true };
	struct sl_import_report r;
	struct sl_workload *got = sl_trace_import_mem(text, len, "fuzz", &opts, &r, NULL);

	if (r.bad_lines || r.healed || r.truncated)
		abort();
	if (got && (import_check(got) || r.cpu_time != w->cpu_ns))
		abort();
	sl_import_workload_free(got);
}

/* The ends of those who still run, so that nothing is open. */
static void finish(struct world *w)
{
	w->now += 1000;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		if (w->on[cpu] != SL_REC_IDLE)
			put_on(w, cpu, SL_REC_IDLE, GONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char names[THREADS][NAME_MAX_ + 1] = { { 0 } };
	struct sl_task tasks[THREADS] = { { 0 } };
	struct sl_workload workload = { .name = "w", .task = tasks, .n_tasks = THREADS };
	struct world *w;
	const char *format;
	struct sl_export *x;
	char *text = NULL;
	size_t len = 0, at = 1 + sizeof(names);
	FILE *out;

	if (size < at)
		return 0;
	for (uint32_t i = 0; i < THREADS; i++) {
		memcpy(names[i], data + 1 + i * NAME_MAX_, NAME_MAX_);
		tasks[i].name = names[i];
	}
	format = sl_export_format_name(data[0] % 6);
	w = calloc(1, sizeof(*w));
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		w->on[cpu] = SL_REC_IDLE;
	while (at < size && w->n < RECORDS_MAX - 16)
		step(w, data[at++]);
	finish(w);
	out = open_memstream(&text, &len);
	x = sl_export_new(format, &workload, out, NULL, NULL);
	sl_export_sink(x).take(x, w->rec, w->n);
	if (!sl_export_finish(x, w->now, NULL))
		abort();
	fclose(out);
	/* trace.dat costs a process each. */
	if (strcmp(format, "ftrace") == 0 || strcmp(format, "perf") == 0)
		read_back(text, len, w);
	free(text);
	free(w);
	return 0;
}
