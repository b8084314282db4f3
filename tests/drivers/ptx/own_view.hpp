// One thread's view of memory, as loosely as the PTX memory model allows: its stores may reach
// memory later and in another order than it made them, and its loads may have been performed
// before others that it made earlier, or after stores that it makes later. What is allowed: stores
// to one place stay in order; a thread sees its own; a place never goes back for a thread that has
// seen it newer. A fence ends all of that, a release the late ones, an acquire the early ones.
// By the policy `late` what has reached memory reaches other threads later still (late_view.hpp),
// which is why these read nothing ahead.
//
// So a fence that a program lacks becomes a failure, on a machine whose own order is strong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/drivers/ptx/late_view.hpp"

namespace oriel::test_driver::ptx {

class schedule;

class own_view {
 public:
  // Before all else, by the policy `late`: changes reach the threads that share the history late.
  void share(history& all) { late_ = std::make_unique<late_view>(all); }
  // Words of 1, 2, 4 or 8 bytes. Those of memory that nobody else sees do not come here.
  std::uint64_t load(std::byte* at, std::size_t bytes, schedule&);
  void store(std::byte* at, std::size_t bytes, std::uint64_t value, schedule&);
  void store_release(std::byte* at, std::size_t bytes, std::uint64_t value);
  // Around an update at `at`, which is made in memory: what this thread has stored there arrives.
  void before_update(const std::byte* at, std::size_t bytes, bool releases);
  void updated(const std::byte* at, bool changed, bool releases);
  // All stores arrive.
  void release();
  // The load or update before acquires: what was read ahead is forgotten.
  void acquire();
  void fence(bool orders_all_fences);
  // Threads that meet see what each of them has: each leaves it at `all`, then takes it.
  void leave_at(sight& all);
  void take_from(const sight& all);
  // Loads of what lies around `at` may be performed now, though the thread makes them later.
  void look_ahead(std::byte* at) { read_ahead(at); }
  // The thread has loaded from memory what it stores at `to` next, where nobody else looks: the
  // load may be performed later, until the thread reads `to`.
  void copy_late(std::byte* from, std::byte* to, std::size_t bytes, schedule&);
  // Before the thread reads or writes what only it sees.
  void settle_copies(const std::byte* at, std::size_t bytes);
  void settle_copies();
  // Some stores may arrive, and loads be performed.
  void drift(schedule&);

 private:
  struct pending {
    std::byte* at = nullptr;
    std::size_t bytes = 0;
    std::uint64_t value = 0;
    brought brings;  // late
  };
  struct line {
    std::byte* at = nullptr;
    std::uint64_t valid = 0;  // a bit a byte
    std::array<std::byte, 64> bytes{};
  };
  struct copy {
    std::byte* from = nullptr;
    std::byte* to = nullptr;
    std::size_t bytes = 0;
  };
  void perform_copy(std::size_t which);
  void arrive(std::size_t which);
  void arrive(const pending&);
  void settle(const std::byte* at, std::size_t bytes);
  void forget(const std::byte* at, std::size_t bytes);
  void read_ahead(std::byte* at);

  std::vector<pending> stores_;
  std::vector<line> ahead_;
  std::vector<copy> copies_;            // not performed yet
  std::array<std::byte*, 4> recent_{};  // lines that it has loaded from, and may again
  std::uint8_t next_recent_ = 0;
  std::unique_ptr<late_view> late_;  // null by other policies
};

// Accesses to memory itself, in one piece.
std::uint64_t load_word(const std::byte* at, std::size_t bytes);
void store_word(std::byte* at, std::size_t bytes, std::uint64_t value);

}  // namespace oriel::test_driver::ptx
