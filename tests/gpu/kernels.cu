// On a GPU, two ranks that share it, or have one each where there are several: kernels of both
// processes on the windows of both. Kernels of two processes take turns on one GPU, so none waits
// for another's: hosts' barriers come between.
#include <cstdio>
#include <deque>
#include <exception>
#include <string>

#include "oriel/device.cuh"
#include "oriel/oriel.hpp"
#include "tests/device/gpu_memory.cuh"

namespace {

using namespace oriel;
using oriel::testing::check;
using oriel::testing::finish;
using oriel::testing::gpu_array;
using oriel::testing::require;
using word = unsigned long long;

constexpr auto promise = assertion::shared_lock | assertion::multi_element | assertion::notify;
using counters = window<word, promise>;
constexpr std::size_t elements = 1 << 16;
constexpr unsigned blocks = 8, threads = 128;

counters a_window(const team& world, const std::string& kind, std::size_t count = elements) {
  window_options options;
  options.name = kind;
  options.memory_kind = kind;
  return counters::allocate(world, count, options);
}
void meet(const team& world) {
  require(world.barrier().ok(), "the other rank has gone");
}

__global__ void number(word* at, std::size_t n, word first) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    at[i] = first + i;
}
__global__ void count_wrong(const word* at, std::size_t n, word first, unsigned* wrong) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (at[i] != first + i) atomicAdd(wrong, 1u);
}
__global__ void add_ones(word* at) {
  atomicAdd_system(at, word{1});
}
__global__ void add_ones_to(window_view<word> view, oriel::rank r) {
  view.accumulate<atomic_op::sum>(r, disp{0}, word{1});
}

// What a shared query gives is a pointer for kernels, which see what the other rank's have written.
void check_shared_pointers(const team& world, const std::string& kind) {
  auto w = a_window(world, kind);
  const int me = world.me().value, other = 1 - me;
  const auto mine = w.shared_query(world.me()), there = w.shared_query(rank{other});
  require(mine.reachable(), kind + ": a rank does not reach its own memory");
  if (!there.reachable()) {
    std::printf("%s: the other rank's memory is not mapped here\n", kind.c_str());
    return;
  }
  gpu_array<unsigned> wrong(1);
  number<<<blocks, threads>>>(mine.base, elements, 1000000 * (me + 1));
  finish();
  meet(world);
  count_wrong<<<blocks, threads>>>(there.base, elements, 1000000 * (other + 1), wrong.get());
  finish();
  require(wrong.read(0) == 0, kind + ": a kernel does not see what the other rank's wrote");
  meet(world);
  number<<<blocks, threads>>>(there.base, elements, 5 + me);
  finish();
  meet(world);
  count_wrong<<<blocks, threads>>>(mine.base, elements, 5 + other, wrong.get());
  finish();
  require(wrong.read(0) == 0, kind + ": a kernel's stores do not reach the other rank");
  meet(world);
}

// Atomics on one word of both ranks' kernels and, meanwhile, of their hosts. Where the link has no
// atomics, kernels' go by the view, which has the owner do them.
void check_one_domain(const team& world) {
  constexpr int by_host = 500;
  auto w = a_window(world, "cuda:device");
  auto epoch = w.lock_all();
  word* const shared = w.shared_query(rank{0}).base;
  const bool own = w.any().lacks_kernel_atomics(rank{0}).empty();
  const unsigned grid = own ? blocks : 1;
  for (int round = 0; round < 5; ++round) {
    if (own)
      add_ones<<<grid, threads>>>(shared);
    else
      add_ones_to<<<grid, threads>>>(window_view<word>(w.kernel_view()), rank{0});
    for (int i = 0; i < by_host; ++i) require(w.add(rank{0}, disp{0}, 1).ok(), w.failure());
    finish();
  }
  require(w.flush_all().ok(), w.failure());
  meet(world);
  const word expected = 5 * (world.allreduce(word{grid} * threads, atomic_op::sum) + 2 * by_host);
  const word found = w.get(rank{0}, disp{0});
  require(found == expected,
          "updates were lost: " + std::to_string(found) + " of " + std::to_string(expected));
  meet(world);
}

