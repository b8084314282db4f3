#include "shmem/teams.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

shmem_team_t oriel_shmem_team_world = nullptr;
shmem_team_t oriel_shmem_team_shared = nullptr;

oriel_shmem_team::oriel_shmem_team(oriel::team made, const shmem_team_config_t& wanted)
    : members(std::move(made)), config(wanted), me(members.me().value), pes(members.size()) {
  for (int pe = 0; pe < pes; ++pe) in_world.push_back(members.world_rank(oriel::rank{pe}).value);
}

int oriel_shmem_team::find(int pe) const noexcept {
  const auto found = std::find(in_world.begin(), in_world.end(), pe);
  return found == in_world.end() ? -1 : static_cast<int>(found - in_world.begin());
}

namespace oriel::shmem {

namespace {

// Those that programs have made and not destroyed: they hold the session.
std::mutex teams_mutex;
std::vector<std::unique_ptr<oriel_shmem_team>> teams;

}  // namespace

shmem_team_t keep_team(team members, const shmem_team_config_t& config) {
  if (!members.valid()) return SHMEM_TEAM_INVALID;
  auto made = std::make_unique<oriel_shmem_team>(std::move(members), config);
  const std::lock_guard hold(teams_mutex);
  return teams.emplace_back(std::move(made)).get();
}

void drop_team(shmem_team_t handle) noexcept {
  const std::lock_guard hold(teams_mutex);
  std::erase_if(teams, [handle](const auto& kept) { return kept.get() == handle; });
}

oriel_shmem_team& team_of(const char* call, shmem_team_t handle) noexcept {
  static_cast<void>(process::here(call));
  if (handle == SHMEM_TEAM_INVALID)
    fail(std::string(call) + " has SHMEM_TEAM_INVALID; it takes a team that this PE is in");
  return *handle;
}

void meet(const char* call, const oriel_shmem_team& t) noexcept {
  require_met(call, t, t.members.barrier());
}

void require_met(const char* call, const oriel_shmem_team& t, status met) noexcept {
  if (!met.ok()) fail(std::string(call) + ": " + t.members.failure());
  process::here(call).note_order();
}

void open_teams(process& p) {
  oriel_shmem_team_world = keep_team(p.world, {0});
  oriel_shmem_team_shared = keep_team(p.job.node(), {0});
}

void close_teams() noexcept {
  oriel_shmem_team_shared = oriel_shmem_team_world = nullptr;
  const std::lock_guard hold(teams_mutex);
  teams.clear();
}

}  // namespace oriel::shmem
