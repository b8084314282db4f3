#include "win/check/shadow_log.hpp"

#include <algorithm>
#include <string_view>

namespace oriel::win {
namespace {

bool reads(const shadow_access& a) noexcept {
  return a.kind == access_kind::get || a.kind == access_kind::atomic_read;
}

bool is_atomic(const shadow_access& a) noexcept {
  return a.kind == access_kind::accumulate || a.kind == access_kind::atomic_read;
}

// Whether the elements of both are the same ones, as far as they overlap.
bool same_elements(const shadow_access& a, const shadow_access& b) noexcept {
  const std::uint64_t between = a.low < b.low ? b.low - a.low : a.low - b.low;
  return a.type == b.type && between % std::max<std::size_t>(size_of(a.type), 1) == 0;
}

// What reads never conflicts with what reads; accumulates do not either on the same elements of one
// type, whatever their operations (oriel keeps them atomic among all operations).
bool conflict(const shadow_access& a, const shadow_access& b) noexcept {
  if (a.fences != b.fences || a.high <= b.low || b.high <= a.low) return false;
  if (reads(a) && reads(b)) return false;
  return !is_atomic(a) || !is_atomic(b) || !same_elements(a, b);
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
    if (found) return;  // what is refused accesses nothing
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

std::string describe(const shadow_access& a, sessions::findings& found) {
  const char* const kinds[] = {"a get", "a put", "an accumulate", "an atomic read"};
  return std::string(kinds[static_cast<int>(a.kind)]) + " of rank " + std::to_string(a.origin) +
         " at " +
         (a.line == call_site::in_code
              ? found.words_of(sessions::code_place{a.file.data(), a.offset})
              : found.words_of(call_site{a.file.data(), a.line}));
}

void keep_site(shadow_access& a, call_site at) noexcept {
  const bool in_code = at.line == call_site::in_code;
  const sessions::code_place code = in_code ? sessions::find_code(at.file) : sessions::code_place{};
  const std::string_view file = in_code ? code.file : at.file;
  a.offset = code.offset;
  const std::size_t room = a.file.size() - 1;
  const auto end = file.size() > room ? file.substr(file.size() - room) : file;
  std::copy(end.begin(), end.end(), a.file.begin());
  a.file[end.size()] = '\0';
  a.line = at.line;
}

}  // namespace oriel::win
