// Every function of window_view, at every scope and for elements of several sizes: compiled for
// devices by the tests, never run.
#ifdef ORIEL_TEST_HIP
#include <hip/hip_runtime.h>
#endif

#include "oriel/device.cuh"

namespace {

struct triple {
  int a, b, c;
};

template <class T, class S>
ORIEL_DEVICE void moves(oriel::window_view<T> view, S s, T* memory, std::size_t n) {
  const oriel::rank next{(view.rank().value + 1) % view.ranks()};
  const oriel::disp i{view.count(next) / 2};
  view.put(s, next, i, memory, n);
  view.get(s, next, i, memory, n);
  view.put_nbi(s, next, i, memory, n);
  view.get_nbi(s, next, i + 1, memory, n);
  view.put(next, i, memory[0]);
  memory[0] = view.get(next, i);
  if (view.direct(next) != nullptr) memory[0] = view.direct(next)[0];
  memory[0] = view.local()[0];
  view.put_notify(s, next, i, memory, n, 0);
  view.put_notify(next, i, memory[0], 1);
  view.fence(s);
  if (view.quiet(s) != oriel::errc::success || view.failure() != oriel::errc::success) return;
  view.wait_notify(s, 0, view.notified(0) + 1);
}

template <oriel::atomic_op Op, class T, class S>
ORIEL_DEVICE void updates(oriel::window_view<T> view, S s, T* memory, std::size_t n) {
  const oriel::rank me = view.rank();
  view.template accumulate<Op>(me, oriel::disp{0}, memory[0]);
  view.template accumulate<Op>(s, me, oriel::disp{0}, memory[0]);
  view.template accumulate<Op>(s, me, oriel::disp{0}, memory, n);
  memory[0] = view.template fetch_op<Op>(me, oriel::disp{0}, memory[0]);
  memory[0] = view.template fetch_op<Op>(s, me, oriel::disp{0}, memory[0]);
}

template <class T, class S>
ORIEL_DEVICE void atomics(oriel::window_view<T> view, S s, T* memory, std::size_t n) {
  using oriel::atomic_op;
  updates<atomic_op::replace>(view, s, memory, n);
  updates<atomic_op::no_op>(view, s, memory, n);
  updates<atomic_op::sum>(view, s, memory, n);
  updates<atomic_op::prod>(view, s, memory, n);
  updates<atomic_op::min>(view, s, memory, n);
  updates<atomic_op::max>(view, s, memory, n);
  if constexpr (std::is_integral_v<T>) {
    updates<atomic_op::land>(view, s, memory, n);
    updates<atomic_op::bxor>(view, s, memory, n);
  }
  const oriel::disp i{1};
  memory[0] = view.fetch_add(view.rank(), i, memory[1]);
  memory[0] = view.fetch_add(s, view.rank(), i, memory[1]);
  memory[0] = view.exchange(view.rank(), i, memory[1]);
  memory[0] = view.exchange(s, view.rank(), i, memory[1]);
  memory[0] = view.compare_swap(view.rank(), i, memory[1], memory[2]);
  memory[0] = view.compare_swap(s, view.rank(), i, memory[1], memory[2]);
  if constexpr (sizeof(T) >= 4) {
    using oriel::comparison;
    for (const auto how : {comparison::equal, comparison::less, comparison::greater_equal})
      view.wait_until(s, i, how, memory[0]);
  }
}

}  // namespace

template <class T, class S>
__global__ void use_everything(oriel::window_view<T> view, T* memory, std::size_t n) {
  moves(view, S{}, memory, n);
  if constexpr (std::is_arithmetic_v<T>) atomics(view, S{}, memory, n);
}

#define ORIEL_TEST_INSTANTIATE(T, S)                                                     \
  template __global__ void use_everything<T, oriel::scope::S>(oriel::window_view<T>, T*, \
                                                              std::size_t)
ORIEL_TEST_INSTANTIATE(unsigned char, thread);
ORIEL_TEST_INSTANTIATE(int, warp);
ORIEL_TEST_INSTANTIATE(unsigned long long, thread);
ORIEL_TEST_INSTANTIATE(float, block);
ORIEL_TEST_INSTANTIATE(double, block);
ORIEL_TEST_INSTANTIATE(triple, block);

// A view goes to kernels by value.
__global__ void take_view(oriel::window_view<double> view, double* sum) {
  sum[0] = view.fetch_add(view.rank(), oriel::disp{threadIdx.x}, 1.0);
}
