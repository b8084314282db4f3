#include "tests/mpi/random_type.hpp"

#include <type_traits>
#include <vector>

namespace oriel::mpi {
namespace {

int between(std::mt19937& random, std::ptrdiff_t low, std::ptrdiff_t high) {
  return static_cast<int>(std::uniform_int_distribution<std::ptrdiff_t>(low, high)(random));
}

template <class Number>
std::vector<Number> some(std::mt19937& random, int n, std::ptrdiff_t low, std::ptrdiff_t high) {
  std::vector<Number> all(static_cast<std::size_t>(n));
  for (Number& a : all) a = static_cast<Number>(between(random, low, high));
  return all;
}

template <class... Numbers>
std::string told(const std::string& what, const Numbers&... numbers) {
  std::string text = what;
  [[maybe_unused]] const auto tell = [&text](const auto& n) {
    if constexpr (requires { n.size(); }) {
      text += " [";
      for (const auto& one : n) text += " " + std::to_string(one);
      text += " ]";
    } else {
      text += " " + std::to_string(n);
    }
  };
  (tell(numbers), ...);
  return text;
}

// An array of a few dimensions, and how a grid of processes shares it.
template <class Count>
struct array {
  std::vector<Count> sizes, part, starts;
  std::vector<int> distributions, arguments, grid;
  int dimensions, processes = 1, order;

  explicit array(std::mt19937& random) : dimensions(between(random, 1, 3)) {
    order = between(random, 0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    for (int i = 0; i < dimensions; ++i) {
      const int size = between(random, 1, 6);
      const int taken = between(random, 1, size);
      sizes.push_back(size);
      part.push_back(taken);
      starts.push_back(between(random, 0, size - taken));
      const int choice = between(random, 0, 2);
      const int across = choice == 0 ? 1 : between(random, 1, 3);
      const int least = choice == 1 ? (size + across - 1) / across : 1;  // a block holds its share
      distributions.push_back(choice == 0   ? MPI_DISTRIBUTE_NONE
                              : choice == 1 ? MPI_DISTRIBUTE_BLOCK
                                            : MPI_DISTRIBUTE_CYCLIC);
      arguments.push_back(choice == 0 || between(random, 0, 1) == 0
                              ? MPI_DISTRIBUTE_DFLT_DARG
                              : between(random, least, least + 2));
      grid.push_back(across);
      processes *= across;
    }
  }
};

}  // namespace

random_type::random_type(std::mt19937& random, std::span<const MPI_Datatype> leaves, int depth,
                         bool may_be_empty) {
  const int least = may_be_empty ? 0 : 1;  // of counts and block lengths
  if (depth == 0) {
    handle_ = leaves[random() % leaves.size()];
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI_Type_get_name(handle_, name, &length);
    story_.assign(name, static_cast<std::size_t>(length));
    return;
  }
#if MPI_VERSION >= 4
  if (between(random, 0, 1) == 1)
    derive<MPI_Count>(random, leaves, depth, least);
  else
#endif
    derive<int>(random, leaves, depth, least);
  owned_ = true;
  MPI_Type_commit(&handle_);
}

// The constructor of the name, in its form for the counts at hand.
#if MPI_VERSION >= 4
#define ORIEL_MAKE(name, ...)                 \
  do {                                        \
    if constexpr (std::is_same_v<Count, int>) \
      MPI_Type_##name(__VA_ARGS__);           \
    else                                      \
      MPI_Type_##name##_c(__VA_ARGS__);       \
  } while (false)
#else
#define ORIEL_MAKE(name, ...) MPI_Type_##name(__VA_ARGS__)
#endif

template <class Count>
void random_type::derive(std::mt19937& random, std::span<const MPI_Datatype> leaves, int depth,
                         int least) {
  using bytes = std::conditional_t<std::is_same_v<Count, int>, MPI_Aint, Count>;
  const random_type inner(random, leaves, between(random, 0, depth - 1), false);
  const random_type second(random, leaves, between(random, 0, depth - 1), false);
  const MPI_Datatype old = inner.handle_;
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_get_extent(old, &lb, &extent);
  const int n = between(random, least, 4);
  const Count length = between(random, least, 3);
  auto lengths = some<Count>(random, n, 0, 3);
  if (least == 1) lengths[0] = length;
  const auto displacements = some<Count>(random, n, -4, 12);
  const auto offsets = some<bytes>(random, n, -40, 4 * extent + 40);
  const array<Count> grid(random);
  const int rank = between(random, 0, grid.processes - 1);
  // Open MPI 4.1 takes a stride of -1 byte for a stride that was not given.
  const auto unlike_none = [](auto stride, std::ptrdiff_t unit) {
    return stride * unit == -1 ? -stride : stride;
  };
  switch (between(random, 0, 11)) {
    case 0:
      MPI_Type_dup(old, &handle_);
      story_ = told("dup");
      break;
    case 1:
      ORIEL_MAKE(contiguous, Count{n}, old, &handle_);
      story_ = told("contiguous", n);
      break;
    case 2: {
      const Count stride = unlike_none(Count{between(random, -4, 6)}, extent);
      ORIEL_MAKE(vector, Count{n}, length, stride, old, &handle_);
      story_ = told("vector", n, length, stride);
      break;
    }
    case 3: {
      const bytes stride = unlike_none(bytes{between(random, -extent, 4 * extent + 20)}, 1);
      ORIEL_MAKE(create_hvector, Count{n}, length, stride, old, &handle_);
      story_ = told("hvector", n, length, stride);
      break;
    }
    case 4:
      ORIEL_MAKE(indexed, Count{n}, lengths.data(), displacements.data(), old, &handle_);
      story_ = told("indexed", lengths, displacements);
      break;
    case 5:
      ORIEL_MAKE(create_hindexed, Count{n}, lengths.data(), offsets.data(), old, &handle_);
      story_ = told("hindexed", lengths, offsets);
      break;
    case 6:
      ORIEL_MAKE(create_indexed_block, Count{n}, length, displacements.data(), old, &handle_);
      story_ = told("indexed_block", length, displacements);
      break;
    case 7:
      ORIEL_MAKE(create_hindexed_block, Count{n}, length, offsets.data(), old, &handle_);
      story_ = told("hindexed_block", length, offsets);
      break;
    case 8: {
      std::vector<MPI_Datatype> types;
      for (int i = 0; i < n; ++i) types.push_back(i % 2 == 0 ? old : second.handle_);
      ORIEL_MAKE(create_struct, Count{n}, lengths.data(), offsets.data(), types.data(), &handle_);
      story_ = told("struct", lengths, offsets) + " and (" + second.story_ + ")";
      break;
    }
    case 9:
      ORIEL_MAKE(create_subarray, grid.dimensions, grid.sizes.data(), grid.part.data(),
                 grid.starts.data(), grid.order, old, &handle_);
      story_ = told("subarray", grid.sizes, grid.part, grid.starts, grid.order);
      break;
    case 10:
      ORIEL_MAKE(create_darray, grid.processes, rank, grid.dimensions, grid.sizes.data(),
                 grid.distributions.data(), grid.arguments.data(), grid.grid.data(), grid.order,
                 old, &handle_);
      story_ = told("darray", rank, grid.sizes, grid.distributions, grid.arguments, grid.grid,
                    grid.order);
      break;
    default: {
      const bytes low = between(random, -16, 16);
      const bytes span = between(random, 0, 2 * extent + 8);
      ORIEL_MAKE(create_resized, old, low, span, &handle_);
      story_ = told("resized", low, span);
    }
  }
  story_ += " of (" + inner.story_ + ")";
}

}  // namespace oriel::mpi
