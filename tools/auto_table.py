#!/usr/bin/python3
"""The table of what `--method auto` costs: see tools/auto_table."""

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
TOOL = "tools/auto_table"
TOLERANCES = [1e-4, 1e-8]
METHODS = ["rn4", "rodasp", "dopri5", "dop853", "dopri5@projected_ode", "dop853@projected_ode", "nystrom4", "hem5", "radau5",
           "adams", "llm"]
# A run is honest when its reached errors of positions and of velocities are at most this many tolerances each, or this
# many times the smallest error of all methods where none comes so near (chaos, impacts, fast turns), or hardly larger
# than those of `auto`, which then is compared with its like.
HONEST, HARDLY = 10, 3
# Runs are given up after this many times the steps of `auto`, but not before so many steps: the dearest step costs less
# than that many of the cheapest. Runs that took so much longer than the fastest honest one are not counted.
FAR, ANY_STEPS, SLOW = 20, 1000, 2.5
# The first that comes to the end, at a hundredth of the tightest tolerance, is the reference, at so many times.
REFERENCES, REFERENCE_SHARE, POINTS = ["rodasp", "radau5", "dopri5", "ros2w"], 1e-2, 100
LIMIT = 1.5

# Models on which `auto` once chose badly; not shipped.
OWN = {
    "cam": """kardan: 1
dimension: 2
parameters: {R: 0.05, r: 0.01, ecc: 0.02, w: 30}
bodies:
  cam: {mass: 1, inertia: 1e-3, position: [0, 0], markers: {centre: {at: [0, ecc]}}}
  follower: {mass: 0.3, inertia: 1e-4, position: [0, ecc + R + r]}
joints:
  shaft: {type: revolute, between: [ground, cam]}
  guide: {type: prismatic, bodies: [ground, follower], at: [0, 0.08], axis: [0, 1]}
drivers:
  motor: {type: driver, between: [ground, cam], motion: w*t}
forces:
  spring: {type: spring_damper, between: [{body: ground, at: [0, 0.2]}, follower], stiffness: 2000, free_length: 0.2}
contacts:
  touch: {type: sphere_sphere, between: [cam.centre, follower], radius_a: R, radius_b: r, stiffness: 1e7, damping: 500}
simulate: {t_end: 1}
""",
    "disc_by_equations": """kardan: 1
parameters: {m: 1, R: 0.5, g: 9.81, A: m*R^2/4, C: m*R^2/2, lean: radians(70)}
equations:
  positions: {x: 0, y: 0, z: R*sin(lean), psi: 0, th: lean, phi: 0}
  velocities: {vx: 1.5, vy: 0, vz: 0, vpsi: 0.5, vth: 0, vphi: -1.5/R - 0.5*cos(lean)}
  constraints: {touch: z - R*sin(th)}
  nonholonomic:
    rx: vx + R*(vphi + vpsi*cos(th))*cos(psi) - R*vth*sin(th)*sin(psi)
    ry: vy + R*(vphi + vpsi*cos(th))*sin(psi) + R*vth*sin(th)*cos(psi)
  mass:
    vx: m
    vy: m
    vz: m
    vpsi: {vpsi: A*sin(th)^2 + C*cos(th)^2, vphi: C*cos(th)}
    vth: A
    vphi: C
  forces:
    vz: -m*g
    vpsi: 2*(C - A)*sin(th)*cos(th)*vth*vpsi + C*sin(th)*vth*vphi
    vth: A*sin(th)*cos(th)*vpsi^2 - C*(vphi + vpsi*cos(th))*vpsi*sin(th)
    vphi: C*sin(th)*vth*vpsi
simulate: {t_end: 5}
""",
    "hemisphere": """kardan: 1
gravity: [0, 0, -9.81]
bodies:
  ball: {kind: point, mass: 1, position: [0, 0, 1], velocity: [0.1, 0, 0]}
when:
  dome: {expression: sqrt(ball.x^2 + ball.y^2 + ball.z^2) - 1, direction: falling, action: {impulse: {restitution: 0}}}
simulate: {t_end: 1.2}
""",
    "hunt_crossley": """kardan: 1
gravity: [0, 0, -9.81]
parameters: {R: 0.1}
bodies:
  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, R + 0.5]}
contacts:
  floor: {type: sphere_plane, between: [ground, ball], radius: R, law: hunt_crossley, stiffness: 1e7, dissipation: 0.5}
simulate: {t_end: 1}
"""}

HEAD = """Every model of `models/`, and some on which `auto` once chose badly (`tools/auto_table.py`), to the end its file names (fixed steps left out),
at tolerances 1e-4 and 1e-8. Instructions are those of the run, the probe of `auto` included, by `valgrind
--tool=callgrind`. "Best" is the cheapest of {methods} whose reached errors of positions and of velocities (against a
run at a hundredth of 1e-8) are at most {honest} tolerances, or at most {honest} times the smallest error of all of them
where none comes so near, or at most {hardly} times those of `auto`; of models with invariants, `radau5`, which keeps
them. Errors shown are those of positions. Methods are given up after {far} times the steps of `auto` ({any} at least): no
step costs so much less than another. **Bold**: the ratio is above {limit}, or positions of `auto` are farther off than
{honest} tolerances and than {honest} times the smallest error of all methods.

| model | tolerance | chosen by `auto` | error | million instructions | best single method | error | million instructions | ratio |
|---|---|---|---|---|---|---|---|---|
"""


