// ORIEL_CHECK=pages: buffers of operations that are not complete, watched by registers of the
// processor: of each the first bytes, and the last few buffers alone.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "session/node/address_map.hpp"
#include "win/check/watched_memory.hpp"

namespace oriel::win {
namespace {

// By the kernel, whose reads are not heard of.
std::uint64_t read_quietly(const watchpoint& point) noexcept {
  std::uint64_t value = 0;
  const iovec here{&value, point.bytes()};
  const iovec there{sessions::at_address(point.first()), point.bytes()};
  static_cast<void>(process_vm_readv(getpid(), &here, 1, &there, 1, 0));
  return value;
}

}  // namespace

void watched_memory::watch(std::uint64_t operation) noexcept {
  if (!uses_watchpoints_.load(std::memory_order_relaxed)) return;
  const std::lock_guard hold(mutex_);
  for (const buffer& b : buffers_) {
    if (b.operation != operation) continue;
    // What lies in windows is guarded by pages.
    if (std::any_of(segments_.begin(), segments_.end(),
                    [&](const mapped_memory& s) { return b.low < s.high && s.low < b.high; }))
      continue;
    const auto free = std::find_if(watches_.begin(), watches_.end(),
                                   [](const watch_kept& w) { return !w.point; });
    watch_kept& w = free != watches_.end() ? *free : watches_[next_watch_++ % watches_.size()];
    w = {};
    w.point = watchpoint(b.low, b.high, b.written);
    w.operation = operation;
    w.loads = b.written;
    w.value = read_quietly(w.point);
  }
}

void watched_memory::drop_watches() noexcept {
  for (watch_kept& w : watches_)
    if (w.point && std::none_of(buffers_.begin(), buffers_.end(), [&w](const buffer& b) {
          return b.operation == w.operation && b.low == w.point.first();
        }))
      w = {};
}

void watched_memory::watchpoint_hit(const void* first, const void* code) noexcept {
  const call_site at = call_site::returning_to(code);
  const std::lock_guard hold(mutex_);
  for (watch_kept& w : watches_) {
    if (!w.point || w.point.first() != reinterpret_cast<std::uintptr_t>(first)) continue;
    const std::uint64_t before = std::exchange(w.value, read_quietly(w.point));
    const bool stored = !w.loads || before != w.value;
    // Of a result that has its old value it is not known whether that was stored again.
    compare(w.point.first(), w.point.bytes(), stored,
            stored ? "store to " : "load of, or store to, ", at);
    return;
  }
}

}  // namespace oriel::win
