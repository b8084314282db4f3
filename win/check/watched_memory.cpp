#include "win/check/watched_memory.hpp"

#include <algorithm>

#include "win/check/noted_access.hpp"
#include "win/check/order_places.hpp"
#include "win/route/peer_words.hpp"

namespace oriel::win {
namespace {

// Beyond so many buffers the oldest are no longer watched.
constexpr std::size_t most_buffers = 4096;

std::string describe(const watched_memory::buffer& b, sessions::findings& found) {
  return std::string("the ") + (b.written ? "result" : "source") + " of a " + b.what + " at " +
         found.words_of(b.at) + ", which is not complete";
}

std::string describe_released(const watched_memory::buffer& b, sessions::findings& found) {
  return std::string("the ") + (b.written ? "result" : "source") + " of a " + b.what + " at " +
         found.words_of(b.at) + " by another thread, and nothing orders them";
}

}  // namespace

void watched_memory::page_set::add(std::uintptr_t low, std::uintptr_t high) noexcept {
  const std::uintptr_t first = low / page_bytes, last = (high - 1) / page_bytes;
  for (std::uintptr_t i = 0; i <= std::min<std::uintptr_t>(last - first, pages - 1); ++i) {
    const std::uintptr_t page = (first + i) % pages;
    words_[page / 64].fetch_or(std::uint64_t{1} << page % 64, std::memory_order_relaxed);
  }
}

void watched_memory::add(detail::window_core& window) {
  if (window.agreed.promised.has(assertion::attach)) return;
  const std::lock_guard hold(mutex_);
  for (const int r : window.group->node_members()) {
    const detail::segment_entry& entry = window.seen_entry(rank{r});
    if (entry.offset == detail::unmapped || entry.count == 0) continue;
    const auto low = reinterpret_cast<std::uintptr_t>(window.node_memory().base()) +
                     static_cast<std::uintptr_t>(entry.offset);
    const std::uintptr_t high = low + entry.count * window.agreed.extent;
    segments_.push_back({low, high, &window, rank{r}});
    window_pages_.add(low, high);
  }
}

void watched_memory::attach(detail::window_core& window, const segment<std::byte>& attached) {
  const std::lock_guard hold(mutex_);
  const auto low = reinterpret_cast<std::uintptr_t>(attached.base);
  const std::uintptr_t high = low + attached.count * window.agreed.extent;
  if (low == high) return;
  segments_.push_back({low, high, &window, rank{window.me()},
                       attached.first.value * window.agreed.extent, attached.handle});
  window_pages_.add(low, high);
}

void watched_memory::detach(const detail::window_core& window, segment_handle handle) noexcept {
  const std::lock_guard hold(mutex_);
  std::erase_if(segments_,
                [&](const mapped_memory& s) { return s.window == &window && s.handle == handle; });
}

void watched_memory::remove(const detail::window_core& window) noexcept {
  const std::lock_guard hold(mutex_);
  std::erase_if(segments_, [&](const mapped_memory& s) { return s.window == &window; });
  std::erase_if(buffers_, [&](const buffer& b) { return b.window == &window; });
  std::erase_if(awaited_, [&](const awaited_read& a) { return a.window == &window; });
  for (buffer& b : released_)
    if (b.window == &window) b = {};
  drop_watches();
  window_pages_.clear();
  for (const mapped_memory& s : segments_) window_pages_.add(s.low, s.high);
}

const watched_memory::buffer* watched_memory::find(std::uintptr_t low, std::uintptr_t high,
                                                   bool writes) const noexcept {
  for (const buffer& b : buffers_)
    if (b.low < high && low < b.high && (b.written || writes)) return &b;
  return nullptr;
}

std::optional<std::string> watched_memory::note(std::uintptr_t low, std::uintptr_t high,
                                                bool writes, bool complete, call_site at) {
  for (const mapped_memory& s : segments_) {
    if (low >= s.high || s.low >= high) continue;
    const shadow_access made{.low = s.place_of(std::max(low, s.low)),
                             .high = s.place_of(std::min(high, s.high)),
                             .complete = complete ? clock_of(*s.window).now() : sessions::moment{},
                             .kind = writes ? access_kind::store : access_kind::load,
                             .by_operation = !complete};
    if (const auto conflict = note_access(*s.window, s.owner, made, at))
      return "bytes [" + std::to_string(made.low) + ", " + std::to_string(made.high) +
             ") of rank " + std::to_string(s.owner.value) + " in window '" + s.window->agreed.name +
             "' " + *conflict;
    if (writes && s.owner.value == s.window->me()) s.window->epochs.promises.note_store(at);
  }
  return std::nullopt;
}

std::optional<std::string> watched_memory::take(const buffer& used) {
  const std::lock_guard hold(mutex_);
  // An operation may have one buffer for both where it reads before it writes.
  const buffer* const other = find(used.low, used.high, used.written);
  if (other != nullptr && other->operation != used.operation)
    return "overlaps " + describe(*other, used.window->group->session().found());
  if (const buffer* const b = find_released(used.low, used.high, used.written))
    return "overlaps " + describe_released(*b, used.window->group->session().found());
  // Last: what is refused leaves no trace in the windows' logs.
  if (auto conflict = note(used.low, used.high, used.written, false, used.at))
    return "in " + *std::move(conflict);
  sessions::vector_clock& clock = clock_of(*used.window);
  if (buffers_.size() == most_buffers) {
    let_go(buffers_.front(), clock.now());
    buffers_.erase(buffers_.begin());
  }
  buffers_.push_back(used);
  buffers_.back().begun = clock.begin().at;
  buffer_pages_.add(used.low, used.high);
  any_buffers_.store(true, std::memory_order_relaxed);
  return std::nullopt;
}

void watched_memory::let_go(const buffer& b, sessions::moment now) noexcept {
  for (const mapped_memory& s : segments_)
    if (b.low < s.high && s.low < b.high)
      if (shadow_log_state* const state = log_of(*s.window, s.owner))
        shadow_log(*state, s.window->epochs.world_me, s.window->group->watch())
            .complete_local(s.window->me(), now, s.place_of(std::max(b.low, s.low)),
                            s.place_of(std::min(b.high, s.high)));
}

template <class Which>
void watched_memory::release_where(Which which, bool performed) noexcept {
  const std::lock_guard hold(mutex_);
  for (buffer& b : buffers_) {
    if (!which(b)) continue;
    b.complete = clock_of(*b.window).now();
    let_go(b, b.complete);
    if (performed) keep_released(b);
  }
  std::erase_if(buffers_, which);
  drop_watches();
  if (!buffers_.empty()) return;
  any_buffers_.store(false, std::memory_order_relaxed);
  buffer_pages_.clear();
  if (!has_released()) return;
  for (const buffer& b : released_)
    if (b.high != 0) buffer_pages_.add(b.low, b.high);
}

void watched_memory::keep_released(const buffer& b) noexcept {
  if (b.complete.thread == sessions::every_thread) return;
  const std::size_t i = next_released_++ % most_released;
  buffer& oldest = released_[i];
  if (oldest.complete.thread != sessions::every_thread)
    released_before_[static_cast<std::size_t>(oldest.complete.thread)] = oldest.complete;
  oldest = b;
  released_at_[i].store(b.low, std::memory_order_relaxed);
  any_released_.store(true, std::memory_order_relaxed);
}

const watched_memory::buffer* watched_memory::find_released(std::uintptr_t low, std::uintptr_t high,
                                                            bool writes) const noexcept {
  if (!has_released()) return nullptr;
  for (std::size_t i = 0; i < most_released; ++i) {
    const buffer& b = released_[i];
    if (b.low < high && low < b.high && (b.written || writes) &&
        released_at_[i].load(std::memory_order_relaxed) == b.low) {
      sessions::vector_clock& clock = clock_of(*b.window);
      if (!clock.follows(b.window->epochs.world_me, b.complete)) return &b;
    }
  }
  return nullptr;
}

void watched_memory::freed(std::uintptr_t low, std::uintptr_t high) noexcept {
  for (auto& at : released_at_) {
    std::uintptr_t begin = at.load(std::memory_order_relaxed);
    if (low <= begin && begin < high)
      at.compare_exchange_strong(begin, 0, std::memory_order_relaxed);
  }
}

// Where this thread has the mutex itself it frees memory of this library's.
void watched_memory::check_freed(std::uintptr_t low, std::uintptr_t high) noexcept {
  if (!mutex_.try_lock()) return;
  const std::lock_guard hold(mutex_, std::adopt_lock);
  // From then on the memory is somebody else's, perhaps this library's.
  for (;;) {
    const auto freed = std::find_if(buffers_.begin(), buffers_.end(), [&](const buffer& b) {
      return b.low < high && low < b.high && b.at.line == call_site::in_code;
    });
    if (freed == buffers_.end()) return;
    const buffer b = *freed;
    let_go(b, clock_of(*b.window).now());
    buffers_.erase(freed);
    sessions::findings& found = b.window->group->session().found();
    try {
      found.report("rank " + std::to_string(b.window->epochs.world_me) + ": memory of " +
                       describe(b, found) + ", is freed [rma_conflict]",
                   b.at);
    } catch (const std::bad_alloc&) {
      found.report("memory in use by an operation is freed", b.at);
    }
  }
}

void watched_memory::release(const detail::window_core& window, rank target) noexcept {
  const auto which = [&](const buffer& b) {
    return b.window == &window && (target == any_rank || b.target == target);
  };
  release_where(which, true);
  const std::lock_guard hold(mutex_);
  if (!has_released()) return;
  for (const buffer& b : released_)
    if (which(b)) clock_of(window).learn_completion(b.begun, b.complete);
  for (const sessions::moment m : released_before_) clock_of(window).learn_completion({}, m);
}

void watched_memory::give_back(std::uint64_t operation) noexcept {
  release_where([&](const buffer& b) { return b.operation == operation; }, false);
}

errc watched_memory::await_request(detail::window_core& window, rank target) noexcept {
  const std::lock_guard hold(mutex_);
  const awaited_read made{&window, target};
  if (std::find(awaited_.begin(), awaited_.end(), made) != awaited_.end()) return errc::success;
  try {
    awaited_.push_back(made);
    return errc::success;
  } catch (const std::bad_alloc&) {
    return errc::no_mem;
  }
}

void watched_memory::release_requests() noexcept {
  release_where([](const buffer& b) { return b.by_request; }, true);
  std::unique_lock hold(mutex_);
  const std::vector<awaited_read> awaited = std::exchange(awaited_, {});
  hold.unlock();
  for (const awaited_read& a : awaited) {
    const sessions::moment now = clock_of(*a.window).now();
    if (shadow_log_state* const state = log_of(*a.window, a.target))
      shadow_log(*state, a.window->epochs.world_me, a.window->group->watch())
          .complete_requested(a.window->me(), now);
    else if (a.window->routes.checks != nullptr)
      a.window->routes.checks->complete(a.target, completion_request::which::requested, now);
  }
}

void watched_memory::look_at(std::uintptr_t low, std::size_t bytes, bool writes,
                             const void* code) noexcept {
  const std::lock_guard hold(mutex_);
  compare(low, bytes, writes, writes ? "store to " : "load of ", call_site::returning_to(code));
}

void watched_memory::compare(std::uintptr_t low, std::size_t bytes, bool writes, const char* what,
                             call_site at) noexcept {
  if (segments_.empty()) return;
  detail::window_core& some = *segments_.front().window;
  sessions::findings& found = some.group->session().found();
  const std::string who = "rank " + std::to_string(some.epochs.world_me) + ": " + what;
  try {
    std::optional<std::string> conflict;
    if (const buffer* const b = find(low, low + bytes, writes))
      conflict = "memory that overlaps " + describe(*b, found);
    else
      conflict = note(low, low + bytes, writes, true, at);
    if (!conflict)
      if (const buffer* const b = find_released(low, low + bytes, writes))
        conflict = "memory that overlaps " + describe_released(*b, found);
    if (conflict)
      found.report(who + *conflict + " (" + found.words_of(at) + ") [rma_conflict]", at);
  } catch (const std::bad_alloc&) {
    found.report(who + "memory in use by an operation", at);
  }
}

}  // namespace oriel::win
