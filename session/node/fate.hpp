// What is known of a rank of another process: the facts that a wait for it ends by. They are
// different facts, and kept apart: a process that has ended is certain, silence is not.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "session/bootstrap/keepalive.hpp"

namespace oriel::sessions {

enum class fate : std::uint8_t {
  here,       // as far as is known
  leaving,    // has closed its session a moment ago, and still counts as here
  left,       // has closed its session
  silent,     // not reached for as long as links may be down
  ended,      // its process has ended without closing its session, as its kernel reports
  estranged,  // it has declared this rank failed, as all others have: this one was cut off
  last = estranged,
};

// No rank waits for such a rank any more.
constexpr bool is_gone(fate f) noexcept {
  return f >= fate::left;
}

// Whether news of `after` may follow `before`. A rank that has gone does not come back.
constexpr bool may_follow(fate before, fate after) noexcept {
  switch (before) {
    case fate::here:
      return after != fate::here;
    case fate::leaving:
      return after == fate::left || after == fate::estranged;
    case fate::silent:
      return after == fate::ended;
    default:
      return false;
  }
}

// For messages, behind "rank 3 ": what has become of it. `silence`: how long it may be silent.
inline std::string in_words(fate f, std::chrono::milliseconds silence) {
  switch (f) {
    case fate::here:
      return "is there";
    case fate::leaving:
    case fate::left:
      return "has closed its session";
    case fate::silent:
      return silence_in_words(silence);
    case fate::ended:
      return "has died";
    case fate::estranged:
      return "has declared this rank failed";
  }
  return "";
}

}  // namespace oriel::sessions
