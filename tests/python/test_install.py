"""What pip installs works from another folder, with stubs."""

import os
import subprocess
import sys
from pathlib import Path


def test_pip_installs_a_package_that_runs(tmp_path):
    """From the build tree that is there: building anew takes minutes."""
    source = Path(os.environ["KARDAN_SOURCE_DIR"])
    target = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index",
         "--target", target, source], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == 0, done.stdout + done.stderr
    program = ("import kardan, pathlib; print(pathlib.Path(kardan.__file__).parent);"
               "m = kardan.Model(dimension=2, gravity=[0, -9.81]);"
               "m.body('ball', kind='point', mass=1);"
               "print(m.run(t_end=1).final['ball.y'])")
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                           cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(target)}, check=True)
    folder, height = shown.stdout.split()
    assert Path(folder) == target / "kardan" and abs(float(height) + 9.81 / 2) < 1e-6
    assert (target / "kardan/model.pyi").exists() and (target / "kardan/py.typed").exists()
