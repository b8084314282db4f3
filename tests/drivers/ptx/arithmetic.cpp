// Instructions that compute: add, sub, mul, mad, div, rem, min, max, neg, abs, and, or, xor, not,
// shl, shr, bfi, setp, selp.
#include <array>
#include <limits>
#include <utility>

#include "tests/drivers/ptx/machine.hpp"
#include "tests/drivers/ptx/statement.hpp"

namespace oriel::test_driver::ptx {
namespace {

// Integers wrap: they are computed without a sign.
template <class T>
auto wrapping(T value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return static_cast<std::make_unsigned_t<T>>(value);
  else
    return value;
}
template <class T>
auto wide(T value) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<__int128>(value);
  else
    return static_cast<unsigned __int128>(value);
}

// What an instruction does to values of one type.
struct add {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(wrapping(a) + wrapping(b));
  }
};
struct sub {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(wrapping(a) - wrapping(b));
  }
};
struct mul_lo {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(wide(a) * wide(b));
    else
      return a * b;
  }
};
struct mul_hi {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(wide(a) * wide(b) >> sizeof(T) * 8);
  }
};
struct div {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return static_cast<T>(~T{0});  // unspecified
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(-wide(a));
    }
    return static_cast<T>(a / b);
  }
};
struct rem {
  template <class T>
  static T of(T a, T b) {
    if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1))) return b == 0 ? a : T{0};
    return static_cast<T>(a % b);
  }
};
struct lesser {
  template <class T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct greater {
  template <class T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct bit_and {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct bit_or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct bit_xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <class Op, class T>
outcome binary(thread& t, const instruction& i) {
  set<T>(t, i.op[0], Op::of(get<T>(t, i.op[1]), get<T>(t, i.op[2])));
  return outcome::next;
}
template <class T>
outcome mad_lo(thread& t, const instruction& i) {
  const T product = mul_lo::of(get<T>(t, i.op[1]), get<T>(t, i.op[2]));
  set<T>(t, i.op[0], add::of(product, get<T>(t, i.op[3])));
  return outcome::next;
}
template <class T>
outcome mul_wide(thread& t, const instruction& i) {
  set(t, i.op[0], static_cast<std::uint64_t>(wide(get<T>(t, i.op[1])) * wide(get<T>(t, i.op[2]))));
  return outcome::next;
}
template <class T>
outcome mad_wide(thread& t, const instruction& i) {
  const auto product =
      static_cast<std::uint64_t>(wide(get<T>(t, i.op[1])) * wide(get<T>(t, i.op[2])));
  set(t, i.op[0], product + bits_of(t, i.op[3]));
  return outcome::next;
}
template <class T>
outcome negate(thread& t, const instruction& i) {
  set<T>(t, i.op[0], sub::of(T{0}, get<T>(t, i.op[1])));
  return outcome::next;
}
template <class T>
outcome complement(thread& t, const instruction& i) {
  set<T>(t, i.op[0], static_cast<T>(~get<T>(t, i.op[1])));
  return outcome::next;
}
outcome complement_predicate(thread& t, const instruction& i) {
  set<bool>(t, i.op[0], !holds(t, i.op[1]));
  return outcome::next;
}
// Shifts by the width and more give zero, or the sign.
template <class T>
outcome shift_left(thread& t, const instruction& i) {
  const auto by = get<std::uint32_t>(t, i.op[2]);
  set<T>(t, i.op[0], by >= sizeof(T) * 8 ? T{0} : static_cast<T>(get<T>(t, i.op[1]) << by));
  return outcome::next;
}
template <class T>
outcome shift_right(thread& t, const instruction& i) {
  const auto by = get<std::uint32_t>(t, i.op[2]);
  const T value = get<T>(t, i.op[1]);
  const bool negative = std::is_signed_v<T> && value < T{0};
  set<T>(t, i.op[0],
         by >= sizeof(T) * 8 ? static_cast<T>(negative ? -1 : 0) : static_cast<T>(value >> by));
  return outcome::next;
}
// d = b with `length` bits from `at` replaced by a's lowest.
template <class T>
outcome insert_bits(thread& t, const instruction& i) {
  const auto at = get<std::uint32_t>(t, i.op[3]) & 0xffu;
  const auto length = get<std::uint32_t>(t, i.op[4]) & 0xffu;
  const unsigned __int128 mask =
      ((static_cast<unsigned __int128>(1) << (length > 64 ? 64 : length)) - 1)
      << (at > 64 ? 64 : at);
  const unsigned __int128 a = get<T>(t, i.op[1]), b = get<T>(t, i.op[2]);
  set<T>(t, i.op[0], static_cast<T>((b & ~mask) | (a << (at > 64 ? 64 : at) & mask)));
  return outcome::next;
}

enum comparison : std::uint8_t { eq, ne, lt, le, gt, ge };
constexpr std::array<std::string_view, 6> ordered{"eq", "ne", "lt", "le", "gt", "ge"};
constexpr std::uint8_t unordered_too = 8;  // true also when one of the two is no number

template <class T>
bool compare(T a, T b, std::uint8_t how) {
  if (a != a || b != b) return (how & unordered_too) != 0;
  switch (how & 7) {
    case eq:
      return a == b;
    case ne:
      return a != b;
    case lt:
      return a < b;
    case le:
      return a <= b;
    case gt:
      return a > b;
    default:
      return a >= b;
  }
}
template <class T>
outcome set_predicate(thread& t, const instruction& i) {
  set<bool>(t, i.op[0], compare(get<T>(t, i.op[1]), get<T>(t, i.op[2]), i.variant));
  return outcome::next;
}
template <class T>
outcome select(thread& t, const instruction& i) {
  set<T>(t, i.op[0], get<T>(t, holds(t, i.op[3]) ? i.op[1] : i.op[2]));
  return outcome::next;
}
bool of_predicates(thread& t, const instruction& i, std::size_t k) {
  return holds(t, i.op[k]);
}
template <class Op>
outcome on_predicates(thread& t, const instruction& i) {
  set<bool>(t, i.op[0],
            Op::template of<unsigned>(of_predicates(t, i, 1), of_predicates(t, i, 2)) != 0);
  return outcome::next;
}

// What `with` gives for the type: of integers, and of floating-point numbers too.
handler for_integers(type of, auto with) {
  return with_type_of(of, [&]<class T>(T) -> handler {
    if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>)
      return nullptr;
    else
      return with.template operator()<T>();
  });
}
handler for_numbers(type of, auto with) {
  return with_type_of(of, [&]<class T>(T) -> handler {
    if constexpr (std::is_same_v<T, bool>)
      return nullptr;
    else
      return with.template operator()<T>();
  });
}
template <class Op>
handler arithmetic(type of) {
  return for_numbers(of, []<class T> { return handler{binary<Op, T>}; });
}
template <class Op>
handler integral(type of) {
  return for_integers(of, []<class T> { return handler{binary<Op, T>}; });
}
template <class Op>
handler logical(type of) {
  return of == type::pred ? handler{on_predicates<Op>} : integral<Op>(of);
}

// The handler of opcode.type and of opcode.how.type; null for others.
handler find(std::string_view opcode, std::string_view how, type of) {
  if (how.empty() || how == "rn") {
    if (opcode == "add") return arithmetic<add>(of);
    if (opcode == "sub") return arithmetic<sub>(of);
    if (opcode == "mul" && (of == type::f32 || of == type::f64)) return arithmetic<mul_lo>(of);
  }
  if (how == "lo" && opcode == "mul") return integral<mul_lo>(of);
  if (how == "hi" && opcode == "mul") return integral<mul_hi>(of);
  if (how == "lo" && opcode == "mad")
    return for_integers(of, []<class T> { return handler{mad_lo<T>}; });
  if (how == "wide" && opcode == "mul" && size_of(of) == 4)
    return for_integers(of, []<class T> { return handler{mul_wide<T>}; });
  if (how == "wide" && opcode == "mad" && size_of(of) == 4)
    return for_integers(of, []<class T> { return handler{mad_wide<T>}; });
  if (!how.empty()) return nullptr;
  if (opcode == "div") return integral<div>(of);
  if (opcode == "rem") return integral<rem>(of);
  if (opcode == "min") return integral<lesser>(of);
  if (opcode == "max") return integral<greater>(of);
  if (opcode == "and") return logical<bit_and>(of);
  if (opcode == "or") return logical<bit_or>(of);
  if (opcode == "xor") return logical<bit_xor>(of);
  if (opcode == "neg") return for_integers(of, []<class T> { return handler{negate<T>}; });
  if (opcode == "not" && of == type::pred) return complement_predicate;
  if (opcode == "not") return for_integers(of, []<class T> { return handler{complement<T>}; });
  if (opcode == "shl") return for_integers(of, []<class T> { return handler{shift_left<T>}; });
  if (opcode == "shr") return for_integers(of, []<class T> { return handler{shift_right<T>}; });
  if (opcode == "bfi") return for_integers(of, []<class T> { return handler{insert_bits<T>}; });
  if (opcode == "selp") return for_numbers(of, []<class T> { return handler{select<T>}; });
  return nullptr;
}

bool comparison_of(std::string_view word, std::uint8_t& how) {
  const bool unordered = word.size() == 3 && word.ends_with('u');
  for (std::size_t k = 0; k < ordered.size(); ++k)
    if (word.substr(0, 2) == ordered[k] && (unordered || word.size() == 2)) {
      how = static_cast<std::uint8_t>(k | (unordered ? unordered_too : 0));
      return true;
    }
  return false;
}

}  // namespace

bool decode_arithmetic(const statement& s, instruction& i) {
  const auto of = type_of(s.words.back());
  if (!of || s.words.size() < 2 || s.words.size() > 3 || s.arguments.size() > i.op.size())
    return false;
  const std::string_view how = s.words.size() == 3 ? s.words[1] : std::string_view();
  i.of = *of;
  if (s.words[0] == "setp") {
    if (!comparison_of(how, i.variant)) return false;
    i.run = for_numbers(*of, []<class T> { return handler{set_predicate<T>}; });
  } else {
    i.run = find(s.words[0], how, *of);
  }
  return i.run != nullptr && take_scalars(s, i);
}

}  // namespace oriel::test_driver::ptx
