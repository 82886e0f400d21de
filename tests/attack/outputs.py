"""Outputs that would destroy something."""

import os
import subprocess
import time

from common import PENDULUM, read, refused, run, write

NOTES = b"what nobody wants to lose\n"


def keeps(flag, name, *more, text=NOTES):
    """What is there is not Kardan's: refused, and overwritten with --force."""
    def attack(program, folder):
        """refused; overwritten with --force alone"""
        write(folder, "m.yaml", PENDULUM)
        write(folder, name, text)
        shown = run(program, folder, "run", "m.yaml", flag, name, *more, "--quiet")
        ok, seen = refused(shown, name, "--force")
        kept = read(folder, name) == text
        forced = run(program, folder, "run", "m.yaml", flag, name, *more, "--quiet", "--force")
        changed = read(folder, name) != text
        return ok and kept and forced.code == 0 and changed, seen
    return attack


def again(*flags):
    def attack(program, folder):
        """an earlier output of Kardan is replaced"""
        write(folder, "m.yaml", PENDULUM)
        write(folder, "other.yaml", PENDULUM.replace("bob", "mass"))
        for name in ("m.yaml", "m.yaml", "other.yaml"):
            shown = run(program, folder, "run", name, *flags, "--quiet")
            if shown.code != 0:
                return False, str(shown)
        return True, str(shown)
    return attack


def command(*arguments, lost):
    def attack(program, folder):
        """refused, and nothing lost"""
        write(folder, "m.yaml", "include: [part.yaml]\n" + PENDULUM)
        write(folder, "part.yaml", "parameters: {g: {value: 9.81}}\n")
        made = run(program, folder, "run", "m.yaml", "--out", "a.h5", "--out", "a.csv", "--quiet",
                   "--checkpoint", "old.kcp")
        if made.code != 0:
            return False, str(made)
        os.link(os.path.join(folder, "m.yaml"), os.path.join(folder, "hard.log"))
        os.symlink("m.yaml", os.path.join(folder, "soft.log"))
        before = {name: read(folder, name) for name in lost}
        ok, seen = refused(run(program, folder, *arguments, "--force"))
        return ok and all(read(folder, n) == before[n] for n in lost), seen
    return attack


def together(*flags):
    def attack(program, folder):
        """the second is refused while the first runs"""
        write(folder, "m.yaml", PENDULUM.replace("t_end: 1,", "t_end: 1e9,"))
        write(folder, "n.yaml", PENDULUM)
        first = subprocess.Popen([program, "run", "m.yaml", *flags, "--quiet"], cwd=folder,
                                 stderr=subprocess.DEVNULL)
        try:
            time.sleep(1.5)
            second = run(program, folder, "run", "n.yaml", *flags, "--quiet", timeout=30)
            ok, seen = refused(second, "another run")
        finally:
            first.kill()
            first.wait()
        after = run(program, folder, "run", "n.yaml", *flags, "--quiet")
        return ok and after.code == 0, seen if ok else f"{seen}; after a kill: {after}"
    return attack


def attacks():
    return [
        ("--log notes.txt", keeps("--log", "notes.txt")),
        ("--checkpoint notes.txt", keeps("--checkpoint", "notes.txt")),
        ("--out notes.csv", keeps("--out", "notes.csv", text=b"time [s],force [N]\n0,1\n")),
        ("--out notes.json", keeps("--out", "notes.json", text=b'{"model": 1}\n')),
        ("--out notes.html", keeps("--out", "notes.html", text=b"<html>mine</html>\n")),
        ("--out notes.h5", keeps("--out", "notes.h5")),
        ("all kinds again", again("--out", "a.h5", "--out", "a.csv", "--out", "a.json", "--out",
                                  "a.html", "--log", "a.log", "--checkpoint", "a.kcp")),
        ("--log m.yaml", command("run", "m.yaml", "--log", "m.yaml", lost=["m.yaml"])),
        ("--log ./m.yaml", command("run", "m.yaml", "--log", "./m.yaml", lost=["m.yaml"])),
        ("--log of a hard link", command("run", "m.yaml", "--log", "hard.log", lost=["m.yaml"])),
        ("--log of a symbolic link", command("run", "m.yaml", "--log", "soft.log", lost=["m.yaml"])),
        ("--log of an included file",
         command("run", "m.yaml", "--log", "part.yaml", lost=["part.yaml"])),
        ("--checkpoint m.yaml", command("run", "m.yaml", "--checkpoint", "m.yaml", lost=["m.yaml"])),
        ("view a.h5 --out a.h5", command("view", "a.h5", "--out", "a.h5", lost=["a.h5"])),
        ("view a.h5 --out ./a.h5", command("view", "a.h5", "--out", "./a.h5", lost=["a.h5"])),
        ("run a.h5 --out a.h5", command("run", "a.h5", "--out", "a.h5", lost=["a.h5"])),
        ("--out b.csv --checkpoint b.csv",
         command("run", "m.yaml", "--out", "b.csv", "--checkpoint", "b.csv", lost=[])),
        ("--out b.csv --out b.csv",
         command("run", "m.yaml", "--out", "b.csv", "--out", "./b.csv", lost=[])),
        ("--log old.kcp.rows --resume old.kcp",
         command("run", "m.yaml", "--resume", "old.kcp", "--log", "old.kcp.rows",
                 lost=["old.kcp.rows"])),
        ("convert m.yaml --out m.yaml",
         command("convert", "m.yaml", "--out", "m.yaml", lost=["m.yaml"])),
        ("compare --reference a.csv --out a.csv",
         command("compare", "m.yaml", "--methods", "rn4", "--reference", "a.csv", "--out", "a.csv",
                 lost=["a.csv"])),
        ("two runs, one .csv", together("--out", "a.csv")),
        ("two runs, one .h5", together("--out", "a.h5")),
        ("two runs, one .html", together("--out", "a.html")),
        ("two runs, one log", together("--log", "a.log")),
        ("two runs, one checkpoint", together("--checkpoint", "a.kcp")),
    ]
