// Which way transfers to private memory of this node go: by the kernel's copy, or by mail to an
// owner that waits, in oriel or in its MPI, and copies sooner than the kernel does. The kernel
// takes 400 ns on one machine and 2400 on another, two cores exchange a mail in 250 to 1000. An
// owner that is not there, or not quicker, is asked again so rarely that asking takes a
// thirty-second of the time. Short and long transfers are judged apart, by what the kernel takes
// for as many bytes of this process's memory, and longer for that owner's.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "oriel/errc.hpp"
#include "sync/mailbox.hpp"

namespace oriel::detail {
class session_state;
}

namespace oriel::win {

// Measured once: what the kernel takes.
struct kernel_copy_time {
  std::chrono::nanoseconds smallest;     // for the smallest transfer
  std::chrono::nanoseconds by_kilobyte;  // for each that it is longer
  kernel_copy_time(std::chrono::nanoseconds of_smallest, std::chrono::nanoseconds more) noexcept
      : smallest(of_smallest), by_kilobyte(more) {}
  explicit kernel_copy_time(detail::session_state&);  // as an extension of the session
  [[nodiscard]] std::chrono::nanoseconds of(std::size_t bytes) const noexcept {
    return smallest + by_kilobyte * static_cast<std::int64_t>(bytes) / 1024;
  }
};

class prompt_owners {
 public:
  static constexpr std::size_t longest = 65536;  // bytes of a transfer that may go by mail

  prompt_owners(std::size_t owners, const kernel_copy_time& kernel)
      : kernel_(kernel), owners_(kernel.smallest > soonest_answer ? owners : 0) {}

  // Whether the next transfer, of so many bytes, goes to `owner` by mail; it is measured then.
  // Threads that ask at once lose some counts.
  [[nodiscard]] bool worth_asking(std::size_t owner, std::size_t bytes) noexcept {
    if (owners_.empty() || bytes > longest) return false;
    std::atomic<std::uint32_t>& left = answers_of(owner, bytes).left;
    const std::uint32_t now = left.load(std::memory_order_relaxed);
    if (now == 0) return true;
    left.store(now - 1, std::memory_order_relaxed);
    return false;
  }
  // `copy` transfers through the kernel, whose time is measured now and then. Returns what it does.
  template <class Copy>
  errc copy(std::size_t owner, std::size_t bytes, Copy copies) noexcept {
    constexpr std::uint32_t measured_of = 8;
    if (owners_.empty() || bytes > longest) return copies();
    answers& of = answers_of(owner, bytes);
    if (of.left.load(std::memory_order_relaxed) % measured_of != 0) return copies();
    const auto began = std::chrono::steady_clock::now();
    const errc e = copies();
    note_copy(of, bytes, std::chrono::steady_clock::now() - began);
    return e;
  }
  // `ask` transfers by mail to `owner`, what the kernel would take `copies` copies for. Returns
  // what it does.
  template <class Ask>
  errc measure(std::size_t owner, std::size_t bytes, Ask ask, int copies = 1) noexcept {
    const auto began = std::chrono::steady_clock::now();
    const errc e = ask();
    note(owner, bytes, std::chrono::steady_clock::now() - began, copies);
    return e;
  }
  void note(std::size_t owner, std::size_t bytes, std::chrono::nanoseconds took,
            int copies = 1) noexcept {
    answers& of = answers_of(owner, bytes);
    const std::chrono::nanoseconds seen(of.above.load(std::memory_order_relaxed));
    const std::chrono::nanoseconds kernel = (kernel_.of(bytes) + seen) * copies;
    const bool late = took > kernel;
    const std::uint32_t in_a_row = late ? of.in_a_row.load(std::memory_order_relaxed) + 1 : 0;
    const std::uint64_t spent =
        late ? of.spent.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(took / kernel)
             : 0;
    const bool has_failed = in_a_row >= mails_of_a_try;
    of.in_a_row.store(has_failed ? 0 : in_a_row, std::memory_order_relaxed);
    of.spent.store(has_failed ? 0 : spent, std::memory_order_relaxed);
    if (!late) of.pauses.store(0, std::memory_order_relaxed);
    if (has_failed) pause(of, spent);
  }

 private:
  static constexpr std::chrono::nanoseconds soonest_answer{250};
  static constexpr std::uint64_t copies_between_tries = 32;  // for each that a try takes
  static constexpr std::uint64_t first_pause = 8;            // it doubles, since one may be delayed
  static constexpr std::uint32_t most_doublings = 20;
  static constexpr std::uint64_t longest_pause = 1 << 22;
  // The first may be late since the owner, of which nobody asked anything for a while, yields.
  static constexpr std::uint32_t mails_of_a_try = 4;
  struct answers {
    std::atomic<std::uint32_t> left{first_pause};  // transfers by the kernel, until one by mail
    std::atomic<std::uint32_t> in_a_row{0};        // late answers, of a try
    std::atomic<std::uint64_t> spent{0};           // on it, in copies of the kernel
    std::atomic<std::uint32_t> pauses{0};          // since an answer came in time
    std::atomic<std::int64_t> above{0};  // what the kernel takes longer than for own memory, in ns
  };

  // One that was interrupted counts little.
  void note_copy(answers& of, std::size_t bytes, std::chrono::nanoseconds took) const noexcept {
    const std::int64_t least = kernel_.of(bytes).count();
    const std::int64_t before = of.above.load(std::memory_order_relaxed);
    const std::int64_t now = std::clamp<std::int64_t>(took.count() - least, 0, least);
    of.above.store(before + (now - before) / 2, std::memory_order_relaxed);
  }

  // After a try that took the time of `spent` copies.
  static void pause(answers& of, std::uint64_t spent) noexcept {
    const std::uint32_t before = of.pauses.load(std::memory_order_relaxed);
    of.left.store(static_cast<std::uint32_t>(std::min(
                      {spent * copies_between_tries, first_pause << before, longest_pause})),
                  std::memory_order_relaxed);
    if (before < most_doublings) of.pauses.store(before + 1, std::memory_order_relaxed);
  }

  // The short are what a mail carries itself.
  [[nodiscard]] answers& answers_of(std::size_t owner, std::size_t bytes) noexcept {
    return owners_[owner][bytes > sync::mail_payload ? 1 : 0];
  }

  kernel_copy_time kernel_;
  std::vector<std::array<answers, 2>> owners_;
};

}  // namespace oriel::win
