"""Equations of motion from Python functions on arrays."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _core
from .errors import Diagnostic, ModelError
from .runnable import Runnable, place

_arguments = {"t": 0, "p": 1, "v": 2, "r": 3, "w": 4, "s": 5, "lambda_": 6, "mu": 7}

#: What a function may depend on, by the general form.
_may_take = {"Z": "tp", "M": "tp", "f": "*", "b": "*", "d": "*", "c": "tps", "g": "tps", "H": "tps",
             "h": "tps", "e": "tpvs", "z": "*", "output": "*", "energy": "*", "rate": "tpvs",
             "bias": "tpvs"}
_derivatives = {"p": "p", "v": "v", "r": "r", "w": "w", "s": "s", "t": "t",
                "multipliers": "multipliers"}


class Equations(Runnable):
    """Equations of motion in the general form, from functions on NumPy arrays:

        (1) p' = Z(p) v                    (2) M(t,p) v' = f - Z'G' lambda - Z'H' mu
        (3) r' = b                         (4) 0 = d
        (5) 0 = c(t,p,s)                   (6) 0 = H(t,p,s) Z v + h(t,p,s)
        (7) 0 = g(t,p,s)                   (8) 0 = e(t,p,v,s)          (9) events z

        pendulum = kardan.Equations(
            "pendulum", positions={"x": 1, "y": 0}, velocities={"vx": 0, "vy": 0},
            constraints=["rod"],
            f=lambda: [0, -9.81], g=lambda p: [p[0]**2 + p[1]**2 - 1])
        pendulum.run(t_end=2, method="dopri5")

    Variables are dictionaries of names and starts: positions (p), velocities (v; left out: NAME_rate,
    at rest), dynamic (r), auxiliary (w), contact (s). Equations are lists of names: constraints (g),
    nonholonomic (H, h), invariants (e), events (z), outputs. An event may be a dictionary with name,
    direction ("rising", "falling") and action ("stop").

    Functions are given by their letter and take what they need by name: t, p, v, r, w, s, lambda_,
    mu. What a function does not take, it does not depend on. f, b, d, z, output and energy may depend
    on everything. `energy` returns kinetic, potential and the power of forces without potential.
    Z and M are the identity where they are not given; the others are zero.

    Derivatives are functions too: f_p, f_v, g_p, M_p, ... with rows of the function and columns of
    the variables (M_p: n x n x n), and f_multipliers by lambda and mu. Missing ones are found by
    central differences of order six: the certificate says so (`result.derivatives.exact`), and
    methods that need exact derivatives refuse. Hidden constraints g' and g'' follow from g; where
    you have them, `rate` is g' (and H Z v + h) and `bias` is gamma in G p'' = gamma. With those and
    all first derivatives nothing is left to differences.
    """

    def __init__(self, name: str = "equations", *, positions: Mapping[str, float],
                 velocities: Mapping[str, float] | None = None,
                 dynamic: Mapping[str, float] | None = None,
                 auxiliary: Mapping[str, float] | None = None,
                 contact: Mapping[str, float] | None = None,
                 constraints: Sequence[str] = (), nonholonomic: Sequence[str] = (),
                 invariants: Sequence[str] = (), events: Sequence[Any] = (),
                 outputs: Sequence[str] = (), simulate: Mapping[str, Any] | None = None,
                 **functions: Callable[..., Any]):
        where = place(1)
        if velocities is None:
            velocities = {f"{p}_rate": 0.0 for p in positions}
        spec: dict[str, Any] = {
            "name": name, "positions": dict(positions), "velocities": dict(velocities),
            "dynamic": dict(dynamic or {}), "auxiliary": dict(auxiliary or {}),
            "contact": dict(contact or {}), "constraints": list(constraints),
            "nonholonomic": list(nonholonomic), "invariants": list(invariants),
            "outputs": list(outputs), "events": [event_rule(e) for e in events],
        }
        self._names = spec
        spec["functions"], spec["zero"] = {}, []
        faults: list[Diagnostic] = []
        for key, function in functions.items():
            self._add(key, function, spec, faults, where)
        self._complete(functions, spec, faults, where)
        if faults:
            raise ModelError(faults)
        spec["multiplier_forces"] = any(
            set(_taken(functions[k])) & {"lambda_", "mu"} for k in "fbd" if k in functions)
        self._source = _core.CallbackSource(spec)
        self._source.set_simulate(dict(simulate or {}), where)

    def _shape(self, key: str) -> tuple[int, ...]:
        n = len(self._names["positions"])
        count = lambda what: len(self._names[what])
        rows = count("constraints") + count("nonholonomic")
        return {"Z": (n, n), "M": (n, n), "f": (n,), "b": (count("dynamic"),),
                "d": (count("auxiliary"),), "c": (count("contact"),), "g": (count("constraints"),),
                "H": (count("nonholonomic"), n), "h": (count("nonholonomic"),),
                "e": (count("invariants"),), "z": (count("events"),), "output": (count("outputs"),),
                "energy": (3,), "rate": (rows,), "bias": (rows,)}[key]

    def _columns(self, by: str) -> int:
        count = lambda what: len(self._names[what])
        return {"t": 1, "p": count("positions"), "v": count("velocities"), "r": count("dynamic"),
                "w": count("auxiliary"), "s": count("contact"),
                "multipliers": count("constraints") + count("nonholonomic")}[by]

    def _add(self, key, function, spec, faults, where) -> None:
        letter, _, by = key.partition("_")
        if letter not in _may_take or (by and by not in _derivatives) or \
                (by and letter in ("z", "energy")):
            known = ", ".join(_may_take)
            faults.append(error("equations.function", f"there is no function '{key}'",
                                 f"there are {known}, and derivatives such as f_p", where))
            return
        shape = self._shape(letter) + ((self._columns(by),) if by and by != "t" else ())
        if not callable(function):
            if by and np.ndim(function) == 0 and function == 0:
                spec["zero"].append(key)
                return
            constant = np.array(function, float)
            function = lambda: constant
        allowed = _may_take[letter]
        taken = _taken(function)
        for argument in taken:
            if argument not in _arguments:
                faults.append(error("equations.variable", f"{key} takes '{argument}'",
                                     f"wanted any of {', '.join(_arguments)}", where, function))
            elif allowed != "*" and argument not in allowed:
                faults.append(error("equations.variable", f"{key} takes '{argument}'",
                                     f"it may depend on {', '.join(allowed)} only", where, function))
        if 0 in shape:
            faults.append(error("equations.function", f"{key} is given, but has no rows",
                                 "name its rows: constraints=[...], events=[...]", where, function))
        spec["functions"][key] = (function, [_arguments.get(a, 0) for a in taken], list(shape))

    def _complete(self, functions, spec, faults, where) -> None:
        """Derivatives that are zero because a function does not take a variable; missing functions."""
        for letter in _may_take:
            if letter in ("z", "energy"):
                continue
            function = functions.get(letter)
            if function is None:
                continue
            taken = set(_taken(function)) if callable(function) else set()
            for by in _derivatives:
                names = {"lambda_", "mu"} if by == "multipliers" else {by}
                if not names & taken and f"{letter}_{by}" not in functions:
                    spec["zero"].append(f"{letter}_{by}")
        wanted = {"g": "constraints", "H": "nonholonomic", "b": "dynamic", "d": "auxiliary",
                  "c": "contact", "e": "invariants", "z": "events", "output": "outputs"}
        for letter, names in wanted.items():
            if spec[names] and letter not in functions:
                faults.append(error("equations.function", f"'{letter}' is missing for {names}",
                                     f"give the function {letter}=...", where))
        if ("rate" in functions) != ("bias" in functions):
            faults.append(error("equations.function", "of 'rate' and 'bias' one is missing",
                                 "give both or none", where))
        for key in functions:
            letter, _, by = key.partition("_")
            if by and letter in _may_take and letter not in functions:
                faults.append(error("equations.function", f"'{key}' is given without '{letter}'",
                                     f"give the function {letter}=...", where))


def event_rule(event: Any) -> tuple[str, int, bool]:
    """Name, direction and whether it stops the run."""
    if isinstance(event, str):
        return event, 0, False
    directions = {"rising": 1, "falling": -1, "both": 0}
    actions = {"stop": True, "record": False}
    direction, action = event.get("direction", "both"), event.get("action", "record")
    if direction not in directions or action not in actions:
        raise ValueError(f"event {event}: wanted direction rising, falling or both, and action stop "
                         "or record")
    return event["name"], directions[direction], actions[action]


def _taken(function) -> list[str]:
    return list(inspect.signature(function).parameters) if callable(function) else []


def error(code: str, message: str, hint: str, where, function=None) -> Diagnostic:
    file, line = where.file, where.line
    code_object = getattr(function, "__code__", None)
    if code_object is not None:
        file, line = code_object.co_filename, code_object.co_firstlineno
    text = f"{file}:{line}: error[{code}]: {message}; hint: {hint}"
    return Diagnostic("error", code, message, hint, file, line, 0, text)
