// MPI's definitions of datatypes, taken at their word: every primitive of a type is listed with its
// displacement, and every property is computed from the list.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "oriel/datatype.hpp"

namespace oriel::testing {

struct naive_type {
  struct item {
    primitive type;
    std::ptrdiff_t at;
  };
  std::vector<item> map;
  bool markers = false;  // lb and ub were set by resized
  bool bounded = false;  // there is something that bounds
  std::ptrdiff_t lb = 0, ub = 0;
  std::size_t alignment = 1;

  [[nodiscard]] std::ptrdiff_t extent() const { return ub - lb; }
  [[nodiscard]] std::size_t size() const {
    std::size_t n = 0;
    for (const item& i : map) n += size_of(i.type);
    return n;
  }
  [[nodiscard]] std::ptrdiff_t true_lb() const {
    std::ptrdiff_t low = 0;
    for (std::size_t k = 0; k < map.size(); ++k)
      low = k == 0 ? map[k].at : std::min(low, map[k].at);
    return low;
  }
  [[nodiscard]] std::size_t true_extent() const {
    std::ptrdiff_t high = 0;
    for (std::size_t k = 0; k < map.size(); ++k) {
      const std::ptrdiff_t end = map[k].at + static_cast<std::ptrdiff_t>(size_of(map[k].type));
      high = k == 0 ? end : std::max(high, end);
    }
    return static_cast<std::size_t>(high - true_lb());
  }
  // A copy of `other`, moved by `by`.
  void add(const naive_type& other, std::ptrdiff_t by) {
    for (const item& i : other.map) map.push_back({i.type, i.at + by});
    alignment = std::max(alignment, other.alignment);
    if (!other.bounded) return;
    if (bounded && markers && !other.markers) return;
    if (!bounded || (other.markers && !markers)) {
      lb = other.lb + by;
      ub = other.ub + by;
    } else {
      lb = std::min(lb, other.lb + by);
      ub = std::max(ub, other.ub + by);
    }
    markers = markers || other.markers;
    bounded = true;
  }
  void round_up_extent() {
    if (markers) return;
    const auto a = static_cast<std::ptrdiff_t>(alignment);
    ub = lb + (extent() + a - 1) / a * a;
  }
};

struct both {
  datatype real;
  naive_type naive;
};

inline both predefined(primitive p) {
  naive_type n;
  n.map = {{p, 0}};
  n.bounded = true;
  n.ub = static_cast<std::ptrdiff_t>(size_of(p));
  n.alignment = align_of(p);
  return {datatype::of(p), n};
}

class type_maker {
 public:
  explicit type_maker(unsigned seed) : random_(seed) {}

  // Nested up to `depth` constructors deep.
  both make(int depth) {
    if (depth == 0) {
      constexpr primitive some[] = {primitive::int8,    primitive::int16,      primitive::int32,
                                    primitive::float64, primitive::double_int, primitive::byte};
      return predefined(some[below(6)]);
    }
    const both old = make(depth - 1);
    switch (below(8)) {
      case 0:
        return contiguous(old);
      case 1:
        return vector(old);
      case 2:
        return hvector(old);
      case 3:
        return indexed(old);
      case 4:
        return hindexed(old);
      case 5:
        return structure(depth);
      case 6:
        return subarray(old);
      default:
        return resized(old);
    }
  }
  std::size_t below(std::size_t n) { return random_() % n; }
  std::ptrdiff_t between(std::ptrdiff_t low, std::ptrdiff_t high) {
    return low + static_cast<std::ptrdiff_t>(below(static_cast<std::size_t>(high - low + 1)));
  }

