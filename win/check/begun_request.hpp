// ORIEL_CHECK: that this thread begins an operation with a request, where the operation itself
// needs none since it is complete on return.
#pragma once

#include "win/marked_thread.hpp"

namespace oriel::win {

struct begins_a_request;
using begun_request = marked_thread<begins_a_request>;

}  // namespace oriel::win
