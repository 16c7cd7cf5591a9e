/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The readable report. Times are printed from integers; two runs that are equal print
 * equal bytes. */
#include "sim/cli/report.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/metrics.h"
#include "sim/cli/tunables.h"

/* Rows of a table before it is cut short; --json has them all. */
#define ROWS_MOST 64

static void print_seconds(const char *label, sl_time ns)
{
	printf("%-9s %" G_GUINT64_FORMAT ".%06u s\n", label, (guint64)(ns / SL_NS_PER_S),
	       (unsigned)(ns % SL_NS_PER_S / SL_NS_PER_US));
}

static void print_head(const struct sl_report *r)
{
	const struct sl_setup *s = r->setup;
	struct sl_policy_spec *spec = s->policies->pdata[0];
	char *title = sl_policy_spec_title(spec);

	printf("schedlab  " SL_VERSION "\n");
	printf("command   %s\n", r->cli->command_line);
	printf("topology  %s, %u CPU%s, digest %016" G_GINT64_MODIFIER "x\n", s->topo->name,
	       s->topo->ncpus, s->topo->ncpus == 1 ? "" : "s", (guint64)s->topo_digest);
	printf("policy    %s\n", title);
	printf("workload  %s, digest %016" G_GINT64_MODIFIER "x\n", s->work.workload->name,
	       (guint64)s->work.workload->digest);
	printf("costs     %s\n", s->costs->name);
	printf("seed      %" G_GUINT64_FORMAT "\n", (guint64)s->seed);
	printf("end       %s%s\n\n", sl_end_text(r->end),
	       r->end == SL_END_STOPPED ? ": PARTIAL RESULT" : "");
	g_free(title);
}

/* How long the recording itself took, beside the replay. */
static void print_recorded(const struct sl_report *r, const struct sl_totals *t)
{
	sl_time recorded = r->setup->work.workload->recorded;

	if (recorded)
		printf("recorded  %" G_GUINT64_FORMAT ".%06u s (replayed %+.2f %%)\n",
		       (guint64)(recorded / SL_NS_PER_S),
		       (unsigned)(recorded % SL_NS_PER_S / SL_NS_PER_US),
		       ((double)t->real_ns / (double)recorded - 1) * 100);
}

static void print_totals(const struct sl_report *r, const struct sl_totals *t)
{
	static const struct {
		const char *name;
		size_t offset;
	} counts[] = {
		{ "switches", offsetof(struct sl_totals, switches) },
		{ "preemptions", offsetof(struct sl_totals, preemptions) },
		{ "migrations", offsetof(struct sl_totals, migrations) },
		{ "steals", offsetof(struct sl_totals, steals) },
		{ "wakeups", offsetof(struct sl_totals, wakeups) },
		{ "forks", offsetof(struct sl_totals, forks) },
		{ "exits", offsetof(struct sl_totals, exits) },
		{ "marks", offsetof(struct sl_totals, marks) },
	};

	print_seconds("real", t->real_ns);
	print_recorded(r, t);
	print_seconds("user", t->user_ns);
	print_seconds("sys", t->sys_ns);
	print_seconds("wait", t->wait_ns);
	print_seconds("idle", t->idle_ns);
	print_seconds("wasted", t->wasted_ns);
	printf("\n");
	for (size_t i = 0; i < SL_ARRAY_LEN(counts); i++)
		printf("%-11s %12" G_GUINT64_FORMAT "%s", counts[i].name,
		       *(const guint64 *)(const void *)((const char *)t + counts[i].offset),
		       i % 3 == 2 ? "\n" : "   ");
	printf("\n\nlatency, wake-up to run (%" G_GUINT64_FORMAT " wake-ups)\n",
	       (guint64)t->latency_n);
	if (t->latency_n)
		printf("  mean %.3f us  50%% %.3f us  90%% %.3f us  99%% %.3f us  99.9%% %.3f us  "
		       "max %.3f us\n",
		       (double)t->latency_sum / (double)t->latency_n / 1e3,
		       sl_latency_quantile(t, 500) / 1e3, sl_latency_quantile(t, 900) / 1e3,
		       sl_latency_quantile(t, 990) / 1e3, sl_latency_quantile(t, 999) / 1e3,
		       (double)t->latency_max / 1e3);
}

static void print_cut(uint32_t rows)
{
	if (rows > ROWS_MOST)
		printf("  ... and %u more; --json has them all\n", rows - ROWS_MOST);
}

static void print_threads(struct sl_sim *sim)
{
	uint32_t n = sl_sim_thread_count(sim), shown = 0;

	printf("\n%-24s %12s %12s %12s %9s %9s %9s %8s %5s %4s\n", "thread", "user s", "sys s",
	       "wait s", "switches", "vol", "invol", "migr", "upri", "nice");
	for (uint32_t i = 0; i < n; i++) {
		struct sl_thread_result t;
		char name[256];

		if (!sl_sim_thread(sim, i, &t) || shown++ >= ROWS_MOST)
			continue;
		printf("%-24s %12.6f %12.6f %12.6f %9" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT
		       " %9" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %5u %4d\n",
		       sl_sim_thread_name(sim, t.id, name, sizeof(name)), (double)t.user_ns / 1e9,
		       (double)t.sys_ns / 1e9, (double)t.wait_ns / 1e9, (guint64)t.switches,
		       (guint64)t.voluntary, (guint64)t.involuntary, (guint64)t.migrations,
		       t.user_pri, t.nice);
	}
	print_cut(shown);
}

static void print_cpus(const struct sl_report *r)
{
	uint32_t n = r->setup->topo->ncpus;

	printf("\n%-5s %14s %14s %12s %12s\n", "CPU", "busy s", "idle s", "switches", "ticks");
	for (uint32_t i = 0; i < n && i < ROWS_MOST; i++) {
		struct sl_cpu_result c;

		sl_sim_cpu(r->sim, i, &c);
		printf("%-5u %14.6f %14.6f %12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT "\n", i,
		       (double)c.busy_ns / 1e9, (double)c.idle_ns / 1e9, (guint64)c.switches,
		       (guint64)c.ticks);
	}
	print_cut(n);
}

static void print_tunable(const struct sl_tunable_view *view, void *ctx)
{
	(void)ctx;
	printf("  %s=%" G_GINT64_FORMAT "%s\n", view->name, (gint64)view->value,
	       view->changed ? "  (changed)" : "");
}

void sl_report_text(const struct sl_report *r)
{
	struct sl_totals t;

	sl_sim_totals(r->sim, &t);
	print_head(r);
	print_totals(r, &t);
	print_threads(r->sim);
	print_cpus(r);
	if (r->observed)
		sl_report_check_text(r);
	printf("\ntunables in force\n");
	sl_tunables_each(r->setup->policies->pdata[0], r->sim, print_tunable, NULL, NULL);
	printf("\ndigest    %016" G_GINT64_MODIFIER "x\n", (guint64)t.digest);
}
