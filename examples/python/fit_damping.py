"""Fits a damping constant to measured angles with SciPy's optimizer.

The measurement is made here, with noise; on your desk it is a file. Runs at a tolerance far below the
noise make the residuals smooth, so that the optimizer's own differences work.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import least_squares

import kardan

model = kardan.Model("damped pendulum", dimension=2, gravity=[0, -9.81])
model.parameters(damping=0.1)
model.body("rod", mass=2, inertia=0.17, position=[0.5, 0], markers={"pin": {"at": [-0.5, 0]}})
model.revolute("hinge", between=["ground", "rod.pin"])
model.rotational_spring_damper("friction", between=["ground", "rod.pin"], damping="damping")


def angle(damping: float) -> kardan.Result:
    return model.run(t_end=10, every=0.05, tolerance=1e-9, set={"damping": damping})


true_damping, noise = 0.35, 0.02
random = np.random.default_rng(7)
clean = angle(true_damping)
measured = clean["rod.angle"] + noise * random.standard_normal(len(clean.time))

fit = least_squares(lambda c: angle(c[0])["rod.angle"] - measured, x0=[0.1], diff_step=1e-4,
                    bounds=(0, np.inf))
variance = noise**2 * np.linalg.inv(fit.jac.T @ fit.jac)[0, 0]
print(f"damping {fit.x[0]:.4f} +- {np.sqrt(variance):.4f} N m s (true {true_damping}), "
      f"{fit.nfev} runs and their differences")

best = angle(fit.x[0])
figure, axes = plt.subplots(layout="constrained", figsize=(7, 4))
axes.plot(clean.time, measured, ".", markersize=3, color="0.5", label="measured")
axes.plot(best.time, best["rod.angle"], label=f"fitted, {fit.x[0]:.3f} N m s")
axes.set(xlabel="t [s]", ylabel="angle [rad]")
axes.grid(True, linewidth=0.4)
axes.legend(frameon=False)
figure.savefig("fit_damping.png", dpi=120)

assert abs(fit.x[0] - true_damping) < 4 * np.sqrt(variance)
