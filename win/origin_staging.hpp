// The origin's part of moving buffers in device memory to and from other nodes: through two pieces
// of pinned memory of the host, so that one is copied while the other is on its way.
//
// Threads: any; transfers go one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "kinds/device_runtime.hpp"
#include "oriel/rank.hpp"
#include "win/far_window.hpp"

namespace oriel::win {

class origin_staging {
 public:
  // Throws no_mem.
  explicit origin_staging(kinds::device_runtime&);
  ~origin_staging();
  origin_staging(const origin_staging&) = delete;
  origin_staging& operator=(const origin_staging&) = delete;

  // `at`: bytes from the first element of rank `r`, of another node. Complete on return.
  errc put(far_window&, rank r, std::uint64_t at, const std::byte* from,
           std::size_t bytes) noexcept;
  errc get(far_window&, rank r, std::uint64_t at, std::byte* to, std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t piece_bytes = 512 * 1024;
  struct piece {
    std::byte* memory = nullptr;
    std::byte* sink = nullptr;  // where a get is to end; null: nothing is under way
    std::size_t bytes = 0;
    pending_ops under_way;
  };
  errc finish_get(far_window&, rank r, piece&) noexcept;

  kinds::device_runtime& runtime_;
  std::mutex one_at_a_time_;
  std::byte* memory_;
  std::array<piece, 2> pieces_;
};

}  // namespace oriel::win
