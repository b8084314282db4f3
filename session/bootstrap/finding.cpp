#include "session/bootstrap/finding.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace oriel::sessions {

bool is_misuse(errc code) noexcept {
  switch (code) {
    case errc::success:
    case errc::peer_failed:
    case errc::timed_out:
    case errc::no_mem:
    case errc::system:
    case errc::unsupported_kind:
    case errc::unsupported_assertion:
      return false;
    default:
      return true;
  }
}

void findings::report(const std::string& text, call_site at) noexcept {
  try {
    const std::uintptr_t place =
        at.line == call_site::in_code ? reinterpret_cast<std::uintptr_t>(at.file) : at.line;
    std::string kind = std::to_string(place) + ":" + text;
    kind.erase(std::remove_if(kind.begin() + static_cast<std::ptrdiff_t>(kind.find(':')),
                              kind.end(), [](unsigned char c) { return std::isdigit(c) != 0; }),
               kind.end());
    const std::lock_guard hold(mutex_);
    if (!printed_.insert(std::move(kind)).second) return;
    // One call, so that the lines of several ranks do not mix.
    const std::string whole = "oriel: ORIEL_CHECK: " + text + "\n";
    std::fputs(whole.c_str(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("oriel: ORIEL_CHECK: a finding, and no memory for its text\n", stderr);
  }
  if (how_ != checking::abort) return;
  // Not exit(): what it would run may wait for other ranks, which the launcher is about to end.
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

std::string findings::words_of(const code_place& place) {
  const std::lock_guard hold(mutex_);
  std::string& words = words_[{std::string(place.file), place.offset}];
  if (words.empty()) words = in_words(place);
  return words;
}

std::string findings::words_of(call_site at) {
  return at.line == call_site::in_code ? words_of(find_code(at.file)) : in_words(at);
}

}  // namespace oriel::sessions
