// One thread's view where changes reach threads late: which of a word's last values it may read,
// and what its own changes bring along to others. As the memory model has it, without the axioms:
//
//   a change brings along what its thread had seen at its last fence; one that releases, all that
//   it has seen; an update, what the change before it brought, too
//   a thread that acquires a change sees what it brings along; one that only reads it, after its
//   next fence
//   of two fences that order all others, the later one's thread sees what the earlier one's had
//
// Updates read the newest value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/drivers/ptx/history.hpp"

namespace oriel::test_driver::ptx {

class late_view {
 public:
  explicit late_view(history& all) : all_(&all) {}

  std::uint64_t load(const std::byte* at, std::size_t bytes, schedule&);
  std::uint64_t load_newest(const std::byte* at, std::size_t bytes);
  void store(std::byte* at, std::size_t bytes, std::uint64_t value, brought);
  // Around an update in memory, which may leave the word as it is.
  void before_update(const std::byte* at);
  void updated(const std::byte* at, bool changed, bool releases);
  // What was read last brings along.
  void acquire();
  void fence(bool orders_all_fences);
  // What a store brings along that does not release, and one that does.
  [[nodiscard]] const brought& at_fence() const { return at_fence_; }
  [[nodiscard]] brought now() const { return std::make_shared<const sight>(seen_); }
  // Threads that have met see what any of them has seen.
  void show_to(sight& all) const { all.join(seen_); }
  void see(const sight& all) { seen_.join(all); }

 private:
  void have_read(word_number, const change&);

  history* all_;
  sight seen_, read_;  // read_: to be seen from the next fence on
  brought at_fence_, last_read_;
};

}  // namespace oriel::test_driver::ptx
