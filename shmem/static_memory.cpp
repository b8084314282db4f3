#include "shmem/static_memory.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace oriel::shmem {
namespace {

std::byte* at_address(std::uintptr_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// Of the first object, which is the program; returns 1, so that no other follows.
int take_variables(dl_phdr_info* object, std::size_t, void* found) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::span headers(object->dlpi_phdr, object->dlpi_phnum);
  std::uintptr_t read_only = 0;  // up to here
  for (const auto& h : headers)
    if (h.p_type == PT_GNU_RELRO)
      read_only = (object->dlpi_addr + h.p_vaddr + h.p_memsz) & ~(page - 1);
  for (const auto& h : headers) {
    if (h.p_type != PT_LOAD || (h.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + h.p_vaddr, end = begin + h.p_memsz;
    // A linker may lay out what becomes read-only apart: the variables' segment is behind it.
    if (end <= read_only) continue;
    const std::uintptr_t from = std::max(begin, read_only);
    *static_cast<std::span<std::byte>*>(found) = {at_address(from), end - from};
  }
  return 1;
}

}  // namespace

std::span<std::byte> static_memory() noexcept {
  std::span<std::byte> found;
  dl_iterate_phdr(take_variables, &found);
  return found;
}

}  // namespace oriel::shmem
