// On a GPU: kernels put, get, update and notify, at every scope, on memory that is direct and on
// memory behind the ring.
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "tests/device/gpu_world.cuh"

namespace {

using namespace oriel;
using namespace oriel::testing;

constexpr std::size_t elements = 1 << 16;

template <class T>
__global__ void fill(T* at, std::size_t n, int first) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    at[i] = static_cast<T>(first + static_cast<int>(i % 100));
}

// One block; `wrong` counts elements that did not come back.
template <class T, class S>
__global__ void round_trip(window_view<T> view, std::int32_t target, const T* from, T* to,
                           std::size_t first, std::size_t n, unsigned* wrong) {
  const oriel::rank r{target};
  const S s{};
  // Every scope of the block moves a part of its own.
  const unsigned scopes = blockDim.x / oriel::detail::device::member(s).size;
  const unsigned mine = threadIdx.x / oriel::detail::device::member(s).size;
  const std::size_t each = n / scopes, at = mine * each;
  view.put(s, r, disp{first + at}, from + at, each);
  if (view.quiet(s) != errc::success) atomicAdd(wrong, 1u);
  view.get(s, r, disp{first + at}, to + at, each);
  __syncthreads();
  for (std::size_t i = threadIdx.x; i < each * scopes; i += blockDim.x)
    if (to[i] != from[i]) atomicAdd(wrong, 1u);
}

template <class T, class S>
void check_round_trip(const char* what) {
  for (const int target : {1, 2})
    for (const std::size_t n : {64, 1024, 33000})
      for (const std::size_t first : {0, 1, 5}) {
        gpu_world<T> world(elements);
        gpu_array<T> from(elements), to(elements);
        gpu_array<unsigned> wrong(1);
        fill<<<8, 256>>>(from.get(), elements, 1);
        round_trip<T, S>
            <<<1, 64>>>(world.view(0), target, from.get(), to.get(), first, n, wrong.get());
        finish();
        require(wrong.read(0) == 0, std::string(what) + ": " + std::to_string(wrong.read(0)) +
                                        " wrong, rank " + std::to_string(target) + ", n " +
                                        std::to_string(n) + " from " + std::to_string(first));
        require(world.memory[target].read(first) == T(1),
                std::string(what) + ": not at the target");
      }
  std::printf("%s: put and get\n", what);
}

template <class T>
__global__ void count_up(window_view<T> view, std::int32_t target) {
  const oriel::rank r{target};
  view.template accumulate<atomic_op::sum>(r, disp{threadIdx.x % 4}, T(1));
  view.fetch_add(scope::warp{}, r, disp{4}, T(1));
  view.fetch_add(scope::block{}, r, disp{5}, T(1));
  T seen = view.get(r, disp{6});
  for (;;) {
    const T before = view.compare_swap(r, disp{6}, seen, static_cast<T>(seen + T(1)));
    if (before == seen) break;
    seen = before;
  }
}

template <class T>
void check_updates(const char* what) {
  gpu_world<T> world(elements);
  constexpr unsigned blocks = 16, threads = 128;
  count_up<T><<<blocks, threads>>>(world.view(0), 1);
  finish();
  const auto expect = [&](std::size_t i, unsigned n) {
    require(world.memory[1].read(i) == static_cast<T>(n),
            std::string(what) + ": element " + std::to_string(i) + " lost updates");
  };
  for (std::size_t i = 0; i < 4; ++i) expect(i, blocks * threads / 4);
  expect(4, blocks * threads / 32);
  expect(5, blocks);
  expect(6, blocks * threads);
  std::printf("%s: atomics\n", what);
}

// More threads than the ring has slots, each with requests that wait for an answer.
__global__ void crowd_the_ring(window_view<std::uint64_t> view, unsigned* seen) {
  const std::uint64_t ticket = view.fetch_add(oriel::rank{2}, disp{0}, 1);
  atomicAdd(seen + ticket, 1u);
  view.put(oriel::rank{2}, disp{1 + ticket}, ticket);
  view.put_notify(scope::block{}, oriel::rank{2}, disp{0}, nullptr, 0, 3);
}

void check_ring() {
  constexpr unsigned blocks = 8, threads = 256;
  gpu_world<std::uint64_t> world(elements);
  gpu_array<unsigned> seen(blocks * threads);
  crowd_the_ring<<<blocks, threads>>>(world.view(0), seen.get());
  finish();
  for (unsigned i = 0; i < blocks * threads; ++i)
    require(seen.read(i) == 1, "a ticket was given twice or not at all");
  require(world.memory[2].read(0) == blocks * threads, "the ring lost updates");
  // A kernel may end before its last notifications, which it does not wait for, have left the ring.
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto notified = [&] { return world.notified[2].read(3 * oriel::detail::counter_stride); };
  while (notified() != blocks && std::chrono::steady_clock::now() < patience)
    std::this_thread::yield();
  require(notified() == blocks, "the ring lost notifications");
  std::printf("ring: a crowd\n");
}

// Two blocks as two ranks, both resident: each answers the other's rows.
__global__ void play(window_view<int> zero, window_view<int> one, int rounds, unsigned* wrong) {
  __shared__ int row[256];
  const window_view<int> view = blockIdx.x == 0 ? zero : one;
  const oriel::rank other{1 - view.rank().value};
  for (int i = 1; i <= rounds; ++i) {
    const auto expected = static_cast<std::uint64_t>(i);
    if (blockIdx.x == 1) view.wait_notify(scope::block{}, 0, expected);
    if (blockIdx.x == 1 && view.local()[threadIdx.x] != i) atomicAdd(wrong, 1u);
    row[threadIdx.x] = blockIdx.x == 0 ? i : -i;
    view.put_notify(scope::block{}, other, disp{0}, row, 256, 0);
    if (blockIdx.x == 0) view.wait_notify(scope::block{}, 0, expected);
    if (blockIdx.x == 0 && view.local()[threadIdx.x] != -i) atomicAdd(wrong, 1u);
  }
}

void check_notification() {
  gpu_world<int> world(elements);
  gpu_array<unsigned> wrong(1);
  const int rounds = on_processors() ? 100 : 1000;
  play<<<2, 256>>>(world.view(0), world.view(1), rounds, wrong.get());
  finish();
  require(wrong.read(0) == 0, "a notification came before its row");
  std::printf("notification: ping-pong\n");
}

}  // namespace

int main() try {
  check_round_trip<unsigned char, scope::thread>("bytes, threads");
  check_round_trip<float, scope::warp>("floats, warps");
  check_round_trip<double, scope::block>("doubles, block");
  check_updates<std::uint8_t>("1 byte");
  check_updates<std::int16_t>("2 bytes");
  check_updates<std::uint32_t>("4 bytes");
  check_updates<std::uint64_t>("8 bytes");
  check_updates<float>("float");
  check_updates<double>("double");
  check_ring();
  check_notification();
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
