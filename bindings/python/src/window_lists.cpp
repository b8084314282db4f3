// Lists: one operation on each of many elements anywhere, from arrays of numpy's, without a loop in
// Python.
#include <utility>

#include "bindings/python/src/arguments.hpp"
#include "bindings/python/src/layout.hpp"
#include "bindings/python/src/window.hpp"
#include "oriel/detail/element_list.hpp"

namespace oriel::python {

namespace {

static_assert(sizeof(rank) == sizeof(std::int32_t) && sizeof(disp) == sizeof(std::int64_t),
              "arrays of numbers are lists of ranks and displacements");

// A dense array of `dtype`, of one dimension and n elements; one number stands for n of it.
py::array numbers(const py::object& given, const char* dtype, py::ssize_t n) {
  const py::module_ numpy = py::module_::import("numpy");
  py::array found = numpy.attr("asarray")(given).cast<py::array>();
  if (found.dtype().kind() != 'i' && found.dtype().kind() != 'u' && found.size() != 0)
    throw py::type_error("ranks and displacements are whole numbers");
  if (found.ndim() == 0) return numpy.attr("full")(n, found, py::dtype(dtype)).cast<py::array>();
  const bool same_bytes = found.itemsize() == py::dtype(dtype).itemsize();
  if (!same_bytes) found = found.attr("astype")(py::dtype(dtype)).cast<py::array>();
  return numpy.attr("ascontiguousarray")(found).attr("reshape")(-1).cast<py::array>();
}

// The same of ranks, which have 32 bits. Throws rank for one that has more.
py::array rank_numbers(const py::object& given, py::ssize_t n) {
  const auto found = py::module_::import("numpy").attr("asarray")(given).cast<py::array>();
  if (found.itemsize() <= 4) return numbers(found, "i4", n);
  const py::array wide = numbers(found, "i8", n);
  py::array_t<std::int32_t> ranks(wide.size());
  const auto* const from = static_cast<const std::int64_t*>(wide.data());
  std::int32_t* const to = ranks.mutable_data();
  for (py::ssize_t j = 0; j < wide.size(); ++j) {
    if (!std::in_range<std::int32_t>(from[j]))
      throw error(errc::rank, "rank " + std::to_string(from[j]) + " is none of any team's [rank]");
    to[j] = static_cast<std::int32_t>(from[j]);
  }
  return ranks;
}

// Where the operations of one list go.
class places {
 public:
  places(const window_object& w, const py::object& ranks, const py::object& disps)
      : disps_(numbers(disps, "i8", 1)), ranks_(rank_numbers(ranks, disps_.size())) {
    if (ranks_.size() != disps_.size())
      throw py::value_error("a list of " + std::to_string(ranks_.size()) + " ranks and " +
                            std::to_string(disps_.size()) + " displacements");
    const auto* const r = static_cast<const std::int32_t*>(ranks_.data());
    const auto* const i = static_cast<const std::int64_t*>(disps_.data());
    unlocked([&] { w.verify(r, i, count()); });
  }
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(disps_.size()); }
  void name(detail::element_list& list) const {
    list.n = count();
    list.ranks = static_cast<const rank*>(ranks_.data());
    list.disps = static_cast<const disp*>(disps_.data());
  }
  void require(std::size_t n, const char* what) const {
    if (n != count())
      throw py::value_error("a list of " + std::to_string(count()) + " elements and " +
                            std::to_string(n) + " " + what);
  }

 private:
  py::array disps_;
  py::array ranks_;
};

// Dense operands of a list; one element stands for one for each operation.
buffer operands_of(const window_object& w, const py::object& values, const places& where,
                   const char* what) {
  buffer b = source_of(w, values, true);
  if (b.extents.empty() && where.count() != 1) {
    const py::object many = py::module_::import("numpy").attr("full")(where.count(), b.owner);
    b = source_of(w, many, true);
  }
  where.require(b.count, what);
  return b;
}

void perform(const window_object& w, const places& where, detail::element_list list) {
  where.name(list);
  const call_site site = python_caller();
  check(w.any(), unlocked([&] { return w.any().perform(list, site); }));
}

// Those that are near are there; others need a flush, where the window has one.
py::object answered(window_object& w, const buffer& into, bool wait) {
  const bool flushes = w.promises(assertion::shared_lock) || w.promises(assertion::exclusive_lock);
  if (w.near()) return into.owner;
  if (wait && flushes)
    w.complete(any_rank,
               [&](call_site site) { return w.any().flush_all(flush_scope::local, site); });
  else
    w.hold(any_rank, into.owner);
  return into.owner;
}

buffer results_for(const window_object& w, const places& where, const py::object& out) {
  buffer into = out.is_none() ? new_result(w, py::cast(where.count())) : result_of(w, out, true);
  where.require(into.count, "results");
  return into;
}

void scatter(window_object& w, const py::object& ranks, const py::object& disps,
             const py::object& values) {
  const places where(w, ranks, disps);
  const buffer from = operands_of(w, values, where, "values");
  perform(w, where, {.call = detail::list_call::put, .operands = from.data});
}

py::object gather(window_object& w, const py::object& ranks, const py::object& disps,
                  const py::object& out, bool wait) {
  const places where(w, ranks, disps);
  const buffer into = results_for(w, where, out);
  perform(w, where, {.call = detail::list_call::get, .results = into.data});
  return answered(w, into, wait);
}

void accumulate_list(window_object& w, int op, const py::object& ranks, const py::object& disps,
                     const py::object& operands) {
  const places where(w, ranks, disps);
  const buffer from = operands_of(w, operands, where, "operands");
  perform(w, where,
          {.call = detail::list_call::accumulate, .op = op_from(op), .operands = from.data});
}

py::object fetch_op_list(window_object& w, int op, const py::object& ranks, const py::object& disps,
                         const py::object& operands, const py::object& out, bool wait) {
  const atomic_op how = op_from(op);
  const places where(w, ranks, disps);
  if (operands.is_none() && how != atomic_op::no_op)
    throw py::type_error("operands may be None for Op.no_op alone");
  const buffer from = operands.is_none() ? buffer{} : operands_of(w, operands, where, "operands");
  const buffer into = results_for(w, where, out);
  perform(w, where,
          {.call = detail::list_call::fetch_op,
           .op = how,
           .operands = from.data,
           .results = into.data});
  return answered(w, into, wait);
}

py::object compare_swap_list(window_object& w, const py::object& ranks, const py::object& disps,
                             const py::object& expected, const py::object& desired,
                             const py::object& out, bool wait) {
  const places where(w, ranks, disps);
  const buffer had = operands_of(w, expected, where, "expected values");
  const buffer gets = operands_of(w, desired, where, "desired values");
  const buffer into = results_for(w, where, out);
  perform(w, where,
          {.call = detail::list_call::compare_swap,
           .operands = had.data,
           .desired = gets.data,
           .results = into.data});
  return answered(w, into, wait);
}

}  // namespace

void define_lists(window_class& c) {
  const py::arg r("ranks");
  const py::arg i("disps");
  const py::arg_v out("out", py::none());
  const py::arg_v wait("wait", true);
  const py::kw_only named;
  c.def("scatter", scatter, r, i, py::arg("values"))
      .def("gather", gather, r, i, named, out, wait)
      .def("accumulate_list", accumulate_list, py::arg("op"), r, i, py::arg("operands"))
      .def("fetch_op_list", fetch_op_list, py::arg("op"), r, i, py::arg("operands"), named, out,
           wait)
      .def("compare_swap_list", compare_swap_list, r, i, py::arg("expected"), py::arg("desired"),
           named, out, wait);
}

}  // namespace oriel::python
