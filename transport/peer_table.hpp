// What a provider calls the ranks of a job. A rank is entered in the provider's table when it is
// first posted to: most ranks of a large job never are, and take no memory here.
//
// Threads: any.
#pragma once

#include <rdma/fi_domain.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "sync/system.hpp"

namespace oriel::transport {

class peer_table {
 public:
  using addresses = std::function<std::string(int rank)>;

  // Before any other call. Throws std::bad_alloc.
  void open(fid_av& table, int ranks, addresses);

  // FI_ADDR_NOTAVAIL where the provider does not take it; then refusal() is its code.
  [[nodiscard]] fi_addr_t of(int rank) noexcept {
    const fi_addr_t next = entry(rank).load(std::memory_order_acquire);
    return next != 0 ? next - 1 : enter(rank);
  }

  [[nodiscard]] int refusal() const noexcept { return refusal_.load(std::memory_order_relaxed); }

 private:
  struct unmapping {
    std::size_t bytes;  // zero where there are none
    void operator()(fi_addr_t* entries) const noexcept { munmap(entries, bytes); }
  };
  [[nodiscard]] std::atomic_ref<fi_addr_t> entry(int rank) noexcept {
    return std::atomic_ref<fi_addr_t>(entries_[static_cast<std::size_t>(rank)]);
  }
  [[gnu::cold]] fi_addr_t enter(int rank) noexcept;

  fid_av* table_ = nullptr;
  addresses address_of_;
  sync::mutex entering_;
  std::atomic<int> refusal_{0};  // the last; below 0
  // By rank: one more than what the provider calls it, or 0. A page is taken when a rank on it is.
  std::unique_ptr<fi_addr_t[], unmapping> entries_;
};

}  // namespace oriel::transport
