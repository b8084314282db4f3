#include "bindings/python/src/errors.hpp"

#include <exception>

#include "bindings/python/src/module.hpp"

namespace oriel::python {

void check(status s) {
  s.or_throw();
}

void check(const any_window& window, status s) {
  if (s.ok()) return;
  const std::string text = window.failure();
  throw error(s.code(), text.empty() ? std::string(name(s.code())) : text);
}

void define_errors(py::module_& m) {
  static_cast<void>(m);
  // The classes are Python's (oriel/_errors.py): each has a parent among Python's own exceptions.
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const error& e) {
      const py::object made = py::module_::import("oriel._errors")
                                  .attr("error_of")(static_cast<int>(e.code()), e.what());
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
    } catch (const py::cast_error&) {
      PyErr_SetString(PyExc_TypeError,
                      "an argument, or what is in it, has a type that this call does not take");
    }
  });
}

}  // namespace oriel::python
