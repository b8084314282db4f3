// What kernels call that no module defines.
#pragma once

#include "tests/drivers/ptx/module.hpp"

namespace oriel::test_driver::ptx {

// A call of vprintf(format, values): writes to the process's standard output, in one piece.
void print(thread&, const instruction&);

}  // namespace oriel::test_driver::ptx
