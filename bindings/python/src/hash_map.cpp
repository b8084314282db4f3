#include "bindings/python/src/hash_map.hpp"

#include "bindings/python/src/element_type.hpp"
#include "bindings/python/src/errors.hpp"

namespace oriel::python {

namespace {

// Throws TypeError for a type whose equal values may differ in their bytes.
void require_unique_bytes(const py::dtype& d) {
  const py::dtype base = d.attr("base").cast<py::dtype>();  // of an array in a structure
  if (base.kind() == 'f' || base.kind() == 'c')
    throw py::type_error("keys are compared by their bytes: no floating point");
  if (base.attr("names").is_none()) return;
  py::ssize_t bytes = 0;
  for (const auto& field : base.attr("fields").attr("values")()) {
    const auto type = py::tuple(py::reinterpret_borrow<py::object>(field))[0].cast<py::dtype>();
    require_unique_bytes(type);
    bytes += type.itemsize();
  }
  if (bytes != base.itemsize())
    throw py::type_error("keys are compared by their bytes: no gaps between the fields");
}

class map_object {
 public:
  map_object(const team& members, std::uint64_t expected, const py::object& key_dtype,
             const py::object& value_dtype, const hash_map_options& options)
      : key_(element_of(key_dtype)), value_(element_of(value_dtype)) {
    const map_maker make = maker();
    map_ = unlocked([&] { return make(members, expected, options); });
  }
  ~map_object() { free(); }
  map_object(const map_object&) = delete;
  map_object& operator=(const map_object&) = delete;

  void free() {
    unlocked([this] { map_.reset(); });
  }
  [[nodiscard]] typed_map& map() const {
    if (map_ == nullptr) throw error(errc::win, "this hash map has been freed [win]");
    return *map_;
  }
  [[nodiscard]] const element_type& key() const noexcept { return key_; }
  [[nodiscard]] const element_type& value() const noexcept { return value_; }

  // Dense arrays of the map's types.
  [[nodiscard]] py::array keys(const py::object& given) const { return dense(key_, given); }
  [[nodiscard]] py::array values(const py::object& given, py::ssize_t n) const {
    py::array found = elements(value_, given);
    if (found.ndim() == 0)
      found = py::module_::import("numpy").attr("full")(n, found, value_.dtype).cast<py::array>();
    found = dense(value_, found);
    if (found.size() != n)
      throw py::value_error(std::to_string(n) + " keys and " + std::to_string(found.size()) +
                            " values");
    return found;
  }

  // Runs a batch and returns its count; raises what failed.
  template <class Batch>
  std::size_t run(Batch batch) const {
    typed_map& m = map();
    const bulk_result done = unlocked([&] { return batch(m); });
    check(done.outcome);
    return done.count;
  }

 private:
  [[nodiscard]] map_maker maker() const {
    require_unique_bytes(key_.dtype);
    if (value_.size != 8) throw py::type_error("values have 8 bytes: i8, u8, f8 or a structure");
    switch (key_.size) {
      case 8:
        return make_map_8;
      case 16:
        return make_map_16;
      case 32:
        return make_map_32;
      default:
        throw py::type_error("keys have 8, 16 or 32 bytes: i8, u8, S8, S16, S32 or a structure");
    }
  }
  static py::array dense(const element_type& t, const py::object& given) {
    return py::module_::import("numpy")
        .attr("ascontiguousarray")(elements(t, given))
        .cast<py::array>();
  }

  element_type key_;
  element_type value_;
  std::unique_ptr<typed_map> map_;
};

// Flags are written as bools of one byte, which numpy's are.
bool* flags_of(const py::object& out, py::ssize_t n) {
  if (out.is_none()) return nullptr;
  auto flags = out.cast<py::array_t<bool, py::array::c_style>>();
  if (!flags.is(out) || flags.size() != n)
    throw py::value_error("flags are a dense array of bool, as many as keys");
  return flags.mutable_data();
}

// A phase that `with` opens and ends; its operations are the map's.
struct phase_object {
  py::object map;
  phase_kind kind;
  bool open = false;

