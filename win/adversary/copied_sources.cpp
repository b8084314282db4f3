#include "win/adversary/copied_sources.hpp"

#include <cstring>
#include <new>

#include "win/datatype/layout_walk.hpp"

namespace oriel::win {
namespace {

constexpr int poison = 0xad;
// Layouts over absolute addresses may span the whole address space.
constexpr std::size_t short_span = std::size_t{1} << 20;
constexpr std::size_t widest = 8;  // times the data

template <class F>
void for_each_piece(const shape& s, F f) noexcept {
  for (layout_cursor at(s); !at.done(); at.advance(at.bytes())) f(at.offset(), at.bytes());
}

// Calls f(offset, bytes) for the data of a buffer, from its address on. `s`: its layout, of
// operations that have any.
template <class F>
void for_each_piece(const detail::window_core& core, const operands& x, const shape* s,
                    F f) noexcept {
  if (s != nullptr)
    for_each_piece(*s, f);
  else if (x.sparse(core))
    for_each_piece(shape{core.agreed.base, x.bytes / core.agreed.extent}, f);
  else
    f(std::ptrdiff_t{0}, x.bytes);
}

bool overlap(const void* a, stretch of_a, const void* b, stretch of_b) noexcept {
  const auto low = [](const void* p, stretch s) {
    return reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(s.first);
  };
  return low(a, of_a) < low(b, of_b) + of_b.bytes && low(b, of_b) < low(a, of_a) + of_a.bytes;
}

}  // namespace

bool copied_sources::take(const detail::window_core& core, const operands& x) noexcept {
  const stretch span = x.origin_stretch();
  const shape* const s = x.shapes == nullptr ? nullptr : x.shapes->origin_shape;
  const bool has_none = s == nullptr && x.origins[0] == nullptr;
  if (copies_[0] != nullptr || span.bytes == 0 || has_none) return true;
  if (s != nullptr && span.bytes > short_span && span.bytes / widest > s->count * s->type.size())
    return false;
  const std::size_t sources = x.origins[1] == nullptr ? 1 : 2;
  std::array<std::unique_ptr<std::byte[]>, 2> made;
  for (std::size_t i = 0; i < sources; ++i) {
    made[i].reset(new (std::nothrow) std::byte[span.bytes]);
    if (made[i] == nullptr) return false;
    const auto* const from = static_cast<const std::byte*>(x.origins[i]);
    for_each_piece(core, x, s, [&](std::ptrdiff_t offset, std::size_t bytes) {
      std::memcpy(made[i].get() + (offset - span.first), moved(from, offset), bytes);
    });
  }
  copies_ = std::move(made);
  first_ = span.first;
  return true;
}

const void* copied_sources::in_place_of(const void* source, std::size_t which) const noexcept {
  return copies_[which] == nullptr ? source : moved(copies_[which].get(), -first_);
}

void poison_result(const detail::window_core& core, const operands& x) noexcept {
  const stretch span = x.result_stretch();
  if (span.bytes == 0) return;
  for (const void* const origin : x.origins)
    if (overlap(origin, x.origin_stretch(), x.result, span)) return;
  auto* const result = static_cast<std::byte*>(x.result);
  for_each_piece(core, x, x.shapes == nullptr ? nullptr : x.shapes->result_shape,
                 [&](std::ptrdiff_t offset, std::size_t bytes) {
                   std::memset(moved(result, offset), poison, bytes);
                 });
}

}  // namespace oriel::win
