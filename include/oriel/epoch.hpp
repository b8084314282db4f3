// Epochs that end themselves.
#pragma once

#include <utility>

#include "oriel/call_site.hpp"
#include "oriel/detail/operation_table.hpp"
#include "oriel/errc.hpp"
#include "oriel/rank.hpp"

namespace oriel {

// An access epoch opened by lock, lock_all or start. It ends, with everything in it complete at the
// targets, when `end` is called or the object is destroyed. An epoch that could not be opened holds
// the error and ends nothing. A window that is freed before has ended the epoch; the object must be
// gone when its session ends.
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

  // Whether the epoch was opened: rma_sync when one was open already, peer_failed when a rank that
  // held the lock has died, or any rank of the team while this one waited.
  [[nodiscard]] status opened() const noexcept { return opened_; }

  // Ends the epoch: operations are complete at the origin and at the targets. Does nothing the
  // second time. Returns the window's first failure, if any; win when the window has been freed.
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
