// MPI's info objects and oriel's hints: the same strings in two containers.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "oriel/info.hpp"

namespace oriel::mpi {

// Every key of the object; nothing of MPI_INFO_NULL.
info hints_of(MPI_Info);

// Returns whether the hint is there and is "true".
bool is_true(const info&, const char* key);
bool is_false(const info&, const char* key);

// Returns the hints that MPI reserves for windows (MPI-4.1 §12.2.1), with their defaults where
// `given` has none. Other keys are ignored, as MPI requires.
info reported_hints(const info& given);

// Sets every hint in an object of the caller's. An MPI error code.
int add_to(MPI_Info, const info&) noexcept;

}  // namespace oriel::mpi
