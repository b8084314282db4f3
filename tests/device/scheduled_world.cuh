// Three ranks of one process, whose kernels run as blocks of one grid: ranks 0 and 1 reach each
// other's memory, and rank 2 and the others do not. Each has a ring of two slots and its server,
// which runs as the host's part of the test driver's schedule, so a seed repeats all of it.
#pragma once

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "oriel/device.cuh"
#include "tests/device/gpu_memory.cuh"
#include "transport/kernel_ring_server.hpp"

namespace oriel::testing {

inline constexpr int scheduled_ranks = 3;
using scheduled_word = std::uint64_t;

// The host of one rank: what it begins happens at some turn, or in `complete`, the last one first,
// and notifications overtake it. So nothing but what is promised keeps an order.
class slow_host final : public transport::kernel_requests {
 public:
  struct place {
    scheduled_word* memory;
    std::uint64_t* counters;
  };
  explicit slow_host(const std::array<place, scheduled_ranks>& ranks) : ranks_(ranks) {}

  errc serve(const detail::kernel_request& r) noexcept override {
    if (r.target < 0 || r.target >= scheduled_ranks || r.element_bytes != sizeof(scheduled_word))
      return errc::arg;
    action a;
    a.request = r;
    if (r.source != nullptr && r.n * r.element_bytes <= detail::kernel_inline_bytes)
      std::memcpy(a.source, r.source, sizeof a.source);
    if (r.action == detail::kernel_action::put_notify) {
      move(a);
      std::uint64_t* const counters = ranks_[static_cast<std::size_t>(r.target)].counters;
      std::atomic_ref(counters[r.counter * detail::counter_stride]).fetch_add(1);
    } else {
      begun_.push_back(a);
    }
    return errc::success;
  }
  void refuse(const detail::kernel_request&, errc) noexcept override {}
  // One of those that were begun happens.
  void land_one() noexcept {
    if (begun_.empty()) return;
    move(begun_.back());
    begun_.pop_back();
  }
  errc complete() noexcept override {
    for (; !begun_.empty(); begun_.pop_back()) move(begun_.back());
    return errc::success;
  }

 private:
  struct action {
    detail::kernel_request request;
    std::byte source[detail::kernel_inline_bytes];
  };
  void move(const action& a) noexcept {
    const detail::kernel_request& r = a.request;
    const std::size_t bytes = r.n * r.element_bytes;
    scheduled_word* const at = ranks_[static_cast<std::size_t>(r.target)].memory + r.first;
    const void* const from = bytes <= detail::kernel_inline_bytes ? a.source : r.source;
    std::atomic_ref element(*at);
    scheduled_word operands[2];
    std::memcpy(operands, a.source, sizeof operands);
    switch (r.action) {
      case detail::kernel_action::put:
      case detail::kernel_action::put_notify:
        std::memcpy(at, from, bytes);
        break;
      case detail::kernel_action::get:
        std::memcpy(r.sink, at, bytes);
        break;
      case detail::kernel_action::fetch_op:
        operands[0] = element.fetch_add(operands[0]);
        std::memcpy(r.sink, operands, sizeof operands[0]);
        break;
      case detail::kernel_action::compare_swap:
        element.compare_exchange_strong(operands[0], operands[1]);
        std::memcpy(r.sink, operands, sizeof operands[0]);
        break;
      default:
        element.fetch_add(operands[0]);
    }
  }

  std::array<place, scheduled_ranks> ranks_;
  std::vector<action> begun_;
};

struct scheduled_views {
  detail::device_view of[scheduled_ranks];
};

class scheduled_world {
 public:
  static constexpr std::uint32_t log2_slots = 1;
  static constexpr std::size_t elements = 512, counters = 16;

