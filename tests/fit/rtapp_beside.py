#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""rt-app itself and schedlab on the same files: run, period and slack side by side, as Markdown.

usage: rtapp_beside.py   (as root: the files ask for SCHED_FIFO)
Environment: SCHEDLAB, the program (default build/schedlab); SECONDS, length of a run (default 3).

rt-app's `run` is loops of a length it is told (`calibration`), and the machine's speed wanders, so
schedlab gets the mean run that rt-app measured; compared is what follows from it. Means in us.
rt-app: of its log. schedlab: period is the length of the run over the number of loops, and that is
the CPU time over the run; slack is the mean sleep of a task that sleeps at a timer only.
"""
import json
import os
import re
import subprocess
import tempfile

from bursts import read

SCHEDLAB = os.path.abspath(os.environ.get("SCHEDLAB", "build/schedlab"))
SECONDS = int(os.environ.get("SECONDS", "3"))
TIMER = {"ref": "unique", "period": 20000}

# Title, number of CPUs, events of each task, has slack.
FILES = [
    ("run, sleep", [1], {"a": {"run": 4000, "sleep": 10000}}, False),
    ("run, timer of 20 ms", [1], {"a": {"run": 5000, "timer": TIMER}}, True),
    ("runtime, sleep", [1], {"a": {"runtime": 5000, "sleep": 10000}}, False),
    ("two timers of 20 ms, priorities 20 and 10", [1, 2],
     {"a": {"priority": 20, "run": 3000, "timer": TIMER},
      "b": {"priority": 10, "run": 4000, "timer": TIMER}}, True),
    ("lock, run, unlock, sleep 10 and 9 ms", [1, 2],
     {"a": {"lock": "m", "run": 2000, "unlock": "m", "sleep": 10000},
      "b": {"lock": "m", "run": 3000, "unlock": "m", "sleep": 9000}}, False),
    ("run, barrier, sleep 5 ms", [1, 2],
     {"a": {"run": 2000, "barrier": "B", "sleep": 5000},
      "b": {"run": 5000, "barrier": "B", "sleep": 5000}}, False),
]


def document(tasks, cpus):
    for events in tasks.values():
        events.update({"loop": -1, "cpus": list(range(cpus)), "policy": "SCHED_FIFO"})
        events.setdefault("priority", 10)
    return {"tasks": tasks, "global": {
        "duration": SECONDS, "calibration": 50, "default_policy": "SCHED_OTHER", "logdir": "./",
        "log_basename": "log", "lock_pages": False, "ftrace": False, "gnuplot": False}}


def rtapp(folder):
    subprocess.run(["rt-app", "file.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=SECONDS * 5)
    means = {}
    for name in sorted(os.listdir(folder)):
        task = re.match(r"log-(\w+)-\d+\.log$", name)
        if not task:
            continue
        with open(os.path.join(folder, name)) as log:
            lines = log.read().splitlines()
        names = next(line[1:].split() for line in lines if line.startswith("#idx"))
        rows = [[float(x) for x in line.split()] for line in lines if line[:1] != "#"]
        means[task[1]] = {n: sum(r[i] for r in rows) / len(rows) for i, n in enumerate(names)}
    return means


def schedlab(folder, tasks, measured):
    for task, events in tasks.items():
        if "run" in events:
            events["run"] = round(measured[task]["run"])
    path, trace = os.path.join(folder, "model.json"), os.path.join(folder, "model.ftrace")
    with open(path, "w") as f:
        json.dump(document(tasks, max(len(e["cpus"]) for e in tasks.values())), f)
    text = subprocess.run([SCHEDLAB, "run", "-t", "flat:2", "--costs", "none", "-p", "4bsd",
                           "--until", "%ds" % SECONDS, "-w", path, "--trace=ftrace=" + trace],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    user = {m[1]: float(m[2]) for m in re.finditer(r"^(\w+)-\d+ +([\d.]+) ", text.decode(), re.M)}
    result = {}
    for task, events in tasks.items():
        waits = [1e3 * w for v in read(trace, [task]).waits.values() for w in v]
        # A runtime takes whole steps of 32 us.
        run = events["run"] if "run" in events else -(-events["runtime"] // 32) * 32
        result[task] = {"run": run, "period": SECONDS * 1e6 / (user[task] * 1e6 / run),
                        "slack": sum(waits) / len(waits) if waits else 0}
    return result


def figure(x, shown=True):
    return "{:,.0f}".format(x) if shown else "-"


def main():
    version = subprocess.run("dpkg-query -W -f '${Version}' rt-app", shell=True,
                             stdout=subprocess.PIPE).stdout.decode() or "unknown"
    print("rt-app %s, %s, Linux %s, %d s a run\n" % (
        version, subprocess.run([SCHEDLAB, "--version"], stdout=subprocess.PIPE).stdout.decode()
        .strip(), os.uname().release, SECONDS))
    print("| file | CPUs | task | run rt-app | run schedlab | period rt-app | period schedlab | "
          "slack rt-app | slack schedlab |\n|---|---|---|---|---|---|---|---|---|")
    for title, all_cpus, tasks, slack in FILES:
        for cpus in all_cpus:
            copy = json.loads(json.dumps(tasks))
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "file.json"), "w") as f:
                    json.dump(document(copy, cpus), f)
                measured = rtapp(folder)
                modelled = schedlab(folder, copy, measured)
            for task in copy:
                m, s = measured[task], modelled[task]
                print("| %s | %d | %s | %s | %s | %s | %s | %s | %s |" % (
                    title, cpus, task, figure(m["run"]), figure(s["run"]), figure(m["period"]),
                    figure(s["period"]), figure(m["slack"], slack), figure(s["slack"], slack)))


main()
