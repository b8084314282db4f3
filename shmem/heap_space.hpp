// Which parts of the symmetric heap are taken. Every PE makes the same calls in the same order, and
// so comes to the same offsets without a message. Threads: one at a time.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace oriel::shmem {

class heap_space {
 public:
  // Offsets and sizes are multiples of it: no two allocations share a cache line.
  static constexpr std::size_t granule = 64;

  explicit heap_space(std::size_t bytes);

  // Returns the offset of `bytes` free bytes, at least one, at a multiple of `alignment`, a power
  // of two: in the smallest free part that has them, of several the first. Nothing where none has.
  std::optional<std::size_t> take(std::size_t bytes, std::size_t alignment = granule);
  // Returns false where nothing that is taken begins at `offset`.
  bool give_back(std::size_t offset);
  // Makes what begins at `offset` so long, where it is. Returns false where it has no room to grow.
  // Requires: something that is taken begins there.
  bool resize(std::size_t offset, std::size_t bytes);
  // Returns the bytes taken at `offset`, whole granules; nothing where nothing begins there.
  [[nodiscard]] std::optional<std::size_t> size_at(std::size_t offset) const;

 private:
  using parts = std::map<std::size_t, std::size_t>;  // bytes by offset
  void add_free(std::size_t offset, std::size_t bytes);
  void drop_free(parts::iterator part);

  parts free_;
  std::set<std::pair<std::size_t, std::size_t>> by_size_;  // bytes and offset of the free parts
  parts taken_;
};

}  // namespace oriel::shmem
