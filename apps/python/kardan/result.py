"""The result of a run: columns by name, and the certificate."""

from __future__ import annotations

from difflib import get_close_matches
from fnmatch import fnmatchcase
from os import PathLike, fspath
from typing import Any, Callable, Iterator, Mapping

import numpy as np

from . import _core
from .errors import AssemblyError, Error
from .report import Report, modes


class Result(Mapping):
    """What a run has computed.

    A mapping from names to columns over `time`: `result["arm.angle"]` is a NumPy array that looks
    into the memory of the library, without a copy (read-only). The names are those of CSV files:
    per body NAME.x .y .z [m], .qw .qx .qy .qz, .vx .vy .vz [m/s], .wx .wy .wz [rad/s, body frame]
    (plane: .x .y .angle .vx .vy .omega), accelerations .ax ..., multipliers JOINT.lambda[i], forces
    ELEMENT.force, energy.kinetic, energy.potential [J]; of equations the names given to them.

    The certificate is there as a whole (`certificate`) and by attributes: `reason`, `steps`,
    `residuals`, `energy`, `events`, ...
    """

    def __init__(self, core: "_core.ResultRows", source=None, set=None):
        self._core, self._source, self._set = core, source, set or {}
        self._places = core.columns()
        self._rows = core.rows()

    def __reduce__(self):
        # As the file that keeps everything: what is read again has no equations to go on with.
        import os
        import tempfile

        with tempfile.TemporaryDirectory(prefix="kardan_") as folder:
            path = os.path.join(folder, "result.h5")
            self.write(path)
            with open(path, "rb") as file:
                return _restore, (file.read(),)

    # Columns

    @property
    def columns(self) -> list[str]:
        """The names of the columns, "time" first."""
        return list(self._places)

    @property
    def time(self) -> np.ndarray:
        """The output grid [s]."""
        return self["time"]

    def __getitem__(self, name: str) -> np.ndarray:
        return self._rows[:, self._place(name)[0]]

    def unit(self, name: str) -> str:
        """The unit of a column: "m", "rad/s"; empty for numbers without."""
        return self._place(name)[1]

    def _place(self, name: str) -> tuple[int, str]:
        try:
            return self._places[name]
        except KeyError:
            near = get_close_matches(str(name), self._places, 1)
            hint = f"; did you mean '{near[0]}'?" if near else "; see result.columns"
            raise KeyError(f"no column '{name}'{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def match(self, pattern: str) -> list[str]:
        """Names of the columns a pattern stands for: "*" is any letters, "chassis.*"."""
        if pattern in self._places:
            return [pattern]
        found = [name for name in self._places if fnmatchcase(name, pattern.replace("[", "[[]"))]
        if not found:
            self._place(pattern)
        return found

    @property
    def data(self) -> np.ndarray:
        """The rows as they lie in memory, one a time: every column looks into them. `blocks` tells
        what stands where."""
        return self._rows

    @property
    def blocks(self) -> dict[str, Report]:
        """The parts of a row by name, each with items (bodies, joints, ...), components, units and
        doc: poses, velocities, accelerations, reactions, ..."""
        names = ("first", "items", "components", "units", "doc")
        return {key: Report(zip(names, parts)) for key, parts in self._core.blocks().items()}

    def block(self, name: str) -> np.ndarray:
        """A part of all rows as an array of times x items x components, without a copy:
        `result.block("poses")[:, 0]` is the pose of the first body."""
        blocks = self.blocks
        if name not in blocks:
            raise KeyError(f"no block '{name}'; there are: {', '.join(blocks)}")
        b = blocks[name]
        items, components = max(len(b["items"]), 1), max(len(b["components"]), 1)
        return self._rows[:, b["first"]:b["first"] + items * components].reshape(
            len(self._rows), items, components)

    @property
    def step_log(self) -> dict[str, np.ndarray]:
        """Every accepted step, the start first: t and h [s], error (in tolerances), rejected
        (attempts so far), residuals position, velocity, acceleration (scaled), kinetic, potential,
        work and unbalanced [J]. No copies."""
        return self._core.steps()

    def frame(self, *patterns: str):
        """The columns as a pandas DataFrame over the time: all, or those of names and patterns."""
        import pandas

        names = [n for p in patterns for n in self.match(p)] if patterns else self.columns
        columns = {n: self[n] for n in names if n != "time"}
        return pandas.DataFrame(columns, index=pandas.Index(self.time, name="time"))

    # Looking

    def plot(self, *patterns: str, x: str = "time", figure=None, events: bool = True):
        """Draws columns over the time, or over another column, with matplotlib: names, or patterns
        such as "chassis.*". Columns of one unit share one pair of axes. Gives the figure."""
        from .plotting import plot

        return plot(self, patterns, x, figure, events)

    def show(self, path: str | PathLike | None = None, *, height: int = 600, browser: bool = True,
             force: bool = False):
        """The replay: one HTML page with the moving model, plots and certificate. In a notebook it
        appears inline, `height` pixels high; elsewhere the browser opens it. Written to `path`, or to
        a temporary file (`force` as of `write`). For a smooth motion run with `every=1/60`."""
        from .replay import Replay, in_notebook

        replay = Replay(self, path, height, force)
        if browser and not in_notebook():
            replay.open()
        return replay

    def write(self, *paths: str | PathLike, force: bool = False) -> None:
        """Writes result files, the format by the ending: .csv, .json, .html, .h5. A file that is there
        and no result of Kardan is overwritten only with `force`."""
        from .replay import viewer_page

        names = [fspath(p) for p in paths]
        self._core.write(names, viewer_page() if any(n.endswith(".html") for n in names) else "",
                         force)

    @property
    def model(self) -> Any:
        """Of a result read from a file: the complete model of its run. None for equations."""
        from .model import Model

        text = getattr(self._core, "model", "")
        return Model(_core_model=_core.read_stored(text, "model of the result")) if text else None

    def linearize(self, *, frozen: bool = False) -> Report:
        """Small motions about the end of the run: as `linearize` of the model at its start."""
        if not hasattr(self._core, "linearize"):
            raise Error("a result read from a file has no equations: run its model")
        report = self._core.linearize(frozen)
        if "matrix" not in report:
            raise AssemblyError(report["message"], report["advice"])
        return modes(report)

    # Certificate

    @property
    def certificate(self) -> Report:
        """What was asked, what was used, how it ended, and the proof: a dictionary with the keys of
        `kardan run --json`."""
        return Report(self._core.certificate)

    def _get(self, key: str) -> Any:
        return self._core.certificate[key]

    @property
    def reason(self) -> str:
        """Why the run ended: "finished" or "stopped"; of a failed one what stood in its way."""
        return self._get("reason")

    @property
    def message(self) -> str:
        """What happened, in words."""
        return self._get("message")

    @property
    def advice(self) -> str:
        """What to do about a failure."""
        return self._get("advice")

    @property
    def t_reached(self) -> float:
        """Where the run has come to [s]."""
        return self._get("t_reached")

    @property
    def method(self) -> str:
        """The method used."""
        return self._get("method")

    @property
    def formulation(self) -> str:
        """The formulation used."""
        return self._get("formulation")

    @property
    def tolerance(self) -> float:
        """The tolerance asked for."""
        return self._get("tolerance")

    @property
    def steps(self) -> int:
        """Accepted steps."""
        return self._get("steps")

    @property
    def rejected(self) -> int:
        """Steps repeated because their error was too large."""
        return self._get("rejected")

    @property
    def failed(self) -> int:
        """Steps repeated because they could not be solved."""
        return self._get("failed")

    @property
    def evaluations(self) -> int:
        """Evaluations of the equations of motion."""
        return self._get("evaluations")

    @property
    def jacobians(self) -> int:
        """Evaluations of derivatives."""
        return self._get("jacobians")

    @property
    def factorizations(self) -> int:
        """Factorizations of matrices."""
        return self._get("factorizations")

    @property
    def iterations(self) -> int:
        """Iterations of Newton's method."""
        return self._get("iterations")

    @property
    def cpu_seconds(self) -> float:
        """Processor time of the integration [s], of all threads of the program together."""
        return self._get("cpu_seconds")

    @property
    def residuals(self) -> Report:
        """Largest residuals of the constraints over all steps: position, velocity, acceleration, scaled
        by the model's own sizes."""
        return Report(self._get("residuals"))

    @property
    def energy(self) -> Report:
        """Energy balance [J]: initial, final, work, exchanged, balance_error."""
        return Report(self._get("energy"))

    @property
    def events(self) -> list[Report]:
        """What happened: each with t [s], event (its name) and direction."""
        return [Report(e) for e in self._get("events")]

    @property
    def derivatives(self) -> Report:
        """exact: False where differences stood in for derivatives; missing: elements without any."""
        return Report(self._get("derivatives"))

    @property
    def final(self) -> dict[str, float]:
        """All values where the run ended, by name."""
        return self._get("final")

    # Going on

    def resume(self, t_end: float, *, observer: Callable[[Any], Any] | None = None,
               wall_limit: float | None = None, **options: Any) -> "Result":
        """Goes on from the end of this run to t_end [s]; options as of `run`. The method begins anew
        there. The new result holds the new part only."""
        from .runnable import _check_call, _fields, _run, place

        if self._source is None:
            raise Error("a result read from a file cannot go on: run its model")
        _check_call(observer, None, (), wall_limit)
        asked = self._get("asked")
        given = {"t_end": t_end, "method": asked["method"], "tolerance": asked["tolerance"]}
        given["every"] = options.pop("every", asked.get("every"))
        for name in ("method", "tolerance"):
            if name in options:
                given[name] = options.pop(name)
        return _run(self._source, given | _fields(options), observer, self._set, self._core,
                    place(1), wall_limit=wall_limit)

    def __repr__(self) -> str:
        c = self._core.certificate
        lines = [
            f"{c['model']}: {c['reason']} at t = {c['t_reached']:.9g} s",
            f"{c['method']} on {c['formulation']}, tolerance {c['tolerance']:.0e}: "
            f"{c['steps']} steps, {c['rejected']} rejected, {c['failed']} failed",
            "constraints held to position {position:.1e}, velocity {velocity:.1e}, acceleration "
            "{acceleration:.1e}".format(**c["residuals"]),
            f"{len(self._rows)} times of {len(self._places)} columns",
        ]
        if not c["derivatives"]["exact"]:
            missing = ", ".join(c["derivatives"]["missing"])
            lines.insert(3, f"derivatives: none of {missing}" if missing else
                         "derivatives by differences")
        return "\n".join(lines)


def _restore(data: bytes) -> Result:
    import os
    import tempfile

    with tempfile.TemporaryDirectory(prefix="kardan_") as folder:
        path = os.path.join(folder, "result.h5")
        with open(path, "wb") as file:
            file.write(data)
        return read_result(path)


def read_result(path: str | PathLike) -> Result:
    """Reads a result that was stored as HDF5 (`out="a.h5"`, or by the command line), complete or up to
    where its run was killed."""
    return Result(_core.read_result(fspath(path)))


def view(path: str | PathLike, out: str | PathLike | None = None, **options: Any):
    """The replay of a stored result: as `Result.show`."""
    return read_result(path).show(out, **options)
