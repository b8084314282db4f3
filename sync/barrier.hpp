// A barrier among processes that share memory.
//
// Up to 8 ranks, each bumps a line of its own and reads the others': a rank that comes last pays
// one transfer of a cache line and no more. Beyond, reading every line costs more than one counter
// and one release word do. Both are full fences. Zeroed memory is the first state. One thread at a
// time.
//
// A signature identifies the call for which a rank has come. It lies beside the words that the
// others read anyway, so that ranks which have made different calls find that at no cost. So does a
// letter from one rank to another.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "oriel/errc.hpp"
#include "sync/letter.hpp"
#include "sync/wait.hpp"

namespace oriel::sync {

class node_barrier {
 public:
  static constexpr int widest_flat = 8;

  // Of shared memory, 64-byte aligned.
  static constexpr std::size_t bytes(int ranks) noexcept {
    return sizeof(line) * static_cast<std::size_t>(ranks <= widest_flat ? ranks : 2);
  }

  node_barrier(std::byte* block, int me, int ranks, const peer_watch& peers) noexcept
      : lines_(reinterpret_cast<line*>(block)), peers_(&peers), me_(me), ranks_(ranks) {}

  // Blocks until every rank has arrived. Returns peer_failed when a rank that has not arrived has
  // died; the barrier cannot be used afterwards. Returns mismatched_collective, on all ranks, when
  // all have arrived and their signatures differ.
  errc arrive_and_wait(std::uint64_t signature = 0) noexcept {
    if (ranks_ > widest_flat) return central(signature);
    line& mine = lines_[me_];
    const std::uint32_t turn = next_turn();
    mine.signature[turn % 2].store(signature, std::memory_order_relaxed);
    if (!std::exchange(enclosed_, false) && mine.letters[turn % 2].bytes != 0)
      mine.letters[turn % 2].bytes = 0;
    mine.word.value.exchange(turn, std::memory_order_seq_cst);
    wake_all(mine.word);
    std::uint64_t difference = 0;
    for (int r = 0; r < ranks_; ++r) {
      if (r == me_) continue;
      // A rank may be one turn ahead already, never two.
      const errc waited = wait_for(lines_[r].word, *peers_, [turn](std::uint32_t theirs) {
        return static_cast<std::int32_t>(theirs - turn) >= 0;
      });
      if (waited != errc::success) return waited;
      difference |= lines_[r].signature[turn % 2].load(std::memory_order_relaxed) ^ signature;
    }
    return difference == 0 ? errc::success : errc::mismatched_collective;
  }

  // Letters go by barriers of up to `widest_flat` ranks.
  [[nodiscard]] bool carries_letters() const noexcept { return ranks_ <= widest_flat; }
  // Encloses one in this rank's next arrival. Requires: carries_letters.
  void enclose(const letter& l) noexcept {
    letter& mine = next_letter();
    mine = l;
    mine.turn = turn_ + 1;
    enclosed_ = true;
  }
  // Calls f(letter) for each that went by this rank's last arrival and has not been seen by a call
  // before. Those of ranks that have not arrived yet are left for the next call.
  template <class F>
  void for_each_letter(F f) noexcept {
    for (int r = 0; carries_letters() && r < ranks_; ++r) {
      const letter& l = lines_[r].letters[turn_ % 2];
      const std::uint32_t theirs = lines_[r].word.value.load(std::memory_order_acquire);
      if (static_cast<std::int32_t>(theirs - turn_) < 0 || l.turn != turn_ || l.bytes == 0)
        continue;
      if (std::exchange(seen_[static_cast<std::size_t>(r)], arrivals_) != arrivals_) f(l);
    }
  }
  // Of this rank's last arrival; the first is 1.
  [[nodiscard]] std::uint32_t turn() const noexcept { return turn_; }

  // After timed_out: returns the first rank that has not arrived; -1 where ranks are not counted
  // one by one.
  [[nodiscard]] int absent() const noexcept {
    for (int r = 0; ranks_ <= widest_flat && r < ranks_; ++r)
      if (static_cast<std::int32_t>(lines_[r].word.value.load() - turn_) < 0) return r;
    return -1;
  }

 private:
  // Two lines apart, so that the neighbour's line is not fetched along.
  struct alignas(128) line {
    wait_word word;
    std::atomic<std::uint64_t> signature[2];  // of turns in turn
    letter letters[2];                        // likewise
  };
  static_assert(sizeof(line) == 128);
  errc central(std::uint64_t signature) noexcept;
  std::uint32_t next_turn() noexcept { return turn_ = static_cast<std::uint32_t>(++arrivals_); }
  [[nodiscard]] letter& next_letter() const noexcept {
    return lines_[me_].letters[(turn_ + 1) % 2];
  }

  line* lines_;
  const peer_watch* peers_;
  int me_;
  int ranks_;
  std::uint32_t turn_ = 0;
  std::uint64_t arrivals_ = 0;
  bool enclosed_ = false;  // a letter in the next arrival
  // By rank, at which of this rank's arrivals a letter was seen last.
  std::array<std::uint64_t, widest_flat> seen_{};
};

}  // namespace oriel::sync
