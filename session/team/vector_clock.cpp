#include "session/team/vector_clock.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "session/team/team_state.hpp"

namespace oriel::sessions {

vector_clock::vector_clock(detail::session_state& session)
    : job_(session.job()),
      me_(job_.rank()),
      far_(job_.nodes(), job_.node_of(me_)),
      known_{.ranks = std::vector<std::uint64_t>(width_for(session.job().size()))} {}

std::uint64_t vector_clock::next() noexcept {
  const auto time = sync::clock::now().time_since_epoch();
  const auto ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  return last_ = std::max(last_ + 1, ns);
}

known_times& vector_clock::mine() noexcept {
  known_times* const one = apart() ? threads_->mine() : nullptr;
  return one != nullptr ? *one : known_;
}

bool vector_clock::may_order() noexcept {
  if (!apart()) return false;
  if (inside_) take_threads_together();
  return !inside_;
}

template <class Change>
void vector_clock::learn_by(Change change) noexcept {
  change(known_);
  if (apart()) threads_->learn(change);
}

vector_clock::start vector_clock::begin() noexcept {
  const std::uint32_t period = period_.load(std::memory_order_relaxed);
  if (!apart()) return {{}, period};
  const hold held(*this);
  const std::int16_t thread = threads_->number();
  if (thread == every_thread) return {{}, period};
  const std::uint64_t time = next();
  mine().threads[static_cast<std::size_t>(thread)] = time;
  return {{time, thread}, period};
}

moment vector_clock::now() noexcept {
  const hold held(*this);
  const std::uint64_t time = next();
  if (!apart()) return {time};
  const std::int16_t thread = threads_->number();
  threads_->learn([&](known_times& k) {
    k.completed = time;
    if (thread != every_thread) k.threads[static_cast<std::size_t>(thread)] = time;
  });
  return {time, thread};
}

bool vector_clock::follows(int r, moment done) noexcept {
  if (r == me_ && (!apart() || done.thread == every_thread)) return true;
  const hold held(*this);
  const known_times& known = mine();
  if (r == me_ && &known == &known_) return true;
  if (r == me_ && done.time <= known.threads[static_cast<std::size_t>(done.thread)]) return true;
  return done.time <= heard_of(known, static_cast<std::size_t>(r));
}

std::uint64_t vector_clock::heard_of(const known_times& known, std::size_t r) const noexcept {
  const std::uint64_t all = far_.not_before(job_.node_of(static_cast<int>(r)), known.everything);
  return known.ranks.empty() ? all : std::max(known.ranks[r], all);
}

void vector_clock::show(std::span<std::uint64_t> known) noexcept {
  const hold held(*this);
  const known_times& here = mine();
  const std::size_t n = width();
  for (std::size_t r = 0; r < n; ++r)
    known[r] =
        static_cast<int>(r) == me_ && &here == &known_ ? far_clocks::never : heard_of(here, r);
  std::copy(here.threads.begin(), here.threads.end(),
            known.begin() + static_cast<std::ptrdiff_t>(n));
}

void vector_clock::learn_completion(moment begun, moment done) noexcept {
  if (!apart() || done.thread == every_thread) return;
  const hold held(*this);
  known_times& known = mine();
  if (&known == &known_) return;
  if (begun.thread != every_thread &&
      begun.time > known.threads[static_cast<std::size_t>(begun.thread)])
    return;
  auto& time = known.threads[static_cast<std::size_t>(done.thread)];
  time = std::max(time, done.time);
  known.completed = std::max(known.completed, done.time);
}

// A thread that is told apart tells of what it knows, others of all that is complete by now.
std::uint64_t vector_clock::told_of(std::size_t r) noexcept {
  const known_times& known = mine();
  const std::uint64_t heard = heard_of(known, r);
  if (static_cast<int>(r) != me_) return heard;
  return &known == &known_ ? next() : std::max(heard, known.completed);
}

void vector_clock::tell(std::span<shared_time> place) noexcept {
  const change made(*this);
  period_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t r = 0; r < place.size(); ++r) {
    const std::uint64_t time = told_of(r);
    std::uint64_t there = place[r].load(std::memory_order_relaxed);
    while (there < time && !place[r].compare_exchange_weak(there, time)) {
    }
  }
}

