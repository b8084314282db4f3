#include "bindings/python/src/layout.hpp"

namespace oriel::python {

namespace {

// `strides` in bytes, the outermost dimension first.
shape layout_from(const element_type& t, const std::vector<py::ssize_t>& extents,
                  const std::vector<py::ssize_t>& strides) {
  datatype made = t.type;
  for (std::size_t d = extents.size(); d-- > 0;)
    made = datatype::hvector(static_cast<std::size_t>(extents[d]), 1, strides[d], made);
  return {made, 1};
}

bool is_dense(const py::array& a) {
  return (a.flags() & py::array::c_style) != 0;
}

buffer on_device(const window_object& w, const py::object& of, memory_use use) {
  const memory_view seen = memory_of(of, use, &w.element());
  const std::size_t n = seen.bytes / w.element().size;
  return {seen.data, n, {static_cast<py::ssize_t>(n)}, {}, seen.owner};
}

buffer buffer_of(const window_object& w, const py::array& a, std::byte* data) {
  buffer b{data, static_cast<std::size_t>(a.size()), {a.shape(), a.shape() + a.ndim()}, {}, a};
  if (!is_dense(a))
    b.layout = layout_from(w.element(), b.extents, {a.strides(), a.strides() + a.ndim()});
  return b;
}

}  // namespace

buffer source_of(const window_object& w, const py::object& values, bool dense) {
  if (is_on_device(values)) return on_device(w, values, memory_use::read);
  py::array a = elements(w.element(), values);
  if (!is_dense(a) && dense)
    a = py::module_::import("numpy").attr("ascontiguousarray")(a).cast<py::array>();
  return buffer_of(w, a, static_cast<std::byte*>(const_cast<void*>(a.data())));
}

buffer result_of(const window_object& w, const py::object& out, bool dense) {
  if (is_on_device(out)) return on_device(w, out, memory_use::written);
  if (!py::isinstance<py::array>(out))
    throw py::type_error("out must be an array of numpy's or of a device");
  py::array a = py::reinterpret_borrow<py::array>(out);
  if (!w.element().is(a.dtype()))
    throw py::type_error("out must have the window's dtype, " +
                         std::string(py::str(static_cast<py::handle>(w.element().dtype))));
  if (!is_dense(a) && dense)
    throw py::value_error(
        "out has gaps, which this call does not take, or which needs the "
        "assertion user_datatype");
  return buffer_of(w, a, static_cast<std::byte*>(a.mutable_data()));
}

buffer new_result(const window_object& w, const py::object& given) {
  std::vector<py::ssize_t> extents;
  if (py::isinstance<py::sequence>(given))
    extents = given.cast<std::vector<py::ssize_t>>();
  else if (!given.is_none())
    extents = {given.cast<py::ssize_t>()};
  py::array made(w.element().dtype, extents);
  return buffer_of(w, made, static_cast<std::byte*>(made.mutable_data()));
}

placement placement_of(const window_object& w, const buffer& b, const py::object& strides) {
  if (strides.is_none()) return {0, static_cast<std::int64_t>(b.count) - 1, {}};
  std::vector<py::ssize_t> apart;
  if (py::isinstance<py::sequence>(strides))
    apart = strides.cast<std::vector<py::ssize_t>>();
  else
    apart = {strides.cast<py::ssize_t>()};
  if (apart.size() != b.extents.size())
    throw py::value_error("strides of " + std::to_string(apart.size()) +
                          " dimensions for values of " + std::to_string(b.extents.size()));
  placement p;
  std::vector<py::ssize_t> bytes;
  bool beyond = false;
  for (std::size_t d = 0; d < apart.size(); ++d) {
    std::int64_t reach;
    py::ssize_t in_bytes;
    beyond = __builtin_mul_overflow(b.extents[d] - 1, apart[d], &reach) || beyond;
    std::int64_t& end = reach < 0 ? p.lowest : p.highest;
    beyond = __builtin_add_overflow(end, reach, &end) || beyond;
    const auto size = static_cast<py::ssize_t>(w.element().size);
    beyond = __builtin_mul_overflow(apart[d], size, &in_bytes) || beyond;
    bytes.push_back(in_bytes);
  }
  if (beyond) throw py::value_error("strides that reach beyond any memory");
  if (b.count == 0) p = {0, -1, {}};
  p.layout = layout_from(w.element(), b.extents, bytes);
  return p;
}

shape dense_layout(const window_object& w, std::size_t count) {
  return {w.element().type, count};
}

}  // namespace oriel::python
