#!/usr/bin/python3
"""The table of reached errors: see tools/trust_table."""

import json
import os
import re
import subprocess
import sys
import tempfile

import page_part

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.path.join(ROOT, "build", "release", "kardan")
PAGE = os.path.join(ROOT, "docs", "understand", "measurements.md")
TOOL = "tools/trust_table"
TOLERANCES = [10.0**-k for k in range(3, 11)]
# A run that needs more steps is given up: methods of order 1 and 2 at tight tolerances.
MOST_STEPS = 20000
# A reached error tracks the tolerance when it is at most this many times as large, and is far from it
# beyond the other.
TRACKS = 10
FAR = 100

# Models whose solutions are known from elsewhere, or that the tests check against 20 digits.
PROBLEMS = [
    ("pendulum", 2, "a rod on a hinge"),
    ("double_pendulum_welch", 2, "two rods"),
    ("andrews", 0.03, "Andrews' squeezing mechanism, seven bodies"),
    ("andrews_minimal", 0.03, "the same as equations in seven angles"),
    ("n_four_bar", 0.6, "four-bar linkages, redundant, before they lie flat"),
    ("bricard", 1, "Bricard's mechanism in space, redundant"),
    ("slider_crank_haug", 1, "a slider crank in space"),
    ("rolling_disc", 1, "a disc that rolls without slipping"),
    ("pendulum_equations", 2, "equations of a user: a point on a rod"),
    ("sleigh_equations", 1, "equations of a user: nonholonomic"),
    ("disc_equations", 1, "equations of a user: every term of the general form"),
]

HEAD = """Every method, on its default formulation, on every reference
problem, at tolerances from 1e-3 to 1e-10. A cell is the reached error of positions / velocities: the
largest |y - ref| / (1 + |ref|) of all components at 100 times and the end. Cells in **bold** miss: one
of both is more than {tracks} times the tolerance. `~`: not larger than what the reference is good for.
"steps": given up after {steps} steps. "fails": the run ended early and said so; "refuses": the method
cannot treat the model and says so. Methods without an error estimate take the tolerance for their steps
as the program does ([method by method](trust.md#method-by-method)).
"""

WHY = """
### Why cells miss

- Methods of order 1 (`welch1`, `baumgarte1`; `welch2_printed` where forces depend on velocities) hold the error of
  each step to the tolerance. Their steps are then as long as its root, and so are the errors they add up to. The
  certificate says so (`remarks`), and `--certify` measures and tightens.
- Errors of `andrews` and `andrews_minimal` are counted from 1 rad/s, but cranks turn with up to 1140 rad/s and
  accelerate with up to 580 000 rad/s^2: an angle that is off by one tolerance is a delay of a billionth of that in
  seconds, which makes angular velocities that pass zero elsewhere off by some 500. Most positions
  stay near the tolerance. Absolute tolerances per variable ask for more
  ([tolerances](../look-up/model-files.md)).
- Estimates are of one step, and errors of steps add up over the run. Other cells that miss have not been looked into.

Cells beyond {far} times the tolerance, without those of order 1: {which}.
"""


def far_cells(tables):
    """Problems with the methods that have a cell beyond FAR times the tolerance."""
    found = []
    for name, text in tables:
        methods = []
        for method, cells in re.findall(r"^\| `([a-z_0-9]+)` \| (.*) \|$", text, flags=re.M):
            errors = [max(map(float, re.findall(r"[0-9.]+e[-+]?[0-9]+", c)), default=0) for c in cells.split(" | ")]
            over = [e > FAR * t and "~" not in c for e, t, c in zip(errors, TOLERANCES, cells.split(" | "))]
            if any(over) and method not in ("welch1", "baumgarte1", "welch2_printed"):
                methods.append(f"`{method}` ({sum(over)})")
        if methods:
            found.append(f"{name}: " + ", ".join(methods))
    return "; ".join(found) or "none"


def method_names():
    """Those of the program, whose page a test compares with it."""
    with open(os.path.join(ROOT, "docs", "look-up", "methods.md"), encoding="utf-8") as file:
        text = file.read()
    return re.findall(r"^### ([a-z_0-9]+)$", text.split("## Formulations")[0], flags=re.M)