 private:
  both contiguous(const both& old) {
    const std::size_t n = below(4);
    both made{datatype::contiguous(n, old.real), {}};
    for (std::size_t i = 0; i < n; ++i)
      made.naive.add(old.naive, static_cast<std::ptrdiff_t>(i) * old.naive.extent());
    return made;
  }
  void blocks(naive_type& to, const naive_type& old, std::size_t n, std::ptrdiff_t at) {
    for (std::size_t j = 0; j < n; ++j)
      to.add(old, at + static_cast<std::ptrdiff_t>(j) * old.extent());
  }
  both vector(const both& old) {
    const std::size_t n = below(4), length = below(3);
    const std::ptrdiff_t stride = between(-3, 4);
    both made{datatype::vector(n, length, stride, old.real), {}};
    for (std::size_t i = 0; i < n; ++i)
      blocks(made.naive, old.naive, length,
             static_cast<std::ptrdiff_t>(i) * stride * old.naive.extent());
    return made;
  }
  both hvector(const both& old) {
    const std::size_t n = below(4), length = below(3);
    const std::ptrdiff_t stride = between(-50, 90);
    both made{datatype::hvector(n, length, stride, old.real), {}};
    for (std::size_t i = 0; i < n; ++i)
      blocks(made.naive, old.naive, length, static_cast<std::ptrdiff_t>(i) * stride);
    return made;
  }
  both indexed(const both& old) {
    std::vector<std::size_t> lengths(below(4));
    std::vector<std::ptrdiff_t> at(lengths.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      lengths[i] = below(3);
      at[i] = between(-4, 8);
    }
    both made{datatype::indexed(lengths, at, old.real), {}};
    for (std::size_t i = 0; i < at.size(); ++i)
      blocks(made.naive, old.naive, lengths[i], at[i] * old.naive.extent());
    return made;
  }
  both hindexed(const both& old) {
    std::vector<std::size_t> lengths(below(4));
    std::vector<std::ptrdiff_t> at(lengths.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
      lengths[i] = below(3);
      at[i] = between(-40, 80);
    }
    both made{datatype::hindexed(lengths, at, old.real), {}};
    for (std::size_t i = 0; i < at.size(); ++i) blocks(made.naive, old.naive, lengths[i], at[i]);
    return made;
  }
  both structure(int depth) {
    const std::size_t n = below(3) + 1;
    std::vector<std::size_t> lengths(n);
    std::vector<std::ptrdiff_t> at(n);
    std::vector<datatype> types;
    naive_type naive;
    for (std::size_t i = 0; i < n; ++i) {
      const both member = make(depth - 1);
      lengths[i] = below(3);
      at[i] = between(-30, 60);
      types.push_back(member.real);
      blocks(naive, member.naive, lengths[i], at[i]);
    }
    naive.round_up_extent();
    return {datatype::structure(lengths, at, types), naive};
  }
  both subarray(const both& old) {
    const std::size_t n = below(3) + 1;
    std::vector<std::size_t> sizes(n), part(n), start(n);
    for (std::size_t i = 0; i < n; ++i) {
      sizes[i] = 1 + below(3);
      part[i] = 1 + below(sizes[i]);
      start[i] = below(sizes[i] - part[i] + 1);
    }
    const auto order = below(2) == 0 ? storage_order::c : storage_order::fortran;
    both made{datatype::subarray(sizes, part, start, order, old.real), {}};
    // Every element of the part, in the order of the array.
    std::size_t total = 1, whole = 1;
    for (std::size_t i = 0; i < n; ++i) {
      total *= part[i];
      whole *= sizes[i];
    }
    for (std::size_t k = 0; k < total; ++k) {
      std::size_t rest = k, place = 0, step = 1;
      for (std::size_t d = 0; d < n; ++d) {
        const std::size_t i = order == storage_order::c ? n - 1 - d : d;  // fastest first
        place += (start[i] + rest % part[i]) * step;
        rest /= part[i];
        step *= sizes[i];
      }
      made.naive.add(old.naive, static_cast<std::ptrdiff_t>(place) * old.naive.extent());
    }
    made.naive.markers = made.naive.bounded = true;
    made.naive.lb = 0;
    made.naive.ub = static_cast<std::ptrdiff_t>(whole) * old.naive.extent();
    return made;
  }
  both resized(const both& old) {
    const std::ptrdiff_t lb = between(-20, 20), extent = between(0, 80);
    both made{datatype::resized(old.real, lb, extent), old.naive};
    made.naive.lb = lb;
    made.naive.ub = lb + extent;
    made.naive.markers = made.naive.bounded = true;
    return made;
  }

  std::mt19937 random_;
};

// The bytes of `count` elements at `base`, in typemap order.
inline std::vector<std::byte> naive_pack(const naive_type& t, std::size_t count,
                                         const std::byte* base) {
  std::vector<std::byte> packed;
  for (std::size_t k = 0; k < count; ++k)
    for (const auto& i : t.map) {
      const std::byte* const from = base + static_cast<std::ptrdiff_t>(k) * t.extent() + i.at;
      packed.insert(packed.end(), from, from + size_of(i.type));
    }
  return packed;
}

}  // namespace oriel::testing
