// Memory that alloc_mem gave and has not got back, of whatever kind. What is left when the session
// ends is released with it. Threads: any.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <unordered_map>

#include "kinds/device_runtime.hpp"
#include "oriel/errc.hpp"
#include "session/node/node_memory.hpp"
#include "sync/system.hpp"

namespace oriel::sessions {

class given_memory {
 public:
  given_memory() = default;
  given_memory(const given_memory&) = delete;
  given_memory& operator=(const given_memory&) = delete;
  ~given_memory() { release_all(); }

  // Zeroed bytes, at least one, at a multiple of `alignment`, a power of two. They throw no_mem,
  // and what the runtime throws. What memory is taken from must outlive it.
  std::span<std::byte> from_node(node_memory&, std::size_t bytes, std::size_t alignment);
  std::span<std::byte> from_system(std::size_t bytes, std::size_t alignment);
  std::span<std::byte> from_device(kinds::device_runtime&, int device, kinds::residence,
                                   std::size_t bytes, std::size_t alignment);

  // errc::base when nothing that is still given begins there.
  errc take_back(const std::byte* begin) noexcept;
  // Whether something that is still given begins at `p`.
  [[nodiscard]] bool begins_at(const void* p) const noexcept;
  // Whether `p` points into something that is still given: looks at all of it.
  [[nodiscard]] bool holds(const void* p) const noexcept;
  void release_all() noexcept;

 private:
  struct block {
    std::size_t bytes;
    std::function<void()> release;
  };
  std::span<std::byte> keep(std::byte* begin, const block&);

  mutable sync::mutex threads_;
  std::unordered_map<const std::byte*, block> blocks_;
};

}  // namespace oriel::sessions
