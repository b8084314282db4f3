#include "bindings/python/src/device_array.hpp"

#include <numeric>

#include "bindings/python/src/session.hpp"
#include "kinds/classify.hpp"

namespace oriel::python {

namespace {

using kinds::residence;
using kinds::vendor;

dlpack::device device_of(const kinds::device_allocation& found) {
  const bool host = found.where == residence::host;
  switch (found.whose) {
    case vendor::cuda:
      return {found.where == residence::managed ? dlpack::device_type::cuda_managed
              : host                            ? dlpack::device_type::cuda_host
                                                : dlpack::device_type::cuda,
              host ? 0 : found.device};
    case vendor::rocm:
      return {host ? dlpack::device_type::rocm_host : dlpack::device_type::rocm,
              host ? 0 : found.device};
    default:
      return {dlpack::device_type::oneapi, found.device};
  }
}

// What an exported tensor refers to, in one allocation.
struct exported_tensor {
  dlpack::managed_tensor managed;
  std::vector<std::int64_t> shape;
  py::object owner;
};

void drop(dlpack::managed_tensor* managed) {
  const py::gil_scoped_acquire locked;
  delete static_cast<exported_tensor*>(managed->manager);
}

// A tensor of somebody else's, taken from its capsule.
memory_view imported(const py::object& of, const element_type* type) {
  py::object capsule = of.attr("__dlpack__")();
  auto* const managed =
      static_cast<dlpack::managed_tensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw py::error_already_set();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  const py::capsule owner(managed, [](void* mine) {
    auto* const theirs = static_cast<dlpack::managed_tensor*>(mine);
    if (theirs->deleter != nullptr) theirs->deleter(theirs);
  });
  const dlpack::tensor& t = managed->of;
  std::int64_t dense = 1;
  for (std::int32_t d = t.dimensions; d-- > 0;) {
    if (t.strides != nullptr && t.shape[d] > 1 && t.strides[d] != dense)
      throw py::value_error("an array on a device must have no gaps, in C's order");
    dense *= t.shape[d];
  }
  if (type != nullptr) {
    const dlpack::number_type wanted = dlpack::type_of(*type);
    if (wanted.code != t.type.code || wanted.bits != t.type.bits || t.type.lanes != 1)
      throw py::type_error("an array on a device must have the window's dtype, " +
                           std::string(py::str(static_cast<py::handle>(type->dtype))));
  }
  const std::size_t size = static_cast<std::size_t>(t.type.bits) * t.type.lanes / 8;
  return {static_cast<std::byte*>(t.data) + t.byte_offset, static_cast<std::size_t>(dense) * size,
          owner};
}

}  // namespace

dlpack::number_type dlpack::type_of(const element_type& t) {
  const auto bits = static_cast<std::uint8_t>(8 * t.size);
  switch (t.base == primitive::opaque ? '?' : t.dtype.kind()) {
    case 'i':
      return {0, bits, 1};
    case 'u':
      return {1, bits, 1};
    case 'f':
      return {2, bits, 1};
    case 'c':
      return {5, bits, 1};
    case 'b':
      return {6, bits, 1};
    default:
      throw py::type_error("DLPack has no elements of dtype " +
                           std::string(py::str(static_cast<py::handle>(t.dtype))));
  }
}

std::size_t device_array::count() const {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), py::ssize_t{1}, std::multiplies<>()));
}

dlpack::device device_array::where() const {
  const auto found = kinds::classify(data);
  return found ? device_of(*found) : dlpack::device{};
}

py::capsule device_array::exported() const {
  auto made = std::make_unique<exported_tensor>();
  made->shape.assign(shape.begin(), shape.end());
  made->owner = owner;
  made->managed = {{data, where(), static_cast<std::int32_t>(shape.size()), dlpack::type_of(type),
                    made->shape.data(), nullptr, 0},
                   made.get(),
                   drop};
  const py::capsule capsule(&made->managed, "dltensor", [](PyObject* mine) {
    // One that nobody has taken; a consumer has renamed it and drops the tensor itself.
    if (PyCapsule_IsValid(mine, "dltensor") == 0) return;
    drop(static_cast<dlpack::managed_tensor*>(PyCapsule_GetPointer(mine, "dltensor")));
  });
  static_cast<void>(made.release());
  return capsule;
}

py::object array_on(const element_type& type, const std::vector<py::ssize_t>& shape,
                    std::byte* data, py::object owner) {
  const auto found = kinds::classify(data);
  if (found && found->where == residence::device)
    return py::cast(device_array{type, shape, data, std::move(owner)});
  return py::array(type.dtype, shape, data, owner);
}

bool is_on_device(const py::handle& of) {
  if (py::isinstance<py::array>(of) || PyLong_Check(of.ptr()) || PyFloat_Check(of.ptr()))
    return false;
  return py::isinstance<device_array>(of) || py::isinstance<allocation>(of) ||
         py::hasattr(of, "__dlpack_device__");
}

memory_view memory_of(const py::object& of, memory_use use, const element_type* type) {
  if (py::isinstance<allocation>(of)) {
    const auto& a = of.cast<const allocation&>();
    return {a.bytes.data(), a.bytes.size(), of};
  }
  if (py::isinstance<device_array>(of)) {
    const auto& a = of.cast<const device_array&>();
    if (type != nullptr && !type->is(a.type.dtype))
      throw py::type_error("an array on a device must have the window's dtype");
    return {a.data, a.count() * a.type.size, of};
  }
  if (!PyObject_CheckBuffer(of.ptr())) {
    if (py::hasattr(of, "__dlpack__")) return imported(of, type);
    throw py::type_error(
        "no memory: an array, a buffer, an oriel.Memory or an object with "
        "__dlpack__ is needed");
  }
  const py::buffer_info seen = py::reinterpret_borrow<py::buffer>(of).request();
  py::ssize_t dense = seen.itemsize;
  for (py::ssize_t d = seen.ndim; d-- > 0;) {
    if (seen.shape[static_cast<std::size_t>(d)] > 1 &&
        seen.strides[static_cast<std::size_t>(d)] != dense)
      throw py::value_error("the memory must have no gaps, in C's order");
    dense *= seen.shape[static_cast<std::size_t>(d)];
  }
  if (use == memory_use::written && seen.readonly) throw py::value_error("the memory is read-only");
  return {static_cast<std::byte*>(seen.ptr), static_cast<std::size_t>(seen.size * seen.itemsize),
          of};
}

void define_device_array(py::module_& m) {
  py::class_<device_array>(m, "DeviceArray")
      .def_property_readonly("shape",
                             [](const device_array& a) { return py::tuple(py::cast(a.shape)); })
      .def_property_readonly("dtype", [](const device_array& a) { return a.type.dtype; })
      .def_property_readonly("size", &device_array::count)
      .def_property_readonly(
          "address", [](const device_array& a) { return reinterpret_cast<std::uintptr_t>(a.data); })
      .def("__len__", [](const device_array& a) { return a.shape.empty() ? 1 : a.shape.front(); })
      .def("__dlpack_device__",
           [](const device_array& a) {
             const dlpack::device d = a.where();
             return py::make_tuple(static_cast<std::int32_t>(d.type), d.number);
           })
      .def(
          "__dlpack__", [](const device_array& a, const py::object&) { return a.exported(); },
          py::arg("stream") = py::none());
}

}  // namespace oriel::python
