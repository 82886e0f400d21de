"""What models and equations have in common: check, assemble, equilibrium, linearize, run."""

from __future__ import annotations

import sys
from numbers import Real
from os import PathLike, fspath
from typing import Any, Callable, Iterable, Mapping, Sequence

from . import _core
from .comparison import Comparison
from .errors import AssemblyError, RunError
from .report import Report, modes
from .result import Result
from .simulation import Simulation


def place(depth: int) -> "_core.Place":
    """The line of the caller's program, `depth` calls above."""
    frame = sys._getframe(depth + 1)
    return _core.Place(frame.f_code.co_filename, frame.f_lineno)


class Runnable:
    """Base of Model and of the equations."""

    _source: "_core.Source"

    def check(self, *, set: Mapping[str, float] | None = None) -> Report:
        """Degrees of freedom, rank, redundant or contradictory constraints by name, residuals of the
        start. `set` gives parameters other values. Raises ModelError, but not where no consistent
        start exists: look at `consistent` and `message`."""
        return Report(_core.check(self._source, dict(set or {})))

    def assemble(self, *, set: Mapping[str, float] | None = None) -> Report:
        """Consistent positions, velocities, accelerations and multipliers by name (`start`), and
        which wishes were met. Raises AssemblyError where there are none."""
        return _found(_core.prepare(self._source, dict(set or {}), False))

    def equilibrium(self, *, set: Mapping[str, float] | None = None) -> Report:
        """Static balance (`start`), and the parameters found for it. Raises AssemblyError where none
        is found."""
        return _found(_core.prepare(self._source, dict(set or {}), True))

    def linearize(self, *, set: Mapping[str, float] | None = None, frozen: bool = False) -> Report:
        """Small motions about the start, a balance or a steady motion: state `matrix` over `variables`,
        `eigenvalues` [1/s], `modes` with frequency [Hz], damping ratio and shape. Other motions raise
        AssemblyError, unless the equations shall be `frozen` there."""
        report = _core.linearize(self._source, dict(set or {}), frozen)
        if "matrix" not in report:
            raise AssemblyError(report["message"], report["advice"])
        return modes(report)

    def compare(self, methods: Sequence[str], tolerances: Sequence[float] = (1e-3, 1e-5, 1e-7, 1e-9), *,
                reference: Mapping[str, Any] | None = None, **options: Any) -> Comparison:
        """Work against precision: runs every method at every tolerance and measures the reached error
        against a tighter run (`reference`: its options, default dopri5 at 1e-12). Options as of `run`.
        The answer prints as a table, has `rows`, `frame()` and `plot()`."""
        tight = {"method": "dopri5", "tolerance": 1e-12, **(reference or {})}
        return Comparison(self, list(methods), list(tolerances), tight, options)

    def matrices(self, *, set: Mapping[str, float] | None = None, **at: Any) -> Report:
        """The terms of the general equations and their derivatives, at the consistent start or at
        other values of the variables given by keyword (t, p, v, r, w, s, a, lambda_):

            M v' = f - G' lambda,  G v' = gamma,  g, rate = G v + g_t,  r' = b,  0 = d,  e

        accel is G a - gamma; X_p, X_v, X_t are derivatives, f_p those of f - M a - G' lambda; aux is
        (b; d). Rows of G are all constraints, nonholonomic ones last. Tangents of p have the size of
        v: displacements in the world, rotations in the body's frame."""
        return Report(_core.matrices(self._source, dict(set or {}), at))

    def run(self, t_end: float | None = None, *, method: str | None = None,
            tolerance: float | None = None, every: float | None = None,
            observer: Callable[[Any], Any] | None = None,
            set: Mapping[str, float] | None = None,
            out: str | PathLike | Sequence[str | PathLike] = (), force: bool = False,
            wall_limit: float | None = None, **options: Any) -> Result:
        """Integrates the motion and gives its result with certificate.

        t_end        end of the run [s]
        method       name, or "method@formulation": see kardan.methods(), kardan.formulations(); or
                     "auto", which chooses both and says why in certificate.automatic
        tolerance    relative, and absolute in the model's units
        every        spacing of the output grid [s]; default a hundredth of the run
        observer     function of a step (step.t, step["arm.angle"]), called after every accepted
                     one; the run stops where it returns True, or a text: the reason
        set          other values of parameters, by name
        out          result files to be written, also of a run that fails: "a.csv", "a.html", ...;
                     one that is there and no result of Kardan is overwritten only with `force`
        wall_limit   [s] the run ends after so much time on the clock, wherever it is
        relative, absolute, step, formulation, tolerance_of
                     as in the section `simulate` of a file; `step` [s] is a fixed step
        options      a dictionary of options of the method and the driver; single ones may be given
                     as keywords: first_step=1e-4

        What is not given is as the model says under `simulate`, or a default. Raises ModelError for
        what is wrong with the model or the call, RunError (with the partial result) where the run
        does not reach its end; other Python threads run meanwhile. Ctrl-C, and any other signal whose
        handler raises, ends it within a second or two, with the partial result as `result` of the
        exception.
        """
        given = dict(t_end=t_end, method=method, tolerance=tolerance, every=every)
        given = {name: value for name, value in given.items() if value is not None}
        paths = [out] if isinstance(out, (str, PathLike)) else out
        if not isinstance(paths, Iterable):
            raise TypeError(f"out: got {out!r}; wanted the name of a file, or several")
        paths = list(paths)
        _check_call(observer, set, paths, wall_limit)
        paths = [fspath(p) for p in paths]
        return _run(self._source, given | _fields(options), observer, set, None, place(1), paths,
                    force, wall_limit)


    def simulation(self, *, method: str | None = None, tolerance: float | None = None,
                   t_end: float | None = None, outputs: Sequence[str] | None = None,
                   set: Mapping[str, float] | None = None, **options: Any) -> "Simulation":
        """The motion step by step, for a controller or another program beside it:

            sim = model.simulation(method="rn4", tolerance=1e-6, outputs=["cart.x", "pole.angle"])
            x, angle = sim.step(0.01, push=2.5)

        Inputs are those of the model's section `inputs`. outputs: what `step` returns, by the
        names of result columns; default all that are positions, velocities and sensors. The other
        options are those of `run`; t_end is no end here, but the time to which steps are planned."""
        given = dict(t_end=t_end, method=method, tolerance=tolerance)
        given = {name: value for name, value in given.items() if value is not None}
        _check_call(None, set, [], None)
        return Simulation(_core.Simulation(self._source, dict(set or {}), given | _fields(options),
                                           place(1)), outputs)


