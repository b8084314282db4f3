// Calls of the host: the MPI before which this library is loaded.
//
// The library defines MPI_X, which programs call, and PMPI_X, which Open MPI's Fortran bindings
// call; the host's own functions are found behind them, by the name PMPI_X. Calls of those are
// marked with ORIEL_HOST; functions that the library does not define (PMPI_Comm_rank) are called as
// they are.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include "mpi/symbol.hpp"
#include "oriel/call_site.hpp"

namespace oriel::mpi {

// Looked up once. The host has every function that this library was compiled to define.
template <symbol Name, class Function>
Function host_function() noexcept {
  static const auto found = reinterpret_cast<Function>(dlsym(RTLD_NEXT, Name.name));
  return found;
}

}  // namespace oriel::mpi

// ORIEL_HOST(Wait)(&request, status)
#define ORIEL_HOST(function) \
  (::oriel::mpi::host_function<"PMPI_" #function, decltype(&PMPI_##function)>())

// Before the definition of a function that programs call in place of the host's.
#define ORIEL_EXPORT extern "C" __attribute__((visibility("default")))

// In such a function: the program's place, from which it was called.
#define ORIEL_CALLER ::oriel::call_site::returning_to(__builtin_return_address(0))

// After the definition of MPI_<function>: the same by its other name.
#define ORIEL_ALSO_PMPI(function) \
  ORIEL_EXPORT decltype(PMPI_##function) PMPI_##function __attribute__((alias("MPI_" #function)))
