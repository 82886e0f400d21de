"""Reports: dictionaries whose keys are attributes too."""

from __future__ import annotations

import numpy as np


class Report(dict):
    """A report of the library: a dictionary with the keys of the command line's --json output.
    `report.rank` is `report["rank"]`."""

    def __getattr__(self, name):
        try:
            value = self[name]
        except KeyError:
            raise AttributeError(f"no '{name}' here; there are: {', '.join(self)}") from None
        return Report(value) if type(value) is dict else value

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __repr__(self):
        width = max(map(len, self), default=0)
        return "\n".join(f"{key:<{width}}  {_short(value)}" for key, value in self.items())


class Linearized(Report):
    """Small motions: y' = A y + B u, w = C y + D u, with the model's inputs u and outputs w."""

    def frequency_response(self, frequencies) -> np.ndarray:
        """G(2 pi i f) by frequency [Hz], output and input."""
        A, B, C, D = (self[name] for name in "ABCD")
        s = 2j * np.pi * np.atleast_1d(np.asarray(frequencies, float))
        one = np.eye(len(A))
        return np.array([C @ np.linalg.solve(z * one - A, B.astype(complex)) + D for z in s])

    def step_response(self, times) -> np.ndarray:
        """The change of every output after a step of one in every input at t = 0, by time [s],
        output and input."""
        A, B, C, D = (self[name] for name in "ABCD")
        n, m = B.shape
        whole = np.zeros((n + m, n + m))
        whole[:n, :n], whole[:n, n:] = A, B
        return np.array([C @ _exponential(whole * t)[:n, n:] + D
                         for t in np.atleast_1d(np.asarray(times, float))])

    def plot_bode(self, frequencies=None, figure=None):
        """Gain and phase of every output, one column of axes for each input."""
        from .plotting import bode

        return bode(self, frequencies, figure)

    def plot_step(self, times=None, figure=None):
        """The answers to steps, one axis for each input."""
        from .plotting import step

        return step(self, times, figure)


def _exponential(A: np.ndarray) -> np.ndarray:
    """exp(A) by scaling and squaring of its Taylor series."""
    size = np.linalg.norm(A, 1)
    squarings = max(0, int(np.ceil(np.log2(size))) + 4) if size > 0 else 0
    small = A / 2.0**squarings
    term = out = np.eye(len(A))
    for k in range(1, 16):
        term = term @ small / k
        out = out + term
    for _ in range(squarings):
        out = out @ out
    return out


def _short(value) -> str:
    if isinstance(value, np.ndarray) and value.size > 16:
        return f"array of shape {value.shape}"
    if isinstance(value, (dict, list)) and len(value) > 8:
        return f"{len(value)} entries"
    return str(value)


def modes(report: dict) -> Linearized:
    """The report of a linearization, with arrays."""
    out = Linearized(report)
    complex_of = lambda z: complex(z["re"], z["im"])
    out["matrix"] = np.array(report["matrix"])
    n, m, p = len(report["variables"]), len(report["inputs"]), len(report["outputs"])
    out["A"] = out["matrix"].reshape(n, n)
    out["B"] = np.array(report["B"], float).reshape(n, m)
    out["C"] = np.array(report["C"], float).reshape(p, n)
    out["D"] = np.array(report["D"], float).reshape(p, m)
    out["modes"] = [
        Report(m, value=complex_of(m["value"]),
               shape={name: complex_of(z) for name, z in m.get("shape", {}).items()})
        for m in report["modes"]
    ]
    out["eigenvalues"] = np.array([m["value"] for m in out["modes"]])
    return out
