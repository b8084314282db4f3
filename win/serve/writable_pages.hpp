// Whether a process may write to pages of its own memory on behalf of others: a page that it may
// not would end it, where the one who asked should get an error. A page is looked at once; memory
// that is protected afterwards, which is against MPI-4.1 §12.2.1, is not seen to be.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oriel::win {

class writable_pages {
 public:
  // Most accesses are to `memory`, of which every page is known once it was looked at, a bit each,
  // up to 32 GiB; of what lies elsewhere, as attached memory does, those of 128 MiB.
  // Throws std::bad_alloc.
  explicit writable_pages(std::span<const std::byte> memory);
  // Of [at, at + bytes). Takes a system call for a page that it does not know.
  bool contain(const std::byte* at, std::size_t bytes) noexcept;
  // Of what lies elsewhere: it may be unmapped, or protected, and other memory be attached there.
  void forget() noexcept;
  // Of `blocks` blocks of `bytes` bytes, `stride` bytes apart.
  bool contain(const std::byte* at, std::ptrdiff_t stride, std::size_t bytes,
               std::size_t blocks) noexcept;

 private:
  [[nodiscard]] bool knows(std::uint64_t page) const noexcept;
  void note(std::uint64_t page) noexcept;

  std::uint64_t first_;                           // page of the memory
  std::vector<std::atomic<std::uint64_t>> bits_;  // of it and those behind it
  // By what they are pages of: its number, and a bit for each. 0: none.
  std::array<std::atomic<std::uint64_t>, 1024> elsewhere_{};
  std::atomic<bool> any_elsewhere_{false};
};

}  // namespace oriel::win
