// Bulk operations of hash_map_ref: kernels, and the host functions that launch them on a stream of
// the compiler's runtime. HIP programs include hip/hip_runtime.h before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/hash_map/ref.cuh"

namespace oriel {

namespace detail {

inline constexpr unsigned keys_a_block = 512;

template <class Ref>
__global__ void __launch_bounds__(keys_a_block)
    find_kernel(Ref table, const typename Ref::key_type* keys, typename Ref::mapped_type* values,
                bool* found, std::size_t n, unsigned long long* failures) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  typename Ref::mapped_type value;
  const slot_answer answer = table.find(keys[i], value);
  const bool is = answer == slot_answer::present;
  if (is) values[i] = value;
  if (found != nullptr) found[i] = is;
  if (answer > slot_answer::present) atomicAdd(failures, 1ull);
}

template <class Ref, class Work>
__global__ void __launch_bounds__(keys_a_block)
    write_kernel(Ref table, Work work, std::size_t n, unsigned long long* failures) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && work(table, i) > slot_answer::present) atomicAdd(failures, 1ull);
}

inline errc launched() {
#if defined(__CUDACC__)
  return cudaGetLastError() == cudaSuccess ? errc::success : errc::system;
#else
  return hipGetLastError() == hipSuccess ? errc::success : errc::system;
#endif
}
inline unsigned blocks_of(std::size_t n, unsigned each) {
  return static_cast<unsigned>((n + each - 1) / each);
}

template <class K, class V>
struct insert_work {
  const K* keys;
  const V* values;
  template <class Ref>
  __device__ slot_answer operator()(const Ref& table, std::size_t i) const {
    return table.insert(keys[i], values[i]);
  }
};
template <class K, class V>
struct assign_work {
  const K* keys;
  const V* values;
  template <class Ref>
  __device__ slot_answer operator()(const Ref& table, std::size_t i) const {
    return table.insert_or_assign(keys[i], values[i]);
  }
};
template <class K, class V>
struct add_work {
  const K* keys;
  const V* values;
  template <class Ref>
  __device__ slot_answer operator()(const Ref& table, std::size_t i) const {
    V before;
    return table.fetch_add(keys[i], values[i], before);
  }
};

template <template <class, class> class Work, class Ref, class Stream>
errc launch_writes(const Ref& table, const typename Ref::key_type* keys,
                   const typename Ref::mapped_type* values, std::size_t n,
                   unsigned long long* failures, Stream stream) {
  if (n == 0) return errc::success;
  using work = Work<typename Ref::key_type, typename Ref::mapped_type>;
  write_kernel<<<blocks_of(n, keys_a_block), keys_a_block, 0, stream>>>(table, work{keys, values},
                                                                        n, failures);
  return launched();
}

}  // namespace detail

// Requires: arrays of n elements (below 2^39) in memory that the device reaches, which the program
// does not use until the stream has run the kernel. Return system when the runtime refuses the
// launch.

// `*failures`, in memory of the device, grows by the number of keys that found no room, are
// reserved, or whose slot stalled.

// values[i] receives the value of keys[i] where it is present; found[i], unless `found` is null,
// whether it is: a key that failed is neither present nor known to be absent.
template <class K, class V, phase_kind P, slot_layout L, class Stream>
errc find(const hash_map_ref<K, V, P, L>& table, const K* keys, V* values, bool* found,
          std::size_t n, unsigned long long* failures, Stream stream) {
  if (n == 0) return errc::success;
  const unsigned blocks = detail::blocks_of(n, detail::keys_a_block);
  detail::find_kernel<<<blocks, detail::keys_a_block, 0, stream>>>(table, keys, values, found, n,
                                                                   failures);
  return detail::launched();
}
template <class K, class V, phase_kind P, slot_layout L, class Stream>
errc insert(const hash_map_ref<K, V, P, L>& table, const K* keys, const V* values, std::size_t n,
            unsigned long long* failures, Stream stream) {
  return detail::launch_writes<detail::insert_work>(table, keys, values, n, failures, stream);
}
template <class K, class V, phase_kind P, slot_layout L, class Stream>
errc insert_or_assign(const hash_map_ref<K, V, P, L>& table, const K* keys, const V* values,
                      std::size_t n, unsigned long long* failures, Stream stream) {
  return detail::launch_writes<detail::assign_work>(table, keys, values, n, failures, stream);
}
template <class K, class V, phase_kind P, slot_layout L, class Stream>
errc fetch_add(const hash_map_ref<K, V, P, L>& table, const K* keys, const V* operands,
               std::size_t n, unsigned long long* failures, Stream stream) {
  return detail::launch_writes<detail::add_work>(table, keys, operands, n, failures, stream);
}

}  // namespace oriel
