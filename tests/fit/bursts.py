#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Bursts, waits and wake-ups of one program in an ftrace text (sched_switch, and sched_waking or
sched_wakeup).

usage: bursts.py FILE.ftrace[.gz] COMM[,COMM...]

A burst is the CPU time of a thread between two sleeps; preemption does not end it. A wait is the
time from a sleep to the wake-up that ends it. COMM "*" is every thread. One line a thread, then who
wakes whom how often. sidebyside.py uses read().
"""
import gzip
import math
import re
import sys

LINE = re.compile(r"^\s*(.+)-(\d+)\s+(?:\(.*?\)\s+)?\[(\d+)\]\s+(\S+)\s+(\d+\.\d+): (\w+): (.*)$")
SWITCH = re.compile(r"prev_comm=(.*) prev_pid=(\d+) prev_prio=\d+ prev_state=(\S+) ==> "
                    r"next_comm=(.*) next_pid=(\d+)")
WAKE = re.compile(r"comm=(.*) pid=(\d+) prio=")


class Recording:
    """What read() found. Times in ms."""

    def __init__(self):
        self.comm, self.bursts, self.waits, self.wakes, self.cpu = {}, {}, {}, {}, {}
        self.first = self.last = None
        self.switches = 0

    def span(self):
        return (self.last - self.first) / 1e3 if self.first is not None else 0


def events(name):
    """Each switch and wake-up: time in ms, pid, irq-info, "switch" or "wake", match of the rest."""
    opened = gzip.open(name, "rt", errors="replace") if name.endswith(".gz") else open(name)
    with opened:
        for line in opened:
            m = LINE.match(line)
            if not m:
                continue
            wake = m[6] in ("sched_waking", "sched_wakeup")
            rest = WAKE.match(m[7]) if wake else m[6] == "sched_switch" and SWITCH.match(m[7])
            if rest:
                yield float(m[5]) * 1e3, int(m[2]), m[4], "wake" if wake else "switch", rest


def read(name, comms):
    everything = comms == ["*"]
    r = Recording()
    on, burst, sleep_at = {}, {}, {}
    mine = set()

    def ours(pid, comm):
        if (pid != 0) if everything else comm in comms:
            mine.add(pid)
            return True
        return False

    for t, pid, irq, event, m in events(name):
        if event == "switch":
            prev, state, nxt = int(m[2]), m[3], int(m[5])
            r.comm[prev], r.comm[nxt] = m[1], m[4]
            if ours(prev, m[1]) | ours(nxt, m[4]):
                r.first = t if r.first is None else r.first
                r.last = t
                r.switches += 1
            if prev in on:
                ran = t - on.pop(prev)
                burst[prev] = burst.get(prev, 0) + ran
                r.cpu[prev] = r.cpu.get(prev, 0) + ran
            if not state.startswith("R"):
                r.bursts.setdefault(prev, []).append(burst.pop(prev, 0))
                sleep_at[prev] = t
            on[nxt] = t
        else:
            wakee = int(m[2])
            r.comm[wakee] = m[1]
            if wakee in sleep_at:
                r.waits.setdefault(wakee, []).append(t - sleep_at.pop(wakee))
                waker = 0 if "h" in irq or "s" in irq else pid
                r.wakes[(waker, wakee)] = r.wakes.get((waker, wakee), 0) + 1
    for table in (r.bursts, r.waits, r.cpu):
        for pid in [p for p in table if p not in mine]:
            del table[pid]
    return r


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
    r = read(name, comms)
    span, total = r.span(), sum(r.cpu.values()) / 1e3
    if span == 0:
        sys.exit("%s: no switch of %s" % (name, sys.argv[2]))
    print("%s: %.3f s, CPU %.3f s, busy %.2f, %d switches, %.0f a second" % (
        name.rsplit("/", 1)[-1], span, total, total / span, r.switches, r.switches / span))
    for p in sorted(r.cpu):
        print("%6d %-14s cpu %8.1f ms" % (p, r.comm[p], r.cpu[p]))
        print("       burst ms %s" % quantiles(r.bursts.get(p, [])))
        print("       wait  ms %s" % quantiles(r.waits.get(p, [])))
    for (a, b), n in sorted(r.wakes.items(), key=lambda e: -e[1])[:40]:
        if b in r.cpu:
            print("  wake %6d %-14s -> %6d %-14s %6d" % (
                a, "interrupt" if a == 0 else r.comm.get(a, "?"), b, r.comm[b], n))


if __name__ == "__main__":
    main()
