// The extension module oriel._oriel, which the package `oriel` shows.
#include "bindings/python/src/module.hpp"

#include "bindings/python/src/device_array.hpp"

PYBIND11_MODULE(_oriel, m) {
  using namespace oriel::python;
  define_errors(m);
  define_enumerations(m);
  define_team(m);
  define_device_array(m);
  define_session(m);
  define_request(m);
  define_window(m);
  define_hash_map(m);
}
