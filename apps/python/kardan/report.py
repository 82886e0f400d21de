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


def _short(value) -> str:
    if isinstance(value, np.ndarray) and value.size > 16:
        return f"array of shape {value.shape}"
    if isinstance(value, (dict, list)) and len(value) > 8:
        return f"{len(value)} entries"
    return str(value)


def modes(report: dict) -> Report:
    """The report of a linearization, with arrays."""
    out = Report(report)
    complex_of = lambda z: complex(z["re"], z["im"])
    out["matrix"] = np.array(report["matrix"])
    out["modes"] = [
        Report(m, value=complex_of(m["value"]),
               shape={name: complex_of(z) for name, z in m.get("shape", {}).items()})
        for m in report["modes"]
    ]
    out["eigenvalues"] = np.array([m["value"] for m in out["modes"]])
    return out
