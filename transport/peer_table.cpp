#include "transport/peer_table.hpp"

#include <rdma/fi_errno.h>

#include <mutex>
#include <new>
#include <utility>

namespace oriel::transport {

void peer_table::open(fid_av& table, int ranks, addresses address_of) {
  table_ = &table;
  address_of_ = std::move(address_of);
  const std::size_t bytes = static_cast<std::size_t>(ranks) * sizeof(fi_addr_t);
  // Not the heap's, which may have to clear what it hands out.
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  entries_ = {static_cast<fi_addr_t*>(mapped), unmapping{bytes}};
}

fi_addr_t peer_table::enter(int rank) noexcept {
  try {
    const std::lock_guard hold(entering_);
    if (const fi_addr_t next = entry(rank).load(std::memory_order_relaxed); next != 0)
      return next - 1;
    fi_addr_t entered = FI_ADDR_NOTAVAIL;
    const int taken = fi_av_insert(table_, address_of_(rank).data(), 1, &entered, 0, nullptr);
    if (taken != 1) {
      refusal_.store(taken < 0 ? taken : -FI_EADDRNOTAVAIL, std::memory_order_relaxed);
      return FI_ADDR_NOTAVAIL;
    }
    entry(rank).store(entered + 1, std::memory_order_release);
    return entered;
  } catch (const std::bad_alloc&) {
    refusal_.store(-FI_ENOMEM, std::memory_order_relaxed);
    return FI_ADDR_NOTAVAIL;
  }
}

}  // namespace oriel::transport
