// Layouts of derived datatypes, held against what the MPI library itself packs and unpacks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "mpi/types.hpp"
#include "tests/mpi/random_type.hpp"
#include "tests/mpi/type_walk.hpp"

namespace oriel::mpi {
namespace {

std::vector<MPI_Datatype> leaves() {
  return {MPI_BYTE,      MPI_CHAR,           MPI_SHORT,     MPI_INT,     MPI_DOUBLE,
          MPI_INT64_T,   MPI_C_BOOL,         MPI_FLOAT,     MPI_2INT,    MPI_DOUBLE_INT,
          MPI_SHORT_INT, MPI_LONG_INT,       MPI_FLOAT_INT, MPI_LOGICAL, MPI_C_DOUBLE_COMPLEX,
          MPI_2REAL,     MPI_LONG_DOUBLE_INT};
}

// A buffer around address 0 of displacements, filled with noise.
struct arena {
  static constexpr std::size_t half = 1 << 15;
  std::vector<std::byte> bytes = std::vector<std::byte>(2 * half);
  explicit arena(std::mt19937& random) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  }
  std::byte* middle() { return bytes.data() + half; }
};

// Whether `count` of the type fit into an arena, and how much they are.
bool fits(const type_entry& e, int count) {
  const std::ptrdiff_t last = (count - 1) * e.extent;
  const auto limit = static_cast<std::ptrdiff_t>(arena::half);
  return std::min<std::ptrdiff_t>(0, last) + e.true_lb > -limit &&
         std::max<std::ptrdiff_t>(0, last) + e.true_lb +
                 static_cast<std::ptrdiff_t>(e.true_extent) <
             limit &&
         e.size * static_cast<std::size_t>(count) < arena::half;
}

bool overlaps(const datatype& type, std::size_t count) {
  std::vector<bool> covered(2 * arena::half);
  bool twice = false;
  for_each_block(type, count, [&](std::ptrdiff_t at, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      auto bit =
          covered[static_cast<std::size_t>(at + static_cast<std::ptrdiff_t>(arena::half)) + i];
      twice = twice || bit;
      bit = true;
    }
  });
  return twice;
}

// What is wrong with our layout of the type; empty when MPI agrees.
std::string compare(MPI_Datatype type, int count, arena& memory) {
  const type_entry* const e = find_type(type);
  if (e == nullptr) return "it has no entry";
  if (!e->known) return "its layout is unknown";
  if (e != find_type(type)) return "it is not found again";
  if (e->size == 0) return e->bytes().size() == 0 && e->dense ? "" : "it has data";
  if (!fits(*e, count)) return {};
  const auto n = static_cast<std::size_t>(count);
  const auto theirs = packed_by_mpi(type, count, memory.middle());
  if (packed(e->bytes(), n, memory.middle()) != theirs) return "bytes() differs from MPI_Pack";
  if (packed_elements(e->elements(), n, memory.middle()) != theirs)
    return "elements() differs from MPI_Pack";
  if (e->dense && theirs != std::vector<std::byte>(memory.middle(), memory.middle() + n * e->size))
    return "it is not dense";
  if (e->element != primitive::opaque &&
      packed_elements(datatype::of(e->element), n * e->element_count, memory.middle()) != theirs)
    return "its elements are not " + std::string(name(e->element));
  if (overlaps(e->bytes(), n)) return {};  // MPI leaves open what receives into such types do
  arena unpacked = memory;
  for (std::byte& b : unpacked.bytes) b = ~b;
  arena expected = unpacked;
  int position = 0;
  PMPI_Unpack(theirs.data(), static_cast<int>(theirs.size()), &position, unpacked.middle(), count,
              type, MPI_COMM_SELF);
  auto from = theirs.begin();
  for_each_block(e->bytes(), n, [&](std::ptrdiff_t at, std::size_t bytes) {
    std::copy_n(from, bytes, expected.middle() + at);
    from += static_cast<std::ptrdiff_t>(bytes);
  });
  return unpacked.bytes == expected.bytes ? "" : "bytes() differs from MPI_Unpack";
}

TEST(DerivedTypes, AreLaidOutAsMpiLaysThemOut) {
  std::mt19937 random(20261121);
  const auto bottom = leaves();
  arena memory(random);
  int wrong = 0;
  for (int i = 0; i < 4000 && wrong < 20; ++i) {
    const random_type made(random, bottom, 1 + i % 4);
    const std::string difference = compare(made.handle(), 1 + i % 3, memory);
    if (difference.empty()) continue;
    ++wrong;
    ADD_FAILURE() << difference << ": " << 1 + i % 3 << " of " << made.story();
  }
}

}  // namespace
}  // namespace oriel::mpi
