// The agreement on the survivors of a team that spans nodes, with a rotating coordinator: the
// lowest rank that is alive collects from all others whether they are ready, and sends them the
// answer. When it dies the next one coordinates, and collects again.
//
// There is one answer, though a coordinator may die while it sends it. A rank that has the answer
// passes it on before using it: to the ranks between the coordinator and itself, which may become
// coordinators and then repeat it, and, where it is the next coordinator, to those above, which may
// wait for its answer. A rank that has found a coordinator dead accepts no answer of that one any
// more. (Consensus with a rotating coordinator and a perfect failure detector: Chandra and Toueg,
// 1996.)
//
// A network partition could leave an answer in each part. The part that lost more ranks to silence
// than are left in it, or as many and the lowest of them, makes no team: it may be the one that was
// cut off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "oriel/errc.hpp"
#include "session/team/messenger.hpp"
#include "session/team/shrink_agreement.hpp"

namespace oriel::sessions {

enum class verdict : std::uint8_t {
  agreed,
  unready,  // some rank could not make its part of the new team
  cut_off,  // most are out of reach, and may go on without this part
};

class conversation {
 public:
  // `group`: a name for the messenger's messages, of this agreement alone. `cut_off()`: this part
  // of the job shall give no team.
  conversation(messenger& messages, std::uint64_t group, agreeing a, std::function<bool()> cut_off);

  // May be called again after timed_out: the reports received are kept, and the others may have
  // agreed meanwhile. peer_failed: the answer leaves this rank out. `living`, by rank of the team,
  // is written with verdict::agreed.
  errc run(bool ready, verdict& found, std::vector<bool>& living);

 private:
  enum class report : std::uint8_t { none, ready, unready };
  // Coordinators that may die during one agreement after some rank has received from the first.
  static constexpr int successors = 8;

  [[nodiscard]] int world(int r) const { return a_.world[static_cast<std::size_t>(r)]; }
  [[nodiscard]] message_tag report_to(int c) const {
    return {group_, 2 * a_.turn, static_cast<std::uint32_t>(c)};
  }
  [[nodiscard]] message_tag answer_of(int c) const {
    return {group_, 2 * a_.turn + 1, static_cast<std::uint32_t>(c)};
  }
  errc hear(int from, const message_tag& tag);
  // A report is one byte, whether its sender is ready; or the answer, which is longer: a verdict,
  // how many ranks the team has, and which of them have died. They are few, and it goes to all.
  struct answer_text {
    verdict found = verdict::agreed;
    std::vector<std::int32_t> dead;
  };
  [[nodiscard]] std::vector<std::byte> written(const answer_text&) const;
  // Empty where it is none.
  [[nodiscard]] std::optional<answer_text> read(const std::vector<std::byte>& m) const;
  void tell(int r, const message_tag& tag, const std::vector<std::byte>& m) {
    messages_.send(world(r), tag, m);
  }
  void pass_on(int coordinator);
  void tell_all_above();
  errc coordinate(bool ready);
  errc collect();
  void understand(int from);
  void decide(bool ready);
  errc use(verdict& found, std::vector<bool>& living) const;

  messenger& messages_;
  std::uint64_t group_;
  agreeing a_;
  std::function<bool()> cut_off_;
  std::vector<report> reports_;    // received as coordinator
  std::vector<std::byte> answer_;  // empty: none yet
  std::vector<std::byte> heard_;
};

}  // namespace oriel::sessions
