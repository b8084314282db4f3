#include "shmem/reductions.hpp"

#include <cstring>
#include <vector>

#include "shmem/collectives.hpp"
#include "shmem/guard.hpp"
#include "shmem/parted_reduction.hpp"

namespace oriel::shmem {
namespace {

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

}  // namespace

void reduce(const char* call, shmem_team_t team, void* dest, const void* source, std::size_t n,
            const reduced_elements& of) noexcept {
  const oriel_shmem_team& t = team_of(call, team);
  guarded(call, [&] {
    if (n <= one_step_bytes / of.bytes) return reduce_in_one_step(call, t, dest, source, n, of);
    parted_reduction parts(t.me, t.in_world, dest, source, n, of);
    meet(call, t);
    parts.reduce_my_part();
    meet(call, t);
    parts.get_other_parts();
    process::here(call).quiet();
    meet(call, t);
  });
}

}  // namespace oriel::shmem
