// The origin's part of moving buffers in device memory to and from other nodes: through two pieces
// of pinned memory of the host, so that one is copied while the other is on its way.
//
// Threads: any; transfers go one at a time.
#pragma once

#include <array>
#include <cstddef>

#include "kinds/device_runtime.hpp"
#include "sync/system.hpp"
#include "win/route/route.hpp"

namespace oriel::win {

class origin_staging {
 public:
  // `device`: one that this process uses. Throws no_mem.
  origin_staging(kinds::device_runtime&, int device);
  ~origin_staging();
  origin_staging(const origin_staging&) = delete;
  origin_staging& operator=(const origin_staging&) = delete;

  // `at`: of another node. Complete on return; failures are latched.
  errc put(detail::window_core&, const target& at, const std::byte* from,
           std::size_t bytes) noexcept;
  errc get(detail::window_core&, const target& at, std::byte* to, std::size_t bytes) noexcept;

 private:
  static constexpr std::size_t piece_bytes = std::size_t{512} << 10;
  struct piece {
    std::byte* memory = nullptr;
    std::byte* sink = nullptr;  // where a get is to end; null: nothing is under way
    std::size_t bytes = 0;
    tracker under_way;
  };
  errc finish(detail::window_core&, const target& at, piece&) noexcept;
  template <class Transfer>
  errc in_turns(detail::window_core&, const target& at, std::size_t bytes, Transfer) noexcept;

  kinds::device_runtime& runtime_;
  sync::mutex one_at_a_time_;
  std::byte* memory_;
  std::array<piece, 2> pieces_;
};

// The window's, made at the first call. Throws no_mem.
origin_staging& staging_of(detail::window_core&, kinds::device_runtime&, int device);

}  // namespace oriel::win
