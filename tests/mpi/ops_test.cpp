#include "mpi/ops.hpp"

#include <gtest/gtest.h>

namespace oriel::mpi {
namespace {

void nothing(void*, void*, int*, MPI_Datatype*) {}

TEST(Ops, OfAccumulatesAreFound) {
  EXPECT_EQ(find_op(MPI_REPLACE), atomic_op::replace);
  EXPECT_EQ(find_op(MPI_NO_OP), atomic_op::no_op);
  EXPECT_EQ(find_op(MPI_SUM), atomic_op::sum);
  EXPECT_EQ(find_op(MPI_PROD), atomic_op::prod);
  EXPECT_EQ(find_op(MPI_MIN), atomic_op::min);
  EXPECT_EQ(find_op(MPI_MAX), atomic_op::max);
  EXPECT_EQ(find_op(MPI_LAND), atomic_op::land);
  EXPECT_EQ(find_op(MPI_LOR), atomic_op::lor);
  EXPECT_EQ(find_op(MPI_LXOR), atomic_op::lxor);
  EXPECT_EQ(find_op(MPI_BAND), atomic_op::band);
  EXPECT_EQ(find_op(MPI_BOR), atomic_op::bor);
  EXPECT_EQ(find_op(MPI_BXOR), atomic_op::bxor);
  EXPECT_EQ(find_op(MPI_MINLOC), atomic_op::minloc);
  EXPECT_EQ(find_op(MPI_MAXLOC), atomic_op::maxloc);
}

TEST(Ops, OfUsersAreNot) {
  EXPECT_EQ(find_op(MPI_OP_NULL), std::nullopt);
  MPI_Op own;
  MPI_Op_create(nothing, 1, &own);
  EXPECT_EQ(find_op(own), std::nullopt);
  MPI_Op_free(&own);
}

}  // namespace
}  // namespace oriel::mpi
