// The calls of oriel_shmem/teams.h on teams.
#include "shmem/guard.hpp"
#include "shmem/teams.hpp"

using oriel::rank;
using oriel::shmem::drop_team;
using oriel::shmem::fail;
using oriel::shmem::guarded;
using oriel::shmem::keep_team;
using oriel::shmem::process;
using oriel::shmem::team_of;

namespace {

shmem_team_config_t configured(const shmem_team_config_t* config, long mask) noexcept {
  return {config != nullptr && (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0 ? config->num_contexts : 0};
}

// The same on all PEs of the parent, as their arguments are.
bool is_range(const oriel_shmem_team& parent, int start, int stride, int size) noexcept {
  const auto last = start + static_cast<long long>(stride) * (size - 1);
  return size > 0 && (stride != 0 || size == 1) && start >= 0 && start < parent.pes && last >= 0 &&
         last < parent.pes;
}

}  // namespace

extern "C" {

int pshmem_team_my_pe(shmem_team_t team) {
  return team == SHMEM_TEAM_INVALID ? -1 : team->me;
}
ORIEL_SHMEM_WEAK(team_my_pe)

int pshmem_team_n_pes(shmem_team_t team) {
  return team == SHMEM_TEAM_INVALID ? -1 : team->pes;
}
ORIEL_SHMEM_WEAK(team_n_pes)

int pshmem_team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t* config) {
  if (team == SHMEM_TEAM_INVALID || (config_mask & ~SHMEM_TEAM_NUM_CONTEXTS) != 0) return 1;
  if (config_mask != 0 && config == nullptr) return 1;
  if ((config_mask & SHMEM_TEAM_NUM_CONTEXTS) != 0) *config = team->config;
  return 0;
}
ORIEL_SHMEM_WEAK(team_get_config)

int pshmem_team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team) {
  if (src_team == SHMEM_TEAM_INVALID || dest_team == SHMEM_TEAM_INVALID) return -1;
  if (src_pe < 0 || src_pe >= src_team->pes) return -1;
  return dest_team->find(src_team->in_world[static_cast<std::size_t>(src_pe)]);
}
ORIEL_SHMEM_WEAK(team_translate_pe)

int pshmem_team_split_strided(shmem_team_t parent_team, int start, int stride, int size,
                              const shmem_team_config_t* config, long config_mask,
                              shmem_team_t* new_team) {
  constexpr const char* call = "shmem_team_split_strided";
  *new_team = SHMEM_TEAM_INVALID;
  if (parent_team == SHMEM_TEAM_INVALID || !is_range(*parent_team, start, stride, size)) return 1;
  *new_team = guarded(call, [&] {
    std::vector<rank> members;
    members.reserve(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) members.push_back(rank{start + i * stride});
    return keep_team(team_of(call, parent_team).members.subset(members),
                     configured(config, config_mask));
  });
  return 0;
}
ORIEL_SHMEM_WEAK(team_split_strided)

int pshmem_team_split_2d(shmem_team_t parent_team, int xrange,
                         const shmem_team_config_t* xaxis_config, long xaxis_mask,
                         shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config,
                         long yaxis_mask, shmem_team_t* yaxis_team) {
  constexpr const char* call = "shmem_team_split_2d";
  *xaxis_team = *yaxis_team = SHMEM_TEAM_INVALID;
  if (parent_team == SHMEM_TEAM_INVALID || xrange < 1) return 1;
  const oriel_shmem_team& parent = team_of(call, parent_team);
  *xaxis_team = guarded(call, [&] {
    return keep_team(parent.members.split(parent.me / xrange),
                     configured(xaxis_config, xaxis_mask));
  });
  *yaxis_team = guarded(call, [&] {
    return keep_team(parent.members.split(parent.me % xrange),
                     configured(yaxis_config, yaxis_mask));
  });
  return 0;
}
ORIEL_SHMEM_WEAK(team_split_2d)

void pshmem_team_destroy(shmem_team_t team) {
  if (team == SHMEM_TEAM_INVALID) return;
  if (team == SHMEM_TEAM_WORLD || team == SHMEM_TEAM_SHARED)
    fail("shmem_team_destroy has a predefined team; it takes one that the program has made");
  drop_team(team);
}
ORIEL_SHMEM_WEAK(team_destroy)

int pshmem_team_sync(shmem_team_t team) {
  constexpr const char* call = "shmem_team_sync";
  oriel::shmem::meet(call, team_of(call, team));
  return 0;
}
ORIEL_SHMEM_WEAK(team_sync)

}  // extern "C"
