"""Models: loaded from files, or built in the same words."""

from __future__ import annotations

import inspect
import keyword
from os import PathLike, fspath
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _core
from .catalogs import describe_element, describe_fields
from .runnable import Runnable, place

#: Where the elements of a category stand in a file.
_sections = {"joint": "joints", "driver": "drivers", "nonholonomic": "joints", "force": "forces",
             "contact": "contacts", "sensor": "sensors"}


class Model(Runnable):
    """A model of bodies, joints and forces, in the words of model files.

        model = kardan.Model("pendulum", dimension=2, gravity=[0, -9.81])
        model.parameters(length=1)
        model.body("bob", kind="point", mass=1, position=["length", 0])
        model.distance("rod", between=["ground", "bob"], length="length")
        result = model.run(t_end=10)

    Every element type is a method (`revolute`, `spring_damper`, ...): its keywords are the fields of
    the type. Numbers, lists and dictionaries are written as in a file; texts are expressions over
    parameters. Everything is checked, all at once, when the model is used, and faults name the line
    of the Python program. SI units and radians.
    """

    def __init__(self, name: str = "", *, dimension: int = 3,
                 gravity: Sequence[float | str] | None = None, _core_model=None):
        self._laws: dict[str, Callable[..., Any]] = {}
        if _core_model is not None:
            self._source = _core_model
            return
        where = place(1)
        self._source = _core.new_model(where)
        if name:
            self._source.assign("name", name, where)
        if dimension != 3:
            self._source.assign("dimension", dimension, where)
        if gravity is not None:
            self._source.assign("gravity", gravity, where)

    # Sections that hold named things

    def body(self, name: str, **fields: Any) -> "Model":
        self._source.put("bodies", name, fields, place(1), False)
        return self

    def element(self, name: str, type: str, **fields: Any) -> "Model":
        """Adds an element of a type given by name: `element("hinge", "revolute", between=[...])`."""
        self._add(name, type, fields, place(1))
        return self

    def when(self, name: str, **fields: Any) -> "Model":
        """Adds an event: `when("bottom", expression="bob.x", direction="rising", action="stop")`."""
        self._source.put("when", name, fields, place(1), False)
        return self

    def friction(self, name: str, **fields: Any) -> "Model":
        """Adds dry friction: `friction("rub", along="block.x", kinetic=0.3, joint="slide")`."""
        self._source.put("friction", name, fields, place(1), False)
        return self

    def python_force(self, name: str, *, between: Sequence[Any], law: Callable[..., Any]) -> "Model":
        """Adds a force between two markers whose law is a Python function.

        The function takes any of these, by the names of its arguments:

            t        time [s]
            x        origin of marker B seen from marker A, in A's axes [m]
            v        its velocity seen from A, in A's axes [m/s]
            angle, omega    plane: angle of B less that of A [rad], its rate [rad/s]
            R, w     space: axes of B in A's (3 x 3), relative angular velocity in A's axes [rad/s]

        and returns the force on B [N] in A's axes, acting at the origin of marker B, or a force and a
        torque [N m]: `return F, T`. The opposite acts on A. Nothing is known about derivatives of the
        law: methods that need exact ones refuse (rn4, rodasp); ros2w and explicit methods do not.
        """
        where = place(1)
        planar = self._source.planar()
        known = {"t": 0, "x": 1, "v": 2}
        known |= {"angle": 3, "omega": 4} if planar else {"R": 5, "w": 6}
        names = list(inspect.signature(law).parameters)
        unknown = [n for n in names if n not in known]
        if unknown:
            raise TypeError(f"{name}.law takes {unknown[0]!r}; wanted any of {', '.join(known)}")
        dimension, torques = (2, 1) if planar else (3, 3)

        def flat(*arguments):
            if "R" in names:
                arguments = [a.reshape(3, 3) if n == "R" else a for n, a in zip(names, arguments)]
            if planar:
                arguments = [a[0] if n in ("angle", "omega") else a
                             for n, a in zip(names, arguments)]
            answer = law(*arguments)
            force, torque = answer if isinstance(answer, tuple) and len(answer) == 2 and \
                np.ndim(answer[0]) == 1 else (answer, np.zeros(torques))
            force, torque = np.atleast_1d(force), np.atleast_1d(torque)
            if force.shape != (dimension,) or torque.shape != (torques,):
                raise ValueError(f"{name}.law: got shapes {force.shape} and {torque.shape}; wanted a "
                                 f"force of {dimension} numbers, or a force and a torque of {torques}")
            return np.concatenate((force, torque))

        self._source.put("forces", name, {"type": "python_force", "between": list(between)}, where,
                         False)
        self._source.add_law(name, flat, [known[n] for n in names])
        self._laws[name] = law
        return self

    def _add(self, name: str, type: str, fields: Mapping[str, Any], where) -> None:
        known = _types.get(type)
        section = _sections[known["category"]] if known else "elements"
        fields = {k[:-1] if k.endswith("_") and keyword.iskeyword(k[:-1]) else k: v
                  for k, v in fields.items() if v is not None}
        self._source.put(section, name, {"type": type, **fields}, where, False)

    # Sections that define names

    def parameters(self, **values: Any) -> "Model":
        """Defines parameters, or changes them: `parameters(length=0.5, k="2*length")`. With a unit:
        `mass="3 kg"`, `load={"value": 20, "unit": "N/mm"}`. A vector: `hub=[0, 0.1, 0.3]`."""
        return self._define("parameters", values)

    def functions(self, **values: Any) -> "Model":
        """Defines functions of one variable t for use in expressions: an expression, a table of
        pairs, or a dictionary with a type."""
        return self._define("functions", values)

    def colors(self, **values: Any) -> "Model":
        """Names colours, for drawing: `colors(steel="#8899aa")`."""
        return self._define("colors", values)

    def shapes(self, **values: Any) -> "Model":
        """Names shapes, for bodies: `shapes(wheel=dict(shape="cylinder", radius=0.3, length=0.1))`."""
        return self._define("shapes", values)

    def defaults(self, **values: Any) -> "Model":
        """Fields that bodies, or elements of a type, have where they are not given:
        `defaults(bodies=dict(density=7800))`."""
        return self._define("defaults", values)

    def ground(self, **fields: Any) -> "Model":
        """Markers and shapes fixed to the world: `ground(markers={"wall": {"at": [1, 0, 0]}})`."""
        return self._define("ground", fields)

    def simulate(self, **fields: Any) -> "Model":
        """How a run goes unless `run` says otherwise: t_end, method, tolerance, every, ..."""
        return self._define("simulate", fields)

    def equations(self, **parts: Any) -> "Model":
        """Equations instead of bodies, as texts: positions, velocities, mass, forces, constraints,
        ... as in the section `equations` of a file. See also kardan.Equations (functions) and
        kardan.SymbolicEquations (SymPy)."""
        return self._define("equations", parts)

    def balance(self, **fields: Any) -> "Model":
        """What `equilibrium` shall find: solve, wishes, place, keep_velocities."""
        return self._define("equilibrium", fields)

    def _define(self, section: str, values: Mapping[str, Any]) -> "Model":
        for name, value in values.items():
            self._source.put(section, name, value, place(2), True)
        return self

    # Lists and single values

    def wish(self, want: str, equals: Any, priority: str | None = None) -> "Model":
        """A wish for the assembly: an expression over the motion shall have a value. Priority:
        "exactly" (default), "if_possible" or "free"."""
        wish = {"want": want, "equals": equals}
        if priority is not None:
            wish["priority"] = priority
        self._source.append("assemble", wish, place(1))
        return self

    def invariants(self, *values: str) -> "Model":
        """What the motion shall preserve: "energy", "momentum", "angular_momentum", expressions."""
        for value in values:
            self._source.append("invariants", value, place(1))
        return self

    def outputs(self, *patterns: str) -> "Model":
        """Which columns results have; "*" stands for any letters. Default: all."""
        for pattern in patterns:
            self._source.append("outputs", pattern, place(1))
        return self

    def start(self, at: str) -> "Model":
        """Where runs begin: "assembled" or "equilibrium"."""
        self._source.assign("start", at, place(1))
        return self

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._source.get("name") or ""

    # The whole

    def __getitem__(self, section: str) -> Any:
        """A section as it is written: `model["bodies"]["arm"]["mass"]`. A copy."""
        if section not in self._source.sections():
            raise KeyError(f"no section '{section}'; there are: {', '.join(self._source.sections())}")
        return self._source.get(section)

    def remove(self, section: str, name: str) -> "Model":
        """Takes a thing out: `remove("forces", "spring")`."""
        if not self._source.remove(section, name):
            raise KeyError(f"no '{name}' in '{section}'")
        return self

    def copy(self) -> "Model":
        """The same model, to be changed apart."""
        other = Model(_core_model=self._source.copy())
        other._laws = dict(self._laws)
        return other

    def __reduce__(self):
        # As text, for other processes; laws of Python forces apart.
        source, forces = self._source.copy(), self._source.get("forces") or {}
        laws = {n: (forces[n]["between"], law) for n, law in self._laws.items() if n in forces}
        for name in laws:
            source.remove("forces", name)
        return _restore, (source.yaml(), laws)

    def to_yaml(self) -> str:
        """The model as text of a model file."""
        return self._source.yaml()

    def save(self, path: str | PathLike, *, force: bool = False) -> None:
        """Writes a model file: YAML, or JSON where the name ends in .json. A file that is there and was
        not written by this function is overwritten only with `force`, as any JSON is."""
        path = fspath(path)
        text = self._source.json() if path.endswith(".json") else self._source.yaml()
        _core.write_model(path, text, force)

    def __repr__(self) -> str:
        count = lambda section: len(self._source.get(section) or {})
        parts = [f"{count(s)} {s}" for s in ("bodies", "joints", "drivers", "forces", "contacts",
                                             "sensors", "elements", "equations") if count(s)]
        return f"<kardan.Model '{self.name}': {', '.join(parts) or 'empty'}>"


