// Instructions on the bits of a word: popc, clz, brev, bfe, bfind, prmt, shf.
#include <algorithm>
#include <bit>
#include <type_traits>

#include "tests/drivers/ptx/machine.hpp"
#include "tests/drivers/ptx/statement.hpp"

namespace oriel::test_driver::ptx {
namespace {

template <class W>
outcome count_ones(thread& t, const instruction& i) {
  set<std::uint32_t>(t, i.op[0], static_cast<std::uint32_t>(std::popcount(get<W>(t, i.op[1]))));
  return outcome::next;
}
template <class W>
outcome count_leading_zeros(thread& t, const instruction& i) {
  set<std::uint32_t>(t, i.op[0], static_cast<std::uint32_t>(std::countl_zero(get<W>(t, i.op[1]))));
  return outcome::next;
}
template <class W>
outcome reverse(thread& t, const instruction& i) {
  const W value = get<W>(t, i.op[1]);
  W reversed = 0;
  for (unsigned k = 0; k < sizeof(W) * 8; ++k)
    reversed = static_cast<W>(reversed | (value >> k & 1) << (sizeof(W) * 8 - 1 - k));
  set<W>(t, i.op[0], reversed);
  return outcome::next;
}

// c bits of a from bit b on, with the sign of the last of them above.
template <class T>
outcome extract(thread& t, const instruction& i) {
  using word = std::make_unsigned_t<T>;
  constexpr unsigned width = sizeof(T) * 8;
  const word value = get<word>(t, i.op[1]);
  const auto at = get<std::uint32_t>(t, i.op[2]) & 0xffu;
  const auto length = get<std::uint32_t>(t, i.op[3]) & 0xffu;
  const bool sign = std::is_signed_v<T> && length != 0 &&
                    (value >> std::min(at + length - 1, width - 1) & 1) != 0;
  word extracted = 0;
  for (unsigned k = 0; k < width; ++k) {
    const bool one = k < length && at + k < width ? (value >> (at + k) & 1) != 0 : sign;
    extracted = static_cast<word>(extracted | word{one} << k);
  }
  set<T>(t, i.op[0], static_cast<T>(extracted));
  return outcome::next;
}
// The place of the highest bit that is not the sign; `shiftamt`: how far it is from the top.
template <class T>
outcome find_highest(thread& t, const instruction& i) {
  using word = std::make_unsigned_t<T>;
  const T value = get<T>(t, i.op[1]);
  const word bits = value < T{0} ? static_cast<word>(~value) : static_cast<word>(value);
  const auto above = static_cast<std::uint32_t>(std::countl_zero(bits));
  const std::uint32_t place = sizeof(T) * 8 - 1 - above;
  set<std::uint32_t>(t, i.op[0], bits == 0 ? ~0u : i.variant != 0 ? above : place);
  return outcome::next;
}

outcome permute(thread& t, const instruction& i) {
  const std::uint64_t bytes =
      get<std::uint32_t>(t, i.op[1]) | std::uint64_t{get<std::uint32_t>(t, i.op[2])} << 32;
  const auto selector = get<std::uint32_t>(t, i.op[3]);
  std::uint32_t permuted = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint32_t choice = selector >> 4 * k & 0xfu;
    auto byte = static_cast<std::uint32_t>(bytes >> 8 * (choice & 7u) & 0xffu);
    if ((choice & 8u) != 0) byte = (byte & 0x80u) != 0 ? 0xffu : 0;  // its sign alone
    permuted |= byte << 8 * k;
  }
  set<std::uint32_t>(t, i.op[0], permuted);
  return outcome::next;
}

enum funnel : std::uint8_t { left = 1, wraps = 2 };
// The upper word of b:a that was shifted left, or the lower one of it shifted right.
outcome shift_pair(thread& t, const instruction& i) {
  const std::uint64_t pair =
      get<std::uint32_t>(t, i.op[1]) | std::uint64_t{get<std::uint32_t>(t, i.op[2])} << 32;
  const auto asked = get<std::uint32_t>(t, i.op[3]);
  const std::uint32_t by = (i.variant & wraps) != 0 ? asked & 31u : std::min(asked, 32u);
  const std::uint64_t shifted = (i.variant & left) != 0 ? pair << by >> 32 : pair >> by;
  set<std::uint32_t>(t, i.op[0], static_cast<std::uint32_t>(shifted));
  return outcome::next;
}

// That of the type: `with` is called for words of 4 and 8 bytes.
handler for_words(type of, auto with) {
  return with_type_of(of, [&]<class T>(T) -> handler {
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4)
      return with.template operator()<T>();
    else
      return nullptr;
  });
}

handler find(const statement& s, type of, std::uint8_t& variant) {
  const std::string_view opcode = s.words[0];
  const std::size_t n = s.words.size();
  const bool untyped = of == type::b32 || of == type::b64;
  if (n == 2 && untyped) {
    if (opcode == "popc")
      return for_words(of, []<class T> { return handler{count_ones<std::make_unsigned_t<T>>}; });
    if (opcode == "clz")
      return for_words(
          of, []<class T> { return handler{count_leading_zeros<std::make_unsigned_t<T>>}; });
    if (opcode == "brev")
      return for_words(of, []<class T> { return handler{reverse<std::make_unsigned_t<T>>}; });
    if (opcode == "prmt" && of == type::b32) return permute;
  }
  if (opcode == "bfe" && n == 2 && !untyped)
    return for_words(of, []<class T> { return handler{extract<T>}; });
  if (opcode == "bfind" && !untyped && (n == 2 || s.words[1] == "shiftamt")) {
    variant = n == 3 ? 1 : 0;
    return for_words(of, []<class T> { return handler{find_highest<T>}; });
  }
  if (opcode == "shf" && n == 4 && of == type::b32 && (s.words[1] == "l" || s.words[1] == "r") &&
      (s.words[2] == "wrap" || s.words[2] == "clamp")) {
    variant = static_cast<std::uint8_t>((s.words[1] == "l" ? left : 0) |
                                        (s.words[2] == "wrap" ? wraps : 0));
    return shift_pair;
  }
  return nullptr;
}

}  // namespace

bool decode_bits(const statement& s, instruction& i) {
  const auto of = type_of(s.words.back());
  if (!of || s.words.size() > 4 || s.arguments.size() > i.op.size()) return false;
  i.run = find(s, *of, i.variant);
  return i.run != nullptr && take_scalars(s, i);
}

}  // namespace oriel::test_driver::ptx
