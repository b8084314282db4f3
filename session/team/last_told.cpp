#include "session/team/last_told.hpp"

namespace oriel::sessions {

last_told::last_told(detail::session_state& session)
    : job_(session.job()), width_(vector_clock::width_for(job_.size())) {
  const std::size_t words = static_cast<std::size_t>(job_.ranks_on_node()) * width_;
  if (words == 0) return;
  places_ = reinterpret_cast<vector_clock::shared_time*>(
      session.memory().table(node_table::told, words * sizeof(vector_clock::shared_time)));
}

std::span<vector_clock::shared_time> last_told::place_of(int r) const noexcept {
  return {places_ + static_cast<std::size_t>(job_.node_rank_of(r)) * width_, width_};
}

void last_told::tell(vector_clock& clock) noexcept {
  clock.tell(place_of(job_.rank()));
}

void last_told::learn_from(vector_clock& clock, int r) noexcept {
  if (places_ == nullptr || !job_.on_my_node(r)) return clock.learn_everything();
  const auto place = place_of(r);
  if (place[static_cast<std::size_t>(r)].load(std::memory_order_acquire) == 0)
    return clock.learn_everything();
  clock.learn(place);
}

}  // namespace oriel::sessions
