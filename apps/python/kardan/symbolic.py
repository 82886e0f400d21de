"""Equations of motion from SymPy expressions, compiled."""

from __future__ import annotations

import time
from typing import Any, Mapping, Sequence

from . import _core
from .equations import error
from .errors import ModelError
from .runnable import Runnable, place

_kinds = ("p", "v", "r", "w", "s")


class SymbolicEquations(Runnable):
    """Equations of motion in the general form, from SymPy expressions.

        x, y, vx, vy = sympy.symbols("x y vx vy")
        m, g, l = sympy.symbols("m g l")
        pendulum = kardan.SymbolicEquations(
            "pendulum", positions={x: l, y: 0}, velocities={vx: 0, vy: 0},
            mass=[m, m], forces=[0, -m*g], constraints={"rod": x**2 + y**2 - l**2},
            parameters={m: 1, g: 9.81, l: 1})
        pendulum.run(t_end=2)
        pendulum.run(t_end=2, set={"l": 2})

    All derivatives are symbolic, hidden constraints are derived, common parts are computed once, and
    the C code of it is compiled by the system's compiler and kept ($KARDAN_CACHE, default
    ~/.cache/kardan). Without a compiler Python evaluates it, with the same numbers but slowly. All
    methods may be used.

    The words are those of the section `equations` of model files. Symbols stand for variables; with
    `sympy.physics.mechanics.dynamicsymbols` q(t) and its derivative do.

        positions      {symbol: start}; a start is a number or an expression of parameters
        velocities     {symbol: start}, in the order of the positions; left out: rates of the
                       positions, symbols NAME_rate or derivatives q'(t), at rest
        kinematics     {position: rate}, linear in the velocities; left out: the velocities
        mass           a matrix, or a list: its diagonal; left out: the identity
        forces         a list, or {velocity: force}
        constraints    {name: g}
        nonholonomic   {name: expression linear in the velocities}
        dynamic        {symbol: (start, rate)}
        auxiliary      {symbol: (start, residual)}
        contact        {symbol: (start, residual)}
        invariants     {name: expression}
        events         {name: expression}, or {name: {"expression": z, "direction": "rising",
                       "action": "stop"}}
        outputs        {name: expression}
        energy         {"kinetic": T, "potential": V, "power": of forces without potential}
        parameters     {symbol: value}; they stay symbols in the code, so that other values (`set`)
                       need no compilation
        multipliers    {name of a constraint: symbol}, where forces depend on them
        simulate       how a run goes unless `run` says otherwise
        code           "compiled", "python", or None: compiled where there is a compiler

    See also `lagrange` and `mechanics`.
    """

    def __init__(self, name: str = "equations", *, positions: Mapping[Any, Any],
                 velocities: Mapping[Any, Any] | None = None,
                 kinematics: Mapping[Any, Any] | None = None, mass: Any = None,
                 forces: Any = None, constraints: Mapping[str, Any] | None = None,
                 nonholonomic: Mapping[str, Any] | None = None,
                 dynamic: Mapping[Any, tuple] | None = None,
                 auxiliary: Mapping[Any, tuple] | None = None,
                 contact: Mapping[Any, tuple] | None = None,
                 invariants: Mapping[str, Any] | None = None,
                 events: Mapping[str, Any] | None = None,
                 outputs: Mapping[str, Any] | None = None,
                 energy: Mapping[str, Any] | None = None,
                 parameters: Mapping[Any, float] | None = None,
                 multipliers: Mapping[str, Any] | None = None,
                 simulate: Mapping[str, Any] | None = None, code: str | None = None,
                 _where=None):
        from .symbols import Row

        begin = time.perf_counter()
        where = _where or place(1)
        row = Row(where)
        x = row.form(locals())
        names = row.names(name, constraints, nonholonomic, invariants, outputs, events)
        if row.faults:
            raise ModelError(row.faults)
        table, loaded, self.code, self.kept = _functions(x, row, code)
        if row.faults:
            raise ModelError(row.faults)
        #: Seconds it took to derive and compile the equations.
        self.seconds = time.perf_counter() - begin
        self._spec = {**names, "parameters": row.parameter_values, "functions": table,
                      "library": loaded}
        self._source = _core.CompiledSource(self._spec)
        self._source.set_simulate(dict(simulate or {}), where)

    @classmethod
    def lagrange(cls, name: str = "equations", *, kinetic: Any, potential: Any = 0,
                 positions: Mapping[Any, Any], rates: Mapping[Any, Any] | None = None,
                 forces: Mapping[Any, Any] | None = None, **more: Any) -> "SymbolicEquations":
        """Lagrange's equations of the kinetic and potential energy:

            d/dt (dT/dq') - dT/dq + dV/dq = Q - G' lambda - H' mu

        Positions q are functions of time (`dynamicsymbols`), rates their derivatives. `rates` gives
        starts of the derivatives by position, `forces` generalized forces Q by position. The energy
        balance comes for free. Other arguments as of the class: constraints, nonholonomic,
        parameters, ..."""
        import sympy as sp
        from sympy.physics.mechanics import dynamicsymbols

        t = dynamicsymbols._t
        q = list(positions)
        u = [x.diff(t) for x in q]
        forces = {k: sp.sympify(v) for k, v in (forces or {}).items()}
        T, V = sp.sympify(kinetic), sp.sympify(potential)
        # Rates as symbols, so that partial derivatives are what they look like.
        plain = [sp.Dummy(f"u_{i}") for i in range(len(q))]
        forth, back = dict(zip(u, plain)), dict(zip(plain, u))
        T = T.xreplace(forth)
        momentum = [T.diff(w) for w in plain]
        mass = sp.Matrix([[p.diff(w) for w in plain] for p in momentum]).xreplace(back)
        force = []
        for i, x in enumerate(q):
            power = forces.get(x, sp.S.Zero) + _partial(T, x) - _partial(V, x)
            power -= _partial(momentum[i], t)
            power -= sum(_partial(momentum[i], y) * w for y, w in zip(q, plain))
            force.append(power.xreplace(back))
        work = sum((forces[x] * w for x, w in zip(q, u) if x in forces), sp.S.Zero)
        energy = {"kinetic": kinetic, "potential": potential, "power": work}
        return cls(name, positions=positions, mass=mass, forces=force,
                   velocities={w: (rates or {}).get(x, 0) for x, w in zip(q, u)},
                   **{"energy": energy, "_where": place(1), **more})

    @classmethod
    def mechanics(cls, method: Any, name: str = "equations", *, positions: Mapping[Any, Any],
                  velocities: Mapping[Any, Any] | None = None, **more: Any) -> "SymbolicEquations":
        """The equations of a `sympy.physics.mechanics` method: a LagrangesMethod (with its
        constraints) or a KanesMethod (without dependent speeds: give their conditions here, as
        `constraints` or `nonholonomic`). Starts by coordinate and speed; other arguments as of the
        class."""
        from sympy.physics.mechanics import KanesMethod, LagrangesMethod, dynamicsymbols

        t = dynamicsymbols._t
        n = len(method.q)
        if isinstance(method, KanesMethod):
            if len(method._udep) or len(method._qdep):
                raise ValueError("KanesMethod with dependent coordinates or speeds: name all of them "
                                 "independent, and give the conditions as constraints= and "
                                 "nonholonomic=")
            rates = method.kindiffdict()
            more.setdefault("kinematics", {q: rates[q.diff(t)] for q in method.q})
            speeds = list(method.u)
        elif isinstance(method, LagrangesMethod):
            method.form_lagranges_equations()
            speeds = [q.diff(t) for q in method.q]
            holonomic = list(method._hol_coneqs)
            conditions = list(method.coneqs)[len(holonomic):]
            more.setdefault("constraints", {f"g{i}": g for i, g in enumerate(holonomic)})
            more.setdefault("nonholonomic", {f"h{i}": h for i, h in enumerate(conditions)})
        else:
            raise TypeError(f"got {type(method).__name__}; wanted KanesMethod or LagrangesMethod")
        given = dict(velocities or {})
        return cls(name, positions={q: positions.get(q, 0) for q in method.q},
                   velocities={u: given.get(u, 0) for u in speeds},
                   mass=method.mass_matrix[:n, :n], forces=list(method.forcing[:n]),
                   **{"_where": place(1), **more})


