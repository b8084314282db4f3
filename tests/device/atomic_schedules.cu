// Element-wise atomics in kernels (detail/device_atomic.cuh), and the gate of those that the host
// has done by kernels (kinds/atomic_task.hpp), by many schedules of the test driver:
//
//   atomic-schedules [--mix NAME] [--from SEED] [--seeds N] [--policy NAME] [--expect-failure]
//
// Threads update elements that lie side by side, each in a way that shows a lost or doubled update:
// sums of all, swaps that count, tokens of which none may vanish. A failure prints the mix and the
// seed that repeat it. With --expect-failure some seed must fail: for kernels that
// ORIEL_TEST_MUTANT has broken. Exits with 77 where there is no device.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "kinds/atomic_kernel_body.cuh"
#include "oriel/device.cuh"
#include "tests/device/gpu_memory.cuh"
#include "tests/gpu/schedules.hpp"

namespace {

namespace device = oriel::detail::device;
using oriel::atomic_op;
using oriel::testing::gpu_array;
using oriel::testing::place;

constexpr unsigned blocks = 2, threads = 40, rounds = 3, total = blocks * threads * rounds;
// A byte holds every number of updates, one more than there are of them at an element.
constexpr unsigned elements = 4, of_each = total / elements;
static_assert(total % elements == 0 && of_each < 128);

__device__ unsigned me() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// Each of these makes one update of its thread's and returns what it found.
template <class T>
struct swaps {
  static __device__ T update(T* at, unsigned) {
    for (T now = device::load(at);;) {
      const T before = device::compare_swap(at, now, static_cast<T>(now + 1));
      if (before == now) return before;
      now = before;
    }
  }
};
template <class T>
struct sums {
  static __device__ T update(T* at, unsigned) { return device::fetch_op<atomic_op::sum>(at, T{1}); }
};
// Every update is found by exactly one other, or is the last.
template <class T>
struct tokens {
  static __device__ T update(T* at, unsigned mine) {
    return device::exchange(at, static_cast<T>(mine));
  }
};

template <class How, class T>
__global__ void update(T* at, T* found) {
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned n = me() * rounds + i, e = n % elements;
    found[e * of_each + n / elements] = How::update(at + e, n / elements + 1);
  }
}
// Each thread sets, clears and flips a bit of its own, and finds it as it has left it.
template <class T>
__global__ void own_bits(T* at, T* wrong) {
  constexpr unsigned bits = sizeof(T) * 8;
  if (me() >= bits) return;
  const T mine = T{1} << me();
  for (unsigned i = 0; i < rounds; ++i) {
    const T before = device::fetch_op<atomic_op::bor>(at, mine);
    const T set = device::fetch_op<atomic_op::bxor>(at, mine);
    const T flipped = device::fetch_op<atomic_op::bor>(at, mine);
    const T cleared = device::fetch_op<atomic_op::band>(at, static_cast<T>(~mine));
    if ((before & mine) != 0 || (set & mine) == 0 || (flipped & mine) != 0 || (cleared & mine) == 0)
      device::store(wrong, T{1});
  }
}

// To the end of the process, when the driver may be gone.
template <class Of, class T, int Which>
gpu_array<T>& kept(std::size_t n) {
  static auto& array = *new gpu_array<T>(n, place::pinned);
  return array;
}

// Of each pair of threads one begins a task, and the other, as the host would, withdraws it.
constexpr unsigned gates = 16;
__global__ void pass_gates(oriel::kinds::atomic_gate* gate, unsigned* wrong) {
  __shared__ unsigned began[gates], withdrew[gates];
  const unsigned g = threadIdx.x % 32;
  if (g < gates && threadIdx.x < 32) {
    began[g] = oriel::kinds::may_begin(gate + g) ? 1 : 0;
  } else if (g < gates) {
    device::store(&gate[g].withdrawn, 1u);
    device::fence();  // the host's
    withdrew[g] = device::load(&gate[g].begun) == 0 ? 1 : 0;
  }
  __syncthreads();
  if (threadIdx.x < gates && began[g] + withdrew[g] == 2) atomicAdd(wrong, 1);
}

// What was found at one element, and what is left there: 0, 1, … in some order.
template <class T>
bool all_once(std::vector<T> values) {
  std::ranges::sort(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != static_cast<T>(i)) return false;
  return true;
}

template <class How, class T>
bool updates() {
  auto& at = kept<How, T, 0>(8);
  auto& found = kept<How, T, 1>(total);
  std::fill_n(at.get(), at.size(), T{0});
  update<How, T><<<blocks, threads>>>(at.get(), found.get());
  oriel::testing::finish();
  for (unsigned e = 0; e < elements; ++e) {
    std::vector<T> values(found.get() + e * of_each, found.get() + (e + 1) * of_each);
    values.push_back(at.get()[e]);
    if (!all_once(values)) return false;
  }
  return std::all_of(at.get() + elements, at.get() + at.size(), [](T v) { return v == T{0}; });
}
template <class T>
bool flips() {
  auto& at = kept<T, T, 0>(2);
  std::fill_n(at.get(), 2, T{0});
  own_bits<T><<<blocks, threads>>>(at.get(), at.get() + 1);
  oriel::testing::finish();
  return at.get()[0] == 0 && at.get()[1] == 0;
}
bool begins_or_not() {
  auto& gate = kept<void, oriel::kinds::atomic_gate, 0>(gates);
  auto& wrong = kept<void, unsigned, 0>(1);
  std::fill_n(gate.get(), gates, oriel::kinds::atomic_gate{});
  wrong.get()[0] = 0;
  pass_gates<<<1, 64>>>(gate.get(), wrong.get());
  oriel::testing::finish();
  return wrong.get()[0] == 0;
}

struct named {
  const char* name;
  bool (*right)();
};
// A byte's sum and a product have no instruction.
constexpr named mixes[] = {
    {"byte_sums", updates<sums<std::uint8_t>, std::uint8_t>},
    {"byte_swaps", updates<swaps<std::uint8_t>, std::uint8_t>},
    {"short_tokens", updates<tokens<std::uint16_t>, std::uint16_t>},
    {"word_sums", updates<sums<std::uint64_t>, std::uint64_t>},
    {"word_swaps", updates<swaps<std::uint64_t>, std::uint64_t>},
    {"word_tokens", updates<tokens<std::uint32_t>, std::uint32_t>},
    {"real_sums", updates<sums<double>, double>},
    {"bits", flips<std::uint32_t>},
    {"gates", begins_or_not},
};

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  const auto asked = oriel::testing::schedules::asked_for(argc, argv);
  if (!asked) return 2;
  return asked->run("atomic-schedules", mixes, [&](const named& mix, std::uint64_t seed) {
    asked->begin(seed);
    return std::string(mix.right() ? "" : "a result is wrong");
  });
}
