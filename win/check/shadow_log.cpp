#include "win/check/shadow_log.hpp"

#include <algorithm>
#include <string_view>

namespace oriel::win {
namespace {

bool is_atomic(const shadow_access& a) noexcept {
  return a.kind == access_kind::accumulate || a.kind == access_kind::atomic_read;
}

// Whether the elements of both are the same ones, as far as they overlap.
bool same_elements(const shadow_access& a, const shadow_access& b) noexcept {
  const std::uint64_t between = a.low < b.low ? b.low - a.low : a.low - b.low;
  return a.type == b.type && between % std::max<std::size_t>(size_of(a.type), 1) == 0;
}

bool same_site(const kept_site& a, const kept_site& b) noexcept {
  return a.line == b.line && a.offset == b.offset && a.file == b.file;
}

// Whether nothing but their bytes tells the two apart, whatever comes before or after either.
bool alike(const shadow_access& a, const shadow_access& b) noexcept {
  return a.in_loop && b.in_loop && a.origin == b.origin && a.kind == b.kind &&
         a.period == b.period && a.begun.thread == b.begun.thread &&
         a.complete.time == b.complete.time && a.requested == b.requested &&
         a.fetches == b.fetches && a.op == b.op && a.type == b.type && same_site(a.at, b.at);
}

// Whether `made` is `a` once more, as where a program polls. What the origin has told in between
// makes no difference where neither is complete; but where threads are told apart another one may
// know of the first and not of the second.
bool is_again(const shadow_access& a, const shadow_access& made) noexcept {
  if (a.low != made.low || a.high != made.high || a.step != 0) return false;
  shadow_access now = a;
  if (a.begun.thread == sessions::every_thread) now.period = made.period;
  return alike(now, made);
}

// Keeps `made` with `a` where it goes on from it in the same steps, or is the second.
bool joins(shadow_access& a, const shadow_access& made) noexcept {
  if (is_again(a, made)) {
    a.begun = made.begun;
    a.period = made.period;
    return true;
  }
  const std::uint64_t each = made.high - made.low;
  if (each != (a.step == 0 ? a.high - a.low : a.each) || !alike(a, made)) return false;
  if (a.step == 0) {
    const std::uint64_t between = a.low < made.low ? made.low - a.low : a.low - made.low;
    if (between < each || !same_elements(a, made)) return false;
    a.each = each;
    a.step = between;
  } else if (made.high != a.high + a.step && made.low + a.step != a.low) {
    return false;
  }
  a.low = std::min(a.low, made.low);
  a.high = std::max(a.high, made.high);
  a.begun = made.begun;
  return true;
}

// Takes out what has joined last, at either end.
void part(shadow_access& a, const shadow_access& made) noexcept {
  if (a.low == made.low)
    a.low += a.step;
  else
    a.high -= a.step;
  if (a.high - a.low == a.each) a.step = 0;
}

}  // namespace

bool of_two_threads(const shadow_access& a, const shadow_access& b) noexcept {
  return a.origin == b.origin && a.begun.thread != b.begun.thread &&
         a.begun.thread != sessions::every_thread && b.begun.thread != sessions::every_thread;
}

// What reads never conflicts with what reads; accumulates do not either on the same elements of one
// type, whatever their operations (oriel keeps them atomic among all operations).
bool shadow_log::conflict(const shadow_access& a, const shadow_access& b) noexcept {
  if (!overlap(a, b)) return false;
  if (reads(a) && reads(b)) return false;
  // Of the program's own synchronization by loads and stores nothing is known; and what uses a
  // buffer that an operation of the same thread has is watched_memory's.
  if (is_local(a) && is_local(b)) return (a.by_operation || b.by_operation) && of_two_threads(a, b);
  return !is_atomic(a) || !is_atomic(b) || !same_elements(a, b);
}

bool shadow_log::overlap(const shadow_access& a, const shadow_access& b) noexcept {
  if (a.high <= b.low || b.high <= a.low) return false;
  if (a.step == 0) return true;
  // The first of a's that ends behind the beginning of b.
  const std::uint64_t first = b.low < a.low + a.each ? 0 : (b.low - a.low - a.each) / a.step + 1;
  return a.low + first * a.step < b.high;
}

void shadow_log::add(const shadow_access& made) noexcept {
  shadow_log_state& log = *state_;
  if (made.in_loop)
    for (std::uint32_t i = 0; i < log.used; ++i)
      if (joins(log.entries[i], made)) return;
  // A loop over an array is one access.
  if (log.used != 0 && is_local(made) && made.complete.time != 0) {
    shadow_access& last = log.entries[log.last];
    if (last.origin == made.origin && last.kind == made.kind && last.period == made.period &&
        last.complete.time != 0 && !last.by_operation && last.begun.thread == made.begun.thread &&
        made.low <= last.high && last.low <= made.high) {
      const std::uint64_t low = std::min(last.low, made.low), high = std::max(last.high, made.high);
      last = made;
      last.low = low;
      last.high = high;
      return;
    }
  }
  if (log.used < shadow_log_state::capacity) {
    log.last = log.used++;
  } else {
    log.last = log.next;
    log.next = (log.next + 1) % shadow_log_state::capacity;
  }
  log.entries[log.last] = made;
}

void shadow_log::take_back(const shadow_access& made) noexcept {
  locked([&] {
    for (std::uint32_t i = 0; i < state_->used; ++i) {
      shadow_access& a = state_->entries[i];
      if (a.origin != made.origin || a.kind != made.kind || a.period != made.period ||
          a.complete.time != made.complete.time || a.begun.time != made.begun.time ||
          (a.low != made.low && a.high != made.high))
        continue;
      if (a.step != 0 && alike(a, made))
        part(a, made);
      else if (a.low == made.low && a.high == made.high)
        a.high = a.low;  // of no bytes
    }
  });
}

template <class Which>
void shadow_log::complete_where(std::int32_t origin, sessions::moment now, Which which) noexcept {
  locked([&] {
    for (std::uint32_t i = 0; i < state_->used; ++i) {
      shadow_access& a = state_->entries[i];
      if (a.origin == origin && a.complete.time == 0 && which(a)) a.complete = now;
    }
  });
}

void shadow_log::complete_local(std::int32_t origin, sessions::moment now, std::uint64_t low,
                                std::uint64_t high) noexcept {
  complete_where(origin, now, [&](const shadow_access& a) {
    return is_local(a) && low <= a.low && a.high <= high;
  });
}

void shadow_log::complete_requested(std::int32_t origin, sessions::moment now) noexcept {
  complete_where(origin, now, [](const shadow_access& a) { return a.requested && reads(a); });
}

void shadow_log::complete_access(std::int32_t origin, sessions::moment now, access_kind kind,
                                 std::uint64_t low, std::uint64_t high) noexcept {
  complete_where(origin, now, [&](const shadow_access& a) {
    return a.kind == kind && a.low == low && a.high == high;
  });
}

std::string describe(const shadow_access& a, sessions::findings& found) {
  const char* const kinds[] = {"a get",          "a put",  "an accumulate",
                               "an atomic read", "a load", "a store"};
  const char* const what = !a.by_operation                ? kinds[static_cast<int>(a.kind)]
                           : a.kind == access_kind::store ? "the result of an operation"
                                                          : "the source of an operation";
  return std::string(what) + " of rank " + std::to_string(a.origin) + " at " +
         words_of(a.at, found);
}

std::string words_of(const kept_site& a, sessions::findings& found) {
  return a.line == call_site::in_code
             ? found.words_of(sessions::code_place{a.file.data(), a.offset})
             : found.words_of(call_site{a.file.data(), a.line});
}

void keep_site(kept_site& a, call_site at) noexcept {
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
