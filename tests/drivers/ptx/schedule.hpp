// Which thread goes on, decided by a seed: ORIEL_TEST_SCHEDULE=seed[:policy].
//
//   in_turn   warps in turn, the lanes of one together; memory in order. Seed 0's, and the default
//   random    any warp, any of its lanes, for any time
//   starved   random, but one warp hardly ever
//   atomics   random; threads change places before and after what orders memory
//   lockstep  any warp, whose lanes have no progress of their own (lockstep.hpp); memory in order
//   late      as random and atomics by turns; what threads change reaches others late, and not in
//             order (late_view.hpp)
//
// Without a policy the seed chooses among random, starved and atomics. In these the thread's view
// of memory is as loose as the model allows (own_view.hpp).
#pragma once

#include <cstdint>
#include <string>

namespace oriel::test_driver::ptx {

enum class policy : std::uint8_t { in_turn, random, starved, atomics, lockstep, late };

class schedule {
 public:
  // The environment's now. Another for each launch since the variable was set to what it is.
  static schedule of_environment();
  schedule() = default;
  schedule(std::uint64_t seed, policy, std::uint64_t launch);

  policy how() const { return how_; }
  bool parts_at_order() const { return how_ == policy::atomics || how_ == policy::late; }
  bool reorders() const { return how_ != policy::in_turn && how_ != policy::lockstep; }
  // True once in n calls.
  bool chance(std::uint32_t n) { return next() % n == 0; }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  // "ORIEL_TEST_SCHEDULE=7:atomics", which repeats it.
  std::string text() const;

 private:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return (state_ ^= state_ << 17) >> 11;
  }

  std::uint64_t seed_ = 0, state_ = 1;
  policy how_ = policy::in_turn;
};

}  // namespace oriel::test_driver::ptx
