// put, get, accumulates and swaps of a window: results are there on return.
#include "bindings/python/src/arguments.hpp"
#include "bindings/python/src/layout.hpp"
#include "bindings/python/src/window.hpp"

namespace oriel::python {

namespace {

// From how many bytes on the interpreter's lock is worth its price.
constexpr std::size_t much = 4096;

bool is_number(const py::object& value) {
  return PyLong_CheckExact(value.ptr()) != 0 || PyFloat_CheckExact(value.ptr()) != 0;
}

// What an origin that has gaps needs of the window; else it is copied.
bool copies(const window_object& w) {
  return !w.promises(assertion::user_datatype);
}

bool waits(const window_object& w, rank r, std::size_t count) {
  return !w.near(r) || count * w.element().size > much;
}

void put(window_object& w, int r, std::int64_t i, const py::object& value,
         const py::object& strides) {
  if (strides.is_none() && is_number(value)) {
    const element one(w.element(), value);
    const target to = w.at(r, i);
    check(w.any(), unlocked_if(!w.near(to.r),
                               [&] { return w.any().put(to.r, to.i, one.data(), 1, to.site); }));
    return;
  }
  const buffer from = source_of(w, value, copies(w) && strides.is_none());
  const placement there = placement_of(w, from, strides);
  const target to = w.at(r, i, there.lowest, there.highest);
  const status done = unlocked_if(waits(w, to.r, from.count), [&] {
    if (!shaped(from, there)) return w.any().put(to.r, to.i, from.data, from.count, to.site);
    const shape dense = dense_layout(w, from.count);
    return w.any().put(to.r, to.i, from.data, from.layout.value_or(dense),
                       there.layout.value_or(dense), to.site);
  });
  check(w.any(), done);
  if (!w.near(to.r) && from.count != 1) w.hold(to.r, from.owner);
}

// Fills `into` and blocks until it is filled.
void fill(window_object& w, target from, const buffer& into, const placement& there) {
  check(w.any(), unlocked_if(waits(w, from.r, into.count), [&]() -> status {
          if (shaped(into, there)) {
            const shape dense = dense_layout(w, into.count);
            return w.any()
                .rget(from.r, from.i, into.data, into.layout.value_or(dense),
                      there.layout.value_or(dense), from.site)
                .wait();
          }
          if (w.near(from.r) || into.count == 1)
            return w.any().get(from.r, from.i, into.data, into.count, from.site);
          return w.any().rget(from.r, from.i, into.data, into.count, from.site).wait();
        }));
}

py::object get(window_object& w, int r, std::int64_t i, const py::object& count,
               const py::object& out, const py::object& strides) {
  if (count.is_none() && out.is_none()) {
    element_result one(w.element());
    const target from = w.at(r, i);
    check(w.any(), unlocked_if(!w.near(from.r), [&] {
            return w.any().get(from.r, from.i, one.data(), 1, from.site);
          }));
    return one.value();
  }
  if (!count.is_none() && !out.is_none()) throw py::type_error("get takes a count or out");
  const buffer into =
      out.is_none() ? new_result(w, count) : result_of(w, out, copies(w) && strides.is_none());
  const placement there = placement_of(w, into, strides);
  fill(w, w.at(r, i, there.lowest, there.highest), into, there);
  return out.is_none() ? into.owner : out;
}

void accumulate(window_object& w, int op, int r, std::int64_t i, const py::object& operands,
                const py::object& strides) {
  const atomic_op how = op_from(op);
  if (strides.is_none() && is_number(operands)) {
    const element one(w.element(), operands);
    const target to = w.at(r, i);
    check(w.any(), unlocked_if(!w.near(to.r), [&] {
            return w.any().accumulate(how, to.r, to.i, one.data(), 1, to.site);
          }));
    return;
  }
  const buffer from = source_of(w, operands, copies(w) && strides.is_none());
  const placement there = placement_of(w, from, strides);
  const target to = w.at(r, i, there.lowest, there.highest);
  const status done = unlocked_if(waits(w, to.r, from.count), [&] {
    if (!shaped(from, there))
      return w.any().accumulate(how, to.r, to.i, from.data, from.count, to.site);
    const shape dense = dense_layout(w, from.count);
    return w.any().accumulate(how, to.r, to.i, from.data, from.layout.value_or(dense),
                              there.layout.value_or(dense), to.site);
  });
  check(w.any(), done);
  if (!w.near(to.r) && from.count != 1) w.hold(to.r, from.owner);
}

void add(window_object& w, int r, std::int64_t i, const py::object& operands,
         const py::object& strides) {
  accumulate(w, static_cast<int>(atomic_op::sum), r, i, operands, strides);
}

py::object get_accumulate(window_object& w, int op, int r, std::int64_t i,
                          const py::object& operands, const py::object& out) {
  const atomic_op how = op_from(op);
  const bool reads = operands.is_none();
  if (reads && (out.is_none() || how != atomic_op::no_op))
    throw py::type_error("operands may be None for Op.no_op with out alone");
  const buffer from = reads ? buffer{} : source_of(w, operands, true);
  const buffer into =
      out.is_none() ? new_result(w, py::cast(from.extents)) : result_of(w, out, true);
  if (!reads && from.count != into.count) throw py::value_error("operands and out have one size");
  const target to = w.at(r, i, 0, static_cast<std::int64_t>(into.count) - 1);
  check(w.any(), unlocked([&]() -> status {
          if (w.near(to.r))
            return w.any().get_accumulate(how, to.r, to.i, from.data, into.data, into.count,
                                          to.site);
          return w.any()
              .rget_accumulate(how, to.r, to.i, from.data, into.data, into.count, to.site)
              .wait();
        }));
  return out.is_none() ? into.owner : out;
}

py::object fetch_op(window_object& w, int op, int r, std::int64_t i, const py::object& operand) {
  const atomic_op how = op_from(op);
  const element one(w.element(), operand);
  element_result before(w.element());
  const target to = w.at(r, i);
  check(w.any(), unlocked_if(!w.near(to.r), [&] {
          return w.any().fetch_op(how, to.r, to.i, one.data(), before.data(), to.site);
        }));
  return before.value();
}

py::object fetch_add(window_object& w, int r, std::int64_t i, const py::object& operand) {
  return fetch_op(w, static_cast<int>(atomic_op::sum), r, i, operand);
}

py::object compare_swap(window_object& w, int r, std::int64_t i, const py::object& expected,
                        const py::object& desired) {
  const element had(w.element(), expected);
  const element gets(w.element(), desired);
  element_result before(w.element());
  const target to = w.at(r, i);
  check(w.any(), unlocked_if(!w.near(to.r), [&] {
          return w.any().compare_swap(to.r, to.i, had.data(), gets.data(), before.data(), to.site);
        }));
  return before.value();
}

}  // namespace

void define_access(window_class& c) {
  const py::arg r("rank");
  const py::arg i("disp");
  const py::arg_v strides("strides", py::none());
  const py::kw_only named;
  c.def("put", put, r, i, py::arg("values"), named, strides)
      .def("get", get, r, i, py::arg("count") = py::none(), named, py::arg("out") = py::none(),
           strides)
      .def("accumulate", accumulate, py::arg("op"), r, i, py::arg("operands"), named, strides)
      .def("add", add, r, i, py::arg("operands"), named, strides)
      .def("get_accumulate", get_accumulate, py::arg("op"), r, i, py::arg("operands"), named,
           py::arg("out") = py::none())
      .def("fetch_op", fetch_op, py::arg("op"), r, i, py::arg("operand"))
      .def("fetch_add", fetch_add, r, i, py::arg("operand"))
      .def("compare_swap", compare_swap, r, i, py::arg("expected"), py::arg("desired"));
}

}  // namespace oriel::python
