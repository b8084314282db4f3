#!/usr/bin/python3
"""packages.py BUILD SOURCE PYTHON_FOLDER: debian/ has a package for every file that BUILD installs, and nothing
else; versions agree; liboriel_c.so shows the functions that debian/liboriel0.symbols promises.

Packages are built by dpkg-buildpackage alone; this finds in a second what would fail there."""

import fnmatch
import glob
import os
import re
import subprocess
import sys
import tempfile

build, source, python_folder = sys.argv[1:]
wrong = []


def lines(name):
    with open(os.path.join(source, name), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def installed():
    """Paths as on Debian, where the library is shared and folders have the processor's name."""
    with tempfile.TemporaryDirectory() as root:
        subprocess.run(["cmake", "--install", build, "--prefix", "/usr"], env={**os.environ, "DESTDIR": root},
                       check=True, stdout=subprocess.DEVNULL)
        found = [os.path.relpath(os.path.join(folder, name), root)
                 for folder, _, names in os.walk(root) for name in names]
    for path in found:
        path = path.replace("usr/" + python_folder, "usr/lib/python3/dist-packages")
        if path.startswith("usr/lib/") and not path.startswith("usr/lib/python3/"):
            path = re.sub(r"^usr/lib/(x86_64-linux-gnu/|aarch64-linux-gnu/)?", "usr/lib/processor/", path)
        if path.endswith("/liboriel.a"):
            yield path[:-1] + "so"
            path = path[:-1] + "so.0"
        yield path


def covers(pattern, path):
    """Whether `pattern` is of `path` or of a folder above it."""
    wanted, parts = pattern.split("/"), path.split("/")
    return len(wanted) <= len(parts) and all(map(fnmatch.fnmatch, parts, wanted))


def check_files():
    patterns = {}
    for name in glob.glob(os.path.join(source, "debian", "*.install")) + [os.path.join(source, "debian/not-installed")]:
        for pattern in lines(name):
            patterns[pattern] = os.path.basename(name)
    paths = sorted(installed())
    if len(paths) < 50:
        wrong.append(f"only {len(paths)} files are installed")
    for path in paths:
        holders = {patterns[pattern] for pattern in patterns if covers(pattern, path)}
        if len(holders) != 1:
            wrong.append(f"{path} belongs to one package, not to {sorted(holders) or 'none'}")
    for pattern, holder in patterns.items():
        if not any(covers(pattern, path) for path in paths):
            wrong.append(f"debian/{holder}: nothing is installed as {pattern}")


def check_versions():
    version = re.search(r"project\(oriel VERSION (\S+)", "\n".join(lines("CMakeLists.txt"))).group(1)
    changelog = re.match(r"oriel \((\S+)\)", lines("debian/changelog")[0]).group(1)
    citation = next(line.split()[1] for line in lines("CITATION.cff") if line.startswith("version:"))
    for name, other in (("debian/changelog", changelog.split("-")[0]), ("CITATION.cff", citation)):
        if other != version:
            wrong.append(f"{name} is of version {other}, CMakeLists.txt of {version}")
    library = "Package: liboriel" + version.split(".")[0]
    if library not in lines("debian/control"):
        wrong.append(f"debian/control has no '{library}', which the soname wants")


def check_symbols():
    text = "\n".join(lines("debian/liboriel0.symbols"))
    promised = set(re.findall(r"^ (\w+)@Base ", text[text.index("liboriel_c.so"):], re.M))
    table = subprocess.run(["nm", "-D", "--defined-only", os.path.join(build, "liboriel_c.so")], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    shown = {line.split()[-1] for line in table.splitlines()}
    for name in sorted(promised - shown):
        wrong.append(f"liboriel_c.so lacks {name}, which programs may use: that takes another major version")
    for name in sorted(shown - promised):
        wrong.append(f"liboriel_c.so shows {name}, which debian/liboriel0.symbols does not have")


check_files()
check_versions()
check_symbols()
if wrong:
    sys.exit("\n".join(wrong))
