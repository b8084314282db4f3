// Assertions: promises to use a feature of a window. What is asserted exists, or construction
// fails; what is not asserted need not exist for that window, and costs nothing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace oriel {

// Which assertions there are, and what each states: oriel/enumerations/assertion.def.
enum class assertion : std::uint32_t {
#define ORIEL_ASSERTION(bit, name, c_name) name = 1u << (bit),
#include "oriel/enumerations/assertion.def"
};

inline constexpr std::array all_assertions{
#define ORIEL_ASSERTION(bit, name, c_name) assertion::name,
#include "oriel/enumerations/assertion.def"
};

// Returns "fence", "shared_lock", …
std::string_view name(assertion a) noexcept;

namespace detail {
// nvcc writes constants out for the host's compiler as `= {bits}`, which is no conversion that an
// explicit constructor allows.
#if defined(__NVCC__)
inline constexpr bool constants_are_written_out = true;
#else
inline constexpr bool constants_are_written_out = false;
#endif
}  // namespace detail

// A set of assertions. Structural, so that it can be a template argument.
struct assertion_set {
  std::uint32_t bits = 0;

  constexpr assertion_set() noexcept = default;
  constexpr explicit(!detail::constants_are_written_out) assertion_set(std::uint32_t b) noexcept
      : bits(b) {}
  constexpr assertion_set(assertion a) noexcept  // NOLINT: one assertion is a set
      : bits(static_cast<std::uint32_t>(a)) {}

  [[nodiscard]] constexpr bool has(assertion a) const noexcept {
    return (bits & static_cast<std::uint32_t>(a)) != 0;
  }
  [[nodiscard]] constexpr bool has_any(assertion_set s) const noexcept {
    return (bits & s.bits) != 0;
  }
  [[nodiscard]] constexpr bool contains(assertion_set s) const noexcept {
    return (bits & s.bits) == s.bits;
  }
  [[nodiscard]] constexpr int count() const noexcept { return std::popcount(bits); }
  [[nodiscard]] constexpr assertion_set without(assertion_set s) const noexcept {
    return assertion_set{bits & ~s.bits};
  }
  friend constexpr assertion_set operator|(assertion_set a, assertion_set b) noexcept {
    return assertion_set{a.bits | b.bits};
  }
  friend constexpr assertion_set operator&(assertion_set a, assertion_set b) noexcept {
    return assertion_set{a.bits & b.bits};
  }
  friend constexpr bool operator==(assertion_set, assertion_set) noexcept = default;
};

constexpr assertion_set operator|(assertion a, assertion b) noexcept {
  return assertion_set{a} | assertion_set{b};
}

// Returns "local_load_store | shared_lock", in the order of the enum; "none" when empty.
std::string to_string(assertion_set set);

inline constexpr assertion_set no_assertions{};

// Everything the proposal lists, for a window that `allocate` or `create` makes.
inline constexpr assertion_set every_assertion{0u
#define ORIEL_ASSERTION(bit, name, c_name) | 1u << (bit)
#define ORIEL_EXTENSION(bit, name, c_name)
#include "oriel/enumerations/assertion.def"
};

// Not a set but the absence of one: a `window<T>` is given its assertions at construction.
inline constexpr assertion_set at_run_time{1u << 31};

}  // namespace oriel
