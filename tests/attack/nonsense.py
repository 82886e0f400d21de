"""Numbers, names and texts that mean nothing."""

import os

from common import PENDULUM, refused, run, write

OPTIONS = ["--t-end", "--tol", "--rtol", "--atol", "--step", "--every", "--wall-limit",
           "--checkpoint-every", "--certify-budget"]
NUMBERS = ["nan", "inf", "0", "-1"]


def option(flag, value, verb="run", *more):
    def attack(program, folder):
        write(folder, "m.yaml", PENDULUM)
        out = ["--out", "a.csv"] if verb == "run" else []
        shown = run(program, folder, verb, "m.yaml", f"{flag}={value}", *more, *out)
        ok, seen = refused(shown)
        return ok and "a.csv" not in os.listdir(folder), seen
    return attack


def in_file(field, value):
    def attack(program, folder):
        """refused, at its line"""
        text = PENDULUM.replace("simulate: {t_end: 1, tolerance: 1e-6}",
                                f"simulate:\n  {field}: {value}")
        write(folder, "m.yaml", text)
        return refused(run(program, folder, "check", "m.yaml"), "m.yaml:7:", field)
    return attack


def model(text, *words, verb="run"):
    def attack(program, folder):
        write(folder, "m.yaml", text)
        return refused(run(program, folder, verb, "m.yaml"), *words)
    return attack


def warned(text, *words):
    def attack(program, folder):
        """a warning"""
        write(folder, "m.yaml", text)
        shown = run(program, folder, "check", "m.yaml")
        return shown.code == 0 and all(w in shown.err for w in words), str(shown)
    return attack


def start(text, *words):
    def attack(program, folder):
        """exit code 1, and the culprit named"""
        write(folder, "m.yaml", text)
        shown = run(program, folder, "run", "m.yaml")
        named = all(w in shown.err for w in words) and "mass matrix is singular" not in shown.err
        return shown.code == 1 and named, str(shown)
    return attack


# What shares its names with bodies.
THINGS = {"joints": "{type: spherical, bodies: [ground, a], at: [0, 0, 0]}",
          "drivers": "{type: driver, between: [ground, a], coordinate: z, value: t}",
          "forces": "{type: force, on: a, fz: 1}",
          "when": "{expression: a.x}"}
BODY = "kardan: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"


def long_run(program, folder):
    """ends, and says why"""
    write(folder, "m.yaml", PENDULUM.replace("t_end: 1,", "t_end: 1e12,"))
    few = run(program, folder, "run", "m.yaml", "--option", "max_steps=1000", "--quiet")
    if few.code != 1 or "1000 steps were taken" not in few.err or "reaction" in few.err:
        return False, str(few)
    # Here the times at the end are told apart by more than the steps that are needed.
    shown = run(program, folder, "run", "m.yaml", "--method", "rn4", "--option", "max_steps=1000", "--quiet")
    return shown.code in (1, 2) and "t_end" in shown.err and "reaction" not in shown.err, str(shown)


def escapes(program, folder):
    """no control character reaches the terminal"""
    write(folder, "m.yaml", PENDULUM + 'name: "a\\e[31mred\\x07\\u009b2J\\u202e"\n')
    write(folder, "n.yaml", 'kardan: 1\nbodies: {"b\\e[31m": {mass: 1}}\n')
    write(folder, "s\x1b[31m.yaml", "kardan: 1\nbodies: {left-arm: {mass: 1}}\n")
    seen = ""
    for arguments in (["check", "m.yaml"], ["run", "m.yaml"], ["assemble", "m.yaml"],
                      ["linearize", "m.yaml"], ["check", "n.yaml"], ["check", "s\x1b[31m.yaml"],
                      ["run", "m.yaml", "--out", "/no\x1b/such.csv"],
                      ["run", "m.yaml", "--method", "\x1b[31m"]):
        shown = run(program, folder, *arguments)
        for c in shown.out + shown.err:
            if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c in "\u202e\u2066":
                return False, f"{arguments}: {c!r}"
        seen = str(shown)
    return True, seen


