"""The catalogs of the library, and the documentation made from them."""

from __future__ import annotations

import textwrap

from . import _core
from .report import Report


def elements() -> dict[str, Report]:
    """Every element type by name: summary, equation, category, fields with units."""
    return {e["type"]: Report(e) for e in _core.elements()}


def methods() -> dict[str, Report]:
    """Every method by name: summary, order, default formulation, options."""
    return {m["name"]: Report(m) for m in _core.methods()}


def formulations() -> dict[str, Report]:
    """Every formulation by name: summary, options."""
    return {f["name"]: Report(f) for f in _core.formulations()}


#: Kinds of fields as Python types, for stubs and docstrings. Texts are names or expressions.
_types = {
    "number": "float | str",
    "whole number": "int | str",
    "true or false": "bool",
    "word": "str",
    "[x, y, z]": "Sequence[float | str]",
    "list of numbers": "float | str | Sequence[Any]",
    "function of t": "float | str | Mapping[str, Any] | Sequence[Any]",
    "formula of t and quantities": "float | str | Mapping[str, Any] | Sequence[Any]",
    "list of words": "Sequence[str]",
    "expression": "float | str",
    "table [[x, y], ...]": "Sequence[Sequence[float | str]]",
    "colour": "str | Sequence[float]",
}


def type_of(field: dict) -> str:
    if field["choices"]:
        return "Literal[" + ", ".join(repr(c) for c in field["choices"]) + "]"
    return _types.get(field["kind"], "Any")


def describe_fields(fields: list[dict]) -> str:
    lines = []
    for f in fields:
        unit = f" [{f['unit']}]" if f["unit"] else ""
        default = "required" if f["required"] else f"default {f['default']}" if f["default"] else ""
        choices = ": " + ", ".join(f["choices"]) if f["choices"] else ""
        tail = "; ".join(part for part in (f["doc"] + choices, default) if part)
        lines += textwrap.wrap(f"{f['key']:<12} {f['kind']}{unit}; {tail}", 96,
                               subsequent_indent=" " * 13)
    return "\n".join(lines)


def placement(element: dict) -> str:
    if element["frames"] == 0:
        return ""
    if element["frames"] == 1:
        return "on           a marker: \"body\" or \"body.marker\""
    markers = ", ".join("ABCDEF"[: element["frames"]])
    return f"between      markers [{markers}]: \"body\" or \"body.marker\""


def describe_element(element: dict) -> str:
    where = ("plane and space" if element["planar"] and element["spatial"]
             else "plane only" if element["planar"] else "space only")
    parts = [element["summary"], "", f"    {element['equation']}", "",
             f"{element['category']}; {where}", "", placement(element),
             describe_fields(element["fields"])]
    return "\n".join(part for part in parts if part is not None).strip() + "\n"