  [[nodiscard]] const map_object& in() const {
    if (!open) throw error(errc::rma_sync, "hash_map: an operation on a phase that has ended");
    return map.cast<const map_object&>();
  }
};

void end(phase_object& p) {
  if (!std::exchange(p.open, false)) return;
  typed_map& m = p.map.cast<const map_object&>().map();
  check(unlocked([&] { return m.end(); }));
}

phase_object begin(const py::object& map, phase_kind kind) {
  typed_map& m = map.cast<const map_object&>().map();
  unlocked([&] { m.begin(kind); });
  return {map, kind, true};
}

using inserter = bulk_result (typed_map::*)(const void*, const void*, bool*, std::size_t);

std::size_t write(const phase_object& p, inserter how, const py::object& given_keys,
                  const py::object& given_values, const py::object& flags) {
  const map_object& m = p.in();
  const py::array keys = m.keys(given_keys);
  const py::array values = m.values(given_values, keys.size());
  bool* const inserted = flags_of(flags, keys.size());
  return m.run([&](typed_map& to) {
    return (to.*how)(keys.data(), values.data(), inserted, static_cast<std::size_t>(keys.size()));
  });
}

std::size_t fetch_add(const phase_object& p, const py::object& given_keys,
                      const py::object& operands, const py::object& out) {
  const map_object& m = p.in();
  if (m.value().dtype.kind() != 'i' && m.value().dtype.kind() != 'u')
    throw py::type_error("fetch_add adds whole numbers");
  const py::array keys = m.keys(given_keys);
  const py::array values = m.values(operands, keys.size());
  void* before = nullptr;
  if (!out.is_none()) {
    if (!py::isinstance<py::array>(out) || !m.value().is(out.attr("dtype").cast<py::dtype>()) ||
        !out.attr("flags").attr("c_contiguous").cast<bool>() ||
        py::len(out) != static_cast<std::size_t>(keys.size()))
      throw py::value_error("out is a dense array of the values' dtype, as many as keys");
    before = out.cast<py::array>().mutable_data();
  }
  return m.run([&](typed_map& to) {
    return to.fetch_add(keys.data(), values.data(), before, static_cast<std::size_t>(keys.size()));
  });
}

py::tuple find(const phase_object& p, const py::object& given_keys, const py::object& out) {
  const map_object& m = p.in();
  const py::array keys = m.keys(given_keys);
  const py::module_ numpy = py::module_::import("numpy");
  const py::array values = out.is_none()
                               ? numpy.attr("zeros")(keys.size(), m.value().dtype).cast<py::array>()
                               : out.cast<py::array>();
  if (!m.value().is(values.dtype()) || values.size() != keys.size() ||
      (values.flags() & py::array::c_style) == 0)
    throw py::value_error("out is a dense array of the values' dtype, as many as keys");
  py::array_t<bool> found(keys.size());
  void* const to = py::array(values).mutable_data();
  bool* const flags = found.mutable_data();
  m.run([&](typed_map& from) {
    return from.find(keys.data(), to, flags, static_cast<std::size_t>(keys.size()));
  });
  return py::make_tuple(values, found);
}

std::size_t erase(const phase_object& p, const py::object& given_keys, const py::object& flags) {
  const map_object& m = p.in();
  const py::array keys = m.keys(given_keys);
  bool* const erased = flags_of(flags, keys.size());
  return m.run([&](typed_map& from) {
    return from.erase(keys.data(), erased, static_cast<std::size_t>(keys.size()));
  });
}

// The elements of this rank: keys and values.
py::tuple local_items(const map_object& m) {
  const std::size_t n = m.map().local(nullptr, nullptr, 0);
  py::array keys(m.key().dtype, n);
  py::array values(m.value().dtype, n);
  m.map().local(keys.mutable_data(), values.mutable_data(), n);
  return py::make_tuple(keys, values);
}

void define_phase(py::module_& m) {
  const py::arg keys("keys");
  py::class_<phase_object>(m, "HashMapPhase")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__",
           [](phase_object& p, const py::object& raised, const py::args&) {
             try {
               end(p);
             } catch (const error&) {
               if (raised.is_none()) throw;
             }
           })
      .def("end", end)
      .def(
          "insert",
          [](const phase_object& p, const py::object& k, const py::object& v,
             const py::object& flags) { return write(p, &typed_map::insert, k, v, flags); },
          keys, py::arg("values"), py::arg("inserted") = py::none())
      .def(
          "insert_or_assign",
          [](const phase_object& p, const py::object& k, const py::object& v,
             const py::object& flags) { return write(p, &typed_map::assign, k, v, flags); },
          keys, py::arg("values"), py::arg("inserted") = py::none())
      .def("fetch_add", fetch_add, keys, py::arg("operands"), py::arg("out") = py::none())
      .def("find", find, keys, py::arg("out") = py::none())
      .def("erase", erase, keys, py::arg("erased") = py::none());
}

}  // namespace

void define_hash_map(py::module_& m) {
  define_phase(m);
  py::class_<map_object>(m, "HashMap")
      .def(py::init([](const team& t, std::uint64_t expected, const py::object& key_dtype,
                       const py::object& value_dtype, const std::string& name, double load_factor,
                       const std::string& memory_kind) {
             return std::make_unique<map_object>(t, expected, key_dtype, value_dtype,
                                                 hash_map_options{name, load_factor, memory_kind});
           }),
           py::arg("team"), py::arg("expected"), py::arg("key_dtype") = "u8",
           py::arg("value_dtype") = "u8", py::kw_only(), py::arg("name") = "hash_map",
           py::arg("load_factor") = 0.5, py::arg("memory_kind") = "")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](map_object& a, const py::args&) { a.free(); })
      .def("free", &map_object::free)
      .def("insert_only",
           [](const py::object& self) { return begin(self, phase_kind::insert_only); })
      .def("find_only", [](const py::object& self) { return begin(self, phase_kind::find_only); })
      .def("mixed", [](const py::object& self) { return begin(self, phase_kind::mixed); })
      .def("clear", [](const map_object& a) { unlocked([&] { a.map().clear(); }); })
      .def(
          "rehash",
          [](const map_object& a, std::uint64_t expected) {
            unlocked([&] { a.map().rehash(expected); });
          },
          py::arg("expected"))
      .def("size", [](const map_object& a) { return unlocked([&] { return a.map().size(); }); })
      .def("local_items", local_items)
      .def(
          "owner",
          [](const map_object& a, const py::object& key) {
            const py::array one = a.keys(key);
            if (one.size() != 1) throw py::value_error("owner is of one key");
            return a.map().owner(one.data());
          },
          py::arg("key"))
      .def("failure", [](const map_object& a) { return a.map().failure(); })
      .def("explain", [](const map_object& a) { return a.map().explain(); });
}

}  // namespace oriel::python
