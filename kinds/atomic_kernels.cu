// The kernel behind device_runtime::apply: any number of threads and blocks, one dimension. It is
// compiled to a module of its own, which the runtimes load; nothing is linked with device code.
#include "kinds/atomic_kernel_body.cuh"

extern "C" __global__ void oriel_apply(oriel::kinds::atomic_task task) {
  oriel::kinds::apply_share(task, blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x,
                            std::uint64_t{gridDim.x} * blockDim.x);
}
