"""What `check` costs: it grows with the size of a chain and of a star, not with its square."""

import resource

from common import CHAIN, run, write

STAR = """kardan: 1
parameters: {N: 1000}
bodies:
  hub: {mass: 1, inertia: [1, 1, 1]}
  "b_${i}": {repeat: {i: [1, N]}, mass: 1, inertia: [1, 1, 1], position: ["${i}", 0, 0]}
joints:
  "j_${i}": {repeat: {i: [1, N]}, type: revolute, bodies: [hub, "b_${i}"], at: ["${i}", 0, 0],
             axis: [0, 0, 1]}
"""
SLOW = ("check of a star of 10 000 bodies", "check of a chain of 99 999 links")
MEASURED = ("check of a star of 1000 bodies", "check of a chain of 3000 links") + SLOW


def check(text, N, seconds):
    def attack(program, folder):
        write(folder, "m.yaml", text)
        used = lambda: resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        before = used()
        shown = run(program, folder, "check", "m.yaml", "--set", f"N={N}", "--quiet", timeout=600)
        taken = used() - before
        return shown.code == 0 and taken < seconds, f"{taken:.1f} s of CPU time; {shown}"
    attack.__doc__ = f"less than {seconds} s of CPU time"
    return attack


def attacks():
    return [(MEASURED[0], check(STAR, 1000, 5)), (MEASURED[1], check(CHAIN, 3000, 10)),
            (SLOW[0], check(STAR, 10000, 20)), (SLOW[1], check(CHAIN, 99999, 20))]
