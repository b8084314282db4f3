// Every bulk operation, every operation of a thread and a live map, so that nvcc compiles them all.
#include "oriel/hash_map.cuh"
#include "oriel/hash_map.hpp"

namespace {

using word = unsigned long long;
struct wide {
  word a, b, c;
};

template <class K, class V, oriel::slot_layout L>
__global__ void each_operation(oriel::hash_map_ref<K, V, oriel::phase_kind::mixed, L> table, K key,
                               V* value) {
  table.insert(key, *value);
  table.insert_or_assign(key, *value);
  table.find(key, *value);
  table.erase(key);
}

template <class K, class V, oriel::slot_layout L = oriel::slot_layout::automatic>
oriel::errc use(std::uint64_t* const* parts, const K* keys, V* values, bool* found,
                unsigned long long* failures, std::size_t n, cudaStream_t stream) {
  using oriel::phase_kind;
  const oriel::hash_map_ref<K, V, phase_kind::insert_only, L> in(parts, 2, 1024);
  insert(in, keys, values, n, failures, stream);
  insert_or_assign(in, keys, values, n, failures, stream);
  if constexpr (std::integral<V>) fetch_add(in, keys, values, n, failures, stream);
  const oriel::hash_map_ref<K, V, phase_kind::mixed, L> both(parts, 2, 1024);
  insert(both, keys, values, n, failures, stream);
  if constexpr (std::integral<V>) fetch_add(both, keys, values, n, failures, stream);
  each_operation<<<1, 1, 0, stream>>>(both, *keys, values);
  const oriel::hash_map_ref<K, V, phase_kind::find_only, L> out(parts, 2, 1024);
  return find(out, keys, values, found, n, failures, stream);
}

}  // namespace

oriel::errc use_all(std::uint64_t* const* parts, const word* keys, word* values, wide* wides,
                    bool* found, unsigned long long* failures, std::size_t n, cudaStream_t stream) {
  use<word, word>(parts, keys, values, found, failures, n, stream);
  use<word, word, oriel::slot_layout::general>(parts, keys, values, found, failures, n, stream);
  return use<word, wide>(parts, keys, wides, found, failures, n, stream);
}

// A live map, as docs/HASH_MAP.md has it.
__global__ void count_keys(
    oriel::hash_map_ref<std::uint64_t, std::uint64_t, oriel::phase_kind::insert_only> table,
    const std::uint64_t* keys, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::uint64_t before;
  if (i < n) table.fetch_add(keys[i], 1, before);
}

std::uint64_t use_map(const oriel::team& world, const std::uint64_t* keys, std::size_t n,
                      cudaStream_t stream) {
  oriel::hash_map<std::uint64_t, std::uint64_t> map(world, n, {.memory_kind = "cuda:device"});
  {
    auto p = map.insert_only();
    count_keys<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(p.ref(), keys, n);
    cudaStreamSynchronize(stream);
  }
  auto p = map.mixed();
  p.insert({keys, n}, {keys, n});
  p.erase({keys, n});
  return p.find(*keys).value_or(0);
}
