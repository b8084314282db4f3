// Room for kernels' blocks. A process has as many resident at once, on all of its devices together,
// as ORIEL_TEST_ROOM says, or any number without it: the blocks of real kernels, and each kernel
// that the host's compiler has compiled as one.
#pragma once

#include <utility>

namespace oriel::test_driver {

class room {
 public:
  // Of one block, for as long as it lives.
  class place {
   public:
    place() = default;
    place(place&& other) noexcept : taken_(std::exchange(other.taken_, false)) {}
    place& operator=(place&& other) noexcept {
      std::swap(taken_, other.taken_);
      return *this;
    }
    ~place();
    explicit operator bool() const { return taken_; }

   private:
    friend class room;
    explicit place(bool taken) : taken_(taken) {}
    bool taken_ = false;
  };

  // Blocks until there is a place.
  static place take();
  // An empty one where there is none.
  static place take_if_there();
};

}  // namespace oriel::test_driver
