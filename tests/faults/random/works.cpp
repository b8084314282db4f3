#include "tests/faults/random/works.hpp"

#include <algorithm>
#include <array>

namespace oriel::testing {

element workplace::pattern(int origin, int target, std::uint64_t turn, std::size_t i) const {
  return dice{self.plan().seed, static_cast<std::uint64_t>(100 * self.round() + number_),
              static_cast<std::uint64_t>(8 * origin + target), turn, i}
      .next();
}

std::span<element> workplace::source(int target, std::uint64_t turn, std::size_t n) {
  const auto buffer = result(n);
  for (std::size_t i = 0; i < n; ++i) buffer[i] = pattern(self.my_place(), target, turn, i);
  return buffer;
}

void workplace::meet() {
  self.step("barrier");
  self.met(self.members().barrier(), "barrier", participant::any);
}

void workplace::fence(held_window& h) {
  self.step("fence", participant::any, h.number);
  met_by_all(h, h.w.fence());
}

void workplace::flush(held_window& h, int target) {
  self.step("flush", target, h.number);
  met(h, h.w.flush(target == participant::any ? any_rank : rank{target}), target);
}

void workplace::met(held_window& h, status outcome, int target) {
  if (!outcome.ok()) self.met(outcome, h.w.failure(), target);
}

void workplace::expect_pattern(held_window& h, int origin, std::uint64_t turn, std::size_t n) {
  const element* const region = &h.memory[layout::region * static_cast<std::size_t>(origin)];
  for (std::size_t i = 0; i < n; ++i)
    if (region[i] != pattern(origin, self.my_place(), turn, i))
      self.expect(false, "window " + std::to_string(h.number) + ": element " + std::to_string(i) +
                             " of " + std::to_string(n) + " that rank " + std::to_string(origin) +
                             " put as turn " + std::to_string(turn) + " is " +
                             std::to_string(region[i]));
}

void workplace::clear_sums(held_window& h) {
  meet();
  const auto sums = h.memory.subspan(layout::counters);
  std::fill(sums.begin(), sums.end(), 0);
  static_cast<void>(h.w.sync());
  meet();
}

void workplace::expect_sum(held_window& h, std::size_t at, element expected, const char* what) {
  static_cast<void>(h.w.sync());
  if (h.memory[at] != expected)
    self.expect(false, "window " + std::to_string(h.number) + ": " + what + " is " +
                           std::to_string(h.memory[at]) + ", not " + std::to_string(expected));
}

std::span<const work> every_work() noexcept {
  static constexpr std::array all{
      works::put_in_fences,       works::accumulate_in_fences,
      works::put_around_a_ring,   works::put_to_all_who_posted,
      works::mix_atomics,         works::count_under_exclusive_locks,
      works::put_and_get_back,    works::accumulate_under_shared_locks,
      works::notify_all,          works::use_requests,
      works::use_datatypes,       works::build_and_free,
      works::use_collectives,     works::use_static_windows,
      works::use_several_windows, works::stream_small_operations,
  };
  return all;
}

}  // namespace oriel::testing
