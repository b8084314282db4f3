// Warps without progress of each lane's own: at a branch that lanes leave in two directions, one
// side runs until it is where both meet again, and then the other. So a lane that waits in a loop
// for another of its warp waits for ever where that one has left the loop, as on AMD's devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tests/drivers/ptx/module.hpp"
#include "tests/drivers/ptx/schedule.hpp"

namespace oriel::test_driver::ptx {

struct thread;

// Lanes that go on together until all are at one place of one depth of calls; null: until they have
// left that function.
struct side {
  std::uint32_t lanes = 0;
  const instruction* meet = nullptr;
  std::size_t depth = 0;
};
// The sides of a warp, of which the last one runs.
using sides = std::vector<side>;

// Threads: one.
class lockstep {
 public:
  // Returns the lanes of the warp that run now; none where they wait for other warps. Throws
  // `error` where they wait for lanes that cannot go on.
  std::uint32_t next(sides&, std::span<thread> warp);
  // The lanes have made `i`, and are where that has led them.
  void parted(sides&, std::span<thread> warp, std::uint32_t lanes, const instruction& i,
              const function& in, std::size_t depth, schedule&);

 private:
  // By the number of an instruction: of the first one that every way from there passes; none: the
  // number of instructions.
  const std::vector<std::uint32_t>& meeting_places(const function&);
  std::map<const function*, std::vector<std::uint32_t>> known_;
};

}  // namespace oriel::test_driver::ptx
