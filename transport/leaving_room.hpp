// Where a long payload is composed: in the room that it leaves from, where the fabric has some to
// spare, else in memory of this object's own.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "transport/fabric.hpp"
#include "transport/message.hpp"

namespace oriel::transport {

class leaving_room {
 public:
  explicit leaving_room(fabric& way) noexcept : way_(way) {}
  ~leaving_room() { way_.give_room(lent_); }
  leaving_room(const leaving_room&) = delete;
  leaving_room& operator=(const leaving_room&) = delete;

  [[nodiscard]] std::span<std::byte> own() noexcept { return own_; }
  // The fabric's, or own(). Requires: what was composed in the one before has left.
  [[nodiscard]] std::span<std::byte> begin() noexcept {
    lent_ = way_.take_room();
    return lent_.empty() ? own() : lent_;
  }
  // A request or reply has this payload, or is about to, and so takes the room back.
  void left() noexcept { lent_ = {}; }

 private:
  fabric& way_;
  std::span<std::byte> lent_;
  std::array<std::byte, longest_unordered_payload> own_;
};

}  // namespace oriel::transport
