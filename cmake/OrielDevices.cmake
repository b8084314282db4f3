# What the vendors' files need: headers only; the libraries are loaded when the program runs.
# Without a vendor's headers its kind is absent from the build, and why_absent says so.
find_path(ORIEL_CUDA_INCLUDE_DIR cuda.h
          HINTS ENV CUDAToolkit_ROOT ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
          PATH_SUFFIXES include
          DOC "Folder of the CUDA Toolkit's headers; the kind cuda needs it")

find_path(ORIEL_HIP_INCLUDE_DIR hip/hip_runtime_api.h
          HINTS ENV ROCM_PATH ENV HIP_PATH /opt/rocm
          PATH_SUFFIXES include
          DOC "Folder of HIP's headers; the kind rocm needs it")
find_program(ORIEL_HIPCC hipcc
             HINTS ENV ROCM_PATH ENV HIP_PATH /opt/rocm
             PATH_SUFFIXES bin
             DOC "HIP's compiler; atomics on memory of AMD's devices need it")
set(ORIEL_HIP_ARCHITECTURES gfx906 gfx908 gfx90a CACHE STRING
    "AMD's architectures that the atomics' kernel is compiled for")

find_path(ORIEL_LEVEL_ZERO_INCLUDE_DIR level_zero/ze_api.h
          DOC "Folder of Level Zero's headers; the kind level_zero needs it")
