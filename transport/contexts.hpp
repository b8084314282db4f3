// Endpoints beside the one that messages go by (ORIEL_CONTEXTS): threads read and write the memory
// of other nodes by them, so that those of one process do not wait for each other at one endpoint.
// A thread has one of them, or the first, for good; where there are more threads, some have the
// same.
//
// Threads: any, once they are open.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "sync/system.hpp"
#include "transport/endpoint.hpp"

namespace oriel::transport {

class contexts {
 public:
  class one {
   public:
    explicit one(const endpoint& first) : port_(first) {}
    [[nodiscard]] endpoint& port() noexcept { return port_; }
    // Before something is posted, and when it was not taken.
    void begin() noexcept { under_way_.fetch_add(1, std::memory_order_relaxed); }
    void end() noexcept { under_way_.fetch_sub(1, std::memory_order_relaxed); }

   private:
    friend class contexts;
    endpoint port_;
    std::atomic<std::uint32_t> under_way_{0};
    sync::mutex polling_;
  };

  // As many as there are to be with the first. Once. Throws errc::system.
  void open(const endpoint& first, int all);
  // This thread's; null: the first endpoint.
  [[nodiscard]] one* mine() noexcept;
  // As endpoint::poll, of all that have something under way.
  template <class Done>
  int poll(Done done) noexcept {
    int n = 0;
    for (const auto& c : all_) {
      if (c->under_way_.load(std::memory_order_relaxed) == 0) continue;
      const std::unique_lock hold(c->polling_, std::try_to_lock);
      if (!hold) continue;
      n += c->port_.poll([&](context& op, std::size_t bytes, int failure) {
        c->end();
        done(op, bytes, failure);
      });
    }
    return n;
  }
  // For endpoint::sleep.
  [[nodiscard]] std::span<endpoint* const> ports() const noexcept { return ports_; }

 private:
  std::vector<std::unique_ptr<one>> all_;
  std::vector<endpoint*> ports_;
};

}  // namespace oriel::transport
