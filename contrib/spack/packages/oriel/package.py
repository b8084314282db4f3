"""oriel for Spack: `spack repo add contrib/spack`, and then `spack install oriel+python`."""

import os

from spack.package import *


class Oriel(CMakePackage):
    """One-sided communication in typed windows that carry assertions: what a window promises is decided when it is
    built, and an operation is what is left. Shared memory within a node, libfabric between nodes."""

    # The clone that this recipe lies in.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("shared", default=True, description="Build a shared library")
    variant("fabric", default=True, description="Connect nodes, through libfabric")
    variant("hwloc", default=True, description="Read the machine's topology through hwloc")
    variant("sodium", default=True, description="Let ranks prove that they know the job's secret")
    variant("tools", default=True, description="Build oriel-run, oriel-hosts, oriel-info and oriel-trace")
    variant("mpi", default=False, description="Build the face of MPI's calls, for MPICH or Open MPI")
    variant("shmem", default=False, description="Build the face of OpenSHMEM's calls")
    variant("python", default=False, description="Build the Python module")
    variant("cuda", default=False, description="Memory of CUDA devices, and kernels for their atomics")
    variant("rocm", default=False, description="Memory of HIP devices")
    variant("level_zero", default=False, description="Memory of Level Zero devices")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("libfabric@1.17:", when="+fabric")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("libsodium", when="+sodium")
    depends_on("fmt", when="+tools")
    depends_on("cli11", when="+tools")
    depends_on("nlohmann-json", when="+tools")
    depends_on("mpi", when="+mpi")
    depends_on("cuda", when="+cuda")
    depends_on("hip", when="+rocm")
    depends_on("oneapi-level-zero", when="+level_zero")

    with when("+python"):
        extends("python@3.9:")
        depends_on("py-pybind11@2.10:", type="build")
        depends_on("py-numpy", type=("build", "run"))

    requires("^mpich", "^openmpi", policy="one_of", when="+mpi", msg="the MPI face is for MPICH or Open MPI")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("ORIEL_TESTS", False),
            self.define("ORIEL_BENCH", False),
            self.define("ORIEL_EXAMPLES", False),
            self.define("ORIEL_WARNINGS_ARE_ERRORS", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("ORIEL_WITH_FABRIC", "fabric"),
            self.define_from_variant("ORIEL_WITH_HWLOC", "hwloc"),
            self.define_from_variant("ORIEL_WITH_SODIUM", "sodium"),
            self.define_from_variant("ORIEL_TOOLS", "tools"),
            self.define_from_variant("ORIEL_MPI", "mpi"),
            self.define_from_variant("ORIEL_SHMEM", "shmem"),
            self.define_from_variant("ORIEL_PYTHON", "python"),
        ]
        # What CMake finds on the machine, and the spec has not asked for, stays out.
        for variant, found in (("cuda", ("ORIEL_CUDA_INCLUDE_DIR", "ORIEL_NVCC")),
                               ("rocm", ("ORIEL_HIP_INCLUDE_DIR", "ORIEL_HIPCC")),
                               ("level_zero", ("ORIEL_LEVEL_ZERO_INCLUDE_DIR",))):
            if not self.spec.satisfies("+" + variant):
                args += [self.define(name, False) for name in found]
        if self.spec.satisfies("+python"):
            args.append(self.define("ORIEL_PYTHON_INTERPRETER", self.spec["python"].command.path))
        return args
