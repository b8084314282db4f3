// Construction of windows, their memory, and what was agreed.
#include "bindings/python/src/window.hpp"

#include <algorithm>

#include "bindings/python/src/arguments.hpp"
#include "bindings/python/src/device_array.hpp"
#include "bindings/python/src/info.hpp"
#include "kinds/classify.hpp"
#include "oriel/window_options.hpp"
#include "win/window_core.hpp"

namespace oriel::python {

namespace {

window_options options_from(const py::kwargs& given) {
  window_options options;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (name == "name")
      options.name = value.cast<std::string>();
    else if (name == "hints")
      options.hints = info_from(py::reinterpret_borrow<py::object>(value));
    else if (name == "memory_kind")
      options.memory_kind = value.cast<std::string>();
    else if (name == "ops") {
      options.ops = op_set{};
      for (const auto& op : py::reinterpret_borrow<py::iterable>(value))
        options.ops = options.ops | op_set{op_from(op.cast<int>())};
    } else if (name == "displacements_are_addresses")
      options.displacements_are_addresses = value.cast<bool>();
    else if (name == "asynchronous_progress")
      options.asynchronous_progress = value.cast<bool>();
    else if (name == "aggregate")
      options.aggregate = value.cast<bool>();
    else if (name == "notify_counters")
      options.notify_counters = value.cast<std::size_t>();
    else
      throw py::type_error("a window has no option '" + name +
                           "'; valid: name, hints, memory_kind, ops, displacements_are_addresses, "
                           "asynchronous_progress, aggregate, notify_counters");
  }
  // Arrays that are made for a call are gone after it.
  options.hints.set("oriel_adversary", "false");
  return options;
}

std::vector<py::ssize_t> shape_from(const py::object& given) {
  std::vector<py::ssize_t> shape;
  if (py::isinstance<py::sequence>(given))
    shape = given.cast<std::vector<py::ssize_t>>();
  else
    shape = {given.cast<py::ssize_t>()};
  for (const py::ssize_t n : shape)
    if (n < 0) throw py::value_error("a shape has no negative sizes");
  return shape;
}

// Throws ValueError for more elements than there are numbers.
std::size_t count_of(const std::vector<py::ssize_t>& shape) {
  py::ssize_t n = 1;
  bool beyond = false;
  for (const py::ssize_t extent : shape) beyond = __builtin_mul_overflow(n, extent, &n) || beyond;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  if (beyond) throw py::value_error("a shape of more elements than any memory has");
  return static_cast<std::size_t>(n);
}

std::unique_ptr<window_object> allocate(const team& t, const py::object& shape,
                                        const py::object& dtype, std::uint32_t assertions,
                                        const py::kwargs& given) {
  element_type of = element_of(dtype);
  const window_options options = options_from(given);
  std::vector<py::ssize_t> local = shape_from(shape);
  any_window made = unlocked([&] {
    return any_window::allocate(t, count_of(local), of.type, assertion_set{assertions}, options);
  });
  return std::make_unique<window_object>(std::move(made), std::move(of), std::move(local),
                                         py::none());
}

// Throws ValueError where the last element is not whole.
std::size_t elements_in(const memory_view& seen, const element_type& of) {
  if (seen.bytes % of.size != 0)
    throw py::value_error(std::to_string(seen.bytes) + " bytes of memory are no whole number of " +
                          std::to_string(of.size) + "-byte elements");
  return seen.bytes / of.size;
}

// `memory` None: a window to attach to, or of a rank without memory.
std::unique_ptr<window_object> create(const team& t, const py::object& memory,
                                      std::uint32_t assertions, const py::object& dtype,
                                      const py::kwargs& given) {
  const window_options options = options_from(given);
  if (dtype.is_none() && !py::hasattr(memory, "dtype"))
    throw py::type_error("a window on no memory, or on memory without a dtype, needs one");
  element_type of = element_of(dtype.is_none() ? memory.attr("dtype").cast<py::object>() : dtype);
  memory_view seen;
  std::vector<py::ssize_t> shape{0};
  if (!memory.is_none()) {
    seen = memory_of(memory, memory_use::written);
    shape = {static_cast<py::ssize_t>(elements_in(seen, of))};
    if (dtype.is_none() && py::isinstance<py::array>(memory))
      shape = memory.attr("shape").cast<std::vector<py::ssize_t>>();
  }
  any_window made = unlocked([&] {
    return any_window::create(t, seen.data, elements_in(seen, of), of.type,
                              assertion_set{assertions}, options);
  });
  return std::make_unique<window_object>(std::move(made), std::move(of), std::move(shape), memory);
}

void require_valid(const window_object& w) {
  if (!w.any().valid()) throw error(errc::win, w.any().failure());
}

team team_of(const window_object& w) {
  require_valid(w);
  return w.any().members();
}

// Memory of a device alone is no promise of loads and stores: it has no ndarray.
std::byte* own_memory(const window_object& w) {
  std::byte* const memory = w.any().view().core->memory.local;
  const auto found = w.any().valid() ? kinds::classify(memory) : std::nullopt;
  return found && found->where == kinds::residence::device ? memory : w.any().local();
}

py::object local(const window_object& w) {
  require_valid(w);
  std::vector<py::ssize_t> shape = w.shape();
  if (count_of(shape) != w.any().local_count())
    shape = {static_cast<py::ssize_t>(w.any().local_count())};
  return array_on(w.element(), shape, own_memory(w), owner_of(w.core()));
}

// An array on what this process loads and stores; None where it cannot.
py::object array_or_none(const window_object& w, std::byte* base, std::uint64_t count) {
  if (base == nullptr) return py::none();
  return array_on(w.element(), {static_cast<py::ssize_t>(count)}, base, owner_of(w.core()));
}

py::tuple shared_query(const window_object& w, int r) {
  require_valid(w);
  if (r != any_rank.value) static_cast<void>(w.at(r, 0, 0, -1));
  const shared_segment<std::byte> s = w.any().shared_query(rank{r});
  return py::make_tuple(s.of.value, array_or_none(w, s.base, s.count));
}

struct segment_object {
  std::uint32_t handle;
  std::uint64_t first;
  std::uint64_t count;
  py::object array;
};

segment_object segment_from(const window_object& w, const segment<std::byte>& s) {
  return {static_cast<std::uint32_t>(s.handle), s.first.value, s.count,
          array_or_none(w, s.base, s.count)};
}

std::vector<segment_object> segments(const window_object& w, int r) {
  require_valid(w);
  const auto found = unlocked([&] { return w.any().segments(rank{r}); });
  std::vector<segment_object> made;
  made.reserve(found.size());
  for (const auto& s : found) made.push_back(segment_from(w, s));
  return made;
}

segment_object attach(const window_object& w, const py::object& memory) {
  const memory_view seen = memory_of(memory, memory_use::written);
  const std::size_t count = elements_in(seen, w.element());
  const call_site site = python_caller();
  const auto s = unlocked([&] { return w.any().attach(seen.data, count, site); });
  const auto handle = static_cast<std::uint32_t>(s.handle);
  w.core()->attached[handle] = memory;
  return {handle, s.first.value, s.count, memory};
}

void detach(const window_object& w, const py::object& which) {
  const auto handle = py::isinstance<segment_object>(which)
                          ? which.cast<const segment_object&>().handle
                          : which.cast<std::uint32_t>();
  const call_site site = python_caller();
  check(w.any(),
        unlocked([&] { return w.any().detach(static_cast<segment_handle>(handle), site); }));
  w.core()->attached.erase(handle);
}

// The buffer protocol is that of `local`: whoever holds the buffer holds the window's memory.
void export_buffers(PyHeapTypeObject* type) {
  type->ht_type.tp_as_buffer = &type->as_buffer;
  type->as_buffer.bf_getbuffer = [](PyObject* self, Py_buffer* view, int flags) {
    PyObject* const array = PyObject_GetAttrString(self, "local");
    if (array == nullptr) {
      view->obj = nullptr;
      return -1;
    }
    const int failed = PyObject_GetBuffer(array, view, flags);
    Py_DECREF(array);
    return failed;
  };
}

device_array as_device_array(const window_object& w) {
  return {w.element(),
          {static_cast<py::ssize_t>(w.any().local_count())},
          own_memory(w),
          owner_of(w.core())};
}

}  // namespace

