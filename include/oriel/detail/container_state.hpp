// What a container holds. It may be moved, and what it was moved from holds nothing.
#pragma once

#include <memory>
#include <utility>

#include "oriel/errc.hpp"

namespace oriel::detail {

template <class State>
class container_state {
 public:
  explicit container_state(std::unique_ptr<State> held) noexcept : held_(std::move(held)) {}

  // Return the state. Throw win where there is none.
  [[nodiscard]] State& operator*() const {
    if (held_ == nullptr) [[unlikely]]
      throw error(errc::win, "this container has been moved from and holds nothing [win]");
    return *held_;
  }
  [[nodiscard]] State* operator->() const { return &**this; }

 private:
  std::unique_ptr<State> held_;
};

}  // namespace oriel::detail
