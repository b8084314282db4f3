// A wait for any of several notification counters of one rank, which follow one another. They share
// a bell: it lies in the rank's first counter, and is rung by whoever adds to a counter that a
// thread has announced such a wait for. So counters that nobody waits for in this way cost no more
// to add to than one look at their own line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sync/notify_counter.hpp"

namespace oriel::sync {

class notify_choice {
 public:
  // `all`: the rank's counters. Those from `first` on are waited for, each for its value.
  notify_choice(notify_counter_state* all, std::size_t first,
                std::span<const std::uint64_t> at_least) noexcept
      : all_(all), first_(first), at_least_(at_least) {}

  // Returns the lowest counter that has reached its value.
  [[nodiscard]] std::optional<std::size_t> reached() const noexcept {
    return first_of([](const notify_counter_state& one, std::uint64_t at_least) noexcept {
      return one.test(at_least);
    });
  }
  // Blocks until it returns one, in shared memory. Returns as wait_by does.
  errc wait(const peer_watch& peers) noexcept {
    if (reached()) return errc::success;
    return wait_by([&peers](wait_word& bell, auto decided) noexcept {
      return wait_for(bell, peers, [decided](std::uint32_t) { return decided(); });
    });
  }
  // As notify_counter_state::wait_by. Returns success once reached() returns a counter; the reason
  // of a refusal when one would have reached its value, had none been refused.
  template <class Wait>
  errc wait_by(Wait wait) noexcept {
    const announcement mine(*this);
    const errc waited =
        wait(all_->common_bell(), [this]() noexcept { return decided().has_value(); });
    if (waited != errc::success || reached()) return waited;
    return all_[*decided()].why_refused();
  }

 private:
  // Whoever adds to the counters rings the bell for as long as this lives.
  class announcement {
   public:
    explicit announcement(const notify_choice& of) noexcept : of_(of) {
      for (std::size_t k = 0; k < of.at_least_.size(); ++k)
        of.all_[of.first_ + k].begin_choice(of.first_ + k);
    }
    ~announcement() {
      for (std::size_t k = 0; k < of_.at_least_.size(); ++k) of_.all_[of_.first_ + k].end_choice();
    }
    announcement(const announcement&) = delete;
    announcement& operator=(const announcement&) = delete;

   private:
    const notify_choice& of_;
  };

  template <class Test>
  [[nodiscard]] std::optional<std::size_t> first_of(Test test) const noexcept {
    for (std::size_t k = 0; k < at_least_.size(); ++k)
      if (test(all_[first_ + k], at_least_[k])) return first_ + k;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::size_t> decided() const noexcept {
    return first_of([](const notify_counter_state& one, std::uint64_t at_least) noexcept {
      return one.is_decided(at_least);
    });
  }

  notify_counter_state* all_;
  std::size_t first_;
  std::span<const std::uint64_t> at_least_;
};

}  // namespace oriel::sync
