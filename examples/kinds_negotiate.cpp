// Settles with the other ranks on the best kind of memory that all of them have: CUDA's device
// memory, else its managed, else its host memory, else the system's. Then each rank sends a row of
// numbers from such memory to its neighbour. After the first example of MPI's side document on
// memory allocation kinds 1.0 (§3.1), without its SYCL.
#include <oriel/oriel.hpp>

#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

using namespace oriel;

namespace {

constexpr std::size_t numbers = 1000;
constexpr std::array preferred{"cuda:device", "cuda:managed", "cuda:host", "system"};

struct chosen_memory {
  std::string kind;
  std::span<std::byte> bytes;
};

// Ranks may provide different kinds, so they choose together. The system's memory is always
// provided when it is requested.
chosen_memory choose(session& job, const team& world) {
  for (const char* kind : preferred) {
    std::span<std::byte> bytes;
    try {
      bytes = job.alloc_mem(numbers * sizeof(int), kind);
    } catch (const error& why) {
      std::printf("rank %d: %s\n", world.me().value, why.what());
    }
    const int everywhere = world.allreduce(bytes.empty() ? 0 : 1, atomic_op::min);
    if (everywhere == 1) return {kind, bytes};
    job.free_mem(bytes).or_throw();
  }
  throw error(errc::no_mem, "not every rank has any of the kinds");
}

}  // namespace

int main(int argc, char** argv) {
  // Requested: all that could be used. What is not there is left out, and is no error.
  session_options options;
  options.hints.set("mpi_memory_alloc_kinds", "cuda:device,cuda:managed,cuda:host,system");
  session job{argc, argv, options};
  team world = job.world();

  // Provided: what this process has.
  const std::string provided = *job.hints().get("mpi_memory_alloc_kinds");
  const chosen_memory mine = choose(job, world);
  std::printf("rank %d: %s, of %s\n", world.me().value, mine.kind.c_str(), provided.c_str());

  // Asserted: what the window's operations will find their buffers in. The inbox is such memory
  // too.
  window_options promise;
  promise.hints.set("mpi_assert_memory_alloc_kinds", mine.kind);
  if (mine.kind != "system") promise.memory_kind = mine.kind;
  auto inbox =
      window<int, assertion::fence | assertion::multi_element>::allocate(world, numbers, promise);
  const std::span buffer(reinterpret_cast<int*>(mine.bytes.data()), numbers);

  std::vector<int> row(numbers);
  std::iota(row.begin(), row.end(), world.me().value);
  job.copy(mine.bytes.data(), row.data(), mine.bytes.size()).or_throw();
  // A kernel would compute in the buffer here.
  inbox.fence().or_throw();
  inbox.put(world.next(), disp{0}, std::span<const int>(buffer)).or_throw();
  inbox.fence().or_throw();
  inbox.get(world.me(), disp{0}, buffer).or_throw();
  inbox.fence().or_throw();

  // What has come is the neighbour's row.
  job.copy(row.data(), mine.bytes.data(), mine.bytes.size()).or_throw();
  std::vector<int> expected(numbers);
  std::iota(expected.begin(), expected.end(), world.previous().value);
  const bool arrived = row == expected;
  std::printf("rank %d: the neighbour's row %s in %s memory\n", world.me().value,
              arrived ? "arrived" : "is wrong", job.kind_of(mine.bytes.data()).c_str());
  job.free_mem(mine.bytes).or_throw();
  return arrived ? 0 : 1;
}
