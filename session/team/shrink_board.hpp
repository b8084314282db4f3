// What the ranks of a node share as they agree with those of other nodes on the survivors of a
// team: who of the node has come, which coordinators it has given up on, and the answer. It is the
// node's, so that it outlives the rank that speaks for the node.
//
// Coordinators are named by their places (placement::place_of).
//
// In node memory, zeroed at first. Processes: any of the node; each signs in for itself. A turn is
// one agreement of the team, counted from 1; a rank signs in for one once it has read the answer of
// the one before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "oriel/errc.hpp"
#include "sync/wait.hpp"

namespace oriel::sessions {

enum class verdict : std::uint8_t {
  agreed,
  unready,  // some rank could not make its part of the new team
  cut_off,  // most are out of reach, and may go on without this part
  last = cut_off,
};

struct shrink_answer {
  verdict found = verdict::agreed;
  std::vector<bool> living;  // by rank of the team
};

class shrink_board {
 public:
  // For so many ranks on the node, of so many in the team. Alignment: 64.
  static std::size_t bytes(int on_node, int ranks) noexcept;
  shrink_board() = default;
  shrink_board(std::byte* at, int on_node, int ranks) noexcept
      : at_(at), on_node_(on_node), ranks_(ranks) {}

  // Changes whenever somebody signs in, and with the answer.
  [[nodiscard]] sync::wait_word& word() const noexcept;

  // --- Ranks, by their places on the node
  void sign_in(int r, std::uint32_t turn, bool ready) const noexcept;
  [[nodiscard]] bool has_signed_in(int r, std::uint32_t turn) const noexcept;
  // Requires: it has signed in.
  [[nodiscard]] bool is_ready(int r) const noexcept;

  // --- Coordinators
  // All before this one have been given up: the node takes no answer of theirs any more.
  [[nodiscard]] int first_coordinator(std::uint32_t turn) const noexcept;
  // Gives them up. False, and nothing is changed, where the node has an answer.
  bool give_up_before(int coordinator, std::uint32_t turn) const noexcept;

  // --- The answer
  [[nodiscard]] bool has_answer(std::uint32_t turn) const noexcept;
  // Takes the coordinator's answer for the node. success where it has one then, be it another's;
  // peer_failed where the node has given the coordinator up. `me`: of this node; `runs(r)`: whether
  // that one of the node may still write here. timed_out where one that does has stopped.
  errc take(const shrink_answer&, int coordinator, std::uint32_t turn, int me,
            const sync::peer_watch&, const std::function<bool(int)>& runs) const;
  // Nothing where a later turn has begun: the others have not waited for this rank.
  [[nodiscard]] std::optional<shrink_answer> answer(std::uint32_t turn) const;

 private:
  struct head;
  [[nodiscard]] head& state() const noexcept;
  [[nodiscard]] std::atomic<std::uint32_t>& signature(int r) const noexcept;
  // 32 ranks each, by bits.
  [[nodiscard]] std::atomic<std::uint32_t>& living(int i) const noexcept;
  [[nodiscard]] int words() const noexcept { return (ranks_ + 31) / 32; }
  void changed() const noexcept;
  bool move_to(std::uint32_t turn, std::uint32_t stage) const noexcept;

  std::byte* at_ = nullptr;
  int on_node_ = 0;
  int ranks_ = 0;
};

}  // namespace oriel::sessions
