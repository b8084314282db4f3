// Failures as Python's exceptions.
#pragma once

#include <string>

#include "oriel/any_window.hpp"
#include "oriel/errc.hpp"

namespace oriel::python {

// Throws `error` with the text of the calling thread's last failure of this code, unless `s` is ok.
void check(status s);
// The same of a call on `window`, whose text names it.
void check(const any_window& window, status s);

}  // namespace oriel::python