def _restore(text: str, laws: Mapping[str, tuple]) -> Model:
    model = Model(_core_model=_core.restore(text, "a pickled model"))
    for name, (between, law) in laws.items():
        model.python_force(name, between=between, law=law)
    return model


def load(path: str | PathLike, *, include_anywhere: bool = False) -> Model:
    """Reads a model file. Every fault in it is in the ModelError it raises. Files it includes must
    lie beneath its folder unless `include_anywhere`."""
    import os

    source = _core.load(fspath(path), include_anywhere)
    model = Model(_core_model=source)
    if not model.name:
        source.assign("name", os.path.splitext(os.path.basename(fspath(path)))[0], place(1))
    return model


def read(text: str, *, file: str = "text") -> Model:
    """Reads a model from YAML or JSON text; `file` names it in messages."""
    return Model(_core_model=_core.read(text, file, False))


# One method for every type of the catalog.

_types = {e["type"]: e for e in _core.elements()}


def _parameter(field: dict) -> inspect.Parameter:
    name = field["key"] + ("_" if keyword.iskeyword(field["key"]) else "")
    default = inspect.Parameter.empty if field["required"] else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)


def _make_method(element: dict) -> Callable[..., Model]:
    type_name = element["type"]

    def method(self, name, **fields):
        self._add(name, type_name, fields, place(1))
        return self

    keys = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    if element["frames"]:
        where = "on" if element["frames"] == 1 else "between"
        keys.append(inspect.Parameter(where, inspect.Parameter.KEYWORD_ONLY, default=None))
    keys += [_parameter(f) for f in element["fields"]]
    keys.append(inspect.Parameter("more", inspect.Parameter.VAR_KEYWORD))
    method.__name__ = type_name
    method.__qualname__ = f"Model.{type_name}"
    method.__signature__ = inspect.Signature(keys)
    method.__doc__ = describe_element(element)
    return method


for _element in _types.values():
    # A type must not hide a method of this class.
    _name = _element["type"] + ("_element" if hasattr(Model, _element["type"]) else "")
    setattr(Model, _name, _make_method(_element))

Model.body.__doc__ = ("Adds a body.\n\n" + describe_fields(_core.body_fields()) +
                      "\nmarkers      {name: {at: [m], ...}}\nshapes       what is drawn: see the "
                      "documentation of model files\nhold         coordinates the assembly must keep")
