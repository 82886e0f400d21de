"""Work against precision: methods and tolerances on Andrews' mechanism, errors against a tight run."""

from pathlib import Path

import kardan

models = Path(__file__).parents[2] / "models"
model = kardan.load(models / "andrews_minimal.yaml")
comparison = model.compare(["rn4", "dopri5", "rodasp", "radau5"], [1e-3, 1e-5, 1e-7, 1e-9])
print(comparison)
comparison.plot("evaluations").savefig("work_precision.png", dpi=120)

# A tighter tolerance gives a smaller error, with every method.
for method in ("rn4", "dopri5", "rodasp", "radau5"):
    errors = [row.position_error for row in comparison.rows if row.method == method]
    assert errors[-1] < errors[0] / 1e3
