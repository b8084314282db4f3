// Epochs, also as context managers, and flushes.
#include <optional>

#include "bindings/python/src/arguments.hpp"
#include "bindings/python/src/window.hpp"

namespace oriel::python {

namespace {

enum class kind { fence, access, exposure, lock, lock_all };

// An epoch that is open, or a fence epoch that `with` opens. It ends with `with` or by end(); one
// that is dropped stays open.
struct epoch_object {
  py::object window;
  kind of;
  rank r = any_rank;
  sync_mode mode{};
  bool open = true;
};

void end(epoch_object& e) {
  if (!e.open) return;
  e.open = false;
  auto& w = e.window.cast<window_object&>();
  w.complete(e.r, [&](call_site site) -> status {
    switch (e.of) {
      case kind::fence:
        return w.any().fence(e.mode, site);
      case kind::access:
        return w.any().complete(site);
      case kind::exposure:
        return w.any().wait(site);
      case kind::lock:
        return w.any().unlock(e.r, site);
      case kind::lock_all:
        return w.any().unlock_all(site);
    }
    return {};
  });
}

py::object enter(py::object self) {
  auto& e = self.cast<epoch_object&>();
  if (e.of == kind::fence && !e.open) {
    auto& w = e.window.cast<window_object&>();
    w.complete(any_rank, [&](call_site site) { return w.any().fence(e.mode, site); });
    e.open = true;
  }
  return self;
}

// What the body raised goes on; a failure of the end is then its consequence.
void leave(epoch_object& e, const py::object& raised, const py::args&) {
  try {
    end(e);
  } catch (const error&) {
    if (raised.is_none()) throw;
  }
}

sync_mode mode_from(std::uint32_t bits) {
  return {bits};
}

epoch_object lock(const py::object& self, lock_kind how, int r, std::uint32_t mode) {
  auto& w = self.cast<window_object&>();
  const rank to = w.at(r, 0, 0, -1).r;
  const call_site site = python_caller();
  check(w.any(), unlocked([&] { return w.any().lock(how, to, mode_from(mode), site); }));
  return {self, kind::lock, to};
}

epoch_object lock_all(const py::object& self, std::uint32_t mode) {
  auto& w = self.cast<window_object&>();
  const call_site site = python_caller();
  check(w.any(), unlocked([&] { return w.any().lock_all(mode_from(mode), site); }));
  return {self, kind::lock_all};
}

epoch_object start(const py::object& self, const py::iterable& targets, std::uint32_t mode) {
  auto& w = self.cast<window_object&>();
  const std::vector<rank> ranks = ranks_from(targets);
  const call_site site = python_caller();
  check(w.any(), unlocked([&] { return w.any().start(ranks, mode_from(mode), site); }));
  return {self, kind::access};
}

epoch_object post(const py::object& self, const py::iterable& origins, std::uint32_t mode) {
  auto& w = self.cast<window_object&>();
  const std::vector<rank> ranks = ranks_from(origins);
  const call_site site = python_caller();
  check(w.any(), unlocked([&] { return w.any().post(ranks, mode_from(mode), site); }));
  return {self, kind::exposure};
}

void fence(window_object& w, std::uint32_t mode) {
  w.complete(any_rank, [&](call_site site) { return w.any().fence(mode_from(mode), site); });
}

void flush(window_object& w, int r, flush_scope scope) {
  const rank to = r == any_rank.value ? any_rank : w.at(r, 0, 0, -1).r;
  w.complete(to, [&](call_site site) { return w.any().flush(to, scope, site); });
}

void define_flushes(window_class& c) {
  c.def(
       "flush", [](window_object& w, int r) { flush(w, r, flush_scope::target); }, py::arg("rank"))
      .def("flush_all", [](window_object& w) { flush(w, any_rank.value, flush_scope::target); })
      .def(
          "flush_local", [](window_object& w, int r) { flush(w, r, flush_scope::local); },
          py::arg("rank"))
      .def("flush_local_all",
           [](window_object& w) { flush(w, any_rank.value, flush_scope::local); })
      .def("sync", [](window_object& w) { check(w.any(), w.any().sync(python_caller())); });
}

}  // namespace

void define_epochs(py::module_& m, window_class& c) {
  py::class_<epoch_object>(m, "Epoch")
      .def("end", end)
      .def("__enter__", enter)
      .def("__exit__", leave);
  const py::arg_v mode("mode", 0);
  c.def("fence", fence, mode)
      .def(
          "fence_epoch",
          [](const py::object& self, std::uint32_t bits) {
            return epoch_object{self, kind::fence, any_rank, mode_from(bits), false};
          },
          mode)
      .def("post", post, py::arg("origins"), mode)
      .def("start", start, py::arg("targets"), mode)
      .def("complete",
           [](window_object& w) {
             w.complete(any_rank, [&](call_site site) { return w.any().complete(site); });
           })
      .def("wait",
           [](window_object& w) {
             w.complete(any_rank, [&](call_site site) { return w.any().wait(site); });
           })
      .def("test",
           [](window_object& w) {
             if (!w.promises(assertion::pscw) || !w.any().valid())
               check(w.any(), w.any().wait(python_caller()));
             return w.any().test(python_caller());
           })
      .def(
          "lock_shared",
          [](const py::object& self, int r, std::uint32_t bits) {
            return lock(self, lock_kind::shared, r, bits);
          },
          py::arg("rank"), mode)
      .def(
          "lock_exclusive",
          [](const py::object& self, int r, std::uint32_t bits) {
            return lock(self, lock_kind::exclusive, r, bits);
          },
          py::arg("rank"), mode)
      .def(
          "unlock",
          [](window_object& w, int r) {
            const rank to = w.at(r, 0, 0, -1).r;
            w.complete(to, [&](call_site site) { return w.any().unlock(to, site); });
          },
          py::arg("rank"))
      .def("lock_all", lock_all, mode)
      .def("unlock_all", [](window_object& w) {
        w.complete(any_rank, [&](call_site site) { return w.any().unlock_all(site); });
      });
  define_flushes(c);
}

}  // namespace oriel::python
