// Errors. Construction throws `error`; operations never throw and return a `status`.
// The classes follow MPI-4.1 §9.4 and §12.6.1 where MPI has one; the rest are oriel's own.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace oriel {

enum class errc : std::int32_t {
  success = 0,
  // The window's promises.
  not_asserted,           // the operation needs an assertion that the window does not carry
  unsupported_assertion,  // an asserted feature cannot be provided for a pair of ranks
  mismatched_assertions,  // the ranks requested different windows
  unsupported_kind,       // the requested kind of memory cannot be provided
  // The job.
  peer_failed,  // a rank that the call needs has died, has left the job, or is cut off from it
  timed_out,    // a rank that is alive did not do its part within ORIEL_TIMEOUT
  // MPI's RMA classes.
  rma_sync,      // no epoch, or the wrong one
  rma_range,     // target memory is not part of the window
  rma_conflict,  // conflicting accesses to the window
  rma_attach,    // memory cannot be attached, or is not attached
  rma_shared,    // memory cannot be shared
  rma_flavor,    // the window was built another way; no function returns it today
  locktype,
  disp,
  size,
  no_mem,
  base,
  // MPI's argument classes.
  rank,
  op,
  type,
  count,
  info,
  arg,
  // The machine.
  system,  // a system call failed; the message carries its name and errno
  // Numbers never change, so what is new comes last.
  mismatched_collective,  // the ranks called different collectives, or one with different arguments
  win,                    // the window has been freed or moved from, or was never made
};

inline constexpr errc last_errc = errc::win;

// Returns the name of a code as written above: "rma_sync"; "unknown" for what is no code.
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

// What an operation returns: four bytes, no text. failure() of the window or team returns the text,
// and or_throw() throws it.
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
