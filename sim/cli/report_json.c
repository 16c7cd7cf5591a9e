/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The report as JSON. Keys are only ever added; a change of meaning changes the schema's
 * number. Times are integers in ns, digests strings of 16 hexadecimal digits. */
#include "sim/cli/report.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

#include "sim/cli/check_fatal.h"
#include "sim/cli/metrics.h"
#include "sim/cli/tunables.h"

static void put_int(JsonBuilder *b, const char *key, uint64_t value)
{
	json_builder_set_member_name(b, key);
	json_builder_add_int_value(b, (gint64)value);
}

static void put_text(JsonBuilder *b, const char *key, const char *value)
{
	char *valid = value ? g_utf8_make_valid(value, -1) : NULL;

	json_builder_set_member_name(b, key);
	if (valid)
		json_builder_add_string_value(b, valid);
	else
		json_builder_add_null_value(b);
	g_free(valid);
}

static void put_digest(JsonBuilder *b, const char *key, uint64_t value)
{
	char text[17];

	g_snprintf(text, sizeof(text), "%016" G_GINT64_MODIFIER "x", (guint64)value);
	put_text(b, key, text);
}

static void put_tunable(const struct sl_tunable_view *view, void *ctx)
{
	put_int(ctx, view->name, (uint64_t)view->value);
}

static void put_inputs(JsonBuilder *b, const struct sl_report *r)
{
	const struct sl_setup *s = r->setup;
	struct sl_policy_spec *spec = s->policies->pdata[0];
	char *title = sl_policy_spec_title(spec);
	char seed[24];

	put_text(b, "schema", "schedlab-run/1");
	put_text(b, "version", SL_VERSION);
	put_text(b, "command", r->cli->command_line);
	put_text(b, "topology", s->topo->name);
	put_digest(b, "topology_digest", s->topo_digest);
	put_int(b, "cpus", s->topo->ncpus);
	put_text(b, "policy", title);
	put_text(b, "workload", s->work.workload->name);
	put_digest(b, "workload_digest", s->work.workload->digest);
	put_text(b, "costs", s->costs->name);
	/* A seed may exceed what JSON readers keep of a number. */
	g_snprintf(seed, sizeof(seed), "%" G_GUINT64_FORMAT, (guint64)s->seed);
	put_text(b, "seed", seed);
	json_builder_set_member_name(b, "tunables");
	json_builder_begin_object(b);
	sl_tunables_each(spec, r->sim, put_tunable, b, NULL);
	json_builder_end_object(b);
	g_free(title);
}

static void put_totals(JsonBuilder *b, const struct sl_report *r, const struct sl_totals *t)
{
	put_text(b, "end", sl_end_text(r->end));
	json_builder_set_member_name(b, "partial");
	json_builder_add_boolean_value(b, r->end == SL_END_STOPPED);
	put_text(b, "fault", sl_sim_fault(r->sim));
	put_int(b, "end_ns", t->end_ns);
	put_int(b, "events", t->events);
	put_int(b, "ticks", t->ticks);
	put_int(b, "wakeups", t->wakeups);
	put_int(b, "forks", t->forks);
	put_int(b, "exits", t->exits);
	put_int(b, "marks", t->marks);
	json_builder_set_member_name(b, "metrics");
	json_builder_begin_object(b);
	for (int i = 0; i < SL_METRIC_DEFS; i++) {
		json_builder_set_member_name(b, sl_metric_defs[i].name);
		json_builder_add_double_value(b, sl_metric_defs[i].value(t));
	}
	json_builder_end_object(b);
	if (r->setup->work.workload->recorded)
		put_int(b, "recorded_ns", r->setup->work.workload->recorded);
	put_digest(b, "digest", t->digest);
}

static void put_latency(JsonBuilder *b, const struct sl_totals *t)
{
	json_builder_set_member_name(b, "latency_ns");
	json_builder_begin_object(b);
	put_int(b, "count", t->latency_n);
	put_int(b, "sum", t->latency_sum);
	put_int(b, "max", t->latency_max);
	json_builder_set_member_name(b, "histogram");
	json_builder_begin_array(b);
	for (uint32_t i = 0; i < SL_LATENCY_BUCKETS; i++) {
		if (!t->latency[i])
			continue;
		json_builder_begin_array(b);
		json_builder_add_int_value(b, (gint64)sl_latency_low(i));
		json_builder_add_int_value(b, (gint64)t->latency[i]);
		json_builder_end_array(b);
	}
	json_builder_end_array(b);
	json_builder_end_object(b);
}

static void put_thread(JsonBuilder *b, struct sl_sim *sim, const struct sl_thread_result *t)
{
	char name[256];

	json_builder_begin_object(b);
	put_text(b, "name", sl_sim_thread_name(sim, t->id, name, sizeof(name)));
	put_int(b, "id", t->id);
	put_int(b, "started_ns", t->started);
	if (t->exited)
		put_int(b, "ended_ns", t->ended);
	put_int(b, "user_ns", t->user_ns);
	put_int(b, "sys_ns", t->sys_ns);
	put_int(b, "wait_ns", t->wait_ns);
	put_int(b, "switches", t->switches);
	put_int(b, "voluntary", t->voluntary);
	put_int(b, "involuntary", t->involuntary);
	put_int(b, "migrations", t->migrations);
	put_int(b, "wakeups", t->wakeups);
	put_int(b, "bursts", t->bursts);
	put_int(b, "user_pri", t->user_pri);
	put_int(b, "nice", (uint64_t)(int64_t)t->nice);
	json_builder_end_object(b);
}

