// ORIEL_ADVERSARY: that this thread performs a list, element by element: operations whose sources
// are reusable on return and whose results are usable after a flush, in the order of the list.
#pragma once

namespace oriel::win {

class results_come_later {
 public:
  results_come_later() noexcept { here_ = true; }
  ~results_come_later() { here_ = false; }
  results_come_later(const results_come_later&) = delete;
  results_come_later& operator=(const results_come_later&) = delete;

  [[nodiscard]] static bool is_here() noexcept { return here_; }

 private:
  static inline thread_local bool here_ = false;
};

}  // namespace oriel::win
