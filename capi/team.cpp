#include <cstring>
#include <type_traits>
#include <vector>

#include "capi/enumerators.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;

namespace {

oriel::rank rank_in(const oriel::team& team, int number) {
  if (number < 0 || number >= team.size())
    throw oriel::error(oriel::errc::rank, "rank " + std::to_string(number) +
                                              " is not in this team of " +
                                              std::to_string(team.size()));
  return oriel::rank{number};
}

// A team without this rank is a null handle.
oriel_team* handle_of(oriel::team&& team) {
  return team.valid() ? new oriel_team{std::move(team)} : nullptr;
}

}  // namespace

extern "C" {

int oriel_team_free(oriel_team* team) {
  delete team;
  return ORIEL_SUCCESS;
}

int oriel_team_rank(const oriel_team* team, int* rank) {
  *rank = team->team.me().value;
  return ORIEL_SUCCESS;
}

int oriel_team_size(const oriel_team* team, int* size) {
  *size = team->team.size();
  return ORIEL_SUCCESS;
}

int oriel_team_world_rank(const oriel_team* team, int rank, int* world_rank) {
  return capi::guarded(
      [&] { *world_rank = team->team.world_rank(rank_in(team->team, rank)).value; });
}

int oriel_team_on_node(const oriel_team* team, int rank, int* on_node) {
  return capi::guarded([&] { *on_node = team->team.on_node(rank_in(team->team, rank)) ? 1 : 0; });
}

int oriel_team_barrier(const oriel_team* team) {
  return capi::code_of(team->team.barrier());
}

int oriel_team_broadcast(const oriel_team* team, void* data, size_t bytes, int root) {
  return capi::code_of(team->team.broadcast_bytes(data, bytes, oriel::rank{root}));
}

int oriel_team_allgather(const oriel_team* team, const void* mine, size_t bytes, void* all) {
  return capi::code_of(team->team.allgather_bytes(mine, bytes, all));
}

int oriel_team_allreduce(const oriel_team* team, int op, int primitive, const void* mine,
                         void* result) {
  return capi::guarded([&] {
    const auto type = capi::enumerator<oriel::primitive>(primitive);
    const auto known = capi::numbered<oriel::atomic_op>(op);
    if (!known || type == oriel::primitive::opaque)
      throw oriel::error(oriel::errc::op, std::string(oriel_op_name(op)) + " (" +
                                              std::to_string(op) + ") is not defined on " +
                                              oriel_primitive_name(primitive) + " elements");
    oriel::with_type(type, [&]<class T>(std::type_identity<T>) {
      T value;
      std::memcpy(&value, mine, sizeof value);
      value = team->team.allreduce(value, *known);
      std::memcpy(result, &value, sizeof value);
    });
  });
}

int oriel_team_split(const oriel_team* team, int color, int key, oriel_team** part) {
  return capi::guarded([&] { *part = handle_of(team->team.split(color, key)); });
}

int oriel_team_subset(const oriel_team* team, size_t n, const int* ranks, oriel_team** part) {
  return capi::guarded([&] {
    std::vector<oriel::rank> members;
    for (std::size_t i = 0; i < n; ++i) members.emplace_back(ranks[i]);
    *part = handle_of(team->team.subset(members));
  });
}

int oriel_team_shrink(const oriel_team* team, oriel_team** left) {
  return capi::guarded([&] { *left = new oriel_team{team->team.shrink()}; });
}

int oriel_team_hints(const oriel_team* team, oriel_info** hints) {
  return capi::guarded([&] { *hints = new oriel_info{team->team.hints()}; });
}

int oriel_team_assert_memory_alloc_kinds(oriel_team* team, const char* kinds) {
  return capi::guarded([&] {
    team->team.assert_memory_alloc_kinds(kinds != nullptr ? std::optional<std::string_view>(kinds)
                                                          : std::nullopt);
  });
}

}  // extern "C"
