"""`pip install .`: CMake builds the library and the extension module; docs/PYTHON.md says what it needs."""

import os
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

here = os.path.dirname(os.path.abspath(__file__))


def version():
    with open(os.path.join(here, "CMakeLists.txt"), encoding="utf-8") as lists:
        return re.search(r"project\(oriel VERSION (\S+)", lists.read()).group(1)


class BuildByCMake(build_ext):
    """The target oriel_python of CMakeLists.txt, with all else off. CMAKE_ARGS adds options; ORIEL_BUILD names a
    build folder that has the module already."""

    def build_extension(self, ext):
        build = os.environ.get("ORIEL_BUILD") or self.build_by_cmake()
        made = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(made), exist_ok=True)
        self.copy_file(os.path.join(build, "python", "oriel", os.path.basename(made)), made)
        # A linker leaves what is missing to the program that loads the module: no module without a symbol is installed.
        subprocess.run([sys.executable, "-c", "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], os.RTLD_NOW)", made],
                       check=True)

    def build_by_cmake(self):
        build = os.path.join(os.path.abspath(self.build_temp), "cmake")
        options = {
            "CMAKE_BUILD_TYPE": "Release", "ORIEL_PYTHON": "ON", "BUILD_SHARED_LIBS": "OFF",
            "ORIEL_PYTHON_INTERPRETER": sys.executable,
            "ORIEL_TESTS": "OFF", "ORIEL_BENCH": "OFF", "ORIEL_EXAMPLES": "OFF", "ORIEL_TOOLS": "OFF",
            "ORIEL_MPI": "OFF",
        }
        try:
            import pybind11
            options["pybind11_DIR"] = pybind11.get_cmake_dir()
        except ImportError:
            pass  # CMake finds that of the system (pybind11-dev)
        subprocess.run(["cmake", "-S", here, "-B", build, *(f"-D{k}={v}" for k, v in options.items()),
                        *os.environ.get("CMAKE_ARGS", "").split()], check=True)
        jobs = str(self.parallel or os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", build, "--target", "oriel_python", "-j", jobs], check=True)
        return build


setup(version=version(), ext_modules=[Extension("oriel._oriel", [])], cmdclass={"build_ext": BuildByCMake})
