// That this thread is amid something, which what it calls asks for: one mark for each `Meaning`.
// Marks of one meaning are not nested.
#pragma once

namespace oriel::win {

template <class Meaning>
class marked_thread {
 public:
  marked_thread() noexcept { here_ = true; }
  ~marked_thread() { here_ = false; }
  marked_thread(const marked_thread&) = delete;
  marked_thread& operator=(const marked_thread&) = delete;

  [[nodiscard]] static bool is_here() noexcept { return here_; }

 private:
  static inline thread_local bool here_ = false;
};

}  // namespace oriel::win
