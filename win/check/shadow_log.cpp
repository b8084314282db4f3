#include "win/check/shadow_log.hpp"

#include <algorithm>
#include <string_view>

namespace oriel::win {
namespace {

// Gets never conflict with each other; accumulates do not either when they take elements of one
// type, whatever their operations (oriel keeps them atomic among all operations).
bool conflict(const shadow_access& a, const shadow_access& b) noexcept {
  if (a.fences != b.fences || a.high <= b.low || b.high <= a.low) return false;
  if (a.kind == access_kind::get && b.kind == access_kind::get) return false;
  const bool both = a.kind == access_kind::accumulate && b.kind == access_kind::accumulate;
  return !both || a.type != b.type;
}

}  // namespace

template <class Work>
void shadow_log::locked(Work work) noexcept {
  if (sync::enter(state_->lock, sync::lock_group::exclusive, sync::capacity::one, world_rank_,
                  *peers_) != errc::success)
    return;
  work();
  sync::leave(state_->lock, sync::lock_group::exclusive);
}

std::optional<shadow_access> shadow_log::note(const shadow_access& made,
                                              std::uint64_t before) noexcept {
  std::optional<shadow_access> found;
  locked([&] {
    shadow_log_state& log = *state_;
    for (std::uint32_t i = 0; i < log.used && !found; ++i)
      if (log.entries[i].time > before && conflict(log.entries[i], made)) found = log.entries[i];
    if (log.used < shadow_log_state::capacity) {
      log.entries[log.used++] = made;
    } else {
      log.entries[log.next] = made;
      log.next = (log.next + 1) % shadow_log_state::capacity;
    }
  });
  return found;
}

void shadow_log::forget(std::int32_t origin) noexcept {
  locked([&] {
    const auto begin = state_->entries.begin();
    const auto end = std::remove_if(begin, begin + state_->used, [origin](const shadow_access& a) {
      return a.origin == origin;
    });
    state_->used = static_cast<std::uint32_t>(end - begin);
    state_->next = 0;
  });
}

void shadow_log::forget_all() noexcept {
  locked([&] { state_->used = state_->next = 0; });
}

std::string describe(const shadow_access& a) {
  const char* const kinds[] = {"get", "put", "accumulate"};
  return std::string(kinds[static_cast<int>(a.kind)]) + " of rank " + std::to_string(a.origin) +
         " at " + a.file.data() + ":" + std::to_string(a.line);
}

void keep_site(shadow_access& a, call_site at) noexcept {
  const std::string_view file = at.file;
  const std::size_t room = a.file.size() - 1;
  const auto end = file.size() > room ? file.substr(file.size() - room) : file;
  std::copy(end.begin(), end.end(), a.file.begin());
  a.file[end.size()] = '\0';
  a.line = at.line;
}

}  // namespace oriel::win
