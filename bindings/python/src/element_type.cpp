#include "bindings/python/src/element_type.hpp"

#include <cstring>
#include <limits>
#include <string>

namespace oriel::python {

namespace {

py::object numpy(const char* function) {
  return py::module_::import("numpy").attr(function);
}

primitive whole_number(std::size_t size, bool is_signed) {
  switch (size) {
    case 1:
      return is_signed ? primitive::int8 : primitive::uint8;
    case 2:
      return is_signed ? primitive::int16 : primitive::uint16;
    case 4:
      return is_signed ? primitive::int32 : primitive::uint32;
    default:
      return is_signed ? primitive::int64 : primitive::uint64;
  }
}

primitive number_of(const py::dtype& d) {
  const auto size = static_cast<std::size_t>(d.itemsize());
  switch (d.kind()) {
    case 'b':
      return primitive::boolean;
    case 'i':
      return whole_number(size, true);
    case 'u':
      return whole_number(size, false);
    case 'f':
      return size == 4                     ? primitive::float32
             : size == 8                   ? primitive::float64
             : size == sizeof(long double) ? primitive::float_long
                                           : primitive::opaque;
    case 'c':
      return size == 8    ? primitive::complex32
             : size == 16 ? primitive::complex64
                          : primitive::complex_long;
    default:
      return primitive::opaque;
  }
}

// The pair of two fields named `value` and `index`, where C has one of that layout.
primitive pair_of(const py::dtype& d) {
  const py::object names = d.attr("names");
  if (names.is_none() || !names.equal(py::make_tuple("value", "index"))) return primitive::opaque;
  const auto field = [&](const char* name) {
    const py::tuple described = d.attr("fields")[name];
    return std::pair(number_of(py::reinterpret_borrow<py::dtype>(described[0])),
                     described[1].cast<std::size_t>());
  };
  const auto [value, first] = field("value");
  const auto [index, second] = field("index");
  for (const primitive p : all_primitives) {
    const bool fits = with_type(p, [&](auto type) {
      using pair = typename decltype(type)::type;
      if constexpr (requires(pair x) { x.value, x.index; })
        return primitive_of<decltype(pair::value)>() == value &&
               primitive_of<decltype(pair::index)>() == index && first == 0 &&
               second == offsetof(pair, index) &&
               static_cast<std::size_t>(d.itemsize()) == sizeof(pair);
      else
        return false;
    });
    if (fits) return p;
  }
  return primitive::opaque;
}

template <class T>
void store(std::byte* to, const py::handle& number) {
  if constexpr (std::is_floating_point_v<T>) {
    const double value = PyFloat_AsDouble(number.ptr());
    if (value == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    const T narrow = static_cast<T>(value);
    std::memcpy(to, &narrow, sizeof narrow);
  } else {
    using wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    wide value;
    if constexpr (std::is_signed_v<T>)
      value = PyLong_AsLongLong(number.ptr());
    else
      value = PyLong_AsUnsignedLongLong(number.ptr());
    if (value == static_cast<wide>(-1) && PyErr_Occurred() != nullptr)
      throw py::error_already_set();
    if (value < static_cast<wide>(std::numeric_limits<T>::min()) ||
        value > static_cast<wide>(std::numeric_limits<T>::max())) {
      PyErr_Format(PyExc_OverflowError, "%R is no number of %d bytes", number.ptr(),
                   static_cast<int>(sizeof(T)));
      throw py::error_already_set();
    }
    const T narrow = static_cast<T>(value);
    std::memcpy(to, &narrow, sizeof narrow);
  }
}

template <class T>
py::object load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return py::cast(value);
}

// Numbers that C++ and Python convert without numpy.
constexpr bool is_plain(primitive p) {
  return p >= primitive::int8 && p <= primitive::float64;
}

}  // namespace

bool element_type::is(const py::dtype& other) const {
  return dtype.is(other) ||
         py::detail::npy_api::get().PyArray_EquivTypes_(dtype.ptr(), other.ptr());
}

element_type element_of(const py::object& dtype_like) {
  const py::dtype d = py::dtype::from_args(dtype_like);
  const std::string text = py::str(static_cast<py::handle>(d));
  if (d.attr("hasobject").cast<bool>())
    throw py::type_error("a window holds no Python objects: dtype " + text);
  if (!d.attr("isnative").cast<bool>())
    throw py::type_error("a window's numbers have this machine's byte order, unlike dtype " + text);
  if (d.itemsize() == 0) throw py::type_error("dtype " + text + " has no bytes: give a size");
  const auto size = static_cast<std::size_t>(d.itemsize());
  primitive base = number_of(d);
  if (base == primitive::opaque) base = pair_of(d);
  if (base == primitive::opaque)
    return {d, datatype::bytes(size, d.attr("alignment").cast<std::size_t>()), base, size};
  return {d, datatype::of(base), base, size};
}

py::array elements(const element_type& t, const py::handle& values) {
  const bool is_array = py::isinstance<py::array>(values);
  if (is_array && t.is(py::reinterpret_borrow<py::array>(values).dtype()))
    return py::reinterpret_borrow<py::array>(values);
  const auto found = numpy("asarray")(values).cast<py::array>();
  if (found.size() == 0)
    return found.attr("astype")(t.dtype).cast<py::array>();  // none of any kind
  if (is_array || py::isinstance(values, numpy("generic")))
    return found.attr("astype")(t.dtype, py::arg("casting") = "same_kind").cast<py::array>();
  const char from = found.dtype().kind();
  const char to = t.dtype.kind();
  if ((from == 'f' || from == 'c') && (to == 'i' || to == 'u' || to == 'b'))
    throw py::type_error("fractions do not go into a window of " +
                         std::string(py::str(static_cast<py::handle>(t.dtype))));
  return numpy("asarray")(values, t.dtype).cast<py::array>();
}

element::element(const element_type& t, const py::handle& value) {
  const bool whole = PyLong_CheckExact(value.ptr()) != 0;
  const bool real = PyFloat_CheckExact(value.ptr()) != 0;
  if (is_plain(t.base) && (whole || (real && t.base >= primitive::float32))) {
    with_type(t.base, [&](auto type) {
      using number = typename decltype(type)::type;
      if constexpr (std::is_arithmetic_v<number>) store<number>(small_.data(), value);
    });
    return;
  }
  array_ = elements(t, value);
  if (array_.size() != 1)
    throw py::value_error("one element is needed, not " + std::to_string(array_.size()));
}

element_result::element_result(const element_type& t) : type_(t) {
  if (!is_plain(t.base) && t.base != primitive::boolean)
    array_ = py::array(t.dtype, std::vector<py::ssize_t>{});
}

py::object element_result::value() const {
  if (array_) return array_[py::tuple()];
  if (type_.base == primitive::boolean) return load<bool>(small_.data());
  return with_type(type_.base, [&](auto type) -> py::object {
    using number = typename decltype(type)::type;
    if constexpr (std::is_arithmetic_v<number>)
      return load<number>(small_.data());
    else
      return py::none();
  });
}

}  // namespace oriel::python
