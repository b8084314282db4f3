// Notified puts, and waits for their counters.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "bindings/python/src/arguments.hpp"
#include "bindings/python/src/layout.hpp"
#include "bindings/python/src/window.hpp"

namespace oriel::python {

namespace {

using milliseconds = std::optional<std::chrono::milliseconds>;

// Seconds, or None, as an infinite number, for as long as waits of the session may take.
milliseconds limit_from(const py::object& given) {
  if (given.is_none()) return std::nullopt;
  constexpr double many_years = 1e9;
  const auto seconds = given.cast<double>();
  if (std::isnan(seconds)) throw py::value_error("at_most is a number of seconds, not nan");
  if (seconds > many_years) return std::nullopt;
  return std::chrono::milliseconds(std::llround(1000 * std::max(seconds, 0.0)));
}

// The caller's own limit is no failure of the window, which has no text of it.
void require_in_time(const window_object& w, status done, const milliseconds& limit) {
  if (limit && done.code() == errc::timed_out && w.any().failure().empty())
    throw error(errc::timed_out, "no notification that was waited for has come within " +
                                     std::to_string(limit->count()) + " ms [timed_out]");
}

void put_notify(window_object& w, int r, std::int64_t i, const py::object& values,
                std::size_t counter, std::uint32_t amount, const py::object& strides) {
  const bool dense = strides.is_none() && !w.promises(assertion::user_datatype);
  const buffer from = source_of(w, values, dense);
  const placement there = placement_of(w, from, strides);
  const target to = w.at(r, i, there.lowest, there.highest);
  check(w.any(), unlocked([&] {
          if (!shaped(from, there))
            return w.any().put_notify(to.r, to.i, from.data, from.count, counter, amount, to.site);
          const shape of = dense_layout(w, from.count);
          return w.any().put_notify(to.r, to.i, from.data, from.layout.value_or(of),
                                    there.layout.value_or(of), counter, amount, to.site);
        }));
}

void notify(window_object& w, int r, std::size_t counter, std::uint32_t amount) {
  const target to = w.at(r, 0, 0, -1);
  check(w.any(), unlocked([&] {
          return w.any().put_notify(to.r, disp{0}, nullptr, 0, counter, amount, to.site);
        }));
}

void wait_notify(window_object& w, std::size_t counter, std::uint64_t at_least,
                 const py::object& at_most) {
  const milliseconds limit = limit_from(at_most);
  const call_site site = python_caller();
  const status done = unlocked([&] { return w.any().wait_notify(counter, at_least, limit, site); });
  require_in_time(w, done, limit);
  check(w.any(), done);
}

std::size_t wait_notify_any(window_object& w, std::size_t first, const py::iterable& at_least,
                            const py::object& at_most) {
  std::vector<std::uint64_t> values;
  for (const auto& one : at_least)
    values.push_back(one.is_none() ? std::numeric_limits<std::uint64_t>::max()
                                   : one.cast<std::uint64_t>());
  const milliseconds limit = limit_from(at_most);
  const call_site site = python_caller();
  std::size_t counter = 0;
  const status done =
      unlocked([&] { return w.any().wait_notify_any(first, values, counter, limit, site); });
  require_in_time(w, done, limit);
  check(w.any(), done);
  return counter;
}

// The counters that a window lacks are a failure that only its text tells.
std::uint64_t read(window_object& w, std::size_t counter, bool take) {
  if (!w.promises(assertion::notify) || !w.any().valid()) {
    std::size_t unused = 0;
    check(w.any(), w.any().wait_notify_any(counter, {}, unused, {}, python_caller()));
  }
  const call_site site = python_caller();
  const std::uint64_t value =
      take ? w.any().take_notified(counter, site) : w.any().notified(counter, site);
  if (value == 0)
    check(w.any(), w.any().wait_notify(counter, 0, std::chrono::milliseconds(0), site));
  return value;
}

}  // namespace

void define_notifications(window_class& c) {
  const py::arg r("rank");
  const py::arg counter("counter");
  const py::arg_v amount("amount", 1);
  const py::arg_v at_most("at_most", py::none());
  c.def("put_notify", put_notify, r, py::arg("disp"), py::arg("values"), counter, amount,
        py::kw_only(), py::arg("strides") = py::none())
      .def("notify", notify, r, counter, amount)
      .def("wait_notify", wait_notify, counter, py::arg("at_least"), at_most)
      .def("wait_notify_any", wait_notify_any, py::arg("first"), py::arg("at_least"), at_most)
      .def(
          "notified", [](window_object& w, std::size_t k) { return read(w, k, false); }, counter)
      .def(
          "take_notified", [](window_object& w, std::size_t k) { return read(w, k, true); },
          counter);
}

}  // namespace oriel::python
