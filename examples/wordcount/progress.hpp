// A progress bar on a terminal, drawn by rank 0 from a counter in a window.
#pragma once

#include <chrono>
#include <cstdint>

#include "oriel/oriel.hpp"

namespace wordcount {

class progress {
 public:
  // Collective. `total`: bytes that all ranks read together.
  progress(const oriel::team&, std::uint64_t total);
  // This rank has read `bytes` more. Cheap: reports to rank 0 now and then.
  void advance(std::uint64_t bytes);
  // Takes the bar away.
  void finish();

 private:
  static constexpr oriel::assertion_set promise{oriel::assertion::shared_lock};
  void draw(bool now);

  oriel::rank me_;
  std::uint64_t total_;
  bool terminal_;
  oriel::window<std::uint64_t, promise> done_;
  oriel::epoch epoch_;
  std::chrono::steady_clock::time_point drawn_{};
};

}  // namespace wordcount
