// What the sources of the Python module have in common: names, and calls without the interpreter's
// lock.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <optional>
#include <utility>

namespace oriel::python {

namespace py = pybind11;

// Each defines the classes and functions of its file.
void define_errors(py::module_& m);
void define_enumerations(py::module_& m);
void define_team(py::module_& m);
void define_session(py::module_& m);
void define_request(py::module_& m);
void define_window(py::module_& m);
void define_hash_map(py::module_& m);

// Returns what `f` returns, run without the interpreter's lock: other threads of the program go on.
template <class F>
decltype(auto) unlocked(F&& f) {
  const py::gil_scoped_release released;
  return std::forward<F>(f)();
}

// The same where `release`; giving the lock away and taking it again costs more than a store.
template <class F>
decltype(auto) unlocked_if(bool release, F&& f) {
  std::optional<py::gil_scoped_release> released;
  if (release) released.emplace();
  return std::forward<F>(f)();
}

}  // namespace oriel::python
