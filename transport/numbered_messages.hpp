// The messages between this process and one other where ranks have several rails: numbers, and
// copies of what is not acknowledged, so that what a rail or a connection has lost is sent again.
// What arrives twice is taken once, and what arrives early in its turn.
//
// Numbers count modulo 65536, of which those that may be expected are the next few thousand.
//
// Threads: one at a time for what is sent, one for what arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <span>
#include <vector>

namespace oriel::transport {

class numbered_messages {
 public:
  using number = std::uint16_t;

  // More than so many are not kept: no more is sent until some have been acknowledged.
  static constexpr std::size_t most = 4096;

  numbered_messages() = default;
  numbered_messages(const numbered_messages&) = delete;
  numbered_messages& operator=(const numbered_messages&) = delete;

  // --- Sent
  [[nodiscard]] bool full() const noexcept { return kept_.size() >= most; }
  // The number of the next message.
  [[nodiscard]] number next() const noexcept {
    return static_cast<number>(first_kept_ + kept_.size());
  }
  // A copy of the message that takes this number; dropped where it could not be sent after all.
  // Throws bad_alloc.
  void keep(std::vector<std::byte> message) { kept_.push_back(std::move(message)); }
  void drop_last() noexcept { kept_.pop_back(); }
  // All before `n` have arrived. Nothing where that is none of what is kept.
  void acknowledge(number n) noexcept {
    if (!keeps_before(n)) return;
    while (first_kept_ != n) {
      if (unsent_ == kept_.begin()) ++unsent_;
      kept_.pop_front();
      ++first_kept_;
    }
  }
  // All that is kept is to be sent again, in its order, before anything else is.
  void send_again() noexcept { unsent_ = kept_.begin(); }
  // The next to be sent again; empty where there is none.
  [[nodiscard]] std::span<const std::byte> unsent() const noexcept {
    if (unsent_ == kept_.end()) return {};
    return *unsent_;
  }
  void sent_one() noexcept { ++unsent_; }
  // The first that is not acknowledged; next() where all are.
  [[nodiscard]] number first_kept() const noexcept { return first_kept_; }
  // Whether some are kept that were sent before `n` was.
  [[nodiscard]] bool keeps_before(number n) const noexcept {
    const auto before = static_cast<number>(n - first_kept_);
    return before != 0 && before <= kept_.size();
  }

  // --- Arrived
  // All before this one have been taken.
  [[nodiscard]] number expected() const noexcept { return next_; }
  // Also of what cannot have been sent yet.
  [[nodiscard]] bool has_taken(number n) const noexcept {
    return static_cast<number>(n - next_) >= most;
  }
  // The one that is expected.
  void take() noexcept {
    early_.erase(next_);
    ++next_;
  }
  // A copy of one that has come before the one that is expected: what a connection has lost is
  // passed by what goes by the next. Requires: it has not been taken. Throws bad_alloc.
  void put_by(number n, std::span<const std::byte> message) {
    early_.try_emplace(n, message.begin(), message.end());
  }
  // The one that is expected, where it has been put by; else empty.
  [[nodiscard]] std::span<const std::byte> early() const noexcept {
    const auto found = early_.find(next_);
    return found == early_.end() ? std::span<const std::byte>() : found->second;
  }
  // It is to come again.
  void drop_early() noexcept { early_.erase(next_); }
  // So many bytes have come, again or for the first time: returns whether an acknowledgement is
  // due.
  [[nodiscard]] bool owes_after(std::size_t bytes) noexcept {
    constexpr std::size_t messages = 32, much = 256 << 10;
    ++came_;
    bytes_ += bytes;
    if (came_ < messages && bytes_ < much) return false;
    came_ = 0;
    bytes_ = 0;
    return true;
  }

  // Nothing will arrive or be acknowledged any more.
  void forget() noexcept {
    acknowledge(next());
    early_.clear();
  }

 private:
  std::list<std::vector<std::byte>> kept_;
  std::list<std::vector<std::byte>>::iterator unsent_ = kept_.end();
  number first_kept_ = 0;
  number next_ = 0;
  std::map<number, std::vector<std::byte>> early_;
  std::size_t came_ = 0, bytes_ = 0;
};

}  // namespace oriel::transport
