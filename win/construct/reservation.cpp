#include "win/construct/reservation.hpp"

#include "sync/last_out.hpp"

namespace oriel::win {

void reservation::give_back() noexcept {
  if (!held()) return;
  sessions::node_memory& memory = group_->session().memory();
  const auto& members = group_->node_members();
  const auto runs = [&](int node_rank) {
    const int r = members[static_cast<std::size_t>(node_rank)];
    return group_->session().job().runs(group_->world_rank(r));
  };
  const bool last = sync::last_out(memory.base() + block_, static_cast<int>(members.size()))
                        .depart(group_->node_rank(group_->me()), runs);
  if (last) memory.release(block_);
  if (last && segments_ != 0) memory.release(segments_);
  leave_behind();
}

}  // namespace oriel::win
