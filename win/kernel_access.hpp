// A window as kernels see it: the table of its ranks in the device's memory, and the ring by which
// they request what they cannot reach, with the window's own operations behind it.
//
// Threads: made and ended by one; the poller's serves it meanwhile, and those that flush.
#pragma once

#include <cstddef>
#include <memory>

#include "kinds/device_runtime.hpp"
#include "oriel/detail/device_view.hpp"
#include "sync/system.hpp"
#include "transport/kernel_ring_server.hpp"
#include "win/device_window.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

class kernel_access final : public transport::kernel_requests {
 public:
  // Throws unsupported_kind when no memory of the window is a device's, managed or pinned here,
  // info when the assertion of kinds in force leaves device memory out, no_mem.
  explicit kernel_access(detail::window_core&);
  // Ends every wait of kernels. They have ended before, if the program is right.
  ~kernel_access() override;
  kernel_access(const kernel_access&) = delete;
  kernel_access& operator=(const kernel_access&) = delete;

  [[nodiscard]] const detail::device_view& view() const noexcept { return view_; }

  // What kernels have requested that have ended is complete. Its failures are latched. Waits for a
  // running kernel that has taken its place before them, until ORIEL_TIMEOUT.
  errc settle() noexcept;
  // What of the node's memory devices reach, to be kept for longer than this.
  [[nodiscard]] std::unique_ptr<pinned_memory> take_pinned() noexcept {
    return std::move(counters_);
  }

  // transport::kernel_requests
  errc serve(const detail::kernel_request&) noexcept override;
  void refuse(const detail::kernel_request&, errc why) noexcept override;
  errc complete() noexcept override;
  [[nodiscard]] bool orders_notifications() const noexcept override;

 private:
  // Memory of the runtime, given back with this.
  struct giving_back {
    kinds::device_runtime* runtime;
    void operator()(std::byte* p) const noexcept { runtime->free(p); }
  };
  using block = std::unique_ptr<std::byte, giving_back>;
  [[nodiscard]] block make(kinds::residence, std::size_t bytes) const;
  [[nodiscard]] detail::device_peer peer(int r) const noexcept;
  [[nodiscard]] bool pins_counters() const noexcept;
  [[nodiscard]] errc check(const detail::kernel_request&) const noexcept;
  void load_atomics() const;
  void prepare_staging() const;

  detail::window_core& core_;
  kinds::device_runtime* runtime_;
  int device_;
  std::unique_ptr<pinned_memory> counters_;  // of the node's notification
  block table_;                              // on the device: ranks, and the ring's next ticket
  block shared_;                             // of the host: state and slots
  detail::device_view view_;
  sync::mutex serving_;  // for the server
  std::unique_ptr<transport::kernel_ring_server> server_;
};

}  // namespace oriel::win
