// The stream of one process of another node, as packet_streams keeps it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "transport/pending_ops.hpp"
#include "win/route/packet_streams.hpp"
#include "win/route/shared_packets.hpp"

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
           (lengths_[last_].each == bytes || last_ + 1 < lengths_.size());
  }
  void add(void* sink, std::size_t bytes) noexcept {
    if (lengths_[last_].each != bytes) {
      if (lengths_[last_].n != 0) ++last_;
      lengths_[last_] = {0, static_cast<std::uint32_t>(bytes)};
    }
    ++lengths_[last_].n;
    sinks_[n_++] = sink;
  }
  // They are at `from`.
  void deliver(const std::byte* from) const noexcept {
    void* const* to = sinks_.get();
    for (std::size_t k = 0; k <= last_; ++k) {
      const alike& some = lengths_[k];
      for (std::uint32_t i = 0; i < some.n; ++i, ++to, from += some.each)
        if (some.each == sizeof(std::uint64_t))  // most are
          std::memcpy(*to, from, sizeof(std::uint64_t));
        else
          std::memcpy(*to, from, some.each);
    }
  }
  void clear() noexcept {
    n_ = last_ = 0;
    lengths_[0] = {};
  }

 private:
  // Results of one length that follow one another.
  struct alike {
    std::uint32_t n = 0;
    std::uint32_t each = 0;  // bytes
  };
  static constexpr std::size_t a_sink = sizeof(std::uint64_t);  // for so many bytes of results

  std::size_t room_;
  std::unique_ptr<std::byte[]> results_;
  std::unique_ptr<void*[]> sinks_;
  std::size_t n_ = 0;  // of sinks
  std::array<alike, 64> lengths_;
  std::size_t last_ = 0;  // of lengths
};

// Results of a stream's in a packet that it shares.
struct packet_streams::shared_results {
  std::unique_ptr<returning> takes;
  shared_packets::share from;
};

class packet_streams::stream {
 public:
  int server = 0;                       // rank of the team
  rank of{0};                           // the first that it was made for
  std::unique_ptr<std::byte[]> buffer;  // of the packet that is being filled
  std::size_t used = 0;
  std::size_t results = 0;  // bytes
  std::uint32_t entries = 0;
  std::unique_ptr<returning> awaits;  // the packet's results, where it has any
  std::chrono::steady_clock::time_point begun;
  transport::pending_ops sent;  // packets without results
  std::deque<std::unique_ptr<returning>> under_way;
  errc failed = errc::success;
  bool counted = false;  // in window_hot::pending
  // What it has in a packet that it shares, or else nothing; then no other of its is under way.
  bool may_share = false;
  std::optional<shared_packets::share> share;          // the last, in that packet
  std::vector<shared_results> shared;                  // by all
  std::chrono::steady_clock::time_point shares_since;  // its oldest operation was begun
  static constexpr std::size_t most_shares = 16;       // with results
  // A shared packet that this process has closed, and so sends; null: none.
  shared_packets::packet* sends = nullptr;
  int sends_to = -1;  // rank of the team, once it has left
  transport::pending_ops sent_shared;
  std::chrono::steady_clock::time_point closed;
};

}  // namespace oriel::win
