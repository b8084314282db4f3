// Moves pages of this process's private memory into a shared file, at the same addresses: threads
// that write to them meanwhile wait, and what they then write, the file gets.
//
// userfaultfd keeps the pages from being written, they are copied, and the file is mapped over
// them; who reads finds them all the while. Where userfaultfd is for accesses of programs alone
// (vm.unprivileged_userfaultfd = 0, and no privilege), a system call that writes there in that
// moment fails with EFAULT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace oriel::sessions {

// Where pages go: `file` at `offset`, which this process has mapped at `mapped`.
struct page_destination {
  int file = -1;
  std::uint64_t offset = 0;
  std::byte* mapped = nullptr;
};

// Requires: [at, at + bytes) is whole pages of one private anonymous mapping, read and write, in
// which neither this thread's stack nor its thread-local memory lies. Returns why nothing was
// moved; empty when all was.
std::string move_pages(std::byte* at, std::size_t bytes, const page_destination& to);

// A mapping of a file grows into what follows in the file. Sets the first page of one apart, so
// that mremap from there fails (EFAULT) and realloc, for one, copies instead.
void keep_from_growing(std::byte* first) noexcept;

}  // namespace oriel::sessions
