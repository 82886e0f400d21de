"""Symbols of a user as places in the row of variables."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import dynamicsymbols

from .derive import General
from .equations import error, event_rule


def name_of(symbol) -> str:
    """The name of a symbol or of a function of time; of a derivative NAME_rate."""
    if isinstance(symbol, sp.Derivative):
        return f"{name_of(symbol.expr)}_rate"
    if isinstance(symbol, AppliedUndef):
        return symbol.func.__name__
    return str(symbol)


class Row:
    """Reads what a user gave: symbols become x[0], x[1], ..., faults are collected."""

    def __init__(self, where):
        self.where = where
        self.faults: list = []
        self.parameter_values: dict[str, float] = {}
        self.nonholonomic: list[str] = []
        self.size = 0
        self._by_name: dict[str, sp.Expr] = {}
        self._exact: dict[Any, sp.Expr] = {}  # functions of time and their derivatives

    def form(self, given: dict) -> General:
        """The general form of the arguments of SymbolicEquations."""
        x = General()
        positions = dict(given["positions"])
        dynamic, auxiliary, contact = (dict(given[k] or {}) for k in ("dynamic", "auxiliary",
                                                                      "contact"))
        velocities = given["velocities"]
        if velocities is None:
            velocities = {self._rate(q): 0 for q in positions}
        velocities = dict(velocities)
        x.n = n = len(positions)
        constraints, nonholonomic = dict(given["constraints"] or {}), dict(given["nonholonomic"] or {})
        self.nonholonomic = list(nonholonomic)
        rows = len(constraints) + len(nonholonomic)

        x.t = self._place()
        self._define(dynamicsymbols._t, x.t)
        x.p = [self._variable(q) for q in positions]
        x.u = [self._place() for _ in range(n)]
        turned = given["kinematics"] is not None and not self._is_identity(given["kinematics"],
                                                                           positions, velocities)
        x.v = [sp.Symbol(f"v[{i}]", real=True) for i in range(n)] if turned else x.u
        if len(velocities) == n:
            for symbol, place in zip(velocities, x.v):
                self._define(symbol, place)
        else:
            self._fault("equations.kinematics",
                        f"{n} positions but {len(velocities)} velocities", "give as many")
        x.r = [self._variable(r) for r in dynamic]
        x.w = [self._variable(w) for w in auxiliary]
        x.s = [self._variable(s) for s in contact]
        multipliers = [self._place() for _ in range(rows)]
        for label, symbol in (given["multipliers"] or {}).items():
            labels = [*constraints, *nonholonomic]
            if label in labels:
                self._define(symbol, multipliers[labels.index(label)])
            else:
                self._fault("equations.function", f"multipliers: there is no constraint '{label}'",
                            f"there are: {', '.join(labels)}")
        x.L = multipliers if given["multipliers"] else []
        x.a = [self._place() for _ in range(n)]
        x.K = [self._place() for _ in range(rows)]
        for symbol, value in (given["parameters"] or {}).items():
            self._variable(symbol)
            self.parameter_values[name_of(symbol)] = float(value)

        self._kinematics(given["kinematics"], positions, x, turned)
        self._mass(given["mass"], x)
        x.f = self._forces(given["forces"], velocities, n)
        parts = lambda section, items: [self._read(e[1], f"{section}.{name_of(k)}")
                                        for k, e in items.items()]
        x.b, x.d, x.c = parts("dynamic", dynamic), parts("auxiliary", auxiliary), parts("contact",
                                                                                       contact)
        named = lambda section: [self._read(e, f"{section}.{k}")
                                 for k, e in (given[section] or {}).items()]
        x.g, x.nonholonomic = named("constraints"), named("nonholonomic")
        x.e, x.output = named("invariants"), named("outputs")
        x.z = [self._read(e["expression"] if isinstance(e, dict) else e, f"events.{k}")
               for k, e in (given["events"] or {}).items()]
        if given["energy"]:
            x.energy = [self._read(given["energy"].get(k, 0), f"energy.{k}")
                        for k in ("kinetic", "potential", "power")]
        self._start(x, positions, velocities, dynamic, auxiliary, contact)
        self._check_dependence(x)
        self.variables = (positions, velocities, dynamic, auxiliary, contact)
        return x

    def names(self, name, constraints, nonholonomic, invariants, outputs, events) -> dict:
        keys = ("positions", "velocities", "dynamic", "auxiliary", "contact")
        spec = {key: {name_of(x): 0.0 for x in part} for key, part in zip(keys, self.variables)}
        rules = []
        for label, event in (events or {}).items():
            rules.append(event_rule({"name": label, **{k: v for k, v in event.items()
                                                       if k != "expression"}}
                                    if isinstance(event, dict) else label))
        return {**spec, "name": name, "constraints": list(constraints or {}),
                "nonholonomic": list(nonholonomic or {}), "invariants": list(invariants or {}),
                "outputs": list(outputs or {}), "events": rules,
                "multiplier_forces": self._multiplier_forces}

    def key(self, x: General) -> str:
        """Everything the code depends on."""
        parts = [x.n, x.t, x.p, x.u, x.v, x.r, x.w, x.s, x.L, x.a, x.K, x.Z, x.M, x.f, x.b, x.d, x.c,
                 x.g, x.nonholonomic, x.e, x.z, x.output, x.energy, x.start]
        return "\n".join(sp.srepr(part) for part in parts)

    @staticmethod
    def function_names(x: General) -> list[str]:
        names = ["start", "force", "derivatives"]
        names += ["rates", "velocities"] if x.Z is not None else []
        names += ["position", "velocity", "acceleration", "motion"] if x.g or x.nonholonomic else []
        names += ["contact", "contact_by_p"] if x.s else []
        names += ["invariants"] if x.e else []
        names += ["events"] if x.z else []
        names += ["energy"] if x.energy else []
        names += ["outputs"] if x.output else []
        return names

    # Symbols

    def _fault(self, code, message, hint):
        self.faults.append(error(code, message, hint, self.where))

    def _place(self) -> sp.Symbol:
        self.size += 1
        return sp.Symbol(f"x[{self.size - 1}]", real=True)

    def _variable(self, symbol) -> sp.Symbol:
        place = self._place()
        self._define(symbol, place)
        return place

    def _define(self, symbol, place) -> None:
        symbol = sp.Symbol(symbol) if isinstance(symbol, str) else symbol
        name = name_of(symbol)
        if name in self._by_name:
            self._fault("name.duplicate", f"the name '{name}' is used twice", "rename one of them")
        self._by_name[name] = place
        self._exact[symbol] = place

    @staticmethod
    def _rate(q):
        if isinstance(q, AppliedUndef):
            return q.diff(dynamicsymbols._t)
        return sp.Symbol(f"{name_of(q)}_rate")

    def _read(self, value, what: str) -> sp.Expr:
        """An expression over the places."""
        expression = sp.sympify(value).xreplace(self._exact)
        table = {s: self._by_name[s.name] for s in expression.free_symbols
                 if s not in self._places and s.name in self._by_name}
        expression = expression.xreplace(table)
        unknown = sorted(str(s) for s in expression.free_symbols if s not in self._places)
        unknown += sorted(map(str, expression.atoms(AppliedUndef, sp.Derivative)))
        if unknown:
            self._fault("expression.unknown_name", f"{what}: what is '{unknown[0]}'?",
                        "a variable, or give it a value under parameters")
        return expression

    @property
    def _places(self) -> set:
        return set(self._exact.values())

    # Parts

    @staticmethod
    def _is_identity(kinematics, positions, velocities) -> bool:
        return all(sp.sympify(kinematics.get(q)) == v for q, v in zip(positions, velocities))

    def _kinematics(self, given, positions, x: General, turned: bool) -> None:
        if given is None:
            return
        for q in positions:
            if q not in given:
                self._fault("equations.kinematics", f"the rate of '{name_of(q)}' is missing",
                            "give the rates of all positions")
                return
        rates = [self._read(given[q], f"kinematics.{name_of(q)}") for q in positions]
        for q, rate in zip(positions, rates):
            self._exact[self._rate(q)] = rate  # q'(t) in other expressions
        if not turned:
            return
        x.Z = sp.Matrix(rates).jacobian(x.v)
        if set(x.v) & x.Z.free_symbols or any(
                sp.simplify(r) != 0 for r in sp.Matrix(rates) - x.Z * sp.Matrix(x.v)):
            self._fault("equations.linear", "kinematics: not linear in the velocities",
                        "write p' = Z(p) v")

    def _mass(self, given, x: General) -> None:
        if given is None:
            x.M = sp.eye(x.n)
            return
        M = sp.Matrix(given)
        if M.cols == 1 and x.n > 1 or (M.cols == 1 and M.rows == x.n):
            M = sp.diag(*M)
        if M.shape != (x.n, x.n):
            self._fault("equations.mass", f"mass: got shape {M.shape}; wanted {(x.n, x.n)}",
                        "a square matrix, or the list of its diagonal")
            x.M = sp.eye(x.n)
            return
        x.M = sp.Matrix(x.n, x.n, lambda i, j: self._read(M[i, j], f"mass[{i}, {j}]"))

    def _forces(self, given, velocities, n: int) -> list:
        if given is None:
            return [sp.S.Zero] * n
        if isinstance(given, dict):
            unknown = [k for k in given if k not in velocities]
            if unknown:
                self._fault("equations.function", f"forces: '{unknown[0]}' is no velocity",
                            f"there are: {', '.join(name_of(v) for v in velocities)}")
            given = [given.get(v, 0) for v in velocities]
        given = list(given)
        if len(given) != n:
            self._fault("equations.function", f"forces: got {len(given)}; wanted {n}",
                        "one for each velocity")
            return [sp.S.Zero] * n
        return [self._read(f, f"forces.{name_of(v)}") for f, v in zip(given, velocities)]

    def _start(self, x: General, positions, velocities, dynamic, auxiliary, contact) -> None:
        starts = [*positions.values(), *velocities.values()]
        starts += [e[0] for part in (dynamic, auxiliary, contact) for e in part.values()]
        x.start = [self._read(s, "start") for s in starts]
        moving = {x.t, *x.p, *x.u, *x.v, *x.r, *x.w, *x.s, *x.L}
        for s in x.start:
            if s.free_symbols & moving:
                self._fault("equations.variable", f"start {s}: it depends on a variable",
                            "a number, or an expression of parameters")

    def _check_dependence(self, x: General) -> None:
        velocities, others = {*x.u, *x.v}, {*x.r, *x.w, *x.L}
        rules = (("mass", list(x.M), velocities | others | set(x.s), "t and p"),
                 ("constraints", x.g, velocities | others, "t, p and s"),
                 ("contact", x.c, velocities | others, "t, p and s"),
                 ("nonholonomic", x.nonholonomic, others, "t, p, v and s"),
                 ("invariants", x.e, others, "t, p, v and s"))
        for section, expressions, forbidden, allowed in rules:
            if any(e.free_symbols & forbidden for e in expressions):
                self._fault("equations.variable", f"{section}: depends on other variables",
                            f"it may depend on {allowed}")
        dynamics = [*x.f, *x.b, *x.d]
        self._multiplier_forces = any(e.free_symbols & set(x.L) for e in dynamics)
        if not self._multiplier_forces:
            x.L = []
