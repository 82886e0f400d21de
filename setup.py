"""Installs the Python package: pip install --no-build-isolation .

CMake builds the compiled part; KARDAN_CMAKE_ARGS are further arguments for it. With KARDAN_BUILD_DIR a
build tree that is there already is used.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def run(self):
        target = Path(self.get_ext_fullpath("kardan._core")).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        tree = Path(os.environ.get("KARDAN_BUILD_DIR") or Path(self.build_temp).resolve())
        package = tree / "python" / "kardan"
        if not os.environ.get("KARDAN_BUILD_DIR"):
            subprocess.run(["cmake", "-S", str(root), "-B", str(tree), "-G", "Ninja",
                            "-DCMAKE_BUILD_TYPE=Release", "-DKARDAN_PYTHON=ON", "-DKARDAN_TESTS=OFF",
                            "-DKARDAN_BENCHMARKS=OFF", "-DKARDAN_WARNINGS_AS_ERRORS=OFF",
                            f"-DPython_EXECUTABLE={sys.executable}",
                            f"-DKARDAN_PYTHON_DIR={package.parent}",
                            *shlex.split(os.environ.get("KARDAN_CMAKE_ARGS", ""))], check=True)
        subprocess.run(["cmake", "--build", str(tree), "--target", "kardan_python_stubs"], check=True)
        shutil.copy2(package / target.name, target)
        for made in [*package.glob("*.pyi"), *package.glob("viewer.html")]:
            shutil.copy2(made, target.parent / made.name)


version = re.search(r"project\(Kardan VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
setup(version=version, package_dir={"": "apps/python"}, packages=["kardan"],
      package_data={"kardan": ["py.typed"]}, ext_modules=[Extension("kardan._core", [])],
      cmdclass={"build_ext": CMakeBuild}, options={"build": {"build_base": "build/pip"}})
