"""The vehicle over the bump for several stiffnesses of its springs, in parallel threads.

For each stiffness the balance is found anew; how high the chassis is thrown shows how the suspension
filters the bump.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import kardan

models = Path(__file__).parents[2] / "models"
model = kardan.load(models / "hmmwv.yaml")
model.outputs("chassis.z", "chassis.az")

# From the stiff springs of the paper down to ones that give way.
stiffnesses = np.geomspace(2e7, 2e5, 5)


def ride(stiffness: float) -> kardan.Result:
    # Damping in proportion keeps the time constant of spring and damper.
    return model.run(t_end=2, every=0.01, set={"spring_stiffness": stiffness,
                                               "spring_damping": stiffness / 10})


with ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(ride, stiffnesses))

figure, axes = plt.subplots(layout="constrained", figsize=(7, 4))
print("stiffness [N/m]   lift [mm]   largest acceleration [m/s^2]   steps")
for stiffness, result in zip(stiffnesses, results):
    lift = result["chassis.z"] - result["chassis.z"][0]
    print(f"{stiffness:15.3g}{1e3 * lift.max():12.2f}{np.abs(result['chassis.az']).max():31.2f}"
          f"{result.steps:8d}")
    axes.plot(result.time, 1e3 * lift, label=f"{stiffness:.2g} N/m")
axes.set(xlabel="t [s]", ylabel="chassis above its balance [mm]")
axes.grid(True, linewidth=0.4)
axes.legend(frameon=False)
figure.savefig("vehicle_study.png", dpi=120)

assert all(r.residuals.position < 1e-8 for r in results)
