"""Runs that shall end now, and runs that were killed."""

import os
import signal
import subprocess
import time

from common import CHAIN, PENDULUM, read, run, write

# [s] from the signal to the end, of a machine that has nothing else to do.
LIMIT = 2.0 * max(1.0, os.getloadavg()[0] / os.cpu_count())
LONG = ("radau5 within a factorization, SIGTERM", "radau5 within a factorization, --wall-limit")
SLOW = LONG + ("100 kills and --resume: the log has no gap",)

MEASURED = LONG + ("--wall-limit 0.5 while the model is read",)


def stopped(how, *flags, chain, wait):
    def attack(program, folder):
        """ends within 2 s, with what it has"""
        write(folder, "m.yaml", CHAIN if chain else PENDULUM.replace("t_end: 1,", "t_end: 1e9,"))
        # Who starts the attacks in the background may have taught them to ignore Ctrl-C.
        heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        busy = subprocess.Popen([program, "run", "m.yaml", "--out", "a.csv", "--out", "a.json",
                                 "--quiet", *flags], cwd=folder, stderr=subprocess.PIPE,
                                preexec_fn=heard)
        time.sleep(wait)
        if busy.poll() is not None:
            return False, f"ended before: {busy.stderr.read().decode()[:100]}"
        begin = time.monotonic()
        busy.send_signal(how)
        try:
            busy.wait(60)
        except subprocess.TimeoutExpired:
            busy.kill()
            return False, "still running after 60 s"
        seconds = time.monotonic() - begin
        told = b'"reason": "interrupted"' in read(folder, "a.json")
        rows = read(folder, "a.csv").count(b"\n")
        return (seconds < LIMIT and busy.returncode == 128 + how and told and rows >= 2,
                f"{seconds:.2f} s, exit code {busy.returncode}, {rows - 1} rows")
    return attack


def limited(limit, *flags, chain):
    def attack(program, folder):
        """ends within 2 s of the limit, with what it has"""
        write(folder, "m.yaml", CHAIN if chain else PENDULUM.replace("t_end: 1,", "t_end: 1e9,"))
        shown = run(program, folder, "run", "m.yaml", "--out", "a.csv", "--quiet", *flags,
                    f"--wall-limit={limit}", timeout=limit + 60)
        there = os.path.exists(os.path.join(folder, "a.csv"))
        return (shown.code == 1 and shown.seconds < limit + LIMIT and there and
                "wall-clock limit" in shown.err, f"{shown.seconds:.2f} s; {shown}")
    return attack


def before_the_run(program, folder):
    """the limit holds before the first step, too"""
    write(folder, "m.yaml", CHAIN.replace("N: 1000", "N: 60000"))
    shown = run(program, folder, "run", "m.yaml", "--quiet", "--wall-limit=0.5", timeout=120)
    return shown.code == 1 and shown.seconds < 0.5 + LIMIT, f"{shown.seconds:.2f} s; {shown}"


def killed(times, t_end):
    def attack(program, folder):
        """the log of the pieces is that of a run in one piece"""
        write(folder, "m.yaml", PENDULUM.replace("t_end: 1,", f"t_end: {t_end},"))
        options = ["--quiet", "--checkpoint-every", "2", "--every", "1"]
        whole = run(program, folder, "run", "m.yaml", "--log", "whole.log", "--checkpoint",
                    "whole.kcp", *options)
        if whole.code != 0:
            return False, str(whole)
        gaps = done = 0
        for k in range(times):
            for name in ("a.log", "a.kcp", "a.kcp.rows"):
                if os.path.exists(os.path.join(folder, name)):
                    os.remove(os.path.join(folder, name))
            first = subprocess.Popen([program, "run", "m.yaml", "--log", "a.log", "--checkpoint",
                                      "a.kcp", *options], cwd=folder)
            time.sleep(whole.seconds * (0.15 + 0.7 * k / times))
            first.send_signal(signal.SIGKILL)
            first.wait()
            if not os.path.exists(os.path.join(folder, "a.kcp")):
                continue
            rest = run(program, folder, "run", "m.yaml", "--log", "a.log", "--resume", "a.kcp",
                       *options)
            if rest.code != 0:
                return False, str(rest)
            done += 1
            gaps += read(folder, "a.log") != read(folder, "whole.log")
        return gaps == 0 and done > times // 2, f"{gaps} of {done} logs differ"
    return attack


def attacks():
    return [
        ("SIGTERM", stopped(signal.SIGTERM, chain=False, wait=1)),
        ("SIGINT", stopped(signal.SIGINT, chain=False, wait=1)),
        ("--wall-limit 1", limited(1, chain=False)),
        (MEASURED[-1], before_the_run),
        (LONG[0], stopped(signal.SIGTERM, "--method", "radau5", chain=True, wait=25)),
        (LONG[1], limited(25, "--method", "radau5", chain=True)),
        ("40 kills and --resume: the log has no gap", killed(40, 100)),
        (SLOW[-1], killed(100, 400)),
    ]
