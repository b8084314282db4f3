// Moves pages of this process's private memory into a shared file, at the same addresses: threads
// that touch them meanwhile wait, and what they then write, the file gets.
//
// The pages are taken out of their place by one system call (mremap with MREMAP_DONTUNMAP), copied,
// and the file mapped there. userfaultfd makes those who touch the empty place wait. Where it is
// for accesses of programs alone (vm.unprivileged_userfaultfd = 0, and no privilege), a system call
// of another thread that touches the place in that moment fails with EFAULT.
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

}  // namespace oriel::sessions
