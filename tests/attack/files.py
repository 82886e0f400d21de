"""Attacks by files: results, checkpoints, models and references of strangers. `attacks()` lists them as
(name, function(kardan, folder) -> (held, text))."""

import importlib.util
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "..", "..", "models")
SECRET = "the quick brown secret 4711"  # of hostile_results.py
PENDULUM = os.path.join(MODELS, "pendulum.yaml")
LONGEST = 60  # [s] of any answer; a busy machine takes its time


def ask(kardan, *words, inside=None):
    """(exit code, text): what the program answers; -1 for one that does not end."""
    try:
        done = subprocess.run(
            [os.path.abspath(kardan), *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST, cwd=inside, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, f"no answer in {LONGEST} s"
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def refused(answer, code=""):
    """Exit code 2 and a message, without the secret of another file."""
    status, text = answer
    held = status == 2 and "error[" + code in text and SECRET not in text
    first = text.strip().splitlines()[0][:160] if text.strip() else ""
    return held, f"{status}: {first}"


def make_result(kardan, folder, name="base.h5"):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        status, text = ask(kardan, "run", PENDULUM, "--t-end", "0.5", "--out", path, "--quiet")
        assert status == 0, text
    return path


# --- results -----------------------------------------------------------------------------------------


def hostile_result(kardan, folder):
    """Every hostile result is refused, and no other file shows."""
    place = os.path.join(folder, "hostile")
    os.makedirs(place, exist_ok=True)
    # h5py often belongs to the Python of the system only.
    python = sys.executable if importlib.util.find_spec("h5py") else "/usr/bin/python3"
    maker = os.path.join(HERE, "hostile_results.py")
    subprocess.run([python, "-B", maker, make_result(kardan, folder), place], check=True)
    with open(os.path.join(place, "hostile.json")) as list_:
        files = json.load(list_)
    failed = []
    for name, command, path in ((f["name"], f["command"], f["path"]) for f in files):
        if command == "view":
            out = [path + ".html", path + ".csv"]
            held, text = refused(ask(kardan, "view", path, "--out", out[0], "--out", out[1]))
            for written in out:
                if os.path.exists(written) and SECRET in open(written, errors="replace").read():
                    held = False
        else:
            held, text = refused(ask(kardan, "run", path, "--t-end", "0.01"))
        if not held:
            failed.append(f"{name}: {text}")
    return not failed, "; ".join(failed) or f"{len(files)} files refused"


def unfinished(kardan, folder, bytes_=1 << 17):
    """A result whose program was killed."""
    path = os.path.join(folder, "unfinished.h5")
    run = subprocess.Popen(
        [kardan, "run", PENDULUM, "--t-end", "1e6", "--every", "5", "--out", path, "--quiet"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.time() + LONGEST
    while time.time() < end and (not os.path.exists(path) or os.path.getsize(path) < bytes_):
        time.sleep(0.05)
    run.send_signal(signal.SIGKILL)
    run.wait()
    with open(path, "rb") as file:
        return file.read()


def damaged_unfinished(kardan, folder, count=75):
    """Damaged files of unfinished runs are answered, each within seconds."""
    whole = unfinished(kardan, folder)
    chance = random.Random(5)
    path = os.path.join(folder, "damaged.h5")
    slow = []
    # Most structures of HDF5 stand at the beginning.
    for i in range(count):
        some = bytearray(whole)
        reach = len(some) if i % 3 == 0 else min(len(some), 1 << 14)
        for _ in range(chance.choice([1, 3, 10, 100])):
            some[chance.randrange(512, reach)] = chance.randrange(256)
        with open(path, "wb") as file:
            file.write(some)
        start = time.time()
        status, text = ask(kardan, "view", path, "--out", path + ".csv", "--quiet")
        if status not in (0, 2) or time.time() - start > LONGEST / 2:
            slow.append(f"{i}: {status} {text[:80]}")
    return not slow, "; ".join(slow) or f"{count} files answered"


# --- checkpoints -------------------------------------------------------------------------------------


def reseal(title, body):
    """A body under a title ("KARDAN CHECKPOINT" and the version) with the length and checksum that fit."""
    return title + f"\nbytes {len(body)}\nchecksum {zlib.crc32(body):08x}\n\n".encode() + body


def make_checkpoint(kardan, folder):
    path = os.path.join(folder, "base.checkpoint")
    words = ["run", PENDULUM, "--t-end", "1", "--checkpoint", path, "--checkpoint-every", "0.25", "--quiet"]
    status, text = ask(kardan, *words)
    assert status == 0, text
    return path


def hostile_checkpoint(kardan, folder, count=100):
    """Checkpoints with any body and a fitting checksum: refused, or run to an answer."""
    base = make_checkpoint(kardan, folder)
    head, body = open(base, "rb").read().split(b"\n\n", 1)
    title = head.split(b"\n", 1)[0]
    assert re.fullmatch(rb"KARDAN CHECKPOINT \d+", title), title
    assert reseal(title, body) == head + b"\n\n" + body
    chance = random.Random(6)
    path = os.path.join(folder, "hostile.checkpoint")
    failed = []
    numbers = [0, -1, 1, 2**31, 2**62, -(2**63), 2**63 - 1]
    for i in range(count):
        some = bytearray(body)
        at = chance.randrange(0, len(some) - 8)
        if i % 4 == 0:
            some[at : at + 8] = struct.pack("<q", chance.choice(numbers))
        elif i % 4 == 1:
            some[at : at + 8] = struct.pack("<d", chance.choice([float("nan"), float("inf"), -1e300, 5e-324]))
        elif i % 4 == 2:
            some[at] ^= 1 << chance.randrange(8)
        else:
            some = some[:at]
        with open(path, "wb") as file:
            file.write(reseal(title, bytes(some)))
        shutil.copy(base + ".rows", path + ".rows")
        status, text = ask(kardan, "run", PENDULUM, "--resume", path, "--t-end", "1.1", "--quiet")
        # 0 to 4 are answers; a signal or a deadline is none.
        if not 0 <= status <= 4 or SECRET in text:
            failed.append(f"{i}: {status} {text[:80]}")
    return not failed, "; ".join(failed) or f"{count} files answered"


def checkpoint_beside_a_link(kardan, folder):
    """CHECKPOINT.new that links to a file of the user: the file stays as it is."""
    victim = os.path.join(folder, "victim.txt")
    with open(victim, "w") as file:
        file.write(SECRET)
    path = os.path.join(folder, "linked.checkpoint")
    if not os.path.islink(path + ".new"):
        os.symlink(victim, path + ".new")
    status, text = ask(kardan, "run", PENDULUM, "--t-end", "0.5", "--checkpoint", path)
    kept = open(victim, errors="replace").read() == SECRET
    said = status == 0 or "cannot write" in text or "error" in text
    return kept and said, f"{status}: " + ("kept" if kept else "overwritten")


# --- models ------------------------------------------------------------------------------------------


def includes(kardan, folder):
    """No included file lies outside the folder, and none is a device or a pipe."""
    place = os.path.join(folder, "includes", "inside", "deep")
    os.makedirs(place, exist_ok=True)
    inside, outside = os.path.dirname(place), os.path.dirname(os.path.dirname(place))
    for name in (os.path.join(outside, "secret.yaml"), os.path.join(outside, "x.yaml")):
        with open(name, "w") as file:
            file.write(f"parameters: {{a: {SECRET}}}\n")
    links = {"link.yaml": os.path.join(outside, "secret.yaml"), "folder": outside, "down": place, "null": "/dev/zero"}
    for name, target in links.items():
        if not os.path.islink(os.path.join(inside, name)):
            os.symlink(target, os.path.join(inside, name))
    pipe = os.path.join(inside, "pipe.yaml")
    if not os.path.exists(pipe):
        os.mkfifo(pipe)
    paths = [
        "../secret.yaml",
        "deep/../../secret.yaml",
        "folder/secret.yaml",
        "link.yaml",
        "down/../../x.yaml",
        "down/../../../x.yaml",
        os.path.join(outside, "secret.yaml"),
        '"../secret.yaml\\0.yaml"',
        '"\\0../secret.yaml"',
        f'"{outside}/secret.yaml\\0"',
        '"deep/\\0/../../../secret.yaml"',
        '"a\\nb"',
        "null",
        "/dev/zero",
        "pipe.yaml",
        "deep",
        ".",
        "/proc/self/environ",
        "~/x.yaml",
    ]
    failed = []
    for path in paths:
        model = os.path.join(inside, "m.yaml")
        with open(model, "w") as file:
            file.write(f"kardan: 1\ninclude: [{path}]\nbodies: {{b: {{mass: 1, inertia: [1, 1, 1]}}}}\n")
        held, text = refused(ask(kardan, "check", model))
        if not held:
            failed.append(f"{path}: {text}")
    return not failed, "; ".join(failed) or f"{len(paths)} paths refused"


def odd_files(kardan, folder):
    """Pipes and devices where files are wanted: an answer, not a wait."""
    pipe = os.path.join(folder, "silent.pipe")
    if not os.path.exists(pipe):
        os.mkfifo(pipe)
    for ending in (".h5", ".csv"):
        if not os.path.lexists(pipe + ending):
            os.symlink(pipe, pipe + ending)
    words = [
        ["check", pipe],
        ["run", pipe],
        ["check", "/dev/zero"],
        ["check", "/dev/tty0"],
        ["check", folder],
        ["view", pipe],
        ["view", "/dev/zero"],
        ["run", pipe + ".h5"],
        ["run", PENDULUM, "--resume", pipe],
        ["run", PENDULUM, "--resume", "/dev/zero"],
        ["compare", PENDULUM, "--reference", pipe + ".csv", "--methods", "rn4", "--tols", "1e-3"],
        ["compare", PENDULUM, "--reference", pipe + ".h5", "--methods", "rn4", "--tols", "1e-3"],
    ]
    failed = []
    for command in words:
        held, text = refused(ask(kardan, *command))
        if not held:
            failed.append(f"{' '.join(command)}: {text}")
    return not failed, "; ".join(failed) or f"{len(words)} commands answered"


# --- references and numbers --------------------------------------------------------------------------


def references(kardan, folder):
    """References that lack columns, or hold what is no number, are refused."""
    path = os.path.join(folder, "whole.csv")
    words = ["run", PENDULUM, "--t-end", "1", "--every", "0.1", "--tol", "1e-9", "--out", path, "--quiet"]
    status, text = ask(kardan, *words)
    assert status == 0, text
    lines = open(path).read().splitlines()
    names = lines[0].split(",")
    rows = [line.split(",") for line in lines[1:]]
    speed = next(i for i, name in enumerate(names) if ".v" in name or ".omega" in name)
    place = next(i for i, name in enumerate(names) if ".x" in name or ".y" in name)

    def table(change):
        some = [list(names)] + [list(row) for row in rows]
        change(some)
        return "\n".join(",".join(row) for row in some) + "\n"

    def put(column, value):
        return lambda some: some[2].__setitem__(column, value)

    tables = {
        "without a velocity": table(lambda some: [row.pop(speed) for row in some]),
        "without a position": table(lambda some: [row.pop(place) for row in some]),
        "with nan": table(put(speed, "nan")),
        "with inf": table(put(place, "inf")),
        "with a word": table(put(place, "one")),
        "with a time that is nan": table(put(0, "nan")),
        "with a short row": table(lambda some: some[3].pop()),
        "without rows": lines[0] + "\n",
        "without anything": "",
    }
    failed = []
    for name, text in tables.items():
        other = os.path.join(folder, "other.csv")
        with open(other, "w") as file:
            file.write(text)
        held, text = refused(ask(kardan, "compare", PENDULUM, "--reference", other, "--methods", "rn4", "--tols", "1e-3"), "compare.reference")
        if not held:
            failed.append(f"{name}: {text}")
    status, text = ask(kardan, "compare", PENDULUM, "--reference", path, "--methods", "rn4", "--tols", "1e-3", "--json")
    if status != 0 or json.loads(text)["rows"][0]["velocity_error"] == 0:
        failed.append(f"whole: {text[:80]}")
    return not failed, "; ".join(failed) or f"{len(tables)} tables refused"


def subnormal(kardan, folder):
    """Numbers near the smallest do not end a certified run."""
    model = os.path.join(folder, "small.yaml")
    with open(model, "w") as file:
        file.write(
            "kardan: 1\nname: large and small\nequations:\n"
            "  positions: {x: 1, y: 1e-305}\n  velocities: {vx: 0, vy: 0}\n"
            "  mass: {vx: 1, vy: 1}\n  forces: {vx: -9*x, vy: -9*y}\n"
            "simulate: {t_end: 1, every: 0.1, tolerance: 1e-6}\n"
        )
    failed = []
    for more in (["--json"], ["--out", "s.html"], ["--out", "s.h5"], ["--out", "s.json"], ["--out", "s.csv"]):
        status, text = ask(kardan, "run", model, "--certify", *more, inside=folder)
        if status not in (0, 3) or "stod" in text:
            failed.append(f"{more}: {status} {text[:120]}")
    return not failed, "; ".join(failed) or "5 formats written"


def policies(kardan, folder):
    """Reports forbid whatever is not the viewer to run."""
    report, page = os.path.join(folder, "r.html"), os.path.join(folder, "c.html")
    ask(kardan, "run", PENDULUM, "--t-end", "0.1", "--out", report, "--quiet")
    ask(kardan, "compare", PENDULUM, "--methods", "rn4", "--tols", "1e-3", "--t-end", "0.1", "--repeat", "0", "--out", page, "--quiet")
    without = []
    for path in (report, page):
        text = open(path).read()
        start = text.find('http-equiv="Content-Security-Policy"')
        rules = text[start : text.find(">", start)]
        if "default-src 'none'" not in rules or "script-src 'unsafe" in rules:
            without.append(path)
    return not without, ", ".join(without) or "2 pages"


def attacks():
    return [
        ("hostile results", hostile_result),
        ("damaged results of unfinished runs", damaged_unfinished),
        ("hostile checkpoints", hostile_checkpoint),
        ("a link beside a checkpoint", checkpoint_beside_a_link),
        ("includes that leave the folder", includes),
        ("pipes and devices as files", odd_files),
        ("references that lack something", references),
        ("subnormal numbers", subnormal),
        ("pages that could run scripts", policies),
    ]