def formulas(program, folder):
    """no cell begins with = + - @"""
    write(folder, "m.yaml", PENDULUM)
    shown = run(program, folder, "run", "m.yaml", "--out", "a.csv", "--quiet")
    with open(folder + "/a.csv") as file:
        head = file.readline()
    return shown.code == 0 and not any(c[0] in "=+-@" for c in head.split(",")), head[:80]


def attacks():
    out = [(f"{o} {v}", option(o, v)) for o in OPTIONS for v in NUMBERS]
    out += [("--tol 5", option("--tol", "5")), ("--rtol 5", option("--rtol", "5")),
            ("--every 1e-300", option("--every", "1e-300")),
            ("--step 1e-300", option("--step", "1e-300")),
            ("--tol-of bob=nan", option("--tol-of", "bob=nan")),
            ("--option safety=0", option("--option", "safety=0")),
            ("--option growth=0.5", option("--option", "growth=0.5")),
            ("--option shrink=2", option("--option", "shrink=2")),
            ("compare --t-end nan", option("--t-end", "nan", "compare", "--methods", "rn4")),
            ("compare --tols nan", option("--tols", "nan", "compare", "--methods", "rn4")),
            ("compare --tols 1e-3:inf", option("--tols", "1e-3:inf", "compare", "--methods", "rn4")),
            ("linearize --at nan", option("--at", "nan", "linearize")),
            ("linearize --at -1", option("--at", "-1", "linearize"))]
    for field in ("t_end", "tolerance", "relative", "absolute", "every", "step",
                  "checkpoint_every"):
        out += [(f"simulate.{field}: {v}", in_file(field, v)) for v in (".nan", ".inf", "0", "-1")]
    out += [("simulate.tolerance: 5", in_file("tolerance", "5")),
            ("simulate.relative: 5", in_file("relative", "5"))]
    for word in ("pi", "tau", "t", "sin", "and", "not", "ground", "time", "energy"):
        if word != "sin":
            out.append((f"a body called {word}",
                        model(f"kardan: 1\nbodies: {{{word}: {{mass: 1}}}}\n", "name.reserved")))
        out.append((f"a sensor called {word}",
                    model(BODY + f"sensors: {{{word}: {{type: expression, value: a.x}}}}\n",
                          "name.reserved")))
        if word != "sin":
            for section, fields in THINGS.items():
                out.append((f"one of {section} called {word}",
                            model(BODY + f"{section}: {{{word}: {fields}}}\n", "name.reserved")))
        equations = (f"kardan: 1\nequations:\n  positions: {{{word}: 1}}\n  velocities: {{v: 0}}\n"
                     "  mass: {v: 1}\n  forces: {v: -1}\n")
        out.append((f"a variable called {word}", model(equations, "name.reserved")))
        if word not in ("ground", "time", "energy"):
            out.append((f"a parameter called {word}",
                        model(BODY + f"parameters: {{{word}: 1}}\n", "parameter.reserved")))
            out.append((f"a function called {word}",
                        model(BODY + f"functions: {{{word}: {{type: harmonic, frequency: 1}}}}\n",
                              "function.name")))
            copies = (f'kardan: 1\nbodies: {{"b_${{{word}}}": {{repeat: {{{word}: [1, 2]}}, mass: 1, '
                      "inertia: [1, 1, 1]}}\n")
            out.append((f"an index called {word}", model(copies, "repeat.index")))
    joint = "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 0]}}\n"
    forgotten = joint.replace(", axis: [0, 0, 0]", "")
    out += [("axis: [0, 0, 0]", model(BODY + joint, "m.yaml:3:", "j.axis")),
            ("an axis that is not given", warned(BODY + forgotten, "m.yaml:3:", "joint.axis")),
            ("z: [0, 0, 0]", model("kardan: 1\nbodies: {a: {mass: 1, z: [0, 0, 0]}}\n", "a.z")),
            ("a spring of zero length",
             start(BODY + "forces: {s: {type: spring_damper, between: [ground, a], stiffness: 1}}\n",
                   "'s'", "m.yaml:3")),
            ("NaN at the start",
             start(BODY + "forces: {f: {type: force, on: a, fz: sqrt(t - 1)}}\n", "'f'", "m.yaml:3")),
            ("t_end: 1e12", long_run), ("control characters", escapes), ("formulas", formulas)]
    return out
