"""Equations from SymPy: every value and derivative beside the library's own, code, cache, mechanics."""

import os

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import (
    KanesMethod, Lagrangian, LagrangesMethod, Particle, Point, ReferenceFrame, dynamicsymbols)

import kardan


def from_file(model: kardan.Model, **more) -> kardan.SymbolicEquations:
    """The section `equations` of a model as SymPy expressions."""
    section = model["equations"]
    names: dict = {}

    def read(text):
        text = str(text).replace("^", "**").replace(".lambda", "_lambda").replace(".mu", "_mu")
        return sp.sympify(text, locals=names)

    def symbol(name):
        return names.setdefault(name, sp.Symbol(name))

    parameters = {}
    for name, value in model["parameters"].items():
        parameters[symbol(name)] = float(read(value).subs(parameters))
    for key in ("positions", "dynamic", "auxiliary", "contact"):
        for name in section.get(key, {}):
            symbol(name)
    if "velocities" not in section:
        section["velocities"] = {f"{p}_rate": 0 for p in section["positions"]}
    for name in section["velocities"]:
        symbol(name)
    for name in section.get("constraints", {}):
        symbol(f"{name}_lambda")
    for name in section.get("nonholonomic", {}):
        symbol(f"{name}_mu")
    for name, text in section.get("definitions", {}).items():
        names[name] = read(text)
    variables = lambda key: {symbol(k): read(v) for k, v in section[key].items()}
    pairs = lambda key, what: {symbol(k): (read(v["start"]), read(v[what]))
                               for k, v in section.get(key, {}).items()}
    velocities = list(section["velocities"])
    M = sp.zeros(len(velocities))
    for row, entry in section.get("mass", {v: 1 for v in velocities}).items():
        for column, value in (entry if isinstance(entry, dict) else {row: entry}).items():
            i, j = velocities.index(row), velocities.index(column)
            M[i, j] = M[j, i] = read(value)
    named = lambda key: {k: read(v) for k, v in section.get(key, {}).items()}
    multipliers = {k: symbol(f"{k}_lambda") for k in section.get("constraints", {})}
    multipliers |= {k: symbol(f"{k}_mu") for k in section.get("nonholonomic", {})}
    return kardan.SymbolicEquations(
        model.name, positions=variables("positions"), velocities=variables("velocities"), mass=M,
        forces={symbol(k): read(v) for k, v in section.get("forces", {}).items()},
        constraints=named("constraints"), nonholonomic=named("nonholonomic"),
        dynamic=pairs("dynamic", "rate"), auxiliary=pairs("auxiliary", "residual"),
        contact=pairs("contact", "residual"), invariants=named("invariants"),
        outputs=named("outputs"), multipliers=multipliers, parameters=parameters, **more)


@pytest.mark.parametrize("name", ["pendulum_equations", "sleigh_equations", "disc_equations",
                                  "andrews_minimal"])
def test_every_value_and_derivative_is_that_of_dual_numbers(models, name):
    model = kardan.load(models / f"{name}.yaml")
    symbolic = from_file(model)
    start = model.matrices()
    random = np.random.default_rng(1)
    at = {key: start[key] + 0.05 * random.standard_normal(len(start[key]))
          for key in ("p", "v", "r", "w", "a", "lambda_")}
    at["t"] = 0.3
    at["s"] = start["s"]
    expected, got = model.matrices(**at), symbolic.matrices(**at)
    assert set(expected) == set(got)
    for key in expected:
        if key != "s":  # solved for inside
            assert np.allclose(got[key], expected[key], rtol=1e-11, atol=1e-11), key


@pytest.mark.parametrize("name, method", [
    ("disc_equations", "radau5"), ("sleigh_equations", "rn4"), ("sleigh_equations", "dopri5"),
    ("andrews_minimal", "rn4"), ("andrews_minimal", "newmark"), ("andrews_minimal", "radau5")])
def test_methods_reach_the_same_end(models, name, method):
    model = kardan.load(models / f"{name}.yaml")
    t_end = 0.01 if "andrews" in name else 0.3
    symbolic = from_file(model).run(t_end=t_end, method=method, tolerance=1e-7)
    same = model.run(t_end=t_end, method=method, tolerance=1e-7)
    assert symbolic.derivatives.exact and symbolic.method == method
    assert set(symbolic.final) == set(same.final)
    # The steps may part by rounding; the ends may not.
    assert symbolic.steps == pytest.approx(same.steps, rel=0.02)
    for name in same.final:
        assert symbolic.final[name] == pytest.approx(same.final[name], rel=1e-4, abs=1e-6), name


