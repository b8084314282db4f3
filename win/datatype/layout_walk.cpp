#include "win/datatype/layout_walk.hpp"

#include <cstring>
#include <type_traits>

#include "oriel/detail/copy_bytes.hpp"
#include "win/datatype/description.hpp"

namespace oriel::win {
namespace {

// Blocks of a size known to the compiler become one load and one store each.
template <std::size_t Bytes>
void copy_fixed(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to,
                std::ptrdiff_t to_stride, std::size_t blocks) noexcept {
  for (std::size_t i = 0; i < blocks; ++i) {
    std::memcpy(to, from, Bytes);
    from += from_stride;
    to += to_stride;
  }
}

// The places of blocks that lie one after the other, or where a datatype lists them.
struct in_a_row {
  std::ptrdiff_t bytes;
  std::ptrdiff_t operator[](std::size_t i) const noexcept {
    return static_cast<std::ptrdiff_t>(i) * bytes;
  }
};
struct listed {
  const std::ptrdiff_t* at;
  std::ptrdiff_t operator[](std::size_t i) const noexcept { return at[i]; }
};

template <class Bytes, class From, class To>
void copy_places_of(Bytes bytes, const std::byte* from, From from_places, std::byte* to,
                    To to_places, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(moved(to, to_places[i]), moved(from, from_places[i]), bytes);
}

// Blocks of a size known to the compiler become one load and one store each.
template <class From, class To>
void copy_places(const std::byte* from, From from_places, std::byte* to, To to_places,
                 std::size_t bytes, std::size_t n) noexcept {
  const auto copy = [&](auto size) { copy_places_of(size, from, from_places, to, to_places, n); };
  switch (bytes) {
    case 4:
      return copy(std::integral_constant<std::size_t, 4>());
    case 8:
      return copy(std::integral_constant<std::size_t, 8>());
    case 16:
      return copy(std::integral_constant<std::size_t, 16>());
    default:
      return copy(bytes);
  }
}

// Returns false where neither side lists its places, or the other is not laid out alike.
bool copied_by_places(const std::byte* from, const shape& from_shape, std::byte* to,
                      const shape& to_shape) noexcept {
  const datatype::description& a = from_shape.type.details();
  const datatype::description& b = to_shape.type.details();
  const std::size_t n = std::max(a.places.size(), b.places.size());
  if (n == 0) return false;
  const bool both = a.places.size() == b.places.size() && a.place_bytes == b.place_bytes &&
                    from_shape.count == to_shape.count;
  if (!both && !a.contiguous && !b.contiguous) return false;
  const listed from_places{a.places.data()}, to_places{b.places.data()};
  const std::size_t bytes = a.places.empty() ? b.place_bytes : a.place_bytes;
  const in_a_row row{static_cast<std::ptrdiff_t>(bytes)};
  const auto element = static_cast<std::ptrdiff_t>(n * bytes);
  const std::ptrdiff_t from_step = a.places.empty() ? element : a.ub - a.lb;
  const std::ptrdiff_t to_step = b.places.empty() ? element : b.ub - b.lb;
  const std::size_t count = a.places.empty() ? to_shape.count : from_shape.count;
  for (std::size_t k = 0; k < count; ++k, from = moved(from, from_step), to = moved(to, to_step)) {
    if (both)
      copy_places(from, from_places, to, to_places, bytes, n);
    else if (a.places.empty())
      copy_places(from, row, to, to_places, bytes, n);
    else
      copy_places(from, from_places, to, row, bytes, n);
  }
  return true;
}

shape dense(std::size_t bytes) {
  return {datatype::bytes(bytes), 1};
}

}  // namespace

void copy_blocks(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to,
                 std::ptrdiff_t to_stride, std::size_t bytes, std::size_t blocks) noexcept {
  switch (bytes) {
    case 1:
      return copy_fixed<1>(from, from_stride, to, to_stride, blocks);
    case 2:
      return copy_fixed<2>(from, from_stride, to, to_stride, blocks);
    case 4:
      return copy_fixed<4>(from, from_stride, to, to_stride, blocks);
    case 8:
      return copy_fixed<8>(from, from_stride, to, to_stride, blocks);
    case 16:
      return copy_fixed<16>(from, from_stride, to, to_stride, blocks);
    default:
      break;
  }
  for (std::size_t i = 0; i < blocks; ++i) {
    std::memcpy(to, from, bytes);
    from += from_stride;
    to += to_stride;
  }
}

stretch stretch_of(const shape& s) noexcept {
  const datatype::description& d = s.type.details();
  if (s.count == 0 || d.size == 0) return {};
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(s.count - 1) * (d.ub - d.lb);
  const std::ptrdiff_t low = d.true_lb + std::min<std::ptrdiff_t>(last, 0);
  const std::ptrdiff_t high = d.true_ub + std::max<std::ptrdiff_t>(last, 0);
  return {low, static_cast<std::size_t>(high - low)};
}

void copy_between(const std::byte* from, const shape& from_shape, std::byte* to,
                  const shape& to_shape) noexcept {
  if (from_shape.type.contiguous() && to_shape.type.contiguous()) {
    return detail::copy_bytes(to, from, from_shape.count * from_shape.type.size());
  }
  if (copied_by_places(from, from_shape, to, to_shape)) return;
  static_cast<void>(for_each_blocks(
      from_shape, to_shape,
      [&](std::ptrdiff_t at, std::ptrdiff_t stride, std::ptrdiff_t there,
          std::ptrdiff_t stride_there, primitive, std::size_t bytes, std::size_t blocks) noexcept {
        copy_blocks(moved(from, at), stride, moved(to, there), stride_there, bytes, blocks);
        return errc::success;
      }));
}

void pack(const std::byte* from, const shape& layout, std::byte* to) noexcept {
  copy_between(from, layout, to, dense(layout.count * layout.type.size()));
}

void unpack(const std::byte* from, std::byte* to, const shape& layout) noexcept {
  copy_between(from, dense(layout.count * layout.type.size()), to, layout);
}

std::size_t pack_some(const std::byte* from, layout_cursor& at, std::byte* to,
                      std::size_t most) noexcept {
  std::size_t done = 0;
  while (done < most && !at.done()) {
    const std::size_t n = std::min(at.bytes(), most - done);
    std::memcpy(to + done, moved(from, at.offset()), n);
    at.advance(n);
    done += n;
  }
  return done;
}

std::size_t unpack_some(const std::byte* from, std::byte* to, layout_cursor& at,
                        std::size_t most) noexcept {
  std::size_t done = 0;
  while (done < most && !at.done()) {
    const std::size_t n = std::min(at.bytes(), most - done);
    std::memcpy(moved(to, at.offset()), from + done, n);
    at.advance(n);
    done += n;
  }
  return done;
}

}  // namespace oriel::win
