#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How the frames of an encoder with frame threads vary: the weights of ffmpeg.json, mencoder.json.

usage: frames.py COMM FILE.ftrace[.gz] ...

A frame is the CPU time of a frame thread (one that wakes the program's own thread ten times or
more; not the lookahead, whose pieces are less than half as long) between two wake-ups of either of
the two by the other; less than 1 ms is not counted, those are second wake-ups for the same frame.
The first and last four frames are left out. Prints,
for each recording, the standard deviation of the logarithm and the autocorrelation of successive
frames; then 16 weights that stand for all recordings: their values are the means of the sixteenths
of all frames over their mean; their order, repeated for ever, has an autocorrelation near to the
mean of the recordings'.
"""
import math
import sys

from bursts import events

N, LAGS = 16, 4


def frames(name, comm):
    on, cpu, last, out, told = {}, {}, {}, [], {}
    comm_of, main = {}, None
    for t, pid, _, event, m in events(name):
        if event == "switch":
            prev, nxt = int(m[2]), int(m[5])
            comm_of[prev], comm_of[nxt] = m[1], m[4]
            if main is None and m[4] == comm:
                main = nxt
            if prev in on:
                cpu[prev] = cpu.get(prev, 0) + t - on.pop(prev)
            on[nxt] = t
            continue
        wakee = int(m[2])
        if main not in (pid, wakee) or comm_of.get(pid) != comm:
            continue
        thread = wakee if pid == main else pid
        told[thread] = told.get(thread, 0) + (wakee == main)
        used = cpu.get(thread, 0) + (t - on[thread] if thread in on else 0)
        out.append((thread, used - last.get(thread, 0)))
        last[thread] = used
    out = [(thread, x) for thread, x in out if x > 1 and told[thread] > 9]
    middle = {thread: sorted(x for t, x in out if t == thread) for thread, _ in out}
    middle = {thread: v[len(v) // 2] for thread, v in middle.items()}
    return [x for thread, x in out if middle[thread] * 2 > max(middle.values())][4:-4]


def spread(values, circular=False):
    """Standard deviation of the logarithm, and autocorrelations from lag 1."""
    logs = [math.log(v) for v in values]
    n, mean = len(logs), sum(logs) / len(logs)
    logs = [v - mean for v in logs]
    var = sum(v * v for v in logs) / n
    acf = [sum(logs[i] * logs[(i + lag) % n] for i in range(n if circular else n - lag)) / n / var
           for lag in range(1, LAGS + 1)]
    return math.sqrt(var), acf


def arrange(weight, target):
    """The order whose autocorrelation is nearest to the target: swaps as long as one helps."""
    def off(order):
        return sum((a - b) ** 2 for a, b in zip(spread(order, True)[1], target))

    order, best, better = list(weight), off(weight), True
    while better:
        better = False
        for i in range(N):
            for j in range(i):
                order[i], order[j] = order[j], order[i]
                if off(order) < best - 1e-12:
                    best, better = off(order), True
                else:
                    order[i], order[j] = order[j], order[i]
    return order


def text(values):
    return " ".join("%.2f" % v for v in values)


def main():
    every, series, target = [], [], [0] * LAGS
    for name in sys.argv[2:]:
        v = frames(name, sys.argv[1])
        mean = sum(v) / len(v)
        sd, acf = spread(v)
        print("%s: %d frames, mean %.1f ms, sd of log %.2f, autocorrelation %s" % (
            name.rsplit("/", 1)[-1], len(v), mean, sd, text(acf)))
        series.append([x / mean for x in v])
        every += series[-1]
        target = [a + b / (len(sys.argv) - 2) for a, b in zip(target, acf)]
    every.sort()
    cut = [round(i * len(every) / N) for i in range(N + 1)]
    weight = [sum(every[a:b]) / (b - a) for a, b in zip(cut, cut[1:])]
    weight = [w * N / sum(weight) for w in weight]
    order = arrange(weight, target)
    sd, acf = spread(order, True)
    print("weights %s\nsd of log %.2f, autocorrelation %s, recorded %s" % (
        text(order), sd, text(acf), text(target)))


main()
