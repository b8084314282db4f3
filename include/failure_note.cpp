#include "oriel/detail/failure_note.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

namespace oriel::detail {
namespace {

// Windows of static storage may fail after a thread's own objects are gone.
thread_local constinit bool ended = false;

struct note {
  std::uint64_t owner = 0;
  errc code = errc::success;
  std::string text;
};

// The last comes first.
struct notes {
  static constexpr std::size_t kept = 8;
  std::array<note, kept> all;
  ~notes() { ended = true; }
};

thread_local notes of_this_thread;
thread_local constinit std::uint64_t noted = 0;

template <class Wanted>
std::string first(Wanted wanted) {
  if (ended) return {};
  const auto& all = of_this_thread.all;
  const auto found = std::find_if(all.begin(), all.end(), wanted);
  return found == all.end() ? std::string() : found->text;
}

}  // namespace

std::uint64_t new_note_owner() noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::uint64_t failures_noted() noexcept {
  return noted;
}

void note_failure(std::uint64_t owner, errc code, const std::string& text) noexcept {
  ++noted;
  recall_failure(owner, code, text);
}

void recall_failure(std::uint64_t owner, errc code, const std::string& text) noexcept {
  if (ended) return;
  auto& all = of_this_thread.all;
  // Each owner keeps one text for each code.
  const auto same = std::find_if(all.begin(), all.end() - 1,
                                 [&](const note& n) { return n.owner == owner && n.code == code; });
  std::rotate(all.begin(), same, same + 1);
  try {
    all.front().text = text;
    all.front().owner = owner;
    all.front().code = code;
  } catch (const std::bad_alloc&) {
    all.front() = {};
  }
}

std::string noted_failure(std::uint64_t owner) {
  return first([owner](const note& n) { return n.code != errc::success && n.owner == owner; });
}

std::string noted_failure(errc code) {
  return first([code](const note& n) { return n.code == code; });
}

}  // namespace oriel::detail
