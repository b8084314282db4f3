#include "session/alignment_hint.hpp"

#include <bit>
#include <charconv>
#include <string>

#include "oriel/errc.hpp"

namespace oriel::sessions {

std::uint64_t alignment_hint(const info& hints, std::uint64_t otherwise) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 30;
  const auto text = hints.get("mpi_minimum_memory_alignment");
  if (!text) return otherwise;
  std::uint64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, failure] = std::from_chars(text->data(), end, value);
  if (failure != std::errc{} || stop != end || !std::has_single_bit(value) || value > largest)
    throw error(errc::info, "mpi_minimum_memory_alignment is '" + *text +
                                "'; valid: a power of two up to 2^30, in bytes");
  return value;
}

}  // namespace oriel::sessions
