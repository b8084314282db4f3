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

if(ORIEL_HIP_INCLUDE_DIR)
  set(found TRUE)
  target_sources(oriel_kinds PRIVATE rocm/devices.cpp rocm/kernels.cpp rocm/library.cpp rocm/runtime.cpp)
  target_include_directories(oriel_kinds SYSTEM PRIVATE ${ORIEL_HIP_INCLUDE_DIR})
  target_compile_definitions(oriel_kinds PRIVATE __HIP_PLATFORM_AMD__)
  if(ORIEL_HIPCC)
    # One bundle for all architectures; the runtime takes from it what its device understands.
    set(image ${CMAKE_CURRENT_BINARY_DIR}/rocm_kernels.bundle)
    list(TRANSFORM ORIEL_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE architectures)
    file(GLOB device_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/oriel/detail/*.cuh)
    add_custom_command(OUTPUT ${image}
      COMMAND ${ORIEL_HIPCC} --genco -O3 -std=c++20 -include hip/hip_runtime.h -x hip
              ${architectures} -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include
              ${CMAKE_CURRENT_SOURCE_DIR}/atomic_kernels.cu -o ${image}
      DEPENDS atomic_kernels.cu atomic_kernel_body.cuh atomic_task.hpp ${device_headers}
      COMMENT "Compiling device code for HIP" VERBATIM)
    # Bundles of device code begin at a page.
    oriel_embed_file(oriel_kinds FILE ${image} SYMBOL oriel_rocm_kernels ALIGN 4096)
    set_source_files_properties(rocm/kernels.cpp PROPERTIES COMPILE_DEFINITIONS ORIEL_ROCM_KERNELS=1)
  endif()
endif()
