"""Faults of the machine: disks, memory, folders, pipes, surroundings."""

import os
import resource
import subprocess

from common import CHAIN, PENDULUM, read, run, write

# Sanitizers take memory of their own.
MEASURED = ("little memory, check", "little memory, run", "little memory, radau5")


def full_disk(name, flag="--out"):
    def attack(program, folder):
        """exit code 1 or 2, the file named, no crash"""
        write(folder, "m.yaml", PENDULUM.replace("t_end: 1,", "t_end: 100, every: 0.001,"))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        import signal
        shown = run(program, folder, "run", "m.yaml", flag, name, "--quiet",
                    preexec_fn=lambda: (limit(), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)))
        ours = "HDF5-DIAG" not in shown.err
        return shown.code in (1, 2) and name in shown.err and ours, str(shown)
    return attack


def dev_full(program, folder):
    """exit code 1 or 2, and the file named"""
    write(folder, "m.yaml", PENDULUM)
    os.symlink("/dev/full", os.path.join(folder, "a.csv"))
    shown = run(program, folder, "run", "m.yaml", "--out", "a.csv", "--quiet")
    return shown.code in (1, 2) and "a.csv" in shown.err, str(shown)


def full_output(program, folder):
    """exit code 1"""
    write(folder, "m.yaml", PENDULUM)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program, "run", "m.yaml"], cwd=folder, stdout=full,
                              stderr=subprocess.PIPE)
    return done.returncode == 1, f"exit code {done.returncode}: {done.stderr.decode().strip()}"


def memory(megabytes, *arguments):
    def attack(program, folder):
        """exit code 1, the memory is blamed and not the model"""
        write(folder, "m.yaml", CHAIN)
        bytes_ = megabytes << 20
        shown = run(program, folder, *arguments, timeout=100, preexec_fn=lambda:
                    resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_)))
        blamed = "function of the model" in shown.err or "bad_alloc" in shown.err
        return shown.code in (1, 2) and "memory" in shown.err and not blamed, str(shown)
    return attack


def read_only(program, folder):
    """exit code 2, and the file named"""
    write(folder, "m.yaml", PENDULUM)
    os.mkdir(os.path.join(folder, "locked"), 0o555)
    # root may write everywhere: a file in the place of a folder is refused to all.
    write(folder, "file", "")
    name = "file/a.csv" if os.geteuid() == 0 else "locked/a.csv"
    shown = run(program, folder, "run", "m.yaml", "--out", name, "--quiet")
    return shown.code == 2 and name in shown.err, str(shown)


def closed_pipe(program, folder):
    """no message, no crash"""
    write(folder, "m.yaml", PENDULUM)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([program, "run", "m.yaml"], cwd=folder, stdout=writing,
                          stderr=subprocess.PIPE)
    os.close(writing)
    return done.returncode == 1 and not done.stderr, f"exit code {done.returncode}"


def surroundings(**env):
    def attack(program, folder):
        """the same numbers"""
        write(folder, "m.yaml", PENDULUM)
        plain = run(program, folder, "run", "m.yaml", "--out", "a.csv", "--quiet")
        other = run(program, folder, "run", "m.yaml", "--out", "b.csv", "--quiet", env=env)
        same = read(folder, "a.csv") == read(folder, "b.csv")
        return plain.code == other.code == 0 and same, str(other)
    return attack


def attacks():
    out = [(f"a full disk, {n}", full_disk(n)) for n in ("a.csv", "a.h5", "a.html")]
    out += [("a full disk, --log", full_disk("a.log", "--log")),
            ("a full disk, --checkpoint", full_disk("a.kcp", "--checkpoint")),
            ("/dev/full", dev_full), ("/dev/full as standard output", full_output),
            (MEASURED[0], memory(120, "check", "m.yaml", "--set", "N=20000")),
            (MEASURED[1], memory(200, "run", "m.yaml", "--method", "rn4", "--quiet", "--set", "N=2500")),
            (MEASURED[2], memory(200, "run", "m.yaml", "--method", "radau5", "--quiet")),
            ("a folder that cannot be written", read_only), ("a closed pipe", closed_pipe),
            ("no HOME, no PATH", surroundings(LANG="C")),
            ("LC_ALL=de_DE.UTF-8", surroundings(LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")),
            ("LC_ALL=tr_TR.UTF-8", surroundings(LC_ALL="tr_TR.UTF-8"))]
    return out
