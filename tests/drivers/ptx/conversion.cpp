// mov, cvt, cvta.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/drivers/ptx/machine.hpp"
#include "tests/drivers/ptx/rounding.hpp"
#include "tests/drivers/ptx/statement.hpp"

namespace oriel::test_driver::ptx {
namespace {

outcome move(thread& t, const instruction& i) {
  t.now.registers[i.op[0].reg] = bits_of(t, i.op[1]);
  return outcome::next;
}
outcome move_predicate(thread& t, const instruction& i) {
  set<bool>(t, i.op[0], holds(t, i.op[1]));
  return outcome::next;
}

// A register of several narrower ones, the lowest bits first, and back.
unsigned bits_of_piece(const instruction& i) {
  return static_cast<unsigned>(size_of(i.of) * 8 / i.elements);
}
std::uint64_t lowest(std::uint64_t bits, unsigned n) {
  return bits & ((std::uint64_t{1} << n) - 1);
}
outcome pack(thread& t, const instruction& i) {
  const unsigned each = bits_of_piece(i);
  std::uint64_t all = 0;
  for (unsigned k = 0; k < i.elements; ++k)
    all |= lowest(bits_of(t, i.vector[k]), each) << k * each;
  t.now.registers[i.op[0].reg] = all;
  return outcome::next;
}
outcome unpack(thread& t, const instruction& i) {
  const unsigned each = bits_of_piece(i);
  const std::uint64_t all = bits_of(t, i.op[1]);
  for (unsigned k = 0; k < i.elements; ++k)
    t.now.registers[i.vector[k].reg] = lowest(all >> k * each, each);
  return outcome::next;
}
bool decode_packing(const statement& s, instruction& i) {
  const auto of = type_of(s.words.back());
  const bool packs = s.arguments[1].parts.size() > 1;
  const argument& scalar = s.arguments[packs ? 0 : 1];
  const argument& pieces = s.arguments[packs ? 1 : 0];
  const std::size_t n = pieces.parts.size();
  if (s.words[0] != "mov" || s.words.size() != 2 || !of || (*of != type::b32 && *of != type::b64) ||
      scalar.parts.size() != 1 || (n != 2 && n != 4))
    return false;
  i.of = *of;
  i.elements = static_cast<std::uint8_t>(n);
  i.op[packs ? 0 : 1] = scalar.parts[0];
  std::ranges::copy(pieces.parts, i.vector.begin());
  i.run = packs ? pack : unpack;
  return true;
}

template <class T>
T to_whole(T value, std::uint8_t how) {
  switch (how & direction) {
    case rounds_down:
      return std::floor(value);
    case rounds_up:
      return std::ceil(value);
    case rounds_to_zero:
      return std::trunc(value);
    default:
      return std::nearbyint(value);  // to even
  }
}
// What does not fit becomes the nearest that does, and what is no number 0.
template <class To, class From>
To clamped(From value) {
  constexpr auto least = static_cast<From>(std::numeric_limits<To>::min());
  constexpr auto most = static_cast<From>(std::numeric_limits<To>::max());
  if (value != value) return To{0};
  if (value <= least) return std::numeric_limits<To>::min();
  return value >= most ? std::numeric_limits<To>::max() : static_cast<To>(value);
}

template <class To, class From>
outcome convert_integer(thread& t, const instruction& i) {
  set<To>(t, i.op[0], static_cast<To>(get<From>(t, i.op[1])));
  return outcome::next;
}
// From or to a floating-point type.
template <class To, class From>
outcome convert(thread& t, const instruction& i) {
  volatile From value = get<From>(t, i.op[1]);
  volatile To converted{};
  if constexpr (std::is_integral_v<To>) {
    converted = clamped<To>(to_whole<From>(value, i.variant));
  } else {
    if constexpr (std::is_floating_point_v<From>)
      if ((i.variant & to_integer) != 0) value = to_whole<From>(value, i.variant);
    const rounding_scope rounds(i.variant);
    converted = static_cast<To>(value);
  }
  if constexpr (std::is_floating_point_v<To>)
    if ((i.variant & saturates) != 0)
      converted = converted > To{0} ? std::fmin(To{converted}, To{1}) : To{0};
  set<To>(t, i.op[0], converted);
  return outcome::next;
}

handler conversion(type to, type from) {
  return with_type_of(to, [&]<class To>(To) -> handler {
    return with_type_of(from, []<class From>(From) -> handler {
      if constexpr (std::is_same_v<To, bool> || std::is_same_v<From, bool>)
        return nullptr;
      else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>)
        return convert_integer<To, From>;
      else
        return convert<To, From>;
    });
  });
}
bool is_floating(type of) {
  return of == type::f32 || of == type::f64;
}
// How the qualifiers between cvt and the types say that it rounds; false where these have no such
// rounding.
bool rounding_of(const statement& s, type to, type from, std::uint8_t& how) {
  bool named = false;
  for (std::size_t k = 1; k + 2 < s.words.size(); ++k) {
    if (!add_rounding(s.words[k], how)) return false;
    named = named || s.words[k].starts_with("r");
  }
  const bool to_real = is_floating(to), from_real = is_floating(from);
  const bool whole = (how & to_integer) != 0;
  if (!to_real) return (how & saturates) == 0 && whole == from_real && (from_real || how == 0);
  if (from_real && size_of(to) >= size_of(from)) return whole || (how & direction) == 0;
  return named && !whole;
}

// From an address of shared memory to one of any, and back.
outcome from_shared(thread& t, const instruction& i) {
  set(t, i.op[0], bits_of(t, i.op[1]) + std::bit_cast<std::uint64_t>(t.in->shared.data()));
  return outcome::next;
}
outcome to_shared(thread& t, const instruction& i) {
  set(t, i.op[0], bits_of(t, i.op[1]) - std::bit_cast<std::uint64_t>(t.in->shared.data()));
  return outcome::next;
}

handler address_conversion(const statement& s) {
  const bool to = s.words.size() == 4 && s.words[1] == "to";
  if (s.words.back() != "u64" || s.words.size() != (to ? 4 : 3)) return nullptr;
  const std::string_view where = s.words[to ? 2 : 1];
  if (where == "shared") return to ? to_shared : from_shared;
  return where == "global" || where == "const" || where == "local" ? move : nullptr;
}

}  // namespace

bool decode_conversion(const statement& s, instruction& i) {
  if (s.arguments.size() != 2) return false;
  if (s.arguments[0].parts.size() > 1 || s.arguments[1].parts.size() > 1)
    return decode_packing(s, i);
  for (const argument& a : s.arguments)
    if (a.parts.size() != 1 || a.address || a.predicate || !a.symbol.empty()) return false;
  i.op[0] = s.arguments[0].parts[0];
  i.op[1] = s.arguments[1].parts[0];
  if (i.op[0].what != operand::kind::reg) return false;
  const std::size_t n = s.words.size();
  if (s.words[0] == "mov" && n == 2) {
    const auto of = type_of(s.words[1]);
    if (of) i.run = *of == type::pred ? move_predicate : move;
  } else if (s.words[0] == "cvt" && n >= 3) {
    const auto to = type_of(s.words[n - 2]), from = type_of(s.words[n - 1]);
    if (!to || !from || !rounding_of(s, *to, *from, i.variant)) return false;
    i.run = conversion(*to, *from);
  } else if (s.words[0] == "cvta") {
    i.run = address_conversion(s);
  }
  return i.run != nullptr;
}

}  // namespace oriel::test_driver::ptx
