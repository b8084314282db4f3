// The stream of one process, as packet_streams keeps it, and how an operation begins in its packet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "sync/packet_board.hpp"
#include "sync/system.hpp"
#include "transport/pending_ops.hpp"
#include "win/route/packet_streams.hpp"
#include "win/route/shared_packets.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

// What waits for the results of one packet: `room` bytes of them.
class packet_streams::returning {
 public:
  explicit returning(std::size_t room)
      : room_(room), results_(new std::byte[room]), sinks_(new void*[room / a_sink]) {}

  transport::pending_ops ops;
  [[nodiscard]] std::byte* results() const noexcept { return results_.get(); }
  [[nodiscard]] std::size_t room() const noexcept { return room_; }
  // Of memory.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return room_ + room_ / a_sink * sizeof(void*);
  }

  // Whether another result of `bytes` bytes fits behind `used` bytes of them.
  [[nodiscard]] bool takes(std::size_t bytes, std::size_t used) const noexcept {
    return used + bytes <= room_ && n_ < room_ / a_sink &&
           (each_ == bytes || changes_ < lengths_.size());
  }
  void add(void* sink, std::size_t bytes) noexcept {
    if (each_ != bytes) [[unlikely]] {
      each_ = bytes;
      lengths_[changes_++] = {n_, bytes};
    }
    sinks_[n_++] = sink;
  }
  // They are at `from`.
  void deliver(const std::byte* from) const noexcept {
    for (std::size_t k = 0; k < changes_; ++k) {
      const auto [first, each] = lengths_[k];
      const std::size_t n = (k + 1 == changes_ ? n_ : lengths_[k + 1].first) - first;
      if (each == sizeof(std::uint64_t))  // most are
        deliver_each(from, &sinks_[first], n, sizeof(std::uint64_t));
      else
        deliver_each(from, &sinks_[first], n, each);
      from += n * each;
    }
  }
  void clear() noexcept { n_ = each_ = changes_ = 0; }

 private:
  // From result `first` on they are so long.
  struct length {
    std::size_t first;
    std::size_t bytes;
  };
  static constexpr std::size_t a_sink = sizeof(std::uint64_t);  // for so many bytes of results

  [[gnu::always_inline]] static void deliver_each(const std::byte* from, void* const* to,
                                                  std::size_t n, std::size_t bytes) noexcept {
    for (std::size_t i = 0; i < n; ++i) std::memcpy(to[i], from + i * bytes, bytes);
  }

  std::size_t room_;
  std::unique_ptr<std::byte[]> results_;
  std::unique_ptr<void*[]> sinks_;
  std::size_t n_ = 0;        // of sinks
  std::size_t each_ = 0;     // bytes of the last result
  std::size_t changes_ = 0;  // of lengths
  std::array<length, 64> lengths_;
};

// Results of a stream's in a packet that it shares.
struct packet_streams::shared_results {
  std::unique_ptr<returning> takes;
  shared_packets::share from;
};

// A near stream's that is under way.
struct packet_streams::near_packet {
  std::unique_ptr<returning> takes;  // null: nothing, or nobody waits for it any more
  request_room::turn room;
};

class packet_streams::stream {
 public:
  int server = 0;  // rank of the team
  rank of{0};      // the first that it was made for
  bool near = false;
  std::optional<sync::packet_board::outbox> outbox;  // of a near one, and what is in its notes:
  std::array<near_packet, sync::packet_board::at_once> posted;
  std::unique_ptr<std::byte[]> buffer;  // of the packet that is being filled
  std::size_t used = 0;
  std::size_t results = 0;  // bytes
  std::uint32_t entries = 0;
  std::uint32_t more_entries = 0;  // of these, of operations that have one before
  [[nodiscard]] std::uint32_t operations() const noexcept { return entries - more_entries; }
  packet_kind last;  // of the operation that was begun last; it is defined
  // What the packet's last accumulate gave, of one word; another is of no such kind.
  std::uint64_t given_by = packet_kind{}.word;
  std::uint64_t given = 0;
  std::unique_ptr<returning> awaits;  // the packet's results, where it has any
  sync::clock::time_point begun;
  transport::pending_ops sent;  // packets without results
  bool tells = false;           // packets may go without an answer of their own
  std::uint32_t told = 0;       // so many have, in all, and since the last that has one:
  std::uint32_t unanswered = 0;
  static constexpr std::uint32_t most_unanswered = 7;
  std::deque<std::unique_ptr<returning>> under_way;
  errc failed = errc::success;  // the first
  rank failed_with = any_rank;
  void fail(errc e, rank with) noexcept {
    if (e == errc::success || failed != errc::success) return;
    failed = e;
    failed_with = with;
  }
  // A thread waits on its behalf, without the turn: all of it but the packet that is being filled
  // is that thread's then. What is about to leave is not being filled.
  std::atomic<bool> busy{false};
  std::uint64_t list = 0;   // the last that has begun operations in it
  bool counted = false;     // in window_hot::pending, since all was complete
  std::uint32_t round = 1;  // of operations, which ends when all are complete
  // What it has in a packet that it shares, or else nothing; then no other of its is under way.
  bool may_share = false;
  std::optional<shared_packets::share> share;     // the last, in that packet
  std::vector<shared_results> shared;             // by all
  sync::clock::time_point shares_since;           // its oldest operation was begun
  static constexpr std::size_t most_shares = 16;  // with results
  // A shared packet that this process has closed, and so sends; null: none.
  shared_packets::packet* sends = nullptr;
  int sends_to = -1;  // rank of the team, once it has left
  transport::pending_ops sent_shared;
  sync::clock::time_point closed;
};