// Times only grow, so that words of several tellings together are no more than the last one.
void vector_clock::learn(std::span<shared_time> place) noexcept {
  if (place.empty()) return learn_everything();
  const change made(*this);
  learn_by([&](known_times& known) {
    for (std::size_t r = 0; r < place.size(); ++r)
      known.ranks[r] = std::max(known.ranks[r], place[r].load(std::memory_order_acquire));
  });
}

void vector_clock::learn_everything() noexcept {
  const change made(*this);
  const std::uint64_t time = next();
  learn_by([&](known_times& known) { known.everything = time; });
}

void vector_clock::learn_everything_until(std::uint64_t time) noexcept {
  const change made(*this);
  learn_by([&](known_times& known) { known.everything = std::max(known.everything, time); });
}

std::uint64_t vector_clock::time() noexcept {
  const hold held(*this);
  return next();
}

void vector_clock::heard_time(int n, std::uint64_t asked, std::uint64_t theirs) noexcept {
  const hold held(*this);
  far_.heard(n, asked, theirs);
}

std::vector<std::uint64_t> vector_clock::told() {
  const change made(*this);
  std::vector<std::uint64_t> all(width());
  period_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = told_of(r);
  return all;
}

std::uint64_t vector_clock::told_of_itself() noexcept {
  const change made(*this);
  period_.fetch_add(1, std::memory_order_relaxed);
  return told_of(static_cast<std::size_t>(me_));
}

void vector_clock::learn(std::span<const std::uint64_t> told) noexcept {
  const change made(*this);
  learn_by([&](known_times& known) {
    for (std::size_t r = 0; r < told.size(); ++r)
      known.ranks[r] = std::max(known.ranks[r], told[r]);
  });
}

void vector_clock::tell_threads_apart() {
  const hold held(*this);
  known_.completed = next();
  threads_ = std::make_unique<thread_clocks>(known_);
  apart_.store(true, std::memory_order_relaxed);
}

void vector_clock::begin_thread() noexcept {
  if (!may_order()) return;
  const hold held(*this);
  try {
    threads_->begin();
  } catch (const std::bad_alloc&) {
    take_threads_together();
  }
}

void vector_clock::end_thread() noexcept {
  if (!may_order()) return;
  const hold held(*this);
  threads_->end();
}

void vector_clock::release(const void* key) noexcept {
  if (!may_order()) return;
  const hold held(*this);
  period_.fetch_add(1, std::memory_order_relaxed);
  try {
    threads_->release(key);
  } catch (const std::bad_alloc&) {
    take_threads_together();
  }
}

void vector_clock::acquire(const void* key) noexcept {
  if (!may_order()) return;
  const hold held(*this);
  threads_->acquire(key);
}

// A rank has begun to meet the others before any of them has met it. Twice, since the first meeting
// may take long.
void compare_clocks(detail::team_state& world) noexcept {
  const job& all = world.session().job();
  if (!world.session().check() || all.nodes() == 1) return;
  try {
    auto& clock = world.session().extension<vector_clock>();
    std::vector<std::uint64_t> theirs(static_cast<std::size_t>(all.size()));
    for (int round = 0; round < 2; ++round) {
      const std::uint64_t before = clock.time();
      if (world.barrier({}) != errc::success) return;
      const std::uint64_t mine = clock.time();
      if (world.allgather({}, &mine, sizeof mine, theirs.data()) != errc::success) return;
      for (int r = 0; r < all.size(); ++r)
        clock.heard_time(all.node_of(r), before, theirs[static_cast<std::size_t>(r)]);
    }
  } catch (const std::bad_alloc&) {
    // All that other nodes do counts as known then.
  }
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
