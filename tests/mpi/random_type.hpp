// Random derived datatypes, nested, made by every constructor that the MPI at hand has.
#pragma once

#include <mpi.h>

#include <random>
#include <span>
#include <string>

namespace oriel::mpi {

// A committed type and how it was made, for messages. Freed with the object.
class random_type {
 public:
  // A type nested `depth` deep; `leaves` are the types at the bottom, which stay the caller's. Only
  // the outermost may be without data: Open MPI 4.1 refuses some types made of empty ones, and
  // MPICH 4.0 divides by zero when it packs them.
  random_type(std::mt19937& random, std::span<const MPI_Datatype> leaves, int depth,
              bool may_be_empty = true);
  random_type(const random_type&) = delete;
  random_type& operator=(const random_type&) = delete;
  ~random_type() {
    if (owned_) MPI_Type_free(&handle_);
  }
  [[nodiscard]] MPI_Datatype handle() const noexcept { return handle_; }
  [[nodiscard]] const std::string& story() const noexcept { return story_; }

 private:
  // With int counts, or with MPI_Count where the MPI has such constructors.
  template <class Count>
  void derive(std::mt19937&, std::span<const MPI_Datatype> leaves, int depth, int least);

  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
  bool owned_ = false;
  std::string story_;
};

}  // namespace oriel::mpi
