// Packets of operations on their way to owners of this node, in shared memory: two notes for each
// owner and origin, so that an origin fills a packet while the owner performs the one before it. A
// note says where in the node's memory the packet is. An owner performs those of one origin in
// order; one that it has not taken can be withdrawn, and is never performed then. Sizes: a line of
// 64 bytes for each pair.
//
// Threads: an owner's serve its notes one at a time, and so do an origin's those to one owner.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "oriel/errc.hpp"
#include "sync/look_count.hpp"
#include "sync/owner_watch.hpp"
#include "sync/wait.hpp"

namespace oriel::sync {

// What the origin writes: where the operations are, and their results go behind them, as an offset
// in the node's memory; and what else the owner is to know.
struct packet_note {
  std::uint64_t place = 0;
  std::uint64_t head = 0;
  std::uint32_t bytes = 0;
};

class packet_board {
 public:
  static constexpr std::size_t at_once = 2;  // notes of a pair

  // Of shared memory, zeroed at first.
  static std::size_t bytes(int ranks) noexcept;

  // Throws std::bad_alloc.
  packet_board(std::byte* block, mailbox_peers peers, int me, int ranks)
      : block_(block),
        peers_(std::move(peers)),
        me_(me),
        ranks_(ranks),
        next_(static_cast<std::size_t>(ranks)) {}
  packet_board(const packet_board&) = delete;
  packet_board& operator=(const packet_board&) = delete;

  // Performs all that had arrived here: `perform(note)` returns an errc. What an origin sends
  // meanwhile may wait for the next call, so that it does not have the owner to itself. Returns
  // whether there was anything.
  template <class Perform>
  bool serve_pending(Perform perform) noexcept {
    bool any = false;
    for (int r = 0; are_few() && r < ranks_; ++r) any = serve(r, perform) || any;
    for (int word = 0; !are_few() && word < words(ranks_); ++word)
      for (std::uint32_t bits = pending(me_, word).exchange(0, std::memory_order_acquire);
           bits != 0; bits &= bits - 1)
        any = serve(word * 32 + __builtin_ctz(bits), perform) || any;
    return any;
  }

  // This rank's notes to one owner.
  class outbox {
   public:
    outbox(packet_board& board, int owner) noexcept : board_(&board), owner_(owner) {}

    [[nodiscard]] std::size_t under_way() const noexcept { return n_; }
    [[nodiscard]] bool full() const noexcept { return n_ == at_once; }
    // Which note post() takes, and the one that is answered next.
    [[nodiscard]] std::size_t next() const noexcept { return (oldest_ + n_) % at_once; }
    [[nodiscard]] std::size_t oldest() const noexcept { return oldest_; }

    // Requires: not full(). Rings the bell of an owner that is not known to have died, whose agent
    // may sleep on where a thread of the program's served last.
    void post(const packet_note&) noexcept;
    [[nodiscard]] bool is_oldest_performed() const noexcept {
      return n_ != 0 && is_performed(oldest_);
    }
    // Wakes it, where something is under way.
    void wake_owner() noexcept;
    // Blocks until the oldest has been performed: calls ended(which, outcome), as it does for each
    // note that can be used again. Returns peer_failed where the owner died before, at once where
    // this process has noticed that. Returns timed_out where the owner lives and has not performed
    // it: then all that it has not taken are withdrawn, the last first. Requires: under_way() != 0.
    template <class Ended>
    errc settle(bool patient, Ended ended) noexcept {
      const errc e = wait_for_oldest(patient);
      if (e == errc::timed_out) {
        while (n_ != 0 && withdraw_last()) ended(next(), errc::timed_out);
        if (n_ == 0 || !is_performed(oldest_)) return e;  // taken: it may be performed yet
      }
      ended(oldest_, e == errc::peer_failed ? e : take_outcome());
      oldest_ = (oldest_ + 1) % at_once;
      --n_;
      return e == errc::timed_out ? errc::success : e;
    }

   private:
    [[nodiscard]] wait_word& state_of(std::size_t which) const noexcept;
    [[nodiscard]] bool is_performed(std::size_t which) const noexcept;
    errc wait_for_oldest(bool patient) noexcept;
    errc take_outcome() noexcept;
    bool withdraw_last() noexcept;

    packet_board* board_;
    int owner_;
    std::size_t oldest_ = 0;
    std::size_t n_ = 0;
    look_count looks_;
  };

 private:
  struct note {
    wait_word state;
    std::uint32_t bytes;
    std::uint64_t place, head;
  };
  struct alignas(64) line {
    std::array<note, at_once> notes;
  };
  static_assert(sizeof(line) == 64);
  // Of a note's state. Performed: its outcome is added.
  static constexpr std::uint32_t free = 0, posted = 1, taken = 2, performed = 3;

  static int words(int ranks) noexcept { return (ranks + 31) / 32; }
  // An owner then looks at all its lines, and there are no bits.
  [[nodiscard]] bool are_few() const noexcept { return ranks_ <= 4; }
  [[nodiscard]] line& line_of(int owner, int origin) const noexcept {
    return reinterpret_cast<line*>(block_)[owner * ranks_ + origin];
  }
  [[nodiscard]] std::atomic<std::uint32_t>& pending(int owner, int word) const noexcept;

  template <class Perform>
  bool serve(int origin, Perform& perform) noexcept {
    std::size_t& next = next_[static_cast<std::size_t>(origin)];
    bool any = false;
    for (std::size_t i = 0; i < at_once; ++i) {
      note& n = line_of(me_, origin).notes[next];
      std::uint32_t found = posted;
      if (n.state.value.load(std::memory_order_relaxed) != posted ||
          !n.state.value.compare_exchange_strong(found, taken, std::memory_order_acquire))
        return any;
      const errc e = perform(packet_note{n.place, n.head, n.bytes});
      n.state.value.store(performed + static_cast<std::uint32_t>(e), std::memory_order_seq_cst);
      wake_all(n.state);
      next = (next + 1) % at_once;
      any = true;
    }
    return any;
  }

  std::byte* block_;
  mailbox_peers peers_;
  int me_;
  int ranks_;
  std::vector<std::size_t> next_;  // the note of each origin that is performed next
};

}  // namespace oriel::sync
