#include "win/route/shared_packets.hpp"

#include <algorithm>
#include <cstring>

#include "sync/doorbell.hpp"

namespace oriel::win {
namespace {

constexpr std::size_t line_bytes = 64;
static_assert(sizeof(shared_packets::packet) <= line_bytes);

constexpr int errc_bits = 8;

// One packet's memory: its state, its entries, and the room for their results.
constexpr std::size_t stride(std::size_t each) noexcept {
  return line_bytes + 2 * each;
}

}  // namespace

// How far a packet is filled, in one word, so that a share is reserved by one comparison.
struct shared_packets::filling {
  std::uint32_t used = 0;     // bytes of entries
  std::uint32_t results = 0;  // bytes
  std::uint32_t entries = 0;
  std::uint32_t shares = 0;
  std::uint32_t sender = 0;  // of a closed one
  bool closed = false;

  static constexpr int size_bits = 15, entry_bits = 12, share_bits = 9, sender_bits = 11;
  static constexpr std::uint32_t most_shares = (1u << share_bits) - 1;
  static_assert(most_ranks == 1 << sender_bits);
  static constexpr std::uint32_t most_entries = (1u << entry_bits) - 1;

  [[nodiscard]] std::uint64_t packed() const noexcept {
    std::uint64_t word = closed ? 1 : 0;
    word = word << sender_bits | sender;
    word = word << share_bits | shares;
    word = word << entry_bits | entries;
    word = word << size_bits | results;
    return word << size_bits | used;
  }
  static filling unpacked(std::uint64_t word) noexcept {
    const auto next = [&word](int bits) {
      const auto value = static_cast<std::uint32_t>(word & ((std::uint64_t{1} << bits) - 1));
      word >>= bits;
      return value;
    };
    filling f;
    f.used = next(size_bits);
    f.results = next(size_bits);
    f.entries = next(entry_bits);
    f.shares = next(share_bits);
    f.sender = next(sender_bits);
    f.closed = next(1) != 0;
    return f;
  }
  static filling of(const packet& p) noexcept {
    return unpacked(p.room.load(std::memory_order_acquire));
  }
};

std::size_t shared_packets::bytes(int nodes, std::size_t each) noexcept {
  return each == 0 ? line_bytes
                   : line_bytes + static_cast<std::size_t>(nodes * per_node) * stride(each);
}

std::size_t shared_packets::packet_bytes_for(int nodes, std::size_t most,
                                             std::size_t longest) noexcept {
  const std::size_t each = most / static_cast<std::size_t>(nodes * per_node) / 2;
  return std::clamp(each, least_bytes, longest) / line_bytes * line_bytes;
}

void shared_packets::lay_out(std::byte* block, std::size_t each) noexcept {
  std::memcpy(block, &each, sizeof each);
}

shared_packets::shared_packets(std::byte* block) noexcept : packets_(block + line_bytes) {
  std::memcpy(&packet_bytes_, block, sizeof packet_bytes_);
}

shared_packets::packet& shared_packets::at(int node, int i) const noexcept {
  return *reinterpret_cast<packet*>(packets_ + static_cast<std::size_t>(node * per_node + i) *
                                                   stride(packet_bytes_));
}

std::byte* shared_packets::entries_of(packet& p) const noexcept {
  return reinterpret_cast<std::byte*>(&p) + line_bytes;
}

bool shared_packets::has_room(const filling& f, std::size_t entries_bytes,
                              std::size_t results) const noexcept {
  return !f.closed && f.shares < filling::most_shares && f.used + entries_bytes <= packet_bytes_ &&
         f.results + results <= packet_bytes_;
}

std::optional<shared_packets::share> shared_packets::join(
    int node, std::span<const std::byte> entries, std::uint32_t count, std::uint32_t operations,
    std::size_t results, const packet* only) noexcept {
  for (int i = 0; i < per_node; ++i) {
    packet& p = at(node, i);
    if (only != nullptr && only != &p) continue;
    std::uint64_t word = p.room.load(std::memory_order_acquire);
    for (;;) {
      const filling before = filling::unpacked(word);
      if (!has_room(before, entries.size(), results) ||
          before.entries + count > filling::most_entries)
        break;
      filling after = before;
      after.used += static_cast<std::uint32_t>(entries.size());
      after.results += static_cast<std::uint32_t>(results);
      after.entries += count;
      ++after.shares;
      if (!p.room.compare_exchange_weak(word, after.packed(), std::memory_order_acq_rel)) continue;
      // The packet is not sent before this share is written, so its round is this one.
      const share mine{&p, p.rounds.load(std::memory_order_relaxed), before.results, results != 0};
      std::memcpy(entries_of(p) + before.used, entries.data(), entries.size());
      if (mine.has_results) p.readers.fetch_add(1, std::memory_order_relaxed);
      p.operations.fetch_add(operations, std::memory_order_relaxed);
      p.written.fetch_add(1, std::memory_order_release);
      return mine;
    }
  }
  return std::nullopt;
}

bool shared_packets::some_wait(int node, std::size_t entries_bytes,
                               std::size_t results) const noexcept {
  for (int i = 0; i < per_node; ++i)
    if (const filling f = filling::of(at(node, i));
        f.shares != 0 && has_room(f, entries_bytes, results))
      return true;
  return false;
}

shared_packets::state shared_packets::state_of(const share& s) noexcept {
  if (s.in->rounds.load(std::memory_order_seq_cst) != s.round) return state::done;
  return filling::of(*s.in).closed ? state::closed : state::open;
}

int shared_packets::sender_of(const share& s) noexcept {
  return static_cast<int>(filling::of(*s.in).sender);
}

errc shared_packets::outcome_of(const share& s) noexcept {
  const std::uint32_t failed = s.in->failed.load(std::memory_order_relaxed);
  return failed != 0 && failed >> errc_bits == (s.round << errc_bits) >> errc_bits
             ? static_cast<errc>(failed & ((1u << errc_bits) - 1))
             : errc::success;
}

const std::byte* shared_packets::results_of(const share& s) const noexcept {
  return entries_of(*s.in) + packet_bytes_ + s.results_at;
}

void shared_packets::took_results(const share& s) noexcept {
  if (s.has_results) leave(*s.in);
}

bool shared_packets::close(const share& s, int sender) noexcept {
  packet& p = *s.in;
  std::uint64_t word = p.room.load(std::memory_order_acquire);
  for (;;) {
    filling f = filling::unpacked(word);
    if (f.closed || p.rounds.load(std::memory_order_acquire) != s.round) return false;
    f.closed = true;
    f.sender = static_cast<std::uint32_t>(sender);
    if (!p.room.compare_exchange_weak(word, f.packed(), std::memory_order_acq_rel)) continue;
    p.readers.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
}

bool shared_packets::is_written(const packet& p) noexcept {
  return p.written.load(std::memory_order_acquire) == filling::of(p).shares;
}

shared_packets::contents shared_packets::contents_of(packet& p) const noexcept {
  const filling f = filling::of(p);
  std::byte* const entries = entries_of(p);
  return {{entries, f.used},
          f.entries,
          p.operations.load(std::memory_order_relaxed),
          {entries + packet_bytes_, f.results}};
}

void shared_packets::end_round(packet& p, errc outcome) noexcept {
  if (outcome != errc::success)
    p.failed.store(
        p.rounds.load(std::memory_order_relaxed) << errc_bits | static_cast<std::uint32_t>(outcome),
        std::memory_order_relaxed);
  p.rounds.fetch_add(1, std::memory_order_seq_cst);
  sync::ring(p.bell);
  if (outcome == errc::success) leave(p);
}

// The last opens it again.
void shared_packets::leave(packet& p) noexcept {
  if (p.readers.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  p.operations.store(0, std::memory_order_relaxed);
  p.written.store(0, std::memory_order_relaxed);
  p.room.store(0, std::memory_order_release);
}

}  // namespace oriel::win
