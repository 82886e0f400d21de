"""Studies: many runs of a model, here or on the workers of an executor."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, FIRST_COMPLETED, Executor, ProcessPoolExecutor, wait
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from .report import Report

#: How often a block of runs is given to a worker before it counts as the cause.
_TRIES = 3


def study(source: str | PathLike | Mapping[str, Any], out: str | PathLike | None = None, *,
          model: Any = None, threads: int = 0, executor: Executor | Callable[[], Executor] | None = None,
          block: int = 0, resume: bool = False, force: bool = False,
          progress: Callable[[int, int], Any] | None = None) -> "Study":
    """Does a study and gives its results: the same, to the last bit, as `kardan study`.

    `source` is the file of a study (.yaml), or a dictionary with its keys, whose model may be a
    `kardan.Model` given as `model`; or the file of results (.h5), which is opened. `out` is the file of
    results; without it they are kept in a temporary one as long as the study is held. What it has is
    not done again with `resume`; `force` begins anew.

    With an `executor` of concurrent.futures (a process pool, mpi4py's MPIPoolExecutor, Dask's
    Client.get_executor()) its workers do blocks of `block` runs; else `threads` threads of this process
    do (0: as many as there are processors). A worker that dies costs its block, which is done again; a
    pool that broke is made anew where `executor` is a function that makes one, or a process pool.
    `progress` is called with the runs done and all of them.
    """
    if not isinstance(source, Mapping) and fspath(source).endswith(".h5"):
        return Study(fspath(source))
    plan = _plan(source, model)
    path, keeper = (fspath(out), None) if out is not None else _temporary()
    there = os.path.exists(path) and os.path.getsize(path) > 0
    if there and not (resume or force):
        raise FileExistsError(f"{path} is there already: resume=True does the runs it has not, force=True begins anew")
    if not (there and resume):
        plan.create(path)
    store = _core.StudyStore(path, True)
    store.belongs_to(plan)
    missing = np.flatnonzero(~store.done())
    blocks = _blocks(missing, block or _block_size(len(missing), executor))
    done, all_runs = plan.runs - len(missing), plan.runs
    finished = _here(plan, blocks, threads) if executor is None else _on_workers(plan, blocks, executor)
    for first, rows in finished:
        store.write(first, rows)
        done += len(rows)
        if progress:
            progress(done, all_runs)
    store.sync()
    store.statistics(True)
    return Study(path, keeper)


class Study:
    """The results of a study: columns by name, `frame()` for pandas, `dataset()` for xarray."""

    def __init__(self, path: str | PathLike, _keeper=None):
        self.path = fspath(path)
        self._keeper = _keeper
        self._core = _core.StudyStore(self.path, False)
        #: Numbers of the runs that are done, and their rows.
        self.runs, self.rows = self._core.rows()

    @property
    def title(self) -> str:
        """As the study calls itself."""
        return self._core.title

    @property
    def columns(self) -> list[str]:
        """Names of all columns: parameters, kept values, and what the certificates say ("run.")."""
        return self._core.columns

    @property
    def parameters(self) -> list[str]:
        """Names of what varies."""
        return self._core.parameters

    @property
    def kept(self) -> list[str]:
        """Names of what is kept of each run."""
        return self._core.kept

    def __getitem__(self, name: str) -> np.ndarray:
        """A column over the runs. What is not known is not a number."""
        if name not in self.columns:
            raise KeyError(f"there is no column '{name}'; there are: {', '.join(self.columns)}")
        return self.rows[:, self.columns.index(name)]

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def reasons(self) -> list[str]:
        """How each run ended."""
        return [_core.reason_name(int(code)) for code in self["run.reason"]]

    @functools.cached_property
    def statistics(self) -> Report:
        """What the runs say together: `values` (mean, deviation, extremes, quantiles), `not_met`,
        `correlation`, and of the design `sensitivity` the indices `sobol`."""
        return Report(self._core.statistics(False))

    def frame(self):
        """All columns as a pandas DataFrame over the numbers of the runs."""
        import pandas

        out = pandas.DataFrame(self.rows, columns=self.columns, index=pandas.Index(self.runs, name="run"))
        out["run.reason"] = self.reasons
        return out

    def dataset(self):
        """All columns as an xarray Dataset over the coordinate `run`; a design of all combinations is
        not unfolded."""
        import xarray

        data = {name: ("run", self[name]) for name in self.columns if name != "run.reason"}
        data["run.reason"] = ("run", self.reasons)
        return xarray.Dataset(data, coords={"run": self.runs},
                              attrs={"title": self.title, "parameters": self.parameters, "kept": self.kept})

    def write(self, path: str | PathLike) -> None:
        """Writes all rows as a table: .csv, or .parquet where pandas finds a library for it."""
        name = fspath(path)
        if name.endswith(".csv"):
            self.frame().to_csv(name, float_format="%.17g")
        elif name.endswith(".parquet"):
            self.frame().to_parquet(name)
        else:
            raise ValueError(f"{name}: wanted a name that ends in .csv or .parquet")

    def __repr__(self) -> str:
        return f"<study '{self.title}': {len(self)} of {self._core.runs} runs, in {self.path}>"


def _plan(source, model) -> "_core.StudyPlan":
    if not isinstance(source, Mapping):
        if model is not None:
            raise TypeError("a file of a study names its model itself: give `model` with a dictionary")
        return _core.StudyPlan(os.path.abspath(fspath(source)))
    from .model import Model

    keys = {"kardan_study": 1, **source}
    if model is None:
        model = keys.get("model")
    if isinstance(model, Model):
        keys["model"] = "model.yaml"
        return _read(_yaml(keys), os.path.join(os.getcwd(), "study"), model.to_yaml())
    return _read(_yaml(keys), os.path.join(os.getcwd(), "study"), None)


def _yaml(keys) -> str:
    import json

    plain = lambda x: x.tolist() if isinstance(x, (np.ndarray, np.generic)) else fspath(x)
    return json.dumps(keys, default=plain)


def _read(text: str, file: str, model_text: str | None) -> "_core.StudyPlan":
    return _core.StudyPlan.read(text, file, model_text)


def _temporary():
    folder = tempfile.TemporaryDirectory(prefix="kardan-study-")
    return str(Path(folder.name) / "study.h5"), folder


def _block_size(runs: int, executor) -> int:
    # Small enough that what a dying worker costs is little, large enough that sending costs little.
    return max(1, min(1000, runs // 100)) if executor is not None else max(1, min(256, runs // 20))


def _blocks(missing: np.ndarray, size: int) -> list[tuple[int, int]]:
    """Ranges of neighbouring runs."""
    out: list[tuple[int, int]] = []
    for run in missing.tolist():
        if out and out[-1][1] == run and run - out[-1][0] < size:
            out[-1] = (out[-1][0], run + 1)
        else:
            out.append((run, run + 1))
    return out


def _here(plan, blocks, threads: int):
    for first, last in blocks:
        yield first, plan.rows(first, last, threads)


@functools.lru_cache(maxsize=2)
def _known(text: str, file: str, model_text: str) -> "_core.StudyPlan":
    return _read(text, file, model_text)


def _work(text: str, file: str, model_text: str, first: int, last: int) -> np.ndarray:
    """On a worker: all it needs is in its arguments, but for the file of a design of type table."""
    return _known(text, file, model_text).rows(first, last, 1)


def _on_workers(plan, blocks, executor):
    make = None
    if isinstance(executor, Executor):
        pool = executor
        if isinstance(executor, ProcessPoolExecutor):
            make = functools.partial(ProcessPoolExecutor, executor._max_workers, executor._mp_context)
    else:
        make, pool = executor, executor()
    own = pool is not executor
    task = functools.partial(_work, plan.text, plan.file, plan.model_text)
    tries = dict.fromkeys(blocks, 0)
    waiting, running = list(reversed(blocks)), {}
    try:
        while waiting or running:
            broken, suspects = None, []
            try:
                # Not all at once: what waits in a pool that breaks is lost with it.
                while waiting and len(running) < 64:
                    running[pool.submit(task, *waiting[-1])] = waiting[-1]
                    waiting.pop()
            except BrokenExecutor as error:
                broken = error
            if not broken:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    span = running.pop(future)
                    try:
                        rows = future.result()
                    except BrokenExecutor as error:
                        broken = error
                        suspects.append(span)
                        break
                    except Exception as error:  # a worker of a pool that lives on has died
                        tries[span] += 1
                        if not _died(error) or tries[span] >= _TRIES:
                            raise
                        waiting.append(span)
                    else:
                        yield span[0], rows
            if broken:
                # Which of them broke it is not told.
                for future, span in running.items():
                    if _good(future):
                        yield span[0], future.result()
                    else:
                        suspects.append(span)
                running = {}
                waiting += suspects
                for span in suspects:
                    tries[span] += 1
                if make is None or any(tries[span] > 3 * _TRIES for span in suspects):
                    raise broken
                if own:
                    pool.shutdown(wait=False)
                pool, own = make(), True
    finally:
        for future in running:
            future.cancel()
        if own:
            pool.shutdown()


def _good(future) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _died(error: Exception) -> bool:
    """Whether it was the worker, not the work: Dask's error says so by its name."""
    return type(error).__name__ in {"KilledWorker", "CommClosedError", "CancelledError", "FutureCancelledError"}
