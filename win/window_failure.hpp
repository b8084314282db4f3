// The texts of one window's failures. Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "oriel/detail/failure_note.hpp"
#include "oriel/errc.hpp"
#include "sync/system.hpp"

namespace oriel::win {

class window_failure {
 public:
  // Notes a failure as the calling thread's last; as the window's, where that has no text and
  // `first` says that it may be this one.
  void note(errc code, const std::string& text, bool first);
  // The window's, returned once more, becomes the calling thread's last.
  void recall(errc code) noexcept;
  // As any_window's.
  [[nodiscard]] std::string last() const;
  [[nodiscard]] std::string first() const;
  void clear() noexcept;

 private:
  mutable sync::mutex mutex_;
  std::string first_;
  std::atomic<std::uint64_t> notes_{detail::new_note_owner()};  // whose the noted failures are
};

}  // namespace oriel::win
