// One window's device memory, as one process sees it: its own segment, those of the ranks of its
// node that are open here, and the operations on them. The runtime copies and its kernels do the
// atomics; the host touches none of it.
//
// Threads: any, once construction is over.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kinds/device_runtime.hpp"

namespace oriel::win {

class device_window {
 public:
  // `device`: this process's. `near`: ranks on this node.
  device_window(kinds::device_runtime& runtime, int device, std::size_t node_ranks)
      : runtime_(&runtime), device_(device), segments_(node_ranks) {}
  ~device_window();
  device_window(const device_window&) = delete;
  device_window& operator=(const device_window&) = delete;

  // --- Construction; these throw
  // This rank's segment, `node_rank` among its node's: made here and freed with the window,
  std::byte* allocate(int node_rank, kinds::residence, std::size_t bytes);
  // or the caller's.
  void adopt(int node_rank, std::byte* memory) {
    segments_[static_cast<std::size_t>(node_rank)].at = memory;
    holds_own_ = true;
  }
  // The segment of another rank of the node.
  void open(int node_rank, const kinds::ipc_ticket&);
  // Why it, or this rank's own by others, is not opened.
  void stays_closed(int node_rank, std::string why) {
    segments_[static_cast<std::size_t>(node_rank)].why_closed = std::move(why);
  }
  // Closes what `open` has opened. Owners free after all have.
  void close() noexcept;

  // Where the segment of the rank at `node_rank` is, for the runtime and for kernels; null where it
  // is none of a device's, or cannot be opened.
  [[nodiscard]] std::byte* at(std::size_t node_rank) const noexcept {
    return segments_[node_rank].at;
  }
  // Why kernels here are not atomic with others on what is open; empty where they are.
  [[nodiscard]] const std::string& why_unlinked(std::size_t node_rank) const noexcept {
    return segments_[node_rank].why_unlinked;
  }
  // Empty where it is open, or no device's; of this rank's own, where others may open it.
  [[nodiscard]] const std::string& why_closed(std::size_t node_rank) const noexcept {
    return segments_[node_rank].why_closed;
  }
  // Whether this rank's own segment is a device's.
  [[nodiscard]] bool holds_own() const noexcept { return holds_own_; }
  [[nodiscard]] kinds::device_runtime& runtime() const noexcept { return *runtime_; }
  [[nodiscard]] int device() const noexcept { return device_; }

  // --- Operations. Sources and sinks may lie in any memory.
  // Up to `at_once` bytes are copied on return; others belong to the copy until `drain`.
  static constexpr std::size_t at_once = 64;
  errc copy(void* to, const void* from, std::size_t bytes) noexcept;
  // Complete, with its results, on return; or timed_out, after `at_most` without room.
  errc apply(const kinds::atomic_task& task, kinds::time_limit::length at_most) noexcept {
    return runtime_->apply(device_, task, at_most);
  }
  // What to do about that, in messages.
  static constexpr const char* leave_room =
      "kernels of programs must leave room for a block of 256 threads";
  // Every copy that was begun is complete at its target.
  errc drain() noexcept { return runtime_->drain(); }

 private:
  struct segment {
    std::byte* at = nullptr;
    bool opened = false;
    std::string why_closed;
    std::string why_unlinked;
    kinds::ipc_ticket ticket;
  };

  kinds::device_runtime* runtime_;
  int device_;
  std::vector<segment> segments_;
  std::byte* own_ = nullptr;
  bool holds_own_ = false;
};

// The node's memory of one window, made known to a vendor's devices for as long as this lives.
class pinned_memory {
 public:
  // `device`: this process's.
  pinned_memory(kinds::device_runtime& runtime, int device, std::byte* memory, std::size_t bytes)
      : runtime_(&runtime),
        device_(device),
        memory_(memory),
        why_unlinked_(runtime.lacks_host_atomics(device, kinds::residence::host)) {
    runtime.pin(device, memory, bytes);
  }
  ~pinned_memory() { runtime_->unpin(memory_); }
  [[nodiscard]] kinds::device_runtime& runtime() const noexcept { return *runtime_; }
  [[nodiscard]] int device() const noexcept { return device_; }
  // Why kernels here are not atomic with processors on it; empty where they are.
  [[nodiscard]] const std::string& why_unlinked() const noexcept { return why_unlinked_; }
  pinned_memory(const pinned_memory&) = delete;
  pinned_memory& operator=(const pinned_memory&) = delete;

 private:
  kinds::device_runtime* runtime_;
  int device_;
  std::byte* memory_;
  std::string why_unlinked_;
};

}  // namespace oriel::win
