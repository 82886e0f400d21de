"""Expressions to functions: C code through the system's compiler, kept for the next time, or Python."""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import sympy as sp
from sympy.printing.c import C99CodePrinter
from sympy.printing.pycode import PythonCodePrinter

_flags = ["-O2", "-fPIC", "-shared", "-fno-math-errno", "-ffp-contract=off"]
#: Changes with the code that derives and prints: what was kept before is not used any more.
_version = 1
_largest_power = 8


class _C(C99CodePrinter):
    def _print_Pow(self, e):
        if e.exp.is_Integer and 2 <= abs(e.exp) <= _largest_power:
            power = f"power_{abs(int(e.exp))}({self._print(e.base)})"
            return power if e.exp > 0 else f"(1.0/{power})"
        if e.exp == sp.Rational(3, 2):
            return f"power_3(sqrt({self._print(e.base)}))"
        if e.exp == sp.Rational(-3, 2):
            return f"(1.0/power_3(sqrt({self._print(e.base)})))"
        return super()._print_Pow(e)


def _powers() -> str:
    lines = ["#include <math.h>"]
    for n in range(2, _largest_power + 1):
        half = f"power_{n // 2}(x)" if n > 3 else "x"
        body = f"const double h = {half}; return h*h" + ("*x" if n % 2 else "")
        lines.append(f"static inline double power_{n}(double x) {{ {body}; }}")
    return "\n".join(lines)


def _reduce(expressions: list) -> tuple[list, list]:
    """Common parts, and the expressions in them. What is zero almost everywhere is zero."""
    clean = [e.replace(sp.DiracDelta, lambda *_: sp.S.Zero) if e.has(sp.DiracDelta) else e
             for e in map(sp.sympify, expressions)]
    return sp.cse(clean, symbols=sp.numbered_symbols("c"), order="none")


def c_source(functions: dict[str, list]) -> str:
    printer = _C({"contract": False})
    parts = [_powers()]
    for name, expressions in functions.items():
        common, values = _reduce(expressions)
        lines = [f"void {name}(const double *x, double *y) {{", "  (void)x;"]
        lines += [f"  const double {symbol} = {printer.doprint(e)};" for symbol, e in common]
        lines += [f"  y[{i}] = {printer.doprint(e)};" for i, e in enumerate(values)]
        parts.append("\n".join([*lines, "}"]))
    return "\n\n".join(parts) + "\n"


def python_functions(functions: dict[str, list], variables: int) -> dict:
    """The same as Python functions: (function, number of variables, number of results)."""
    printer = PythonCodePrinter({"fully_qualified_modules": True})
    out = {}
    for name, expressions in functions.items():
        common, values = _reduce(expressions)
        lines = [f"def {name}(x):", "  x = x.tolist()"]
        lines += [f"  {symbol} = {printer.doprint(e)}" for symbol, e in common]
        lines.append(f"  return [{', '.join(printer.doprint(e) for e in values)}]")
        space: dict = {"math": math}
        exec("\n".join(lines), space)  # noqa: S102: our own text
        out[name] = (_finite(space[name], len(values)), variables, len(values))
    return out


def _finite(function, results: int):
    def safe(x):
        try:
            return function(x)
        except (ZeroDivisionError, ValueError, OverflowError):
            return [math.nan] * results  # as C would: the library tries a smaller step

    return safe


def compiler() -> list[str] | None:
    """The system's C compiler: $CC, cc, gcc or clang."""
    given = os.environ.get("CC")
    if given:
        return shlex.split(given)
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    return None


def cache_folder() -> Path:
    """$KARDAN_CACHE, or kardan in the user's folder of caches."""
    given = os.environ.get("KARDAN_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "kardan"


def library(key: str, make_source) -> tuple[ctypes.CDLL, bool]:
    """The compiled functions, and whether they were kept from an earlier time. `key` says all that
    the code depends on; `make_source` writes it where it has to be compiled."""
    command = compiler()
    if command is None:
        raise FileNotFoundError("there is no C compiler: install one, set CC, or use code='python'")
    version = subprocess.run([*command, "--version"], capture_output=True, text=True).stdout
    text = "\0".join([key, str(_version), sp.__version__, version, *command, *_flags, sys.platform])
    name = hashlib.sha256(text.encode()).hexdigest()[:32]
    folder = cache_folder()
    path = folder / f"{name}.so"
    if path.exists():
        return ctypes.CDLL(str(path)), True
    folder.mkdir(parents=True, exist_ok=True)
    source = make_source()
    # Written under another name first: another program may be after the same.
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        code, made = Path(scratch) / "equations.c", Path(scratch) / "equations.so"
        code.write_text(source)
        done = subprocess.run([*command, *_flags, "-o", str(made), str(code), "-lm"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} could not compile the equations:\n{done.stderr}")
        os.replace(code, folder / f"{name}.c")
        os.replace(made, path)
    return ctypes.CDLL(str(path)), False


def addresses(loaded: ctypes.CDLL, names) -> dict[str, int]:
    return {name: ctypes.cast(getattr(loaded, name), ctypes.c_void_p).value for name in names}
