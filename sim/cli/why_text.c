/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One row per reason; {a} {b} {c} stand for the inputs, whose meaning policy.h and
 * docs/policies.md state. */
#include "sim/cli/why_text.h"

static const struct {
	const char *name, *sentence;
} reasons[SL_WHY_COUNT] = {
	[SL_WHY_NONE] = { "none", "no reason was given ({a}, {b}, {c})" },
	[SL_WHY_PLACE_SELF] = { "place-self", "put on this CPU, {b} (rule {a}, load {c})" },
	[SL_WHY_PLACE_PINNED] = { "place-pinned", "may run on CPU {b} only (rule {a}, load {c})" },
	[SL_WHY_PLACE_AFFINE] = { "place-affine",
				  "put on its last CPU {b}, idle and still warm (rule {a}, load "
				  "{c})" },
	[SL_WHY_PLACE_INTR] = { "place-intr",
				"woken by an interrupt: put on CPU {b} that took it (rule {a}, "
				"load {c})" },
	[SL_WHY_PLACE_WARM] = { "place-warm",
				"put on idle CPU {b} that shares a warm cache (rule {a}, load "
				"{c})" },
	[SL_WHY_PLACE_LOWPRI] = { "place-lowpri",
				  "put on CPU {b}, which runs something less urgent (rule {a}, "
				  "load {c})" },
	[SL_WHY_PLACE_ANY] = { "place-any", "put on CPU {b}, the least loaded (rule {a}, load "
					    "{c})" },
	[SL_WHY_PREEMPT_LOCAL] = { "preempt-local",
				   "preempts: priority {a} against {b} running, threshold {c}" },
	[SL_WHY_PREEMPT_REMOTE] = { "preempt-remote",
				    "another CPU is interrupted: priority {a} against {b} there, "
				    "threshold {c}" },
	[SL_WHY_PREEMPT_NO] = { "preempt-no",
				"does not preempt: priority {a} against {b} running, threshold "
				"{c}" },
	[SL_WHY_RESCHED] = { "resched",
			     "a switch is due at the return to user mode: priority {a} against "
			     "{b} ({c})" },
	[SL_WHY_STEAL] = { "steal", "stolen from CPU {a} (load {b}, {c} transferable)" },
	[SL_WHY_STEAL_NONE] = { "steal-none",
				"nothing to steal: best candidate CPU {a}, load {b}, {c} "
				"transferable" },
	[SL_WHY_BALANCE] = { "balance",
			     "moved by the balancer from CPU {a} to {b}, load difference {c}" },
	[SL_WHY_REQUEUE_HEAD] = { "requeue-head",
				  "back to the head of queue {a}, priority {b} (switch flags "
				  "{c})" },
	[SL_WHY_REQUEUE_TAIL] = { "requeue-tail",
				  "back to the tail of queue {a}, priority {b} (switch flags "
				  "{c})" },
	[SL_WHY_ENQUEUE] = { "enqueue", "queued in {a}, priority {b} (add flags {c})" },
	[SL_WHY_PRIORITY] = { "priority",
			      "user priority goes from {a} to {b} (score or estcpu {c})" },
	[SL_WHY_INTERACTIVE] = { "interactive",
				 "becomes interactive: score {a} to {b}, threshold {c}" },
	[SL_WHY_BATCH] = { "batch", "becomes batch: score {a} to {b}, threshold {c}" },
	[SL_WHY_SLICE_END] = { "slice-end", "its slice is used up: {a} ticks of {b}" },
	[SL_WHY_FORWARD] = { "forward", "idle CPU {a} is woken for it, {b} in all" },
	[SL_WHY_CHOOSE] = { "choose", "chosen from queue {a}, priority {b}" },
	[SL_WHY_DECAY] = { "decay", "estcpu decays from {a} to {b} at load average {c}" },
};

static bool known(enum sl_why why)
{
	return (unsigned)why < SL_WHY_COUNT && reasons[why].name;
}

const char *sl_why_name(enum sl_why why)
{
	return known(why) ? reasons[why].name : "unknown";
}

void sl_why_sentence(GString *to, enum sl_why why, int64_t a, int64_t b, int64_t c)
{
	const char *at = known(why) ? reasons[why].sentence : "reason unknown to this program";

	for (; *at; at++) {
		if (at[0] != '{' || !at[1] || at[2] != '}') {
			g_string_append_c(to, *at);
			continue;
		}
		g_string_append_printf(to, "%" G_GINT64_FORMAT,
				       (gint64)(at[1] == 'a'   ? a
						: at[1] == 'b' ? b
							       : c));
		at += 2;
	}
}
