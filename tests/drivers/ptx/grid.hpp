// Runs kernels.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "tests/drivers/ptx/machine.hpp"

namespace oriel::test_driver::ptx {

// A kernel did what none may do: which kernel, which thread, the line of PTX, and the schedule that
// shows it again.
class kernel_failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs every block of the grid to its end, on the calling thread. Throws kernel_failure. Requires:
// the parameters are those of the kernel.
void run(grid&);

}  // namespace oriel::test_driver::ptx
