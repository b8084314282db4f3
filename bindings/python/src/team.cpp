#include "oriel/team.hpp"

#include "bindings/python/src/arguments.hpp"
#include "bindings/python/src/element_type.hpp"
#include "bindings/python/src/errors.hpp"
#include "bindings/python/src/info.hpp"

namespace oriel::python {

namespace {

void require_dense(const py::array& a, const char* call) {
  if ((a.flags() & py::array::c_style) == 0)
    throw py::value_error(std::string(call) + " needs an array without gaps, in C's order");
}

// In place; the arrays of all ranks have one size.
void broadcast(const team& t, py::array values, int root) {
  require_dense(values, "broadcast");
  const auto bytes = static_cast<std::size_t>(values.nbytes());
  void* const data = values.mutable_data();
  check(unlocked([&] { return t.broadcast_bytes(data, bytes, rank{root}); }));
}

// Returns the arrays of all ranks, by rank.
py::array allgather(const team& t, const py::object& value) {
  const py::module_ numpy = py::module_::import("numpy");
  const auto given = numpy.attr("asarray")(value).cast<py::array>();
  const auto mine = numpy.attr("ascontiguousarray")(given).cast<py::array>();
  std::vector<py::ssize_t> shape{t.size()};
  shape.insert(shape.end(), given.shape(), given.shape() + given.ndim());
  element_type type = element_of(mine.dtype());
  py::array all(type.dtype, shape);
  void* const to = all.mutable_data();
  const auto bytes = static_cast<std::size_t>(mine.nbytes());
  check(unlocked([&] { return t.allgather_bytes(mine.data(), bytes, to); }));
  return all;
}

// A Python int is an int64, a float a float64, a bool a bool; numpy's scalars are their own types.
py::object allreduce(const team& t, const py::object& value, int op) {
  const element_type type = element_of(
      py::module_::import("numpy").attr("asarray")(value).attr("dtype").cast<py::object>());
  const element mine(type, value);
  element_result all(type);
  unlocked([&] {
    with_type(type.base, [&](auto of) {
      using number = typename decltype(of)::type;
      if constexpr (primitive_of<number>() == primitive::opaque ||
                    primitive_of<number>() == primitive::byte) {
        throw error(errc::type, "allreduce needs numbers, not opaque bytes [type]");
      } else {
        const number result = t.allreduce(*static_cast<const number*>(mine.data()), op_from(op));
        *static_cast<number*>(all.data()) = result;
      }
    });
  });
  return all.value();
}

py::object team_or_none(team&& made) {
  return made.valid() ? py::cast(std::move(made)) : py::object(py::none());
}

}  // namespace

void define_team(py::module_& m) {
  py::class_<team>(m, "Team")
      .def_property_readonly("rank", [](const team& t) { return t.me().value; })
      .def_property_readonly("size", &team::size)
      .def("__len__", &team::size)
      .def_property_readonly("next", [](const team& t) { return t.next().value; })
      .def_property_readonly("previous", [](const team& t) { return t.previous().value; })
      .def(
          "world_rank",
          [](const team& t, int r) { return t.world_rank(rank_from(r, t.size())).value; },
          py::arg("rank"))
      .def(
          "on_node", [](const team& t, int r) { return t.on_node(rank_from(r, t.size())); },
          py::arg("rank"))
      .def("barrier", [](const team& t) { check(unlocked([&] { return t.barrier(); })); })
      .def("broadcast", broadcast, py::arg("values"), py::arg("root") = 0)
      .def("allgather", allgather, py::arg("value"))
      .def("allreduce", allreduce, py::arg("value"), py::arg("op"))
      .def(
          "split",
          [](const team& t, int color, int key) {
            return team_or_none(unlocked([&] { return t.split(color, key); }));
          },
          py::arg("color"), py::arg("key") = 0)
      .def(
          "subset",
          [](const team& t, const py::iterable& members) {
            const std::vector<rank> ranks = ranks_from(members);
            return team_or_none(unlocked([&] { return t.subset(ranks); }));
          },
          py::arg("members"))
      .def(
          "shrink",
          [](const team& t, bool every_part) {
            const partition p = every_part ? partition::every_part : partition::larger_part;
            return unlocked([&] { return t.shrink(p); });
          },
          py::kw_only(), py::arg("every_part") = false)
      .def_property_readonly("hints", [](const team& t) { return dict_from(t.hints()); })
      .def(
          "assert_memory_alloc_kinds",
          [](team& t, const py::object& kinds) {
            if (kinds.is_none()) return t.assert_memory_alloc_kinds(std::nullopt);
            const auto text = kinds.cast<std::string>();
            t.assert_memory_alloc_kinds(text);
          },
          py::arg("kinds"))
      .def("failure", &team::failure)
      .def("__repr__", [](const team& t) {
        return "<oriel.Team: rank " + std::to_string(t.me().value) + " of " +
               std::to_string(t.size()) + ">";
      });
}

}  // namespace oriel::python
