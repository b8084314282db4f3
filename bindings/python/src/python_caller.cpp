#include <pybind11/pybind11.h>

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "bindings/python/src/window.hpp"

namespace oriel::python {

namespace {

bool is_checking() {
  const char* const set = std::getenv("ORIEL_CHECK");
  return set != nullptr && std::string_view(set) == "1";
}

// Files keep their names for as long as the process lives: windows remember them.
const char* kept(std::string name) {
  static std::set<std::string> names;
  return names.insert(std::move(name)).first->c_str();
}

}  // namespace

call_site python_caller() {
  static const bool checking = is_checking();
  if (!checking) return {"a Python program", 0};
  PyFrameObject* const frame = PyEval_GetFrame();
  if (frame == nullptr) return {"a Python program", 0};
  const auto code =
      py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  return {kept(py::str(code.attr("co_filename"))),
          static_cast<std::uint32_t>(PyFrame_GetLineNumber(frame))};
}

}  // namespace oriel::python
