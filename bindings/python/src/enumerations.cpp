// The library's enumerations as dictionaries of names and numbers; oriel/__init__.py makes Python's
// of them.
#include <string>

#include "bindings/python/src/module.hpp"
#include "oriel/assertion.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "oriel/session.hpp"
#include "oriel/statistics.hpp"
#include "oriel/sync_mode.hpp"

namespace oriel::python {

namespace {

// Of an enumeration whose `count` values go from 0 on.
template <class Enumeration>
py::dict numbered(std::size_t count) {
  py::dict numbers;
  for (std::size_t i = 0; i < count; ++i)
    numbers[py::str(std::string(name(static_cast<Enumeration>(i))))] = i;
  return numbers;
}

}  // namespace

void define_enumerations(py::module_& m) {
  py::dict assertions;
#define ORIEL_ASSERTION(bit, name, c_name) assertions[#name] = 1u << (bit);
#include "oriel/enumerations/assertion.def"
  m.attr("assertions") = assertions;

  py::dict ops;
#define ORIEL_ATOMIC_OP(number, name, c_name) ops[#name] = (number);
#include "oriel/enumerations/atomic_op.def"
  m.attr("ops") = ops;

  py::dict codes;
#define ORIEL_ERRC(number, name, c_name) codes[#name] = (number);
#include "oriel/enumerations/errc.def"
  m.attr("codes") = codes;

  py::dict modes;
#define ORIEL_SYNC_MODE(bit, name, c_name) modes[#name] = 1u << (bit);
#include "oriel/enumerations/sync_mode.def"
  m.attr("modes") = modes;

  py::dict levels;
#define ORIEL_THREAD_LEVEL(number, name, c_name) levels[#name] = (number);
#include "oriel/enumerations/thread_level.def"
  m.attr("thread_levels") = levels;

  m.attr("operation_kinds") = numbered<operation_kind>(operation_kinds);
  m.attr("access_routes") = numbered<access_route>(access_routes);
  m.attr("wait_causes") = numbered<wait_cause>(wait_causes);
}

}  // namespace oriel::python
