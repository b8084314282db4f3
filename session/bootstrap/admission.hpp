// The part of a rank that others join, rank 0 or a parent in the tree: a connection is a stranger's
// until its peer has proven that it knows the job's secret (handshake.hpp), and is then a member's
// or is refused.
//
// No rank blocks on a stranger: each has a little state, and its bytes are read when they
// arrive. Their number is bounded. Where there is no more room the oldest is closed for a new one,
// but none before it has had time to answer; a member whose connection is closed so connects again.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/handshake.hpp"
#include "session/bootstrap/socket_address.hpp"
#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {

class admission {
 public:
  // Besides one for each rank that has not joined, so that members never give way to each other.
  static constexpr std::size_t most_strangers = 512;
  // Of a stranger, from when it connects: until it must have proven the secret, and until its
  // connection may be closed for another.
  static constexpr std::chrono::seconds patience{5};
  static constexpr std::chrono::milliseconds least_stay{100};

  struct member {
    int rank = 0;
    bool joined = false;
    socket_fd fd{};          // once it has joined
    socket_address from{};   // its end of the connection
    std::uint16_t port = 0;  // as it announced
  };

  // Of the ranks that are `awaited`, in rank order. Requires: `listening` listens and does not
  // block, and that `job` outlives this.
  admission(const job_description& job, socket_fd listening, const std::vector<int>& awaited);

  [[nodiscard]] bool complete() const noexcept { return joined_ == members_.size(); }
  // Deals with what has come, or waits for something, there or on one of `others`, for at most
  // 50 ms. Throws system.
  void turn(std::span<const int> others = {});
  // Returns the ranks that have not joined, "1, 3", and the system's error where it let none
  // connect.
  [[nodiscard]] std::string missing() const;
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  // Those that have joined since the last call, in rank order.
  [[nodiscard]] std::vector<member> take_joined();

 private:
  using clock = std::chrono::steady_clock;
  enum class standing { stranger, member, gone };
  struct stranger {
    stranger(socket_fd connected, const socket_address& its_end)
        : fd(std::move(connected)), from(its_end) {}
    socket_fd fd;
    socket_address from;
    clock::time_point since = clock::now();
    message_reader reader{longest_from_stranger};
    std::optional<hello> said;
    nonce asked{};  // of this rank
  };

  void accept_strangers();
  [[nodiscard]] bool full() const noexcept;
  [[nodiscard]] bool room() const noexcept;
  standing hear(stranger&);
  standing greet(stranger&, const std::string& message);
  standing judge(stranger&, const std::string& message);
  // Its member; null where that is not awaited.
  [[nodiscard]] member* place_of(const hello&) noexcept;
  [[nodiscard]] std::string objection(const hello&, const member*) const;
  static standing tell(const stranger&, answer_kind, const std::string& bytes, standing then);

  const job_description& job_;
  socket_fd listening_;
  std::vector<stranger> strangers_;  // oldest first
  std::vector<member> members_;
  std::size_t joined_ = 0;
  std::string trouble_;
};

}  // namespace oriel::sessions
