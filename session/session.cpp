#include "oriel/session.hpp"

#include <span>

#include "kinds/copy.hpp"
#include "session/session_state.hpp"
#include "session/team/team_state.hpp"
#include "session/team/vector_clock.hpp"

namespace oriel {
namespace {

// What the two first teams are called by the messenger.
constexpr std::uint64_t world_id = 1;
constexpr std::uint64_t node_id = 2;

team opened_team(const std::shared_ptr<detail::session_state>& state, std::span<const int> ranks,
                 std::uint64_t block, std::uint64_t id) {
  int me = 0;
  while (ranks[static_cast<std::size_t>(me)] != state->job().rank()) ++me;
  return team(std::make_shared<detail::team_state>(state, ranks, me, block, id));
}

}  // namespace

session::session(const session_options& options)
    : state_(std::make_shared<detail::session_state>(options)) {
  const sessions::job& job = state_->job();
  const sessions::placement& where = job.where();
  world_ = opened_team(state_, where.world_ranks(), state_->world_block(), world_id);
  node_ = job.nodes() == 1 ? world_
                           : opened_team(state_, where.ranks_on(where.node_of(job.rank())),
                                         state_->node_block(), node_id);
  sessions::compare_clocks(*world_.state());
}

session::session(int, char**, const session_options& options) : session(options) {}

team session::world() const {
  return world_;
}
team session::node() const {
  return node_;
}
thread_level session::threads() const noexcept {
  return state_->threads();
}
info session::hints() const {
  return state_->hints();
}

std::span<std::byte> session::alloc_mem(std::size_t bytes, const info& hints) {
  return state_->alloc_mem(bytes, hints);
}

std::span<std::byte> session::alloc_mem(std::size_t bytes, std::string_view kind,
                                        const info& hints) {
  return state_->alloc_mem(bytes, kind, hints);
}

status session::free_mem(std::span<std::byte> memory) noexcept {
  return state_->free_mem(memory);
}

status session::copy(void* to, const void* from, std::size_t bytes) noexcept {
  return kinds::copy_bytes(to, from, bytes);
}

std::string session::kind_of(const void* memory) const {
  return state_->kind_of(memory);
}

}  // namespace oriel
