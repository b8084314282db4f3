#include "shmem/reductions.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "shmem/collectives.hpp"
#include "shmem/guard.hpp"
#include "shmem/transfers.hpp"

namespace oriel::shmem {
namespace {

constexpr std::size_t piece_bytes = std::size_t{32} << 10;  // two of them stay in a core's cache

void reduce_in_one_step(const char* call, const oriel_shmem_team& t, void* dest, const void* source,
                        std::size_t n, const reduced_elements& of) {
  const std::size_t bytes = n * of.bytes;
  std::vector<std::byte> all(bytes * static_cast<std::size_t>(t.pes));
  require_met(call, t, t.members.allgather_bytes(source, bytes, all.data()));
  if (n == 0) return;
  for (std::size_t pe = 1; pe < static_cast<std::size_t>(t.pes); ++pe)
    of.combine(all.data(), all.data() + pe * bytes, n);
  std::memcpy(dest, all.data(), bytes);
}

class parted_reduction {
 public:
  parted_reduction(const oriel_shmem_team& t, void* dest, const void* source, std::size_t n,
                   const reduced_elements& of)
      : team_(t),
        dest_(static_cast<std::byte*>(dest)),
        source_(static_cast<const std::byte*>(source)),
        n_(n),
        of_(of) {}

  // Nobody but this PE reads its part of `source`, and nobody but it writes that of its `dest`:
  // they may be one.
  void reduce_my_part() {
    const std::size_t step = std::max<std::size_t>(1, piece_bytes / of_.bytes);
    std::vector<std::byte> result(step * of_.bytes), operand(step * of_.bytes);
    const std::size_t last = begin(team_.me + 1);
    for (std::size_t i = begin(team_.me); i < last; i += step) {
      const std::size_t n = std::min(step, last - i), at = i * of_.bytes;
      for (std::size_t pe = 0; pe < team_.in_world.size(); ++pe) {
        get(SHMEM_CTX_DEFAULT, pe == 0 ? result.data() : operand.data(), source_ + at,
            n * of_.bytes, team_.in_world[pe]);
        if (pe != 0) of_.combine(result.data(), operand.data(), n);
      }
      std::memcpy(dest_ + at, result.data(), n * of_.bytes);
    }
  }
  void get_other_parts() noexcept {
    for (int step = 1; step < team_.pes; ++step) {
      const int pe = (team_.me + step) % team_.pes;
      const std::size_t first = begin(pe) * of_.bytes;
      get(SHMEM_CTX_DEFAULT, dest_ + first, dest_ + first, begin(pe + 1) * of_.bytes - first,
          team_.in_world[static_cast<std::size_t>(pe)], completion::by_quiet);
    }
  }

 private:
  // The first element that PE `pe` reduces.
  [[nodiscard]] std::size_t begin(int pe) const noexcept {
    const auto pes = static_cast<std::size_t>(team_.pes), p = static_cast<std::size_t>(pe);
    return n_ / pes * p + std::min(n_ % pes, p);
  }

  const oriel_shmem_team& team_;
  std::byte* dest_;
  const std::byte* source_;
  std::size_t n_;
  reduced_elements of_;
};

}  // namespace

void reduce(const char* call, shmem_team_t team, void* dest, const void* source, std::size_t n,
            const reduced_elements& of) noexcept {
  const oriel_shmem_team& t = team_of(call, team);
  guarded(call, [&] {
    if (n <= one_step_bytes / of.bytes) return reduce_in_one_step(call, t, dest, source, n, of);
    parted_reduction parts(t, dest, source, n, of);
    meet(call, t);
    parts.reduce_my_part();
    meet(call, t);
    parts.get_other_parts();
    process::here(call).quiet();
    meet(call, t);
  });
}

}  // namespace oriel::shmem
