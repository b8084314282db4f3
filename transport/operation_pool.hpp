// Operations under way on the fabric, and the waiters that each ends when it completes. Slots are
// reused, and their number grows to the most that were ever under way at once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "oriel/errc.hpp"
#include "sync/system.hpp"
#include "transport/answer_sink.hpp"
#include "transport/endpoint.hpp"
#include "transport/pending_ops.hpp"

namespace oriel::transport {

// By which rail a read or a write goes, and what it takes to issue it again by another.
struct by_rail {
  int rail = -1;  // none yet
  bool broken = false;
  bool reads = false;
  sync::clock::time_point since{};  // when it broke
  void* here = nullptr;
  std::size_t bytes = 0;
  std::uint64_t address = 0, key = 0, flags = 0;
};

struct operation : context {
  std::array<pending_ops*, 2> waiters{};  // null: none, or none any more
  std::int32_t target = 0;                // world rank
  std::uint32_t generation = 0;           // distinguishes late replies from awaited ones
  std::uint32_t index = 0;                // in the pool
  bool busy = false;
  bool counted = false;                    // among those under way; not so once it is given up
  bool by_reply = false;                   // completed by the peer's answer, not by libfabric
  std::span<std::byte> result;             // of a request: where its reply goes,
  std::unique_ptr<answer_sink> sink;       // or what takes it
  std::array<std::byte, most_kept> value;  // a source that the caller may reuse at once
  // Of a read or a write where there are several rails (rails.hpp).
  by_rail on_rail;
  // Of the caller's buffer, where the provider needs one.
  std::shared_ptr<const memory_region> region;

  // Names the operation to a peer; never 0.
  [[nodiscard]] std::uint32_t cookie() const noexcept {
    return ((generation & 0xfffu) << 20) + index + 1;
  }
};

class operation_pool {
 public:
  static constexpr std::size_t most = (1u << 20) - 1;
  static constexpr std::size_t slab = 256;

  // A request, known by its cookie alone: the death of its target frees its slot at any time, also
  // while it is being posted.
  struct request {
    std::uint32_t cookie = 0;  // 0: none, since memory is short or `most` are under way
  };
  // Begins the waiters. The answer goes to `sink` where there is one, else to `result`.
  request take_request(int target, pending_ops* first, pending_ops* second,
                       std::span<std::byte> result,
                       std::unique_ptr<answer_sink> sink = nullptr) noexcept;
  // The request could not be posted: as if it had never been taken. Does nothing when it has been
  // given up meanwhile.
  void drop(request) noexcept;

  // A read or a write, whose slot is its own until finish(). Begins the waiters. Null when memory
  // is short or `most` are under way.
  operation* take_transfer(int target, pending_ops* first, pending_ops* second) noexcept;
  // Ends the waiters and frees the slot. With success also for what could not be started.
  void finish(operation&, errc result) noexcept;
  // All that lie where this one does, for as long as the pool.
  static std::span<operation> slab_of(operation& op) noexcept {
    return {&op - op.index % slab, slab};
  }
  // A reply: copies at most what is awaited. False when no operation awaits this cookie.
  bool answer(std::uint32_t cookie, int from, const void* bytes, std::size_t size,
              errc outcome) noexcept;
  // Ends all that `waiter` waits for, as `result`. Reads and writes may still be under way below:
  // their slots stay taken until libfabric gives them back.
  void give_up(pending_ops& waiter, errc result) noexcept;
  // The same for all that is under way to `target`.
  void give_up(int target, errc result) noexcept;
  // `judge(op)` of every read and write: returns what it ends with, or nothing where it goes on.
  // Requires: libfabric has given back those that end.
  template <class Judge>
  void judge_transfers(Judge judge) noexcept {
    const std::lock_guard hold(mutex_);
    for (std::size_t i = 0; i < slabs_.size() * slab; ++i) {
      operation& op = at(i);
      if (!op.busy || op.by_reply) continue;
      const std::optional<errc> result = judge(op);
      if (!result) continue;
      end(op, *result);
      free(op);
    }
  }
  // Whether libfabric has not given back all reads and writes, given up or not.
  [[nodiscard]] bool any_transfer() noexcept;
  // The lowest rank above `rank` that has not answered a request; -1 when there is none.
  int next_debtor(int rank) noexcept;
  // Requests that are not answered yet.
  [[nodiscard]] std::size_t requests() const noexcept {
    return requests_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t transfers() const noexcept {
    return transfers_.load(std::memory_order_relaxed);
  }

 private:
  // Under the mutex.
  operation* take(int target, pending_ops* first, pending_ops* second, bool by_reply) noexcept;
  operation* find(std::uint32_t cookie) noexcept;
  void end(operation&, errc result) noexcept;
  void free(operation&) noexcept;
  void uncount(operation&) noexcept;
  template <class Which>
  void give_up_where(Which which, errc result) noexcept;
  [[nodiscard]] operation& at(std::size_t index) noexcept {
    return slabs_[index / slab][index % slab];
  }

  sync::mutex mutex_;
  std::vector<std::unique_ptr<operation[]>> slabs_;
  std::vector<std::uint32_t> free_;
  std::atomic<std::size_t> requests_{0};
  std::atomic<std::size_t> transfers_{0};
};

}  // namespace oriel::transport
