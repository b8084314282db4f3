// A module with one step of its source made weaker, to show that some schedule finds it:
// ORIEL_TEST_MUTANT=kind:text, of every instruction of that kind that comes from a source line
// which has the text, or was inlined there. Needs nvcc's -lineinfo.
//
//   fence     is left out
//   barrier   of a block or a warp is not waited at
//   acquire   the load is relaxed
//   release   the store is relaxed
//   swap      the compare-and-swap does not compare: it stores, and says that it has swapped
//   update    any other atomic update is a load and a store
//   yes, no   the comparison holds always, or never
#pragma once

#include "tests/drivers/ptx/module.hpp"

namespace oriel::test_driver::ptx {

// Does nothing when the variable is unset. Ends the process with 2 when there is no
// such instruction.
void weaken_by_environment(module&);

}  // namespace oriel::test_driver::ptx