// By the view: every scope's put and get, and atomics, to both ranks.
__global__ void exercise(window_view<word> view, const word* row, word* back, unsigned* wrong) {
  const oriel::rank other{1 - view.rank().value};
  const disp place{word{1024} * static_cast<unsigned>(1 + view.rank().value)};
  view.put(scope::block{}, other, place, row, 1024);
  if (view.quiet(scope::block{}) != errc::success) atomicAdd(wrong, 1u);
  view.get(scope::block{}, other, place, back, 1024);
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
    if (back[i] != row[i]) atomicAdd(wrong, 1u);
  if (threadIdx.x < 4) view.fetch_add(other, disp{threadIdx.x}, word{1});
  view.fetch_add(scope::warp{}, oriel::rank{0}, disp{8}, word{1});
  if (threadIdx.x == 0) {
    view.put(other, disp{16}, word{77} + static_cast<unsigned>(view.rank().value));
    view.fence(scope::thread{});
    if (view.get(other, disp{16}) != word{77} + static_cast<unsigned>(view.rank().value))
      atomicAdd(wrong, 1u);
  }
}
__global__ void notify(window_view<word> view, const word* row) {
  const oriel::rank other{1 - view.rank().value};
  view.put_notify(scope::block{}, other, disp{8192}, row, 1024, 1);
}
__global__ void hear(window_view<word> view, const word* row, unsigned* wrong) {
  if (view.wait_notify(scope::block{}, 1, 1) != errc::success) atomicAdd(wrong, 1u);
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
    if (view.get(view.rank(), disp{8192 + i}) != row[i]) atomicAdd(wrong, 1u);
}

void check_view(const team& world, const std::string& kind) {
  auto w = a_window(world, kind);
  const window_view<word> view(w.kernel_view());
  auto epoch = w.lock_all();
  gpu_array<word> row(1024), back(1024);
  gpu_array<unsigned> wrong(1);
  number<<<blocks, threads>>>(row.get(), 1024, 17);
  finish();
  meet(world);
  exercise<<<1, threads>>>(view, row.get(), back.get(), wrong.get());
  finish();
  require(wrong.read(0) == 0, kind + ": a kernel does not get what it put: " + w.failure());
  meet(world);
  for (unsigned i = 0; i < 4; ++i)
    require(w.get(world.me(), disp{i}) == 1, kind + ": an addition of a kernel is lost");
  require(w.get(rank{0}, disp{8}) == 2 * threads / 32, kind + ": additions of warps are lost");
  meet(world);
  notify<<<1, threads>>>(view, row.get());
  finish();
  require(w.wait_notify(1, 1).ok(), kind + ": the host hears no notification: " + w.failure());
  meet(world);
  // The kernel finds the notification there already, and waits for nobody.
  hear<<<1, threads>>>(view, row.get(), wrong.get());
  finish();
  require(wrong.read(0) == 0, kind + ": a notified row is wrong");
  require(w.failure().empty(), w.failure());
  meet(world);
}

// An exclusive lock keeps other ranks' hosts out, and no kernel: the host's updates stay atomic
// though only such locks are promised.
void check_locked(const team& world) {
  constexpr word by_host = 2'000'000;
  window_options options;
  options.memory_kind = "cuda:host";
  auto w = window<word, assertion::exclusive_lock>::allocate(world, 1, options);
  const window_view<word> view(w.kernel_view());
  {
    auto epoch = w.lock_exclusive(world.me());
    add_ones_to<<<blocks, threads>>>(view, world.me());
    for (word i = 0; i < by_host; ++i) require(w.add(world.me(), disp{0}, 1).ok(), w.failure());
    finish();
    require(w.flush(world.me()).ok(), w.failure());
    require(w.get(world.me(), disp{0}) == by_host + blocks * threads,
            "updates under a lock were lost");
  }
  meet(world);
}

// Windows come and go in any order, and none keeps memory of the other rank's open.
void check_order_of_freeing(const team& world) {
  for (int round = 0; round < 3; ++round) {
    std::deque<counters> held;
    for (int i = 0; i < 6; ++i) held.push_back(a_window(world, "cuda:device", 100));
    for (int i = 0; !held.empty(); ++i) {
      counters& w = i % 2 == 0 ? held.front() : held.back();
      number<<<1, threads>>>(w.shared_query(world.next()).base, 100, 1);
      finish();
      require(w.free().ok(), "a window is not freed");
      i % 2 == 0 ? held.pop_front() : held.pop_back();
    }
  }
  finish();
}

void check_all(const team& world) {
  require(world.size() == 2, "two ranks are wanted");
  const auto told = [&](const char* what) {
    meet(world);
    if (world.me() == rank{0}) std::printf("%s\n", what);
  };
  check_shared_pointers(world, "cuda:device");
  check_shared_pointers(world, "cuda:host");
  check_shared_pointers(world, "cuda:managed");
  told("shared queries: kernels of two processes");
  check_one_domain(world);
  told("atomics: kernels and hosts of two processes");
  for (const char* kind : {"cuda:device", "cuda:host", "cuda:managed"}) check_view(world, kind);
  told("views: put, get, atomics, notification");
  check_locked(world);
  told("locks: they exclude no kernel");
  check_order_of_freeing(world);
  told("freeing: any order");
}

}  // namespace

int main(int argc, char** argv) try {
  oriel::session_options options;
  options.threads = thread_level::serialized;  // kernels are no threads of the program's
  oriel::session job(argc, argv, options);
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check(cudaSetDevice(job.world().me().value % devices), "cudaSetDevice");
  check_all(job.world());
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
