// What every PE has at an address of its own and the others reach: the symmetric heap and the
// program's static variables, each a window over all PEs. A symmetric address is one of this PE's;
// its displacement is the same on the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oriel/any_window.hpp"
#include "oriel/session.hpp"
#include "shmem/api.hpp"

namespace oriel::shmem {

// What ORIEL_CHECK=1 prints for operations from here, as from C.
inline constexpr call_site caller{"a caller of the OpenSHMEM face", 0};

// An address, for messages.
std::string in_words(const void* address);

// A window of bytes in which every PE may access every other for as long as it lives.
class symmetric_region {
 public:
  symmetric_region(const team& world, std::span<std::byte> memory, const char* name);

  any_window window;
  std::byte* begin;
  std::size_t bytes;

  // Whether one of its bytes lies at `p`.
  [[nodiscard]] bool holds(const void* p) const noexcept { return offset_of(p) < bytes; }
  [[nodiscard]] disp disp_of(const void* p) const noexcept { return disp{offset_of(p)}; }
  // Where this process loads and stores the memory of rank `r` of all; null where it cannot.
  [[nodiscard]] std::byte* mapped(rank r) const noexcept;

 private:
  [[nodiscard]] std::uint64_t offset_of(const void* p) const noexcept {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(begin);
  }
};

class symmetric_memory {
 public:
  // Collective. Behind the heap are `hidden` bytes of the library's own.
  // Throws what construction of windows throws; arg where PEs differ in the size of the heap or in
  // their program.
  symmetric_memory(session& job, std::size_t heap_bytes, std::size_t hidden);

  symmetric_region heap;
  symmetric_region statics;

  [[nodiscard]] std::byte* hidden() const noexcept { return heap.begin + heap_bytes_; }
  [[nodiscard]] std::size_t heap_bytes() const noexcept { return heap_bytes_; }
  // The region of a symmetric address; null for others.
  [[nodiscard]] symmetric_region* region_of(const void* p) noexcept {
    if (heap.holds(p)) [[likely]]
      return &heap;
    return statics.holds(p) ? &statics : nullptr;
  }
  // Where symmetric addresses may lie, for messages.
  [[nodiscard]] std::string in_words() const;
  // Where the heap of each rank is mapped here, for operations that are instructions; null where
  // they may not be.
  [[nodiscard]] const std::vector<char*>& heaps() const noexcept { return heaps_; }

  // Complete at the targets: every operation of this process. A full fence. Returns null, or the
  // window whose operations have failed.
  any_window* complete() noexcept;
  void note_order() noexcept;

 private:
  std::size_t heap_bytes_;
  std::vector<char*> heaps_;
};

}  // namespace oriel::shmem
