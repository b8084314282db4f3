// Several rails to the ranks of other nodes: an endpoint on each of the networks that
// ORIEL_INTERFACE lists. Two ranks send each other messages on one of them, and the pairs of ranks
// are spread over all; reads and writes may go by any.
//
// A rail that fails is given up by all ranks (session/node/failure_detector.hpp), for good. Each
// closes its endpoint there and reports that to the others. Once both of two ranks have, nothing
// that either has sent on that rail can arrive any more: what was not acknowledged is sent again on
// the next rail, messages in their order under the numbers that they had, so that none is lost and
// none is taken twice, and reads and writes that had not completed.
//
// A connection that breaks, while its rail stays, may take messages with it that were injected,
// which no provider reports. So a rank whose messages are not acknowledged for long asks, behind
// them, which have been taken, and sends again where some have not.
//
// Threads: any that hold the mutex, but where it says else.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/team/job.hpp"
#include "sync/system.hpp"
#include "transport/endpoint.hpp"
#include "transport/numbered_messages.hpp"

namespace oriel::transport {

class rails {
 public:
  using clock = sync::clock;
  // Until what was not acknowledged is asked about: longer each time that nothing was lost, or that
  // no answer came, as of a rank that computes.
  static constexpr std::chrono::milliseconds shortest_patience{500}, longest_patience{4000};
  struct peer {
    int rank = 0;
    int first = 0;             // the rail that is taken while it serves
    std::uint32_t closed = 0;  // those by which nothing arrives there any more
    std::uint32_t known = 0;   // those here, as far as it has received
    numbered_messages messages;
    clock::time_point not_before{};   // after a connection has failed
    clock::time_point next_report{};  // of what is closed here
    bool asked = false;               // for one
    bool owes = false;                // an acknowledgement, which the provider did not take yet
    std::optional<numbered_messages::number> question;       // that it answers
    numbered_messages::number waits_for = 0xffff;            // the first that was not acknowledged
    clock::time_point asks_at{};                             // if it still is not
    std::chrono::milliseconds patience = shortest_patience;  // until then
  };

  // `first` and then `more`. Requires: they know the ranks.
  rails(endpoint& first, std::vector<std::unique_ptr<endpoint>> more,
        std::vector<std::string> names, const sessions::job&);

  sync::mutex& mutex() noexcept { return mutex_; }
  [[nodiscard]] int count() const noexcept { return static_cast<int>(ports_.size()); }
  // Any thread, to register memory or to wait. To post: under the mutex, where it serves.
  [[nodiscard]] endpoint& port(int rail) noexcept {
    return *ports_[static_cast<std::size_t>(rail)];
  }
  [[nodiscard]] bool serves(int rail) const noexcept { return (closed() >> rail & 1u) == 0; }
  [[nodiscard]] std::uint32_t closed() const noexcept {
    return closed_.load(std::memory_order_relaxed);
  }
  // Closes this process's endpoint there. All messages by it are to be sent again.
  void close(int rail) noexcept;

  [[nodiscard]] peer& at(int rank) noexcept { return peers_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::span<peer> all() noexcept { return {peers_.get(), ranks_}; }
  // By which messages go to it; -1 where every rail has failed.
  [[nodiscard]] int of(const peer& p) const noexcept { return turned(p, 0); }
  // Messages on `rail` must wait, until nothing arrives there by those that were taken before.
  [[nodiscard]] bool is_moving(const peer& p, int rail) const noexcept;
  // By which the `piece`-th part of a read or a write goes.
  [[nodiscard]] int of_piece(const peer& p, std::size_t piece) const noexcept {
    return turned(p, piece % serving());
  }
  // How many bytes of a read or a write go by one rail.
  [[nodiscard]] std::size_t piece_of(std::size_t bytes, std::size_t longest) const noexcept;

  // Any thread: as endpoint::sleep, at the queues of all.
  bool sleep(std::chrono::microseconds at_most) noexcept;
  void wake() noexcept;
  // "eth0 and eth1", and which have failed.
  [[nodiscard]] std::string in_words(std::uint32_t failed) const;

 private:
  [[nodiscard]] std::size_t serving() const noexcept;
  [[nodiscard]] int turned(const peer& p, std::size_t passed_over) const noexcept;

  sync::mutex mutex_;
  std::vector<std::unique_ptr<endpoint>> more_;
  std::vector<endpoint*> ports_;
  std::vector<std::string> names_;
  std::size_t ranks_;
  std::unique_ptr<peer[]> peers_;
  std::atomic<std::uint32_t> closed_{0};
};

}  // namespace oriel::transport
