// Request-based and deferred forms: they begin an operation, and a wait or a flush completes it.
#include <optional>

#include "bindings/python/src/arguments.hpp"
#include "bindings/python/src/layout.hpp"
#include "bindings/python/src/window.hpp"
#include "oriel/detail/element_list.hpp"
#include "oriel/request.hpp"

namespace oriel::python {

namespace {

// One operation under way, the buffers that it uses, and what its wait returns.
class request_object {
 public:
  request_object(request&& begun, py::object source, py::object result)
      : request_(std::move(begun)), source_(std::move(source)), result_(std::move(result)) {}
  request_object(request_object&&) = default;
  request_object& operator=(request_object&&) = delete;
  // Blocks as wait() where it is not complete.
  ~request_object() {
    const py::gil_scoped_release released;
    static_cast<void>(request_.wait());
    request_ = request();
  }
  [[nodiscard]] bool test() const { return request_.test(); }
  py::object wait() {
    check(unlocked([this] { return request_.wait(); }));
    source_ = py::none();
    return result_;
  }

 private:
  request request_;
  py::object source_;
  py::object result_;
};

bool copies(const window_object& w) {
  return !w.promises(assertion::user_datatype);
}

request_object rput(window_object& w, int r, std::int64_t i, const py::object& values,
                    const py::object& strides) {
  const buffer from = source_of(w, values, copies(w) && strides.is_none());
  const placement there = placement_of(w, from, strides);
  const target to = w.at(r, i, there.lowest, there.highest);
  return request_object(unlocked([&] {
                          if (!shaped(from, there))
                            return w.any().rput(to.r, to.i, from.data, from.count, to.site);
                          const shape dense = dense_layout(w, from.count);
                          return w.any().rput(to.r, to.i, from.data, from.layout.value_or(dense),
                                              there.layout.value_or(dense), to.site);
                        }),
                        from.owner, py::none());
}

request_object rget(window_object& w, int r, std::int64_t i, const py::object& count,
                    const py::object& out, const py::object& strides) {
  const buffer into =
      out.is_none() ? new_result(w, count) : result_of(w, out, copies(w) && strides.is_none());
  const placement there = placement_of(w, into, strides);
  const target from = w.at(r, i, there.lowest, there.highest);
  return request_object(unlocked([&] {
                          if (!shaped(into, there))
                            return w.any().rget(from.r, from.i, into.data, into.count, from.site);
                          const shape dense = dense_layout(w, into.count);
                          return w.any().rget(from.r, from.i, into.data,
                                              into.layout.value_or(dense),
                                              there.layout.value_or(dense), from.site);
                        }),
                        py::none(), into.owner);
}

request_object raccumulate(window_object& w, int op, int r, std::int64_t i,
                           const py::object& operands, const py::object& strides) {
  const atomic_op how = op_from(op);
  const buffer from = source_of(w, operands, copies(w) && strides.is_none());
  const placement there = placement_of(w, from, strides);
  const target to = w.at(r, i, there.lowest, there.highest);
  return request_object(
      unlocked([&] {
        if (!shaped(from, there))
          return w.any().rget_accumulate(how, to.r, to.i, from.data, nullptr, from.count, to.site);
        const shape dense = dense_layout(w, from.count);
        return w.any().raccumulate(how, to.r, to.i, from.data, from.layout.value_or(dense),
                                   there.layout.value_or(dense), to.site);
      }),
      from.owner, py::none());
}

request_object rget_accumulate(window_object& w, int op, int r, std::int64_t i,
                               const py::object& operands, const py::object& out) {
  const atomic_op how = op_from(op);
  const buffer from = source_of(w, operands, true);
  const buffer into =
      out.is_none() ? new_result(w, py::cast(from.extents)) : result_of(w, out, true);
  if (from.count != into.count) throw py::value_error("operands and out have one size");
  const target to = w.at(r, i, 0, static_cast<std::int64_t>(into.count) - 1);
  return request_object(unlocked([&] {
                          return w.any().rget_accumulate(how, to.r, to.i, from.data, into.data,
                                                         into.count, to.site);
                        }),
                        from.owner, into.owner);
}

// One operation of a list of one, whose result comes with a flush.
py::object begin(window_object& w, int r, std::int64_t i, const py::object& out,
                 detail::element_list one) {
  const buffer into = out.is_none() ? new_result(w, py::none()) : result_of(w, out, true);
  if (into.count != 1) throw py::value_error("out is for one element");
  const target to = w.at(r, i);
  one.n = 1;
  one.ranks = &to.r;
  one.disps = &to.i;
  one.results = into.data;
  check(w.any(), unlocked_if(!w.near(to.r), [&] { return w.any().perform(one, to.site); }));
  if (!w.near(to.r)) w.hold(to.r, into.owner);
  return into.owner;
}

py::object get_nbi(window_object& w, int r, std::int64_t i, const py::object& out) {
  return begin(w, r, i, out, {.call = detail::list_call::get});
}

py::object fetch_op_nbi(window_object& w, int op, int r, std::int64_t i, const py::object& operand,
                        const py::object& out) {
  const element one(w.element(), operand);
  return begin(w, r, i, out,
               {.call = detail::list_call::fetch_op, .op = op_from(op), .operands = one.data()});
}

py::object compare_swap_nbi(window_object& w, int r, std::int64_t i, const py::object& expected,
                            const py::object& desired, const py::object& out) {
  const element had(w.element(), expected);
  const element gets(w.element(), desired);
  return begin(
      w, r, i, out,
      {.call = detail::list_call::compare_swap, .operands = had.data(), .desired = gets.data()});
}

}  // namespace

void define_request(py::module_& m) {
  py::class_<request_object>(m, "Request")
      .def("test", &request_object::test)
      .def("wait", &request_object::wait);
  m.def(
      "wait_all",
      [](const py::iterable& requests) {
        py::list results;
        std::optional<error> first;  // all are complete before it is raised
        for (const auto& one : requests) try {
            results.append(one.cast<request_object&>().wait());
          } catch (const error& e) {
            if (!first) first = e;
          }
        if (first) throw error(*first);
        return results;
      },
      py::arg("requests"));
}

void define_deferred_access(window_class& c) {
  const py::arg r("rank");
  const py::arg i("disp");
  const py::arg_v strides("strides", py::none());
  const py::arg_v out("out", py::none());
  const py::kw_only named;
  c.def("rput", rput, r, i, py::arg("values"), named, strides)
      .def("rget", rget, r, i, py::arg("count") = py::none(), named, out, strides)
      .def("raccumulate", raccumulate, py::arg("op"), r, i, py::arg("operands"), named, strides)
      .def("rget_accumulate", rget_accumulate, py::arg("op"), r, i, py::arg("operands"), named, out)
      .def("get_nbi", get_nbi, r, i, out)
      .def("fetch_op_nbi", fetch_op_nbi, py::arg("op"), r, i, py::arg("operand"), out)
      .def("compare_swap_nbi", compare_swap_nbi, r, i, py::arg("expected"), py::arg("desired"),
           out);
}

}  // namespace oriel::python
