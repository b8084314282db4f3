// A window as kernels see it, in ordinary memory: this rank, a rank that is direct, and a rank that
// is reached through a ring only, which an agent's thread serves. It notifies all three.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "atomics/kernels.hpp"
#include "oriel/device.cuh"
#include "transport/kernel_ring_server.hpp"

namespace oriel::testing {

inline constexpr oriel::rank me{0}, near{1}, far{2};

// The far rank. What is begun happens in `complete` and no sooner, so a test fails that reads
// before it may; sources are read as late as the contract allows.
class far_rank final : public transport::kernel_requests {
 public:
  using counters_of_ranks = std::array<std::uint64_t*, 3>;
  far_rank(std::byte* memory, const counters_of_ranks& counters)
      : memory_(memory), counters_(counters) {}

  errc serve(const detail::kernel_request& r) noexcept override {
    ++served;
    if (refusing != errc::success) return refusing;
    const bool notice = r.action == detail::kernel_action::put_notify && r.n == 0;
    if (r.target != far.value && !notice) return errc::rank;
    const std::size_t bytes = r.n * r.element_bytes;
    std::byte* const place = memory_ + r.first * r.element_bytes;
    switch (r.action) {
      case detail::kernel_action::put:
        if (bytes > detail::kernel_inline_bytes) {
          begun_.push_back([=] { std::memcpy(place, r.source, bytes); });
        } else {
          begun_.push_back([place, bytes, source = taken(r.source, bytes)] {
            std::memcpy(place, source.data(), bytes);
          });
        }
        return errc::success;
      case detail::kernel_action::get:
        begun_.push_back([=] { std::memcpy(r.sink, place, bytes); });
        return errc::success;
      case detail::kernel_action::accumulate:
      case detail::kernel_action::fetch_op: {
        const auto kernel = atomics::accumulate_kernel(r.op, r.type, atomics::kernel_mode::atomic);
        if (kernel == nullptr) return errc::op;
        void* const result = r.action == detail::kernel_action::fetch_op ? r.sink : nullptr;
        if (bytes > detail::kernel_inline_bytes) {
          begun_.push_back([=] { kernel(place, r.source, result, r.n, nullptr, 0); });
        } else {
          begun_.push_back([=, source = taken(r.source, bytes)] {
            kernel(place, source.data(), result, r.n, nullptr, 0);
          });
        }
        return errc::success;
      }
      case detail::kernel_action::compare_swap:
        begun_.push_back([=, size = r.element_bytes, source = taken(r.source, 2 * bytes)] {
          atomics::compare_swap_kernel(size)(place, source.data(), source.data() + size, r.sink,
                                             nullptr, 0);
        });
        return errc::success;
      case detail::kernel_action::put_notify:
        std::memcpy(place, r.source, bytes);
        std::atomic_ref(
            counters_[static_cast<std::size_t>(r.target)][r.counter * detail::counter_stride])
            .fetch_add(1);
        return errc::success;
      default:
        return errc::arg;
    }
  }
  void refuse(const detail::kernel_request& r, errc why) noexcept override {
    refused.push_back({r.action, why});
  }
  errc complete() noexcept override {
    ++completed;
    for (const auto& act : begun_) act();
    begun_.clear();
    return fail_completion;
  }

  // Of the agent, or of the test while no agent runs.
  int served = 0, completed = 0;
  errc refusing = errc::success, fail_completion = errc::success;
  std::vector<std::pair<detail::kernel_action, errc>> refused;  // by the server

 private:
  static std::array<std::byte, detail::kernel_inline_bytes> taken(const void* source,
                                                                  std::size_t bytes) {
    std::array<std::byte, detail::kernel_inline_bytes> copy{};
    std::memcpy(copy.data(), source, bytes);
    return copy;
  }

  std::byte* memory_;
  counters_of_ranks counters_;
  std::vector<std::function<void()>> begun_;
};

template <class T>
class ring_world {
 public:
  static constexpr std::size_t elements = 256, counters = 4;

  explicit ring_world(std::uint32_t log2_slots = 3)
      : slots_(std::size_t{1} << log2_slots),
        remote(reinterpret_cast<std::byte*>(memory[2]), {notified[0], notified[1], notified[2]}),
        server(ring(log2_slots), state_, remote) {
    for (int r = 0; r < 3; ++r) {
      auto* const base = reinterpret_cast<std::byte*>(memory[r]);
      if (r == far.value)
        peers_[r] = {nullptr, nullptr, elements};
      else
        peers_[r] = {base, base, elements};
    }
  }
  ~ring_world() { stop(); }

  // Serves on a thread of its own until `stop`.
  void start() {
    agent_ = std::thread([this] {
      while (!stopping_.load(std::memory_order_acquire))
        if (!server.serve_pending()) std::this_thread::yield();
    });
  }
  void stop() {
    stopping_.store(true, std::memory_order_release);
    if (agent_.joinable()) agent_.join();
  }
  window_view<T> view() {
    detail::device_view v;
    v.peers = peers_.data();
    v.state = &state_;
    v.counters = notified[0];
    v.ring = ring_;
    v.rank = 0;
    v.ranks = 3;
    return window_view<T>(v);
  }
  // A slot as a kernel may fill it, right or wrong.
  detail::kernel_slot& slot(std::size_t i) { return slots_[i]; }

 private:
  const detail::kernel_ring& ring(std::uint32_t log2_slots) {
    ring_ = {slots_.data(), &tickets_, log2_slots};
    return ring_;
  }

  std::array<detail::device_peer, 3> peers_;
  std::vector<detail::kernel_slot> slots_;
  std::uint64_t tickets_ = 0;
  detail::kernel_ring ring_;
  detail::device_state state_;
  std::atomic<bool> stopping_{false};
  std::thread agent_;

 public:
  alignas(64) T memory[3][elements] = {};
  alignas(64) std::uint64_t notified[3][counters * detail::counter_stride] = {};
  far_rank remote;
  transport::kernel_ring_server server;
};

}  // namespace oriel::testing
