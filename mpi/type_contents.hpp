// How a datatype was made: MPI_Type_get_envelope and MPI_Type_get_contents, read one by one.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oriel::mpi {

// MPI_COMBINER_NAMED, MPI_COMBINER_VECTOR, …; throws errc::type where MPI refuses the handle.
int combiner_of(MPI_Datatype);

// Returns whether the combiner makes predefined types, which must not be freed.
bool predefined_combiner(int combiner) noexcept;

// The arguments of the constructor, in its order and as MPI-4.1 §5.1.13 lists them. A type made by
// a constructor with large counts has those in a list of their own; the readers know where to look,
// so that callers see one form. Requires: no more is read than the constructor has.
class type_contents {
 public:
  // Throws errc::type where MPI refuses the handle. Requires: not MPI_COMBINER_NAMED.
  explicit type_contents(MPI_Datatype);
  type_contents(const type_contents&) = delete;
  type_contents& operator=(const type_contents&) = delete;
  ~type_contents();  // frees the derived types, which MPI gave as new references

  [[nodiscard]] int combiner() const noexcept { return combiner_; }
  [[nodiscard]] std::span<const MPI_Datatype> types() const noexcept { return types_; }

  // An argument that is an int in every form: a number of dimensions, a rank, an order.
  std::ptrdiff_t next_int() { return integers_[next_integer_++]; }
  // A count, block length or displacement in elements.
  std::ptrdiff_t next_count() {
    return counts_.empty() ? integers_[next_integer_++] : counts_[next_count_++];
  }
  // A displacement or extent in bytes. Fortran's first bindings gave those as ints.
  std::ptrdiff_t next_bytes() {
    if (!counts_.empty()) return counts_[next_count_++];
    return addresses_.empty() ? integers_[next_integer_++] : addresses_[next_address_++];
  }

  std::vector<std::ptrdiff_t> ints(std::size_t n);
  std::vector<std::ptrdiff_t> counts(std::size_t n);
  std::vector<std::ptrdiff_t> bytes(std::size_t n);

 private:
  int combiner_;
  std::vector<std::ptrdiff_t> integers_, addresses_, counts_;
  std::vector<MPI_Datatype> types_;
  std::size_t next_integer_ = 0, next_address_ = 0, next_count_ = 0;
};

}  // namespace oriel::mpi
