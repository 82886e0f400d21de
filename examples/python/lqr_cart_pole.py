"""A pole on a cart, held upright by a controller that is called a thousand times a second.

The gains are those of the linear quadratic regulator for the equations linearized at the upright
position; the motion they act on is the whole one.
"""

import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import kardan

MODEL = """
kardan: 1
name: cart and pole
dimension: 2
gravity: [0, -9.81]
parameters: {tilt: 0, push_at_start: 0, length: 1}
inputs:
  push: {unit: N, start: push_at_start}
bodies:
  cart: {mass: 1, inertia: 1}
  pole: {mass: 0.2, inertia: 0.2*length^2/12, position: [-0.5*length*sin(tilt), 0.5*length*cos(tilt)], angle: tilt}
joints:
  rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}
  hinge: {type: revolute, bodies: [cart, pole], at: [0, 0]}
forces:
  motor: {type: force, on: cart, fx: push(t)}
"""


def regulator(A, B, Q, R):
    """K of u = -K y that minimizes the integral of y'Q y + u'R u: from the stable half of the
    eigenvectors of the Hamiltonian matrix (Laub 1979)."""
    n = len(A)
    H = np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]])
    values, vectors = np.linalg.eig(H)
    stable = vectors[:, values.real < 0]
    P = np.real(stable[n:] @ np.linalg.inv(stable[:n]))
    return np.linalg.solve(R, B.T @ P)


def main():
    model = kardan.read(MODEL)
    linear = model.linearize()
    # Accelerations are linear in the push: one newton tells the column of B.
    names = [n.replace(".vx", ".ax").replace(".vy", ".ay").replace(".omega", ".alpha")
             for n in linear.variables]
    pushed, left = (model.assemble(set={"push_at_start": u})["start"] for u in (1, 0))
    n = len(names) // 2
    B = np.array([[0.0]] * n + [[pushed[a] - left[a]] for a in names[n:]])
    K = regulator(linear.matrix, B, np.eye(2 * n), np.eye(1) * 0.01)[0]

    upright = model.simulation(outputs=linear.variables).values()
    sim = model.simulation(method="dopri5", tolerance=1e-6, outputs=linear.variables,
                           set={"tilt": 0.3})
    y, begin, calls = sim.values(), time.perf_counter(), 8000
    seen = np.empty((calls, len(y)))
    for k in range(calls):
        y = seen[k] = sim.step(0.001, push=-K @ (y - upright))
    rate = calls / (time.perf_counter() - begin)
    print(f"after {sim.time:.3f} s the pole is off by {abs(sim['pole.angle']):.1e} rad, the cart by "
          f"{abs(sim['cart.x']):.1e} m")
    print(f"the controller was called {rate:.0f} times a second of the clock")
    plt.plot(0.001 * np.arange(1, calls + 1), seen - upright, label=linear.variables)
    plt.xlabel("t [s]")
    plt.legend()
    plt.savefig("lqr_cart_pole.png")
    return sim, rate


if __name__ == "__main__":
    main()
