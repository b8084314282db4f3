// ORIEL_CHECK=1 and ORIEL_TRACE: a segment table in which every rank, even one that does not exist,
// is unmapped, so that inlined operations call the operation table, which checks and notes them.
#pragma once

#include "oriel/detail/window_view.hpp"
#include "session/session_state.hpp"

namespace oriel::win {

// Zeroes for every value that a rank can hold, all in one page of the system's. Lives as
// `session_state::extension<hidden_table>()`.
class hidden_table {
 public:
  // Throws no_mem when the address space is too small for it.
  explicit hidden_table(detail::session_state&);
  ~hidden_table();
  hidden_table(const hidden_table&) = delete;
  hidden_table& operator=(const hidden_table&) = delete;

  [[nodiscard]] const detail::segment_entry* entries() const noexcept { return middle_; }

 private:
  const detail::segment_entry* middle_ = nullptr;  // of rank 0
};

}  // namespace oriel::win