def _partial(expression, variable):
    """Partial derivative by a function of time or by t itself: functions count as symbols."""
    import sympy as sp
    from sympy.core.function import AppliedUndef

    table = {f: sp.Dummy() for f in expression.atoms(AppliedUndef) | expression.atoms(sp.Derivative)}
    plain = expression.xreplace(table)
    out = plain.diff(table.get(variable, variable))
    return out.xreplace({dummy: f for f, dummy in table.items()})


def _functions(x, row, code):
    """The table of functions, what keeps it alive, which kind it is, and whether it was kept."""
    from . import codegen, derive

    if code not in (None, "compiled", "python"):
        raise ValueError(f"code = {code!r}; wanted 'compiled', 'python' or None")
    if code is None:
        code = "compiled" if codegen.compiler() else "python"

    key, expected = row.key(x), row.function_names(x)

    def derived():
        try:
            return derive.functions(x)
        except derive.NotLinear as fault:
            row.faults.append(error("equations.linear",
                                    f"nonholonomic.{row.nonholonomic[fault.row]}: not linear in the "
                                    "velocities", "write H v + h", row.where))
            raise ModelError(row.faults) from None

    if code == "python":
        return codegen.python_functions(derived(), row.size), None, code, False
    loaded, kept = codegen.library(key, lambda: codegen.c_source(derived()))
    return codegen.addresses(loaded, expected), loaded, code, kept
