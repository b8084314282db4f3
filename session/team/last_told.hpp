// ORIEL_CHECK: what each rank of this node has told others last by the program's messages, in the
// node's memory. A message may take long, and its sender may have gone on: who receives it learns
// what the sender had told by its last one, which is not less than what this one has carried.
// Lives as `session_state::extension<last_told>()`. Any thread.
#pragma once

#include <span>

#include "session/team/vector_clock.hpp"

namespace oriel::sessions {

class last_told {
 public:
  // Throws no_mem.
  explicit last_told(detail::session_state&);

  // The process of the clock is about to tell others.
  void tell(vector_clock&) noexcept;
  // It has heard of rank `r` of the job. All that is complete anywhere by now counts as told by
  // ranks of other nodes, and by those that have never called tell().
  void learn_from(vector_clock&, int r) noexcept;

 private:
  // Of a rank of this node. Empty where times are not carried.
  [[nodiscard]] std::span<vector_clock::shared_time> place_of(int r) const noexcept;

  const job& job_;
  const std::size_t width_;
  vector_clock::shared_time* places_ = nullptr;
};

}  // namespace oriel::sessions