  // Everything as in a new window.
  void renew() {
    std::memset(memory_.get(), 0, memory_.size() * sizeof(scheduled_word));
    std::memset(counters_.get(), 0, counters_.size() * sizeof(std::uint64_t));
    std::memset(static_cast<void*>(slots_.get()), 0, slots_.size() * sizeof(detail::kernel_slot));
    std::array<slow_host::place, scheduled_ranks> places;
    for (int r = 0; r < scheduled_ranks; ++r) places[r] = {memory(r), notified(r)};
    turns_ = 0;
    acts_.clear();
    for (int r = 0; r < scheduled_ranks; ++r) {
      states_.get()[r] = {};
      tickets_.get()[r] = 0;
      for (int p = 0; p < scheduled_ranks; ++p) {
        auto* const base = reinterpret_cast<std::byte*>(memory(p));
        const bool reached = (r == 2) == (p == 2);
        peers_.get()[r * scheduled_ranks + p] = {reached ? base : nullptr, reached ? base : nullptr,
                                                 elements};
      }
      servers_[r].reset();
      hosts_[r] = std::make_unique<slow_host>(places);
      servers_[r] =
          std::make_unique<transport::kernel_ring_server>(ring(r), states_.get()[r], *hosts_[r]);
    }
  }
  // At its n-th turn the host does that, and nothing else: it serves none.
  void act_at(unsigned turn, std::function<void()> act) { acts_.emplace(turn, std::move(act)); }
  void close() {
    for (const auto& server : servers_) server->close();
  }
  // Words of the rank's counter, as detail/device_view.hpp has them.
  std::uint64_t* counter(int r, std::size_t i) { return notified(r) + i * detail::counter_stride; }

  scheduled_views views() {
    scheduled_views all;
    for (int r = 0; r < scheduled_ranks; ++r) {
      all.of[r].peers = peers_.get() + r * scheduled_ranks;
      all.of[r].state = states_.get() + r;
      all.of[r].counters = notified(r);
      all.of[r].ring = ring(r);
      all.of[r].rank = r;
      all.of[r].ranks = scheduled_ranks;
    }
    return all;
  }
  scheduled_word* memory(int r) { return memory_.get() + r * elements; }

  // One turn of the host. False when kernels go on for ever.
  static bool turn(void* of) {
    auto& world = *static_cast<scheduled_world*>(of);
    const unsigned now = world.turns_++;
    if (!world.acts_.empty()) {
      const auto [first, last] = world.acts_.equal_range(now);
      for (auto act = first; act != last; ++act) act->second();
    } else if (now % 2 == 0) {
      world.servers_[now / 2 % scheduled_ranks]->serve_pending();
    } else {
      world.hosts_[now / 2 % scheduled_ranks]->land_one();
    }
    return now < most_turns;
  }
  // Takes part in the schedule of the kernels that are launched from now on. False where there is
  // no test driver.
  bool join() {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (driver == nullptr) return false;
    using joining = void (*)(bool (*)(void*), void*);
    const auto host_turns = reinterpret_cast<joining>(dlsym(driver, "oriel_test_host_turns"));
    if (host_turns != nullptr) host_turns(turn, this);
    return host_turns != nullptr;
  }

 private:
  static constexpr unsigned most_turns = 60'000;
  static constexpr std::size_t slots = std::size_t{1} << log2_slots;

  std::uint64_t* notified(int r) { return counters_.get() + r * counters * detail::counter_stride; }
  detail::kernel_ring ring(int r) {
    return {slots_.get() + r * slots, tickets_.get() + r, log2_slots};
  }

  gpu_array<scheduled_word> memory_{scheduled_ranks * elements, place::pinned};
  gpu_array<std::uint64_t> counters_{scheduled_ranks * counters * detail::counter_stride,
                                     place::pinned};
  gpu_array<detail::kernel_slot> slots_{scheduled_ranks * slots, place::pinned};
  gpu_array<std::uint64_t> tickets_{scheduled_ranks, place::pinned};
  gpu_array<detail::device_state> states_{scheduled_ranks, place::pinned};
  gpu_array<detail::device_peer> peers_{scheduled_ranks * scheduled_ranks, place::pinned};
  std::unique_ptr<slow_host> hosts_[scheduled_ranks];
  std::unique_ptr<transport::kernel_ring_server> servers_[scheduled_ranks];
  unsigned turns_ = 0;
  std::multimap<unsigned, std::function<void()>> acts_;  // by turn
};

}  // namespace oriel::testing
