/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a rule that was not asked for is never broken. */
#include "sim/cli/check_fatal.h"

#include <string.h>

static const char *const names[SL_FATAL_RULES] = { "conservation", "hogs", "migrations" };

/* Limits when none is given: the observer's grace time, ten points of a hundred, none. */
static const uint64_t limits[SL_FATAL_RULES] = { SL_OBSERVE_GRACE, 100, 0 };

static bool parse_limit(struct sl_fatal *fatal, enum sl_fatal_rule rule, const char *text,
			GError **error)
{
	double percent;

	switch (rule) {
	case SL_FATAL_CONSERVATION:
		if (!sl_spec_duration(text, &fatal->limit[rule], error))
			return false;
		if (fatal->limit[rule] > 0)
			return true;
		g_set_error(error, SL_CLI_ERROR, 0, "expected more than 0");
		return false;
	case SL_FATAL_HOGS:
		if (!sl_spec_real("hogs", text, -1, true, &percent, error))
			return false;
		if (percent >= 0 && percent <= 100) {
			fatal->limit[rule] = (uint64_t)(percent * 10 + 0.5);
			return true;
		}
		g_set_error(error, SL_CLI_ERROR, 0, "expected 0 to 100 percent");
		return false;
	default:
		return sl_spec_number(names[rule], text, 0, UINT64_MAX, &fatal->limit[rule], error);
	}
}

static bool parse_rule(struct sl_fatal *fatal, const char *word, GError **error)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	char *name, *meant;

	for (int i = 0; i < SL_FATAL_RULES; i++) {
		if (strlen(names[i]) != length || strncmp(names[i], word, length) != 0)
			continue;
		fatal->on[i] = true;
		fatal->limit[i] = limits[i];
		return !equals || parse_limit(fatal, (enum sl_fatal_rule)i, equals + 1, error);
	}
	name = g_strndup(word, length);
	meant = sl_cli_did_you_mean(name, names, SL_FATAL_RULES);
	g_set_error(error, SL_CLI_ERROR, 0,
		    "unknown rule \"%s\"%s; expected conservation[=TIME], hogs[=PERCENT], "
		    "migrations[=COUNT] or all",
		    name, meant);
	g_free(name);
	g_free(meant);
	return false;
}

bool sl_fatal_parse(struct sl_fatal *fatal, const char *text, GError **error)
{
	char **words = g_strsplit(strcmp(text, "all") == 0 ? "conservation,hogs,migrations" : text,
				  ",", -1);
	bool ok = true;

	if (!words[0])
		ok = parse_rule(fatal, "", error);
	for (char **word = words; ok && *word; word++)
		ok = parse_rule(fatal, *word, error);
	ok = ok && sl_spec_once(words, NULL, error);
	g_strfreev(words);
	if (!ok)
		g_prefix_error(error, "--check-fatal %s: ", text);
	return ok;
}

sl_time sl_fatal_grace(const struct sl_fatal *fatal)
{
	return fatal->on[SL_FATAL_CONSERVATION] ? fatal->limit[SL_FATAL_CONSERVATION] : 0;
}

const char *sl_gap_event_text(struct sl_sim *sim, enum sl_gap_event event, uint32_t other,
			      const struct sl_gap *gap, char *buf, size_t len)
{
	char name[256];

	sl_sim_thread_name(sim, other, name, sizeof(name));
	switch (event) {
	case SL_GAP_STARTED:
		g_snprintf(buf, len, "it is started");
		break;
	case SL_GAP_WOKEN:
		if (other == SL_REC_IDLE)
			g_snprintf(buf, len, "it is woken by an interrupt");
		else
			g_snprintf(buf, len, "it is woken by %s", name);
		break;
	case SL_GAP_PUT_BACK:
		if (other == SL_REC_IDLE)
			g_snprintf(buf, len, "it is put back and its CPU goes idle");
		else
			g_snprintf(buf, len, "it is put back for %s", name);
		break;
	case SL_GAP_CPU_IDLE:
		g_snprintf(buf, len, "%s leaves the CPU", name);
		break;
	case SL_GAP_RUNS:
		g_snprintf(buf, len, "it gets CPU %d", gap->ran_on);
		break;
	case SL_GAP_TAKEN:
		g_snprintf(buf, len, "%s gets the last idle CPU it may use", name);
		break;
	case SL_GAP_OVER:
		g_snprintf(buf, len, "the run is over");
		break;
	}
	return buf;
}

