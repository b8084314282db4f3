// Where streams of all ranks meet: a barrier in the order of each, by counted signals.
#pragma once

#include <cstdint>
#include <string>

#include "oriel/team.hpp"
#include "oriel/window.hpp"

namespace oriel::detail {

class stream_meeting {
 public:
  // `kind`: of the memory of the device whose streams they are. Collective. Throws as allocate.
  stream_meeting(const team& members, const std::string& name, const std::string& kind)
      : signals_(signals::allocate(members, 1, options(name, kind))), epoch_(signals_.lock_all()) {
    epoch_.opened().or_throw();
  }

  // Enqueues on a stream of this rank: what it gets later begins when streams of all ranks have met
  // as often as it has, and then what they held before is complete. One counter is enough: a rank
  // that has come once more has met all the others meanwhile. Returns what signal_on and
  // wait_more_on return.
  status meet(device_stream on) noexcept {
    const team members = signals_.members();
    for (int k = 1; k <= members.size(); ++k) {
      const rank next{(members.me().value + k) % members.size()};
      if (const status s = signals_.signal_on(on, next, 0); !s.ok()) return s;
    }
    return signals_.wait_more_on(on, 0, static_cast<std::uint64_t>(members.size()));
  }
  // Returns the first failure of what streams have passed since the last call.
  status outcome() noexcept { return signals_.flush_all(); }
  [[nodiscard]] std::string failure() const { return signals_.failure(); }

 private:
  using signals = window<std::uint64_t, assertion::shared_lock | assertion::notify>;

  static window_options options(const std::string& name, const std::string& kind) {
    window_options o;
    o.name = name;
    o.memory_kind = kind;
    o.notify_counters = 1;
    return o;
  }

  signals signals_;
  epoch epoch_;
};

}  // namespace oriel::detail
