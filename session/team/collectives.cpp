#include "session/team/collectives.hpp"

#include <algorithm>
#include <cstring>

#include "sync/last_out.hpp"

namespace oriel::sessions {

namespace {

// The block: the ranks that have departed, the barrier, each rank's call, two slots a rank, and
// each rank's published result.
constexpr std::size_t barrier_at(int ranks) noexcept {
  return (sync::last_out::bytes(ranks) + 127) / 128 * 128;
}
constexpr std::size_t records_at(int ranks) noexcept {
  return barrier_at(ranks) + sync::node_barrier::bytes(ranks);
}
constexpr std::size_t slots_at(int ranks) noexcept {
  return records_at(ranks) + static_cast<std::size_t>(ranks) * 64;
}
constexpr std::size_t published_results_at(int ranks) noexcept {
  return slots_at(ranks) + static_cast<std::size_t>(ranks) * 2 * node_collectives::slot_bytes;
}

}  // namespace

std::size_t node_collectives::bytes(int ranks) noexcept {
  return published_results_at(ranks) +
         static_cast<std::size_t>(ranks) * sizeof(sync::published_result);
}

node_collectives::node_collectives(node_memory& memory, std::uint64_t block, int me,
                                   std::vector<int> members, const sync::peer_watch& peers)
    : memory_(&memory),
      block_(block),
      me_(me),
      members_(std::move(members)),
      ranks_(static_cast<int>(members_.size())),
      barrier_(memory.base() + block + barrier_at(ranks_), me, ranks_, peers) {}

node_collectives::~node_collectives() {
  const auto alive = [this](int r) {
    return memory_->alive(members_[static_cast<std::size_t>(r)]);
  };
  if (sync::last_out(memory_->base() + block_, ranks_).depart(me_, alive, staying_out_))
    memory_->release(block_);
}

bool node_collectives::stays_out(int r) const noexcept {
  return sync::last_out(memory_->base() + block_, ranks_).stays_out(r);
}

bool node_collectives::any_stays_out() const noexcept {
  return sync::last_out(memory_->base() + block_, ranks_).any_stays_out();
}

sync::published_result& node_collectives::made_by(int r) const noexcept {
  return reinterpret_cast<sync::published_result*>(memory_->base() + block_ +
                                                   published_results_at(ranks_))[r];
}

node_collectives::record& node_collectives::called_by(int r) const noexcept {
  static_assert(sizeof(record) == 64);
  return reinterpret_cast<record*>(memory_->base() + block_ + records_at(ranks_))[r];
}

std::byte* node_collectives::slot(int r) const noexcept {
  return memory_->base() + block_ + slots_at(ranks_) +
         (static_cast<std::size_t>(r) * 2 + static_cast<std::size_t>(turn_)) * slot_bytes;
}

errc node_collectives::barrier(const collective_call& call) noexcept {
  turn_ ^= 1;
  return meet(call);
}

errc node_collectives::meet(const collective_call& call) noexcept {
  record& mine = called_by(me_);
  mine.call[turn_] = call;
  mine.calls.store(++calls_, std::memory_order_relaxed);
  const errc e = barrier_.arrive_and_wait(call.signature());
  return e == errc::mismatched_collective ? find_difference() : e;
}

collectives::absentees node_collectives::absent() const noexcept {
  absentees found;
  int absent = 0;
  for (int r = 0; r < ranks_; ++r) {
    const std::uint32_t theirs = called_by(r).calls.load(std::memory_order_relaxed);
    if (static_cast<std::int32_t>(theirs - calls_) >= 0) continue;
    if (absent++ == 0) found.first = r;
  }
  found.more = std::max(absent - 1, 0);
  return found;
}

errc node_collectives::find_difference() noexcept {
  for (int r = 0; r < ranks_; ++r) found_.add(r, called_by(r).call[turn_]);
  return errc::mismatched_collective;
}

errc node_collectives::allgather(const collective_call& call, const void* mine, std::size_t bytes,
                                 void* all) noexcept {
  std::size_t done = 0;
  do {
    turn_ ^= 1;
    const std::size_t piece = std::min(slot_bytes, bytes - done);
    if (piece != 0) std::memcpy(slot(me_), static_cast<const std::byte*>(mine) + done, piece);
    if (const errc e = meet(call.of(bytes)); e != errc::success) return e;
    for (int r = 0; all != nullptr && piece != 0 && r < ranks_; ++r)
      std::memcpy(static_cast<std::byte*>(all) + static_cast<std::size_t>(r) * bytes + done,
                  slot(r), piece);
    done += piece;
  } while (done < bytes);
  return errc::success;
}

errc node_collectives::broadcast(const collective_call& call, void* data, std::size_t bytes,
                                 int root) noexcept {
  std::size_t done = 0;
  do {
    turn_ ^= 1;
    const std::size_t piece = std::min(slot_bytes, bytes - done);
    if (me_ == root && piece != 0)
      std::memcpy(slot(root), static_cast<const std::byte*>(data) + done, piece);
    if (const errc e = meet(call.of(bytes)); e != errc::success) return e;
    if (me_ != root && piece != 0 && data != nullptr)
      std::memcpy(static_cast<std::byte*>(data) + done, slot(root), piece);
    done += piece;
  } while (done < bytes);
  return errc::success;
}

errc node_collectives::combine(const collective_call& call, void* value, std::size_t bytes,
                               merge_function merge) noexcept {
  if (bytes > slot_bytes) return errc::size;
  turn_ ^= 1;
  std::memcpy(slot(me_), value, bytes);
  if (const errc e = meet(call.of(bytes)); e != errc::success) return e;
  for (int r = 0; r < ranks_; ++r)
    if (r != me_) merge(value, slot(r));
  return errc::success;
}

}  // namespace oriel::sessions
