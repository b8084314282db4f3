// What waits of one window: small puts to private memory of this node that follow one another
// without a flush. The first goes at once; those after it wait until they are many, or until
// anything needs them to be complete or goes to the same memory. Then they go together: a few by
// one system call, a list of them by one request to the owner, which takes a tenth of the time of
// as many system calls. In an epoch of active target one operation by itself is kept as a letter,
// an accumulate too.
//
// Threads: any; those of one process take turns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

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
  // All are complete at their targets on return.
  errc complete(window_core&) noexcept;
  // The same when this rank has synchronized with its targets, which it is about to do.
  errc enclose(window_core&, kept_letter::by) noexcept;

 private:
  std::unique_lock<sync::mutex> turn(const window_core&) noexcept;
  void begin(window_core&) noexcept;
  errc put_first(window_core&, rank owner, std::uint64_t address, const void* from,
                 std::size_t bytes) noexcept;
  void list(std::uint64_t address, const void* from, std::size_t bytes) noexcept;
  errc letter_first(window_core&) noexcept;
  errc send(window_core&) noexcept;
  errc send_few(window_core&) noexcept;
  errc send_list(window_core&) noexcept;
  errc end(window_core&, errc of_letter) noexcept;

  sync::mutex changing_;
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
