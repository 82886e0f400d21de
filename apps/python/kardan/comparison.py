"""Work against precision of several methods."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from .errors import RunError
from .report import Report


def _values(result, kind: str) -> np.ndarray:
    """All positions or all velocities, one row a time."""
    blocks = result.blocks
    if "poses" in blocks:
        values = result.block("poses" if kind == "position" else "velocities")
    else:  # equations: positions stand first, then velocities
        n = len(blocks["accelerations"]["items"])
        values = result.block("quantities")[:, :n] if kind == "position" else \
            result.block("quantities")[:, n:2 * n]
    return values.reshape(len(values), -1)


class Comparison:
    """Runs of methods at tolerances: rows (`rows`), each with method, tolerance, position_error,
    velocity_error, steps, evaluations, cpu_seconds, reason. Errors are the largest
    |y - y_ref| / (1 + |y_ref|) over the grid; the reference is a tighter run (`reference`)."""

    def __init__(self, runnable, methods: Sequence[str], tolerances: Sequence[float],
                 reference: Mapping[str, Any], options: Mapping[str, Any]):
        self.reference = runnable.run(**{**options, **reference})
        self.rows: list[Report] = []
        for method in methods:
            for tolerance in tolerances:
                try:
                    result = runnable.run(method=method, tolerance=tolerance, **options)
                except RunError as error:
                    result = error.result
                self.rows.append(self._row(method, tolerance, result))

    def _row(self, method: str, tolerance: float, result) -> Report:
        done = result.reason == "finished"
        return Report(method=method, tolerance=tolerance,
                      position_error=self._error(result, "position") if done else np.nan,
                      velocity_error=self._error(result, "velocity") if done else np.nan,
                      steps=result.steps, evaluations=result.evaluations,
                      cpu_seconds=result.cpu_seconds, reason=result.reason)

    def _error(self, result, kind: str) -> float:
        y, exact = _values(result, kind), _values(self.reference, kind)
        return float(np.nanmax(np.abs(y - exact) / (1 + np.abs(exact))))

    def frame(self):
        """The rows as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows)

    def plot(self, work: str = "evaluations", error: str = "position_error", figure=None):
        """Work over reached error, one curve a method, with matplotlib. Gives the figure."""
        import matplotlib.pyplot as plt

        if figure is None:
            figure = plt.figure(figsize=(7, 4.5), layout="constrained")
        axes = figure.subplots()
        for method in dict.fromkeys(r.method for r in self.rows):
            rows = [r for r in self.rows if r.method == method]
            axes.loglog([r[error] for r in rows], [r[work] for r in rows], "o-", label=method)
        axes.set(xlabel=f"reached {error.replace('_', ' ')}", ylabel=work.replace("_", " "))
        axes.invert_xaxis()
        axes.grid(True, which="both", linewidth=0.3)
        axes.legend(frameon=False)
        return figure

    def __repr__(self) -> str:
        lines = [f"{'method':<22}{'tolerance':>10}{'positions':>11}{'velocities':>11}{'steps':>9}"
                 f"{'evaluations':>13}{'CPU [s]':>10}"]
        for r in self.rows:
            lines.append(f"{r.method:<22}{r.tolerance:>10.0e}{r.position_error:>11.1e}"
                         f"{r.velocity_error:>11.1e}{r.steps:>9}{r.evaluations:>13}"
                         f"{r.cpu_seconds:>10.3f}" + ("" if r.reason == "finished" else
                                                      f"  {r.reason}"))
        return "\n".join(lines)
