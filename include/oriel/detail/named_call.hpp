// How a call that is made of collectives is shown to those who look at a job that hangs
// (oriel-info --stuck): by what the program has called, and not by what it is made of.
#pragma once

#include <string_view>

namespace oriel::detail {

// Names what this thread waits for, as long as it lives. `whose`: "hash_map 'counts': ", `call`:
// "size()"; both outlive it. Of several the first counts: the program has called that. Ends on the
// thread that it began on.
class named_call {
 public:
  named_call(std::string_view whose, std::string_view call) noexcept;
  ~named_call();
  named_call(const named_call&) = delete;
  named_call& operator=(const named_call&) = delete;

  [[nodiscard]] std::string_view whose() const noexcept { return whose_; }
  [[nodiscard]] std::string_view call() const noexcept { return call_; }
  // This thread's; null where it is in none.
  [[nodiscard]] static const named_call* of_this_thread() noexcept;

 private:
  std::string_view whose_, call_;
};

}  // namespace oriel::detail
