// ORIEL_CHECK: what becomes of a misuse that is found.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "oriel/call_site.hpp"
#include "oriel/errc.hpp"
#include "session/bootstrap/code_place.hpp"

namespace oriel::sessions {

enum class checking : std::uint8_t {
  off,
  report,  // ORIEL_CHECK=1: each finding is printed once
  abort,   // ORIEL_CHECK=abort: and ends the process, and so the job
};

// Returns whether `code` reports a misuse by the program, rather than a failure of the job or the
// machine.
bool is_misuse(errc code) noexcept;

// Any thread.
class findings {
 public:
  explicit findings(checking how) noexcept : how_(how) {}
  // Prints `text` to standard error, unless one that differs in numbers alone was printed for the
  // same place; then ends the process, with status 1, under ORIEL_CHECK=abort.
  void report(const std::string& text, call_site at = {}) noexcept;
  // in_words() of each place, found out once. They throw std::bad_alloc.
  std::string words_of(const code_place&);
  std::string words_of(call_site);

 private:
  checking how_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, std::string> words_;  // by file and offset
  std::set<std::string> printed_;
};

}  // namespace oriel::sessions