static bool judge_gaps(const struct sl_fatal *fatal, const struct sl_report *r, const char *policy)
{
	const struct sl_gap *gap = &r->observed->worst[0];
	uint64_t limit = fatal->limit[SL_FATAL_CONSERVATION];
	char name[256], opening[320], closing[320];

	if (r->observed->long_gaps == 0)
		return false;
	sl_cli_note(r->cli,
		    "policy %s breaks rule \"conservation\" %" G_GUINT64_FORMAT
		    " times by more than %.3f ms; the longest: %s waits beside idle CPU %u "
		    "from %.9f s, when %s, to %.9f s, when %s",
		    policy, (guint64)r->observed->long_gaps, (double)limit / 1e6,
		    sl_sim_thread_name(r->sim, gap->tid, name, sizeof(name)), gap->idle_cpu,
		    (double)gap->opened / 1e9,
		    sl_gap_event_text(r->sim, gap->opening, gap->opening_tid, gap, opening,
				      sizeof(opening)),
		    (double)gap->closed / 1e9,
		    sl_gap_event_text(r->sim, gap->closing, gap->closing_tid, gap, closing,
				      sizeof(closing)));
	return true;
}

static bool judge_hogs(const struct sl_fatal *fatal, const struct sl_report *r, const char *policy)
{
	const struct sl_hogs *h = &r->observed->hogs;
	uint64_t limit = fatal->limit[SL_FATAL_HOGS];

	if (!r->observed->has_hogs || h->run_max - h->run_min <= limit)
		return false;
	sl_cli_note(r->cli,
		    "policy %s breaks rule \"hogs\": %u equal threads of task %s got %.1f to "
		    "%.1f %% of a CPU over %.3f s; %.1f points apart are allowed",
		    policy, h->n, r->setup->work.workload->task[h->task].name, h->run_min / 10.0,
		    h->run_max / 10.0, (double)h->window / 1e9, (double)limit / 10);
	return true;
}

static bool judge_moves(const struct sl_fatal *fatal, const struct sl_report *r, const char *policy)
{
	const struct sl_observed *o = r->observed;
	uint64_t limit = fatal->limit[SL_FATAL_MIGRATIONS];

	if (o->home_idle + o->back_again <= limit)
		return false;
	sl_cli_note(r->cli,
		    "policy %s breaks rule \"migrations\": of %" G_GUINT64_FORMAT
		    ", %" G_GUINT64_FORMAT " left an idle CPU and %" G_GUINT64_FORMAT
		    " went back at once; %" G_GUINT64_FORMAT " such are allowed",
		    policy, (guint64)o->migrations, (guint64)o->home_idle, (guint64)o->back_again,
		    (guint64)limit);
	return true;
}

uint32_t sl_fatal_judge(const struct sl_fatal *fatal, const struct sl_report *report)
{
	static bool (*const judge[SL_FATAL_RULES])(
		const struct sl_fatal *, const struct sl_report *,
		const char *) = { judge_gaps, judge_hogs, judge_moves };
	char *policy = sl_policy_spec_title(report->setup->policies->pdata[0]);
	uint32_t broken = 0;

	for (int i = 0; i < SL_FATAL_RULES; i++)
		if (fatal->on[i] && judge[i](fatal, report, policy))
			broken++;
	g_free(policy);
	return broken;
}
