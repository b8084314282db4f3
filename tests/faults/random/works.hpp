// Every kind of operation, each kind with an oracle: what is put carries its origin, target and
// turn; what is accumulated, swapped or added under a lock is conserved.
//
// Collective over the round's team. Each is a series of steps, drawn from the seed, so that every
// rank can compute what every other has done; it begins and ends with a meeting of all. Throws
// team_has_lost_a_rank.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "tests/faults/random/held_windows.hpp"
#include "tests/faults/random/participant.hpp"

namespace oriel::testing {

// What one work has at hand.
class workplace {
 public:
  workplace(session& s, participant& self, held_windows& windows, int number)
      : job(s), self(self), windows(windows), number_(number) {}

  session& job;
  participant& self;
  held_windows& windows;

  // The same numbers on all ranks, and of each of them.
  [[nodiscard]] dice common(std::uint64_t purpose = 0) const noexcept {
    return self.common(1000 * static_cast<std::uint64_t>(number_ + 1) + purpose);
  }
  [[nodiscard]] dice of(int place) const noexcept {
    return self.of(place, 1000 * static_cast<std::uint64_t>(number_ + 1) + 500);
  }
  [[nodiscard]] dice mine() const noexcept { return of(self.my_place()); }
  // Element `i` of what `origin` puts to `target` as its `turn`-th.
  [[nodiscard]] element pattern(int origin, int target, std::uint64_t turn, std::size_t i) const;
  // A buffer that lasts as long as this object, of that pattern.
  std::span<element> source(int target, std::uint64_t turn, std::size_t n);
  std::span<element> result(std::size_t n) { return buffers_.emplace_back(n, 0); }

  void meet();
  void fence(held_window&);
  void flush(held_window&, int target);  // or any
  // An operation on `target` alone.
  void met(held_window& h, status outcome, int target);
  // One that needs the others too.
  void met_by_all(held_window& h, status outcome) { met(h, outcome, participant::any); }
  // What `origin` has put at the beginning of its region here is that.
  void expect_pattern(held_window&, int origin, std::uint64_t turn, std::size_t n);
  // Sets this rank's counters and sums to 0; nobody adds to them before, or after, all have.
  void clear_sums(held_window&);
  void expect_sum(held_window&, std::size_t at, element expected, const char* what);
  // What is left behind when the work has failed: nothing may be written into it any more.
  [[nodiscard]] std::deque<std::vector<element>> take_buffers() { return std::move(buffers_); }

 private:
  int number_;
  std::deque<std::vector<element>> buffers_;
};

using work = void (*)(workplace&);
std::span<const work> every_work() noexcept;

// By their files.
namespace works {
void put_in_fences(workplace&);
void accumulate_in_fences(workplace&);
void put_around_a_ring(workplace&);
void put_to_all_who_posted(workplace&);
void count_under_exclusive_locks(workplace&);
void accumulate_under_shared_locks(workplace&);
void mix_atomics(workplace&);
void put_and_get_back(workplace&);
void notify_all(workplace&);
void use_requests(workplace&);
void use_datatypes(workplace&);
void build_and_free(workplace&);
void use_collectives(workplace&);
void use_static_windows(workplace&);
void use_several_windows(workplace&);
void stream_small_operations(workplace&);
}  // namespace works

}  // namespace oriel::testing
