// How the threads of a scope synchronize. Files that use these functions depend on no machine.
#pragma once

#include <cstddef>
#include <type_traits>

#include "oriel/device_marks.hpp"
#include "oriel/scope.hpp"

namespace oriel::detail::device {

template <class S>
concept some_scope = std::is_same_v<S, scope::thread> || std::is_same_v<S, scope::warp> ||
    std::is_same_v<S, scope::block>;

// A thread's place in its scope. On the host every scope is one thread.
struct membership {
  unsigned index = 0;
  unsigned size = 1;
  [[nodiscard]] ORIEL_DEVICE bool leads() const noexcept { return index == 0; }
};

#if defined(ORIEL_DEVICE_CUDA) || defined(ORIEL_DEVICE_HIP)
// Bytes that can be handed from a block's leader to its threads at once.
inline constexpr std::size_t handout_bytes = 64;

ORIEL_DEVICE inline membership block_membership() noexcept {
  return {threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z),
          blockDim.x * blockDim.y * blockDim.z};
}
#endif

template <some_scope S>
ORIEL_DEVICE inline membership member(S) noexcept {
#if defined(ORIEL_DEVICE_CUDA) || defined(ORIEL_DEVICE_HIP)
  if constexpr (std::is_same_v<S, scope::block>) {
    return block_membership();
  } else if constexpr (std::is_same_v<S, scope::warp>) {
    const membership all = block_membership();
    const unsigned lanes = static_cast<unsigned>(warpSize);
    const unsigned lane = all.index % lanes;
    const unsigned before = all.index - lane;  // threads of the block's earlier warps
    return {lane, all.size - before < lanes ? all.size - before : lanes};
  }
#endif
  return {};
}

// A barrier of the scope; what each thread did before is visible to all of them.
template <some_scope S>
ORIEL_DEVICE inline void sync(S) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  if constexpr (std::is_same_v<S, scope::block>) __syncthreads();
  if constexpr (std::is_same_v<S, scope::warp>) __syncwarp();
#elif defined(ORIEL_DEVICE_HIP)
  if constexpr (std::is_same_v<S, scope::block>) __syncthreads();
  if constexpr (std::is_same_v<S, scope::warp>) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront");
    __builtin_amdgcn_wave_barrier();
  }
#endif
}

#if defined(ORIEL_DEVICE_CUDA) || defined(ORIEL_DEVICE_HIP)
ORIEL_DEVICE inline unsigned from_first_lane(unsigned piece) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  return __shfl_sync(0xffffffffu, piece, 0);
#else
  return static_cast<unsigned>(__builtin_amdgcn_readfirstlane(static_cast<int>(piece)));
#endif
}
#endif

// Returns the leader's value, on every thread of the scope, each of which sees from then on what
// the leader has seen. At most 64 bytes.
template <some_scope S, class T>
ORIEL_DEVICE inline T from_leader(S s, const T& value) noexcept {
#if defined(ORIEL_DEVICE_CUDA) || defined(ORIEL_DEVICE_HIP)
  static_assert(sizeof(T) <= handout_bytes);
  T copy = value;
  if constexpr (std::is_same_v<S, scope::warp>) {
    unsigned pieces[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(pieces, static_cast<const void*>(&value), sizeof(T));
    sync(s);  // a shuffle orders nothing
    for (unsigned& piece : pieces) piece = from_first_lane(piece);
    __builtin_memcpy(static_cast<void*>(&copy), pieces, sizeof(T));
  } else if constexpr (std::is_same_v<S, scope::block>) {
    __shared__ unsigned long long handout[handout_bytes / sizeof(unsigned long long)];
    sync(s);  // the previous value has been read
    if (member(s).leads()) __builtin_memcpy(handout, static_cast<const void*>(&value), sizeof(T));
    sync(s);
    __builtin_memcpy(static_cast<void*>(&copy), handout, sizeof(T));
  }
  return copy;
#else
  static_cast<void>(s);
  return value;
#endif
}

}  // namespace oriel::detail::device
