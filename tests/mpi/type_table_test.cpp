// Handles come and go: types that are freed are forgotten, and those that get their handles are
// seen as what they are, by any thread.
#include "mpi/type_table.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "mpi/types.hpp"

namespace oriel::mpi {
namespace {

MPI_Datatype run_of(int integers) {
  MPI_Datatype type;
  MPI_Type_contiguous(integers, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

bool is_run_of(MPI_Datatype type, int integers) {
  const type_entry* const e = find_type(type);
  return e != nullptr && e->known && e->dense && e->element == primitive::int32 &&
         e->element_count == static_cast<std::size_t>(integers);
}

TEST(TypeTable, ForgetsFreedTypes) {
  MPI_Datatype type = run_of(3);
  ASSERT_TRUE(is_run_of(type, 3));
  ASSERT_NE(seen_types.find(type), nullptr);
  const MPI_Datatype handle = type;
  MPI_Type_free(&type);
  EXPECT_EQ(seen_types.find(handle), nullptr);
}

TEST(TypeTable, KeepsTypesThatOthersAreMadeOf) {
  MPI_Datatype inner = run_of(3);
  ASSERT_TRUE(is_run_of(inner, 3));
  MPI_Datatype outer;
  MPI_Type_contiguous(2, inner, &outer);
  MPI_Type_commit(&outer);
  MPI_Type_free(&inner);
  EXPECT_TRUE(is_run_of(outer, 6));
  MPI_Type_free(&outer);
}

TEST(TypeTable, SeesThroughHandlesUsedAgain) {
  std::set<MPI_Datatype> handles;
  int again = 0;
  for (int i = 1; i <= 2000; ++i) {
    MPI_Datatype type = run_of(i);
    if (!handles.insert(type).second) ++again;
    ASSERT_TRUE(is_run_of(type, i)) << "after " << i << " types";
    MPI_Type_free(&type);
  }
  EXPECT_GT(again, 0) << "this MPI never used a handle again, so the test shows nothing";
}

TEST(TypeTable, GrowsWithTypesAliveAndNotWithTypesGone) {
  std::vector<MPI_Datatype> types;
  for (int i = 1; i <= 3000; ++i) types.push_back(run_of(i));
  for (int i = 1; i <= 3000; ++i) ASSERT_TRUE(is_run_of(types[static_cast<std::size_t>(i) - 1], i));
  const std::size_t grown = seen_types.capacity();
  EXPECT_GE(grown, 6000u);
  for (int i = 1; i <= 3000; ++i) ASSERT_TRUE(is_run_of(types[static_cast<std::size_t>(i) - 1], i));
  for (int round = 0; round < 10; ++round)
    for (int i = 1; i <= 3000; ++i) {
      MPI_Datatype& type = types[static_cast<std::size_t>(i * 7 % 3000)];
      MPI_Type_free(&type);
      type = run_of(i);
      ASSERT_TRUE(is_run_of(type, i));
    }
  EXPECT_LE(seen_types.capacity(), 2 * grown);
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
}

TEST(TypeTable, ServesThreadsThatMakeAndFreeTypes) {
  std::vector<MPI_Datatype> shared;
  for (int i = 1; i <= 50; ++i) shared.push_back(run_of(i));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&shared, &wrong, t] {
      for (int i = 1; i <= 1000; ++i) {
        MPI_Datatype own = run_of(1000 * t + i);
        if (!is_run_of(own, 1000 * t + i)) ++wrong;
        for (int s = 1; s <= 50; ++s)
          if (!is_run_of(shared[static_cast<std::size_t>(s) - 1], s)) ++wrong;
        MPI_Type_free(&own);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (MPI_Datatype& type : shared) MPI_Type_free(&type);
}

}  // namespace
}  // namespace oriel::mpi
