// Errors. Construction throws `error`; operations never throw and return a `status`.
// The classes follow MPI-4.1 §9.4 and §12.6.1 where MPI has one; the rest are oriel's own.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace oriel {

// Which codes there are, and what each means: oriel/enumerations/errc.def.
enum class errc : std::int32_t {
#define ORIEL_ERRC(number, name, c_name) name = (number),
#include "oriel/enumerations/errc.def"
};

// Returns the name of a code as its list writes it: "rma_sync"; "unknown" for what is no code.
std::string_view name(errc code) noexcept;

// What construction and `status::or_throw` throw. what() is a full sentence with ranks and values.
class error : public std::runtime_error {
 public:
  error(errc code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] errc code() const noexcept { return code_; }

 private:
  errc code_;
};

// Throws `error(code, …)` with the text of the calling thread's last failure of this code. Out of
// line to keep `or_throw` small.
[[noreturn]] void throw_error(errc code);

// What an operation returns: four bytes, no text. or_throw() throws the text, and failure() returns
// it: of a window the calling thread's last, of a team that of its last collective that failed, of
// a container the first on this rank.
class [[nodiscard]] status {
 public:
  constexpr status() noexcept = default;
  constexpr status(errc code) noexcept : code_(code) {}  // NOLINT: a code is a status

  [[nodiscard]] constexpr bool ok() const noexcept { return code_ == errc::success; }
  [[nodiscard]] constexpr errc code() const noexcept { return code_; }
  constexpr explicit operator bool() const noexcept { return ok(); }
  // Throws `error`, with the text of the calling thread's last failure of this code, unless ok().
  void or_throw() const {
    if (!ok()) [[unlikely]]
      throw_error(code_);
  }
  friend constexpr bool operator==(status, status) noexcept = default;

 private:
  errc code_ = errc::success;
};

}  // namespace oriel