void define_window(py::module_& m) {
  py::class_<segment_object>(m, "Segment")
      .def_readonly("handle", &segment_object::handle)
      .def_readonly("first", &segment_object::first)
      .def_readonly("count", &segment_object::count)
      .def_readonly("array", &segment_object::array);

  window_class c(m, "Window", py::custom_type_setup(export_buffers));
  c.def_static("allocate", allocate, py::arg("team"), py::arg("shape"), py::arg("dtype"),
               py::arg("assertions"))
      .def_static("create", create, py::arg("team"), py::arg("memory"), py::arg("assertions"),
                  py::arg("dtype") = py::none())
      .def("free", &window_object::free)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__",
           [](window_object& w, const py::object& raised, const py::args&) {
             try {
               w.leave();
             } catch (const error&) {
               if (raised.is_none()) throw;
             }
           })
      .def_property_readonly("valid", [](const window_object& w) { return w.any().valid(); })
      .def_property_readonly("team", team_of)
      .def_property_readonly("dtype", [](const window_object& w) { return w.element().dtype; })
      .def_property_readonly(
          "assertions",
          [](const window_object& w) {
            return py::module_::import("oriel").attr("Assertion")(w.any().assertions().bits);
          })
      .def_property_readonly("name", [](const window_object& w) { return w.any().name(); })
      .def_property_readonly("hints",
                             [](const window_object& w) { return dict_from(w.any().hints()); })
      .def_property_readonly("metadata_bytes",
                             [](const window_object& w) { return w.any().metadata_bytes(); })
      .def_property_readonly("local", local)
      .def("__len__", [](const window_object& w) { return w.any().local_count(); })
      .def("__dlpack_device__",
           [](const window_object& w) {
             const dlpack::device d = as_device_array(w).where();
             return py::make_tuple(static_cast<std::int32_t>(d.type), d.number);
           })
      .def(
          "__dlpack__",
          [](const window_object& w, const py::object&) { return as_device_array(w).exported(); },
          py::arg("stream") = py::none())
      .def(
          "remote",
          [](const window_object& w, int r) {
            require_valid(w);
            static_cast<void>(w.at(r, 0, 0, -1));
            const auto s = w.any().remote(rank{r});
            return array_or_none(w, s.base, s.count);
          },
          py::arg("rank"))
      .def("shared_query", shared_query, py::arg("rank") = any_rank.value)
      .def("segments", segments, py::arg("rank"))
      .def("attach", attach, py::arg("memory"))
      .def("detach", detach, py::arg("segment"))
      .def("explain", [](const window_object& w) { return w.any().explain(); })
      .def("failure", [](const window_object& w) { return w.any().failure(); })
      .def("first_failure", [](const window_object& w) { return w.any().first_failure(); })
      .def("clear_failure", [](const window_object& w) { w.any().clear_failure(); })
      .def("__repr__", [](const window_object& w) {
        const std::string what = w.any().valid() ? to_string(w.any().assertions()) : "freed";
        return "<oriel.Window '" + w.any().name() + "' of " +
               std::string(py::str(static_cast<py::handle>(w.element().dtype))) + ", " + what + ">";
      });
  define_access(c);
  define_deferred_access(c);
  define_lists(c);
  define_notifications(c);
  define_epochs(m, c);
  define_statistics(m, c);
}

}  // namespace oriel::python
