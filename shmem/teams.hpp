// Teams of PEs: handles on oriel's teams, with what contexts of theirs need.
#pragma once

#include <vector>

#include "oriel/team.hpp"
#include "shmem/api.hpp"
#include "shmem/process.hpp"

// What a shmem_team_t points to.
struct oriel_shmem_team {
  oriel_shmem_team(oriel::team members, const shmem_team_config_t& config);

  oriel::team members;
  shmem_team_config_t config;
  int me;
  int pes;
  std::vector<int> in_world;  // the PE of all that each is

  // Returns the PE of this team that is PE `pe` of all; -1 where none is.
  [[nodiscard]] int find(int pe) const noexcept;
};

namespace oriel::shmem {

// Ends the job where it is no team.
oriel_shmem_team& team_of(const char* call, shmem_team_t) noexcept;
// Blocks until every PE of the team has called it; ends the job where one has died.
void meet(const char* call, const oriel_shmem_team&) noexcept;
// The same of a collective that has come to `met`.
void require_met(const char* call, const oriel_shmem_team&, status met) noexcept;

// Returns a handle on them, SHMEM_TEAM_INVALID on a PE that is none of them. Throws std::bad_alloc.
shmem_team_t keep_team(team members, const shmem_team_config_t&);
void drop_team(shmem_team_t) noexcept;

// Makes the two predefined teams, and drops whatever teams there are.
void open_teams(process&);
void close_teams() noexcept;

}  // namespace oriel::shmem
