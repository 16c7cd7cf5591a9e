/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The import report in words.
 * Invariant: a line about a repair is printed only when there was one, so that a report
 * without such lines means a clean trace. */
#include "traces/import.h"

#include <inttypes.h>

struct fact {
	uint64_t count;
	const char *text;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static double seconds(sl_time ns)
{
	return (double)ns / 1e9;
}

static void print_repairs(const struct sl_import_report *r, FILE *out)
{
	const struct fact facts[] = {
		{ r->truncated, "the file is cut off: its end is missing" },
		{ r->reversed, "written newest first: read backwards" },
		{ r->shifted_states, "state letters are one too high (kernel 4.14 to 4.20-rc): "
				     "put right" },
		{ r->bad_lines, "scheduler events not understood: skipped" },
		{ r->lost_marks, "marks of lost events: CPU state taken as unknown there" },
		{ r->swapped, "events out of time order: moved" },
		{ r->backwards, "stamps that ran backwards on their CPU: raised" },
		{ r->leapt, "single stamps far ahead of their CPU's others: lowered" },
		{ r->late, "events far out of time order: stamp raised" },
		{ r->healed, "switches missing from a CPU's chain: put back" },
		{ r->unseen_wakes, "blocked threads ran without a wake-up seen: slept until then" },
		{ r->early_wakes, "wake-ups just before the switch-out they end: paired" },
		{ r->void_wakes, "wake-ups of threads that then never blocked: ignored" },
		{ r->idle_wakes, "wake-ups of runnable threads: ignored" },
		{ r->unknown_wakers, "wake-ups without a trustworthy waker: slept as recorded" },
		{ r->revived, "exited threads seen again: continued" },
		{ r->reused_pids, "thread numbers used again: new threads" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(facts); i++)
		if (facts[i].count)
			fprintf(out, "repair: %" PRIu64 " %s\n", facts[i].count, facts[i].text);
	if (r->first_bad)
		fprintf(out,
			"first event not understood: line %" PRIu64 ", column %" PRIu64
			", expected %s\n",
			r->first_bad, r->bad_column, r->bad_expected);
	if (r->switches >= 100 && r->healed * 100 > r->switches)
		fprintf(out,
			"warning: %.1f %% of the switches are missing; read the results with "
			"care\n",
			percent(r->healed, r->switches));
	if (r->spins >= 50 && r->spins * 100 > r->switches)
		fprintf(out,
			"warning: %" PRIu64
			" turns were short, ended runnable and came in rows: threads that wait "
			"by sched_yield(); a replay spins as long as they did here\n",
			r->spins);
}

static void print_workload(const struct sl_import_report *r, FILE *out)
{
	uint64_t waits = r->edges + r->sleeps + r->periodic;
	uint64_t wakes = r->wakings ? r->wakings : r->wakeups;
	uint64_t vain = r->idle_wakes + r->void_wakes + r->unknown_wakers;

	fprintf(out, "root: %s\n", r->root[0] ? r->root : "all user threads");
	fprintf(out, "threads: %" PRIu64 " of %" PRIu64 " replayed\n", r->selected, r->threads);
	fprintf(out, "cpu time: %.6f s replayed of %.6f s (%.1f %%)\n", seconds(r->selected_cpu),
		seconds(r->cpu_time), percent(r->selected_cpu, r->cpu_time));
	if (r->runtime_sum)
		fprintf(out, "cpu time by sched_stat_runtime: %.6f s (switches give %+.2f %%)\n",
			seconds(r->runtime_sum), percent(r->cpu_time, r->runtime_sum) - 100.0);
	fprintf(out, "recorded time: %.6f s\n", seconds(r->makespan));
	fprintf(out,
		"waits: %" PRIu64 ", %.1f %% ended by a replayed thread, %.1f %% timed, "
		"%.1f %% unexplained\n",
		waits, percent(r->edges, waits),
		percent(r->sleeps + r->periodic - r->unexplained, waits),
		percent(r->unexplained, waits));
	fprintf(out,
		"wake-ups: %" PRIu64 ", %.1f %% end a wait by somebody known, an interrupt or a "
		"timer\n",
		wakes, percent(vain < wakes ? wakes - vain : 0, wakes));
	if (r->edges_cut)
		fprintf(out, "waits for threads left out, kept as sleeps: %" PRIu64 "\n",
			r->edges_cut);
	if (r->timeouts)
		fprintf(out, "time-outs folded into their wait: %" PRIu64 "\n", r->timeouts);
	if (r->periodic)
		fprintf(out, "timed waits made absolute: %" PRIu64 "\n", r->periodic);
	if (r->wake_samples)
		fprintf(out, "wake-up latency of an idle cpu: %.1f us, median of %" PRIu64 "\n",
			(double)r->wake_latency / 1e3, r->wake_samples);
}

void sl_import_report_print(const struct sl_import_report *r, FILE *out)
{
	fprintf(out, "format: %s\n", r->format ? r->format : "unknown");
	if (r->events) {
		fprintf(out, "lines: %" PRIu64 ", scheduler events: %" PRIu64 "\n", r->lines,
			r->events);
		fprintf(out,
			"switches: %" PRIu64 ", wake-ups: %" PRIu64 ", forks: %" PRIu64
			", exits: %" PRIu64 "\n",
			r->switches, r->wakings ? r->wakings : r->wakeups, r->forks, r->exits);
		fprintf(out, "span: %.6f s on %u cpus\n", seconds(r->span), r->cpus);
		print_repairs(r, out);
		print_workload(r, out);
	} else if (r->selected) {
		/* A list of jobs. */
		fprintf(out, "lines: %" PRIu64 ", jobs: %" PRIu64 "\n", r->lines, r->selected - 1);
		print_repairs(r, out);
		fprintf(out, "cpu time: %.3f s at most, recorded time: %.3f s\n",
			seconds(r->selected_cpu), seconds(r->makespan));
	}
}
