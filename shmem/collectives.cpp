#include "shmem/collectives.hpp"

#include <cstring>
#include <vector>

#include "shmem/guard.hpp"
#include "shmem/parts.hpp"

namespace oriel::shmem {
namespace {

// Calls get(pe, the PE of all that it is) for each, beginning with this one, so that not all get
// from one PE at once. What they get is here on return.
template <class Get>
void from_each(const char* call, const oriel_shmem_team& t, Get get_from) noexcept {
  for (int step = 0; step < t.pes; ++step) {
    const int pe = (t.me + step) % t.pes;
    get_from(static_cast<std::size_t>(pe), t.in_world[static_cast<std::size_t>(pe)]);
  }
  process::here(call).quiet();
}

}  // namespace

void broadcast(const char* call, shmem_team_t team, void* dest, const void* source,
               std::size_t bytes, int root) noexcept {
  const oriel_shmem_team& t = team_of(call, team);
  if (root < 0 || root >= t.pes)
    fail(std::string(call) + " names PE " + std::to_string(root) + " of a team with PEs 0 to " +
         std::to_string(t.pes - 1));
  if (t.me == root && bytes != 0) std::memmove(dest, source, bytes);
  if (bytes <= one_step_bytes)
    return require_met(call, t, t.members.broadcast_bytes(dest, bytes, rank{root}));
  meet(call, t);
  if (t.me != root) {
    get_part(dest, source, bytes, t.in_world[static_cast<std::size_t>(root)]);
    process::here(call).quiet();
  }
  meet(call, t);
}

void fcollect(const char* call, shmem_team_t team, void* dest, const void* source,
              std::size_t bytes) noexcept {
  const oriel_shmem_team& t = team_of(call, team);
  if (bytes <= one_step_bytes)
    return require_met(call, t, t.members.allgather_bytes(source, bytes, dest));
  meet(call, t);
  from_each(call, t, [&](std::size_t pe, int in_world) {
    get_part(behind(dest, pe * bytes), source, bytes, in_world);
  });
  meet(call, t);
}

void collect(const char* call, shmem_team_t team, void* dest, const void* source,
             std::size_t bytes) noexcept {
  const oriel_shmem_team& t = team_of(call, team);
  const auto begins = guarded(call, [&] {
    std::vector<std::size_t> all{0};
    for (const std::size_t one : t.members.allgather(bytes)) all.push_back(all.back() + one);
    return all;
  });
  process::here(call).note_order();
  from_each(call, t, [&](std::size_t pe, int in_world) {
    get_part(behind(dest, begins[pe]), source, begins[pe + 1] - begins[pe], in_world);
  });
  meet(call, t);
}

void alltoall(const char* call, shmem_team_t team, void* dest, const void* source,
              std::size_t bytes) noexcept {
  const oriel_shmem_team& t = team_of(call, team);
  const void* const for_me = behind(source, static_cast<std::size_t>(t.me) * bytes);
  meet(call, t);
  from_each(call, t, [&](std::size_t pe, int in_world) {
    get_part(behind(dest, pe * bytes), for_me, bytes, in_world);
  });
  meet(call, t);
}

void alltoalls(const char* call, shmem_team_t team, strided<void*> dest,
               strided<const void*> source, std::size_t bytes, std::size_t n) noexcept {
  const oriel_shmem_team& t = team_of(call, team);
  const auto part = [&](std::size_t pe, std::ptrdiff_t step) {
    return pe * n * bytes * static_cast<std::size_t>(step);
  };
  const void* const for_me = behind(source.at, part(static_cast<std::size_t>(t.me), source.step));
  meet(call, t);
  from_each(call, t, [&](std::size_t pe, int in_world) {
    iget(SHMEM_CTX_DEFAULT, {behind(dest.at, part(pe, dest.step)), dest.step},
         {for_me, source.step}, bytes, n, in_world);
  });
  meet(call, t);
}

}  // namespace oriel::shmem
