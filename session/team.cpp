#include "oriel/team.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "kinds/negotiate.hpp"
#include "session/make_team.hpp"
#include "session/reduce.hpp"
#include "session/team_state.hpp"

namespace oriel {
namespace {

using boot::allocate_block;
using boot::collective_failed;
using boot::give_up_block;
using boot::join;

// Builds the team of `members` (ranks of `parent`, in order). Collective over `parent`, whose every
// rank is in at most one of the teams being built; on each node the first member makes the block.
team build(const std::shared_ptr<detail::team_state>& parent, const std::vector<int>& members) {
  detail::team_state& p = *parent;
  struct made {
    std::uint64_t block = 0;
    errc failed = errc::success;
  } mine;
  const std::uint64_t id = p.next_id();
  std::vector<int> near;
  for (const int r : members)
    if (p.on_node(r)) near.push_back(r);
  if (!near.empty() && near.front() == p.me()) {
    try {
      mine.block = allocate_block(p, near);
    } catch (const error& e) {
      mine.failed = e.code();
    }
    p.offer(id, {mine.block, 0});
  }
  std::vector<made> all(static_cast<std::size_t>(p.size()));
  if (const errc e = p.allgather(&mine, sizeof mine, all.data()); e != errc::success) {
    boot::handout::content made{mine.block, 0};
    if (!near.empty() && near.front() != p.me()) p.collect(near.front(), id, made);
    give_up_block(p, near, made.first);
    collective_failed(p, e, "split");
  }
  if (members.empty()) return {};
  const made& led = all[static_cast<std::size_t>(near.front())];
  for (const int r : members)
    if (const errc e = all[static_cast<std::size_t>(r)].failed; e != errc::success) {
      give_up_block(p, near, led.block);
      collective_failed(p, e, "split");
    }
  return join(p, members, led.block, id);
}

}  // namespace

rank team::me() const noexcept {
  return rank{state_->me()};
}
int team::size() const noexcept {
  return state_->size();
}
rank team::world_rank(rank r) const noexcept {
  return rank{state_->world_rank(r.value)};
}
bool team::on_node(rank r) const noexcept {
  return state_->on_node(r.value);
}

status team::barrier() const noexcept {
  return state_->barrier();
}

status team::broadcast_bytes(void* data, std::size_t bytes, rank root) const noexcept {
  if (root.value < 0 || root.value >= size()) return errc::rank;
  return state_->broadcast(data, bytes, root.value);
}

status team::allgather_bytes(const void* mine, std::size_t bytes, void* all) const noexcept {
  return state_->allgather(mine, bytes, all);
}

void team::allreduce_element(void* inout, primitive type, atomic_op op) const {
  if (!defined(op, type))
    throw error(errc::op, std::string(name(op)) + " is not defined on " + std::string(name(type)) +
                              " elements");
  const std::size_t bytes = size_of(type);
  std::vector<std::byte> all(bytes * static_cast<std::size_t>(size()));
  if (const errc e = state_->allgather(inout, bytes, all.data()); e != errc::success)
    collective_failed(*state_, e, "allreduce");
  std::memcpy(inout, all.data(), bytes);
  for (std::size_t r = 1; r < static_cast<std::size_t>(size()); ++r)
    boot::reduce(inout, all.data() + r * bytes, type, op);
}

team team::split(int color, int key) const {
  struct choice {
    int color;
    int key;
  };
  const std::vector<choice> all = allgather(choice{color, key});
  std::vector<int> members;
  for (int r = 0; r < size(); ++r)
    if (color >= 0 && all[static_cast<std::size_t>(r)].color == color) members.push_back(r);
  std::stable_sort(members.begin(), members.end(), [&all](int a, int b) {
    return all[static_cast<std::size_t>(a)].key < all[static_cast<std::size_t>(b)].key;
  });
  return build(state_, members);
}

team team::subset(std::span<const rank> chosen) const {
  std::vector<int> members;
  for (const rank r : chosen) {
    if (r.value < 0 || r.value >= size())
      throw error(errc::rank, "rank " + std::to_string(r.value) + " is not in this team of " +
                                  std::to_string(size()));
    if (std::find(members.begin(), members.end(), r.value) != members.end())
      throw error(errc::rank, "rank " + std::to_string(r.value) + " is listed twice");
    members.push_back(r.value);
  }
  const bool mine = std::find(members.begin(), members.end(), state_->me()) != members.end();
  return build(state_, mine ? members : std::vector<int>{});
}

team team::shrink(partition p) const {
  const auto [survivors, id, block] = state_->agree_on_survivors(p);
  return join(*state_, survivors, block, id);
}

info team::hints() const {
  return *state_->hints();
}

void team::assert_memory_alloc_kinds(std::optional<std::string_view> asserted) {
  info changed = *state_->hints();
  changed.erase("mpi_assert_memory_alloc_kinds");
  if (asserted) {
    const auto provided = memory_kind_list::parse(*changed.get("mpi_memory_alloc_kinds"));
    if (kinds::accepted_assertion(*asserted, provided))
      changed.set("mpi_assert_memory_alloc_kinds", std::string(*asserted));
  }
  state_->replace_hints(std::make_shared<const info>(std::move(changed)));
}

}  // namespace oriel
