// Every bulk operation and every operation of a thread, so that nvcc compiles them all.
#include "oriel/hash_map.cuh"

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
  return find(out, keys, values, found, n, stream);
}

}  // namespace

oriel::errc use_all(std::uint64_t* const* parts, const word* keys, word* values, wide* wides,
                    bool* found, unsigned long long* failures, std::size_t n, cudaStream_t stream) {
  use<word, word>(parts, keys, values, found, failures, n, stream);
  use<word, word, oriel::slot_layout::general>(parts, keys, values, found, failures, n, stream);
  return use<word, wide>(parts, keys, wides, found, failures, n, stream);
}
