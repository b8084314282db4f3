// What waits of one window: small puts to private memory of this node that follow one another
// without a flush. The first goes at once; those after it wait until they are many, or until
// anything needs them to be complete or goes to the same memory. Then they go together: a few by
// one system call, a list of them by one request to the owner, which takes a tenth of the time of
// as many system calls. In an epoch of active target one operation by itself is kept as a letter,
// an accumulate too.
//
// Threads: any; those of one process take turns, and whoever waits for an owner leaves the turn to
// others meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "sync/mailbox.hpp"
#include "sync/run_list.hpp"
#include "sync/system.hpp"
#include "win/route/kept_letter.hpp"
#include "win/route/route.hpp"

namespace oriel::win {

class deferred_operations {
 public:
  static constexpr std::size_t largest = 64;  // bytes of one that may wait

  // Requires: bytes <= largest. The source is reusable on return.
  errc put(window_core&, const target&, std::uint64_t address, const void* from,
           std::size_t bytes) noexcept;
  // Returns false where an accumulate of so many bytes must go at once, and nothing has been done.
  bool keep(window_core&, const target&, std::uint64_t address, const accumulation&,
            std::size_t bytes) noexcept;
  // All are complete at their targets on return; at `owner` at least, where that is one.
  errc complete(window_core&, rank owner) noexcept;
  // The same when this rank has synchronized with its targets, which it is about to do.
  errc enclose(window_core&, kept_letter::by) noexcept;

 private:
  using turn = std::unique_lock<sync::mutex>;  // without the lock where there is one thread
  class absence;
  // Puts to one owner, as run_list has them.
  struct puts {
    rank owner;
    std::size_t n;
    std::span<const std::byte> list;
  };

  turn take_turn(const window_core&) noexcept;
  [[nodiscard]] bool is_under_way(rank owner) const noexcept;
  [[nodiscard]] bool concerns(rank owner) const noexcept;
  void begin(window_core&) noexcept;
  errc put_first(window_core&, rank owner, std::uint64_t address, const void* from,
                 std::size_t bytes) noexcept;
  void list(std::uint64_t address, const void* from, std::size_t bytes) noexcept;
  errc letter_first(window_core&, turn&) noexcept;
  template <class Leave>
  errc take_letter(turn&, Leave) noexcept;
  errc send(window_core&, turn&) noexcept;
  static errc send_few(window_core&, const puts&) noexcept;
  static errc send_list(window_core&, const puts&) noexcept;
  template <class Leave>
  errc end(window_core&, rank owner, Leave) noexcept;

  sync::mutex changing_;
  absence* absent_ = nullptr;  // the last that began; each knows the one before
  sync::condition_variable back_;
  bool follows_ = false;  // another put, without a flush between them
  rank owner_{0};
  std::size_t n_ = 0;
  std::array<std::byte, sync::mail_payload> room_;
  sync::run_list list_{room_};
  kept_letter letter_;
};

// What waits of a window, if it has any: these, and packets to owners of this node
// (packet_streams.hpp), of `owner` or of all.
errc complete_deferred(window_core&, rank owner = any_rank) noexcept;
errc enclose_deferred(window_core&, kept_letter::by) noexcept;
// Required before anything else is done to memory of `owner`: nothing that was to happen to it
// before is left to do, but for what packets bring, which are no further than they are.
errc clear_way(window_core&, rank owner) noexcept;

}  // namespace oriel::win