def test_python_evaluates_where_there_is_no_compiler(models, monkeypatch):
    compiled = from_file(kardan.load(models / "sleigh_equations.yaml"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    python = from_file(kardan.load(models / "sleigh_equations.yaml"))
    assert (compiled.code, python.code) == ("compiled", "python")
    a, b = compiled.run(t_end=1, every=0.1), python.run(t_end=1, every=0.1)
    assert np.allclose(a.data, b.data, rtol=1e-10, atol=1e-12, equal_nan=True) and a.steps == b.steps
    with pytest.raises(FileNotFoundError, match="no C compiler"):
        from_file(kardan.load(models / "sleigh_equations.yaml"), code="compiled")


def pendulum(**more):
    x, y, vx, vy, m, g, l = sp.symbols("x y vx vy m g l")
    given = dict(positions={x: l, y: 0}, velocities={vx: 0, vy: 0}, mass=[m, m],
                 forces={vy: -m * g}, constraints={"rod": x**2 + y**2 - l**2},
                 energy={"kinetic": m * (vx**2 + vy**2) / 2, "potential": m * g * y},
                 parameters={m: 1, g: 13.75, l: 1})
    return kardan.SymbolicEquations("pendulum", **{**given, **more})


def test_code_is_kept_and_parameters_need_no_compilation(tmp_path, monkeypatch):
    monkeypatch.setenv("KARDAN_CACHE", str(tmp_path))
    first, second = pendulum(), pendulum()
    assert not first.kept and second.kept
    other = pendulum(parameters={"m": 2, "g": 9.81, "l": 0.5})
    assert other.kept and len(list(tmp_path.glob("*.so"))) == 1
    result = other.run(t_end=0.3)
    assert result.final == first.run(t_end=0.3, set={"m": 2, "g": 9.81, "l": 0.5}).final
    assert result["x"][0] == 0.5
    assert other.run(t_end=0.3, tolerance=1e-9).energy.balance_error < 1e-7
    with pytest.raises(kardan.ModelError, match="parameter.unknown"):
        first.run(set={"k": 1})


def test_a_compiler_that_fails_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("KARDAN_CACHE", str(tmp_path))
    monkeypatch.setenv("CC", "false")
    with pytest.raises(RuntimeError, match="could not compile"):
        pendulum()


def test_lagrange_gives_the_double_pendulum_of_points():
    """Angles of two rods, beside the same in Cartesian coordinates with constraints."""
    t = dynamicsymbols._t
    a, b = dynamicsymbols("a b")
    x1, y1 = sp.sin(a), -sp.cos(a)
    x2, y2 = x1 + sp.sin(b), y1 - sp.cos(b)
    T = sum(z.diff(t)**2 for z in (x1, y1, x2, y2)) / 2
    V = 9.81 * (y1 + y2)
    angles = kardan.SymbolicEquations.lagrange(
        "double", kinetic=T, potential=V, positions={a: 1, b: 2}, rates={b: 0.5},
        outputs={"x2": x2, "y2": y2})
    result = angles.run(t_end=2, tolerance=1e-10, method="dopri5")
    model = kardan.Model(dimension=2, gravity=[0, -9.81])
    model.body("one", kind="point", mass=1, position=[np.sin(1), -np.cos(1)])
    model.body("two", kind="point", mass=1,
               position=[np.sin(1) + np.sin(2), -np.cos(1) - np.cos(2)],
               velocity=[0.5 * np.cos(2), 0.5 * np.sin(2)])
    model.distance("rod1", between=["ground", "one"], length=1)
    model.distance("rod2", between=["one", "two"], length=1)
    points = model.run(t_end=2, tolerance=1e-10, method="dopri5")
    assert np.allclose(result["x2"], points["two.x"], atol=1e-6)
    assert np.allclose(result["y2"], points["two.y"], atol=1e-6)
    assert result.energy.balance_error < 1e-7


def test_lagranges_method_with_its_constraints():
    q1, q2 = dynamicsymbols("q1 q2")
    m, g = sp.symbols("m g")
    N = ReferenceFrame("N")
    O = Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", q1 * N.x + q2 * N.y)
    P.set_vel(N, q1.diff() * N.x + q2.diff() * N.y)
    particle = Particle("particle", P, m)
    particle.potential_energy = m * g * q2
    method = LagrangesMethod(Lagrangian(N, particle), [q1, q2],
                             hol_coneqs=[q1**2 + q2**2 - 1], bodies=[particle], frame=N)
    equations = kardan.SymbolicEquations.mechanics(method, positions={q1: 1, q2: 0},
                                                   parameters={m: 2, g: 13.75})
    result = equations.run(t_end=2.000027027893064, tolerance=1e-10)
    assert result.final["q1"] == pytest.approx(1, abs=1e-8)


def test_kanes_method_with_speeds_that_are_no_rates():
    """A particle in polar coordinates with the speeds u1 = r', u2 = r phi': it flies straight."""
    r, phi, u1, u2 = dynamicsymbols("r phi u1 u2")
    m = sp.Symbol("m")
    N = ReferenceFrame("N")
    B = N.orientnew("B", "Axis", (phi, N.z))
    B.set_ang_vel(N, u2 / r * N.z)
    O = Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", r * B.x)
    P.set_vel(N, u1 * B.x + u2 * B.y)
    kane = KanesMethod(N, q_ind=[r, phi], u_ind=[u1, u2], kd_eqs=[u1 - r.diff(), u2 - r * phi.diff()])
    kane.kanes_equations([Particle("P", P, m)], [])
    equations = kardan.SymbolicEquations.mechanics(
        kane, positions={r: 1, phi: 0}, velocities={u1: 0.3, u2: 0.5}, parameters={m: 3},
        outputs={"x": r * sp.cos(phi), "y": r * sp.sin(phi)})
    for method in ("rn4", "dopri5"):
        result = equations.run(t_end=4, tolerance=1e-10, method=method)
        t = result.time
        assert np.allclose(result["x"], 1 + 0.3 * t, atol=1e-7)
        assert np.allclose(result["y"], 0.5 * t, atol=1e-7)
        # The speeds themselves are shown: u1 = r'.
        assert np.allclose(result["u1"], (result["x"] * 0.3 + result["y"] * 0.5) / result["r"],
                           atol=1e-7)


def test_kanes_method_with_dependent_speeds_is_refused_with_advice():
    x, v, w = dynamicsymbols("x v w")
    N = ReferenceFrame("N")
    O = Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", x * N.x)
    P.set_vel(N, v * N.x)
    y = dynamicsymbols("y")
    kane = KanesMethod(N, q_ind=[x, y], u_ind=[v], u_dependent=[w], velocity_constraints=[v - w],
                       kd_eqs=[v - x.diff(), w - y.diff()])
    with pytest.raises(ValueError, match="nonholonomic="):
        kardan.SymbolicEquations.mechanics(kane, positions={x: 0})


def test_faults_are_told_at_once():
    x, y, k = sp.symbols("x y k")
    with pytest.raises(kardan.ModelError) as caught:
        kardan.SymbolicEquations(
            positions={x: 0}, forces=[k * x], mass=sp.eye(2), constraints={"a": y},
            nonholonomic={"b": sp.Symbol("x_rate")**2})
    codes = [d.code for d in caught.value.diagnostics]
    assert codes.count("expression.unknown_name") == 2 and "equations.mass" in codes
    assert all(d.file == __file__ for d in caught.value.diagnostics)
    with pytest.raises(kardan.ModelError, match="equations.linear"):
        kardan.SymbolicEquations(positions={x: 0}, nonholonomic={"b": sp.Symbol("x_rate")**2})
    with pytest.raises(kardan.ModelError, match="equations.variable"):
        kardan.SymbolicEquations(positions={x: 0}, constraints={"b": sp.Symbol("x_rate")})
    with pytest.raises(kardan.ModelError, match="name.duplicate"):
        kardan.SymbolicEquations(positions={x: 0}, velocities={x: 0})


def test_piecewise_absolute_values_and_events():
    x, v = sp.symbols("x v")
    equations = kardan.SymbolicEquations(
        "bumper", positions={x: 1}, velocities={v: 0},
        forces=[sp.Piecewise((-4 * x, x > 0), (-9 * x, True)) - 0.1 * v * sp.Abs(v)],
        events={"switch": x, "end": {"expression": x + 0.5, "direction": "falling",
                                     "action": "stop"}})
    result = equations.run(t_end=10, tolerance=1e-9)
    assert result.reason == "stopped" and result.final["x"] == pytest.approx(-0.5, abs=1e-8)
    assert [e.event for e in result.events] == ["switch", "end"]


def test_threads_give_the_same_bits(models):
    from concurrent.futures import ThreadPoolExecutor

    equations = from_file(kardan.load(models / "andrews_minimal.yaml"))
    alone = equations.run(t_end=0.01)
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: equations.run(t_end=0.01), range(4)))
    assert all(np.array_equal(alone.data, r.data, equal_nan=True) for r in runs)