def model_text(name):
    """Without fixed steps."""
    if name in OWN:
        return OWN[name]
    with open(os.path.join(ROOT, "models", name + ".yaml")) as file:
        return re.sub(r"^(simulate:.*?), *step: *[0-9.e-]+", r"\1", file.read(), flags=re.M)


def methods_for(path):
    """Of models with invariants, those that keep them."""
    with open(path) as file:
        return ["radau5"] if re.search(r"^ *invariants:", file.read(), flags=re.M) else METHODS


def run(path, method, tolerance, *more):
    """The report of a run."""
    result = subprocess.run([PROGRAM, "run", path, "--json", "--method", method, "--tol", f"{tolerance:g}", *more],
                            capture_output=True, text=True)
    return json.loads(result.stdout) if result.stdout else {"reason": result.stderr}


def make_reference(path, out):
    """A file of the motion that errors are measured against."""
    every = run(path, "auto", TOLERANCES[0])["t_reached"] / POINTS
    for method in REFERENCES:
        report = run(path, method, REFERENCE_SHARE * min(TOLERANCES), "--every", f"{every:.17g}", "--out", out)
        if report["reason"] == "finished":
            return
    raise SystemExit(f"{path}: no reference: {report['reason']}")


def compare(path, reference, tolerance, auto):
    most = max(ANY_STEPS, FAR * auto["counters"]["accepted"])
    result = subprocess.run(
        [PROGRAM, "compare", path, "--methods", ",".join(["auto"] + methods_for(path)), "--tols", f"{tolerance:g}",
         "--reference", reference, "--repeat", "1", "--json", "--option", f"max_steps={most}"],
        capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{path}: {result.stderr}")
    return json.loads(result.stdout)["rows"]


def instructions(path, method, tolerance):
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}",
                        "--toggle-collect=kardan::simulate(kardan::Prepared&*", PROGRAM, "run", path, "--quiet",
                        "--method", method, "--tol", f"{tolerance:g}"], capture_output=True, check=True)
        with open(out.name) as file:
            return int(re.search(r"^(?:summary|totals): (\d+)", file.read(), flags=re.M).group(1))


def row(name, path, reference, tolerance):
    own_run = run(path, "auto", tolerance)
    rows = [r for r in compare(path, reference, tolerance, own_run) if r["finished"]]
    auto = next((r for r in rows if r["method"] == "auto"), None)
    singles = [r for r in rows if r["method"] != "auto"]

    def limit(what):
        return HONEST * max(tolerance, min(r[what] for r in singles))

    def is_honest(r):
        return all(r[what] <= max(limit(what), HARDLY * auto[what] if auto else 0)
                   for what in ("position_error", "velocity_error"))

    honest = [r for r in singles if is_honest(r)]
    fastest = min(r["cpu_seconds"] for r in honest)
    counted = [(instructions(path, r["method"], tolerance), r) for r in honest
               if r["cpu_seconds"] <= SLOW * fastest]
    best, best_row = min(counted, key=lambda c: c[0])
    if auto is None:
        return f"| `{name}` | {tolerance:.0e} | **fails** | | | `{best_row['method']}` | " \
               f"{best_row['position_error']:.0e} | {best / 1e6:.3g} | |"
    own = instructions(path, "auto", tolerance)
    ratio = own / best
    near = auto["position_error"] <= limit("position_error")
    error = f"{auto['position_error']:.0e}"
    return (f"| `{name}` | {tolerance:.0e} | `{own_run['automatic']['method']}` | "
            f"{error if near else f'**{error}**'} | {own / 1e6:.3g} | "
            f"`{best_row['method']}` | {best_row['position_error']:.0e} | {best / 1e6:.3g} | "
            f"{f'{ratio:.2f}' if ratio <= LIMIT else f'**{ratio:.2f}**'} |")


def known():
    """The rows of the page, by model and tolerance."""
    text = page_part.read(PAGE, TOOL)
    return {(m[1], m[2]): m[0] for m in re.finditer(r"^\| `(\w+)` \| (1e-\d+) \|.*$", text, flags=re.M)}


def text_of(rows):
    near = sum("**" not in r for r in rows.values())
    cheap = sum(not re.search(r"\*\* \|$|fails", r) for r in rows.values())
    head = HEAD.format(methods=", ".join(f"`{m}`" for m in METHODS), honest=HONEST, hardly=HARDLY, limit=LIMIT, far=FAR,
                       any=ANY_STEPS)
    tail = f"\n{cheap} of {len(rows)} are within {LIMIT} times the best, {near} of them as near.\n"
    return head + "\n".join(rows[k] for k in sorted(rows)) + "\n" + tail


def main():
    only = sys.argv[1:]
    models = sorted(f[:-5] for f in os.listdir(os.path.join(ROOT, "models")) if f.endswith(".yaml"))
    models += OWN
    rows = known() if only else {}
    if only == ["check"]:
        if missing := [m for m in models for t in TOLERANCES if (m, f"{t:.0e}") not in rows]:
            raise SystemExit(f"{PAGE}: no rows of {missing}")
        return page_part.check(PAGE, TOOL, text_of(rows))
    names = [] if only == ["none"] else only or models
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = os.path.join(folder, name + ".yaml")
            with open(path, "w") as file:
                file.write(model_text(name))
            reference = os.path.join(folder, name + ".h5")
            make_reference(path, reference)
            for tolerance in TOLERANCES:
                text = row(name, path, reference, tolerance)
                print(text, flush=True)
                rows[name, f"{tolerance:.0e}"] = text
    page_part.write(PAGE, TOOL, text_of(rows))


if __name__ == "__main__":
    main()
