"""spack_recipe.py SOURCE: Spack's recipe, run with its directives written down instead of performed: each variant is used,
and CMake has each variable that it defines."""

import contextlib
import glob
import itertools
import os
import re
import sys
import types

source = sys.argv[1]
variants, conditions = {}, []


class Spec(dict):
    def satisfies(self, text):
        assert text[0] in "+~" and text[1:] in variants, f"no variant {text}"
        conditions.append(text)
        return self[text[1:]] == (text[0] == "+")


class Python:
    command = types.SimpleNamespace(path="/usr/bin/python3")


class CMakePackage:
    def __init__(self, chosen):
        self.spec = Spec(chosen, python=Python) if chosen["python"] else Spec(chosen)
        self.spec.__dict__.update(chosen)

    def define(self, name, value):
        return name, value

    def define_from_variant(self, name, variant):
        conditions.append("+" + variant)
        return name, self.spec.__dict__[variant]


@contextlib.contextmanager
def when(condition):
    conditions.append(condition)
    yield


def directive(*_, when=None, **__):
    if when:
        conditions.append(when)


package = types.ModuleType("spack.package")
package.CMakePackage, package.when = CMakePackage, when
package.variant = lambda name, **about: variants.__setitem__(name, about)
for name in ("license", "version", "depends_on", "extends", "requires", "conflicts", "generator"):
    setattr(package, name, directive)
sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": package})

recipe = {"__file__": os.path.join(source, "contrib/spack/packages/oriel/package.py"), "__name__": "recipe"}
with open(recipe["__file__"], encoding="utf-8") as file:
    exec(compile(file.read(), recipe["__file__"], "exec"), recipe)
recipe = recipe["Oriel"]
assert os.path.samefile(recipe.git.removeprefix("file://"), source), recipe.git

lists = glob.glob(source + "/*/**/*.cmake", recursive=True) + glob.glob(source + "/*/**/CMakeLists.txt", recursive=True)
lists = [name for name in lists if "/build-" not in name] + [source + "/CMakeLists.txt"]
known = {"BUILD_SHARED_LIBS"}
for name in lists:
    with open(name, encoding="utf-8") as file:
        known.update(re.findall(r"(?:option|find_program|find_path)\(\s*(\w+)", file.read()))

arguments = {}
for values in itertools.product((True, False), repeat=len(variants)):
    chosen = dict(zip(variants, values))
    arguments[values] = dict(recipe(chosen).cmake_args())
    unknown = arguments[values].keys() - known
    assert not unknown, f"CMake has no {sorted(unknown)}"
    for kind, variable in (("cuda", "ORIEL_NVCC"), ("rocm", "ORIEL_HIP_INCLUDE_DIR"), ("mpi", "ORIEL_MPI")):
        assert chosen[kind] or arguments[values].get(variable) is False, f"~{kind} builds it all the same"
unused = [name for name in variants if not any(re.fullmatch(r"[+~]" + name, c) for c in conditions)]
assert not unused, f"nothing depends on the variants {unused}"
