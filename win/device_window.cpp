#include "win/device_window.hpp"

namespace oriel::win {

device_window::~device_window() {
  close();
  if (own_ != nullptr) runtime_->free(own_);
}

std::byte* device_window::allocate(int node_rank, kinds::residence where, std::size_t bytes) {
  own_ = runtime_->allocate(device_, where, bytes);
  if (where == kinds::residence::device) adopt(node_rank, own_);
  return own_;
}

void device_window::open(int node_rank, const kinds::ipc_ticket& ticket) {
  segment& s = segments_[static_cast<std::size_t>(node_rank)];
  s.at = runtime_->open(ticket, device_);
  s.ticket = ticket;
  s.opened = true;
  s.why_unlinked = runtime_->lacks_link_atomics(device_, ticket);
}

void device_window::close() noexcept {
  for (segment& s : segments_) {
    if (!s.opened) continue;
    runtime_->close(s.ticket, s.at);
    s = {};
  }
}

errc device_window::copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes <= at_once) return runtime_->copy(to, from, bytes);
  const kinds::copy_piece piece{to, from, bytes};
  return runtime_->begin({&piece, 1});
}

}  // namespace oriel::win
