// What this thread waits for, for as long as one of these lives: it counts as a wait of the
// window's, and is shown, once it lasts.
#pragma once

#include "oriel/rank.hpp"
#include "oriel/statistics.hpp"
#include "sync/system.hpp"
#include "sync/wait_note.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

// `target`: whose lock, or whose answer; any_rank where it is no single one's.
void show_wait(detail::window_core&, wait_cause, rank target,
               sync::clock::time_point began) noexcept;
void count_wait(detail::window_core&, wait_cause, std::chrono::nanoseconds took) noexcept;
void count_retry(detail::window_core&) noexcept;
// Of one operation, or of a part of one, to another node.
void count_message(detail::window_core&) noexcept;

class window_note final : public sync::wait_note {
 public:
  window_note(detail::window_core& core, wait_cause cause, rank target = any_rank) noexcept
      : core_(core), cause_(cause), target_(target) {}
  void asleep(sync::clock::time_point began) noexcept override {
    show_wait(core_, cause_, target_, began);
  }
  void ended(std::chrono::nanoseconds took) noexcept override { count_wait(core_, cause_, took); }
  void tried_again() noexcept override { count_retry(core_); }

 private:
  detail::window_core& core_;
  wait_cause cause_;
  rank target_;
};

// Of waits that are noted wherever they may happen.
class noted_wait {
 public:
  noted_wait(detail::window_core& core, wait_cause cause, rank target = any_rank) noexcept
      : note_(core, cause, target), before_(sync::note_of_this_thread) {
    sync::note_of_this_thread = &note_;
  }
  noted_wait(const noted_wait&) = delete;
  noted_wait& operator=(const noted_wait&) = delete;
  ~noted_wait() { sync::note_of_this_thread = before_; }

 private:
  window_note note_;
  sync::wait_note* before_;
};

// Of epochs, most of which need not wait for long: made with the window, so that to note one is a
// store.
struct wait_notes {
  explicit wait_notes(detail::window_core& core) noexcept
      : fence(core, wait_cause::fence),
        start(core, wait_cause::start),
        wait(core, wait_cause::wait),
        notification(core, wait_cause::notification) {}
  window_note fence, start, wait, notification;
};

// No wait that is noted may enclose it.
class noting {
 public:
  explicit noting(window_note& note) noexcept { sync::note_of_this_thread = &note; }
  noting(const noting&) = delete;
  noting& operator=(const noting&) = delete;
  ~noting() { sync::note_of_this_thread = nullptr; }
};

}  // namespace oriel::win
