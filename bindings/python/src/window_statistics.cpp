// What a rank has done on a window, as arrays by kind of operation, route, size and cause.
#include "oriel/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bindings/python/src/window.hpp"

namespace oriel::python {

namespace {

struct statistics_object {
  py::array operations, bytes, by_size, waits, wait_seconds;
  std::uint64_t packets, packed, agent_wakes, retries, messages;
};

// `value` of each of the numbers below the product of the sizes; nobody changes it.
template <class T, class Value>
py::array filled(const std::vector<py::ssize_t>& sizes, Value value) {
  py::array_t<T> array(sizes);
  for (py::ssize_t i = 0; i < array.size(); ++i)
    array.mutable_data()[i] = value(static_cast<std::size_t>(i));
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

statistics_object statistics_of(const window_object& w) {
  const window_statistics s = w.any().statistics();
  const auto tally = [&s](std::size_t i) -> const window_statistics::tally& {
    return s.operations[i / access_routes][i % access_routes];
  };
  const std::vector<py::ssize_t> by_kind_and_route{operation_kinds, access_routes};
  using seconds = std::chrono::duration<double>;
  return {
      filled<std::uint64_t>(by_kind_and_route, [&](std::size_t i) { return tally(i).operations; }),
      filled<std::uint64_t>(by_kind_and_route, [&](std::size_t i) { return tally(i).bytes; }),
      filled<std::uint64_t>({size_classes}, [&](std::size_t i) { return s.by_size[i]; }),
      filled<std::uint64_t>({wait_causes}, [&](std::size_t i) { return s.waits[i].times; }),
      filled<double>({wait_causes},
                     [&](std::size_t i) { return seconds(s.waits[i].time).count(); }),
      s.packets,
      s.packed,
      s.agent_wakes,
      s.retries,
      s.messages};
}

std::uint64_t sum(const py::array& counts) {
  return counts.attr("sum")().cast<std::uint64_t>();
}

}  // namespace

void define_statistics(py::module_& m, window_class& c) {
  using statistics = statistics_object;
  py::class_<statistics>(m, "WindowStatistics")
      .def_readonly("operations", &statistics::operations)
      .def_readonly("bytes", &statistics::bytes)
      .def_readonly("by_size", &statistics::by_size)
      .def_readonly("waits", &statistics::waits)
      .def_readonly("wait_seconds", &statistics::wait_seconds)
      .def_readonly("packets", &statistics::packets)
      .def_readonly("packed", &statistics::packed)
      .def_readonly("agent_wakes", &statistics::agent_wakes)
      .def_readonly("retries", &statistics::retries)
      .def_readonly("messages", &statistics::messages)
      .def("__repr__", [](const statistics& s) {
        return "<oriel.WindowStatistics: " + std::to_string(sum(s.operations)) + " operations of " +
               std::to_string(sum(s.bytes)) + " bytes, " + std::to_string(sum(s.waits)) + " waits>";
      });
  c.def("statistics", statistics_of);
}

}  // namespace oriel::python
