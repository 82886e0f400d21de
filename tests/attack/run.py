#!/usr/bin/env python3
"""Attacks the built program on purpose and prints what came of it.

    tests/attack/run.py PROGRAM [GROUP...] [--short] [--sanitized]

A group is a file beside this one with `attacks()`: a list of (name, function), the function taking the
program and an empty folder and giving (whether it held, what was seen). Its first line of
documentation is what is expected. Slow ones are named in the group's `SLOW` and left out by --short.
Those that measure time or memory are named in `MEASURED` and left out by --sanitized, for a program built
with sanitizers: with it any of their reports is a failure, whatever the attack says.
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


def sanitize(folder):
    """Sanitizers of programs that are started write into the folder."""
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        os.environ[name] = f"log_path={folder}/report:print_stacktrace=1"
    leaks = os.path.join(HERE, "..", "fuzz", "leaks.txt")
    os.environ["LSAN_OPTIONS"] = f"suppressions={leaks}:print_suppressions=0"


def reported(folder):
    """What sanitizers have written since the last call."""
    text = ""
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), errors="replace") as file:
            text += file.read()
        os.remove(os.path.join(folder, name))
    return text


def one(function, program, reports):
    folder = tempfile.mkdtemp(prefix="kardan_attack_")
    try:
        held, seen = function(program, folder)
        found = reported(reports)
        return held and not found, found or seen
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
    parser.add_argument("--sanitized", action="store_true", help="for a program with sanitizers")
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    with tempfile.TemporaryDirectory(prefix="kardan_reports_") as reports:
        if given.sanitized:
            sanitize(reports)
        return attack(program, given, reports)


def attack(program, given, reports):
    failed = held = 0
    for group in given.group or groups():
        module = importlib.import_module(group)
        left_out = set(getattr(module, "SLOW", ()) if given.short else ())
        left_out |= set(getattr(module, "MEASURED", ()) if given.sanitized else ())
        for name, function in module.attacks():
            if name in left_out:
                continue
            ok, seen = one(function, program, reports)
            held, failed = held + ok, failed + (not ok)
            expected = (function.__doc__ or "refused, with the reason").strip().splitlines()[0]
            seen = " ".join(str(seen).split())
            print(f"{'ok    ' if ok else 'FAILED'}  {group:<9} {name:<44} {expected:<48} {seen[:160]}",
                  flush=True)
    print(f"\n{held} held, {failed} did not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
