"""Every example runs, ends well and makes its pictures."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

examples = sorted((Path(os.environ["KARDAN_SOURCE_DIR"]) / "examples/python").glob("*.py"))


@pytest.mark.parametrize("path", examples, ids=lambda p: p.stem)
def test_example(path, tmp_path):
    done = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pictures = [word for word in path.read_text().split('"') if word.endswith(".png")]
    assert pictures and done.stdout
    for picture in pictures:
        assert (tmp_path / picture).stat().st_size > 5000


def test_the_five_examples_are_there():
    assert {p.stem for p in examples} >= {"pendulum", "vehicle_study", "sleigh_sympy",
                                          "work_precision", "fit_damping"}


def test_the_pendulum_has_ten_lines():
    text = (Path(os.environ["KARDAN_SOURCE_DIR"]) / "examples/python/pendulum.py").read_text()
    code = [line for line in text.split('"""')[2].splitlines() if line.strip()]
    assert len(code) <= 10
