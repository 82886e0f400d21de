"""Kardan: multibody dynamics with a guarantee.

Load a model file or build a model in the same words, ask for an accuracy, and get it:

    import kardan

    model = kardan.load("models/pendulum.yaml")
    result = model.run(t_end=2, tolerance=1e-8)
    result["bob.x"]              # a NumPy array, over result.time
    result.residuals             # the certificate: how well the constraints held
    result.plot("bob.x", "bob.y")

Models:      load, read, Model (its methods are the element types: help(kardan.Model))
Equations:   Equations (functions on arrays), SymbolicEquations (SymPy, compiled)
Results:     Result, Comparison, read_result, view
Studies:     study, Study: many runs of a model
Catalogs:    elements, methods, formulations
Step by step: Simulation (of model.simulation(...)), kardan.gym (an environment to learn in)
Errors:      Error, ModelError, AssemblyError, RunError, SimulationError, ModelWarning

SI units and radians everywhere.
"""

from ._core import versions
from .catalogs import elements, formulations, methods
from .comparison import Comparison
from .equations import Equations
from .errors import AssemblyError, Diagnostic, Error, ModelError, ModelWarning, RunError, SimulationError
from .model import Model, load, read
from .report import Report
from .result import Result, read_result, view
from .simulation import Simulation
from .study import Study, study
from .symbolic import SymbolicEquations

__version__ = versions()["kardan"]

__all__ = [
    "AssemblyError",
    "Comparison",
    "Diagnostic",
    "Equations",
    "Error",
    "Model",
    "ModelError",
    "ModelWarning",
    "Report",
    "Result",
    "RunError",
    "Simulation",
    "SimulationError",
    "Study",
    "SymbolicEquations",
    "elements",
    "formulations",
    "load",
    "methods",
    "read",
    "read_result",
    "study",
    "versions",
    "view",
]
