#include "win/route/request_room.hpp"

#include <mutex>
#include <new>

#include "oriel/errc.hpp"
#include "session/session_state.hpp"

namespace oriel::win {

request_room::request_room(detail::session_state& session, std::size_t each_way)
    : memory_(session.memory()), each_way_(each_way) {}

request_room::~request_room() {
  if (block_) memory_.release(*block_);
}

std::byte* request_room::place() const noexcept {
  return memory_.base() + *block_;
}

request_room::turn request_room::take() noexcept {
  if (in_use() || in_use_.exchange(true, std::memory_order_acquire)) return {};
  turn mine(*this);
  try {
    if (!block_) block_ = memory_.allocate(2 * each_way_);
  } catch (const error&) {
    return {};
  }
  return mine;
}

request_room::turn request_rooms::take() noexcept {
  const std::lock_guard hold(changing_);
  for (request_room& one : all_)
    if (request_room::turn mine = one.take()) return mine;
  try {
    if (request_room::turn mine = all_.emplace_back(session_, each_way_).take()) return mine;
    all_.pop_back();
  } catch (const std::bad_alloc&) {
  }
  return {};
}

}  // namespace oriel::win
