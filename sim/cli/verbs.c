/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The verb table: everything the program can do. */
#include "sim/cli/verbs.h"

const struct sl_verb sl_verbs[] = {
	{ "run", "-t TOPO -p POLICY -w WORKLOAD", "Run one simulation and report on it.", false,
	  sl_verb_run },
	{ "compare", "-t TOPO -w WORKLOAD -p A -p B",
	  "Run policies many times and say which is faster, as ministat(1) does.", false,
	  sl_verb_compare },
	{ "sweep", "plan|run|status|merge|report|submit FILE",
	  "Compare over many machines, workloads and parameters.", false, sl_verb_sweep },
	{ "ministat", "[FILE...]", "Statistics of columns of numbers, as ministat(1).", true,
	  sl_verb_ministat },
	{ "import", "TRACE", "Read a recorded trace, report on it, convert it.", false,
	  sl_verb_import },
	{ "list", "policies|topologies|workloads|tunables|metrics|costs",
	  "List what there is, one per line.", false, sl_verb_list },
	{ "show", "topology|policy|workload NAME", "Show one thing in full.", false, sl_verb_show },
	{ "lint", "WORKLOAD...", "Check workload files without running them.", false,
	  sl_verb_lint },
	{ "explain", "-t TOPO -p POLICY -w WORKLOAD --why-waited THREAD@TIME",
	  "Say why a thread waited.", false, sl_verb_explain },
	{ "timehist", "-t TOPO -p POLICY -w WORKLOAD",
	  "A line for each turn on a CPU, as perf sched timehist.", false, sl_verb_timehist },
	{ "latency", "-t TOPO -p POLICY -w WORKLOAD",
	  "Run time and delay of each task, as perf sched latency.", false, sl_verb_latency },
	{ "map", "-t TOPO -p POLICY -w WORKLOAD", "Who runs where, as perf sched map.", false,
	  sl_verb_map },
	{ "record", "-- COMMAND [ARGUMENT...]",
	  "Record a command with perf, as a workload to replay (Linux).", false, sl_verb_record },
	{ "export", "FORMAT -t TOPO -p POLICY -w WORKLOAD",
	  "Write a run as a trace: ftrace, perf, ktr, chrome or perfetto.", true, sl_verb_export },
	{ NULL, NULL, NULL, false, NULL },
};
