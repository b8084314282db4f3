// Which way transfers to private memory of this node go: by the kernel's copy, or by mail to an
// owner that waits, in oriel or in its MPI, and copies sooner than the kernel does. The kernel
// takes 400 ns on one machine and 2400 on another, two cores exchange a mail in 250 to 1000, and on
// one machine both change from second to second. So both are measured all the while: an owner that
// is not there, or not quicker, is asked again so rarely that asking takes a thirty-second of the
// time, and while one is asked, a few transfers go by the kernel. Transfers are judged by length,
// and lists of pieces apart from them.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "oriel/errc.hpp"
#include "sync/mailbox.hpp"
#include "sync/system.hpp"

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
  // A piece more takes about three eighths of a call (941 ns for one, 5979 for sixteen).
  [[nodiscard]] std::chrono::nanoseconds of(std::size_t bytes,
                                            std::size_t pieces = 1) const noexcept {
    return smallest + by_kilobyte * static_cast<std::int64_t>(bytes) / 1024 +
           smallest * 3 * static_cast<std::int64_t>(pieces - 1) / 8;
  }
};

class prompt_owners {
 public:
  static constexpr std::size_t longest = 65536;  // bytes of a transfer that may go by mail

  // Of so many bytes, in one piece or in several that go by one call of the kernel's.
  struct transfer {
    transfer(std::size_t n, std::size_t in_pieces = 1) noexcept  // NOLINT: bytes alone are most
        : bytes(n), pieces(in_pieces) {}
    std::size_t bytes;
    std::size_t pieces;
  };

  prompt_owners(std::size_t owners, const kernel_copy_time& kernel)
      : kernel_(kernel), owners_(kernel.smallest > soonest_answer ? owners : 0) {}

  // Whether the next transfer `x` goes to `owner` by mail; it is measured then. Threads that ask at
  // once lose some counts.
  [[nodiscard]] bool worth_asking(std::size_t owner, transfer x) noexcept {
    if (owners_.empty() || x.bytes > longest) return false;
    std::atomic<std::uint32_t>& left = of(owner, x).left;
    const std::uint32_t now = left.load(std::memory_order_relaxed);
    if (now == 0) return true;
    left.store(now - 1, std::memory_order_relaxed);
    return false;
  }
  // `copy` transfers through the kernel, whose time is measured now and then. Returns what it does.
  template <class Copy>
  errc copy(std::size_t owner, transfer x, Copy copies) noexcept {
    constexpr std::uint32_t measured_of = 8;
    if (owners_.empty() || x.bytes > longest) return copies();
    if (of(owner, x).left.load(std::memory_order_relaxed) % measured_of != 0) return copies();
    const auto began = sync::clock::now();
    const errc e = copies();
    note_copy(owner, x, sync::clock::now() - began);
    return e;
  }
  // `ask` transfers by mail to `owner`, what the kernel would take `copies` copies for. Returns
  // what it does; system, if it has not asked.
  template <class Ask>
  errc measure(std::size_t owner, transfer x, Ask ask, int copies = 1) noexcept {
    const auto began = sync::clock::now();
    const errc e = ask();
    if (e != errc::system) note(owner, x, sync::clock::now() - began, copies);
    return e;
  }
  void note(std::size_t owner, transfer x, std::chrono::nanoseconds took, int copies = 1) noexcept;

 private:
  static constexpr std::chrono::nanoseconds soonest_answer{250};
  // One owner's, for transfers of about one length: sixteen bytes, since windows have as many as
  // there are ranks.
  struct answers {
    std::atomic<std::uint32_t> left{8};    // transfers by the kernel, until one by mail
    std::atomic<std::uint32_t> slower{0};  // the kernel takes so many 256ths of kernel_; 0: unknown
    std::atomic<std::uint32_t> spent{0};   // on the mails that are being judged, in 64ths of a copy
    std::atomic<std::uint16_t> mails{0};   // asked since the last transfers by the kernel
    std::atomic<std::uint16_t> pauses{0};  // since mails were the quicker way
  };
  // The short are what a mail carries itself.
  static constexpr std::size_t lengths = 4, lists = lengths;
  [[nodiscard]] answers& of(std::size_t owner, transfer x) noexcept {
    const std::size_t beyond = (x.bytes - 1) / sync::mail_payload;
    return owners_[owner][x.pieces > 1  ? lists
                          : beyond == 0 ? 0
                          : beyond < 4  ? 1
                          : beyond < 16 ? 2
                                        : 3];
  }
  void note_copy(std::size_t owner, transfer x, std::chrono::nanoseconds took) noexcept;
  static void pause(answers&, std::int64_t copies) noexcept;

  kernel_copy_time kernel_;
  std::vector<std::array<answers, lengths + 1>> owners_;
};

}  // namespace oriel::win
