// The owner's half of what it attaches for other nodes, and the origins' that are to forget it.
#include <algorithm>

#include "win/route/remote_window.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using transport::message_head;

void remote_window::expose_attached(const segment_record& buffer) noexcept {
  if (fabric_.how() != transport::completion::acknowledged)
    attached_.add(fabric_, id_, buffer, core_.agreed.extent);
}

// Its record is gone already.
errc remote_window::withdraw_attached(std::uint64_t handle) noexcept {
  attached_exposures::withdrawn gone = attached_.remove(handle);
  errc first = errc::success;
  try {
    const message_head h = head(remote_call::forget, forget_request{gone.first});
    std::vector<pending_ops> asked(gone.told.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
      if (const errc e = fabric_.request(gone.told[i], h, {}, nullptr, 0, asked[i]);
          e == errc::no_mem)
        first = e;
    // rma_sync: it has freed the window; peer_failed: it has died.
    for (std::size_t i = 0; i < asked.size(); ++i)
      if (const errc e = fabric_.wait(asked[i], gone.told[i], *core_.epochs.watch);
          e == errc::timed_out || e == errc::no_mem)
        first = e;
  } catch (const std::bad_alloc&) {
    first = errc::no_mem;
  }
  if (first != errc::success && gone.memory != nullptr) fabric_.keep(std::move(gone.memory));
  return first;
}

errc remote_window::serve_locate(const message_head& h) noexcept {
  const auto wanted = h.carried<locate_request>();
  if (wanted.bytes == 0 || exposed(wanted.displacement, wanted.bytes) == nullptr)
    return errc::rma_range;
  const told_place place = attached_.tell(wanted.displacement, wanted.bytes, h.from);
  fabric_.reply(h, errc::success, std::as_bytes(std::span(&place, 1)));
  return errc::success;
}

remote_window::target_state* remote_window::state_of_world(int world_rank) noexcept {
  const std::span<const int> world = core_.group->where().world_ranks();
  const auto at = std::find(world.begin(), world.end(), world_rank);
  return at == world.end() ? nullptr : state_of(rank{static_cast<int>(at - world.begin())});
}

void remote_window::serve_forget(const message_head& h) noexcept {
  target_state* const t = state_of_world(h.from);
  if (t == nullptr || t->told == nullptr) return fabric_.reply(h, errc::rank, {});
  try {
    revokers_.push_back({h, t, revoker::takes_away::one_buffer});
    t->told->forget(h.carried<forget_request>().first);
  } catch (const std::bad_alloc&) {
    fabric_.reply(h, errc::no_mem, {});
  }
}

void remote_window::serve_revoke(const message_head& h) noexcept {
  target_state* const t = state_of_world(h.from);
  if (t == nullptr) return fabric_.reply(h, errc::rank, {});
  try {
    revokers_.push_back({h, t, revoker::takes_away::all});
    t->revoked.store(true, std::memory_order_seq_cst);
  } catch (const std::bad_alloc&) {
    fabric_.reply(h, errc::no_mem, {});
  }
}

// Answers those whose memory nothing accesses any more.
void remote_window::answer_revokers() noexcept {
  std::erase_if(revokers_, [this](const revoker& r) {
    told_places* const told = r.target->told.get();
    const bool one = r.what == revoker::takes_away::one_buffer;
    // In this order: who begins to read is counted with the first until the second counts it.
    if (!one && !(r.target->ops.none_inside() && r.target->passable.none_inside())) return false;
    if (told != nullptr && !told->under_way.none_inside()) return false;
    if (one) told->end_forgetting();
    fabric_.reply(r.asked, errc::success, {});
    return true;
  });
}

}  // namespace oriel::win
