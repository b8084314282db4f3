// Huge pages for the node's memory file. Random access to memory that no cache holds takes half as
// long in them (docs/BENCHMARKS.md).
//
// The kernel's setting, /sys/kernel/mm/transparent_hugepage/shmem_enabled, says when shared memory
// gets them. By default it is `never`, of what comes unasked: since Linux 6.1 a process may request
// them there too (madvise(2), MADV_COLLAPSE). ORIEL_HUGE_PAGES=0 leaves all to the setting.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oriel::sessions {

enum class huge_pages : std::uint8_t {
  unasked,     // where the kernel gives them, pages that are reserved have them
  by_advice,   // the first touch of memory that madvise has named makes them
  on_request,  // for each range
};

// How this process gets them. Throws arg for a value of ORIEL_HUGE_PAGES that is not valid.
huge_pages huge_pages_here();

// Takes from the machine, cleared, those places of huge pages that lie wholly in [at, at + bytes)
// of a shared mapping. Returns how many bytes: 0 where the kernel refuses one, and then others may
// have been made. Requires: `at` is a page's.
std::size_t request_huge_pages(std::byte* at, std::size_t bytes) noexcept;

}  // namespace oriel::sessions