def short(x):
    return re.sub(r"e([+-])0", r"e\1", f"{x:.0e}") if x > 0 else "0"


def cell(row):
    if not row["finished"]:
        message = row["message"]
        if "too_many_steps" in message:
            return "steps", False
        return ("refuses" if "refuse" in message or "needs" in message or ":" not in message else "fails"), False
    p, v = row["position_error"], row["velocity_error"]
    text = f"{short(p)} / {short(v)}" + (" ~" if row["below_reference"] else "")
    miss = max(p, v) > TRACKS * row["tolerance"] and not row["below_reference"]
    return (f"**{text}**" if miss else text), miss


def table(model, t_end, what, methods):
    with open(os.path.join(ROOT, "models", model + ".yaml"), encoding="utf-8") as file:
        text = file.read()
    # A model's own fixed step would stand in for every tolerance.
    text = re.sub(r"^(simulate: .*), step: [^,}]+", r"\1", text, flags=re.M)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as copy:
        copy.write(text)
        copy.flush()
        result = subprocess.run(
            [PROGRAM, "compare", copy.name, "--methods", ",".join(methods), "--tols",
             ",".join(f"{t:g}" for t in TOLERANCES), "--t-end", str(t_end), "--repeat", "0", "--json",
             "--option", f"max_steps={MOST_STEPS}"], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{model}: {result.stderr}")
    found = json.loads(result.stdout)
    ref = found["reference"]
    apart = f" (they differ by {short(ref['position_error'])} / {short(ref['velocity_error'])})" if "position_error" in ref else ""
    lines = [f"\n### {model}\n", f"{what[0].upper()}{what[1:]}, to t = {t_end} s. Reference: {ref['what']}{apart}.\n"]
    lines.append("| method | " + " | ".join(short(t) for t in TOLERANCES) + " |")
    lines.append("|---" * (len(TOLERANCES) + 1) + "|")
    tracked = finished = 0
    for method in methods:
        cells = [cell(r) for r in found["rows"] if r["method"] == method]
        lines.append(f"| `{method}` | " + " | ".join(text for text, _ in cells) + " |")
        finished += sum(1 for text, _ in cells if "/" in text)
        tracked += sum(1 for text, miss in cells if "/" in text and not miss)
    lines.append(f"\n{tracked} of {finished} finished runs track the tolerance.")
    return "\n".join(lines) + "\n", tracked, finished


def sections():
    """The tables of the page as it is, by problem."""
    parts = re.split(r"^### ([a-z_0-9]+)$", page_part.read(PAGE, TOOL).split("\n### Why")[0], flags=re.M)
    return {name: f"\n### {name}" + text.rstrip() + "\n" for name, text in zip(parts[1::2], parts[2::2])}


def text_of(found):
    """Problems in their order, and the sum."""
    named = [(model, found[model]) for model, _, _ in PROBLEMS if model in found]
    tables = [text for _, text in named]
    counts = [list(map(int, re.search(r"^(\d+) of (\d+) finished", t, flags=re.M).groups())) for t in tables]
    tracked, finished = (sum(c) for c in zip(*counts))
    return (HEAD.format(tracks=TRACKS, steps=MOST_STEPS) + "".join(tables) + WHY.format(far=FAR, which=far_cells(named)) +
            f"\nOf all problems, {tracked} of {finished} finished runs track the tolerance.\n")


def main(wanted):
    methods = method_names()
    found = sections() if wanted else {}
    if wanted == ["check"]:
        for model, table_text in found.items():
            if (rows := re.findall(r"^\| `([a-z_0-9]+)` \|", table_text, flags=re.M)) != methods:
                raise SystemExit(f"{PAGE}: {model} has rows of {rows}; the program has {methods}")
        page_part.check(PAGE, TOOL, text_of(found))
    if wanted == ["none"]:
        page_part.write(PAGE, TOOL, text_of(found))
    for model, t_end, what in PROBLEMS:
        if wanted and model not in wanted:
            continue
        found[model], tracked, finished = table(model, t_end, what, methods)
        page_part.write(PAGE, TOOL, text_of(found))
        print(f"{model}: {tracked} of {finished} track", flush=True)


main(sys.argv[1:])
