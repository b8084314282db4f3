// A team for each kind of memory: each asserts the one kind that its windows' operations will find
// their buffers in. Counts the ranks in CUDA's managed memory, else in its device memory, else in
// the system's. After the second example of MPI's side document on memory allocation kinds 1.0
// (§3.2), whose communicators for each kind are teams here.
#include <oriel/oriel.hpp>

#include <cstdio>
#include <string>

using namespace oriel;

namespace {

// Whether every rank provides `kind`: support need not be the same everywhere.
bool everywhere(const session& job, const team& world, const char* kind) {
  const auto provided = memory_kind_list::parse(*job.hints().get("mpi_memory_alloc_kinds"));
  return world.allreduce(provided.contains(kind) ? 1 : 0, atomic_op::min) == 1;
}

// A team of the same ranks, which asserts `kind`.
team team_for(const team& world, const char* kind) {
  team t = world.split(0);
  t.assert_memory_alloc_kinds(kind);
  return t;
}

// Adds up `*mine` of every rank, in place. The window's operations touch that memory themselves.
void add_up(const team& t, int* mine) {
  auto total = window<int, assertion::fence | assertion::multi_element>::allocate(
      t, t.me() == rank{0} ? 1 : 0);
  if (t.me() == rank{0})
    std::printf("a window whose buffers are %s\n",
                total.hints().get("mpi_assert_memory_alloc_kinds").value_or("any").c_str());
  const std::span one(mine, 1);
  total.fence().or_throw();
  total.accumulate(atomic_op::sum, rank{0}, disp{0}, one).or_throw();
  total.fence().or_throw();
  total.get(rank{0}, disp{0}, one).or_throw();
  total.fence().or_throw();
}

}  // namespace

int main(int argc, char** argv) {
  session_options options;
  options.hints.set("mpi_memory_alloc_kinds", "system,cuda:device,cuda:managed");
  session job{argc, argv, options};
  const team world = job.world();
  int counted = 0;

  if (everywhere(job, world, "cuda:managed")) {
    // Host and device both reach it, so operations take it as it is.
    const team on_managed = team_for(world, "cuda:managed");
    const auto memory = job.alloc_mem(sizeof(int), "cuda:managed");
    auto* const number = reinterpret_cast<int*>(memory.data());
    *number = 1;
    add_up(on_managed, number);
    counted = *number;
    job.free_mem(memory).or_throw();
    std::printf("rank %d: counted %d ranks in cuda:managed memory\n", world.me().value, counted);
  } else if (everywhere(job, world, "cuda:device")) {
    // The host does not reach it, but operations do.
    const team on_device = team_for(world, "cuda:device");
    const auto memory = job.alloc_mem(sizeof(int), "cuda:device");
    const int one = 1;
    job.copy(memory.data(), &one, sizeof one).or_throw();
    add_up(on_device, reinterpret_cast<int*>(memory.data()));
    job.copy(&counted, memory.data(), sizeof counted).or_throw();
    job.free_mem(memory).or_throw();
    std::printf("rank %d: counted %d ranks in cuda:device memory\n", world.me().value, counted);
  } else {
    const std::string provided = *job.hints().get("mpi_memory_alloc_kinds");
    const team on_system = team_for(world, "system");
    counted = 1;
    add_up(on_system, &counted);
    std::printf("rank %d: counted %d ranks in system memory; provided here: %s\n", world.me().value,
                counted, provided.c_str());
  }
  return counted == world.size() ? 0 : 1;
}
