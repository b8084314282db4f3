// Scopes of operations inside kernels: the threads that perform one together (device.cuh).
#pragma once

namespace oriel::scope {

// One thread by itself.
struct thread {};
// All threads of the warp (of AMD's wavefront), converged.
struct warp {};
// All threads of the block.
struct block {};

}  // namespace oriel::scope
