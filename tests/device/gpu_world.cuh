// A window as kernels of one GPU see it, within one process: ranks 0 and 1 are two allocations of
// the GPU, rank 2 is memory of the host behind a ring in pinned memory, which a thread serves.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "oriel/device.cuh"
#include "tests/device/gpu_memory.cuh"
#include "transport/kernel_ring_server.hpp"

namespace oriel::testing {

// Rank 2. Requests that name device memory go through a stream of their own, since a kernel runs
// meanwhile on the default one. Additions to 8-byte integers are the atomics that it knows.
class host_rank final : public transport::kernel_requests {
 public:
  host_rank(std::byte* memory, const std::array<std::uint64_t*, 3>& counters)
      : memory_(memory), counters_(counters) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~host_rank() override { cudaStreamDestroy(stream_); }

  errc serve(const detail::kernel_request& r) noexcept override {
    const std::size_t bytes = r.n * r.element_bytes;
    std::byte* const at = memory_ + r.first * r.element_bytes;
    switch (r.action) {
      case detail::kernel_action::put:
        return copy(at, r.source, bytes);
      case detail::kernel_action::get:
        return copy(r.sink, at, bytes);
      case detail::kernel_action::put_notify: {
        errc outcome = bytes == 0 ? errc::success : copy(at, r.source, bytes);
        if (outcome == errc::success) outcome = complete();
        std::uint64_t* const of_rank = counters_[static_cast<std::size_t>(r.target)];
        std::atomic_ref(of_rank[r.counter * detail::counter_stride]).fetch_add(1);
        return outcome;
      }
      case detail::kernel_action::fetch_op: {
        if (r.op != atomic_op::sum || r.element_bytes != 8) return errc::op;
        std::uint64_t operand;
        std::memcpy(&operand, r.source, 8);
        std::uint64_t& word = *reinterpret_cast<std::uint64_t*>(at);
        const std::uint64_t before = std::atomic_ref(word).fetch_add(operand);
        std::memcpy(r.sink, &before, 8);
        return errc::success;
      }
      default:
        return errc::op;
    }
  }
  void refuse(const detail::kernel_request&, errc) noexcept override {}
  errc complete() noexcept override {
    return cudaStreamSynchronize(stream_) == cudaSuccess ? errc::success : errc::system;
  }

 private:
  // Small ones between the slot and the host's memory at once.
  errc copy(void* to, const void* from, std::size_t bytes) noexcept {
    if (bytes <= detail::kernel_inline_bytes) {
      if (cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_) != cudaSuccess)
        return errc::system;
      return complete();
    }
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_) == cudaSuccess
               ? errc::success
               : errc::system;
  }

  std::byte* memory_;
  std::array<std::uint64_t*, 3> counters_;
  cudaStream_t stream_ = nullptr;
};

template <class T>
class gpu_world {
 public:
  static constexpr std::uint32_t log2_slots = 6;
  static constexpr std::size_t counters = 4;

  explicit gpu_world(std::size_t elements)
      : memory{{elements}, {elements}, {elements, place::pinned}},
        notified{{counter_words, place::pinned},
                 {counter_words, place::pinned},
                 {counter_words, place::pinned}},
        peers_(3, place::pinned),
        slots_(std::size_t{1} << log2_slots, place::pinned),
        tickets_(1),
        state_(1, place::pinned),
        host_(reinterpret_cast<std::byte*>(memory[2].get()),
              {notified[0].get(), notified[1].get(), notified[2].get()}),
        server_({slots_.get(), tickets_.get(), log2_slots}, *state_.get(), host_) {
    for (int r = 0; r < 2; ++r) {
      auto* const base = reinterpret_cast<std::byte*>(memory[r].get());
      peers_.get()[r] = {base, base, elements};
    }
    peers_.get()[2] = {nullptr, nullptr, elements};
    agent_ = std::thread([this] {
      while (!stopping_.load())
        if (!server_.serve_pending()) std::this_thread::yield();
    });
  }
  ~gpu_world() {
    server_.close();  // so that a kernel that waits ends, and memory can be freed
    stopping_.store(true);
    agent_.join();
    cudaDeviceSynchronize();
  }

  // As `rank`, 0 or 1, sees it.
  window_view<T> view(std::int32_t rank) {
    detail::device_view v;
    v.peers = peers_.get();
    v.state = state_.get();
    v.counters = notified[rank].get();
    v.ring = {slots_.get(), tickets_.get(), log2_slots};
    v.rank = rank;
    v.ranks = 3;
    return window_view<T>(v);
  }

 private:
  static constexpr std::size_t counter_words = counters * detail::counter_stride;

 public:
  gpu_array<T> memory[3];
  gpu_array<std::uint64_t> notified[3];

 private:
  gpu_array<detail::device_peer> peers_;
  gpu_array<detail::kernel_slot> slots_;
  gpu_array<std::uint64_t> tickets_;
  gpu_array<detail::device_state> state_;
  host_rank host_;
  transport::kernel_ring_server server_;
  std::atomic<bool> stopping_{false};
  std::thread agent_;
};

}  // namespace oriel::testing
