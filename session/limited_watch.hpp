// Waits that end sooner than the job's patience.
#pragma once

#include <algorithm>

#include "session/wait.hpp"

namespace oriel::boot {

// Waits as another watch does, but for a limited time; nothing: for as long as that one.
class limited_watch final : public like_watch {
 public:
  limited_watch(const peer_watch& like, std::optional<std::chrono::milliseconds> at_most) noexcept
      : like_watch(like), at_most_(at_most) {}
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    const auto theirs = like_watch::patience();
    if (!theirs || !at_most_) return theirs ? theirs : at_most_;
    return std::min(*theirs, *at_most_);
  }

 private:
  std::optional<std::chrono::milliseconds> at_most_;
};

}  // namespace oriel::boot
