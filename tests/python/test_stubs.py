"""The stubs say what the package is."""

import ast
import inspect
import os
from pathlib import Path

import kardan
from kardan import stubs


def methods_of_the_stub() -> dict[str, ast.FunctionDef]:
    tree = ast.parse(stubs.model_stub())
    model = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Model")
    return {n.name: n for n in model.body if isinstance(n, ast.FunctionDef)}


def test_every_method_is_in_the_stub_with_its_parameters():
    stub = methods_of_the_stub()
    for name, member in inspect.getmembers(kardan.Model, inspect.isfunction):
        if name.startswith("_") or name not in vars(kardan.Model):
            continue
        arguments = stub[name].args
        names = [a.arg for a in [*arguments.args, *arguments.kwonlyargs]]
        expected = [p.name for p in inspect.signature(member).parameters.values()
                    if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        assert names == expected, name
        assert ast.get_docstring(stub[name]), name


def test_fields_have_types_and_units():
    stub = methods_of_the_stub()["spring_damper"]
    types = {a.arg: ast.unparse(a.annotation) for a in stub.args.kwonlyargs}
    assert types["stiffness"] == "float | str" and types["between"] == "Sequence[_Marker]"
    assert "[N/m]" in ast.get_docstring(stub)


def test_the_build_wrote_them():
    folder = Path(os.environ["KARDAN_BUILD_DIR"]) / "python/kardan"
    assert (folder / "model.pyi").read_text() == stubs.model_stub()
    ast.parse((folder / "_core.pyi").read_text())


def test_everything_public_has_a_docstring():
    for name in kardan.__all__:
        thing = getattr(kardan, name)
        assert thing.__doc__, name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert value.__doc__, f"{name}.{member}"
