// put and get, whatever the width of their counts (MPI_Put and MPI_Put_c), with and without a
// request. The common case, dense types on both sides and memory that is mapped here, is inline.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "mpi/counted.hpp"
#include "mpi/mpi_window.hpp"
#include "mpi/types.hpp"
#include "oriel/detail/copy_bytes.hpp"
#include "oriel/detail/cpu_atomic.hpp"

namespace oriel::mpi {

enum class way : bool { put, get };

// The arguments of one operation, as the program gave them.
struct transfer {
  void* here;  // origin of a put, result of a get
  MPI_Count count;
  MPI_Datatype type;
  int target;
  MPI_Aint disp;
  MPI_Count target_count;
  MPI_Datatype target_type;
};

// Every case and every error. `made` is null for operations without a request.
template <way Way>
int transfer_slowly(mpi_window&, call_site, const transfer&, MPI_Request* made) noexcept;

// Elements of 1, 2, 4 and 8 bytes never tear: one volatile access, which compilers do not split.
[[gnu::always_inline]] inline void copy_counted(const mpi_window& w, const target_entry& t,
                                                operation_kind k, std::byte* to,
                                                const std::byte* from, std::size_t n) noexcept {
  const auto word = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
    using loose = typename detail::loose_word<Bytes>::type;
    const loose moved = *reinterpret_cast<const volatile loose*>(from);
    count_word<Bytes>(w, t, k);  // before the store, for which it would wait
    *reinterpret_cast<volatile loose*>(to) = moved;
  };
  switch (n) {
    case 8:
      return word(std::integral_constant<std::size_t, 8>{});
    case 4:
      return word(std::integral_constant<std::size_t, 4>{});
    case 2:
      return word(std::integral_constant<std::size_t, 2>{});
    case 1:
      return word(std::integral_constant<std::size_t, 1>{});
    default:
      count_bytes(w, t, k, n);
      return detail::copy_bytes(to, from, n);
  }
}

// Whether it was done. Not at the first use of a type, which decodes it: without calls in it this
// needs no registers saved.
template <way Way>
[[gnu::always_inline]] inline bool transferred_at_once(const mpi_window& w,
                                                       const transfer& x) noexcept {
  if (!w.is_rank(x.target)) [[unlikely]]
    return false;
  const target_entry& t = w.target(x.target);
  const type_entry* const type = seen_types.find(x.target_type);
  if (type == nullptr || !type->dense || t.mapped == nullptr || !w.accessible(t)) [[unlikely]]
    return false;
  if (x.count != x.target_count || x.type != x.target_type) {
    const type_entry* const here = seen_types.find(x.type);
    if (here == nullptr || !here->dense || x.count < 0 ||
        static_cast<std::uint64_t>(x.count) * here->size !=
            static_cast<std::uint64_t>(x.target_count) * type->size)
      return false;
  }
  // Beyond 2^40 elements the products below are left to the careful.
  if (static_cast<std::uint64_t>(x.target_count) >> 40 != 0) [[unlikely]]
    return false;
  const std::uint64_t bytes = static_cast<std::uint64_t>(x.target_count) * type->size;
  std::uint64_t offset = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(x.disp), t.unit, &offset) ||
      offset > t.bytes || bytes > t.bytes - offset) [[unlikely]]
    return false;
  if (w.only_bytes != 0 && bytes != w.only_bytes) [[unlikely]]
    return false;
  std::byte* const there = t.mapped + offset;
  if constexpr (Way == way::put)
    copy_counted(w, t, operation_kind::put, there, static_cast<const std::byte*>(x.here), bytes);
  else
    copy_counted(w, t, operation_kind::get, static_cast<std::byte*>(x.here), there, bytes);
  return true;
}

}  // namespace oriel::mpi
