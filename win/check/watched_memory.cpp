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

void watched_memory::remove(const detail::window_core& window) noexcept {
  const std::lock_guard hold(mutex_);
  std::erase_if(segments_, [&](const segment& s) { return s.window == &window; });
  std::erase_if(buffers_, [&](const buffer& b) { return b.window == &window; });
  drop_watches();
  window_pages_.clear();
  for (const segment& s : segments_) window_pages_.add(s.low, s.high);
}

const watched_memory::buffer* watched_memory::find(std::uintptr_t low, std::uintptr_t high,
                                                   bool writes) const noexcept {
  for (const buffer& b : buffers_)
    if (b.low < high && low < b.high && (b.written || writes)) return &b;
  return nullptr;
}

std::optional<std::string> watched_memory::note(std::uintptr_t low, std::uintptr_t high,
                                                bool writes, bool complete, call_site at) {
  for (const segment& s : segments_) {
    if (low >= s.high || s.low >= high) continue;
    const shadow_access made{.low = std::max(low, s.low) - s.low,
                             .high = std::min(high, s.high) - s.low,
                             .complete = complete ? clock_of(*s.window).now() : 0,
                             .kind = writes ? access_kind::store : access_kind::load};
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
  if (auto conflict = note(used.low, used.high, used.written, false, used.at))
    return "in " + *std::move(conflict);
  if (buffers_.size() == most_buffers) buffers_.erase(buffers_.begin());
  buffers_.push_back(used);
  buffer_pages_.add(used.low, used.high);
  return std::nullopt;
}

template <class Which>
void watched_memory::release_where(Which which) noexcept {
  const std::lock_guard hold(mutex_);
  for (const buffer& b : buffers_) {
    if (!which(b)) continue;
    for (const segment& s : segments_)
      if (b.low < s.high && s.low < b.high)
        if (shadow_log_state* const state = log_of(*s.window, s.owner))
          shadow_log(*state, s.window->epochs.world_me, s.window->group->watch())
              .complete_local(s.window->me(), clock_of(*s.window).now(),
                              std::max(b.low, s.low) - s.low, std::min(b.high, s.high) - s.low);
  }
  std::erase_if(buffers_, which);
  drop_watches();
  if (buffers_.empty()) buffer_pages_.clear();
}

void watched_memory::release(const detail::window_core& window, rank target) noexcept {
  release_where([&](const buffer& b) {
    return b.window == &window && (target == any_rank || b.target == target);
  });
}

void watched_memory::give_back(std::uint64_t operation) noexcept {
  release_where([&](const buffer& b) { return b.operation == operation; });
}

void watched_memory::release_requests() noexcept {
  release_where([](const buffer& b) { return b.by_request; });
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
    if (conflict)
      found.report(who + *conflict + " (" + found.words_of(at) + ") [rma_conflict]", at);
  } catch (const std::bad_alloc&) {
    found.report(who + "memory in use by an operation", at);
  }
}

}  // namespace oriel::win
