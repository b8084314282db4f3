// Places copies of layouts one after the other, as win::description_builder does, and refuses to
// make layouts so scattered that their description would fill the memory.
#pragma once

#include <cstddef>
#include <string>

#include "oriel/datatype.hpp"
#include "oriel/errc.hpp"
#include "win/datatype/description.hpp"

namespace oriel::mpi {

class layout_builder {
 public:
  // Throws errc::count for sizes that overflow or when there are too many runs.
  void place(const datatype& old, std::size_t count, std::ptrdiff_t displacement,
             std::ptrdiff_t stride) {
    const auto runs = old.runs();
    const bool folds = runs.empty() || (runs.size() == 1 && runs[0].blocks == 1);
    std::size_t added = 1;
    if ((!folds && __builtin_mul_overflow(count, runs.size(), &added)) || added > most_runs ||
        (placed_ += added) > most_runs)
      throw error(errc::count, "a datatype of more than " + std::to_string(most_runs) +
                                   " separate runs of bytes is not supported");
    builder_.place(old, count, displacement, stride);
  }
  // `align_extent`: the upper bound is rounded up as for structures.
  datatype finish(bool align_extent = false) { return builder_.finish(align_extent); }

 private:
  // A run's description takes 40 bytes: 2^24 of them are 640 MiB.
  static constexpr std::size_t most_runs = std::size_t{1} << 24;
  win::description_builder builder_;
  std::size_t placed_ = 0;
};

}  // namespace oriel::mpi
