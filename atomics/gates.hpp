// Long accumulates by plain vector loops, beside single atomics that stay one instruction: a gate a
// rank of the node (oriel/detail/gate.hpp says how a gate is passed).
//
// While a gate is shut, whoever accesses the rank's memory atomically does so in turn, under the
// gate's lock. It stays shut, since shutting it costs as much as some thousand atomics, until many
// single atomics have had to take turns; and it is shut only once as many elements were due.
//
// A turn lasts for one step, which waits for nothing. A rank that dies in its turn is succeeded:
// each element holds its old value or its new one, as after an atomic that did not happen.
//
// Any thread of any process that maps the block, which is zeroed at first. noexcept; a turn that
// does not come returns timed_out (ORIEL_TIMEOUT), a barrier that the kernel refuses system.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "oriel/detail/gate.hpp"
#include "oriel/errc.hpp"
#include "sync/wait.hpp"

namespace oriel::atomics {

class gates {
 public:
  // Of shared memory, 64-byte aligned.
  static constexpr std::size_t bytes(int ranks) noexcept {
    return static_cast<std::size_t>(ranks) * of_one_rank;
  }
  // Requires: this process takes part in process barriers. `watch`, for its patience, and what
  // `alive` reads outlive this object. Ranks are those of the node.
  gates(std::byte* block, int me, int ranks, const sync::peer_watch& watch,
        std::function<bool(int)> alive);

  [[nodiscard]] const detail::window_gates& view() const noexcept { return view_; }

  // Performs `step`, of atomic instructions on the memory of rank `r`.
  template <class Step>
  errc pass(std::uint32_t r, Step step) noexcept {
    errc outcome = errc::success;
    const auto noting = [&] { outcome = step(); };
    if (detail::pass(view_, r, noting)) [[likely]]
      return outcome;
    if (const errc e = take(r); e != errc::success) return e;
    outcome = step();
    count_single(r);
    give(r);
    return outcome;
  }
  // Whether `elements` at once are better done alone. Counts them.
  [[nodiscard]] bool are_long(std::uint32_t r, std::size_t elements) noexcept;
  // From a `begin` that succeeds until it ends, this thread may access the memory of rank `r` by
  // plain loads and stores: no other thread of any process is within a step on it.
  class having {
   public:
    having(gates& of, std::uint32_t r) noexcept : gates_(of), r_(r) {}
    ~having() { end(); }
    having(const having&) = delete;
    having& operator=(const having&) = delete;
    errc begin() noexcept {
      if (const errc e = gates_.take(r_); e != errc::success) return e;
      held_ = true;
      return gates_.shut(r_);
    }
    // Lets others have it first who wait.
    errc rest() noexcept {
      end();
      return begin();
    }

   private:
    void end() noexcept {
      if (std::exchange(held_, false)) gates_.give(r_);
    }
    gates& gates_;
    std::uint32_t r_;
    bool held_ = false;
  };
  // Performs `step` so.
  template <class Step>
  errc alone(std::uint32_t r, Step step) noexcept {
    having it(*this, r);
    const errc e = it.begin();
    return e == errc::success ? step() : e;
  }

  // How many threads of a process pass by a store of their own; further ones take turns.
  static constexpr std::uint32_t places = 8;

 private:
  struct alignas(64) turn {
    sync::wait_word owner;               // value: the owner's rank + 1; 0 when free
    std::atomic<std::uint32_t> singles;  // since the gate was shut
    std::atomic<std::uint32_t> due;      // elements of accumulates since it was opened
  };
  static constexpr std::size_t of_one_rank =
      sizeof(detail::gate) + sizeof(turn) + places * sizeof(detail::gate_place);

  errc take(std::uint32_t r) noexcept {
    std::uint32_t free = 0;
    if (turns_[r].owner.value.compare_exchange_strong(free, me_, std::memory_order_seq_cst))
        [[likely]]
      return errc::success;
    return take_slowly(r);
  }
  errc take_slowly(std::uint32_t r) noexcept;
  void give(std::uint32_t r) noexcept {
    turns_[r].owner.value.exchange(0, std::memory_order_seq_cst);
    sync::wake_all(turns_[r].owner);
  }
  // In one's turn:
  errc shut(std::uint32_t r) noexcept;
  void count_single(std::uint32_t r) noexcept;
  errc wait_for_passers() noexcept;

  detail::gate* gates_;
  turn* turns_;
  detail::gate_place* all_places_;
  detail::window_gates view_;
  std::uint32_t me_;  // + 1
  std::uint32_t ranks_;
  const sync::peer_watch* watch_;
  std::function<bool(int)> alive_;
};

}  // namespace oriel::atomics
