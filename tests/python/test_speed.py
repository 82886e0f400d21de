"""Andrews' mechanism in minimal form from SymPy beside the C++ example, by instructions."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_symbolic import from_file

import kardan

#: The compiled equations without SymPy, whose import would take the time.
program = '''
import ctypes, json, sys
from kardan import _core
spec = json.load(open(sys.argv[1]))
loaded = ctypes.CDLL(spec["library"])
spec["functions"] = {name: ctypes.cast(getattr(loaded, name), ctypes.c_void_p).value
                     for name in spec["functions"]}
spec["library"] = loaded
result = _core.run(_core.CompiledSource(spec), {},
                   {"t_end": 0.03, "method": "rn4", "tolerance": 1e-8, "every": 1},
                   _core.Place("", 0), None, None, [], False, None)
print(result.certificate["steps"], result.certificate["final"]["beta"])
'''


def instructions(command, folder: Path) -> tuple[int, str]:
    """Of kardan::simulate and all it calls, and what the program printed."""
    out = folder / "callgrind.out"
    done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *command],
                          capture_output=True, text=True, check=True)
    shown = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(out)],
                           capture_output=True, text=True, check=True).stdout
    counts = [int(m[1].replace(",", "")) for m in re.finditer(
        r"^ *([\d,]+) \([^\n]*kardan::simulate\(kardan::Prepared&", shown, re.M)]
    return max(counts), done.stdout


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_andrews_from_sympy_is_within_one_and_a_half_of_cpp(models, tmp_path):
    example = Path(os.environ["KARDAN_BUILD_DIR"]) / "examples/example_equations_andrews"
    if not example.exists():
        pytest.skip("the C++ examples are not built")
    equations = from_file(kardan.load(models / "andrews_minimal.yaml"))
    spec = {**equations._spec, "functions": list(equations._spec["functions"]),
            "library": equations._spec["library"]._name}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    (tmp_path / "run.py").write_text(program)
    cpp, cpp_text = instructions([example], tmp_path)
    python, text = instructions([sys.executable, tmp_path / "run.py", tmp_path / "spec.json"], tmp_path)
    steps, beta = text.split()
    assert steps in cpp_text and float(beta) == pytest.approx(15.810771195153707, abs=1e-6)
    print(f"instructions of a run: C++ {cpp:,}, from SymPy {python:,}, ratio {python / cpp:.2f}")
    assert python < 1.5 * cpp
