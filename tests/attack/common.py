"""What the attacks share: running the program, and small models."""

import os
import subprocess
import time

PENDULUM = """kardan: 1
dimension: 2
gravity: [0, -9.81]
bodies: {bob: {mass: 1, inertia: 0.1, position: [1, 0]}}
joints: {pin: {type: revolute, bodies: [ground, bob], at: [0, 0]}}
simulate: {t_end: 1, tolerance: 1e-6}
"""

CHAIN = """kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {N: 1000}
bodies:
  "link_${i}": {repeat: {i: [1, N]}, mass: 0.1, inertia: 1e-4, position: ["0.1*(${i} - 0.5)", 0]}
joints:
  "pin_1": {type: revolute, bodies: [ground, link_1], at: [0, 0]}
  "pin_${i}": {repeat: {i: [2, N]}, type: revolute, bodies: ["link_${i - 1}", "link_${i}"],
               at: ["0.1*(${i} - 1)", 0]}
simulate: {t_end: 10}
"""


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)
    return path


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


class Shown:
    """What a command gave: exit code (negative: a signal), texts, seconds."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def __str__(self):
        last = (self.err.strip() or self.out.strip()).splitlines()
        return f"exit code {self.code}: {last[0][:110] if last else ''}"


def run(program, folder, *arguments, timeout=120, **how):
    begin = time.monotonic()
    try:
        done = subprocess.run([program, *arguments], cwd=folder, timeout=timeout,
                              stdin=subprocess.DEVNULL, capture_output=True, **how)
    except subprocess.TimeoutExpired:
        return Shown(None, "", f"still running after {timeout} s", timeout)
    decode = lambda text: text.decode("utf-8", "replace")
    return Shown(done.returncode, decode(done.stdout), decode(done.stderr),
                 time.monotonic() - begin)


def refused(shown, *words):
    """Exit code 2, and a message that holds every word."""
    return shown.code == 2 and all(w in shown.err for w in words), str(shown)
