// Where one rank of another node has attached memory, as far as it has told this one, which then
// reads and writes it remotely. A place is used until the owner, which is about to detach it, has
// it forgotten.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sync/system.hpp"
#include "transport/pending_ops.hpp"
#include "win/construct/control_block.hpp"

namespace oriel::win {

// One buffer, in bytes, from displacement 0 on; it is the owner's answer to who asks.
struct told_place {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;          // 0: several buffers hold what was asked for
  remote_ticket ticket;             // of the first byte
  std::uint64_t is_registered = 0;  // or 1; else only its owner reaches it

  [[nodiscard]] bool holds(std::uint64_t at, std::uint64_t n) const noexcept {
    return at >= first && at - first <= bytes && n <= bytes - (at - first);
  }
};

class told_places {
 public:
  enum class known : std::uint8_t { nothing, reached_by_owner, reached_remotely };

  // Whether [at, at + bytes) lies in one place, which `found` becomes. While a place is being
  // forgotten all are reached by the owner, so that what is under way comes to an end.
  known find(std::uint64_t at, std::uint64_t bytes, told_place& found) noexcept;
  // How often places have been forgotten: to be read before the owner is asked.
  std::uint64_t forgotten() noexcept;
  // Does nothing where places have been forgotten since, or memory is short.
  void remember(const told_place&, std::uint64_t forgotten_before) noexcept;
  // Until as many calls of end_forgetting.
  void forget(std::uint64_t first) noexcept;
  void end_forgetting() noexcept;

  // Remote reads and writes by places found here: entered before they are looked for.
  transport::pending_ops under_way;

 private:
  // Enough for any program that does not attach each row of a table; others ask more often.
  static constexpr std::size_t most = 1 << 16;

  sync::mutex mutex_;
  std::map<std::uint64_t, told_place> by_first_;
  std::uint64_t forgotten_ = 0;
  int being_forgotten_ = 0;
};

}  // namespace oriel::win