_simulate_keys = ("relative", "absolute", "step", "formulation", "tolerance_of")


def _fields(options: dict) -> dict:
    """Keywords as fields of the section `simulate`: what it does not know are options."""
    fields = {name: options[name] for name in _simulate_keys if name in options}
    more = dict(options.get("options", {}))
    for name, value in options.items():
        if name not in _simulate_keys and name != "options":
            more[name] = value
    if more:
        fields["options"] = more
    return fields


def _check_call(observer, set_, paths, wall_limit) -> None:
    """What the library could only say in words of C++."""
    if observer is not None and not callable(observer):
        raise TypeError(f"observer: got {observer!r}; wanted a function of a step")
    if set_ is not None and not isinstance(set_, Mapping):
        raise TypeError(f"set: got {set_!r}; wanted a dictionary of numbers by name")
    if wall_limit is not None and not isinstance(wall_limit, Real):
        raise TypeError(f"wall_limit: got {wall_limit!r}; wanted a number of seconds")
    for p in paths:
        if not isinstance(p, (str, PathLike)):
            raise TypeError(f"out: got {p!r}; wanted the name of a file")


def _run(source, given, observer, set_, from_, where, paths=(), force=False,
         wall_limit=None) -> Result:
    try:
        result = Result(_core.run(source, dict(set_ or {}), given, where, observer, from_,
                                  list(paths), force, wall_limit), source, dict(set_ or {}))
    except BaseException as error:
        # Ctrl-C, and what a callback or an observer raised: the rows until then come along.
        partial = getattr(error, "result", None)
        if isinstance(partial, _core.RunResult):
            error.result = Result(partial, source, dict(set_ or {}))
        raise
    if paths:
        result.write(*paths, force=force)
    if result.reason not in ("finished", "stopped"):
        raise RunError(result)
    return result


def _found(report: dict) -> Report:
    if not report["consistent"]:
        raise AssemblyError(report["message"], report["advice"], Report(report))
    return Report(report)
