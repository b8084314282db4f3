"""The stub names what the module has, no more and no less."""

import ast
import enum
import pathlib

import oriel


def names_of(body):
    found = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found.update(t.id for t in node.targets)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
    return found


def public(of):
    return {n for n in vars(of) if not n.startswith("__") or n in ("__dlpack__", "__dlpack_device__")}


def test_stub():
    folder = pathlib.Path(oriel.__file__).parent
    assert (folder / "py.typed").exists()
    stub = ast.parse((folder / "__init__.pyi").read_text())
    stated = {name for name in names_of(stub.body) if not name.startswith("_")}
    assert stated == set(oriel.__all__)
    for node in stub.body:
        if not isinstance(node, ast.ClassDef):
            continue
        real = getattr(oriel, node.name)
        if issubclass(real, enum.Enum):
            assert names_of(node.body) == set(real.__members__), node.name
        elif not issubclass(real, Exception):
            special = {"__init__", "__enter__", "__exit__", "__len__"}
            stated = names_of(node.body) - {"__buffer__"}  # which Python 3.12 shows, and has before
            assert stated - special == public(real), node.name
            assert stated & special <= set(dir(real)), node.name
