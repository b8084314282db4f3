// A reduction of which each PE computes a part, from the others' memory, and gets the other parts
// from those that have computed them. The PEs meet before, between the two steps, and after them.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "shmem/reductions.hpp"
#include "shmem/transfers.hpp"

namespace oriel::shmem {

class parted_reduction {
 public:
  parted_reduction(int me, const std::vector<int>& in_world, void* dest, const void* source,
                   std::size_t n, const reduced_elements& of)
      : me_(me),
        in_world_(in_world),
        dest_(static_cast<std::byte*>(dest)),
        source_(static_cast<const std::byte*>(source)),
        n_(n),
        of_(of) {}

  // Nobody but this PE reads its part of `source`, and nobody but it writes that of its `dest`:
  // they may be one.
  void reduce_my_part() {
    const std::size_t step = std::max<std::size_t>(1, piece_bytes / of_.bytes);
    std::vector<std::byte> result(step * of_.bytes), operand(step * of_.bytes);
    const std::size_t last = begin(me_ + 1);
    for (std::size_t i = begin(me_); i < last; i += step) {
      const std::size_t n = std::min(step, last - i), at = i * of_.bytes;
      for (std::size_t pe = 0; pe < in_world_.size(); ++pe) {
        get(SHMEM_CTX_DEFAULT, pe == 0 ? result.data() : operand.data(), source_ + at,
            n * of_.bytes, in_world_[pe]);
        if (pe != 0) of_.combine(result.data(), operand.data(), n);
      }
      std::memcpy(dest_ + at, result.data(), n * of_.bytes);
    }
  }
  void get_other_parts() noexcept {
    for (int step = 1; step < pes(); ++step) {
      const int pe = (me_ + step) % pes();
      const std::size_t first = begin(pe) * of_.bytes;
      get(SHMEM_CTX_DEFAULT, dest_ + first, dest_ + first, begin(pe + 1) * of_.bytes - first,
          in_world_[static_cast<std::size_t>(pe)], completion::by_quiet);
    }
  }

 private:
  // Two of them stay in a core's cache.
  static constexpr std::size_t piece_bytes = std::size_t{32} << 10;

  [[nodiscard]] int pes() const noexcept { return static_cast<int>(in_world_.size()); }
  // The first element that PE `pe` reduces.
  [[nodiscard]] std::size_t begin(int pe) const noexcept {
    const auto pes = in_world_.size(), p = static_cast<std::size_t>(pe);
    return n_ / pes * p + std::min(n_ % pes, p);
  }

  int me_;
  const std::vector<int>& in_world_;
  std::byte* dest_;
  const std::byte* source_;
  std::size_t n_;
  reduced_elements of_;
};

}  // namespace oriel::shmem
