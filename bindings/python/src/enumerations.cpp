// The library's enumerations as dictionaries of names and numbers; oriel/__init__.py makes Python's
// of them.
#include "bindings/python/src/module.hpp"
#include "oriel/assertion.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "oriel/session.hpp"
#include "oriel/sync_mode.hpp"

namespace oriel::python {

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
}

}  // namespace oriel::python
