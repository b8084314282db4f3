find_path(ORIEL_CUDA_INCLUDE_DIR cuda.h
          HINTS ENV CUDAToolkit_ROOT ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
          PATH_SUFFIXES include
          DOC "Folder of the CUDA Toolkit's headers; the kind cuda needs it")
if(ORIEL_CUDA_INCLUDE_DIR)
  set(found TRUE)
  target_sources(oriel_kinds PRIVATE cuda/devices.cpp cuda/library.cpp cuda/runtime.cpp)
  target_include_directories(oriel_kinds SYSTEM PRIVATE ${ORIEL_CUDA_INCLUDE_DIR})
  oriel_embed_device_code(oriel_kinds SOURCE atomic_kernels.cu SYMBOL oriel_atomic_kernels)
endif()
