#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs a workload under the baseline policy over a sweep and searches its parameters.

usage: fit.py TABLE [PARAM=VALUE[*STEP] ...]

TABLE is one of the tables below: the baseline column of a published comparison. A parameter with
*STEP is searched (times or divided by 1 + STEP, halved when nothing improves), the others are
kept. The error is the largest relative error of real (or rate), plus a tenth of the largest one of
user + sys and of the root mean square. Policies other than the baseline are never run here.
$SCHEDLAB is the program, $LIBRARY the folder of workload files, $ROUNDS the rounds of the search.
"""
import os
import subprocess
import sys

# machine, policy, metric, swept parameter, {its value: (real or rate, user, sys)}
TABLES = {
    "mencoder": ("q6600", "4bsd@7.0", "real", "threads", {
        2: (93.82, 182.82, 0.30), 3: (64.79, 184.27, 0.41), 4: (51.36, 185.76, 0.31),
        5: (49.88, 186.11, 0.24), 6: (49.53, 186.28, 0.32), 7: (49.45, 186.32, 0.33),
        8: (49.36, 186.39, 0.34)}),
    "pbzip2": ("q6600", "4bsd@7.0", "real", "threads", {
        4: (30.91, 117.32, 4.67), 5: (31.45, 119.49, 5.02), 6: (31.85, 120.42, 5.49),
        7: (31.55, 119.16, 5.59), 8: (31.92, 120.29, 5.81)}),
    "ffmpeg": ("q6600", "4bsd@7.0", "real", None, {0: (93.746, None, None)}),
    "sysbench-oltp": ("q6600", "4bsd@7.0", "rate", None, {0: (2163.14, None, None)}),
    "buildworld": ("q6600", "4bsd@7.0", "real", None, {0: (808.976, None, None)}),
    "supersmack-up": ("up", "4bsd@2005", "rate", None, {0: (4255.0375, None, None)}),
    "supersmack-smp": ("p4-xeon-htt", "4bsd@2005", "rate", None, {0: (6873.42, None, None)}),
}


def simulate(table, x, params):
    topo, policy, metric, axis, _ = TABLES[table]
    name = os.path.join(os.environ.get("LIBRARY", "traces/library"),
                        table.replace("-up", "").replace("-smp", "") + ".json")
    costs = params.get("costs")
    words = ["%s=%s" % (k, v) for k, v in params.items() if k != "costs"]
    if axis:
        words.append("%s=%s" % (axis, x))
    command = [os.environ.get("SCHEDLAB", "schedlab"), "run", "-t", topo, "-p", policy,
               "-w", name + (":" + ",".join(words) if words else "")]
    if costs:
        command += ["--costs", costs]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    value = {}
    for line in out.splitlines():
        words = line.split()
        if words and words[0] in ("real", "user", "sys"):
            value[words[0]] = float(words[1])
        if "marks" in words:
            value["marks"] = float(words[words.index("marks") + 1])
    value["rate"] = value["marks"] / value["real"]
    return value[metric], value["user"], value["sys"]


def error(table, params, show=False):
    worst_main = worst_cpu = total = 0
    for x, (want, user, sys_s) in TABLES[table][4].items():
        got = simulate(table, x, params)
        off = got[0] / want - 1
        worst_main = max(worst_main, abs(off))
        total += off * off
        cpu = 0
        if user is not None:
            cpu = (got[1] + got[2]) / (user + sys_s) - 1
            worst_cpu = max(worst_cpu, abs(cpu))
        if show:
            print("%3s  want %9.2f %s got %9.2f %8.2f %6.2f  off %+.2f %%, CPU %+.2f %%" % (
                x, want, "" if user is None else "%8.2f %5.2f" % (user, sys_s),
                *got, off * 100, cpu * 100))
    return worst_main + 0.1 * worst_cpu + 0.1 * (total / len(TABLES[table][4])) ** 0.5


def main():
    table, fixed, steps = sys.argv[1], {}, {}
    for word in sys.argv[2:]:
        name, value = word.split("=")
        if "*" in value:
            value, step = value.split("*")
            steps[name] = float(step)
        fixed[name] = value
    best = error(table, fixed)
    for _ in range(int(os.environ.get("ROUNDS", "6"))):
        improved = False
        for name in steps:
            for factor in (1 + steps[name], 1 / (1 + steps[name])):
                unit = fixed[name].lstrip("0123456789.")
                number = float(fixed[name][:len(fixed[name]) - len(unit)])
                trial = dict(fixed)
                trial[name] = "%.6g%s" % (number * factor, unit)
                e = error(table, trial)
                if e < best:
                    best, fixed, improved = e, trial, True
                    break
        if not improved:
            steps = {k: v / 2 for k, v in steps.items()}
    print(table, fixed, "error %.4f" % best)
    error(table, fixed, show=True)


main()
