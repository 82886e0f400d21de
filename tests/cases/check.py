"""usage: check.py KARDAN [MODEL...] [--methods all|short|NAME,NAME] [--certify]

Runs the cases of cases.json, or those of the models named, and says what is wrong: a run that ends with exit
code 0 and another result than the true one, a refusal that the case does not allow, a crash, a run without an
end. With --certify every run is certified: a wrong result that is called reached is wrong. Exit code 1 if
anything is. 'short' stands for those of a case that are also under "short" in cases.json.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent


def catalog(kardan):
    """The methods of the program, with their orders."""
    listing = subprocess.run([kardan, "methods"], capture_output=True, text=True, check=True).stdout
    return {name: int(order) for name, order in re.findall(r"^  (\w+) +order (\d+)", listing, re.M)}


def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        lines = list(csv.reader(line for line in file if not line.startswith("#")))
    names = [name.split(" [")[0] for name in lines[0]]
    return [dict(zip(names, map(float, line))) for line in lines[1:]]


def run(kardan, case, method, tolerance, certify):
    """What went wrong with the process, or "", its report and its rows."""
    arguments = list(case.get("args", []))
    if certify and "--certify" not in arguments:
        arguments.append("--certify")
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.csv")
        command = [kardan, "run", str(FOLDER / case["model"]), "--json", "--method", method,
                   "--tol", str(tolerance), "--out", rows, *arguments]
        limit = case.get("seconds", 60) * (4 if certify else 1)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return f"no end within {limit} s", None, None
        if done.returncode in (1, 2):
            return "refused", None, None
        if done.returncode != 0:
            return f"exit code {done.returncode}", None, None
        return "", json.loads(done.stdout), read_rows(rows)


def deviations(case, report, rows):
    """(deviation in units of what is allowed, in words) of everything that is known of the motion."""
    allowed = case.get("allowed", 1e-4)
    for name, true in case.get("final", {}).items():
        got = report["final"][name]
        yield abs(got - true) / allowed, f"{name} = {got:.9g}, true {true:.9g}"
    if "events" in case:
        got = len(report["events"])
        yield abs(got - case["events"]) / 0.5, f"{got} events, true {case['events']}"
    for expression in case.get("always", []):
        code = compile(expression, expression, "eval")
        for row in rows:
            names = {**vars(math), **{name.replace(".", "_"): value for name, value in row.items()}}
            yield (abs(eval(code, {"__builtins__": {}}, names)) / allowed,
                   f"{expression} is not 0 at t = {row['time']:.6g}")
    for name, true in case.get("greatest", {}).items():
        got = max(row[name] for row in rows)
        yield abs(got - true) / allowed, f"greatest {name} = {got:.6g}, true {true:.6g}"
    if "energy" in case:
        error = report["energy"]["balance_error"]
        yield abs(error) / case["energy"], f"the balance of energy is open by {error:.3g} J"


def judge(kardan, case, method, tolerance, order, certify):
    """What is wrong with one run, or ""."""
    trouble, report, rows = run(kardan, case, method, tolerance, certify)
    if trouble == "refused":
        if case.get("refuse") or method in case.get("may_refuse", {}):
            return ""
        return "refused"
    if trouble:
        return trouble
    if case.get("refuse"):
        return "finished, but there is no motion"
    worst, where = 0.0, ""
    for deviation, words in deviations(case, report, rows):
        if not deviation <= worst:
            worst, where = deviation, words
    if order == 1:
        worst *= math.sqrt(tolerance)  # what the certificate of such a method states
    return where if not worst <= 1 else ""


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("kardan")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--methods", default="")
    parser.add_argument("--certify", action="store_true")
    asked = parser.parse_args()
    book = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))
    orders = catalog(asked.kardan)
    count = wrong = 0
    for case in book["cases"]:
        if asked.models and case["model"] not in asked.models:
            continue
        methods = case.get("methods", book["methods"])
        if asked.methods == "all" and "methods" not in case:
            methods = ["auto", *orders]
        elif asked.methods == "short":
            methods = [name for name in methods if name in book["short"]]
        elif asked.methods and asked.methods != "all":
            methods = asked.methods.split(",")
        for method in methods:
            for tolerance in case.get("tolerances", [1e-6]):
                count += 1
                words = judge(asked.kardan, case, method, tolerance, orders.get(method), asked.certify)
                if words:
                    wrong += 1
                    print(f"{case['model']}, {method} at {tolerance:g}: {words}")
                    print(f"    {case['why']}")
    print(f"{count} runs, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
