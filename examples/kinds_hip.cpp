// Reads a file's numbers, which rank 0 has, into memory of HIP's devices. The kinds are requested
// where the program is started:
//   oriel-run --memory-alloc-kinds system,mpi,rocm:device -n 2 oriel-kinds-hip
// After the third example of MPI's side document on memory allocation kinds 1.0 (§3.3), where the
// file is one of MPI's.
#include <oriel/oriel.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace oriel;

namespace {

constexpr std::size_t numbers = 1024;  // for each rank

int number_at(std::size_t place) {
  return static_cast<int>(place * 3 % 1001);
}

}  // namespace

int main(int argc, char** argv) {
  session job{argc, argv};  // requests nothing, so the launcher's option counts
  const team world = job.world();
  const std::string provided = *job.hints().get("mpi_memory_alloc_kinds");
  const bool on_device = memory_kind_list::parse(provided).contains("rocm:device");

  // The file: all of it is rank 0's.
  const bool owner = world.me() == rank{0};
  const std::size_t all = numbers * static_cast<std::size_t>(world.size());
  auto file = window<int, assertion::fence | assertion::multi_element |
                              assertion::local_load_store>::allocate(world, owner ? all : 0);
  for (std::size_t i = 0; i < file.local().size(); ++i) file.local()[i] = number_at(i);

  // Each rank reads its part, wherever its memory is.
  const std::size_t first = numbers * static_cast<std::size_t>(world.me().value);
  std::vector<int> part(numbers);
  std::span memory(std::as_writable_bytes(std::span(part)));
  if (on_device) memory = job.alloc_mem(numbers * sizeof(int), "rocm:device");
  file.fence().or_throw();
  file.get(rank{0}, disp{first}, std::span(reinterpret_cast<int*>(memory.data()), numbers))
      .or_throw();
  file.fence().or_throw();

  int sum = 0;
  if (on_device) {
    // Kernels would compute in memory.data() here.
    job.copy(part.data(), memory.data(), memory.size()).or_throw();
    std::printf("rank %d: computes in %s memory, of %s\n", world.me().value,
                job.kind_of(memory.data()).c_str(), provided.c_str());
    job.free_mem(memory).or_throw();
  } else {
    std::printf("rank %d: computes in system memory, as rocm:device is not of %s\n",
                world.me().value, provided.c_str());
  }
  int expected = 0;
  for (std::size_t i = 0; i < numbers; ++i) {
    sum += part[i];
    expected += number_at(first + i);
  }
  std::printf("rank %d: the sum is %d\n", world.me().value, sum);
  return sum == expected ? 0 : 1;
}
