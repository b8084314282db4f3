// Which elements a window has: numpy's dtype and oriel's datatype of the same bytes.
#pragma once

#include <array>
#include <cstddef>

#include "bindings/python/src/module.hpp"
#include "oriel/datatype.hpp"

namespace oriel::python {

struct element_type {
  py::dtype dtype;
  datatype type;
  primitive base = primitive::opaque;  // opaque: bytes, without arithmetic
  std::size_t size = 0;                // bytes

  [[nodiscard]] bool is(const py::dtype& other) const;
};

// Returns the type of what numpy.dtype takes: "f8", numpy.int32, a dtype. A structure of `value`
// and `index`, aligned as in C, is a pair for minloc and maxloc. Other structures, text, dates and
// half floats are opaque bytes. Throws TypeError for Python objects and for another machine's byte
// order.
element_type element_of(const py::object& dtype_like);

// Returns the elements of `values`, as they are where they have the type; else converted as numpy
// does within a kind of number. Throws TypeError where that loses what they are (floats to
// integers).
py::array elements(const element_type&, const py::handle& values);

// One element that a Python object holds.
class element {
 public:
  // Throws TypeError, OverflowError or ValueError where `value` is none of the type.
  element(const element_type&, const py::handle& value);
  [[nodiscard]] const void* data() const noexcept { return array_ ? array_.data() : small_.data(); }

 private:
  alignas(16) std::array<std::byte, 16> small_{};
  py::array array_{py::reinterpret_steal<py::array>(py::handle())};  // of types without a short way
};

// Room for one element that an operation returns.
class element_result {
 public:
  explicit element_result(const element_type& t);
  [[nodiscard]] void* data() noexcept { return array_ ? array_.mutable_data() : small_.data(); }
  // Returns an int, float or bool, or what numpy has for an element of the type.
  [[nodiscard]] py::object value() const;

 private:
  const element_type& type_;
  alignas(16) std::array<std::byte, 16> small_{};
  py::array array_{py::reinterpret_steal<py::array>(py::handle())};
};

}  // namespace oriel::python
