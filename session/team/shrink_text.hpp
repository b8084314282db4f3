// What those that speak for nodes tell each other as they agree on the survivors of a team, as
// bytes: what it is, a verdict, how many ranks the team has, and some of its ranks, which are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "session/team/shrink_board.hpp"

namespace oriel::sessions {

struct shrink_text {
  enum class kind : std::uint8_t {
    report,    // verdict: whether the sender's node is ready; ranks: those there that are absent
    answer,    // the agreement's; ranks: those that have died
    question,  // whether there is an answer
    last = question,
  };
  kind what = kind::report;
  verdict found = verdict::agreed;
  std::vector<std::int32_t> ranks{};

  [[nodiscard]] std::vector<std::byte> written(int of_team) const;
  // Nothing where it is none of a team of so many.
  static std::optional<shrink_text> read(std::span<const std::byte>, int of_team);

  static shrink_text of(const shrink_answer&);
  [[nodiscard]] shrink_answer answer(int of_team) const;
};

}  // namespace oriel::sessions
