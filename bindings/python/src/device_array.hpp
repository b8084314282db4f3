// Memory as arrays: numpy's where the host may load and store it, else a DeviceArray, which array
// libraries of devices take by DLPack.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "bindings/python/src/dlpack.hpp"
#include "bindings/python/src/element_type.hpp"

namespace oriel::python {

struct device_array {
  element_type type;
  std::vector<py::ssize_t> shape;  // dense, in C's order
  std::byte* data = nullptr;
  py::object owner;  // keeps the memory

  [[nodiscard]] std::size_t count() const;
  // Returns where the memory is; the host's has number 0.
  [[nodiscard]] dlpack::device where() const;
  // Returns a capsule named "dltensor", which keeps the memory until its consumer has dropped it.
  [[nodiscard]] py::capsule exported() const;
};

// Returns an object that holds `held`.
template <class T>
py::object owner_of(std::shared_ptr<T> held) {
  return py::capsule(new std::shared_ptr<T>(std::move(held)),
                     [](void* mine) { delete static_cast<std::shared_ptr<T>*>(mine); });
}

// Returns an array on the memory: numpy's, or a DeviceArray for memory of a device alone.
py::object array_on(const element_type&, const std::vector<py::ssize_t>& shape, std::byte* data,
                    py::object owner);

enum class memory_use { read, written };

// Contiguous memory that a Python object has.
struct memory_view {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  py::object owner;
};

// Returns the memory of an oriel.Memory, a DeviceArray, an object with __dlpack__ on a device, or a
// buffer. Throws TypeError for what has none, ValueError where it has gaps, is not writable though
// it would be written, or is of another type than `type`, where that is given.
memory_view memory_of(const py::object& of, memory_use use, const element_type* type = nullptr);

// Returns whether `of` stands for memory that numpy does not handle.
bool is_on_device(const py::handle& of);

void define_device_array(py::module_& m);

}  // namespace oriel::python
