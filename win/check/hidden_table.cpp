#include "win/check/hidden_table.hpp"

#include <sys/mman.h>

namespace oriel::win {
namespace {

static_assert(detail::unmapped == 0, "zeroes must read as unmapped");
constexpr std::size_t half = (std::size_t{1} << 31) * sizeof(detail::segment_entry);

}  // namespace

hidden_table::hidden_table(detail::session_state&) {
  void* const start =
      mmap(nullptr, 2 * half, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    throw error(errc::no_mem,
                "ORIEL_CHECK=1 and ORIEL_TRACE need 64 GiB of address space for a table");
  middle_ = reinterpret_cast<const detail::segment_entry*>(static_cast<std::byte*>(start) + half);
}

hidden_table::~hidden_table() {
  munmap(const_cast<std::byte*>(reinterpret_cast<const std::byte*>(middle_)) - half, 2 * half);
}

}  // namespace oriel::win
