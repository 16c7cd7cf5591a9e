#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes data/samples.txt: one named sample per line, the inputs of make_reference.R."""
import math

state = 20261130


def unit():
    global state
    state = state * 16807 % 2147483647
    return state / 2147483647


def normal():
    return math.sqrt(-2 * math.log(unit())) * math.cos(2 * math.pi * unit())


SAMPLES = {
    "iguana": ["50", "200", "150", "400", "750", "400", "150"],
    "chameleon": ["150", "400", "720", "500", "930"],
    "three_a": ["1.5", "2.25", "9"],
    "three_b": ["10", "11.5", "14"],
    "eight": ["%.4f" % (100 + 5 * normal()) for _ in range(8)],
    "ten": ["%.4f" % (104 + 9 * normal()) for _ in range(10)],
    "base30": ["%.3f" % (5455 + 27 * normal()) for _ in range(30)],
    "late30": ["%.3f" % (5440 + 13 * normal()) for _ in range(30)],
    "log49": ["%.5f" % math.exp(1 + 0.7 * normal()) for _ in range(49)],
    "log45": ["%.5f" % math.exp(1.3 + 0.7 * normal()) for _ in range(45)],
    "ties60": ["%d" % (50 + 6 * normal()) for _ in range(60)],
    "ties55": ["%d" % (52 + 6 * normal()) for _ in range(55)],
    "big200": ["%.6f" % (1e6 + normal()) for _ in range(200)],
    "big150": ["%.6f" % (1e6 + 0.2 + 1.5 * normal()) for _ in range(150)],
}

with open("data/samples.txt", "w") as out:
    for name, values in SAMPLES.items():
        out.write(name + " " + " ".join(values) + "\n")
