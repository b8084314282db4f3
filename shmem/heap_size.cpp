#include "shmem/heap_size.hpp"

#include <charconv>
#include <cmath>

namespace oriel::shmem {
namespace {

// How many times 1024; nothing for other letters.
std::optional<int> power_of(char unit) noexcept {
  switch (unit) {
    case 'k':
    case 'K':
      return 1;
    case 'm':
    case 'M':
      return 2;
    case 'g':
    case 'G':
      return 3;
    case 't':
    case 'T':
      return 4;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::size_t> heap_bytes_from(std::string_view text) noexcept {
  constexpr double most = 9.0e18;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (failure != std::errc{} || !(number >= 0)) return std::nullopt;
  int power = 0;
  if (stop != end) {
    const auto unit = power_of(*stop);
    if (!unit || stop + 1 != end) return std::nullopt;
    power = *unit;
  }
  const double bytes = std::ldexp(number, 10 * power);
  if (bytes > most) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

}  // namespace oriel::shmem
