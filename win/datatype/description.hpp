// What a datatype is made of, and how one is built from another.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "oriel/datatype.hpp"

namespace oriel {

struct datatype::description {
  std::vector<run> runs;
  std::size_t size = 0;
  std::ptrdiff_t lb = 0;
  std::ptrdiff_t ub = 0;
  std::ptrdiff_t true_lb = 0;
  std::ptrdiff_t true_ub = 0;
  std::size_t alignment = 1;  // of the strictest primitive
  bool markers = false;       // lb and ub were set by resized
  bool predefined = false;
  bool contiguous = false;
  primitive base = primitive::opaque;
  std::uint64_t hash = 0;
  // Where parts of `place_bytes` begin, in order, of which all blocks consist; empty where runs are
  // so long that they are as quick.
  std::vector<std::ptrdiff_t> places;
  std::size_t place_bytes = 0;
};

namespace win {

// Collects placed copies of datatypes, in typemap order.
class description_builder {
 public:
  // `count` copies of `old`, `stride` bytes apart, the first at `displacement`. Throws errc::count
  // when a size or displacement overflows.
  void place(const datatype& old, std::size_t count, std::ptrdiff_t displacement,
             std::ptrdiff_t stride);
  // `align_extent`: the upper bound is rounded up as for structures.
  datatype finish(bool align_extent);

 private:
  void add_run(datatype::run);
  void bound(std::ptrdiff_t lb, std::ptrdiff_t ub, bool markers);

  datatype::description made_;
  bool any_bound_ = false;
  bool any_data_ = false;
};

// Derives size, true bounds, contiguity, base, hash and places from the runs and markers.
void complete(datatype::description&);

}  // namespace win
}  // namespace oriel
