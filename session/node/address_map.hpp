// What lies where in this process's address space, as the kernel lists it. Allocates nothing and
// takes no lock, so that it may run in the child of a fork.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace oriel::sessions {

struct mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  std::uint64_t file_offset = 0;
  std::uint64_t inode = 0;  // 0: of no file
  dev_t device = 0;
  bool heap = false;   // the kernel's [heap], which brk extends
  bool stack = false;  // the main thread's
};

// Of an address that the kernel has listed, which is where pointers to such memory come from.
inline std::byte* at_address(std::uint64_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// Calls each(mapping) for the mappings that [begin, end) touches, by address, until it returns
// false. Returns false when the kernel's list could not be read to its end.
using mapping_visitor = bool (*)(const mapping&, void* with);
bool for_each_mapping(std::uint64_t begin, std::uint64_t end, mapping_visitor each, void* with);

template <class Each>
bool for_each_mapping(std::uint64_t begin, std::uint64_t end, Each each) {
  return for_each_mapping(
      begin, end, [](const mapping& m, void* with) { return (*static_cast<Each*>(with))(m); },
      &each);
}

}  // namespace oriel::sessions
