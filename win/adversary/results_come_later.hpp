// ORIEL_ADVERSARY: that this thread performs a list, element by element: operations whose sources
// are reusable on return and whose results are usable after a flush, in the order of the list.
#pragma once

#include "win/marked_thread.hpp"

namespace oriel::win {

struct performs_a_list;
using results_come_later = marked_thread<performs_a_list>;

}  // namespace oriel::win
