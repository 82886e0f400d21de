"""Small motions between inputs and outputs: matrices as arrays, answers, pictures."""

import numpy as np
import pytest

import kardan

cart = """
kardan: 1
dimension: 2
inputs: {push: {unit: N}}
bodies: {cart: {mass: 2, inertia: 1}}
ground: {markers: {wall: {at: [-10, 0]}}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}}
forces:
  motor: {type: force, on: cart, fx: push(t)}
  spring: {type: spring_damper, between: [ground.wall, cart], stiffness: 8, damping: 1, free_length: 10}
outputs: {place: {value: cart.x, unit: m}, speed: {value: cart.vx, unit: m/s}}
"""


@pytest.fixture(scope="module")
def small():
    return kardan.read(cart).linearize()


def test_matrices_are_arrays(small):
    assert small.A == pytest.approx(np.array([[0, 1], [-4, -0.5]]))
    assert small.B == pytest.approx(np.array([[0], [0.5]]))
    assert small.C == pytest.approx(np.eye(2))
    assert small.D == pytest.approx(np.zeros((2, 1)))
    assert [o["name"] for o in small.outputs] == ["place", "speed"]
    assert small.inputs[0]["unit"] == "N"


def test_answers_are_those_of_an_oscillator(small):
    f = np.array([0.0, 0.2, 0.5, 3.0])
    s = 2j * np.pi * f
    assert small.frequency_response(f)[:, 0, 0] == pytest.approx(1 / (2 * s**2 + s + 8))
    t = np.linspace(0, 6, 25)
    d, w = 0.25, np.sqrt(4 - 0.25**2)
    x = (1 - np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))) / 8
    assert small.step_response(t)[:, 0, 0] == pytest.approx(x, abs=1e-13)


def test_of_a_simulation_is_about_its_state(small):
    simulation = kardan.read(cart).simulation(method="rn4", tolerance=1e-8)
    simulation.step(0.3, push=2.0)
    now = simulation.linearize(frozen=True)
    assert now.inputs[0]["value"] == 2.0
    assert now.B == pytest.approx(small.B)


def test_pictures(small):
    pytest.importorskip("matplotlib").use("Agg")
    assert len(small.plot_bode().axes) == 2
    assert len(small.plot_step().axes) == 1
