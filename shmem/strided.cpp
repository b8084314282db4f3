#include "shmem/strided.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "shmem/context.hpp"
#include "shmem/guard.hpp"

namespace oriel::shmem {
namespace {

// The bytes from the first element of `n` on; 0 where some lie before it.
template <class Pointer>
std::size_t extent(strided<Pointer> of, std::size_t bytes, std::size_t n) noexcept {
  return of.step < 0 ? 0 : ((n - 1) * static_cast<std::size_t>(of.step) + 1) * bytes;
}

template <std::size_t Bytes>
void copy_elements(std::byte* to, std::ptrdiff_t to_step, const std::byte* from,
                   std::ptrdiff_t from_step, std::size_t n) noexcept {
  for (; n != 0; --n, to += to_step, from += from_step) std::memcpy(to, from, Bytes);
}

void copy_strided(strided<void*> to, strided<const void*> from, std::size_t bytes,
                  std::size_t n) noexcept {
  auto* const sink = static_cast<std::byte*>(to.at);
  const auto* const origin = static_cast<const std::byte*>(from.at);
  const auto size = static_cast<std::ptrdiff_t>(bytes);
  const auto copy = [&]<std::size_t Bytes>(std::integral_constant<std::size_t, Bytes>) {
    copy_elements<Bytes>(sink, to.step * size, origin, from.step * size, n);
  };
  switch (bytes) {
    case 1:
      return copy(std::integral_constant<std::size_t, 1>{});
    case 2:
      return copy(std::integral_constant<std::size_t, 2>{});
    case 4:
      return copy(std::integral_constant<std::size_t, 4>{});
    case 8:
      return copy(std::integral_constant<std::size_t, 8>{});
    default:
      return copy(std::integral_constant<std::size_t, 16>{});
  }
}

template <class Pointer>
shape layout(strided<Pointer> of, std::size_t bytes, std::size_t n) {
  const auto step = of.step * static_cast<std::ptrdiff_t>(bytes);
  return {datatype::hvector(n, 1, step, datatype::bytes(bytes)), 1};
}

// Where the first element is, once the last is found to be there too.
template <class Pointer>
symmetric_place find_all(shmem_ctx_t ctx, const char* call, strided<Pointer> of, std::size_t bytes,
                         std::size_t n, int pe) noexcept {
  const auto last = static_cast<std::ptrdiff_t>((n - 1) * bytes) * of.step;
  find(ctx, call, static_cast<const std::byte*>(of.at) + last, bytes, pe);
  return find(ctx, call, of.at, bytes, pe);
}

}  // namespace

void iput(shmem_ctx_t ctx, strided<void*> dest, strided<const void*> source, std::size_t bytes,
          std::size_t n, int pe) noexcept {
  if (n == 0) return;
  const std::size_t all = extent(dest, bytes, n);
  if (char* const there = all == 0 ? nullptr : reach(ctx, dest.at, all, pe))
    return copy_strided({there, dest.step}, source, bytes, n);
  const symmetric_place to = find_all(ctx, "iput", dest, bytes, n, pe);
  guarded("iput", [&] {
    to.check(to.window
                 .rput(to.owner, to.first, source.at, layout(source, bytes, n),
                       layout(dest, bytes, n), caller)
                 .wait());
  });
}

void iget(shmem_ctx_t ctx, strided<void*> dest, strided<const void*> source, std::size_t bytes,
          std::size_t n, int pe) noexcept {
  if (n == 0) return;
  const std::size_t all = extent(source, bytes, n);
  if (const char* const there = all == 0 ? nullptr : reach(ctx, source.at, all, pe))
    return copy_strided(dest, {there, source.step}, bytes, n);
  const symmetric_place from = find_all(ctx, "iget", source, bytes, n, pe);
  guarded("iget", [&] {
    from.check_complete(from.window
                            .rget(from.owner, from.first, dest.at, layout(dest, bytes, n),
                                  layout(source, bytes, n), caller)
                            .wait());
  });
}

}  // namespace oriel::shmem
