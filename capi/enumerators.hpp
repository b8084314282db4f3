// Enumerators of the C face by their numbers, and what is said of numbers that are none.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "capi/guard.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/datatype.hpp"
#include "oriel/detail/numbered.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"
#include "oriel/session.hpp"
#include "oriel/sync_mode.hpp"

namespace oriel::detail {

template <>
constexpr std::optional<lock_kind> numbered<lock_kind>(int number) noexcept {
  switch (number) {
#define ORIEL_LOCK_KIND(n, name, c_name) \
  case n:                                \
    return lock_kind::name;
#include "oriel/enumerations/lock_kind.def"
    default:
      return std::nullopt;
  }
}

template <>
constexpr std::optional<storage_order> numbered<storage_order>(int number) noexcept {
  switch (number) {
#define ORIEL_STORAGE_ORDER(n, name, c_name) \
  case n:                                    \
    return storage_order::name;
#include "oriel/enumerations/storage_order.def"
    default:
      return std::nullopt;
  }
}

template <>
constexpr std::optional<thread_level> numbered<thread_level>(int number) noexcept {
  switch (number) {
#define ORIEL_THREAD_LEVEL(n, name, c_name) \
  case n:                                   \
    return thread_level::name;
#include "oriel/enumerations/thread_level.def"
    default:
      return std::nullopt;
  }
}

}  // namespace oriel::detail

namespace oriel::capi {

using detail::numbered;

// What messages call a number of each enumeration, what would be valid, and the class of the error.
struct enumeration_text {
  errc code;
  const char* what;
  const char* valid;
};
template <class Enumeration>
inline constexpr enumeration_text text_of{};
template <>
inline constexpr enumeration_text text_of<atomic_op>{errc::op, "operation", "an ORIEL_OP_…"};
template <>
inline constexpr enumeration_text text_of<primitive>{
    errc::type, "element type", "ORIEL_BYTE, ORIEL_INT64, … of enum oriel_primitive"};
template <>
inline constexpr enumeration_text text_of<lock_kind>{
    errc::locktype, "kind of lock", "ORIEL_LOCK_SHARED (0), ORIEL_LOCK_EXCLUSIVE (1)"};
template <>
inline constexpr enumeration_text text_of<storage_order>{
    errc::arg, "storage order", "ORIEL_ORDER_C (0), ORIEL_ORDER_FORTRAN (1)"};
template <>
inline constexpr enumeration_text text_of<thread_level>{
    errc::arg, "thread level", "ORIEL_THREAD_DEFAULT to ORIEL_THREAD_MULTIPLE, 0 to 3"};

[[noreturn]] void refuse_number(const enumeration_text&, int number);

// Throws the error of text_of, which names the number.
template <class Enumeration>
Enumeration enumerator(int number) {
  if (const auto found = numbered<Enumeration>(number)) [[likely]]
    return *found;
  refuse_number(text_of<Enumeration>, number);
}

// Returns the code of `f(enumerator)`, or of a number that is none.
template <class Enumeration, class F>
int with(int number, F&& f) noexcept {
  if (const auto found = numbered<Enumeration>(number)) [[likely]]
    return std::forward<F>(f)(*found);
  return guarded([number] { refuse_number(text_of<Enumeration>, number); });
}
template <class F>
int with_op_on(int op, int type, F&& f) noexcept {
  return with<atomic_op>(op, [&](atomic_op known_op) {
    return with<primitive>(type, [&](primitive known_type) { return f(known_op, known_type); });
  });
}

// The same for promises that C adds up; errc::arg names bits that are none.
[[noreturn]] void refuse_mode(int mode);
template <class F>
int with_mode(int mode, F&& f) noexcept {
  const sync_mode given{static_cast<std::uint32_t>(mode)};
  if ((given.bits & ~every_mode.bits) == 0) [[likely]]
    return std::forward<F>(f)(given);
  return guarded([mode] { refuse_mode(mode); });
}

}  // namespace oriel::capi
