#include "tests/drivers/ptx/memory.hpp"

#include <cstdio>
#include <string>

#include "tests/drivers/device_heap.hpp"
#include "tests/drivers/ptx/machine.hpp"

namespace oriel::test_driver::ptx {
namespace {

std::string hexadecimal(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

[[noreturn]] void refuse(const instruction& i, const char* what, std::uint64_t address,
                         std::size_t bytes) {
  throw error(i.line, std::string(what) + ": " + std::to_string(bytes) + " bytes at " +
                          hexadecimal(address));
}

}  // namespace

bool memory_ranges::is_current() const {
  return version_ == device_heap::instance().version();
}

memory_ranges::place memory_ranges::look_up(std::uint64_t address, std::size_t bytes) {
  auto& heap = device_heap::instance();
  if (!is_current()) known_.clear();
  version_ = heap.version();
  const auto* const p = std::bit_cast<const void*>(address);
  auto found = heap.find(p);
  if (!found) found = heap.find_pinned(p);
  if (!found || (found->where == residence::device && !found->opened && found->device != device_ &&
                 (peers_ >> found->device & 1u) == 0))
    return {};
  known_.push_back({std::bit_cast<std::uint64_t>(found->base), found->bytes, found->alias,
                    updates_are_atomic(*found, device_)});
  const std::uint64_t offset = address - known_.back().begin;
  if (found->bytes - offset < bytes) return {};
  return {found->alias + offset, known_.back().atomic};
}

reached reach(thread& t, const instruction& i, std::uint64_t address, std::size_t bytes) {
  if (address % bytes != 0) refuse(i, "misaligned", address, bytes);
  block& b = *t.in;
  const auto within = [&](const std::byte* begin, std::size_t size) {
    const std::uint64_t offset = address - std::bit_cast<std::uint64_t>(begin);
    return offset < size && size - offset >= bytes;
  };
  auto* const p = std::bit_cast<std::byte*>(address);
  switch (i.where) {
    case space::param:
      return {p};
    case space::shared:
      if (address > b.shared.size() || b.shared.size() - address < bytes)
        refuse(i, "out of the bounds of shared memory", address, bytes);
      return {b.shared.data() + address, false, static_cast<std::uint32_t>(address), true};
    case space::local:
      if (!within(t.stack, t.stack_bytes))
        refuse(i, "out of the bounds of local memory", address, bytes);
      return {p};
    case space::generic:
      if (within(b.shared.data(), b.shared.size()))
        return {p, false, static_cast<std::uint32_t>(p - b.shared.data()), true};
      if (within(t.stack, t.stack_bytes)) return {p};
      break;
    case space::global:
      break;
  }
  const auto [at, atomic] = b.in->memory.reach(address, bytes);
  if (at == nullptr) refuse(i, "out of bounds, or no memory of a kernel's", address, bytes);
  if (i.updates && !atomic)
    refuse(i, "an update over a link without native atomics", address, bytes);
  if (b.in->counter != nullptr && b.in->counter->has(address)) t.touched.access(address, bytes);
  return {at, true};
}

}  // namespace oriel::test_driver::ptx
