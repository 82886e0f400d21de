"""Models exported and run again, beside `kardan run`: see tools/fmus."""

import glob
import json
import os
import subprocess
import sys
import tempfile


def answer(command):
    """The JSON document of a command; None and what it said where there is none."""
    ran = subprocess.run(command, capture_output=True, text=True)
    return (json.loads(ran.stdout), "") if ran.stdout else (None, ran.stderr.strip())


def farthest(run, fmu):
    """The largest difference in tolerances, and of which variable."""
    worst, which = 0.0, ""
    for name, value in fmu["final"].items():
        known = run["final"].get(name)
        if known is None or value is None:
            continue
        off = abs(value - known) / (1 + abs(known)) / run["tolerance"]
        if off > worst:
            worst, which = off, name
    return worst, which


def main(kardan, models):
    models = models or sorted(glob.glob("models/*.yaml") + glob.glob("models/everyday/*.yaml"))
    bad = 0
    for model in models:
        run, said = answer([kardan, "run", model, "--json"])
        if run is None:
            print(f"{model}: not run: {said}")
            continue
        t = run["t_reached"]
        for version in "23":
            with tempfile.TemporaryDirectory() as folder:
                fmu = os.path.join(folder, "m.fmu")
                made = subprocess.run([kardan, "export", model, "--fmi", version, "--out", fmu],
                                      capture_output=True, text=True)
                again, said = (None, made.stderr.strip()) if made.returncode else answer(
                    [kardan, "run", fmu, "--json", "--t-end", repr(t), "--every", repr(t / 50)])
            if again is None:
                print(f"{model} FMI {version}: {said}")
                bad += 1
                continue
            off, name = farthest(run, again)
            bad += off > 10
            print(f"{model} FMI {version}: {len(again['final'])} outputs, "
                  f"{off:.2g} tolerances off {'at ' + name if name else ''}", flush=True)
    return 1 if bad else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
