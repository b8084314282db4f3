// What the system calls that copy between processes are given: whose memory, and which pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "transport/cma.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

inline pid_t process_of(const detail::window_core& core, rank r) noexcept {
  return core.group->session().job().pid_of(core.group->world_rank(r.value));
}

// As many pieces at a time as one system call takes.
class pieces {
 public:
  [[nodiscard]] bool full() const noexcept { return used_ == here_.size(); }
  [[nodiscard]] bool empty() const noexcept { return used_ == 0; }
  void add(const std::byte* here, std::uint64_t there, std::size_t bytes) noexcept {
    here_[used_] = {const_cast<std::byte*>(here), bytes};
    there_[used_] = {reinterpret_cast<void*>(there), bytes};  // NOLINT: another address space
    ++used_;
  }
  template <class Move>
  errc move(Move f) noexcept {
    const std::size_t n = std::exchange(used_, 0);
    return f(std::span(there_.data(), n), std::span(here_.data(), n));
  }

 private:
  std::size_t used_ = 0;
  std::array<iovec, transport::most_cma_pieces> here_;
  std::array<iovec, transport::most_cma_pieces> there_;
};

}  // namespace oriel::win
