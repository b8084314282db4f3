# Builds in WORK what `./run gpu` builds, on a machine that seems to have no other package, and runs
# on the test driver in DRIVER what needs no kernel of its own. Kernels' programs must link.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(failed)
    message(FATAL_ERROR "${ARGN} failed:\n${out}")
  endif()
endfunction()

set(hidden)
foreach(package fmt CLI11 nlohmann_json GTest benchmark PkgConfig)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_COMPILER=${COMPILER} -DORIEL_NVCC=${NVCC} -DORIEL_CUDA_ARCHITECTURES=${ARCHITECTURE}
    -DORIEL_GPU=ON -DORIEL_TESTS=OFF -DORIEL_BENCH=OFF -DORIEL_EXAMPLES=OFF -DORIEL_TOOLS=OFF
    -DORIEL_WITH_FABRIC=OFF -DORIEL_WITH_HWLOC=OFF -DORIEL_WITH_SODIUM=OFF ${hidden})
# The programs of other folders are compiled by tests of their own.
set(programs gpu-bench gpu-kernels gpu-runtime gpu-peer gpu-conformance gpu-device
    gpu-device_epochs gpu-session)
if(HIP)
  list(APPEND programs gpu-runtime-rocm gpu-peer-rocm)
endif()
run(${CMAKE_COMMAND} --build ${WORK} --target ${programs})

set(ENV{LD_LIBRARY_PATH} ${DRIVER})
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK} --no-tests=error --output-on-failure
    -R "^gpu\\.(runtime\\.cuda|conformance|device|device_epochs|session)$")

# A job on two nodes is told what this build lacks.
set(ENV{ORIEL_MEMORY_ALLOC_KINDS} mpi,system)
set(ENV{ORIEL_TEST_KIND} cuda)
execute_process(COMMAND ${SOURCE}/tests/gpu/two_ranks.sh bash -c
                "ORIEL_NODE_ID=$ORIEL_RANK exec ${WORK}/tests/gpu/gpu-kernels"
                RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out TIMEOUT 60)
if(NOT failed OR NOT out MATCHES "ORIEL_WITH_FABRIC=OFF")
  message(FATAL_ERROR "two nodes without a fabric: '${failed}', and told:\n${out}")
endif()
