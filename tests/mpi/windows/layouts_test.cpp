// Put and get between layouts of any kind. The oracle is the MPI's own messages: what arrives in a
// copy of the target's memory when this process sends it to itself.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "tests/mpi/random_type.hpp"
#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

constexpr MPI_Aint room = 1 << 16;
constexpr MPI_Aint middle = room / 2;  // of the memory, so that bounds may be negative

using memory = std::vector<unsigned char>;

memory filled(unsigned seed) {
  memory all(static_cast<std::size_t>(room));
  std::mt19937 random(seed);
  for (unsigned char& one : all) one = static_cast<unsigned char>(random());
  return all;
}

struct side {
  MPI_Datatype type;
  int count;
};

// Whether all of it lies in the memory around the middle.
bool fits(const side& s) {
  MPI_Aint lb = 0, extent = 0, low = 0, length = 0;
  MPI_Type_get_extent(s.type, &lb, &extent);
  MPI_Type_get_true_extent(s.type, &low, &length);
  const MPI_Aint more = s.count == 0 ? 0 : (s.count - 1) * extent;
  return middle + low + std::min<MPI_Aint>(more, 0) >= 0 &&
         middle + low + length + std::max<MPI_Aint>(more, 0) <= room;
}

// A put and a get between the layouts, and the same by messages.
void try_both(const allocated<unsigned char>& made, const side& here, const side& there,
              const std::string& story) {
  const memory mine = filled(1), theirs = filled(2);
  memory wanted = theirs;
  MPI_Sendrecv(mine.data() + middle, here.count, here.type, 0, 0, wanted.data() + middle,
               there.count, there.type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  std::memcpy(made.at, theirs.data(), theirs.size());
  MPI_Win_fence(0, made.win);
  ok(MPI_Put(mine.data() + middle, here.count, here.type, next_rank(), middle, there.count,
             there.type, made.win));
  MPI_Win_fence(0, made.win);
  expect(std::memcmp(made.at, wanted.data(), wanted.size()) == 0, "put: " + story);

  memory result = mine, result_wanted = mine;
  MPI_Sendrecv(wanted.data() + middle, there.count, there.type, 0, 0, result_wanted.data() + middle,
               here.count, here.type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, made.win);
  ok(MPI_Get(result.data() + middle, here.count, here.type, next_rank(), middle, there.count,
             there.type, made.win));
  MPI_Win_fence(0, made.win);
  expect(result == result_wanted, "get: " + story);
}

const test_case usual("layouts.the usual ones", [] {
  const allocated<unsigned char> made(room);
  std::array<MPI_Datatype, 7> types{};
  MPI_Type_vector(8, 2, 5, MPI_DOUBLE, &types[0]);
  MPI_Type_vector(8, 2, -5, MPI_DOUBLE, &types[1]);  // bounds below zero
  const int lengths[] = {4, 0, 9, 3}, starts[] = {20, 3, -12, 5};
  MPI_Type_indexed(4, lengths, starts, MPI_DOUBLE, &types[2]);
  const int sizes[] = {8, 8}, part[] = {4, 4}, corner[] = {3, 2};
  MPI_Type_create_subarray(2, sizes, part, corner, MPI_ORDER_FORTRAN, MPI_DOUBLE, &types[3]);
  MPI_Type_contiguous(16, MPI_DOUBLE, &types[4]);
  MPI_Type_create_resized(MPI_DOUBLE, -8, 24, &types[5]);
  MPI_Type_create_hvector(4, 4, 100, MPI_DOUBLE, &types[6]);
  for (MPI_Datatype& type : types) MPI_Type_commit(&type);
  for (const MPI_Datatype a : types)
    for (const MPI_Datatype b : types) {
      int bytes_a = 0, bytes_b = 0;
      MPI_Type_size(a, &bytes_a);
      MPI_Type_size(b, &bytes_b);
      const int both = std::lcm(bytes_a, bytes_b);
      const side here{a, both / bytes_a}, there{b, both / bytes_b};
      expect(fits(here) && fits(there), "the layouts fit in the memory");
      try_both(made, here, there,
               std::to_string(&a - types.data()) + " to " + std::to_string(&b - types.data()));
    }
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
});

const test_case random_ones("layouts.random ones", [] {
  const allocated<unsigned char> made(room);
  const MPI_Datatype leaves[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  std::mt19937 random(20260);  // the same on all ranks
  int tried = 0;
  for (int i = 0; i < (on_one_node() && size_of() < 3 ? 150 : 40); ++i) {
    const mpi::random_type type(random, leaves, 1 + i % 3);
    int size = 0;
    MPI_Type_size(type.handle(), &size);
    const side derived{type.handle(), 1 + i % 4};
    const side dense{MPI_BYTE, size * derived.count};
    if (!fits(derived) || !fits(dense)) continue;
    ++tried;
    // Types may overlap themselves, so they are read from only; MPI_Pack is the oracle.
    const memory mine = filled(3);
    memory wanted(static_cast<std::size_t>(dense.count));
    int at = 0;
    MPI_Pack(mine.data() + middle, derived.count, derived.type, wanted.data(), dense.count, &at,
             MPI_COMM_SELF);
    memory got(wanted.size());
    std::memset(made.at, 0, static_cast<std::size_t>(room));
    MPI_Win_fence(0, made.win);
    ok(MPI_Put(mine.data() + middle, derived.count, derived.type, next_rank(), 0, dense.count,
               MPI_BYTE, made.win));
    MPI_Win_fence(0, made.win);
    expect(std::memcmp(made.at, wanted.data(), wanted.size()) == 0, "put from " + type.story());
    std::memcpy(made.at, mine.data(), mine.size());
    MPI_Win_fence(0, made.win);
    ok(MPI_Get(got.data(), dense.count, MPI_BYTE, next_rank(), middle, derived.count, derived.type,
               made.win));
    MPI_Win_fence(0, made.win);
    expect(got == wanted, "get from " + type.story());
  }
  expect(tried > 20, "most of the random types fit");
});

const test_case freed("layouts.a type freed before the operation is complete", [] {
  const allocated<int> made(64);
  std::vector<int> mine(64);
  std::iota(mine.begin(), mine.end(), 100 * rank_in());
  MPI_Win_fence(0, made.win);
  for (int round = 0; round < 50; ++round) {
    MPI_Datatype columns = MPI_DATATYPE_NULL;
    MPI_Type_vector(8, 1 + round % 4, 8, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    ok(MPI_Put(mine.data(), 1, columns, next_rank(), 0, 1, columns, made.win));
    MPI_Type_free(&columns);
  }
  MPI_Win_fence(0, made.win);
  for (int i = 0; i < 64; ++i)
    same(made.at[i], i % 8 < 4 ? 100 * last_rank() + i : 0, "word " + std::to_string(i));
});

}  // namespace
}  // namespace oriel::mpi_test
