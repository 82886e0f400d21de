"""Type stubs from signatures and the catalogs: python -m kardan.stubs DIR writes model.pyi and
_core.pyi there. The other modules carry their types themselves."""

from __future__ import annotations

import inspect
import keyword
import sys
import textwrap
from pathlib import Path

from . import _core, model
from .catalogs import type_of

_head = '''# Made from the catalogs by kardan.stubs.
from os import PathLike
from typing import Any, Callable, Literal, Mapping, Sequence

from .runnable import Runnable

_Marker = str | Mapping[str, Any]
'''

_core_stub = '''# Made by kardan.stubs: what observers see, and the catalogs.
from typing import Any

class Step:
    """An accepted step, shown to an observer while it is called."""
    @property
    def t(self) -> float: ...
    @property
    def h(self) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def steps(self) -> int: ...
    def __getitem__(self, name: str) -> float: ...

class Source: ...
class ModelSource(Source): ...
class CallbackSource(Source): ...
class CompiledSource(Source): ...
class RunResult: ...
class Place: ...

def versions() -> dict[str, str]: ...
def __getattr__(name: str) -> Any: ...
'''


def element_stub(name: str, element: dict) -> str:
    """The method of an element type."""
    parts = ["self", "name: str", "*"]
    if element["frames"]:
        where = "on: _Marker" if element["frames"] == 1 else "between: Sequence[_Marker]"
        parts.append(f"{where} = ...")
    for field in element["fields"]:
        key = field["key"] + ("_" if keyword.iskeyword(field["key"]) else "")
        parts.append(f"{key}: {type_of(field)}" + ("" if field["required"] else " = ..."))
    parts.append("**more: Any")
    doc = getattr(model.Model, name).__doc__
    return _function(name, ", ".join(parts), "Model", doc)


def _function(name: str, parameters: str, returns: str, doc: str | None) -> str:
    head = f"def {name}({parameters}) -> {returns}:"
    text = (doc or "").strip().replace("\\", "\\\\")
    return head + "\n" + textwrap.indent(f'"""{text}\n"""\n...', "    ")


def _parameter(p: inspect.Parameter) -> str:
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    text = stars + p.name
    if p.annotation is not p.empty:
        text += f": {p.annotation}"
    return text if p.default is p.empty else f"{text} = ..."


def _own(name: str, function) -> str:
    """A function as it is written: its annotations are texts."""
    signature = inspect.signature(function)
    parts = []
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not any(x.startswith("*") for x in parts):
            parts.append("*")
        if not p.name.startswith("_"):
            parts.append(_parameter(p))
    returns = signature.return_annotation
    returns = "None" if returns is signature.empty else str(returns).strip("'\"")
    return _function(name, ", ".join(parts), returns, function.__doc__)


def model_stub() -> str:
    """The text of model.pyi."""
    generated = {name: name for name in model._types}
    for name in model._types:
        if hasattr(model.Model, f"{name}_element"):
            generated[name] = f"{name}_element"
    body = []
    for name, member in vars(model.Model).items():
        if name in generated.values() and name not in ("element",):
            continue
        if isinstance(member, property):
            body.append("@property\n" + _own(name, member.fget))
        elif inspect.isfunction(member) and (not name.startswith("_") or name in (
                "__init__", "__getitem__", "__repr__")):
            body.append(_own(name, member))
    body += [element_stub(generated[type_name], element)
             for type_name, element in model._types.items()]
    doc = textwrap.indent(f'"""{model.Model.__doc__.strip()}\n"""', "    ")
    members = textwrap.indent("\n\n".join(body), "    ")
    functions = "\n\n".join(_own(f.__name__, f) for f in (model.load, model.read))
    return f"{_head}\n\nclass Model(Runnable):\n{doc}\n\n{members}\n\n\n{functions}\n"


def main(folder: str) -> None:
    Path(folder, "model.pyi").write_text(model_stub(), encoding="utf-8")
    Path(folder, "_core.pyi").write_text(_core_stub, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
