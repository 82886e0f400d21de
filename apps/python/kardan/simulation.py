"""A motion step by step, with inputs from outside."""

from __future__ import annotations

import difflib
from numbers import Real
from typing import Any, Sequence

import numpy as np

from . import _core
from .errors import AssemblyError, SimulationError
from .report import Report, modes


class Simulation:
    """A motion that goes on when it is asked to: made by `model.simulation(...)`.

        sim = model.simulation(method="rn4", tolerance=1e-6)
        while sim.time < 5:
            sim.step(0.001, push=-10 * sim["cart.x"])

    Between two calls inputs go on as the model says (`between`: hold, ramp, polynomial). While they
    are not changed, steps are those of one run and may be longer than what is asked for: what they
    found in between is what is shown. A value that differs takes back what has run ahead.
    """

    def __init__(self, core: "_core.Simulation", outputs: Sequence[str] | None = None):
        self._core = core
        self._inputs = {name: k for k, (name, _, _) in enumerate(core.inputs)}
        self._columns: dict[str, int] = {}
        if outputs is None:
            outputs = [n for n in core.names if not n.startswith(("time", "energy."))]
        if isinstance(outputs, str) or not all(isinstance(n, str) for n in outputs):
            raise SimulationError(f"outputs: got {outputs!r}; wanted a list of names")
        self.outputs = list(outputs)
        self._places = [self._column(name) for name in self.outputs]

    @property
    def time(self) -> float:
        """The time it has reached [s]."""
        return self._core.time

    @property
    def inputs(self) -> dict[str, Report]:
        """Unit, value at the start and present value of every input, by name."""
        return {name: Report(unit=unit, start=start, value=self._core.input(self._inputs[name]))
                for name, unit, start in self._core.inputs}

    @property
    def events(self) -> list[tuple[float, str, int]]:
        """Time, name and direction (+1: its function became positive) of what has happened."""
        return self._core.events

    @property
    def certificate(self) -> Report:
        """What was used and counted. Residuals and energy are not summed up: see run()."""
        return Report(self._core.certificate())

    def __getitem__(self, name: str) -> float:
        if name in self._inputs:
            return self._core.input(self._inputs[name])
        return self._core.get(self._column(name))

    def values(self) -> np.ndarray:
        """The outputs now."""
        return np.array([self._core.get(place) for place in self._places])

    def set(self, **inputs: float | tuple[float, float]) -> "Simulation":
        """Values of inputs from now on; `push=(2.0, 0.5)`: and their rate [1/s]."""
        for name, value in inputs.items():
            place = self._input(name)
            if isinstance(value, tuple) and len(value) == 2:
                self._core.set_with_rate(place, _number(name, value[0]), _number(name, value[1]))
            else:
                self._core.set(place, _number(name, value))
        return self

    def step(self, dt: float, **inputs: float) -> np.ndarray:
        """Sets inputs, goes on by dt [s] and returns the outputs there. Raises SimulationError where
        that time is not reached."""
        for name, value in inputs.items():
            self._core.set(self._input(name), _number(name, value))
        return self.step_to(self._core.time + self._step(dt))

    def step_to(self, t: float) -> np.ndarray:
        """On to a time; the outputs there."""
        self._core.step_to(_number("t", t))
        return self.values()

    def steps(self, dt: float, count: int | None = None, **inputs: Any) -> np.ndarray:
        """Equal steps in one call: an array, or a number, for every input; a row of outputs for
        every step."""
        arrays = {name: np.asarray(value, dtype=float) for name, value in inputs.items()}
        lengths = {len(a) for a in arrays.values() if a.ndim == 1} | ({count} if count else set())
        if len(lengths) != 1 or any(a.ndim > 1 for a in arrays.values()):
            raise SimulationError("steps: got " + ", ".join(
                [f"{name} of shape {a.shape}" for name, a in arrays.items()] + [f"count={count}"])
                + "; wanted arrays of one length, or a count")
        rows = lengths.pop()
        table = np.empty((rows, len(arrays)))
        for k, a in enumerate(arrays.values()):
            table[:, k] = a
        return self._core.step_many(self._step(dt), [self._input(n) for n in arrays], table,
                                    self._places)

    def save(self) -> "_core.SavedSimulation":
        """Everything it is now. What follows, here and after `restore`, has the same bits."""
        return self._core.save()

    def restore(self, saved: "_core.SavedSimulation") -> "Simulation":
        """Back, or on, to what was saved of this model."""
        if not isinstance(saved, _core.SavedSimulation):
            raise SimulationError(f"restore: got {saved!r}; wanted what save() has returned")
        self._core.restore(saved)
        return self

    def change(self, **parameters: float) -> "Simulation":
        """Other values of parameters from now on; refused where joints would open."""
        self._core.change({name: _number(name, value) for name, value in parameters.items()})
        return self

    def reset(self) -> np.ndarray:
        """Back to the start; the outputs there."""
        self._core.reset()
        return self.values()

    def linearize(self, *, frozen: bool = False) -> Report:
        """As Model.linearize, about the present state."""
        report = self._core.linearize(frozen)
        if "matrix" not in report:
            raise AssemblyError(report["message"], report["advice"])
        return modes(report)

    def _column(self, name: str) -> int:
        if name not in self._columns:
            place = self._core.find(name) if isinstance(name, str) else None
            if place is None:
                raise SimulationError(_unknown("quantity", name, [*self._core.names, *self._inputs]))
            self._columns[name] = place
        return self._columns[name]

    def _input(self, name: str) -> int:
        if name not in self._inputs:
            raise SimulationError(_unknown("input", name, self._inputs))
        return self._inputs[name]

    @staticmethod
    def _step(dt: float) -> float:
        if not _number("dt", dt) > 0:
            raise SimulationError(f"dt: got {dt}; wanted a time > 0")
        return dt


def _number(name: str, value: Any) -> float:
    if isinstance(value, Real) or (isinstance(value, np.ndarray) and value.size == 1):
        return float(value)
    raise SimulationError(f"{name}: got {value!r}; wanted a number")


def _unknown(kind: str, name: Any, known) -> str:
    near = difflib.get_close_matches(str(name), known, 1)
    there = f"did you mean '{near[0]}'?" if near else \
        f"there {'are' if known else 'is none'}" + (": " + ", ".join(list(known)[:8]) if known else "")
    return f"there is no {kind} '{name}'; {there}"
