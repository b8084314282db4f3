#include "bindings/python/src/session.hpp"

#include "bindings/python/src/arguments.hpp"
#include "bindings/python/src/device_array.hpp"
#include "bindings/python/src/element_type.hpp"
#include "bindings/python/src/errors.hpp"
#include "bindings/python/src/info.hpp"

namespace oriel::python {

namespace {

// What Python's Session is: a session, until it is closed.
class open_session {
 public:
  open_session(const py::object& comm, int threads, const py::object& hints) {
    session_options options;
    options.threads = static_cast<thread_level>(threads);
    options.hints = info_from(hints);
    const auto raised = std::make_shared<py::object>();
    if (!comm.is_none()) options.bootstrap = bootstrap_over(comm, raised);
    try {
      session_ = unlocked([&] { return std::make_shared<session>(options); });
    } catch (const error&) {
      if (!*raised) throw;
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised->ptr())), raised->ptr());
      throw py::error_already_set();
    }
  }
  ~open_session() { close(); }
  open_session(const open_session&) = delete;
  open_session& operator=(const open_session&) = delete;

  void close() {
    unlocked([this] { session_.reset(); });
  }
  [[nodiscard]] const std::shared_ptr<session>& get() const {
    if (session_ == nullptr) throw error(errc::arg, "this session is closed: open another [arg]");
    return session_;
  }

 private:
  std::shared_ptr<session> session_;
};

std::shared_ptr<allocation> allocate(const open_session& s, std::size_t bytes,
                                     const std::string& kind, const py::object& hints) {
  const info given = info_from(hints);
  const std::span<std::byte> made = unlocked([&] {
    return kind.empty() ? s.get()->alloc_mem(bytes, given) : s.get()->alloc_mem(bytes, kind, given);
  });
  return std::make_shared<allocation>(s.get(), made, kind.empty() ? "mpi:alloc_mem" : kind);
}

void copy(const open_session& s, const py::object& to, const py::object& from) {
  const memory_view target = memory_of(to, memory_use::written);
  const memory_view source = memory_of(from, memory_use::read);
  if (target.bytes != source.bytes)
    throw py::value_error("copy from " + std::to_string(source.bytes) + " bytes to " +
                          std::to_string(target.bytes) + "; both have one size");
  check(unlocked([&] { return s.get()->copy(target.data, source.data, target.bytes); }));
}

team team_of(const open_session& s, const py::iterable& members, const py::object& comm) {
  const std::vector<rank> ranks = ranks_from(members);
  const auto raised = std::make_shared<py::object>();
  const bootstrap_callbacks lent = bootstrap_over(comm, raised);
  try {
    return unlocked([&] { return s.get()->team_of(ranks, lent.allgather); });
  } catch (const error&) {
    if (!*raised) throw;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised->ptr())), raised->ptr());
    throw py::error_already_set();
  }
}

void define_memory(py::module_& m) {
  py::class_<allocation, std::shared_ptr<allocation>>(m, "Memory")
      .def_property_readonly("kind", [](const allocation& a) { return a.kind; })
      .def_property_readonly("nbytes", [](const allocation& a) { return a.bytes.size(); })
      .def_property_readonly(
          "address",
          [](const allocation& a) { return reinterpret_cast<std::uintptr_t>(a.bytes.data()); })
      .def(
          "array",
          [](const std::shared_ptr<allocation>& a, const py::object& dtype) {
            const element_type type = element_of(dtype);
            const auto n = static_cast<py::ssize_t>(a->bytes.size() / type.size);
            return array_on(type, {n}, a->bytes.data(), owner_of(a));
          },
          py::arg("dtype") = "u1")
      .def("__repr__", [](const allocation& a) {
        return "<oriel.Memory: " + std::to_string(a.bytes.size()) + " bytes, " + a.kind + ">";
      });
}

}  // namespace

void define_session(py::module_& m) {
  define_memory(m);
  py::class_<open_session>(m, "Session")
      .def(py::init<const py::object&, int, const py::object&>(), py::arg("comm") = py::none(),
           py::kw_only(), py::arg("threads") = static_cast<int>(thread_level::multiple),
           py::arg("hints") = py::none())
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](open_session& s, const py::args&) { s.close(); })
      .def("close", &open_session::close)
      .def_property_readonly("world", [](const open_session& s) { return s.get()->world(); })
      .def_property_readonly("node", [](const open_session& s) { return s.get()->node(); })
      .def_property_readonly("threads",
                             [](const open_session& s) {
                               return py::module_::import("oriel").attr("ThreadLevel")(
                                   static_cast<int>(s.get()->threads()));
                             })
      .def_property_readonly("hints",
                             [](const open_session& s) { return dict_from(s.get()->hints()); })
      .def("alloc_mem", allocate, py::arg("nbytes"), py::arg("kind") = "", py::kw_only(),
           py::arg("hints") = py::none())
      .def("copy", copy, py::arg("to"), py::arg("from_"))
      .def(
          "kind_of",
          [](const open_session& s, const py::object& memory) {
            return s.get()->kind_of(memory_of(memory, memory_use::read).data);
          },
          py::arg("memory"))
      .def("team_of", team_of, py::arg("members"), py::arg("comm"));
}

}  // namespace oriel::python
