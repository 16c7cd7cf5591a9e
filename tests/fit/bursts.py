#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Bursts, waits and wake-ups of one program in an ftrace text (sched_switch, sched_waking).

usage: bursts.py FILE.ftrace[.gz] COMM[,COMM...]

A burst is the CPU time of a thread between two sleeps; preemption does not end it. A wait is the
time from a sleep to the wake-up that ends it. One line a thread, then who wakes whom how often.
"""
import gzip
import math
import re
import sys

LINE = re.compile(r"^\s*(.+)-(\d+)\s+(?:\(.*?\)\s+)?\[(\d+)\]\s+(\S+)\s+(\d+\.\d+): (\w+): (.*)$")
SWITCH = re.compile(r"prev_comm=(.*) prev_pid=(\d+) prev_prio=\d+ prev_state=(\S+) ==> "
                    r"next_comm=(.*) next_pid=(\d+)")
WAKE = re.compile(r"comm=(.*) pid=(\d+) prio=")


def quantiles(v):
    v = sorted(v)
    if not v:
        return "-"
    at = [v[min(len(v) - 1, int(p * len(v)))] for p in (0.1, 0.5, 0.9)]
    logs = [math.log(x) for x in v if x > 0]
    mean = sum(logs) / len(logs) if logs else 0
    sd = math.sqrt(sum((x - mean) ** 2 for x in logs) / len(logs)) if logs else 0
    return "n %6d mean %8.3f p10 %8.3f p50 %8.3f p90 %8.3f sdlog %4.2f" % (
        len(v), sum(v) / len(v), at[0], at[1], at[2], sd)


def main():
    name, comms = sys.argv[1], sys.argv[2].split(",")
    opened = gzip.open(name, "rt", errors="replace") if name.endswith(".gz") else open(name)
    on, burst, sleep_at, comm_of = {}, {}, {}, {}
    bursts, waits, wakes, cpu = {}, {}, {}, {}
    first = last = None
    switches = 0
    for line in opened:
        m = LINE.match(line)
        if not m:
            continue
        pid, irq, t, event, rest = int(m[2]), m[4], float(m[5]) * 1e3, m[6], m[7]
        if event == "sched_switch":
            s = SWITCH.match(rest)
            if not s:
                continue
            prev, state, nxt = int(s[2]), s[3], int(s[5])
            comm_of[prev], comm_of[nxt] = s[1], s[4]
            if s[1] in comms or s[4] in comms:
                first, last = first or t, t
                switches += 1
            if prev in on:
                ran = t - on.pop(prev)
                burst[prev] = burst.get(prev, 0) + ran
                cpu[prev] = cpu.get(prev, 0) + ran
            if not state.startswith("R"):
                bursts.setdefault(prev, []).append(burst.pop(prev, 0))
                sleep_at[prev] = t
            on[nxt] = t
        elif event == "sched_waking":
            w = WAKE.match(rest)
            if not w:
                continue
            wakee = int(w[2])
            comm_of[wakee] = w[1]
            if wakee in sleep_at:
                waits.setdefault(wakee, []).append(t - sleep_at.pop(wakee))
                waker = 0 if "h" in irq or "s" in irq else pid
                wakes[(waker, wakee)] = wakes.get((waker, wakee), 0) + 1
    span = (last - first) / 1e3 if first else 0
    mine = sorted(p for p in cpu if comm_of.get(p) in comms)
    total = sum(cpu[p] for p in mine) / 1e3
    print("%s: %.3f s, CPU %.3f s, busy %.2f, %d switches, %.0f a second" % (
        name.rsplit("/", 1)[-1], span, total, total / span, switches, switches / span))
    for p in mine:
        print("%6d %-14s cpu %8.1f ms" % (p, comm_of[p], cpu[p]))
        print("       burst ms %s" % quantiles(bursts.get(p, [])))
        print("       wait  ms %s" % quantiles(waits.get(p, [])))
    for (a, b), n in sorted(wakes.items(), key=lambda e: -e[1])[:40]:
        if b in mine:
            print("  wake %6d %-14s -> %6d %-14s %6d" % (
                a, "interrupt" if a == 0 else comm_of.get(a, "?"), b, comm_of[b], n))


main()
