/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab explain: one question about one run. */
#include "sim/cli/verbs.h"

#include <string.h>

#include "sim/cli/setup.h"
#include "sim/cli/waited.h"

struct explain_options {
	struct sl_setup_options setup;
	char *question; /* THREAD@TIME */
};

/* What thread tid sleeps on at the instant: the same run again, up to there. NULL: nothing with a
 * name. */
static char *slept_on(const struct sl_setup *setup, uint32_t tid, sl_time at)
{
	struct sl_sim_args args;
	struct sl_sim *sim;
	char text[400], why[512];
	bool found;

	sl_setup_args(setup, 0, &args);
	args.until = at + 1;
	sim = sl_sim_new(&args, why, sizeof(why));
	if (!sim)
		return NULL;
	sl_sim_run(sim);
	found = sl_sim_waits_for(sim, tid, text, sizeof(text));
	sl_sim_free(sim);
	return found ? g_strdup(text) : NULL;
}

static int tell(const struct sl_cli *cli, struct sl_waited *w, sl_time at,
		const struct sl_setup *setup, enum sl_end end, const char *fault)
{
	uint32_t sleeper = sl_waited_sleeper(w);
	char *object = sleeper == SL_REC_IDLE ? NULL : slept_on(setup, sleeper, at);
	GError *error = NULL;
	int code = SL_EXIT_OK;

	if (!sl_waited_tell(w, object, &error))
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	else if (sl_end_exit(end) == SL_EXIT_FAULT)
		code = sl_cli_complain(cli, sl_end_exit(end), "%s", fault);
	g_free(object);
	return code;
}

static int answer(const struct sl_cli *cli, const char *thread, sl_time at,
		  const struct sl_setup *setup)
{
	struct sl_waited *w = sl_waited_new(thread, at, setup->topo);
	const _Atomic bool *interrupted = sl_cli_catch_signals();
	struct sl_sink sink = sl_waited_sink(w);
	struct sl_sim_args args;
	struct sl_sim *sim;
	enum sl_end end;
	int code;
	char why[512];

	sl_setup_args(setup, 0, &args);
	args.explain = true;
	args.sinks = &sink;
	args.n_sinks = 1;
	args.stop = sl_waited_done(w);
	sl_waited_interrupt(w, interrupted);
	sim = sl_sim_new(&args, why, sizeof(why));
	if (!sim) {
		code = sl_cli_no_sim(cli, why);
	} else {
		sl_waited_bind(w, sim);
		end = sl_sim_run(sim);
		code = *interrupted ? sl_cli_complain(cli, SL_EXIT_INTERRUPTED,
						      "interrupted before there was an answer")
				    : tell(cli, w, at, setup, end, sl_sim_fault(sim));
	}
	sl_sim_free(sim);
	sl_waited_free(w);
	return code;
}

static int explain(const struct sl_cli *cli, const struct explain_options *o,
		   const struct sl_setup *setup)
{
	char *mark = strrchr(o->question, '@'), *thread;
	GError *error = NULL;
	sl_time at;
	int code;

	if (setup->policies->len != 1)
		return sl_cli_complain(cli, SL_EXIT_INPUT, "one -p POLICY is expected");
	if (!mark || mark == o->question)
		return sl_cli_complain(cli, SL_EXIT_INPUT,
				       "--why-waited %s: expected THREAD@TIME, for example "
				       "late-3@12ms",
				       o->question);
	if (!sl_spec_duration(mark + 1, &at, &error))
		return sl_cli_fail(cli, error, SL_EXIT_INPUT);
	thread = g_strndup(o->question, (gsize)(mark - o->question));
	code = answer(cli, thread, at, setup);
	g_free(thread);
	return code;
}

int sl_verb_explain(const struct sl_cli *cli, int argc, char **argv)
{
	struct explain_options o = { 0 };
	const GOptionEntry own[] = {
		{ "why-waited", 0, 0, G_OPTION_ARG_FILENAME, &o.question,
		  "Why did THREAD not run at TIME?", "THREAD@TIME" },
		{ 0 },
	};
	GOptionEntry common[SL_SETUP_ENTRIES];
	const GOptionEntry *groups[] = { common, own };
	struct sl_setup setup;
	int code = SL_EXIT_USAGE;

	sl_setup_entries(&o.setup, common);
	if (!sl_cli_parse(cli, &argc, &argv, groups, SL_ARRAY_LEN(groups))) {
		/* said already */
	} else if (argc > 1) {
		code = sl_cli_complain(cli, SL_EXIT_USAGE, "unexpected argument \"%s\"", argv[1]);
	} else if (!o.question) {
		code = sl_cli_complain(cli, SL_EXIT_USAGE, "--why-waited THREAD@TIME is missing");
	} else {
		code = sl_setup_load(cli, &o.setup, &setup);
		if (code == SL_EXIT_OK) {
			code = explain(cli, &o, &setup);
			sl_setup_free(&setup);
		}
	}
	g_free(o.question);
	sl_setup_options_clear(&o.setup);
	return code;
}
