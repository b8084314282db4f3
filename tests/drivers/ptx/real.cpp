// Instructions on floating-point numbers beyond add, sub and mul as C++ rounds: fma, div, sqrt,
// rcp, min, max, abs, neg, and the approximate ones, which are as exact here as the host's library.
#include <array>
#include <cmath>
#include <limits>

#include "tests/drivers/ptx/machine.hpp"
#include "tests/drivers/ptx/rounding.hpp"
#include "tests/drivers/ptx/statement.hpp"

namespace oriel::test_driver::ptx {
namespace {

// What its qualifiers say: may or must they name a direction, or .approx or .full, or neither.
enum class rounding : std::uint8_t { may, must, approximate, none };

// a, b and c are the operands; those that an instruction does not have are 0.
template <class T>
using of_three = T (*)(T a, T b, T c);
template <class T>
struct operation {
  std::string_view name;
  unsigned operands;
  rounding rounds;
  of_three<T> result;
};
template <class T>
constexpr std::array<operation<T>, 19> operations{{
    {"add", 2, rounding::may, [](T a, T b, T) -> T { return a + b; }},
    {"sub", 2, rounding::may, [](T a, T b, T) -> T { return a - b; }},
    {"mul", 2, rounding::may, [](T a, T b, T) -> T { return a * b; }},
    {"fma", 3, rounding::must, [](T a, T b, T c) -> T { return std::fma(a, b, c); }},
    {"mad", 3, rounding::must, [](T a, T b, T c) -> T { return std::fma(a, b, c); }},
    {"div", 2, rounding::must, [](T a, T b, T) -> T { return a / b; }},
    {"div", 2, rounding::approximate, [](T a, T b, T) -> T { return a / b; }},
    {"rcp", 1, rounding::must, [](T a, T, T) -> T { return 1 / a; }},
    {"rcp", 1, rounding::approximate, [](T a, T, T) -> T { return 1 / a; }},
    {"sqrt", 1, rounding::must, [](T a, T, T) -> T { return std::sqrt(a); }},
    {"sqrt", 1, rounding::approximate, [](T a, T, T) -> T { return std::sqrt(a); }},
    {"rsqrt", 1, rounding::approximate, [](T a, T, T) -> T { return 1 / std::sqrt(a); }},
    {"ex2", 1, rounding::approximate, [](T a, T, T) -> T { return std::exp2(a); }},
    {"lg2", 1, rounding::approximate, [](T a, T, T) -> T { return std::log2(a); }},
    {"sin", 1, rounding::approximate, [](T a, T, T) -> T { return std::sin(a); }},
    {"cos", 1, rounding::approximate, [](T a, T, T) -> T { return std::cos(a); }},
    {"min", 2, rounding::none, [](T a, T b, T) -> T { return std::fmin(a, b); }},
    {"max", 2, rounding::none, [](T a, T b, T) -> T { return std::fmax(a, b); }},
    {"copysign", 2, rounding::none, [](T a, T b, T) -> T { return std::copysign(b, a); }},
}};

template <class T>
T flushed(T value, std::uint8_t how) {
  const bool tiny = std::fabs(value) < std::numeric_limits<T>::min();
  return (how & flushes) != 0 && tiny ? std::copysign(T{0}, value) : value;
}
template <class T>
T finished(T value, std::uint8_t how) {
  value = flushed(value, how);
  if ((how & saturates) == 0) return value;
  return value > T{0} ? std::fmin(value, T{1}) : T{0};  // 0 for what is no number
}

template <class T>
outcome compute(thread& t, const instruction& i) {
  volatile T in[3];
  for (std::size_t k = 0; k < 3; ++k) in[k] = flushed(get<T>(t, i.op[k + 1]), i.variant);
  volatile T result;
  {
    const rounding_scope rounds(i.variant);
    result = operations<T>[i.which].result(in[0], in[1], in[2]);
  }
  set<T>(t, i.op[0], finished<T>(result, i.variant));
  return outcome::next;
}
// Of the sign alone.
template <class T>
outcome negate(thread& t, const instruction& i) {
  set<T>(t, i.op[0], finished<T>(-get<T>(t, i.op[1]), i.variant));
  return outcome::next;
}
template <class T>
outcome without_sign(thread& t, const instruction& i) {
  set<T>(t, i.op[0], finished<T>(std::fabs(get<T>(t, i.op[1])), i.variant));
  return outcome::next;
}

template <class T>
handler find(const statement& s, rounding named, std::uint8_t& which) {
  const std::size_t operands = s.arguments.size() - 1;
  if (s.words[0] == "neg" && operands == 1 && named == rounding::none) return negate<T>;
  if (s.words[0] == "abs" && operands == 1 && named == rounding::none) return without_sign<T>;
  for (std::size_t k = 0; k < operations<T>.size(); ++k) {
    const operation<T>& o = operations<T>[k];
    if (o.name != s.words[0] || o.operands != operands ||
        (o.rounds != named && !(o.rounds == rounding::may && named != rounding::approximate)))
      continue;
    which = static_cast<std::uint8_t>(k);
    return compute<T>;
  }
  return nullptr;
}

}  // namespace

bool decode_real(const statement& s, instruction& i) {
  const auto of = type_of(s.words.back());
  if (!of || (*of != type::f32 && *of != type::f64) || s.arguments.empty()) return false;
  auto named = rounding::none;
  for (std::size_t k = 1; k + 1 < s.words.size(); ++k) {
    if (k == 1 && (s.words[k] == "approx" || s.words[k] == "full"))
      named = rounding::approximate;
    else if (!add_rounding(s.words[k], i.variant) || (i.variant & to_integer) != 0)
      return false;
    else if (s.words[k].starts_with("r"))
      named = rounding::must;
  }
  i.run = *of == type::f32 ? find<float>(s, named, i.which) : find<double>(s, named, i.which);
  return i.run != nullptr && s.arguments.size() <= i.op.size() && take_scalars(s, i);
}

}  // namespace oriel::test_driver::ptx
