// A small put or accumulate to memory of this node that its rank alone has mapped, in an epoch of
// active target: it waits for the epoch's end and goes by the words that end it (sync/letter.hpp).
// The owner carries it out before it returns from the fence, or the wait, which fails there if it
// cannot. A fence does not make all ranks wait for that: whoever is first to access the owner's
// memory after it does.
//
// One thread at a time, but for `clear_letters`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sync/letter.hpp"
#include "win/route/route.hpp"

namespace oriel::win {

class kept_letter {
 public:
  // Whether one may be kept for `owner`: the two must synchronize before anybody may expect that it
  // is carried out.
  static bool may_wait(const window_core&, rank owner, std::size_t bytes) noexcept;

  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] rank owner() const noexcept { return owner_; }
  // Requires: none is kept. The operands are reusable on return.
  void keep(rank me, rank owner, const sync::letter&, const void* operands) noexcept;
  // Carried out on return.
  errc carry_out(window_core&) noexcept;
  // It goes by the fence, or by the completion, that follows, or is carried out.
  enum class by : std::uint8_t { fence, completion };
  errc enclose(window_core&, by) noexcept;

  [[nodiscard]] const sync::letter& content() const noexcept { return letter_; }
  void drop() noexcept { any_ = false; }

 private:
  bool any_ = false;
  rank owner_{0};
  sync::letter letter_{};
};

// The owner's part, at the end of a fence and after a wait. `met`: all have arrived at the fence.
// Letters of those who arrive late are opened at the next fence, or at the end of the window.
void open_letters_of_fence(window_core&, bool met) noexcept;
void open_letter_of_wait(window_core&) noexcept;

// Required before memory of `owner` is accessed by mail or by the kernel: the letters for it that
// went by the last fence are carried out on return.
errc clear_letters(window_core&, rank owner) noexcept;

}  // namespace oriel::win