static void put_tables(JsonBuilder *b, const struct sl_report *r)
{
	json_builder_set_member_name(b, "threads");
	json_builder_begin_array(b);
	for (uint32_t i = 0; i < sl_sim_thread_count(r->sim); i++) {
		struct sl_thread_result t;

		if (sl_sim_thread(r->sim, i, &t))
			put_thread(b, r->sim, &t);
	}
	json_builder_end_array(b);
	json_builder_set_member_name(b, "cpu");
	json_builder_begin_array(b);
	for (uint32_t i = 0; i < r->setup->topo->ncpus; i++) {
		struct sl_cpu_result c;

		sl_sim_cpu(r->sim, i, &c);
		json_builder_begin_object(b);
		put_int(b, "id", i);
		put_int(b, "busy_ns", c.busy_ns);
		put_int(b, "idle_ns", c.idle_ns);
		put_int(b, "switches", c.switches);
		put_int(b, "ticks", c.ticks);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
}

static void put_gap(JsonBuilder *b, struct sl_sim *sim, const struct sl_gap *gap)
{
	char event[320];

	json_builder_begin_object(b);
	put_int(b, "opened_ns", gap->opened);
	put_int(b, "closed_ns", gap->closed);
	put_int(b, "thread", gap->tid);
	put_int(b, "idle_cpu", gap->idle_cpu);
	put_int(b, "ran_on", (uint64_t)(int64_t)gap->ran_on);
	put_text(b, "opening",
		 sl_gap_event_text(sim, gap->opening, gap->opening_tid, gap, event, sizeof(event)));
	put_text(b, "closing",
		 sl_gap_event_text(sim, gap->closing, gap->closing_tid, gap, event, sizeof(event)));
	json_builder_end_object(b);
}

static void put_gaps(JsonBuilder *b, const struct sl_report *r)
{
	const struct sl_observed *o = r->observed;

	put_int(b, "gaps", o->gaps);
	put_int(b, "long_gaps", o->long_gaps);
	put_int(b, "gap_ns", o->gap_sum);
	put_int(b, "wasted_ns", o->wasted);
	json_builder_set_member_name(b, "gap_length");
	json_builder_begin_array(b);
	for (uint32_t i = 0; i < SL_OBSERVE_BUCKETS; i++) {
		if (o->gap_length[i] == 0)
			continue;
		json_builder_begin_object(b);
		put_int(b, "from_ns", (uint64_t)1 << i);
		put_int(b, "gaps", o->gap_length[i]);
		json_builder_end_object(b);
	}
	json_builder_end_array(b);
	json_builder_set_member_name(b, "longest");
	json_builder_begin_array(b);
	for (uint32_t i = 0; i < o->n_worst; i++)
		put_gap(b, r->sim, &o->worst[i]);
	json_builder_end_array(b);
}

static void put_observed(JsonBuilder *b, const struct sl_report *r)
{
	const struct sl_observed *o = r->observed;
	const struct sl_hogs *h = &o->hogs;

	json_builder_set_member_name(b, "observed");
	json_builder_begin_object(b);
	put_gaps(b, r);
	put_int(b, "grace_ns", o->grace);
	put_int(b, "migrations", o->migrations);
	put_int(b, "off_idle_cpu", o->home_idle);
	put_int(b, "back_again", o->back_again);
	put_int(b, "threads_judged", o->judged);
	put_int(b, "threads_left_out", o->left_out);
	if (o->has_hogs) {
		json_builder_set_member_name(b, "hogs");
		json_builder_begin_object(b);
		put_text(b, "task", r->setup->work.workload->task[h->task].name);
		put_int(b, "threads", h->n);
		put_int(b, "run_permille_least", h->run_min);
		put_int(b, "run_permille_most", h->run_max);
		put_int(b, "wait_permille_least", h->wait_min);
		put_int(b, "wait_permille_mean", h->wait_mean);
		put_int(b, "wait_permille_most", h->wait_max);
		json_builder_end_object(b);
	}
	json_builder_end_object(b);
}

void sl_report_json(const struct sl_report *r)
{
	JsonBuilder *b = json_builder_new();
	JsonNode *root;
	struct sl_totals t;
	char *text;

	sl_sim_totals(r->sim, &t);
	json_builder_begin_object(b);
	put_inputs(b, r);
	put_totals(b, r, &t);
	put_latency(b, &t);
	put_tables(b, r);
	if (r->observed)
		put_observed(b, r);
	json_builder_end_object(b);
	root = json_builder_get_root(b);
	text = json_to_string(root, TRUE);
	puts(text);
	g_free(text);
	json_node_unref(root);
	g_object_unref(b);
}
