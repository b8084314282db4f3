#include "session/team/vector_clock.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "session/team/team_state.hpp"

namespace oriel::sessions {

vector_clock::vector_clock(detail::session_state& session)
    : me_(session.job().rank()), known_(width_for(session.job().size())) {}

std::uint64_t vector_clock::next() noexcept {
  const auto time = sync::clock::now().time_since_epoch();
  const auto ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  return last_ = std::max(last_ + 1, ns);
}

std::uint64_t vector_clock::now() noexcept {
  const std::lock_guard hold(mutex_);
  return next();
}

bool vector_clock::follows(int r, std::uint64_t time) noexcept {
  if (r == me_) return true;
  const std::lock_guard hold(mutex_);
  return time <= everything_ || (!known_.empty() && time <= known_[static_cast<std::size_t>(r)]);
}

void vector_clock::tell(std::span<shared_time> place) noexcept {
  const change made(*this);
  const std::uint64_t mine = next();
  period_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t r = 0; r < place.size(); ++r) {
    const std::uint64_t time = static_cast<int>(r) == me_ ? mine : std::max(known_[r], everything_);
    std::uint64_t there = place[r].load(std::memory_order_relaxed);
    while (there < time && !place[r].compare_exchange_weak(there, time)) {
    }
  }
}

// Times only grow, so that words of several tellings together are no more than the last one.
void vector_clock::learn(std::span<shared_time> place) noexcept {
  if (place.empty()) return learn_everything();
  const change made(*this);
  for (std::size_t r = 0; r < place.size(); ++r)
    known_[r] = std::max(known_[r], place[r].load(std::memory_order_acquire));
}

void vector_clock::learn_everything() noexcept {
  const change made(*this);
  everything_ = next();
}

std::vector<std::uint64_t> vector_clock::told() {
  const change made(*this);
  std::vector<std::uint64_t> all(known_);
  period_.fetch_add(1, std::memory_order_relaxed);
  for (std::uint64_t& time : all) time = std::max(time, everything_);
  if (!all.empty()) all[static_cast<std::size_t>(me_)] = next();
  return all;
}

void vector_clock::learn(std::span<const std::uint64_t> told) noexcept {
  const change made(*this);
  for (std::size_t r = 0; r < known_.size(); ++r) known_[r] = std::max(known_[r], told[r]);
}

errc pass_order(detail::team_state& team, errc met) noexcept {
  if (met != errc::success || !team.session().check()) return met;
  try {
    auto& clock = team.session().extension<vector_clock>();
    if (clock.width() == 0) {
      clock.learn_everything();
      return errc::success;
    }
    const std::vector<std::uint64_t> mine = clock.told();
    std::vector<std::uint64_t> all(mine.size() * static_cast<std::size_t>(team.size()));
    const std::size_t bytes = mine.size() * sizeof mine.front();
    const errc e = team.allgather({.kind = collective::allgather, .bytes = bytes}, mine.data(),
                                  bytes, all.data());
    if (e != errc::success) return e;
    for (std::size_t r = 0; r < all.size(); r += mine.size())
      clock.learn(std::span<const std::uint64_t>(all).subspan(r, mine.size()));
    return errc::success;
  } catch (const std::bad_alloc&) {
    return errc::no_mem;
  }
}

}  // namespace oriel::sessions
