"""From the general form in SymPy to every value and derivative the library asks for.

Variables are symbols named after their place in one row, x[0], x[1], ...:

    x = (t, p, p', r, w, s, L, a, K, parameters)

L are the multipliers forces depend on; derivatives are taken at the accelerations a and the
multipliers K. Velocities v = Z^-1 p' are replaced, contact variables eliminated by s_p = -c_s^-1 c_p.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy as sp


@dataclass
class General:
    """The general form over the symbols of a row."""

    n: int = 0
    t: sp.Symbol = None
    p: list = field(default_factory=list)
    u: list = field(default_factory=list)  # p'
    v: list = field(default_factory=list)  # the user's velocities: u where Z is the identity
    r: list = field(default_factory=list)
    w: list = field(default_factory=list)
    s: list = field(default_factory=list)
    L: list = field(default_factory=list)
    a: list = field(default_factory=list)
    K: list = field(default_factory=list)
    Z: sp.Matrix | None = None
    M: sp.Matrix = None
    f: list = field(default_factory=list)
    b: list = field(default_factory=list)
    d: list = field(default_factory=list)
    c: list = field(default_factory=list)
    g: list = field(default_factory=list)
    nonholonomic: list = field(default_factory=list)  # linear in v
    e: list = field(default_factory=list)
    z: list = field(default_factory=list)
    output: list = field(default_factory=list)
    energy: list = field(default_factory=list)
    start: list = field(default_factory=list)


class NotLinear(ValueError):
    """A nonholonomic constraint that is not linear in the velocities; `row` is its index."""

    def __init__(self, row: int):
        self.row = row
        super().__init__(row)


class _Total:
    """Derivatives by p and t with the contact variables' own change."""

    def __init__(self, x: General):
        self.x = x
        self.s_p = self.s_t = None
        if x.s:
            c = sp.Matrix(x.c)
            inverse = c.jacobian(x.s).inv()
            self.s_p = -inverse * c.jacobian(x.p)
            self.s_t = -inverse * c.diff(x.t)

    def by(self, expression, variable, change):
        free = expression.free_symbols
        out = expression.diff(variable) if variable in free else sp.S.Zero
        for j, s in enumerate(self.x.s):
            if s in free:
                out += expression.diff(s) * change[j]
        return out

    def by_p(self, expressions) -> list:
        x = self.x
        return [self.by(e, x.p[k], self.s_p.col(k) if x.s else None)
                for e in expressions for k in range(x.n)]

    def by_t(self, expressions) -> list:
        return [self.by(e, self.x.t, self.s_t) for e in expressions]


def by(expressions, variables) -> list:
    """Row by row."""
    return [e.diff(x) if x in e.free_symbols else sp.S.Zero for e in expressions for x in variables]


def functions(x: General) -> dict[str, list]:
    """The results of every function of CompiledCode (kardan/system/compiled_equations.h)."""
    out: dict[str, list] = {"start": x.start}
    if x.Z is not None:
        _turn(x, out)
    total = _Total(x)
    rows, G, g_t = _rows(x, total)
    rate = [sum((G[i * x.n + j] * x.u[j] for j in range(x.n)), g_t[i]) for i in range(rows)]
    rate_p, rate_t = total.by_p(rate), total.by_t(rate)
    gamma = [-sum((rate_p[i * x.n + j] * x.u[j] for j in range(x.n)), rate_t[i])
             for i in range(rows)]
    accel = [sum((G[i * x.n + j] * x.a[j] for j in range(x.n)), -gamma[i]) for i in range(rows)]
    held = [sum((G[i * x.n + j] * x.K[i] for i in range(rows)), sp.S.Zero) for j in range(x.n)]
    Ma = x.M * sp.Matrix(x.a) if x.n else sp.Matrix([])
    residual = [x.f[i] - Ma[i] - held[i] for i in range(x.n)]
    aux, own = [*x.b, *x.d], [*x.r, *x.w]

    if rows:
        out["position"] = x.g
        out["velocity"] = [*x.g, *G, *g_t]
        out["acceleration"] = [*x.g, *G, *g_t, *gamma]
    out["force"] = [*x.f, *x.b, *x.d, *x.M]
    if rows:
        out["motion"] = [*out["acceleration"], *out["force"]]
    out["derivatives"] = [
        *rate_p, *rate_t, *accel, *total.by_p(accel), *total.by_t(accel), *by(accel, x.u),
        *total.by_p(residual), *total.by_t(residual), *by(x.f, x.u),
        *total.by_t(x.b), *total.by_t(x.d),
        *total.by_p(aux), *by(aux, x.u), *by(aux, own), *by(x.f, own)]
    if x.L:
        out["derivatives"] += [*by(x.f, x.L), *by(aux, x.L)]
    if x.s:
        out["contact"] = [*x.c, *sp.Matrix(x.c).jacobian(x.s)]
        out["contact_by_p"] = list(total.s_p)
    if x.e:
        out["invariants"] = [*x.e, *total.by_p(x.e), *by(x.e, x.u)]
    if x.z:
        out["events"] = x.z
    if x.energy:
        out["energy"] = x.energy
    if x.output:
        out["outputs"] = [*x.output, *total.by_p(x.output), *by(x.output, x.u)]
    return out


def _turn(x: General, out: dict[str, list]) -> None:
    """v = Z^-1 p' everywhere; Z^-T M Z^-1 and Z^-T (f - M (Z^-1)' p')."""
    out["rates"] = list((x.Z * sp.Matrix(x.v)).xreplace(dict(zip(x.v, x.u))))
    inverse = x.Z.inv()
    v = list(inverse * sp.Matrix(x.u))
    out["velocities"] = [*v, *by(v, x.p), *by(v, x.u)]
    replace = dict(zip(x.v, v))
    for name in ("f", "b", "d", "nonholonomic", "e", "z", "output", "energy"):
        setattr(x, name, [e.xreplace(replace) for e in getattr(x, name)])
    change = sp.Matrix([sum((vi.diff(x.p[k]) * x.u[k] for k in range(x.n)), sp.S.Zero) for vi in v])
    x.f = list(inverse.T * (sp.Matrix(x.f) - x.M * change))
    x.M = inverse.T * x.M * inverse


def _rows(x: General, total: _Total):
    """All constraint rows: their number, G (and H) row by row, g_t (and h)."""
    G, g_t = total.by_p(x.g), total.by_t(x.g)
    for i, row in enumerate(x.nonholonomic):
        H = by([row], x.u)
        if any(set(x.u) & h.free_symbols for h in H):
            raise NotLinear(i)
        G += H
        g_t.append(row.xreplace({u: sp.S.Zero for u in x.u}))
    return len(x.g) + len(x.nonholonomic), G, g_t
