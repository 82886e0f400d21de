"""What can go wrong, with everything the library has to say about it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Result


@dataclass(frozen=True)
class Diagnostic:
    """One fault: where it stands, a code to look up in docs/look-up/errors.md, what to do."""

    severity: str  #: "error" or "warning"
    code: str  #: stable and dotted: "field.unknown"
    message: str  #: what, got, wanted
    hint: str  #: what to do; may be empty
    file: str  #: model file or Python program; empty where it stands nowhere
    line: int  #: from 1; 0: not known
    column: int  #: from 1; 0: not known
    text: str  #: all of it in one line

    def __str__(self) -> str:
        return self.text


class Error(Exception):
    """Base of all errors of Kardan."""


class ModelError(Error):
    """A model, an option or a call is wrong. `diagnostics` holds every fault, each with its place."""

    def __init__(self, diagnostics: list[Diagnostic]):
        self.diagnostics = diagnostics
        errors = [d for d in diagnostics if d.severity == "error"]
        super().__init__("\n".join(d.text for d in errors))

    def __reduce__(self):
        return ModelError, (self.diagnostics,)


class AssemblyError(Error):
    """No consistent start, or no balance, was found. `advice` says what to try, `report` is what
    `assemble` or `equilibrium` would show (or None)."""

    def __init__(self, message: str, advice: str = "", report=None):
        self.message, self.advice, self.report = message, advice, report
        super().__init__(message + ("\n" + advice if advice else ""))

    def __reduce__(self):
        return AssemblyError, (self.message, self.advice, self.report)


class RunError(Error):
    """A run did not reach its end. `result` is everything computed until then; `reason`, `message`
    and `advice` are those of its certificate."""

    def __init__(self, result: "Result"):
        self.result = result
        self.reason, self.message, self.advice = result.reason, result.message, result.advice
        super().__init__(self.message + ("\n" + self.advice if self.advice else ""))

    def __reduce__(self):
        return RunError, (self.result,)


class SimulationError(Error):
    """A simulation could not do what it was asked; it stands where it was."""


class ModelWarning(UserWarning):
    """Something in a model looks like a mistake, but can be run."""


def raise_assembly(message: str, advice: str) -> None:
    raise AssemblyError(message, advice)


def raise_simulation(message: str) -> None:
    raise SimulationError(message)


def warn(diagnostics: list[Diagnostic]) -> None:
    """Shows warnings of the library as Python's: of each code the first, and how many more."""
    groups: dict[str, list[Diagnostic]] = {}
    for d in diagnostics:
        groups.setdefault(d.code, []).append(d)
    for group in groups.values():
        more = f" ({len(group) - 1} more of this kind)" if len(group) > 1 else ""
        warnings.warn(group[0].text + more, ModelWarning, stacklevel=4)
