#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recording and model side by side: bursts, waits, switches a second, busy CPUs.

usage: sidebyside.py RECORDINGS OUT [NAME ...]
Environment: SCHEDLAB, the program (default build/schedlab).

RECORDINGS holds the ftrace texts of sidebyside.conf; OUT gets NAME.png, and the standard output a
table in Markdown. The model runs on two CPUs without costs and is read, as a trace, by the same
code as the recording. A picture has two histograms with half-octave steps: which
share of the CPU time comes in bursts of a length, and which share of the waits has a length.
"""
import math
import os
import subprocess
import sys
import tempfile

from bursts import read

BINS = 48

# The recordings are of Linux with 250 ticks a second, which lets equal threads take turns of 4 ms
# and seldom preempts for a wake-up: rr with such turns is the nearest of our policies. 4bsd is
# what the models are fitted under.
POLICIES = [("model, rr with turns of 4 ms", "rr:kern.stathz=250,kern.sched.slice=1"),
            ("model, 4bsd", "4bsd")]


def edge(i):
    """Lower edge of bin i in ms: half octaves from 0.5 us."""
    return 0.0005 * 2 ** (i / 2)


def histogram(values, weigh):
    bins = [0.0] * BINS
    for v in values:
        i = 0 if v <= edge(0) else min(BINS - 1, int(2 * math.log2(v / edge(0))))
        bins[i] += v if weigh else 1
    total = sum(bins) or 1
    return [100 * b / total for b in bins]


def flat(table):
    return [v for values in table.values() for v in values]


def model(schedlab, spec, policy):
    with tempfile.NamedTemporaryFile(suffix=".ftrace") as trace:
        subprocess.run([schedlab, "run", "-t", "flat:2", "--costs", "none", "-p", policy, "-w",
                        spec, "--trace=ftrace=" + trace.name], check=True, stdout=subprocess.DEVNULL)
        return read(trace.name, ["*"])


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else 0.0


def weighted_median(values):
    values, half = sorted(values), sum(values) / 2
    for v in values:
        half -= v
        if half <= 0:
            return v
    return 0.0


def row(name, kind, r):
    bursts, waits = flat(r.bursts), flat(r.waits)
    print("| %s | %s | %.2f | %s | %s | %s | %s |" % (
        name, kind, sum(r.cpu.values()) / 1e3 / r.span(), "{:,.0f}".format(r.switches / r.span()),
        number(median(bursts)), number(weighted_median(bursts)), number(median(waits))))


def number(ms):
    return "%.3g" % ms


PLOT = """set terminal pngcairo size 800,270 font 'sans,9'
set output '%(out)s'
set logscale x
set xtics ('1 us' 0.001, '10 us' 0.01, '0.1 ms' 0.1, '1 ms' 1, '10 ms' 10, '0.1 s' 100, '1 s' 1000)
set xrange [0.0005:%(last)g]
set yrange [0:%(top1)g]
set grid ytics lc rgb '#dddddd'
set tics nomirror
set border 3
set key top left samplen 1.5
set multiplot layout 1,2 title "%(title)s"
set xlabel 'burst'
set ylabel '%% of the CPU time'
plot $data using 1:2 with fillsteps fs solid lc rgb '#b8cfe8' title 'recorded', \\
     $data using 1:3 with steps lw 2 lc rgb '#c0392b' title '%(first)s', \\
     $data using 1:4 with steps lw 1 lc rgb '#404040' title '%(second)s'
set xlabel 'wait'
set ylabel '%% of the waits'
set yrange [0:%(top2)g]
unset key
plot $data using 1:5 with fillsteps fs solid lc rgb '#b8cfe8', \\
     $data using 1:6 with steps lw 2 lc rgb '#c0392b', \\
     $data using 1:7 with steps lw 1 lc rgb '#404040'
unset multiplot
"""


def plot(path, title, sets):
    columns = [histogram(flat(r.bursts), True) for r in sets]
    columns += [histogram(flat(r.waits), False) for r in sets]
    data = "".join("%.6g %s\n" % (edge(i), " ".join("%.3f" % c[i] for c in columns))
                   for i in range(BINS))
    script = "$data << EOD\n%sEOD\n" % data + PLOT % {
        "out": path, "title": title.replace('"', "'"), "last": edge(BINS),
        "first": POLICIES[0][0], "second": POLICIES[1][0],
        "top1": 1.45 * max(map(max, columns[:3])), "top2": 1.1 * max(map(max, columns[3:]))}
    subprocess.run(["gnuplot"], input=script.encode(), check=True)


def main():
    recordings, out, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    schedlab = os.environ.get("SCHEDLAB", "build/schedlab")
    here = os.path.dirname(os.path.abspath(__file__))
    print("| program | | busy CPUs | switches/s | median burst, ms | half the CPU time in bursts "
          "below, ms | median wait, ms |\n|---|---|---|---|---|---|---|")
    with open(os.path.join(here, "sidebyside.conf")) as conf:
        rows = [line.split() for line in conf if line.strip() and not line.startswith("#")]
    for name, path, comms, spec in rows:
        if names and name not in names:
            continue
        sets = [read(os.path.join(recordings, path), comms.split(","))]
        row(name, "recorded", sets[0])
        for kind, policy in POLICIES:
            sets.append(model(schedlab, spec, policy))
            row("", kind, sets[-1])
        plot(os.path.join(out, name + ".png"), name, sets)


main()
