// A window's operations in the order of a program's streams.
//
// What a device reaches, the stream copies, and a notification on this node is a call of the host
// by the stream. All else is a task: a call of the host hands it to the poller's thread and
// returns, and the stream waits for a word that the thread sets when the task is complete, or has
// failed. So no call of the host blocks or calls the vendor, and a task always ends: its failure is
// the window's, which flush returns.
//
// Where calls are traced (ORIEL_TRACE), functions around a copy note when the stream came to it and
// was done with it. Where they are checked (ORIEL_CHECK), all is a task (check/stream_checks.hpp).
//
// A stream that is captured keeps its tasks: the graph may be launched again as long as the window
// lives. Other tasks are used again.
//
// Threads: any; made and ended by one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "kinds/device_runtime.hpp"
#include "oriel/call_site.hpp"
#include "oriel/errc.hpp"
#include "oriel/rank.hpp"
#include "sync/system.hpp"
#include "sync/wait.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

enum class stream_action : std::uint8_t { put, get, signal, wait, wait_more };

// What a stream copies, or what a task is to do.
struct stream_operation {
  stream_action what = stream_action::put;
  rank target{};
  disp first{};
  void* buffer = nullptr;  // of put, which only reads it, and of get
  std::size_t n = 0;       // elements
  std::size_t counter = 0;
  std::uint64_t amount = 0;  // of signal and wait_more; of wait: the value
  call_site site;
};

constexpr bool moves(stream_action k) noexcept {
  return k == stream_action::put || k == stream_action::get;
}
// "put_on".
const char* name_of(stream_action) noexcept;

class stream_access {
 public:
  // Throws unsupported_kind where no memory of the window is a device's, managed or pinned here, or
  // its vendor's streams cannot wait; info when the assertion of kinds in force leaves device
  // memory out; no_mem.
  explicit stream_access(detail::window_core&);
  // Ends every wait of streams. They have passed all operations before, if the program is right.
  ~stream_access();
  stream_access(const stream_access&) = delete;
  stream_access& operator=(const stream_access&) = delete;

  // Enqueues it. Failures are latched.
  errc enqueue(void* stream, const stream_operation&) noexcept;
  // In a window that is checked: a put or get at `r`, or at any rank, that a stream has yet to
  // pass.
  [[nodiscard]] std::optional<stream_operation> left_to_streams(rank r) noexcept;

 private:
  struct word_block {
    word_block(kinds::stream_calls& made_by, int of_device, std::size_t n)
        : by(made_by), device(of_device), words(by.make_words(device, n)) {}
    ~word_block() { by.free_words(device, words); }
    word_block(const word_block&) = delete;
    word_block& operator=(const word_block&) = delete;

    kinds::stream_calls& by;
    int device;
    std::vector<std::uint64_t*> words;
  };
  struct task {
    stream_access* of = nullptr;
    std::uint64_t* word = nullptr;
    std::uint64_t finished = 0;  // the word's value when it is done; it never goes back
    bool kept = false;           // a graph's: the word begins at 0 each time
    bool by_stream = false;      // it has been done when the poller's thread gets it
    std::uint8_t stream = 0;     // where it is traced: its number, and when it was come to
    std::uint64_t began = 0;
    std::atomic<bool> left{false};  // a stream has yet to pass it
    stream_operation operation;
    std::uint64_t value = 0;                       // that a wait's counter is to reach
    std::optional<sync::patience_clock> patience;  // of a wait that is under way,
    std::optional<sync::clock::time_point> since;  // and once it has been looked for in vain
    bool shown = false;                            // since it lasts
    task* next = nullptr;
  };

  [[nodiscard]] errc check(const stream_operation&) noexcept;
  [[nodiscard]] errc fail_at(errc, const char* what) noexcept;
  [[nodiscard]] std::byte* direct(const stream_operation&) const noexcept;
  [[nodiscard]] bool rings_here(const stream_operation&) const noexcept;
  errc try_enqueue(kinds::stream_of_device, const stream_operation&) noexcept;
  errc copy(kinds::stream_of_device, const stream_operation&, std::byte* there) noexcept;
  errc noted_copy(kinds::stream_of_device, task&, std::byte* there) noexcept;
  errc give(kinds::stream_of_device, const stream_operation&, std::byte* there) noexcept;
  [[nodiscard]] task* take_task(bool kept);
  void give_back(task&) noexcept;

  // Called by streams.
  static void hand_over(void* of_task) noexcept;
  static void notify_here(void* of_task) noexcept;
  static void come_to(void* of_task) noexcept;
  static void done_with(void* of_task) noexcept;
  void push(task&) noexcept;

  // The poller's thread.
  bool serve_pending() noexcept;
  bool serve_waits() noexcept;
  void begin(task&) noexcept;
  errc perform(const stream_operation&) noexcept;
  errc perform_checked(const task&) noexcept;
  bool has_come(task&, errc& outcome) noexcept;
  void show(task&) noexcept;
  void finish(task&, errc outcome) noexcept;

  detail::window_core& core_;
  kinds::device_runtime* runtime_;
  kinds::stream_calls* streams_;
  int device_;
  std::vector<std::byte*> direct_;  // by rank: its memory, where the device reaches it
  std::vector<bool> rings_here_;    // by rank: its counters are in memory of this node

  sync::mutex tasks_lock_;
  std::deque<task> tasks_;
  std::deque<word_block> words_;
  task* free_ = nullptr;

  std::atomic<task*> given_{nullptr};   // the last one first
  task* waiting_ = nullptr;             // for notifications
  std::vector<std::uint64_t> awaited_;  // by counter: by waits for more
};

}  // namespace oriel::win
