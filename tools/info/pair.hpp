// One side of a trial between two processes: an endpoint of the provider that is tried, the other
// side's address and memory, and meeting points.
//
// Everything that waits gives up, with a code or by throwing, within a second or two: a provider
// that does nothing is a result.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/info/stage.hpp"
#include "transport/endpoint.hpp"

namespace oriel::tools {

class pair {
 public:
  enum class progress : std::uint8_t { made, slow, none };
  struct transfer : transport::context {
    bool ended = false;
    int failure = 0;  // a positive libfabric code
    int turn = 0;     // for the trial's own use
    std::size_t bytes = 0;
    std::uint64_t word = 0;  // what is written or read, in memory that is registered
  };

  // Returns when both sides know each other. Throws oriel::error.
  pair(const fi_info& provider, int side, stage&);
  ~pair() { port_.shut(); }
  pair(const pair&) = delete;
  pair& operator=(const pair&) = delete;

  [[nodiscard]] bool origin() const noexcept { return side_ == 0; }
  [[nodiscard]] transport::endpoint& port() noexcept { return port_; }
  [[nodiscard]] stage& shared() noexcept { return shared_; }
  [[nodiscard]] int other() const noexcept { return 1 - side_; }

  // Waits for the other side to come to its meeting point of the same number. `slow` leaves pauses
  // in which what has not arrived can be seen not to have; `none` makes no libfabric call at all.
  // Throws when the other side does not come.
  void meet(progress = progress::made);
  // Whether the other side has come to the point after those that both have passed.
  [[nodiscard]] bool other_waits() const noexcept;
  void poll();

  // A transfer whose memory stays until this process ends, for what may never complete.
  transfer& make_transfer();
  [[nodiscard]] void* descriptor() const noexcept { return local_.descriptor(); }
  [[nodiscard]] transport::remote_place place(std::size_t word) const noexcept;
  // Posts until libfabric takes it. 0 or a positive code: FI_EAGAIN when it never did.
  template <class Call>
  int post(Call call, std::chrono::milliseconds limit = patience) {
    for (const auto until = clock::now() + limit;;) {
      const auto code = call();
      if (code == 0) return 0;
      if (code != -FI_EAGAIN || clock::now() > until) return static_cast<int>(-code);
      poll();
    }
  }
  // The transfer's outcome; FI_ETIMEDOUT when it has none within `limit`.
  int wait(transfer&, std::chrono::milliseconds limit = patience);

  // One word, from post to the completion that `wait` reports.
  int write(std::size_t word, std::uint64_t value, std::uint64_t flags,
            std::chrono::milliseconds limit = patience);
  int read(std::size_t word, std::uint64_t& value, std::chrono::milliseconds limit = patience);

  static constexpr std::chrono::milliseconds patience{1500};

 private:
  using clock = std::chrono::steady_clock;

  int side_;
  stage& shared_;
  std::unique_ptr<transfer[]> transfers_;
  std::size_t used_ = 0;
  transport::endpoint port_;
  transport::memory_region local_, window_;
};

}  // namespace oriel::tools
