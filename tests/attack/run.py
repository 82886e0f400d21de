#!/usr/bin/env python3
"""Attacks the built program on purpose and prints what came of it.

    tests/attack/run.py PROGRAM [GROUP...] [--short]

A group is a file beside this one with `attacks()`: a list of (name, function), the function taking the
program and an empty folder and giving (whether it held, what was seen). Its first line of
documentation is what is expected. Slow ones are named in the group's `SLOW` and left out by --short.
"""

import argparse
import importlib
import os
import shutil
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def groups():
    """The files beside this one that have attacks."""
    out = []
    for name in sorted(os.listdir(HERE)):
        if name.endswith(".py"):
            with open(os.path.join(HERE, name), encoding="utf-8") as file:
                if "\ndef attacks(" in file.read():
                    out.append(name[:-3])
    return out


def one(function, program):
    folder = tempfile.mkdtemp(prefix="kardan_attack_")
    try:
        return function(program, folder)
    except Exception:
        return False, traceback.format_exc().strip().splitlines()[-1]
    finally:
        for path, folders, _ in os.walk(folder):
            for name in folders:
                os.chmod(os.path.join(path, name), 0o700)
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("group", nargs="*")
    parser.add_argument("--short", action="store_true", help="without those that take long")
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    failed = held = 0
    for group in given.group or groups():
        module = importlib.import_module(group)
        slow = getattr(module, "SLOW", ())
        for name, function in module.attacks():
            if given.short and name in slow:
                continue
            ok, seen = one(function, program)
            held, failed = held + ok, failed + (not ok)
            expected = (function.__doc__ or "refused, with the reason").strip().splitlines()[0]
            seen = " ".join(str(seen).split())
            print(f"{'ok    ' if ok else 'FAILED'}  {group:<9} {name:<44} {expected:<48} {seen[:160]}",
                  flush=True)
    print(f"\n{held} held, {failed} did not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
