#include <algorithm>
#include <numeric>
#include <string>

#include "oriel/errc.hpp"
#include "win/datatype/description.hpp"

namespace oriel::win {
namespace {

using run = datatype::run;

[[noreturn]] void overflow() {
  throw error(errc::count, "a datatype's size or displacement does not fit into 63 bits");
}

template <class Number>
Number times(Number a, Number b) {
  Number result;
  if (__builtin_mul_overflow(a, b, &result)) overflow();
  return result;
}

template <class Number>
Number plus(Number a, Number b) {
  Number result;
  if (__builtin_add_overflow(a, b, &result)) overflow();
  return result;
}

std::ptrdiff_t signed_of(std::size_t n) {
  if (n > static_cast<std::size_t>(PTRDIFF_MAX)) overflow();
  return static_cast<std::ptrdiff_t>(n);
}

std::ptrdiff_t block_bytes(const run& r) {
  return signed_of(times(r.elements, size_of(r.type)));
}

// Whether `next` continues `r` so that both are one run; `r` is then both.
bool fold(run& r, const run& next) {
  if (r.type != next.type) return false;
  const std::ptrdiff_t bytes = block_bytes(r);
  if (r.blocks == 1 && next.blocks == 1 && r.offset + bytes == next.offset) {
    r.elements += next.elements;
    return true;
  }
  if (r.elements != next.elements) return false;
  const std::ptrdiff_t step = r.blocks == 1 ? next.offset - r.offset : r.stride;
  const bool follows = next.offset == plus(r.offset, times(step, signed_of(r.blocks)));
  if (!follows || (next.blocks > 1 && next.stride != step)) return false;
  r.stride = step;
  r.blocks += next.blocks;
  return true;
}

// Blocks that touch are one block.
void join_blocks(run& r) {
  if (r.blocks > 1 && r.stride == block_bytes(r)) {
    r.elements = times(r.elements, r.blocks);
    r.blocks = 1;
  }
  if (r.blocks == 1) r.stride = 0;
}

// Runs of so many blocks are as quickly copied one after the other.
constexpr std::size_t long_run = 8;

// Blocks that happen to touch are one, of as many parts.
void list_places(datatype::description& d) {
  d.places.clear();
  if (d.runs.size() < 2) return;
  const std::size_t element = size_of(d.runs[0].type);
  std::ptrdiff_t part = 0;
  for (const run& r : d.runs) {
    if (size_of(r.type) != element) return;
    part = std::gcd(part, block_bytes(r));
  }
  d.place_bytes = static_cast<std::size_t>(part);
  const std::size_t parts = d.size / d.place_bytes;
  if (parts / d.runs.size() >= long_run) return;
  d.places.reserve(parts);
  for (const run& r : d.runs)
    for (std::size_t b = 0; b < r.blocks; ++b) {
      const std::ptrdiff_t first = r.offset + static_cast<std::ptrdiff_t>(b) * r.stride;
      for (std::ptrdiff_t at = 0; at < block_bytes(r); at += part) d.places.push_back(first + at);
    }
}

}  // namespace

void description_builder::add_run(run r) {
  if (r.elements == 0 || r.blocks == 0) return;
  join_blocks(r);
  auto& runs = made_.runs;
  if (!runs.empty() && fold(runs.back(), r)) {
    join_blocks(runs.back());
    return;
  }
  runs.push_back(r);
}

void description_builder::bound(std::ptrdiff_t lb, std::ptrdiff_t ub, bool markers) {
  // Markers, once there are any, count alone (MPI-4.1 §5.1.6).
  if (any_bound_ && made_.markers && !markers) return;
  if (!any_bound_ || (markers && !made_.markers)) {
    made_.lb = lb;
    made_.ub = ub;
  } else {
    made_.lb = std::min(made_.lb, lb);
    made_.ub = std::max(made_.ub, ub);
  }
  made_.markers = made_.markers || markers;
  any_bound_ = true;
}

void description_builder::place(const datatype& old, std::size_t count, std::ptrdiff_t displacement,
                                std::ptrdiff_t stride) {
  if (count == 0) return;
  const datatype::description& d = old.details();
  const std::ptrdiff_t last = plus(displacement, times(signed_of(count - 1), stride));
  const auto [low, high] = std::minmax(displacement, last);
  if (!d.runs.empty() || d.markers) bound(plus(low, d.lb), plus(high, d.ub), d.markers);
  made_.alignment = std::max(made_.alignment, d.alignment);
  if (d.runs.size() == 1 && d.runs[0].blocks == 1) {
    run r = d.runs[0];
    r.offset = plus(r.offset, displacement);
    r.blocks = count;
    r.stride = stride;
    add_run(r);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::ptrdiff_t at = plus(displacement, times(signed_of(i), stride));
    for (run r : d.runs) {
      r.offset = plus(r.offset, at);
      add_run(r);
    }
  }
}

datatype description_builder::finish(bool align_extent) {
  if (align_extent && !made_.markers) {
    const std::ptrdiff_t a = signed_of(made_.alignment);
    const std::ptrdiff_t extent = made_.ub - made_.lb;
    made_.ub = plus(made_.lb, (plus(extent, a - 1)) / a * a);
  }
  complete(made_);
  return datatype(std::make_shared<const datatype::description>(std::move(made_)));
}

void complete(datatype::description& d) {
  d.size = 0;
  bool first = true;
  d.base = d.runs.empty() ? primitive::opaque : d.runs[0].type;
  for (const run& r : d.runs) {
    const std::ptrdiff_t bytes = block_bytes(r);
    d.size = plus(d.size, times(static_cast<std::size_t>(bytes), r.blocks));
    const std::ptrdiff_t last = plus(r.offset, times(signed_of(r.blocks - 1), r.stride));
    const auto [low, high] = std::minmax(r.offset, last);
    d.true_lb = first ? low : std::min(d.true_lb, low);
    d.true_ub = first ? high + bytes : std::max(d.true_ub, high + bytes);
    if (r.type != d.base) d.base = primitive::opaque;
    first = false;
  }
  list_places(d);
  d.contiguous = d.runs.size() == 1 && d.runs[0].blocks == 1 && d.runs[0].offset == 0 &&
                 d.lb == 0 && d.ub == signed_of(d.size);
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  mix(static_cast<std::uint64_t>(d.lb));
  mix(static_cast<std::uint64_t>(d.ub));
  for (const run& r : d.runs) {
    mix(static_cast<std::uint64_t>(r.offset));
    mix(static_cast<std::uint64_t>(r.type));
    mix(r.elements);
    mix(r.blocks);
    mix(static_cast<std::uint64_t>(r.stride));
  }
  d.hash = hash;
}

}  // namespace oriel::win
