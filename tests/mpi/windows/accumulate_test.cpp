// Accumulates: every predefined type with every operation that MPI allows on it, against
// MPI_Reduce_local; pairs, and layouts.
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

constexpr int elements = 5;

// A type, how element `i` of an operand is written, and whether two elements are the same: padding
// is none of the data.
struct typed {
  MPI_Datatype type;
  std::size_t extent;
  std::function<void(unsigned char*, int i)> put;
  std::function<bool(const unsigned char*, const unsigned char*)> is_same;
};

template <class T>
T read(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
typed number(MPI_Datatype type) {
  return {type, sizeof(T),
          [](unsigned char* at, int i) {
            const auto value = static_cast<T>(i * 37 % 5);
            std::memcpy(at, &value, sizeof value);
          },
          [](const unsigned char* a, const unsigned char* b) { return read<T>(a) == read<T>(b); }};
}

template <class T>
typed pair(MPI_Datatype type) {
  struct both {
    T value;
    int index;
  };
  return {type, sizeof(both),
          [](unsigned char* at, int i) {
            const T value = static_cast<T>(i * 5 % 3);
            const int index = i % 4;
            std::memcpy(at + offsetof(both, value), &value, sizeof value);
            std::memcpy(at + offsetof(both, index), &index, sizeof index);
          },
          [](const unsigned char* a, const unsigned char* b) {
            return read<both>(a).value == read<both>(b).value &&
                   read<both>(a).index == read<both>(b).index;
          }};
}

const std::vector<MPI_Op> arithmetic{MPI_SUM, MPI_PROD};
const std::vector<MPI_Op> order{MPI_MIN, MPI_MAX};
const std::vector<MPI_Op> logic{MPI_LAND, MPI_LOR, MPI_LXOR};
const std::vector<MPI_Op> bits{MPI_BAND, MPI_BOR, MPI_BXOR};
const std::vector<MPI_Op> places{MPI_MINLOC, MPI_MAXLOC};
const std::vector<MPI_Op> moves{MPI_REPLACE, MPI_NO_OP};

std::vector<unsigned char> operand(const typed& t, int seed) {
  std::vector<unsigned char> all(elements * t.extent);
  for (int i = 0; i < elements; ++i)
    t.put(all.data() + static_cast<std::size_t>(i) * t.extent, i + seed);
  return all;
}

// What `op` makes of `old` and `operand`, by the MPI's own reduction.
std::vector<unsigned char> reduced(const typed& t, MPI_Op op, std::vector<unsigned char> old,
                                   const std::vector<unsigned char>& operand) {
  if (op == MPI_REPLACE) return operand;
  if (op != MPI_NO_OP) MPI_Reduce_local(operand.data(), old.data(), elements, t.type, op);
  return old;
}

void compare(const typed& t, MPI_Op op, const unsigned char* got,
             const std::vector<unsigned char>& wanted, const char* when) {
  char name[MPI_MAX_OBJECT_NAME] = {};
  int length = 0;
  MPI_Type_get_name(t.type, name, &length);
  for (std::size_t i = 0; i < elements; ++i)
    expect(t.is_same(got + i * t.extent, wanted.data() + i * t.extent),
           std::string(name) + " with operation " + std::to_string(MPI_Op_c2f(op)) + ": element " +
               std::to_string(i) + " " + when);
}

// Accumulates and then a get_accumulate onto elements at the next rank that no other rank touches.
// Every pair of type and operation has elements of its own, so that ranks meet only twice.
void try_ops(const std::vector<typed>& types, const std::vector<std::vector<MPI_Op>>& families) {
  std::vector<MPI_Op> ops;
  for (const auto& family : families) ops.insert(ops.end(), family.begin(), family.end());
  constexpr MPI_Aint room = elements * 32;
  const allocated<unsigned char> made(room * static_cast<MPI_Aint>(types.size() * ops.size()));
  const auto each = [&](const auto& work) {
    MPI_Aint at = 0;
    for (const typed& t : types)
      for (const MPI_Op op : ops) {
        work(t, op, at);
        at += room;
      }
  };
  each([&](const typed& t, MPI_Op, MPI_Aint at) {
    const auto start = operand(t, 1);
    std::memcpy(made.at + at, start.data(), start.size());
  });
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, made.win);
  each([&](const typed& t, MPI_Op op, MPI_Aint at) {
    const auto start = operand(t, 1), other = operand(t, 4);
    std::vector<unsigned char> before(start.size());
    const auto part = static_cast<MPI_Aint>(t.extent);
    ok(MPI_Accumulate(other.data(), 1, t.type, next_rank(), at, 1, t.type, op, made.win));
    ok(MPI_Accumulate(other.data() + part, elements - 1, t.type, next_rank(), at + part,
                      elements - 1, t.type, op, made.win));
    MPI_Request request = MPI_REQUEST_NULL;
    ok(MPI_Rget_accumulate(start.data(), elements, t.type, before.data(), elements, t.type,
                           next_rank(), at, elements, t.type, op, made.win, &request));
    ok(MPI_Wait(&request, MPI_STATUS_IGNORE));
    compare(t, op, before.data(), reduced(t, op, start, other), "after one");
  });
  MPI_Win_unlock_all(made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  each([&](const typed& t, MPI_Op op, MPI_Aint at) {
    const auto start = operand(t, 1), other = operand(t, 4);
    compare(t, op, made.at + at, reduced(t, op, reduced(t, op, start, other), start), "after two");
  });
}

const test_case integers("accumulate.integers", [] {
  try_ops({number<signed char>(MPI_SIGNED_CHAR), number<unsigned char>(MPI_UNSIGNED_CHAR),
           number<short>(MPI_SHORT), number<unsigned short>(MPI_UNSIGNED_SHORT),
           number<int>(MPI_INT), number<unsigned>(MPI_UNSIGNED), number<long>(MPI_LONG),
           number<unsigned long>(MPI_UNSIGNED_LONG), number<long long>(MPI_LONG_LONG),
           number<unsigned long long>(MPI_UNSIGNED_LONG_LONG), number<std::int8_t>(MPI_INT8_T),
           number<std::int16_t>(MPI_INT16_T), number<std::int32_t>(MPI_INT32_T),
           number<std::int64_t>(MPI_INT64_T), number<std::uint8_t>(MPI_UINT8_T),
           number<std::uint16_t>(MPI_UINT16_T), number<std::uint32_t>(MPI_UINT32_T),
           number<std::uint64_t>(MPI_UINT64_T)},
          {arithmetic, order, logic, bits, moves});
  try_ops({number<MPI_Aint>(MPI_AINT), number<MPI_Offset>(MPI_OFFSET), number<MPI_Count>(MPI_COUNT),
           number<int>(MPI_INTEGER)},
          {arithmetic, order, bits, moves});
});

const test_case reals("accumulate.numbers with a point", [] {
  try_ops({number<float>(MPI_FLOAT), number<double>(MPI_DOUBLE), number<float>(MPI_REAL),
           number<double>(MPI_DOUBLE_PRECISION), number<long double>(MPI_LONG_DOUBLE)},
          {arithmetic, order, moves});
  try_ops({number<std::complex<float>>(MPI_C_FLOAT_COMPLEX),
           number<std::complex<double>>(MPI_C_DOUBLE_COMPLEX),
           number<std::complex<long double>>(MPI_C_LONG_DOUBLE_COMPLEX)},
          {arithmetic, moves});
});

const test_case truths("accumulate.truths and bytes", [] {
  try_ops({number<bool>(MPI_C_BOOL)}, {logic, moves});
  try_ops({number<unsigned char>(MPI_BYTE)}, {bits, moves});
  try_ops({number<char>(MPI_CHAR), number<wchar_t>(MPI_WCHAR)}, {moves});
});

const test_case pairs("accumulate.pairs", [] {
  try_ops({pair<float>(MPI_FLOAT_INT), pair<double>(MPI_DOUBLE_INT), pair<long>(MPI_LONG_INT),
           pair<int>(MPI_2INT), pair<short>(MPI_SHORT_INT), pair<long double>(MPI_LONG_DOUBLE_INT)},
          {places, moves});
});

const test_case layouts("accumulate.layouts on every side", [] {
  // Every second double here, every third there, results dense and back to front.
  constexpr int n = 12;
  const allocated<double> made(3 * n);
  MPI_Datatype second = MPI_DATATYPE_NULL, third = MPI_DATATYPE_NULL, reversed = MPI_DATATYPE_NULL;
  MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &second);
  MPI_Type_vector(n, 1, 3, MPI_DOUBLE, &third);
  MPI_Type_vector(n, 1, -1, MPI_DOUBLE, &reversed);
  for (MPI_Datatype* type : {&second, &third, &reversed}) MPI_Type_commit(type);
  std::vector<double> mine(2 * n), result(n, -1);
  for (int i = 0; i < n; ++i) mine[static_cast<std::size_t>(2 * i)] = i + 1;
  for (int i = 0; i < 3 * n; ++i) made.at[i] = 100;
  MPI_Win_fence(0, made.win);
  ok(MPI_Accumulate(mine.data(), 1, second, next_rank(), 0, 1, third, MPI_SUM, made.win));
  MPI_Win_fence(0, made.win);
  ok(MPI_Get_accumulate(mine.data(), 1, second, &result[n - 1], 1, reversed, next_rank(), 0, 1,
                        third, MPI_PROD, made.win));
  MPI_Win_fence(0, made.win);
  for (int i = 0; i < 3 * n; ++i)
    same(made.at[i], i % 3 == 0 ? (101.0 + i / 3) * (1 + i / 3) : 100.0, "a double");
  for (int i = 0; i < n; ++i)
    same(result[static_cast<std::size_t>(n - 1 - i)], 101.0 + i, "a result");
  // With MPI_NO_OP nothing is said of the origin.
  std::vector<double> seen(n);
  ok(MPI_Get_accumulate(nullptr, 0, MPI_DATATYPE_NULL, seen.data(), n, MPI_DOUBLE, next_rank(), 0,
                        1, third, MPI_NO_OP, made.win));
  MPI_Win_fence(0, made.win);
  same(seen[n - 1], (101.0 + n - 1) * n, "the last double, seen");
  for (MPI_Datatype* type : {&second, &third, &reversed}) MPI_Type_free(type);
});

const test_case misaligned("accumulate.where an element is not aligned", [] {
  const allocated<unsigned char> made(4096);
  const double one = 1;
  MPI_Win_lock_all(0, made.win);
  // Across cache lines and pages' ends too; every rank adds to every place of rank 0.
  for (int at = 1; at < 4000; at += 61)
    for (int times = 0; times < 10; ++times)
      ok(MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, at, 1, MPI_DOUBLE, MPI_SUM, made.win));
  MPI_Win_unlock_all(made.win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int at = 1; rank_in() == 0 && at < 4000; at += 61) {
    double sum = 0;
    std::memcpy(&sum, made.at + at, sizeof sum);
    same(sum, 10.0 * size_of(), "the sum at byte " + std::to_string(at));
  }
});

}  // namespace
}  // namespace oriel::mpi_test
