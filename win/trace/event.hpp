// What ORIEL_TRACE writes: one file a rank, mapped by the rank that fills it and read by
// oriel-trace (tools/trace), also after the rank has died. A header, the windows' names, and a ring
// of events.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

namespace oriel::win::trace {

// In the order of the names below.
enum class call : std::uint8_t {
  none,  // an event that is not there, or not whole
  put,
  get,
  accumulate,
  fetch_op,
  compare_swap,
  list,
  put_notify,
  wait_notify,
  fence,
  post,
  start,
  complete,
  wait,
  lock,
  unlock,
  lock_all,
  unlock_all,
  flush,
  sync,
  attach,
  detach,
  put_on,
  get_on,
  signal_on,
  wait_on,
  wait_more_on,
};
inline constexpr std::size_t calls = 27;

constexpr std::string_view name(call c) noexcept {
  constexpr std::array<std::string_view, calls> all{
      "",           "put",         "get",      "accumulate", "fetch_op", "compare_swap", "list",
      "put_notify", "wait_notify", "fence",    "post",       "start",    "complete",     "wait",
      "lock",       "unlock",      "lock_all", "unlock_all", "flush",    "sync",         "attach",
      "detach",     "put_on",      "get_on",   "signal_on",  "wait_on",  "wait_more_on"};
  return all[static_cast<std::size_t>(c)];
}

// What a wait or a call waits for, rather than moves.
constexpr bool is_synchronization(call c) noexcept {
  return c >= call::wait_notify && c <= call::sync;
}

// What returns at once, and is done later by a stream.
constexpr bool is_enqueueing(call c) noexcept {
  return c >= call::put_on && c <= call::wait_more_on;
}

inline constexpr std::int32_t no_peer = -1;
// What streams do has, in the place of a thread, a number from here on.
inline constexpr std::uint32_t first_stream = 1000;
inline constexpr std::uint8_t most_streams = 255;  // those beyond share the last number

// One call, from its beginning to its return; or what a stream does, from when it comes to it until
// it goes on.
struct event {
  std::uint64_t began = 0, ended = 0;  // ticks of the rank's clock
  std::uint64_t bytes = 0;             // moved; of waits, to how much the counter came at least
  std::int32_t peer = no_peer;         // rank of the job
  std::uint32_t amount = 0;            // of put_notify, signal_on and wait_more_on
  std::uint32_t window = 0;            // its place among the names
  std::uint32_t counter = 0;           // of notifications and the waits for them
  std::uint32_t thread = 0;  // of the process, from 1 on; 0: one beyond those that are numbered
  std::uint16_t failed = 0;  // the errc that was returned
  call what = call::none;
  std::uint8_t stream = 0;  // of what is given to streams: its number in the rank, from 1 on
};
static_assert(sizeof(event) == 48);

// Its words. Made by shifts, so that an event is never in memory on its way there: a load of a word
// right behind stores of its parts waits for them, which took as long as a reading of the clock for
// each of five.
using event_words = std::array<std::uint64_t, sizeof(event) / sizeof(std::uint64_t)>;
constexpr event_words pack(const event& e) noexcept {
  const auto both = [](std::uint32_t low, std::uint64_t high) { return low | high << 32; };
  return {e.began,
          e.ended,
          e.bytes,
          both(static_cast<std::uint32_t>(e.peer), e.amount),
          both(e.window, e.counter),
          both(e.thread, e.failed | static_cast<std::uint64_t>(e.what) << 16 |
                             static_cast<std::uint64_t>(e.stream) << 24)};
}
constexpr event unpack(const event_words& w) noexcept {
  const auto low = [&](std::size_t i) { return static_cast<std::uint32_t>(w[i]); };
  const auto high = [&](std::size_t i) { return static_cast<std::uint32_t>(w[i] >> 32); };
  return {.began = w[0],
          .ended = w[1],
          .bytes = w[2],
          .peer = static_cast<std::int32_t>(low(3)),
          .amount = high(3),
          .window = low(4),
          .counter = high(4),
          .thread = low(5),
          .failed = static_cast<std::uint16_t>(high(5)),
          .what = static_cast<call>(static_cast<std::uint8_t>(high(5) >> 16)),
          .stream = static_cast<std::uint8_t>(high(5) >> 24)};
}

// An event as it lies in the file, written by one thread and perhaps read by another process: its
// last word, which says what it is, is written last.
class slot {
 public:
  void write(const event& e) noexcept {
    const event_words words = pack(e);
    words_[last].store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (words_[I].store(words[I], std::memory_order_relaxed), ...);
    }
    (std::make_index_sequence<last>());
    words_[last].store(words[last], std::memory_order_release);
  }
  // One that is being written reads as none.
  [[nodiscard]] event read() const noexcept {
    event_words words;
    const std::uint64_t before = words_[last].load(std::memory_order_acquire);
    for (std::size_t i = 0; i < last; ++i) words[i] = words_[i].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    words[last] = words_[last].load(std::memory_order_relaxed) == before ? before : 0;
    return unpack(words);
  }

 private:
  static constexpr std::size_t last = std::tuple_size_v<event_words> - 1;
  std::array<std::atomic<std::uint64_t>, last + 1> words_;
};
static_assert(sizeof(slot) == sizeof(event));

// The same moment by two clocks.
struct moment {
  std::atomic<std::uint64_t> ticks;
  std::atomic<std::uint64_t> nanoseconds;  // CLOCK_MONOTONIC, which all processes of a kernel share
};

struct window_name {
  std::uint64_t id;  // the same on all ranks, and no other window's
  std::array<char, 56> text;
};

inline constexpr std::size_t most_names = 1023;  // windows beyond it share the last, without a name

struct header {
  static constexpr std::array<char, 8> is_trace{'o', 'r', 'i', 'e', 'l', 't', 'r', '1'};

  std::array<char, 8> magic;
  std::int32_t rank, ranks, node, pid;
  std::uint64_t capacity;            // events of the ring
  std::atomic<std::uint64_t> begun;  // events, those that are overwritten too
  moment first, last;                // what ticks are
  std::int64_t realtime;             // CLOCK_REALTIME less CLOCK_MONOTONIC, at the beginning
  std::array<char, 64> host;
  std::array<char, 40> kernel;         // by the kernel's boot_id, whose clock it is
  std::atomic<std::uint32_t> windows;  // names that are there
  std::array<window_name, most_names + 1> names;
};

// Where the ring begins.
inline constexpr std::size_t ring_offset = (sizeof(header) + 4095) / 4096 * 4096;

}  // namespace oriel::win::trace
