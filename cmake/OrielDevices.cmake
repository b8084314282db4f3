# What the vendors' files need: headers only; the libraries are loaded when the program runs.
# Without a vendor's headers its kind is absent from the build, and why_absent says so.
find_path(ORIEL_CUDA_INCLUDE_DIR cuda.h
          HINTS ENV CUDAToolkit_ROOT ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
          PATH_SUFFIXES include
          DOC "Folder of the CUDA Toolkit's headers; the kind cuda needs it")
