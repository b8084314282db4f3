// Epochs that end themselves.
#pragma once

#include <utility>

#include "oriel/call_site.hpp"
#include "oriel/detail/operation_table.hpp"
#include "oriel/errc.hpp"
#include "oriel/rank.hpp"

namespace oriel {

// An access epoch that lock, lock_all or start has opened. `end` and the destructor end it. One
// that could not be opened holds the code and ends nothing.
// Requires: the object is destroyed before its session. The window may be freed first, which ends
// the epoch.
class [[nodiscard]] epoch {
 public:
  enum class kind : std::uint8_t { none, lock, lock_all, start };

  epoch() noexcept = default;
  epoch(status opened, kind k, detail::window_core& core, const detail::operation_table& ops,
        rank target, call_site at) noexcept
      : core_(&core),
        ops_(&ops),
        target_(target),
        opened_(opened),
        kind_(opened.ok() ? k : kind::none),
        at_(at) {}
  epoch(epoch&& other) noexcept { static_cast<void>(*this = std::move(other)); }
  epoch& operator=(epoch&& other) noexcept {
    if (this != &other) {
      static_cast<void>(end());
      core_ = other.core_;
      ops_ = other.ops_;
      target_ = other.target_;
      opened_ = other.opened_;
      kind_ = std::exchange(other.kind_, kind::none);
      at_ = other.at_;
    }
    return *this;
  }
  ~epoch() { static_cast<void>(end()); }

  // Returns the code of the call that opened it: success; rma_sync where an epoch was open that
  // excludes it; peer_failed when a rank that held the lock has died, or any rank of the team while
  // this one waited; timed_out, rank, not_asserted, win.
  [[nodiscard]] status opened() const noexcept { return opened_; }

  // Ends the epoch; does nothing the second time. Complete at the targets: every operation of the
  // epoch. Blocks until then. Returns the window's first failure; win when it has been freed.
  status end() noexcept {
    switch (std::exchange(kind_, kind::none)) {
      case kind::lock:
        return ops_->unlock(*core_, target_, at_);
      case kind::lock_all:
        return ops_->unlock_all(*core_, at_);
      case kind::start:
        return ops_->complete(*core_, at_);
      case kind::none:
        break;
    }
    return {};
  }

 private:
  detail::window_core* core_ = nullptr;
  const detail::operation_table* ops_ = nullptr;
  rank target_{};
  status opened_;
  kind kind_ = kind::none;
  call_site at_;
};

}  // namespace oriel
