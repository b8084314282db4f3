// Performance variables of MPI's tool interface (MPI-4.1 §15.3.7) that are oriel's: what a window
// has counted, and for what its rank has waited. They are bound to a window, run all the time, and
// cannot be written.
//
// Their indices follow those that the host had when a program first asked how many there are; what
// the host adds later comes after them, so that no index changes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "mpi/mpi_window.hpp"

namespace oriel::mpi {

struct performance_variable {
  std::string name;  // "oriel_put_operations"
  std::string description;
  int var_class;  // MPI_T_PVAR_CLASS_COUNTER, or _TIMER of nanoseconds
  std::uint64_t (*read)(const window_statistics&, std::size_t which) noexcept;
  std::size_t which;
};

// How many oriel has.
int variable_count();
const performance_variable& variable(int i);
// The index of a name among them; -1 of none of theirs.
int find_variable(const char* name, int var_class);

// The window is being freed: handles of its variables are valid no more.
void forget_variables_of(MPI_Win window) noexcept;

// The indices that programs see.
class variable_indices {
 public:
  // `host`: how many the host has now.
  explicit variable_indices(int host) noexcept : first_(host) {}
  // Among oriel's; -1 of one of the host's.
  [[nodiscard]] int ours(int index) const noexcept {
    return index >= first_ && index < first_ + variable_count() ? index - first_ : -1;
  }
  [[nodiscard]] int of_host(int index) const noexcept {
    return index < first_ ? index : index - variable_count();
  }
  [[nodiscard]] int from_host(int index) const noexcept {
    return index < first_ ? index : index + variable_count();
  }
  [[nodiscard]] int from_ours(int i) const noexcept { return first_ + i; }

 private:
  int first_;
};

}  // namespace oriel::mpi
