// ORIEL_WITHOUT: what this rank is to do without, for trying out how a program copes. A list of
// names of assertions, and cma (the kernel's copies), separated by commas.
#pragma once

#include "oriel/assertion.hpp"

namespace oriel::win {

struct left_out {
  assertion_set assertions;
  bool cma = false;
};

// Throws errc::arg for an unknown name.
left_out read_left_out();

}  // namespace oriel::win
