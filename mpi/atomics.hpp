// The atomic operations' common case, inline: one integer or floating-point number at a target
// whose memory this process's atomic instructions reach.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "mpi/counted.hpp"
#include "mpi/mpi_window.hpp"
#include "mpi/types.hpp"
#include "oriel/detail/cpu_atomic.hpp"

namespace oriel::mpi {

// The arguments of the accumulate family, as the program gave them.
struct accumulation {
  const void* origin;
  MPI_Count count;
  MPI_Datatype type;
  void* result;
  MPI_Count result_count;
  MPI_Datatype result_type;
  int target;
  MPI_Aint disp;
  MPI_Count target_count;
  MPI_Datatype target_type;
  MPI_Op op;
  bool fetches;
  bool one = false;  // MPI_Fetch_and_op: the result is usable on return
  // MPI_NO_OP leaves the origin alone.
  [[nodiscard]] bool reads() const noexcept { return op != MPI_NO_OP; }
};

struct swap {
  const void* desired;
  const void* expected;
  void* result;
  MPI_Datatype type;
  int target;
  MPI_Aint disp;
};

// Where one element of the type is, when the common case holds; else null.
[[gnu::always_inline]] inline std::byte* reach_element(const mpi_window& w, const target_entry& t,
                                                       MPI_Aint disp,
                                                       const type_entry& type) noexcept {
  std::uint64_t offset = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(disp), t.unit, &offset) ||
      t.atomics == nullptr || !w.accessible(t) || offset > t.bytes ||
      type.size > t.bytes - offset || (w.only_bytes != 0 && type.size != w.only_bytes)) [[unlikely]]
    return nullptr;
  std::byte* const there = t.atomics + offset;
  // Unaligned elements may straddle cache lines, which only the window's own functions serve.
  return (reinterpret_cast<std::uintptr_t>(there) & (type.size - 1)) == 0 ? there : nullptr;
}

// Performs `step`, of one atomic instruction at the target, and returns true; false where a long
// accumulate may have the target to itself.
template <class Step>
[[gnu::always_inline]] inline bool passes(const mpi_window& w, const target_entry& t,
                                          Step step) noexcept {
  if (w.gates.all == nullptr) [[unlikely]] {
    step();
    return true;
  }
  return detail::pass(w.gates, t.gate, step);
}

template <class T>
[[gnu::always_inline]] inline bool apply_at_once(const mpi_window& w, const target_entry& t,
                                                 std::byte* there, const accumulation& x) noexcept {
  auto* const element = reinterpret_cast<T*>(there);
  T operand{}, before{};
  bool passed = false;
  if (x.reads()) std::memcpy(&operand, x.origin, sizeof operand);
  if (x.op == MPI_SUM)
    passed = passes(w, t, [&] { before = detail::cpu_fetch_op<atomic_op::sum>(element, operand); });
  else if (x.op == MPI_REPLACE)
    passed =
        passes(w, t, [&] { before = detail::cpu_fetch_op<atomic_op::replace>(element, operand); });
  else if (x.op == MPI_NO_OP)
    passed =
        passes(w, t, [&] { before = detail::cpu_fetch_op<atomic_op::no_op>(element, operand); });
  if (!passed) return false;
  count_word<sizeof(T)>(w, t, x.fetches ? operation_kind::fetch_op : operation_kind::accumulate);
  if (x.fetches) std::memcpy(x.result, &before, sizeof before);
  return true;
}

// Whether it was done; not at the first use of a type, as with transfers.
[[gnu::always_inline]] inline bool accumulated_at_once(const mpi_window& w,
                                                       const accumulation& x) noexcept {
  const type_entry* const type = seen_types.find(x.target_type);
  if (type == nullptr || x.target_count != 1 || type->element_count != 1 ||
      (x.reads() && (x.count != 1 || x.type != x.target_type)) ||
      (x.fetches && (x.result_count != 1 || x.result_type != x.target_type)))
    return false;
  if (!w.is_rank(x.target)) [[unlikely]]
    return false;
  const target_entry& t = w.target(x.target);
  std::byte* const there = reach_element(w, t, x.disp, *type);
  if (there == nullptr) return false;
  switch (type->element) {
    case primitive::int32:
    case primitive::uint32:
      return apply_at_once<std::uint32_t>(w, t, there, x);
    case primitive::int64:
    case primitive::uint64:
      return apply_at_once<std::uint64_t>(w, t, there, x);
    case primitive::float32:
      return apply_at_once<float>(w, t, there, x);
    case primitive::float64:
      return apply_at_once<double>(w, t, there, x);
    default:
      return false;
  }
}

// Whether it was done.
[[gnu::always_inline]] inline bool swapped_at_once(const mpi_window& w, const swap& x) noexcept {
  const type_entry* const type = seen_types.find(x.type);
  if (type == nullptr || type->element_count != 1 || !w.is_rank(x.target)) return false;
  const target_entry& t = w.target(x.target);
  std::byte* const there = reach_element(w, t, x.disp, *type);
  if (there == nullptr) return false;
  const auto exchange = [&]<class T>(T expected) {
    T desired;
    std::memcpy(&expected, x.expected, sizeof expected);
    std::memcpy(&desired, x.desired, sizeof desired);
    T before{};
    const bool passed = passes(w, t, [&] {
      before = detail::cpu_compare_swap(reinterpret_cast<T*>(there), expected, desired);
    });
    if (!passed) return false;
    count_word<sizeof(T)>(w, t, operation_kind::compare_swap);
    std::memcpy(x.result, &before, sizeof before);
    return true;
  };
  switch (type->element) {
    case primitive::int32:
    case primitive::uint32:
      return exchange(std::uint32_t{});
    case primitive::int64:
    case primitive::uint64:
      return exchange(std::uint64_t{});
    default:
      return false;
  }
}

}  // namespace oriel::mpi
