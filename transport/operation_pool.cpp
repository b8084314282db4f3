#include "transport/operation_pool.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace oriel::transport {

operation* operation_pool::take(int target, pending_ops* first, pending_ops* second,
                                bool by_reply) noexcept {
  if (free_.empty()) {
    const std::size_t base = slabs_.size() * slab;
    if (base + slab > most) return nullptr;
    try {
      free_.reserve(base + slab);
      slabs_.push_back(std::make_unique<operation[]>(slab));
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    for (std::size_t i = slab; i-- > 0;) {
      at(base + i).index = static_cast<std::uint32_t>(base + i);
      free_.push_back(static_cast<std::uint32_t>(base + i));
    }
  }
  operation& op = at(free_.back());
  free_.pop_back();
  op.kind = context_kind::operation;
  op.waiters = {first, second};
  op.target = target;
  op.busy = true;
  op.by_reply = by_reply;
  op.result = {};
  op.on_rail.rail = -1;
  op.on_rail.broken = false;
  op.counted = true;
  (by_reply ? requests_ : transfers_).fetch_add(1, std::memory_order_relaxed);
  for (pending_ops* waiter : op.waiters)
    if (waiter != nullptr) waiter->begin();
  return &op;
}

operation_pool::request operation_pool::take_request(int target, pending_ops* first,
                                                     pending_ops* second,
                                                     std::span<std::byte> result,
                                                     std::unique_ptr<answer_sink> sink) noexcept {
  const std::lock_guard hold(mutex_);
  operation* const op = take(target, first, second, true);
  if (op == nullptr) return {};
  op->result = result;
  op->sink = std::move(sink);
  return {op->cookie()};
}

operation* operation_pool::take_transfer(int target, pending_ops* first,
                                         pending_ops* second) noexcept {
  const std::lock_guard hold(mutex_);
  return take(target, first, second, false);
}

operation* operation_pool::find(std::uint32_t cookie) noexcept {
  const std::size_t index = (cookie - 1) & 0xfffffu;
  if (cookie == 0 || index >= slabs_.size() * slab) return nullptr;
  operation& op = at(index);
  return op.busy && op.by_reply && op.cookie() == cookie ? &op : nullptr;
}

void operation_pool::drop(request r) noexcept {
  const std::lock_guard hold(mutex_);
  operation* const op = find(r.cookie);
  if (op == nullptr) return;
  end(*op, errc::success);
  free(*op);
}

void operation_pool::uncount(operation& op) noexcept {
  if (std::exchange(op.counted, false))
    (op.by_reply ? requests_ : transfers_).fetch_sub(1, std::memory_order_relaxed);
}

void operation_pool::free(operation& op) noexcept {
  op.busy = false;
  op.region = {};
  op.sink.reset();
  ++op.generation;
  free_.push_back(op.index);  // reserved when the slab was made
  uncount(op);
}

void operation_pool::end(operation& op, errc result) noexcept {
  for (pending_ops*& waiter : op.waiters)
    if (waiter != nullptr) std::exchange(waiter, nullptr)->end(result);
}

// Waiters are ended under the mutex, so that none is accessed once give_up() has returned.
void operation_pool::finish(operation& op, errc result) noexcept {
  const std::lock_guard hold(mutex_);
  end(op, result);
  free(op);
}

bool operation_pool::answer(std::uint32_t cookie, int from, const void* bytes, std::size_t size,
                            errc outcome) noexcept {
  const std::lock_guard hold(mutex_);
  operation* const op = find(cookie);
  if (op == nullptr || op->target != from) return false;
  const bool awaited = op->waiters[0] != nullptr || op->waiters[1] != nullptr;
  if (awaited && outcome == errc::success) {
    if (op->sink != nullptr)
      op->sink->take({static_cast<const std::byte*>(bytes), size});
    else if (!op->result.empty())
      std::memcpy(op->result.data(), bytes, std::min(size, op->result.size()));
  }
  end(*op, outcome);
  free(*op);
  return true;
}

template <class Which>
void operation_pool::give_up_where(Which which, errc result) noexcept {
  const std::lock_guard hold(mutex_);
  for (std::size_t i = 0; i < slabs_.size() * slab; ++i) {
    operation& op = at(i);
    if (!op.busy || !which(op)) continue;
    end(op, result);
    op.by_reply ? free(op) : uncount(op);
  }
}

void operation_pool::give_up(pending_ops& waiter, errc result) noexcept {
  give_up_where(
      [&waiter](const operation& op) {
        return op.waiters[0] == &waiter || op.waiters[1] == &waiter;
      },
      result);
}

void operation_pool::give_up(int target, errc result) noexcept {
  give_up_where([target](const operation& op) { return op.target == target; }, result);
}

bool operation_pool::any_transfer() noexcept {
  const std::lock_guard hold(mutex_);
  for (std::size_t i = 0; i < slabs_.size() * slab; ++i)
    if (at(i).busy && !at(i).by_reply) return true;
  return false;
}

int operation_pool::next_debtor(int rank) noexcept {
  const std::lock_guard hold(mutex_);
  int next = -1;
  for (std::size_t i = 0; i < slabs_.size() * slab; ++i) {
    const operation& op = at(i);
    if (op.busy && op.counted && op.target > rank && (next < 0 || op.target < next))
      next = op.target;
  }
  return next;
}

}  // namespace oriel::transport
