#include "session/node/given_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace oriel::sessions {
namespace {

// Vendors align what they allocate to this and more.
constexpr std::size_t vendors_alignment = 256;

std::size_t padded(std::size_t bytes, std::size_t padding) {
  if (bytes > std::numeric_limits<std::size_t>::max() - padding)
    throw error(errc::no_mem, std::to_string(bytes) + " bytes are more than any memory");
  return bytes + padding;
}

std::byte* aligned(std::byte* p, std::size_t alignment) {
  const auto rest = reinterpret_cast<std::uintptr_t>(p) & (alignment - 1);
  return rest == 0 ? p : p + (alignment - rest);
}

}  // namespace

std::span<std::byte> given_memory::keep(std::byte* begin, const block& b) {
  const std::size_t bytes = b.bytes;
  try {
    const std::lock_guard hold(threads_);
    blocks_.emplace(begin, b);
  } catch (const std::bad_alloc&) {
    b.release();
    throw error(errc::no_mem, "no memory is left to note an allocation in");
  }
  return {begin, bytes};
}

std::span<std::byte> given_memory::from_node(node_memory& node, std::size_t bytes,
                                             std::size_t alignment) {
  const std::uint64_t offset = node.allocate(bytes, alignment, /*populate=*/false);
  return keep(node.base() + offset, {bytes, [&node, offset] { node.release(offset); }});
}

std::span<std::byte> given_memory::from_system(std::size_t bytes, std::size_t alignment) {
  const std::size_t whole = padded(bytes, alignment - 1) & ~(alignment - 1);
  auto* const begin = static_cast<std::byte*>(std::aligned_alloc(alignment, whole));
  if (begin == nullptr)
    throw error(errc::no_mem, "the system has no " + std::to_string(bytes) + " bytes of memory");
  std::memset(begin, 0, bytes);
  return keep(begin, {bytes, [begin] { std::free(begin); }});
}

std::span<std::byte> given_memory::from_device(kinds::device_runtime& runtime, int device,
                                               kinds::residence where, std::size_t bytes,
                                               std::size_t alignment) {
  const std::size_t padding = alignment > vendors_alignment ? alignment : 0;
  std::byte* const base = runtime.allocate(device, where, padded(bytes, padding));
  return keep(aligned(base, alignment), {bytes, [&runtime, base] { runtime.free(base); }});
}

errc given_memory::take_back(const std::byte* begin) noexcept {
  std::unique_lock hold(threads_);
  const auto taken = blocks_.extract(begin);
  hold.unlock();
  if (taken.empty()) return errc::base;
  taken.mapped().release();
  return errc::success;
}

bool given_memory::begins_at(const void* p) const noexcept {
  const std::lock_guard hold(threads_);
  return blocks_.contains(static_cast<const std::byte*>(p));
}

bool given_memory::holds(const void* p) const noexcept {
  const auto* const at = static_cast<const std::byte*>(p);
  const std::lock_guard hold(threads_);
  return std::any_of(blocks_.begin(), blocks_.end(), [at](const auto& given) {
    return given.first <= at && at < given.first + given.second.bytes;
  });
}

void given_memory::release_all() noexcept {
  for (const auto& [begin, b] : blocks_) b.release();
  blocks_.clear();
}

}  // namespace oriel::sessions