// For as long as one lives, the turn is others'.
class packet_streams::absence {
 public:
  absence(packet_streams& from, stream& on_behalf_of) noexcept : from_(from), of_(on_behalf_of) {
    of_.busy.store(true, std::memory_order_relaxed);
    from_.taken_.store(false, std::memory_order_release);
  }
  ~absence() {
    if (from_.taken_.exchange(true, std::memory_order_acquire)) from_.wait_for_turn();
    of_.busy.store(false, std::memory_order_relaxed);
  }
  absence(const absence&) = delete;
  absence& operator=(const absence&) = delete;

 private:
  packet_streams& from_;
  stream& of_;
};

inline bool packet_streams::is_quiet(const stream& s) noexcept {
  if (s.near) return !s.counted;
  return s.entries == 0 && s.under_way.empty() && s.sent.idle() && s.unanswered == 0 && !s.share;
}

inline bool packet_streams::goes_alone(stream& s) noexcept {
  return s.near && note_begun(s);
}

inline const packet_kind& packet_streams::kind_of(stream& s, const entry& x) const noexcept {
  if (packet_word{x.call, x.kind, 0, 0, x.type}.packed() != s.last.word) [[unlikely]]
    s.last = sizes().of(x.call, x.kind, x.type);
  return s.last;
}

// Whether the operand need not travel. What is begun then is the packet's last accumulate.
inline bool packet_streams::repeats(stream& s, const packet_kind& kind, const entry& x) noexcept {
  if (x.call != detail::list_call::accumulate) return false;
  const bool is_word = kind.given == sizeof s.given && x.operand != nullptr;
  std::uint64_t operand = 0;
  if (is_word) std::memcpy(&operand, x.operand, sizeof operand);
  if (is_word && s.given_by == kind.word && s.given == operand) return true;
  s.given_by = is_word ? kind.word : packet_kind{}.word;
  s.given = operand;
  return false;
}

inline bool packet_streams::takes(const stream& s, const packet_kind& kind) noexcept {
  return s.entries != 0 && s.used + sizeof(std::uint64_t) + kind.given <= packet_bytes &&
         (kind.taken == 0 || (s.awaits != nullptr && s.awaits->takes(kind.taken, s.results)));
}

[[gnu::always_inline]] inline errc packet_streams::begin(stream& s, const entry& x) noexcept {
  const packet_kind& kind = kind_of(s, x);
  if (!takes(s, kind)) [[unlikely]] {
    if (const errc e = make_room(s, kind); e != errc::success) return e;
    kind_of(s, x);  // the last may be another's meanwhile
  }
  by_rank_[static_cast<std::size_t>(x.owner.value)].begun = s.round;
  const auto owner =
      attaches_ ? 0 : static_cast<std::uint32_t>(core_.group->node_rank(x.owner.value));
  const bool again = repeats(s, kind, x);
  const std::uint64_t word = (again ? packet_word::again(kind.word) : kind.word) |
                             packet_word{{}, 0, owner, x.index.value, primitive{}}.packed();
  std::byte* at = s.buffer.get() + s.used;
  std::memcpy(at, &word, sizeof word);
  if (again) {
    s.used += sizeof word;
    ++s.entries;
    return errc::success;
  }
  at += sizeof word;
  const std::size_t first = x.desired == nullptr ? kind.given : kind.given / 2;
  if (x.operand != nullptr && first == sizeof word)  // most are
    std::memcpy(at, x.operand, sizeof word);
  else if (x.operand != nullptr)
    std::memcpy(at, x.operand, first);
  if (x.desired != nullptr) std::memcpy(at + first, x.desired, kind.given - first);
  s.used += sizeof word + kind.given;
  ++s.entries;
  if (kind.taken == 0) return errc::success;
  s.results += kind.taken;
  s.awaits->add(x.result, kind.taken);
  return errc::success;
}

}  // namespace oriel::win
