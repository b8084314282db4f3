#include "oriel/team.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "kinds/negotiate.hpp"
#include "session/team/make_team.hpp"
#include "session/team/reduce.hpp"
#include "session/team/team_state.hpp"
#include "session/team/vector_clock.hpp"

namespace oriel {
namespace {

using sessions::block_offer;
using sessions::collective;
using sessions::collective_call;
using sessions::collective_failed;
using sessions::give_up_block;
using sessions::join;
using sessions::make_block;

// Joins a call that this rank refuses for its arguments: the others find that theirs differ, and do
// not wait. Where all ranks call alike, all refuse.
void show_the_others(detail::team_state& p, const collective_call& call) noexcept {
  static_cast<void>(p.barrier(call));
}

// Builds the team of `members` (ranks of `parent`, in order). Collective over `parent`, whose every
// rank is in at most one of the teams being built; on each node the first member makes the block.
team build(detail::team_state& p, const collective_call& call, const std::vector<int>& members) {
  const char* const what = call.kind == collective::split ? "split" : "subset";
  const std::uint64_t id = p.next_id();
  std::vector<int> node_members;
  for (const int r : members)
    if (p.on_node(r)) node_members.push_back(r);
  block_offer mine;
  if (!node_members.empty() && node_members.front() == p.me()) {
    mine = make_block(p, node_members.size(), members.size());
    p.offer(id, {mine.block, 0});
  }
  std::vector<block_offer> all(static_cast<std::size_t>(p.size()));
  if (const errc e = p.allgather(call, &mine, sizeof mine, all.data()); e != errc::success) {
    sync::published_result::content made{mine.block, 0};
    if (!node_members.empty() && node_members.front() != p.me())
      p.salvage(e, node_members.front(), id, made);
    give_up_block(p, node_members, made.first);
    p.stay_out_of(id, members);
    collective_failed(p, e, what);
  }
  if (members.empty()) return {};
  if (std::find(node_members.begin(), node_members.end(), p.me()) == node_members.end())
    collective_failed(p, errc::mismatched_collective, what);
  std::vector<block_offer> offers;
  offers.reserve(members.size());
  for (const int r : members) offers.push_back(all[static_cast<std::size_t>(r)]);
  return join(p, members, node_members, offers, id, what);
}

constexpr rank no_rank{-1};
constexpr const char* no_team =
    "this handle is of no team: it was never made, has been moved from, or this rank is not in the "
    "team [arg]";

errc without_a_team() noexcept {
  detail::note_failure(0, errc::arg, no_team);
  return errc::arg;
}
detail::team_state& existing(detail::team_state* state) {
  if (state == nullptr) throw error(errc::arg, no_team);
  return *state;
}

}  // namespace

rank team::me() const noexcept {
  return valid() ? rank{state_->me()} : no_rank;
}
int team::size() const noexcept {
  return valid() ? state_->size() : 0;
}
rank team::world_rank(rank r) const noexcept {
  return valid() ? rank{state_->world_rank(r.value)} : no_rank;
}
bool team::on_node(rank r) const noexcept {
  return valid() && state_->on_node(r.value);
}

status team::barrier() const noexcept {
  if (!valid()) return without_a_team();
  return sessions::pass_order(*state_, state_->barrier({.kind = collective::barrier}));
}

status team::broadcast_bytes(void* data, std::size_t bytes, rank root) const noexcept {
  const auto from = static_cast<std::uint32_t>(root.value);
  if (!valid()) return without_a_team();
  const collective_call call{.kind = collective::broadcast, .subject = from, .bytes = bytes};
  if (!state_->has(root)) {
    show_the_others(*state_, call);
    detail::note_failure(
        0, errc::rank,
        "broadcast from rank " + std::to_string(root.value) + ": " + state_->ranks_in_words());
    return errc::rank;
  }
  return sessions::pass_order(*state_, state_->broadcast(call, data, bytes, root.value));
}

status team::allgather_bytes(const void* mine, std::size_t bytes, void* all) const noexcept {
  if (!valid()) return without_a_team();
  return sessions::pass_order(
      *state_,
      state_->allgather({.kind = collective::allgather, .bytes = bytes}, mine, bytes, all));
}

void team::allreduce_element(void* inout, primitive type, atomic_op op) const {
  detail::team_state& state = existing(state_.get());
  const collective_call call{.kind = collective::allreduce, .op = op, .type = type};
  const std::size_t bytes = size_of(type);
  if (!defined(op, type)) {
    show_the_others(state, call.of(bytes));
    throw error(errc::op, std::string(name(op)) + " is not defined on " + std::string(name(type)) +
                              " elements");
  }
  std::vector<std::byte> all(bytes * static_cast<std::size_t>(size()));
  const errc gathered = state.allgather(call, inout, bytes, all.data());
  if (const errc e = sessions::pass_order(state, gathered); e != errc::success)
    collective_failed(state, e, "allreduce");
  std::memcpy(inout, all.data(), bytes);
  for (std::size_t r = 1; r < static_cast<std::size_t>(size()); ++r)
    sessions::reduce(inout, all.data() + r * bytes, type, op);
}

team team::split(int color, int key) const {
  detail::team_state& state = existing(state_.get());
  struct choice {
    int color;
    int key;
  } mine{color, key};
  const collective_call call{.kind = collective::split};
  std::vector<choice> all(static_cast<std::size_t>(size()));
  if (const errc e = state.allgather(call, &mine, sizeof mine, all.data()); e != errc::success)
    collective_failed(state, e, "split");
  std::vector<int> members;
  for (int r = 0; r < size(); ++r)
    if (color >= 0 && all[static_cast<std::size_t>(r)].color == color) members.push_back(r);
  std::stable_sort(members.begin(), members.end(), [&all](int a, int b) {
    return all[static_cast<std::size_t>(a)].key < all[static_cast<std::size_t>(b)].key;
  });
  return build(state, call, members);
}

team team::subset(std::span<const rank> chosen) const {
  detail::team_state& state = existing(state_.get());
  collective_call call{.kind = collective::subset};
  for (const rank r : chosen)
    call.subject = call.subject * 0x01000193u + static_cast<std::uint32_t>(r.value) + 1;
  const auto refuse = [&](rank r, const std::string& why) {
    show_the_others(state, call);
    throw error(errc::rank, "rank " + std::to_string(r.value) + " is " + why);
  };
  std::vector<int> members;
  for (const rank r : chosen) {
    if (!state.has(r)) refuse(r, "not in this team of " + std::to_string(size()));
    if (std::find(members.begin(), members.end(), r.value) != members.end())
      refuse(r, "listed twice");
    members.push_back(r.value);
  }
  const bool mine = std::find(members.begin(), members.end(), state.me()) != members.end();
  return build(state, call, mine ? members : std::vector<int>{});
}

team team::shrink(partition p) const {
  detail::team_state& state = existing(state_.get());
  const auto [survivors, id, block] = state.agree_on_survivors(p);
  return join(state, survivors, block, id);
}

std::string team::failure() const {
  return valid() ? state_->failure() : no_team;
}

info team::hints() const {
  return valid() ? *state_->hints() : info();
}

void team::assert_memory_alloc_kinds(std::optional<std::string_view> asserted) {
  detail::team_state& state = existing(state_.get());
  info changed = *state.hints();
  changed.erase("mpi_assert_memory_alloc_kinds");
  if (asserted) {
    const auto provided = memory_kind_list::parse(*changed.get("mpi_memory_alloc_kinds"));
    if (kinds::accepted_assertion(*asserted, provided))
      changed.set("mpi_assert_memory_alloc_kinds", std::string(*asserted));
  }
  state.replace_hints(std::make_shared<const info>(std::move(changed)));
}

}  // namespace oriel
