// The processes of one measurement, forked from this one, each joined to the first by a socket
// pair. The sockets carry addresses and start and end the measurements; nothing that is measured.
#pragma once

#include <sys/types.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/support/measure.hpp"

namespace bench {

// Another process ended, and has said why.
struct other_ended : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class processes final : public party {
 public:
  // Returns in every one of the `size` processes, each bound to a processor where there are enough.
  explicit processes(int size);
  // Rank 0 waits for the others.
  ~processes() override;
  processes(const processes&) = delete;
  processes& operator=(const processes&) = delete;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] bool crowded() const { return crowded_; }
  void barrier() override;
  double agree(double mine) override;
  // What each gives, by rank; all give the same number of bytes.
  std::vector<std::string> gather(const std::string& mine);
  // Called while this process waits for others: a target's progress is its own to make.
  void while_waiting(std::function<void()> progress) { progress_ = std::move(progress); }

 private:
  void put(int socket, const void* from, std::size_t bytes);
  void take(int socket, void* to, std::size_t bytes);

  int rank_ = 0;
  int size_;
  bool crowded_;
  std::vector<int> sockets_;  // rank 0: to ranks 1, 2, …; the others: to rank 0
  std::vector<pid_t> children_;
  std::function<void()> progress_ = [] {};
};

}  // namespace bench
