// How often to look for an answer before giving the core to another thread: long enough for a rank
// that waits too, and serves; not at all, most times, while it is the other rank's agent that
// answers, which may need this core.
#pragma once

#include <cstdint>

namespace oriel::sync {

// Threads: one at a time.
class look_count {
 public:
  [[nodiscard]] int next() noexcept {
    const bool tries = late_ < most_late || ++waits_ % between_tries == 0;
    return tries ? enough : 1;
  }
  // Whether the answer came while this thread looked, as often as next() said.
  void note(bool in_time) noexcept { late_ = in_time ? 0 : late_ + (late_ < most_late ? 1 : 0); }

 private:
  // 3 us where a pause is short. A rank that serves answers in some 400 ns, 4 KiB in a microsecond,
  // or in four where it needs system calls and these are slow; a yield is one too.
  static constexpr int enough = 240;
  static constexpr int most_late = 4;
  static constexpr std::uint32_t between_tries = 16;
  int late_ = 0;  // one after the other
  std::uint32_t waits_ = 0;
};

}  // namespace oriel::sync
