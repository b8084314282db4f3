// Hints: a dictionary of strings in Python, oriel::info in C++.
#pragma once

#include <string>

#include "bindings/python/src/module.hpp"
#include "oriel/info.hpp"

namespace oriel::python {

// Returns the hints of a dictionary, or none of None. True and False are "true" and "false", as MPI
// writes them; numbers are their digits.
inline info info_from(const py::object& given) {
  info made;
  if (given.is_none()) return made;
  for (const auto& [key, value] : py::dict(given)) {
    const std::string text = py::isinstance<py::bool_>(value)
                                 ? (value.cast<bool>() ? "true" : "false")
                                 : std::string(py::str(value));
    made.set(key.cast<std::string>(), text);
  }
  return made;
}

inline py::dict dict_from(const info& hints) {
  py::dict made;
  for (const auto& [key, value] : hints) made[py::str(key)] = value;
  return made;
}

}  // namespace oriel::python
