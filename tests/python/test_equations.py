"""Equations from Python functions: differences, given derivatives, all kinds of variables."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kardan

G = 13.75


def pendulum(**more) -> kardan.Equations:
    return kardan.Equations(
        "pendulum", positions={"x": 1, "y": 0}, velocities={"vx": 0, "vy": 0},
        constraints=["rod"], f=lambda: [0, -G], g=lambda p: [p @ p - 1], **more)


def test_differences_stand_in_and_the_certificate_says_so():
    result = pendulum().run(t_end=2.000027027893064, method="dopri5", tolerance=1e-7, every=1)
    assert result.final["x"] == pytest.approx(1, abs=1e-6)
    assert not result.derivatives.exact
    assert "differences" in repr(result)


def test_a_method_that_needs_exact_derivatives_refuses():
    with pytest.raises(kardan.RunError, match="ros2w") as caught:
        pendulum().run(t_end=1, method="rn4")
    assert caught.value.reason == "refused"
    assert pendulum().run(t_end=0.05, method="ros2w", tolerance=1e-3).reason == "finished"


def exact_pendulum() -> kardan.Equations:
    """With g' = 2 p.p' and -gamma = 2 p'.p'."""
    return pendulum(g_p=lambda p: [2 * p],
                    rate=lambda p, v: [2 * p @ v], rate_p=lambda v: [2 * v], rate_v=lambda p: [2 * p],
                    bias=lambda v: [-2 * v @ v], bias_v=lambda v: [-4 * v])


def test_given_derivatives_make_everything_exact():
    equations = exact_pendulum()
    result = equations.run(t_end=2.000027027893064, method="rn4", tolerance=1e-10)
    assert result.derivatives.exact
    assert result.final["x"] == pytest.approx(1, abs=1e-7)
    model = kardan.Model("pendulum", dimension=2, gravity=[0, -G])
    model.body("bob", kind="point", mass=1, position=[1, 0])
    model.distance("rod", between=["ground", "bob"], length=1)
    same = model.run(t_end=2.000027027893064, method="rn4", tolerance=1e-10)
    assert result.final["y"] == pytest.approx(same.final["bob.y"], abs=1e-7)


def test_a_nonholonomic_sleigh():
    m, I, a, V, u, w, phi = 1, 0.4, 0.25, 0.3, -0.5, 2, 0.4
    sleigh = kardan.Equations(
        "sleigh", positions={"x": 0, "y": 0, "phi": phi},
        velocities={"vx": V + u * math.cos(phi) - a * w * math.sin(phi),
                    "vy": u * math.sin(phi) + a * w * math.cos(phi), "omega": w},
        nonholonomic=["blade"],
        M=np.diag([m, m, I]),
        H=lambda p: [[-math.sin(p[2]), math.cos(p[2]), -a]], h=lambda p: [V * math.sin(p[2])])
    result = sleigh.run(t_end=5, method="dopri5", tolerance=1e-8)
    # The value of examples/equations_sleigh.cpp, from quadrature.
    assert result.final["phi"] == pytest.approx(5.4761374067278618796, abs=1e-6)
    assert sleigh.check().nonholonomic == 1


def test_every_kind_of_variable():
    """x' = v, v' = -x + r, r' = -r, 0 = w - 2 x, event at x = 0, output, energy."""
    oscillator = kardan.Equations(
        "oscillator", positions={"x": 1}, velocities={"v": 0}, dynamic={"r": 0.5},
        auxiliary={"w": 2}, events=[{"name": "zero", "direction": "falling"}], outputs=["twice"],
        f=lambda p, r: -p + r, b=lambda r: -r, d=lambda p, w: w - 2 * p, z=lambda p: p,
        output=lambda p: 2 * p,
        energy=lambda p, v, r: [v[0]**2 / 2, p[0]**2 / 2, r[0] * v[0]])
    result = oscillator.run(t_end=3, method="dopri5", tolerance=1e-10)
    t = result.time
    # x = A cos t + B sin t + exp(-t)/4 with x(0) = 1, x'(0) = 0
    exact = 0.75 * np.cos(t) + 0.25 * np.sin(t) + np.exp(-t) / 4
    assert np.allclose(result["x"], exact, atol=1e-8)
    assert np.allclose(result["twice"], 2 * exact, atol=1e-8)
    assert np.allclose(result["r"], 0.5 * np.exp(-t), atol=1e-8)
    assert np.allclose(result["w"], 2 * exact, atol=1e-7)
    assert len(result.events) == 1 and result.energy.balance_error < 1e-7


def test_an_event_may_stop():
    falling = kardan.Equations("ball", positions={"y": 1}, velocities={"v": 0}, f=lambda: [-9.81],
                               z=lambda p: p, events=[{"name": "ground", "action": "stop"}])
    result = falling.run(t_end=5, method="dopri5", tolerance=1e-10)
    assert result.reason == "stopped"
    assert result.t_reached == pytest.approx(math.sqrt(2 / 9.81), abs=1e-9)


def test_what_a_function_raises_comes_out():
    calls = []

    def f(t):
        calls.append(t)
        if t > 0.5:
            raise RuntimeError("no wind tables beyond 0.5 s")
        return [0, -G]

    equations = kardan.Equations(positions={"x": 1, "y": 0}, f=f)
    with pytest.raises(RuntimeError, match="no wind tables") as caught:
        equations.run(t_end=1, method="dopri5")
    assert len([t for t in calls if t > 0.5]) == 1  # it is not called again
    assert 0 < caught.value.result.t_reached <= 0.5


