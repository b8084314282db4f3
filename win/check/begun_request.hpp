// ORIEL_CHECK: that this thread begins an operation with a request, where the operation itself
// needs none since it is complete on return.
#pragma once

namespace oriel::win {

class begun_request {
 public:
  begun_request() noexcept { here_ = true; }
  ~begun_request() { here_ = false; }
  begun_request(const begun_request&) = delete;
  begun_request& operator=(const begun_request&) = delete;

  [[nodiscard]] static bool is_here() noexcept { return here_; }

 private:
  static inline thread_local bool here_ = false;
};

}  // namespace oriel::win
