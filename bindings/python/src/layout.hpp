// Origin and result buffers of operations, and where their elements lie at the target.
#pragma once

#include <optional>

#include "bindings/python/src/device_array.hpp"
#include "bindings/python/src/window.hpp"
#include "oriel/shape.hpp"

namespace oriel::python {

// A buffer of elements of the window's type, of either side of an operation.
struct buffer {
  std::byte* data = nullptr;
  std::size_t count = 0;
  std::vector<py::ssize_t> extents;  // elements in each dimension
  std::optional<shape> layout;       // where it is not dense, as numpy's strides have it
  py::object owner;
};

// Returns the elements of `values`, converted as `elements` does. Dense where `dense`: a copy of
// those that are not.
buffer source_of(const window_object&, const py::object& values, bool dense);
// Returns the memory of `out`, whose elements an operation writes. Throws TypeError where it has
// another type, ValueError where it is read-only, or has gaps and must be `dense`.
buffer result_of(const window_object&, const py::object& out, bool dense);
// Returns new memory for elements of such a shape, None for one.
buffer new_result(const window_object&, const py::object& shape);

// Where at the target the elements of a buffer go: one behind the other, or `strides` elements
// apart, one number a dimension.
struct placement {
  std::int64_t lowest = 0;  // elements from the displacement
  std::int64_t highest = 0;
  std::optional<shape> layout;
};
// Throws ValueError where `strides` has other dimensions than the buffer.
placement placement_of(const window_object&, const buffer&, const py::object& strides);

// Returns the layout of a dense buffer.
shape dense_layout(const window_object&, std::size_t count);

// Whether the operation must name layouts, which needs user_datatype.
inline bool shaped(const buffer& b, const placement& p) {
  return b.layout.has_value() || p.layout.has_value();
}

}  // namespace oriel::python
