// A window's blocks of its node's memory, as one rank of the node holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "session/team/team_state.hpp"

namespace oriel::win {

class reservation {
 public:
  reservation() = default;
  // `block`: of control, which starts with the ranks that have departed. `segments`: of the ranks'
  // memory; 0 when there is none.
  reservation(detail::team_state& group, std::uint64_t block, std::uint64_t segments) noexcept
      : group_(&group), block_(block), segments_(segments) {}
  reservation(reservation&& other) noexcept
      : group_(std::exchange(other.group_, nullptr)),
        block_(std::exchange(other.block_, 0)),
        segments_(std::exchange(other.segments_, 0)) {}
  reservation& operator=(reservation&& other) noexcept {
    if (this != &other) {
      give_back();
      group_ = std::exchange(other.group_, nullptr);
      block_ = std::exchange(other.block_, 0);
      segments_ = std::exchange(other.segments_, 0);
    }
    return *this;
  }
  ~reservation() { give_back(); }

  [[nodiscard]] bool held() const noexcept { return block_ != 0; }
  [[nodiscard]] std::uint64_t block() const noexcept { return block_; }
  [[nodiscard]] std::uint64_t segments() const noexcept { return segments_; }

  // This rank has done with them. The last of the node's living ranks frees them.
  void give_back() noexcept;
  // Others may still access this rank's part: they stay until the session ends.
  void leave_behind() noexcept { block_ = segments_ = 0; }

 private:
  detail::team_state* group_ = nullptr;
  std::uint64_t block_ = 0;
  std::uint64_t segments_ = 0;
};

}  // namespace oriel::win
