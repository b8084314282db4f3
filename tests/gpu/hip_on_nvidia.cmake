# The kind rocm on an NVIDIA GPU: its files with HIP's header over CUDA's runtime, under the suite of
# every vendor's runtime. They stand for themselves, since liboriel has the kind's other form.
if(NOT ORIEL_HIP_INCLUDE_DIR)
  message(STATUS "GPU checks of the kind rocm: no, without HIP's headers (ORIEL_HIP_INCLUDE_DIR)")
  return()
endif()
find_library(ORIEL_CUDA_STUB cuda HINTS ${ORIEL_CUDA_INCLUDE_DIR}/.. PATH_SUFFIXES lib64/stubs
             lib/stubs targets/x86_64-linux/lib/stubs DOC "What stands for the driver when linking")

set(kinds ${PROJECT_SOURCE_DIR}/kinds)
add_library(oriel_gpu_rocm OBJECT
  ${PROJECT_SOURCE_DIR}/include/failure_note.cpp ${PROJECT_SOURCE_DIR}/include/names.cpp
  ${kinds}/classify.cpp ${kinds}/copy.cpp ${kinds}/device_kind.cpp ${kinds}/runtimes.cpp
  ${kinds}/rocm/kernels.cpp ${kinds}/rocm/library.cpp
  ${kinds}/rocm/runtime.cpp ${kinds}/vendor_library.cpp)
set(image ${PROJECT_BINARY_DIR}/kinds/oriel_atomic_kernels.fatbin)
add_dependencies(oriel_gpu_rocm oriel_kinds)
oriel_embed_file(oriel_gpu_rocm FILE ${image} SYMBOL oriel_rocm_kernels ALIGN 4096)
target_compile_definitions(oriel_gpu_rocm PRIVATE __HIP_PLATFORM_NVIDIA__ ORIEL_HAS_cuda=0
                           ORIEL_HAS_rocm=1 ORIEL_HAS_level_zero=0 ORIEL_KIND_FOLDERS=3
                           ORIEL_ROCM_KERNELS=1)
target_include_directories(oriel_gpu_rocm PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_include_directories(oriel_gpu_rocm SYSTEM PRIVATE ${ORIEL_CUDA_INCLUDE_DIR})
target_compile_options(oriel_gpu_rocm PRIVATE -idirafter ${ORIEL_HIP_INCLUDE_DIR}
                       -include ${PROJECT_SOURCE_DIR}/tests/drivers/hip_on_nvidia.hpp)
target_link_libraries(oriel_gpu_rocm PRIVATE oriel_flags)

oriel_gpu_suite(gpu-runtime-rocm ${runtime_suite} $<TARGET_OBJECTS:oriel_gpu_rocm>)
add_executable(gpu-peer-rocm ${tests}/kinds/device_peer.cpp $<TARGET_OBJECTS:oriel_gpu_rocm>)
target_include_directories(gpu-peer-rocm PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(gpu-peer-rocm PRIVATE oriel_gpu_gtest oriel_flags)
foreach(program gpu-runtime-rocm gpu-peer-rocm)
  target_link_libraries(${program} PRIVATE ${ORIEL_CUDART_STATIC} ${ORIEL_CUDA_STUB}
                        Threads::Threads ${CMAKE_DL_LIBS} rt)
  # Not to the stub, which only says that there is no driver.
  set_target_properties(${program} PROPERTIES SKIP_BUILD_RPATH ON)
endforeach()
# HIP over CUDA does not tell managed memory from a device's.
oriel_gpu_test(gpu.runtime.rocm COMMAND gpu-runtime-rocm
               ENVIRONMENT ORIEL_TEST_VENDOR=rocm ORIEL_TEST_PEER=$<TARGET_FILE:gpu-peer-rocm>
                           GTEST_FILTER=-device_test.ClassifiesAnyByteOfAnAllocation)
