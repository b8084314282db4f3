// Between C and C++: exceptions become codes and kept sentences, strings and vectors go to callers'
// buffers, options of any version become this one's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "oriel/any_window.hpp"
#include "oriel/call_site.hpp"
#include "oriel/errc.hpp"
#include "oriel/rank.hpp"

namespace oriel::capi {

// What ORIEL_CHECK=1 prints for operations from here: C has no default arguments for call sites.
inline constexpr call_site c_caller{"a caller of the C face", 0};

// Keeps `text` for oriel_last_error and returns the code.
int explain_failure(errc code, const char* text) noexcept;
int explain_failure(errc code, const std::string& text) noexcept;
// The same for the exception that is being handled.
int explain_exception() noexcept;
// The text that was kept last on this thread.
const char* explanation() noexcept;

// The code of a status. A failure is explained by what was noted of it, or by its name.
int explain_status(errc code) noexcept;
inline int code_of(status s) noexcept {
  if (s.ok()) [[likely]]
    return 0;
  return explain_status(s.code());
}
int explain_window(const any_window&, errc code) noexcept;
inline int code_of(const any_window& window, status s) noexcept {
  if (s.ok()) [[likely]]
    return 0;
  return explain_window(window, s.code());
}

// Runs what may throw.
template <class F>
int guarded(F&& f) noexcept {
  try {
    std::forward<F>(f)();
    return 0;
  } catch (...) {
    return explain_exception();
  }
}

// As much of `from` as fits, with a terminating null; `length` may be null.
void give_text(std::string_view from, char* text, std::size_t capacity,
               std::size_t* length) noexcept;

// `convert(from[i])` to `to[i]`, as many as fit.
template <class To, class Range, class Convert>
void give_array(const Range& from, To* to, std::size_t capacity, std::size_t* number,
                Convert convert) {
  const std::size_t fitting = std::min(capacity, from.size());
  for (std::size_t i = 0; i < fitting; ++i) to[i] = convert(from[i]);
  *number = from.size();
}

// Returns the caller's options as this version's struct: members that an older caller's lacks are
// 0, and those that a newer one's has beyond must be 0 (else throws arg).
template <class Options>
Options read_options(const Options* given) {
  Options known{};
  if (given == nullptr) return known;
  const std::size_t size = given->struct_size;
  if (size < sizeof given->struct_size)
    throw error(errc::arg, "options have struct_size " + std::to_string(size) +
                               "; valid: sizeof of the options struct");
  const auto* const bytes = reinterpret_cast<const char*>(given);
  if (size > sizeof known &&
      std::any_of(bytes + sizeof known, bytes + size, [](char c) { return c != 0; }))
    throw error(errc::arg, "options of " + std::to_string(size) +
                               " bytes say something that this version of oriel does not know; it "
                               "knows the first " +
                               std::to_string(sizeof known));
  std::memcpy(&known, given, std::min(size, sizeof known));
  return known;
}

// A negative number becomes a displacement beyond every segment.
inline disp disp_at(std::int64_t number) noexcept {
  return disp{static_cast<std::uint64_t>(number)};
}

// A `rank` is its number and nothing else, and so is a `disp`: a list of numbers can be read as
// either without copying it, which would take memory in every epoch and list.
static_assert(std::is_standard_layout_v<rank> && sizeof(rank) == sizeof(int));
static_assert(std::is_standard_layout_v<disp> && sizeof(disp) == sizeof(std::int64_t));
inline std::span<const rank> ranks_from(const int* numbers, std::size_t n) noexcept {
  return {reinterpret_cast<const rank*>(numbers), n};
}
inline std::span<const disp> disps_from(const std::int64_t* numbers, std::size_t n) noexcept {
  return {reinterpret_cast<const disp*>(numbers), n};
}

}  // namespace oriel::capi
