#!/usr/bin/python3
"""The table of estimated errors: see tools/error_table."""

import os
import re
import subprocess
import sys

import page_part

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(ROOT, "build", "release", "error_table")
PAGE = os.path.join(ROOT, "docs", "understand", "global-error.md")
TOOL = "tools/error_table"
METHODS = ["dopri5", "nystrom4", "rn4", "rodasp", "radau5", "hem5", "dop853"]
TOLERANCES = ["1e-5", "1e-7", "1e-9"]
ENDS = 300
# An estimate is right between a third and three times the error, and must not be void below this error.
RIGHT = 3
VOID = 1e-2
# An error counts from this many times what the reference is good for, and rounding.
KNOWN = 5
ROUNDING = 1e-12

EXPLICIT, STIFF = ("dop853", "1e-13"), ("radau9", "1e-12")
DEVELOPMENT = [
    ("pendulum", 2, EXPLICIT), ("three_link", 2, EXPLICIT), ("andrews", 0.03, EXPLICIT), ("truck", 3, EXPLICIT),
    ("double_pendulum", 1, STIFF), ("slider_crank_haug", 1, EXPLICIT), ("rolling_disc", 3, EXPLICIT),
    ("bricard", 2, EXPLICIT),
]
REPORT = [
    ("andrews_minimal", 0.03, EXPLICIT), ("n_four_bar", 0.6, EXPLICIT), ("n_four_bar_spatial", 0.6, EXPLICIT),
    ("double_pendulum_welch", 2, EXPLICIT), ("double_pendulum_gil", 2, EXPLICIT), ("double_pendulum_haug", 1, STIFF),
    ("pendulum_equations", 2, EXPLICIT), ("sleigh_equations", 2, EXPLICIT), ("sleigh_belt", 2, EXPLICIT),
    ("slider_crank_welch", 1, EXPLICIT), ("slider_crank_haug_guided", 1, EXPLICIT), ("chain", 1, EXPLICIT),
]
HALVES = {"development": DEVELOPMENT, "report": REPORT}
SAID = {
    "development": "These problems were looked at while the method and its constants were chosen",
    "report": "And these were not",
}


def shown(ratio):
    return "?" if ratio is None else f"{ratio:.2g}"


def cell(line):
    """Its text, and whether it counts and is right."""
    at = line.split(" ", 12)
    estimate, error, good = (max(float(at[i]), float(at[i + 1])) for i in (3, 5, 7))
    why = at[12]
    if why == "the run ends early":
        return "–", None, None
    if error < max(KNOWN * good, ROUNDING):
        return "~", None, None
    ratio = estimate / error
    void = at[9] == "void"
    early = void and float(at[10]) < VOID / RIGHT
    text = f"{ratio:.2g}" + (" (void)" if void else "") + ("" if why == "complete" else " (ends)")
    # Beyond the time from which a run calls its estimate void nothing is promised.
    right = 1 / RIGHT <= ratio <= RIGHT and why == "complete" or void and not early
    return text, right, ratio


def rows(name, t_end, reference):
    result = subprocess.run(
        [PROGRAM, os.path.join(ROOT, "models", name + ".yaml"), str(t_end), *reference, ",".join(METHODS),
         ",".join(TOLERANCES), str(ENDS)], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{name}: {result.stderr}")
    return [(line.split(" ")[0], cell(line)) for line in result.stdout.splitlines()]


def half(problems):
    """The table of some problems, and what to say of it."""
    lines = ["| problem |" + "".join(f" `{m}` |" for m in METHODS), "|---" * (len(METHODS) + 1) + "|"]
    counted = []
    for name, t_end, reference in problems:
        found = rows(name, t_end, reference)
        counted += [c for _, c in found if c[1] is not None]
        line = f"| {name} |" + "".join(
            " " + ", ".join(c[0] for m, c in found if m == method) + " |" for method in METHODS)
        lines.append(line)
        print(line, flush=True)
    right = sum(1 for c in counted if c[1])
    ratios = [c[2] for c in counted]
    said = (f"{right} of {len(counted)} cells are right ({100 * right / len(counted):.0f} %), "
            f"{sum(1 for r in ratios if r < 1 / RIGHT)} are below a third; the lowest is {min(ratios):.2g}, "
            f"the largest {max(ratios):.2g}")
    print(said, flush=True)
    return lines, said


def main(wanted):
    named = {p[0]: p for problems in HALVES.values() for p in problems}
    if wanted and wanted[0] in named:
        half([named[name] for name in wanted])
        return
    text = []
    for key, problems in HALVES.items():
        if wanted and key not in wanted:
            continue
        lines, said = half(problems)
        text.append(f"{SAID[key]}:\n{said}.\n\n" + "\n".join(lines) + "\n")
    if not wanted:
        page_part.write(PAGE, TOOL, "\n".join(text))


main(sys.argv[1:])
