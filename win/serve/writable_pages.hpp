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

namespace oriel::win {

class writable_pages {
 public:
  // Of [at, at + bytes). Takes a system call for a page that it does not know.
  bool contain(const std::byte* at, std::size_t bytes) noexcept;
  // Of `blocks` blocks of `bytes` bytes, `stride` bytes apart.
  bool contain(const std::byte* at, std::ptrdiff_t stride, std::size_t bytes,
               std::size_t blocks) noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, 256> known_{};  // by the page's number; 0: none
};

}  // namespace oriel::win
