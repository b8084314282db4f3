// Room for one long list at a time, kept from one call to the next: its pages are there then.
//
// Threads: any; who finds it in use takes new room.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>

namespace oriel::win {

class spare_room {
 public:
  spare_room() = default;
  ~spare_room() { delete[] kept_.load(std::memory_order_relaxed); }
  spare_room(const spare_room&) = delete;
  spare_room& operator=(const spare_room&) = delete;

  // Of `bytes` bytes, the same in all calls. Null: there is no memory.
  std::unique_ptr<std::byte[]> take(std::size_t bytes) noexcept {
    std::unique_ptr<std::byte[]> room(kept_.exchange(nullptr, std::memory_order_acquire));
    if (room == nullptr) room.reset(new (std::nothrow) std::byte[bytes]);
    return room;
  }
  void give(std::unique_ptr<std::byte[]> room) noexcept {
    if (room != nullptr) delete[] kept_.exchange(room.release(), std::memory_order_acq_rel);
  }

 private:
  std::atomic<std::byte*> kept_{nullptr};
};

}  // namespace oriel::win