def test_wrong_shapes_and_types_are_told():
    with pytest.raises(ValueError, match=r"equations\.f: got shape \(3,\); wanted \(2,\)"):
        kardan.Equations(positions={"x": 1, "y": 0}, f=lambda: [1, 2, 3]).check()
    with pytest.raises(Exception, match="wanted numbers"):
        kardan.Equations(positions={"x": 1}, f=lambda: "no").check()


def test_faults_of_the_description_are_told_at_once():
    with pytest.raises(kardan.ModelError) as caught:
        kardan.Equations(positions={"x": 1}, constraints=["a"], f=lambda q: q, k=lambda: 0,
                         M=lambda v: v)
    codes = [d.code for d in caught.value.diagnostics]
    assert codes == ["equations.variable", "equations.function", "equations.variable",
                     "equations.function"]
    assert all(d.file == __file__ and d.line > 0 for d in caught.value.diagnostics)
    with pytest.raises(kardan.ModelError, match="name.duplicate"):
        kardan.Equations(positions={"x": 1}, velocities={"x": 1}).check()


def test_threads_give_the_same_bits():
    equations = pendulum()
    alone = equations.run(t_end=0.5, method="dopri5")
    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(lambda _: equations.run(t_end=0.5, method="dopri5"), range(3)))
    assert all(np.array_equal(alone.data, r.data, equal_nan=True) for r in runs)


def spring_model(**law) -> kardan.Model:
    model = kardan.Model("spring", dimension=2, gravity=[0, -9.81])
    model.body("block", mass=2, inertia=0.1, position=[0.3, -1], markers={"hook": {"at": [0, 0.1]}})
    if law:
        model.python_force("spring", between=["ground", "block.hook"], **law)
    else:
        model.spring_damper("spring", between=["ground", "block.hook"], stiffness=80, damping=2,
                            free_length=0.7)
    return model


def spring_law(x, v):
    length = np.linalg.norm(x)
    return -(80 * (length - 0.7) + 2 * (x @ v) / length) * x / length


def test_a_force_of_a_python_function_is_the_element_it_imitates():
    python = spring_model(law=spring_law).run(t_end=1, method="dopri5", tolerance=1e-10)
    builtin = spring_model().run(t_end=1, method="dopri5", tolerance=1e-10)
    for name in ("block.x", "block.y", "block.angle", "block.omega"):
        assert python.final[name] == pytest.approx(builtin.final[name], abs=1e-8)
    assert python.derivatives.missing == ["spring"] and not python.derivatives.exact
    assert python.energy.balance_error < 1e-6
    with pytest.raises(kardan.RunError, match="'spring' gives none"):
        spring_model(law=spring_law).run(t_end=1, method="rn4")
    assert spring_model(law=spring_law).run(t_end=0.2, method="ros2w").reason == "finished"


def test_a_force_in_space_turns_with_its_marker():
    """-k x - c v in A's axes, beside the built-in bushing."""
    def model(python):
        m = kardan.Model(dimension=3)
        m.body("carrier", mass=3, inertia=[0.2, 0.3, 0.4], angular_velocity=[0.2, -0.1, 0.3])
        m.body("block", mass=1, inertia=[0.1, 0.2, 0.3], position=[0.1, 0.2, 0.3],
               velocity=[0.1, 0, 0], angular_velocity=[0, 0.1, 0])
        if python:
            m.python_force("bush", between=["carrier", "block"],
                           law=lambda x, v: (-50 * x - 2 * v, np.zeros(3)))
        else:
            m.bushing("bush", between=["carrier", "block"], translation_stiffness=[50, 50, 50],
                      translation_damping=[2, 2, 2])
        return m.run(t_end=1, method="dopri5", tolerance=1e-10)

    python, builtin = model(True), model(False)
    assert python.final["carrier.qx"] == pytest.approx(builtin.final["carrier.qx"], abs=1e-8)
    assert python.final["block.z"] == pytest.approx(builtin.final["block.z"], abs=1e-8)


def test_a_law_may_give_a_torque():
    """-k (R - R')/2 is a spring against rotation; about one axis k sin(angle)."""
    def vee(R):
        return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2

    m = kardan.Model(dimension=3)
    m.body("wheel", mass=1, inertia=[0.1, 0.2, 0.3], angular_velocity=[0, 0, 1])
    m.python_force("spring", between=["ground", "wheel"],
                   law=lambda R, w: (np.zeros(3), -2 * vee(R) - 0.1 * w))
    planar = kardan.Model(dimension=2)
    planar.body("wheel", mass=1, inertia=0.3, angular_velocity=1)
    planar.python_force("spring", between=["ground", "wheel"],
                        law=lambda angle, omega: ([0, 0], -2 * np.sin(angle) - 0.1 * omega))
    space = m.run(t_end=2, method="dopri5", tolerance=1e-9).final
    plane = planar.run(t_end=2, method="dopri5", tolerance=1e-9).final
    assert space["wheel.wz"] == pytest.approx(plane["wheel.omega"], abs=1e-7)
    assert 2 * np.arctan2(space["wheel.qz"], space["wheel.qw"]) == pytest.approx(
        plane["wheel.angle"], abs=1e-7)


def test_laws_of_forces_are_checked():
    with pytest.raises(TypeError, match="wanted any of t, x, v, angle, omega"):
        spring_model(law=lambda y: y)
    with pytest.raises(ValueError, match="spring.law: got shapes"):
        spring_model(law=lambda x: [1, 2, 3]).run(t_end=1, method="dopri5")
