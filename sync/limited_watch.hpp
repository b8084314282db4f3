// Waits that end sooner than the job's, or for reasons of their own.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "sync/wait.hpp"

namespace oriel::sync {

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

// Gives up when `failed()` returns true.
class conditional_watch final : public like_watch {
 public:
  conditional_watch(const peer_watch& like, std::function<bool()> failed)
      : like_watch(like), failed_(std::move(failed)) {}
  [[nodiscard]] bool any_failed() const noexcept override { return failed_(); }

 private:
  std::function<bool()> failed_;
};

// Serves nothing meanwhile: for waits for steps that wait for nothing themselves, begun where what
// would be served may need the same step.
class quiet_watch : public like_watch {
 public:
  using like_watch::like_watch;
  [[nodiscard]] bool needs_progress() const noexcept override { return false; }
  [[nodiscard]] bool serves() const noexcept override { return false; }
  void progress() const noexcept override {}
  [[nodiscard]] bool serves_nodes() const noexcept override { return false; }
  void progress_asleep() const noexcept override {}

 private:
  working_while_waiting nothing_{nullptr};  // of the thread that makes this
};

}  // namespace oriel::sync
